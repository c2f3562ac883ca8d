"""A manipulated image and how it was made: what the step `manipulate` says of an image.

They travel as one value of the source image, `manipulate.pairs`: a canonical JSON list, candidates of one idea in a
row. The pictures themselves are images made from the source.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from benchwright.canonical import canonical_json
from benchwright.records import MaskRuns


class Manipulated(BaseModel):
    """One candidate for the manipulated image of an idea.

    Args:
        idea_id: Id of the source's idea.
        candidate: 0, 1, ... among those of the idea.
        natural: Id of the image that the pair shows as natural; as large as the manipulated one.
        manipulated: Id of the image that was made.
        editable: Region in which the two may differ, as the gates read it; None for all of the picture.
        editor: Which editor really ran, such as `sd_inpaint`, `instruct_pix2pix` or `composite`.
        made_with: All that it takes to make the image again: preset, model id, revision and weight hash, scheduler,
            steps, guidance, seed, prompt, mask and where it comes from, and how the subject was moved. JSON values.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    idea_id: str
    candidate: int = Field(0, ge=0)
    natural: str
    manipulated: str
    editable: MaskRuns | None = None
    editor: str
    made_with: Mapping[str, Any] = Field(default_factory=dict)

    @property
    def moved(self) -> bool:
        """Return whether the subject stands elsewhere, or in another size, than in the natural image."""
        move = self.made_with.get("subject")
        return move is not None and (list(move["to_xy"]) != list(move["from_xyxy"][:2]) or move["scale"] != 1)


PAIRS: TypeAdapter[tuple[Manipulated, ...]] = TypeAdapter(tuple[Manipulated, ...])


def packed(pairs: Sequence[Manipulated]) -> str:
    """Return pairs as the value of an image holds them."""
    return canonical_json([pair.model_dump(mode="json") for pair in pairs])


def unpacked(text: str) -> tuple[Manipulated, ...]:
    """Return the pairs of an image's value."""
    return PAIRS.validate_json(text)

"""A manipulated image and the record of its making: the value that the step `manipulate` gives an image.

They are stored as one value of the source image, `manipulate.pairs`: a canonical JSON list, with the candidates of one
idea in sequence. The pictures themselves are images made from the source.
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
        candidate: Index among the candidates of the idea, from 0.
        natural: Id of the image that the pair shows as natural; of the same size as the manipulated one.
        manipulated: Id of the made image.
        editable: Region in which the two may differ, as the gates read it; None for the whole picture.
        editor: The editor that actually ran, such as `sd_inpaint`, `instruct_pix2pix` or `composite`.
        made_with: Everything needed to make the image again, as JSON values: preset, model id, revision and weight
            hash, scheduler, steps, guidance, seed, prompt, mask and its origin, and the move of the subject.
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
        """Return whether the subject's position or size differs from that in the natural image."""
        move = self.made_with.get("subject")
        return move is not None and (list(move["to_xy"]) != list(move["from_xyxy"][:2]) or move["scale"] != 1)


PAIRS: TypeAdapter[tuple[Manipulated, ...]] = TypeAdapter(tuple[Manipulated, ...])


def packed(pairs: Sequence[Manipulated]) -> str:
    """Return pairs encoded as the value of an image."""
    return canonical_json([pair.model_dump(mode="json") for pair in pairs])


def unpacked(text: str) -> tuple[Manipulated, ...]:
    """Return the pairs encoded in an image's value."""
    return PAIRS.validate_json(text)

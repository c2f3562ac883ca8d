"""Grounding by curators: what a facts file states about an image."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from benchwright.facts import Perception
from benchwright.records import ImageRecord
from benchwright.steps import Context

from ...stated_facts.facts_reader import FACTS, NO_FACTS
from ...stated_facts.resolved_facts import IdeaFacts
from .scene import NotGrounded, Scene, Seen

USE = "ideas"
"""Name of the value of the step `facts` that it reads."""


class StatedGrounding(BaseModel):
    """Settings of grounding by a facts file; needs the step `facts` before it.

    Args:
        backend: `facts`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    backend: Literal["facts"] = "facts"

    def deciding(self) -> dict[str, Any]:
        """Return the settings that determine the result, as JSON values."""
        return {"backend": self.backend}


class StatedGrounder:
    """A grounder that reads the value given to an image by the step `facts`.

    Args:
        stated_by: Entry of that step in the recipe.
    """

    def __init__(self, stated_by: str = FACTS) -> None:
        self._reads = f"{stated_by}.{USE}"

    def scene(self, record: ImageRecord, wanted: Sequence[Perception], ctx: Context) -> Scene:
        """Return the stated scene.

        Raises:
            NotGrounded: The image has no statement (`no_facts`).
        """
        text = ctx.value(record.image_id, self._reads)
        if text is None:
            raise NotGrounded(NO_FACTS, "nothing is stated under `pairs` about this image")
        facts = IdeaFacts.model_validate_json(text)
        return Scene(
            caption=facts.caption,
            subject=facts.subject,
            people=facts.people,
            seen={perception.name: _seen(facts, perception) for perception in wanted},
            made_with={"by": "facts"},
            facts=facts,
        )


def _seen(facts: IdeaFacts, perception: Perception) -> Seen:
    value = facts.background if perception.name == "background" else facts.seen.get(perception.name)  # type: ignore[call-overload]
    return Seen(value, problem=None if value is not None else "not_stated")

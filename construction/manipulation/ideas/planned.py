"""Result of planning one category of one image: ideas, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

from benchwright.facts import IdeaCategory

from ...item_parts.idea import Idea
from ..grounding.scene import Scene


class Planned(NamedTuple):
    """The ideas of one category.

    Args:
        ideas: Empty where there is none.
        problem: Why, as a reason code; None where there are ideas.
        detail: One line for people.
        replies: What a model said, as it said it.
    """

    ideas: tuple[Idea, ...] = ()
    problem: str | None = None
    detail: str = ""
    replies: tuple[str, ...] = ()

    def described(self) -> dict[str, Any]:
        """Return it for the record, as JSON values."""
        document: dict[str, Any] = {"ideas": [idea.idea_id for idea in self.ideas], "reason": self.problem}
        if self.detail:
            document["detail"] = self.detail
        if self.replies:
            document["replies"] = list(self.replies)
        return document


class Writer(Protocol):
    """A writer of ideas, such as a model or templates."""

    def plan(self, category: IdeaCategory, scene: Scene) -> Planned:
        """Return ideas of a category for a grounded image."""


def texts_of(idea: Idea) -> Iterator[str]:
    """Yield all words of an idea that prompts, questions or options may show."""
    yield from (idea.subject.phrase, idea.natural_caption, idea.manipulated_caption, idea.instruction)
    if idea.target is not None:
        yield idea.target.phrase
    for change in (idea.low, idea.high):
        yield from (change.aspect, change.natural, change.manipulated, *change.others, *change.tempting)
        yield from (text for text in (change.ask_natural, change.ask_manipulated) if text is not None)

"""Result of planning one category of one image: ideas, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from benchwright.facts import IdeaCategory

from ...item_parts.idea import Idea
from ..grounding.scene import Scene

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Objection = Literal["already_so", "not_so_before", "unanswerable", "unseen", "not_perceived", "ambiguous"]
IdeaAttackResult = Literal["broken", "held", "not_made"]


class IdeaAttack(NamedTuple):
    """One attempt of a second model to refute an idea.

    Args:
        idea_id: The idea.
        objection: What was tried.
        result: `broken` where the objection holds, `held` where it does not, `not_made` where the model gave no usable
            reply.
        says: What it rests on, in words.
    """

    idea_id: str
    objection: Objection
    result: IdeaAttackResult
    says: str = ""


class Planned(NamedTuple):
    """The ideas of one category.

    Args:
        ideas: Empty where there is none.
        problem: Why, as a reason code; None where there are ideas.
        detail: One line for people.
        replies: What a model said, as it said it.
        attacks: What came of a second model's attempts to refute ideas, those that were taken out included.
    """

    ideas: tuple[Idea, ...] = ()
    problem: str | None = None
    detail: str = ""
    replies: tuple[str, ...] = ()
    attacks: tuple[IdeaAttack, ...] = ()

    def described(self) -> dict[str, Any]:
        """Return it for the record, as JSON values."""
        document: dict[str, Any] = {"ideas": [idea.idea_id for idea in self.ideas], "reason": self.problem}
        if self.detail:
            document["detail"] = self.detail
        if self.replies:
            document["replies"] = list(self.replies)
        if self.attacks:
            document["attacks"] = [attack._asdict() for attack in self.attacks]
        return document


class Writer(Protocol):
    """A writer of ideas, such as a model or templates."""

    def plan(self, category: IdeaCategory, scene: Scene, pixels: NDArray[np.uint8] | None) -> Planned:
        """Return ideas of a category for a grounded image.

        Args:
            category: The category.
            scene: What the image shows.
            pixels: The image, (height, width, 3) RGB, for writers that look at it; None for others.
        """


def texts_of(idea: Idea) -> Iterator[str]:
    """Yield all words of an idea that prompts, questions or options may show."""
    yield from (idea.subject.phrase, idea.natural_caption, idea.manipulated_caption, idea.instruction)
    if idea.target is not None:
        yield idea.target.phrase
    for change in (idea.low, idea.high):
        yield from (change.aspect, change.natural, change.manipulated, *change.others, *change.tempting)
        yield from (text for text in (change.ask_natural, change.ask_manipulated) if text is not None)

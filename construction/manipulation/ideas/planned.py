"""The result of planning one category of one image: ideas, or the reason for none."""

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
        objection: The objection tried.
        result: `broken` if the objection is valid, `held` if it is not, `not_made` if the model gave no usable reply.
        says: The model's reason for the result, in words.
    """

    idea_id: str
    objection: Objection
    result: IdeaAttackResult
    says: str = ""


class Planned(NamedTuple):
    """The ideas of one category.

    Args:
        ideas: The ideas; may be empty.
        problem: Reason code for no ideas; None if there are ideas.
        detail: One line for readers.
        replies: Replies of a model, verbatim.
        attacks: Results of a second model's attempts to refute ideas, including removed ideas.
    """

    ideas: tuple[Idea, ...] = ()
    problem: str | None = None
    detail: str = ""
    replies: tuple[str, ...] = ()
    attacks: tuple[IdeaAttack, ...] = ()

    def described(self) -> dict[str, Any]:
        """Return the plan for the record, as JSON values."""
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
            pixels: The image, (height, width, 3) RGB, for writers that see it; None for others.
        """


def texts_of(idea: Idea) -> Iterator[str]:
    """Yield all words of an idea that prompts, questions or options may show."""
    yield from (idea.subject.phrase, idea.natural_caption, idea.manipulated_caption, idea.instruction)
    if idea.target is not None:
        yield idea.target.phrase
    for change in (idea.low, idea.high):
        yield from (change.aspect, change.natural, change.manipulated, *change.others, *change.tempting)
        yield from (text for text in (change.ask_natural, change.ask_manipulated) if text is not None)

"""Results and interface of grounding a natural image."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from benchwright.errors import BenchwrightError
from benchwright.facts import Perception
from benchwright.records import ImageRecord
from benchwright.steps import Context

from ...item_parts.idea import GroundedSubject
from ...stated_facts.resolved_facts import IdeaFacts


class Seen(NamedTuple):
    """A perception of the natural image, such as what its subject does.

    Args:
        value: Value in words; None if it could not be stated.
        place: Its location, if it has one and the source states it.
        problem: Reason code for a missing value or location.
        replies: Replies of a model, verbatim.
    """

    value: str | None
    place: GroundedSubject | None = None
    problem: str | None = None
    replies: tuple[str, ...] = ()


class Scene(NamedTuple):
    """A natural image in words and boxes.

    Args:
        caption: Caption of the whole picture.
        subject: The main subject.
        people: Number of people in the image; None if not stated.
        seen: Perceptions by name.
        replies: Replies of a model on caption and subject, verbatim.
        made_with: Record of the description's source, as JSON values.
        facts: All facts stated by curators, if any.
    """

    caption: str
    subject: GroundedSubject
    people: int | None
    seen: Mapping[str, Seen]
    replies: tuple[str, ...] = ()
    made_with: Mapping[str, Any] = {}
    facts: IdeaFacts | None = None

    def texts(self) -> Iterator[str]:
        """Yield all words that prompts may include."""
        yield self.caption
        yield self.subject.phrase
        for seen in self.seen.values():
            if seen.value is not None:
                yield seen.value
            if seen.place is not None:
                yield seen.place.phrase


class NotGrounded(BenchwrightError):
    """A natural image about which too little is known to change it; a step records it and continues.

    Attributes:
        reason: Stable code, such as `no_people`.
        detail: One line for readers.
        replies: Replies of a model, verbatim.
    """

    def __init__(self, reason: str, detail: str = "", replies: tuple[str, ...] = ()) -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason, self.detail, self.replies = reason, detail, replies


class Grounder(Protocol):
    """A source of descriptions of images, such as a model or a facts file."""

    def scene(self, record: ImageRecord, wanted: Sequence[Perception], ctx: Context) -> Scene:
        """Return the content of the image, with an entry for each requested perception.

        Raises:
            NotGrounded: Not even its caption and subject are known.
        """

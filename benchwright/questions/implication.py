"""Image implications: a picture's type and message, with the labels of II-Bench.

Source of the labels: arXiv 2406.05862, section 3.2 and appendix B.3. A step that states an implication, from a facts
file or from annotators' descriptions, gives the image a value named `implication`: an `Implication` as canonical JSON.
A step that turns it into questions reads that value and does not depend on its origin.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from benchwright.records import Record, Scalar

ImageType = Literal[
    "photograph", "illustration", "painting", "poster", "meme", "logo", "single-panel comic", "multi-panel comic"
]
Domain = Literal["life", "art", "society", "psychology", "environment", "others"]
Emotion = Literal["positive", "neutral", "negative"]
Difficulty = Literal["easy", "middle", "hard"]
Rhetoric = Literal[
    "metaphor",
    "exaggerate",
    "symbolism",
    "contrast",
    "visual dislocation",
    "antithesis",
    "analogy",
    "personification",
    "others",
]
MOST_QUESTIONS = 3
WRONG_OPTIONS = 5
_Words = Annotated[str, Field(min_length=1)]


def _is_empty(value: Mapping[str, str]) -> bool:
    return not value


class SixOptions(Record):
    """A question about a picture's message, with one right and five wrong options."""

    ask: _Words
    right: _Words
    wrong: Annotated[tuple[_Words, ...], Field(min_length=WRONG_OPTIONS, max_length=WRONG_OPTIONS)]
    explanation: str | None = None
    authors: dict[str, str] = Field(default_factory=dict, exclude_if=_is_empty)
    """Authors of texts of the question that were taken from a draft, by `question` or `choices`."""


class WrittenIn(Record):
    """The slot of a campaign in which an annotator wrote a text; only the review store knows the annotator's name.

    Attributes:
        simulated: Whether the annotator was simulated; written to documents only if true.
    """

    campaign: str
    record_id: str
    slot: int
    simulated: bool = False

    @model_serializer(mode="wrap")
    def _without_what_goes_without_saying(self, spelled: SerializerFunctionWrapHandler) -> dict[str, Any]:
        document: dict[str, Any] = spelled(self)
        return document if self.simulated else {name: value for name, value in document.items() if name != "simulated"}


class Implication(Record):
    """Labels, explanation and questions about one picture.

    Attributes:
        image_type: Type of the picture; several if the campaign allows several.
        questions: Questions about the picture; None if only labels are stated.
        explanation: The picture's message; used by every question without its own explanation.
        difficulty: Difficulty of the picture for human readers; None if unstated.
        rhetoric: Rhetorical devices that convey the message.
        written_in: Slot of the campaign in which an annotator wrote it; None if it comes from a file.
        author: Author of the texts, as in `Item.written_by`; None if `written_in` identifies the author.
        authors: Authors of parts taken from a draft, by `explanation` or `labels`; questions state their own.
    """

    image_type: ImageType | Annotated[tuple[ImageType, ...], Field(min_length=2)]
    domain: Domain
    emotion: Emotion
    questions: Annotated[tuple[SixOptions, ...], Field(max_length=MOST_QUESTIONS)] = ()
    explanation: str | None = None
    difficulty: Difficulty | None = None
    rhetoric: tuple[Rhetoric, ...] = ()
    written_in: WrittenIn | None = None
    author: str | None = Field(None, exclude_if=lambda author: author is None)
    authors: dict[str, str] = Field(default_factory=dict, exclude_if=_is_empty)

    @property
    def image_types(self) -> tuple[str, ...]:
        """Return the type or types of the picture."""
        return (self.image_type,) if isinstance(self.image_type, str) else self.image_type

    @property
    def written_by(self) -> str:
        """Return the author of the texts, as in `Item.written_by`."""
        by_default = "simulated" if self.written_in is not None and self.written_in.simulated else "person"
        return self.author or by_default

    @property
    def attributes(self) -> dict[str, Scalar]:
        """Return the labels as item attributes for evaluation; empty if no difficulty is stated."""
        if self.difficulty is None:
            return {}
        return {
            "difficulty": self.difficulty,
            "image_type": "+".join(self.image_types),
            "domain": self.domain,
            "emotion": self.emotion,
            "rhetoric": "+".join(self.rhetoric),
        }

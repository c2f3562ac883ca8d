"""What a picture is and conveys, in the words of II-Bench (arXiv 2406.05862, section 3.2 and appendix B.3).

Who states it, a facts file or people who describe images, gives the image a value named `implication`: an `Implication`
as canonical JSON. Who asks about it reads that value, wherever it comes from.
"""

from __future__ import annotations

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


class SixOptions(Record):
    """A question about what a picture conveys, with one right and five wrong options."""

    ask: _Words
    right: _Words
    wrong: Annotated[tuple[_Words, ...], Field(min_length=WRONG_OPTIONS, max_length=WRONG_OPTIONS)]
    explanation: str | None = None


class WrittenIn(Record):
    """Where somebody wrote something: by this the review store knows who, and nobody else does.

    Attributes:
        simulated: Nobody wrote it: the annotator is simulated. Stated only where it is so.
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
    """What is stated about one picture.

    Attributes:
        questions: None where only labels are stated.
        explanation: What the picture conveys; of all its questions that have none of their own.
        difficulty: Difficulty for people to understand it; None where nobody stated one.
        rhetoric: Means by which it is conveyed.
        written_in: The campaign in which an annotator wrote it; None where a file states it.
    """

    image_type: ImageType
    domain: Domain
    emotion: Emotion
    questions: Annotated[tuple[SixOptions, ...], Field(max_length=MOST_QUESTIONS)] = ()
    explanation: str | None = None
    difficulty: Difficulty | None = None
    rhetoric: tuple[Rhetoric, ...] = ()
    written_in: WrittenIn | None = None

    @property
    def written_by(self) -> str:
        """Return who wrote its texts, as items say it."""
        return "simulated" if self.written_in is not None and self.written_in.simulated else "person"

    @property
    def attributes(self) -> dict[str, Scalar]:
        """Return the labels that evaluation may go by; none where nobody said how difficult it is."""
        if self.difficulty is None:
            return {}
        return {
            "difficulty": self.difficulty,
            "image_type": self.image_type,
            "domain": self.domain,
            "emotion": self.emotion,
            "rhetoric": "+".join(self.rhetoric),
        }

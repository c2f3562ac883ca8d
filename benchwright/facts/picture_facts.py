"""Facts about one picture: subjects, questions, its implication, and facts for manipulation ideas.

Coordinates are pixels of the upright image, from its top left corner: the box [0, 0, width, height] covers the whole
image.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from benchwright.questions import implication
from benchwright.questions.implication import Domain, Emotion, ImageType
from benchwright.records import MaskRuns

from .idea_facts import PairFacts
from .schema import Box, Name, Point, Stated, Text

Why = Literal[
    "nonexistent_object",
    "background_information",
    "temporal_unpredictability",
    "missing_visual_information",
    "other_modality",
    "intractable_quantity",
]
"""Reasons why a picture cannot answer a question, by MM-SAP's kinds (arXiv 2401.07529, appendix A.2)."""


class CutOut(Stated):
    """How to separate a subject from its background, and the pictures in front of which to place it."""

    inside: tuple[Point, ...] = ()
    """Points that definitely belong to the subject."""
    outside: tuple[Point, ...] = ()
    """Points that definitely do not belong to the subject."""
    mask: MaskRuns | None = None
    """Mask of the subject, with a cell for each pixel of the upright picture, as COCO's run lengths; steps
    then need no GrabCut. Documents omit it if absent."""
    onto: tuple[str, ...] = ()
    """Other pictures of this file, by key, with a `background`; `background_substitution` places the
    subject in front of each."""

    @model_serializer(mode="wrap")
    def _without_an_absent_mask(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        document: dict[str, Any] = write(self)
        return {name: value for name, value in document.items() if name != "mask" or value is not None}


class Subject(Stated):
    """An object or person that a picture shows."""

    name: Name
    phrase: Text
    """Phrase for the subject in a question, such as `the coffee cup`."""
    box: Box
    """The smallest box around the subject's visible part."""
    cut_out: CutOut | None = None


class Unanswerable(Stated):
    """A question that the picture does not answer."""

    name: Name
    why: Why
    ask: Text
    wrong: Annotated[tuple[Text, ...], Field(min_length=2, max_length=8)]
    """Answers to the question that sound plausible."""


class Answerable(Stated):
    """A question that the picture clearly answers, to mix with the unanswerable ones."""

    name: Name
    ask: Text
    right: Text
    wrong: Annotated[tuple[Text, ...], Field(min_length=1, max_length=8)]


class StatedSixOptions(Stated):
    """A question about what a picture conveys, with one right and five wrong options."""

    ask: Text
    right: Text
    wrong: Annotated[tuple[Text, ...], Field(min_length=5, max_length=5)]
    explanation: Text | None = None


class StatedImplication(Stated):
    """The kind and implication of a picture, in II-Bench's terms (arXiv 2406.05862)."""

    image_type: ImageType
    domain: Domain
    emotion: Emotion
    question: StatedSixOptions | None = None

    def stated(self) -> implication.Implication:
        """Return the implication in the form that steps expect."""
        document = self.model_dump(mode="json", exclude={"question"})
        questions = [] if self.question is None else [self.question.model_dump(mode="json")]
        return implication.Implication.model_validate(document | {"questions": questions})


class StatedSource(Stated):
    """The origin of a picture, as its dataset states it."""

    dataset: Text | None = None
    canonical_id: Text | None = None
    """Id in the dataset, such as `coco:000000123`."""
    uri: Text | None = None


class StatedInWords(Stated):
    """All facts about one picture except the locations of its subjects."""

    background: Text | None = None
    """The background of the subjects, such as `a wooden table`."""
    unanswerable: tuple[Unanswerable, ...] = ()
    answerable: tuple[Answerable, ...] = ()
    implication: StatedImplication | None = None
    pairs: PairFacts | None = None
    """Facts from which the step `ideas` makes ideas without a model."""


class PictureFacts(StatedInWords):
    """All facts about one picture."""

    also: tuple[str, ...] = ()
    """Other names of the same picture, such as that of a copy in another format."""
    size_wh: tuple[Annotated[int, Field(gt=0)], Annotated[int, Field(gt=0)]] | None = None
    """Width and height, upright; facts are not applied to an image of another size. Default: the image's size."""
    source: StatedSource | None = None
    """Additional facts, kept in the evidence of the step `facts`."""
    subjects: tuple[Subject, ...] = ()

    @property
    def stated_size_wh(self) -> tuple[int, int] | None:
        """Return the size that the facts state, or else that of a mask; None if they have neither."""
        if self.size_wh is not None:
            return self.size_wh
        masks = [subject.cut_out.mask for subject in self.subjects if subject.cut_out is not None]
        return next(((mask.size[1], mask.size[0]) for mask in masks if mask is not None), None)

    @property
    def states_something(self) -> bool:
        """Return whether the facts state anything except names, size and source."""
        return self != PictureFacts(also=self.also, size_wh=self.size_wh, source=self.source)

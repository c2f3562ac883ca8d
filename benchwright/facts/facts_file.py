"""Facts files, in which people state facts about photographs, so that steps can make items without any model.

    format: benchwright-facts
    version: 1
    images:
      coffee.png:                      # file name, path below the image folder, or SHA-256 of the file
        size_wh: [600, 400]
        background: a wooden table
        subjects:
          - name: cup
            phrase: the coffee cup
            box: [173, 18, 408, 287]

Coordinates are pixels of the upright image, from its top left corner: a box [0, 0, width, height] is all of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from benchwright import implication
from benchwright.canonical import digest
from benchwright.errors import DataError
from benchwright.implication import Domain, Emotion, ImageType
from benchwright.records import MaskRuns
from benchwright.yaml_places import Mistakes, Path_, Places, checked, compose, shown

from . import idea_facts
from .idea_facts import PairFacts
from .schema import Box, Name, Point, Stated, Text

MAX_BYTES = 8 << 20
SHA256 = re.compile(r"[0-9a-f]{64}")

Why = Literal[
    "nonexistent_object",
    "background_information",
    "temporal_unpredictability",
    "missing_visual_information",
    "other_modality",
    "intractable_quantity",
]
"""Why a picture cannot answer, as MM-SAP tells the kinds apart (arXiv 2401.07529, appendix A.2)."""


class CutOut(Stated):
    """How a subject is separated from its background, and what it is put in front of."""

    inside: tuple[Point, ...] = ()
    """Points that surely belong to the subject."""
    outside: tuple[Point, ...] = ()
    """Points that surely do not."""
    mask: MaskRuns | None = None
    """The subject as somebody outlined it, a cell for each pixel of the upright picture, as COCO writes run lengths;
    steps then need no GrabCut. Left out of documents where nobody did."""
    onto: tuple[str, ...] = ()
    """Other pictures of this file, by their key, that have a `background`: the step `background_substitution` puts the
    subject before each."""

    @model_serializer(mode="wrap")
    def _without_an_absent_mask(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        document: dict[str, Any] = write(self)
        return {name: value for name, value in document.items() if name != "mask" or value is not None}


class Subject(Stated):
    """Something that a picture shows."""

    name: Name
    phrase: Text
    """As a question calls it, such as `the coffee cup`."""
    box: Box
    """The smallest box around all that can be seen of it."""
    cut_out: CutOut | None = None


class Unanswerable(Stated):
    """A question that the picture does not answer."""

    name: Name
    why: Why
    ask: Text
    wrong: Annotated[tuple[Text, ...], Field(min_length=2, max_length=8)]
    """Answers that sound plausible."""


class Answerable(Stated):
    """A question that the picture plainly answers, to stand among the unanswerable ones."""

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
    """What a picture is and conveys, in the words of II-Bench (arXiv 2406.05862)."""

    image_type: ImageType
    domain: Domain
    emotion: Emotion
    question: StatedSixOptions | None = None

    def stated(self) -> implication.Implication:
        """Return the implication in the form that steps read."""
        document = self.model_dump(mode="json", exclude={"question"})
        questions = [] if self.question is None else [self.question.model_dump(mode="json")]
        return implication.Implication.model_validate(document | {"questions": questions})


class StatedSource(Stated):
    """Where a picture comes from, as its dataset states it."""

    dataset: Text | None = None
    canonical_id: Text | None = None
    """Such as `coco:000000123`."""
    uri: Text | None = None


class PictureFacts(Stated):
    """All that is stated about one picture."""

    also: tuple[str, ...] = ()
    """Further names of the same picture, such as a copy in another format."""
    size_wh: tuple[Annotated[int, Field(gt=0)], Annotated[int, Field(gt=0)]]
    """Width and height, upright; facts are not used for an image of another size."""
    source: StatedSource | None = None
    """Kept in the evidence of the step `facts`."""
    background: Text | None = None
    """What lies behind the subjects, such as `a wooden table`."""
    subjects: tuple[Subject, ...] = ()
    unanswerable: tuple[Unanswerable, ...] = ()
    answerable: tuple[Answerable, ...] = ()
    implication: StatedImplication | None = None
    pairs: PairFacts | None = None
    """What the step `ideas` makes ideas of without a model."""


class Facts(Stated):
    """A whole facts file."""

    format: Literal["benchwright-facts"]
    version: Literal[1]
    images: dict[str, PictureFacts]

    @cached_property
    def sha256(self) -> str:
        """Digest of the facts, without comments and layout."""
        return digest(self.model_dump(mode="json"))


def read_facts(path: Path) -> Facts:
    """Read and check a facts file.

    Raises:
        DataError: The file cannot be read or has mistakes; the message names file, line, key and value.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise DataError(f"facts file {path} is larger than {MAX_BYTES:,} bytes; split the images over several runs")
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"facts file {path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise DataError(f"facts file {path} is not UTF-8 text (byte {error.start})") from error
    return parse_facts(text, str(path))


def parse_facts(text: str, name: str) -> Facts:
    """Read facts from text; `name` stands for the file in messages."""
    document, lines = compose(text, name, error=DataError)
    if not isinstance(document, dict):
        raise DataError(f"{name}: line 1: a facts file is a mapping with the key images, not {shown(document)}")
    at = Places(name, lines, DataError)
    facts = checked(Facts, document, (), at)
    mistakes = Mistakes(at)
    for path, value, why in _mistakes(facts):
        mistakes.add(at.wrong(path, value, why))
    mistakes.check()
    return facts


def _mistakes(facts: Facts) -> Iterator[tuple[Path_, object, str]]:
    """Yield mistakes that the models do not check: places outside the picture, repetitions, unknown names."""
    taken: set[str] = set()
    for key, picture in facts.images.items():
        path: Path_ = ("images", key)
        for place, name in ((path, key), *(((*path, "also", n), name) for n, name in enumerate(picture.also))):
            if not name or name.startswith("/") or "\\" in name or ".." in name.split("/"):
                yield place, name, "give a file name, a path below the image folder, or the SHA-256 of a file"
            if name in taken:
                yield place, name, "another picture has that name already"
            taken.add(name)
        yield from _repeated((*path, "subjects"), "name", [subject.name for subject in picture.subjects])
        yield from _repeated((*path, "unanswerable"), "name", [question.name for question in picture.unanswerable])
        yield from _answerable_mistakes((*path, "answerable"), picture)
        for number, subject in enumerate(picture.subjects):
            yield from _misplaced(facts, key, (*path, "subjects", number), subject)
        for number, one in enumerate(picture.unanswerable):
            yield from _repeated((*path, "unanswerable", number, "wrong"), None, one.wrong)
        if picture.pairs is not None:
            for place_, value, why in idea_facts.mistakes(facts.images, key):
                yield (*path, "pairs", *place_), value, why
        if picture.implication is not None and (question := picture.implication.question) is not None:
            yield from _repeated((*path, "implication", "question", "wrong"), None, (*question.wrong, question.right))


def _answerable_mistakes(path: Path_, picture: PictureFacts) -> Iterator[tuple[Path_, object, str]]:
    """Yield repeated names, including those of the unanswerable questions, and repeated options."""
    taken = {question.name for question in picture.unanswerable}
    for number, question in enumerate(picture.answerable):
        if question.name in taken:
            yield (*path, number, "name"), question.name, "it stands twice"
        taken.add(question.name)
        yield from _repeated((*path, number, "wrong"), None, (*question.wrong, question.right))


def _misplaced(facts: Facts, key: str, path: Path_, subject: Subject) -> Iterator[tuple[Path_, object, str]]:
    width, height = facts.images[key].size_wh
    x0, y0, x1, y1 = subject.box
    if not (0 <= x0 < x1 <= width and 0 <= y0 < y1 <= height):
        why = f"a box is [x0, y0, x1, y1] with x0 < x1, y0 < y1, within the picture's {width} x {height} pixels"
        yield (*path, "box"), list(subject.box), why
    cut = subject.cut_out
    if cut is None:
        return
    for side, points in (("inside", cut.inside), ("outside", cut.outside)):
        for number, (x, y) in enumerate(points):
            if not (0 <= x < width and 0 <= y < height):
                yield (*path, "cut_out", side, number), [x, y], f"outside the picture's {width} x {height} pixels"
    if cut.mask is not None and cut.mask.size != (height, width):
        why = f"a mask of {cut.mask.size[1]} x {cut.mask.size[0]} cells does not fit {width} x {height} pixels"
        yield (*path, "cut_out", "mask", "size"), list(cut.mask.size), why
    if cut.onto and facts.images[key].background is None:
        yield path, subject.name, "a subject with `onto` needs the picture's own background stated, to ask for it"
    yield from _repeated((*path, "cut_out", "onto"), None, cut.onto)
    for number, other_image in enumerate(cut.onto):
        place = (*path, "cut_out", "onto", number)
        if other_image not in facts.images or other_image == key:
            yield place, other_image, f"not the key of another picture of this file ({', '.join(sorted(facts.images))})"
        elif facts.images[other_image].background is None:
            yield place, other_image, "that picture states no background"
        elif facts.images[other_image].background == facts.images[key].background:
            yield (
                place,
                other_image,
                "that picture's background reads like this one's, so no question could tell them apart",
            )


def _repeated(
    path: Path_, field: str | None, texts: tuple[str, ...] | list[str]
) -> Iterator[tuple[Path_, object, str]]:
    """Yield repeated texts; case and white space at the ends are ignored."""
    seen: set[str] = set()
    for number, text in enumerate(texts):
        if text.strip().casefold() in seen:
            yield (*path, number, *([field] if field else [])), text, "it stands twice"
        seen.add(text.strip().casefold())

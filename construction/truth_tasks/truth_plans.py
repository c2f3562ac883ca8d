"""The plans of a ground-truth task: records, their pictures, the plan of an item, the chosen record, its wording."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from pydantic import Field

from benchwright.records import LETTERS

from ..ground_truth.truths import GroundTruth
from ..ground_truth.values import RecordTruth
from ..item_parts.marks.rings import Point, SizeWH
from ..item_parts.wording.wordings import Wordings

CONTRADICTED = "contradicted"
"""Reason, and key in `original`, for truths that other truths about the same object contradict."""


def main_reason(left_out: Mapping[str, int]) -> str:
    """Return the reason why a picture yielded no item: the most frequent reason among its truths or, in a tie, the last
    one by name.
    """
    return max(left_out, key=lambda reason: (left_out[reason], reason))


class ItemPlan(NamedTuple):
    """The content of an item before its right option has a position.

    Args:
        letters: Possible positions of the right option, from 0; a single position if the order of the options is fixed.
        answer: Balanced property, such as `yes` or the number of objects.
        document: All other content of the item, as JSON values, in pixels of the pictures as shown.
        pictures: Indices of the record's pictures that the item shows, in order; empty for all.
        reserved: Indices of further pictures that count as shown, so that an item uses the same pictures whichever
            option is right.
    """

    letters: tuple[int, ...]
    answer: str
    document: Mapping[str, Any]
    pictures: tuple[int, ...] = ()
    reserved: tuple[int, ...] = ()


class TruthPictures(NamedTuple):
    """The pictures of a record: their sizes, and their sizes as shown by items.

    Args:
        sizes_wh: Width and height of each upright picture, in pixels.
        shown_wh: Width and height as shown.
    """

    sizes_wh: tuple[SizeWH, ...]
    shown_wh: tuple[SizeWH, ...]

    def shown(self, number: int, point: Point) -> Point:
        """Return a point of a picture in pixels of the picture as shown, rounded to a hundredth of a pixel."""
        (width, height), (shown_width, shown_height) = self.sizes_wh[number], self.shown_wh[number]
        return round(point[0] * shown_width / width, 2), round(point[1] * shown_height / height, 2)

    def only(self, numbers: Sequence[int]) -> TruthPictures:
        """Return a selection of the pictures, in the given order, or all pictures if no index is given."""
        if not numbers:
            return self
        return TruthPictures(
            tuple(self.sizes_wh[number] for number in numbers), tuple(self.shown_wh[number] for number in numbers)
        )

    def short_side(self, number: int) -> int:
        """Return the shorter side of a picture as it is shown, in pixels."""
        return min(self.shown_wh[number])


class JoinedTruths(GroundTruth):
    """Truths of several records that an item needs together."""

    kind: ClassVar[str] = "joined"
    pictures: ClassVar[int | None] = None

    parts: tuple[Any, ...] = Field(min_length=2)

    @classmethod
    def of(cls, truths: Sequence[RecordTruth[Any]]) -> RecordTruth[JoinedTruths]:
        """Merge records of one picture each into a single record."""
        return RecordTruth(
            "+".join(truth.record for truth in truths),
            tuple(truth.image_ids[0] for truth in truths),
            cls(parts=tuple(truth.truth for truth in truths)),
        )


class UnusedTruth(NamedTuple):
    """A truth that is left out before planning because of other truths, and the reason code."""

    truth: RecordTruth[Any]
    reason: str


class ChosenRecord(NamedTuple):
    """A record that becomes an item.

    Args:
        record: Name of the record, or of records joined by `+`.
        image_ids: The pictures that the item shows; the item is made from the first one.
        letter: Position of the right option, from 0.
        plan: The plan's document.
        original: The dataset's statement if reading changed it, or the campaign in which the truth was marked.
    """

    record: str
    image_ids: tuple[str, ...]
    letter: int
    plan: Mapping[str, Any]
    original: Mapping[str, Any]

    @property
    def answer(self) -> str:
        """Return the key of the right option."""
        return LETTERS[self.letter]


class ChosenOfImage(NamedTuple):
    """The choice for an image.

    Args:
        entries: The records that become items with the image as their first picture.
        left_out: Number of its records that were not chosen, by reason code.
    """

    entries: list[ChosenRecord]
    left_out: Mapping[str, int]


class ItemWording(NamedTuple):
    """An item's specific part: question, options and pictures.

    Args:
        question: The question, or several wordings from which the seed draws one.
        options: Texts of the options in order, or, for pictures, indices of `images`.
        images: For each picture shown, its index in the record, its role, and the rings on it, each with a point and a
            label.
        kind: Kind of item.
        evidence: Source of the key.
        attributes: Attributes of the item.
        written_by: Author of the question.
        choices_by: Author of text options.
        explanation: Explanation of the answer, by the author of the question; None if there is none.
        refusal: Key of the option that declines; None if none is offered.
        is_answerable: Whether the picture answers the question; otherwise the item has no answer key.
        level: Level of the item.
        category: Category of the item.
    """

    question: str | Wordings
    options: tuple[str | int, ...]
    images: tuple[tuple[int, str, tuple[tuple[Point, str], ...]], ...]
    kind: Any = "multiple_choice"
    evidence: Mapping[str, Any] = {}
    attributes: Mapping[str, str] = {}
    written_by: str = "template"
    choices_by: str = "template"
    explanation: str | None = None
    refusal: str | None = None
    is_answerable: bool = True
    level: str | None = None
    category: str | None = None


class LeftOut(NamedTuple):
    """The reason why a chosen record yields no item after all.

    Args:
        reason: Reason code.
        evidence: Details, such as replies of a model, as JSON values.
        may_pass: Whether another run may succeed; the image then fails with this reason and is tried again as a whole.
    """

    reason: str
    evidence: Mapping[str, Any]
    may_pass: bool = False


def with_contradictions(
    truths: Sequence[RecordTruth[Any]], about: Callable[[Any], Hashable], stated: Callable[[Any], Hashable]
) -> Iterator[RecordTruth[Any]]:
    """Yield truths; those about the same object and pictures that state different things have `contradicted` in their
    `original`.

    Args:
        truths: The truths.
        about: Function that returns the object of a truth.
        stated: Function that returns the truth's statement about it.
    """
    all_stated: dict[Hashable, set[Hashable]] = {}
    for truth in truths:
        all_stated.setdefault((truth.image_ids, about(truth.truth)), set()).add(stated(truth.truth))
    for truth in truths:
        if len(all_stated[truth.image_ids, about(truth.truth)]) == 1:
            yield truth
        else:
            original = {**truth.truth.original, CONTRADICTED: True}
            yield truth._replace(truth=truth.truth.model_copy(update={"original": original}))

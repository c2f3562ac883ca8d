"""A protocol that shows the pictures of another item, to measure how a model answers without seeing the right ones.

Pictures come from the next item that shares nothing with the asked one; the search takes linear time.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from benchwright.canonical import bytes_digest
from benchwright.errors import DataError
from benchwright.records import VisualPrompt

from ..prompting.question import Question, QuestionImage, Released, question_of
from ..prompting.release_files import check_files, data_files, opened_table
from .base import Ask, JudgedReply, ProtocolQuestion
from .templated import Templated

if TYPE_CHECKING:
    from benchwright.release import Release
from collections import Counter
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ImageDonor:
    """The index of an item, the roles of its pictures, and the keys it shares with other items."""

    item_id: str
    file: str
    group: int
    row: int
    shape: tuple[str, tuple[bool, ...]]
    ties: frozenset[str]


def donors_of(places: Sequence[ImageDonor]) -> dict[str, ImageDonor]:
    """Return, for each item, the next item in cyclic order that has the same shape and shares no key with it, if there
    is one.
    """
    shapes: dict[tuple[str, tuple[bool, ...]], list[ImageDonor]] = {}
    for place in places:
        shapes.setdefault(place.shape, []).append(place)
    return {item_id: donor for alike in shapes.values() for item_id, donor in _donors_among(alike).items()}


def _donors_among(alike: Sequence[ImageDonor]) -> dict[str, ImageDonor]:
    """Return the donors of the items with a given shape.

    Two shortcuts keep the search from visiting the same neighbors for each item. A run of consecutive items that all
    have the same key is skipped in one step, and items with the same keys continue where the previous search stopped.
    """
    count = len(alike)
    held = Counter(key for place in alike for key in place.ties)
    shared = frozenset(key for key, number in held.items() if number > 1)
    ends = _ends_of_stretches(alike, shared)
    reached: dict[frozenset[str], tuple[int, int]] = {}
    donors: dict[str, ImageDonor] = {}
    for number, place in enumerate(alike):
        ties = place.ties & shared
        start, at = number + 1, number + 1
        if ties in reached and reached[ties][0] <= start:
            start, at = reached[ties][0], max(at, reached[ties][1])
        while at < number + count and (key := next(iter(ties & alike[at % count].ties), None)) is not None:
            at = ends[key][at]
        reached[ties] = (start, at)
        if at < number + count:
            donors[place.item_id] = alike[at % count]
    return donors


def _ends_of_stretches(alike: Sequence[ImageDonor], shared: frozenset[str]) -> dict[str, dict[int, int]]:
    """Return, by key and by index of an item that has it, the next index of an item without it, over two cycles."""
    ends: dict[str, dict[int, int]] = {}
    for at in range(2 * len(alike) - 1, -1, -1):
        for key in alike[at % len(alike)].ties & shared:
            of_key = ends.setdefault(key, {})
            of_key[at] = of_key.get(at + 1, at + 1)
    return ends


_GROUPS_KEPT = 2


class WrongImage(Templated):
    """Ask with the pictures, and their marks, of another item of the release that shares no group with this one.

    The other item has the same task, equally many pictures, and picture options at the same positions. It is the next
    such item in the order of the release, in which the first item follows the last. If there is no such item, the asked
    item ends in an error that states this.
    """

    name: ClassVar[str] = "wrong-image"
    source: ClassVar[str] = "ours"

    def asking_items(self, release: Release) -> Ask:
        """Return the function that asks, once the donor of each item is known."""
        check_files(release, None)
        donors = donors_of(_places(release))
        shelf = _PictureCache(release)

        def ask(released: Released, earlier: Sequence[JudgedReply]) -> Sequence[ProtocolQuestion]:
            del earlier
            return [self._question_of(released, donors, shelf)]

        return ask

    def _question_of(
        self, released: Released, donors: Mapping[str, ImageDonor], shelf: _PictureCache
    ) -> ProtocolQuestion:
        question = question_of(released)
        donor = donors.get(released.item.item_id)
        if donor is None:
            keys = {choice.key: choice.key for choice in question.choices}
            cause = "this task has no item with as many pictures and without a group in common"
            return ProtocolQuestion("", None, keys, cause=cause)
        return self.put(released.item, _swapped(question, shelf.pictures(donor)), note={"pictures_of": donor.item_id})


def _places(release: Release) -> list[ImageDonor]:
    """Return the index, shape and keys of every item in the order of the release, without reading a picture."""
    columns = ["item_id", "task", "image_ids", "choices", "group_keys"]
    places: list[ImageDonor] = []
    for name in data_files(release, None):
        with opened_table(release, name) as table:
            for group in range(table.groups):
                rows = table.table(columns, groups=[group]).to_pylist()
                places += [_place(row, name, group, number) for number, row in enumerate(rows)]
    return places


def _place(row: Mapping[str, Any], file: str, group: int, number: int) -> ImageDonor:
    options = {choice["image_id"] for choice in row["choices"]}
    shape = (row["task"], tuple(image_id in options for image_id in row["image_ids"]))
    return ImageDonor(row["item_id"], file, group, number, shape, frozenset([*row["group_keys"], *row["image_ids"]]))


class _RowGroup(NamedTuple):
    pictures: Sequence[Any]
    unmarked: Sequence[Any] | None
    image_ids: Sequence[list[str]]
    marks: Sequence[str]

    def clean_file(self, row: int, number: int) -> Any:
        """Return the file of a picture without marks."""
        unmarked = None if self.unmarked is None else self.unmarked[row][number]
        cell = unmarked if unmarked is not None and unmarked.is_valid else self.pictures[row][number]
        return cell["bytes"].as_py()


class _PictureCache:
    """The pictures of items by index; a few row groups are cached, because successive donors are close together."""

    def __init__(self, release: Release) -> None:
        self._release = release
        self._kept: OrderedDict[tuple[str, int], _RowGroup] = OrderedDict()

    def pictures(self, place: ImageDonor) -> tuple[QuestionImage, ...]:
        """Return an item's pictures with their marks.

        Raises:
            DataError: A picture is not the one named by the item.
        """
        import json

        row_group = self._row_group(place.file, place.group)
        marks = json.loads(row_group.marks[place.row])
        pictures = []
        for number, image_id in enumerate(row_group.image_ids[place.row]):
            data = row_group.clean_file(place.row, number)
            if bytes_digest(data) != image_id:
                raise DataError(
                    f"{self._release.path}: {place.file}: item {place.item_id}: picture {number} is damaged"
                )
            prompts = tuple(VisualPrompt.model_validate(mark) for mark in marks[number])
            pictures.append(QuestionImage(image_id, prompts, data))
        return tuple(pictures)

    def _row_group(self, name: str, group: int) -> _RowGroup:
        from benchwright.release.format.schema import PICTURE_COLUMNS, columns_of_version

        if (name, group) not in self._kept:
            pictures = [name for name in columns_of_version(self._release.manifest.version) if name in PICTURE_COLUMNS]
            columns = [*pictures, "image_ids", "visual_prompts"]
            with opened_table(self._release, name) as file:
                table = file.table(columns, groups=[group])
            ids, marks = (table.column(column).to_pylist() for column in ("image_ids", "visual_prompts"))
            self._kept[name, group] = _RowGroup(
                table.column("images"), table.column("unmarked") if "unmarked" in pictures else None, ids, marks
            )
            while len(self._kept) > _GROUPS_KEPT:
                self._kept.popitem(last=False)
        return self._kept[name, group]


def _swapped(question: Question, pictures: tuple[QuestionImage, ...]) -> Question:
    """Return a question with its pictures, including picture options, replaced."""
    instead = {old.image_id: new.image_id for old, new in zip(question.pictures, pictures, strict=True)}
    choices = tuple(
        choice if choice.image_id is None else choice.model_copy(update={"image_id": instead[choice.image_id]})
        for choice in question.choices
    )
    return replace(question, pictures=pictures, choices=choices)

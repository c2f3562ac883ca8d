"""What an audit looks at: the items of a source with their ids and splits, their pictures, and what is unreadable."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from benchwright.records import Item, Source


class UnreadableRow(NamedTuple):
    """A row, file or picture that cannot be read: where it stands (`quiz.csv, row 7`), and the reason in words."""

    where: str
    reason: str


UNREADABLE_PICTURE = "unreadable_picture"


class AbsentPicture(NamedTuple):
    """A picture that cannot be seen: a stable code, such as `missing_picture` or `unreadable_picture`, and words."""

    reason: str
    detail: str


@dataclass(frozen=True)
class AuditedPicture:
    """A picture of the source that can be read.

    Args:
        image_id: SHA-256 of the file's bytes.
        file: File on this machine.
        name: Name by which the source calls it.
        width: Pixels, upright.
        height: Pixels, upright.
        media_type: Such as `image/jpeg`.
        size_bytes: Size of the file.
        source: What the source states about its origin; None where it states nothing.
    """

    image_id: str
    file: Path
    name: str
    width: int
    height: int
    media_type: str
    size_bytes: int
    source: Source | None = None


@dataclass(frozen=True)
class AuditedItem:
    """One question of the source.

    Args:
        item_id: Its own id in the source, unique there.
        item: The question as an item. Its `item_id` is a digest; `answer` and `refusal` are None where the source
            states no key. A picture that is missing or cannot be read has an id that stands for its name.
        split: Its split as the source names it; None where that states none.
        where: File and row, such as `test.json, row 7`.
        missing: Names of its pictures that are not there or cannot be read.
        names: Names of its pictures as the source gives them, in the order of `item.images`; empty for a release.
    """

    item_id: str
    item: Item
    split: str | None
    where: str
    missing: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def has_key(self) -> bool:
        """Return whether the source states which option is right."""
        return self.item.right_key is not None


@dataclass(frozen=True)
class AuditedItems:
    """Everything that an audit looks at.

    Args:
        source: File or folder of the source.
        items: Items in the order of the source.
        pictures: Readable pictures by id.
        unreadable: Rows and pictures that cannot be read.
        reading: Lines that say how the source was read: its files, and which column was taken for what.
        absent: Why a picture is not there, by the name that items give it.
    """

    source: Path
    items: tuple[AuditedItem, ...]
    pictures: Mapping[str, AuditedPicture]
    unreadable: tuple[UnreadableRow, ...] = ()
    reading: tuple[str, ...] = ()
    absent: Mapping[str, AbsentPicture] = field(default_factory=dict)

    @cached_property
    def by_id(self) -> Mapping[str, AuditedItem]:
        """Return the items by their own id."""
        return {audited.item_id: audited for audited in self.items}

    @cached_property
    def own_id(self) -> Mapping[str, str]:
        """Return the own id of each item by the digest that `Item.item_id` is."""
        return {audited.item.item_id: audited.item_id for audited in self.items}

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {audited.item_id: place for place, audited in enumerate(self.items)}

    def place(self, item_id: str) -> int:
        """Return the place of an item in the source, from 0."""
        return self._places[item_id]

    def in_order(self, items: Iterable[str]) -> tuple[str, ...]:
        """Return own ids in the order of the source, each once."""
        return tuple(sorted(set(items), key=self._places.__getitem__))

    @cached_property
    def items_of_picture(self) -> Mapping[str, tuple[str, ...]]:
        """Return for each readable picture the own ids of the items that show it, in order."""
        shown: defaultdict[str, list[str]] = defaultdict(list)
        for audited in self.items:
            for image_id in dict.fromkeys(image.image_id for image in audited.item.images):
                if image_id in self.pictures:
                    shown[image_id].append(audited.item_id)
        return {image_id: tuple(ids) for image_id, ids in shown.items()}

    @cached_property
    def keyed(self) -> tuple[AuditedItem, ...]:
        """Return the items whose key is known."""
        return tuple(audited for audited in self.items if audited.has_key)

    @cached_property
    def splits(self) -> Mapping[str, str]:
        """Return the split of each item by own id, of those of which one is stated."""
        return {audited.item_id: audited.split for audited in self.items if audited.split is not None}

"""Question files outside any run, as items with their pictures.

A room provides the reader as an entry of `item_readers`; commands that inspect items without a run call it here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from benchwright.errors import DataError
from benchwright.records import Item
from benchwright.rooms import find

from .refusals import RefusedRow

READER = "questions"
"""Name of the reader of tables, JSON and Parquet files."""

Columns = Mapping[str, str | int | list[str]]
"""Columns by field, such as `{"question": "ask", "options": ["o1", "o2"]}`, if their names are not recognized."""


class ItemFiles(NamedTuple):
    """A source of question files.

    Args:
        path: File, archive, or folder that contains such files.
        pictures: Folder of the pictures, if separate; None for the folder of the questions.
        columns: Columns by field, if their names are not recognized.
    """

    path: Path
    pictures: Path | None = None
    columns: Columns = MappingProxyType({})


class PicturePlace(NamedTuple):
    """The location of a picture's file.

    Args:
        name: Path as the source names it.
        modified_s: Time of the last change, in seconds since 1970; None if unknown.
    """

    name: str
    modified_s: float | None = None


class SourceItem(NamedTuple):
    """An item from any source, with the files of its pictures by image id.

    Args:
        item: The item.
        files: Bytes of the pictures' files, without missing ones; measures then use only the text.
        own_id: Id of the question in its file; None for items of a release or workspace.
        places: Locations of the pictures' files, by image id; empty for a release or workspace, which identify pictures
            by their bytes.
    """

    item: Item
    files: Mapping[str, bytes]
    own_id: str | None = None
    places: Mapping[str, PicturePlace] = {}

    @property
    def has_pictures(self) -> bool:
        """Return whether all pictures of the item are present."""
        return all(image.image_id in self.files for image in self.item.images)


def items_in_files(source: ItemFiles) -> Iterator[SourceItem | RefusedRow]:
    """Yield the items of question files, and the refused rows, in the order of the files.

    A question with a missing picture is also an item; that picture has no bytes.

    Raises:
        DataError: The source has no question file, or one cannot be read at all.
    """
    read: Iterator[SourceItem | RefusedRow] = find("item_readers", READER).load()(source)
    yield from read


def stated_columns(settings: Sequence[str]) -> dict[str, str | int | list[str]]:
    """Return columns by field from settings such as `question=ask` or `options=o1,o2,o3`.

    Raises:
        DataError: A setting has another form.
    """
    stated: dict[str, str | int | list[str]] = {}
    for setting in settings:
        field, equals, column = setting.partition("=")
        if not equals:
            raise DataError(f"--column {setting!r}: write FIELD=COLUMN, such as question=ask")
        stated[field.strip()] = [name.strip() for name in column.split(",")] if "," in column else column.strip()
    return stated

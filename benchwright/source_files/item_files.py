"""Files of questions that no run has taken in, as items with their pictures.

A room brings the reader, as an entry of `item_readers`; commands that look at items without a run call it here.
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
"""Columns by field, such as `{"question": "ask", "options": ["o1", "o2"]}`, where their names do not tell."""


class ItemFiles(NamedTuple):
    """Files of questions.

    Args:
        path: File, archive, or folder that holds such files.
        pictures: Folder of the pictures where they lie elsewhere; None for the folder of the questions.
        columns: Columns by field where their names do not tell.
    """

    path: Path
    pictures: Path | None = None
    columns: Columns = MappingProxyType({})


class PicturePlace(NamedTuple):
    """Where the file of a picture lies.

    Args:
        name: Path as the source names it.
        modified_s: When it was changed, in seconds since 1970; None where that is not known.
    """

    name: str
    modified_s: float | None = None


class SourceItem(NamedTuple):
    """An item with the files of its pictures, by image id, wherever it comes from.

    Args:
        item: The item.
        files: Bytes of the pictures' files; pictures that are not there are left out, and then words alone are
            measured.
        own_id: Id of the question in a file of questions; None for items of a release or workspace.
        places: Where the files of pictures lie, by image id; none for a release or workspace, which name pictures by
            their bytes.
    """

    item: Item
    files: Mapping[str, bytes]
    own_id: str | None = None
    places: Mapping[str, PicturePlace] = {}

    @property
    def has_pictures(self) -> bool:
        """Return whether all pictures are there."""
        return all(image.image_id in self.files for image in self.item.images)


def items_in_files(source: ItemFiles) -> Iterator[SourceItem | RefusedRow]:
    """Yield the items of files of questions, and the rows that are none, in the order of the files.

    A question whose picture is not there is an item too; its picture has no bytes.

    Raises:
        DataError: There is no file of questions, or one cannot be read as a whole.
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

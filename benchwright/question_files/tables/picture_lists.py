"""The list of pictures in a JSON document, to which other entries refer by id, as in COCO."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.regions.formats.streamed_json import JsonLists
from benchwright.source_files.picture_names import is_picture_name
from benchwright.source_files.refusals import AMBIGUOUS_PICTURE, MISSING_PICTURE
from benchwright.source_files.rows import BadRow

from ..mapping.columns import FIELDS, own_picture

LISTS = frozenset({"images", "imgs", "pictures", "photos", "image_info", "image_infos"})
"""Names of lists of pictures."""
_IDS = ("id", "image_id", "img_id", "imageid", "picture_id")
_REFERENCES = ("image_ids", "image_id", "img_ids", "img_id", "imageid", "picture_id")
_MAY_REFER = ("image", "images")
"""Columns in which an entry refers to pictures of such a list, and those in which it may refer to them."""
_FILE_COLUMNS = tuple(name for name in FIELDS["image"] if name not in _IDS)
_LIST_OF_PICTURES = re.compile(rb'"(?:%s)"\s*:\s*[\[{]\s*["{]' % "|".join(sorted(LISTS)).encode())
_CHUNK_BYTES = 1 << 20
_LONGEST_NAME = 256
_NO_PICTURES = frozenset((*FIELDS["question"], *FIELDS["options"], *FIELDS["answer"])) - {"label", "text"}
"""Columns that a table of pictures does not have."""
_MOST = 5_000_000
"""Largest number of pictures in one list."""


class PictureList(NamedTuple):
    """The pictures of a document's list.

    Args:
        names: Name of each picture's file by its id; None for an id of several pictures.
        where: Location of the list, as text.
    """

    names: Mapping[str, str | None]
    where: str = "the document's list of pictures"

    def referred(self, entry: Mapping[str, Any]) -> tuple[str, list[str]] | None:
        """Return the column in which an entry refers to pictures of the list, and their files; None if there is none.

        Raises:
            BadRow: An id denotes no picture or several pictures of the list.
        """
        if not self.names or own_picture(entry) is not None:
            return None
        column = reference_in(entry)
        if column is None:
            # A name without a suffix may occur in place of an id.
            column = next(
                (n for n in _MAY_REFER if (own := _ids(entry.get(n))) and self.names.keys() >= set(own)), None
            )
        return None if column is None else (column, [self._file(own) for own in _ids(entry[column])])

    def _file(self, own: str) -> str:
        if own not in self.names:
            raise BadRow(f"no entry of {self.where} has the id {own[:80]!r}", MISSING_PICTURE)
        if (file := self.names[own]) is None:
            raise BadRow(f"several entries of {self.where} have the id {own[:80]!r}", AMBIGUOUS_PICTURE)
        return file


def reference_in(entry: Mapping[str, Any]) -> str | None:
    """Return the column in which an entry refers to pictures by id; None if there is none or the entry names a file."""
    if own_picture(entry) is not None or any(_is_own(value) for name, value in entry.items() if _holds(name)):
        return None
    return next((name for name in _REFERENCES if _ids(entry.get(name))), None)


def _holds(name: str) -> bool:
    return name.strip().lower() in _FILE_COLUMNS


def _is_own(value: Any) -> bool:
    """Return whether a cell contains a picture or a name rather than a number or nothing."""
    values = value if isinstance(value, list) else [value]
    return any(not isinstance(v, int) and v not in (None, "") and not str(v).isdecimal() for v in values)


def references(entry: Mapping[str, Any]) -> list[str]:
    """Return the ids by which an entry refers to pictures; empty if there are none, or if the entry names a file."""
    column = reference_in(entry)
    return [] if column is None else _ids(entry[column])


def has_list_of_pictures(place: Path) -> bool:
    """Return whether a document may have a list of pictures, which requires reading all of it."""
    with place.open("rb") as handle:
        rest = b""
        while chunk := handle.read(_CHUNK_BYTES):
            if _LIST_OF_PICTURES.search(rest + chunk):
                return True
            rest = chunk[-_LONGEST_NAME:]
    return False


def pictures_in_table(rows: Iterable[Mapping[str, Any]], *, is_of_pictures: bool) -> PictureList:
    """Return the pictures of a table that has one picture and its id per row; empty for any other table.

    Args:
        rows: The rows.
        is_of_pictures: Whether the table's name indicates that its rows are pictures, so that `id` is that of a
            picture.
    """
    names: dict[str, str | None] = {}
    for row in islice(rows, _MOST):
        columns = {name.strip().lower(): value for name, value in row.items()}
        own = next((columns[name] for name in _IDS[0 if is_of_pictures else 1 :] if _ids(columns.get(name))), None)
        file = _named(columns)
        if own is None or file is None or not _NO_PICTURES.isdisjoint(columns):
            return PictureList({})
        _add(names, str(own), file)
    return PictureList(names)


def listed_pictures(lists: JsonLists) -> PictureList:
    """Return the list of pictures in a document, wherever the list is; empty if there is none."""
    names: dict[str, str | None] = {}
    for key, _, _, element in lists.elements():
        if key not in LISTS or not isinstance(element, Mapping):
            continue
        # A mapping from id to picture is one element, a list has one for each picture.
        entries = [(own, file) for own, value in element.items() if (file := _named(value)) is not None]
        own = next((element[name] for name in _IDS if _ids(element.get(name))), None)
        if own is not None and (file := _named(element)) is not None:
            entries = [(own, file)]
        elif len(entries) != len(element):
            continue
        for identity, file in entries:
            _add(names, str(identity), file)
        if len(names) > _MOST:
            break
    return PictureList(names)


def _add(names: dict[str, str | None], own: str, file: str) -> None:
    if names.setdefault(own, file) != file:
        names[own] = None


def _named(value: Any) -> str | None:
    """Return the name of the file that an entry of a list of pictures states."""
    if isinstance(value, Mapping):
        return next((value[name] for name in _FILE_COLUMNS if is_picture_name(value.get(name))), None)
    return value if is_picture_name(value) else None


def _ids(value: Any) -> list[str]:
    """Return the ids in a cell, which contains one id or a list of ids; empty for other content."""
    values = value if isinstance(value, list) else [value]
    are_ids = values and all(isinstance(own, str | int) and not isinstance(own, bool) and str(own) for own in values)
    return [str(own) for own in values] if are_ids and not any(map(is_picture_name, values)) else []

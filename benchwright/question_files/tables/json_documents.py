"""Rows of a `.json` file of any shape, with at most one entry in memory.

| shape                                     | rows                                                                |
|-------------------------------------------|---------------------------------------------------------------------|
| a list                                    | its entries; tasks of Label Studio are read by `label_studio`, rows |
|                                           | without names, and pairs of a picture and an object, by `positions` |
| JSON lines named `.json`                  | the lines (MVP-Bench)                                               |
| an object with `questions` with numbers   | VQAv2, with the answers in the file next to it (`vqa`)              |
| an object of lists                        | the entries of each list; a list called `val` gives the split, and  |
|                                           | one of `images` the files that others name by id (COCO)             |
| an object of objects                      | each of these, its key as `id` (GQA)                                |
| an object of columns                      | the value of each column at an index or position, as pandas writes  |
|                                           | with `to_json` or `to_dict("list")`                                 |
| an object of texts or numbers             | `id` and `answer` (BLINK's `val_answers.json`)                      |
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import Any

from benchwright.errors import DataError
from benchwright.files.bounded_json import bounded_json, plain_value
from benchwright.files.bounds import ROW_BYTES
from benchwright.files.tables import JSON_ENDS
from benchwright.regions.formats.streamed_json import JsonLists
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import RefusedRow
from benchwright.source_files.rows import BadRow, Reshaped, Row, json_document, json_list, table_rows

from ..layouts.positions import is_pictured, is_positional, pictured_rows, positional_rows
from ..layouts.registry import is_laid_out
from ..mapping.columns import FIELDS, REPLY_FIELDS, guessed_columns, is_known_column
from ..mapping.configs import split_of
from .joined_files import JoinedFile
from .label_studio import is_task, task_rows
from .picture_lists import PictureList, has_list_of_pictures, listed_pictures
from .vqa import is_vqa, vqa_rows

_HEAD = 1 << 20
_FORM = "the names of the file's entries and lists"
_COLUMN = re.compile(rb'\{\s*"((?:[^"\\]|\\.){1,80})"\s*:\s*(?:\{\s*"[^"]{0,80}"\s*:|\[)\s*[^\s{]')
"""The beginning of an object of columns: the first name, and a value other than an object, by index or position."""
_LOOKED_AT = 64
"""Number of rows from which the meaning of each position is inferred in rows without names."""
_MOST_PAIRS = 2_000_000
"""Largest number of ids with answers in a file that contains only such pairs."""
_TELLING = frozenset((*FIELDS["question"], *FIELDS["answer"], *REPLY_FIELDS["reply"]))


def json_document_rows(
    files: DatasetFiles, path: str, joined: list[JoinedFile] | None = None
) -> Iterator[Row | RefusedRow]:
    """Yield the rows of a JSON file.

    Args:
        files: The folder.
        path: Path of the file.
        joined: List that receives the files whose keys are joined to the rows.

    Raises:
        DataError: The file is not JSON, or is truncated.
    """
    with files.opened(path) as handle:
        head = handle.read(_HEAD).removeprefix(b"\xef\xbb\xbf").lstrip()
        is_whole = not handle.read(1)
    if head.startswith(b"["):
        entries = json_list(files, path)
        first = next(entries, None)
        if first is not None and is_task(first.document):
            yield from task_rows(files, path)
        elif first is not None and is_positional(first.document):
            yield from positional_rows(path, [first, *islice(entries, _LOOKED_AT)], entries)
        elif first is not None and is_pictured(first.document):
            yield from pictured_rows(chain([first], entries))
        elif first is not None:
            yield first
            yield from entries
    elif is_whole and (entry := _entry_in(head)) is not None:
        yield Row("entry 1", entry)
    elif (columns := _columns_in(files, path, head)) is not None:
        yield from _rows_by_columns(columns)
    elif _is_lines(head):
        yield from table_rows(files, path, end=JSON_ENDS[0], usual_line_bytes=ROW_BYTES.usual)
    else:
        with files.as_path(path) as place:
            try:
                lists = JsonLists(place)
                if is_vqa(lists):
                    yield from vqa_rows(files, path, lists, joined)
                else:
                    yield from _object_rows(path, place, lists)
            except DataError as error:
                raise DataError(str(error).replace(str(place), files.shown(path))) from None


def _entry_in(text: bytes) -> Mapping[str, Any] | None:
    """Return the single entry of a small document with a layout; None for another document."""
    try:
        document = bounded_json(text)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, Mapping) and is_laid_out(document) else None


def _columns_in(files: DatasetFiles, path: str, head: bytes) -> dict[str, dict[str, Any]] | None:
    """Return the values of each column by index, if a document is an object of columns; otherwise None.

    Such a document is read as a whole, because the first row ends near its end, and must therefore be within the limits
    for files read as a whole.
    """
    start = _COLUMN.match(head)
    if start is None or not is_known_column(start[1].decode("utf-8", "replace")):
        return None
    try:
        read = json_document(files, path)
    except DataError:
        return None
    document = read.document if isinstance(read, Row) else None
    if not isinstance(document, Mapping) or not guessed_columns(list(document)).has_questions:
        return None
    by_index = {name: _by_index(values) for name, values in document.items()}
    columns = {name: values for name, values in by_index.items() if values is not None}
    first = next(iter(columns.values()), {})
    is_whole = len(columns) == len(document) and all(values.keys() == first.keys() for values in columns.values())
    return columns if is_whole and first else None


def _by_index(values: Any) -> dict[str, Any] | None:
    """Return the values of a column by index; None if it is not a column."""
    if isinstance(values, Mapping):
        return dict(values)
    return {str(place): value for place, value in enumerate(values)} if isinstance(values, list) else None


def _rows_by_columns(columns: Mapping[str, Mapping[str, Any]]) -> Iterator[Row]:
    for index in next(iter(columns.values())):
        document = {name: values[index] for name, values in columns.items()}
        yield Row(f"entry {index}", document)


def _is_lines(head: bytes) -> bool:
    """Return whether a file has an object in its first line and further objects in later lines."""
    line, _, rest = head.partition(b"\n")
    try:
        first = json.loads(line)
    except (ValueError, RecursionError):
        return False
    is_row = isinstance(first, dict) and _tells(first)
    return is_row and (rest.lstrip().startswith(b"{") or not isinstance(first.get("questions"), list))


def _object_rows(path: str, place: Path, lists: JsonLists) -> Iterator[Row | RefusedRow]:
    """Yield the rows of an object: from its lists, from objects by id, or else from each key and its value."""
    pairs: dict[str, Any] = {}
    pictures = listed_pictures(lists) if has_list_of_pictures(place) else PictureList({})
    is_other = False
    key, number, is_list = None, 0, False
    with place.open("rb") as handle:
        are_alike = _are_alike(handle, lists)
        for name, offset, _, stated in lists.elements():
            element = plain_value(stated)
            if name != key:
                key, number, is_list = name, 0, _stands_in_list(handle, offset)
            number += 1
            if isinstance(element, Mapping):
                is_other = True
                if _tells(element) or (not is_list and are_alike):
                    split = split_of(name)
                    beside = {"split": split} if is_list and split else {} if is_list else {"id": name}
                    entry = f"{name} {number}" if is_list else f"entry {name}"
                    try:
                        found = pictures.referred(element)
                    except BadRow as error:
                        own = element.get("question_id", element.get("id"))
                        source_id = str(own) if isinstance(own, str | int) else None
                        yield RefusedRow(path, entry, error.reason, str(error), source_id=source_id)
                        continue
                    shown = {} if found is None else {"image": found[1]}
                    step = Reshaped(_FORM, frozenset() if found is None else frozenset({found[0]}), element)
                    yield Row(entry, {**beside, **element, **shown}, made=(step,) if beside or shown else ())
            elif is_list or not isinstance(element, str | int | float) or len(pairs) == _MOST_PAIRS:
                is_other = True
            else:
                pairs[name] = element
    if not is_other:
        for name, value in pairs.items():
            yield Row(f"entry {name}", {"id": name, "answer": value})


def _tells(entry: Mapping[str, Any]) -> bool:
    """Return whether an entry may contain a question, a key or a reply, judged by its columns or its layout."""
    return any(str(name).lower() in _TELLING for name in entry) or is_laid_out(entry)


def _are_alike(handle: Any, lists: JsonLists) -> bool:
    """Return whether an object's first values are objects with the same keys: entries by id, whatever their content."""
    first = list(islice(lists.elements(), 3))
    names = [set(element) if isinstance(element, Mapping) else set() for _, _, _, element in first]
    are_values = not any(_stands_in_list(handle, offset) for _, offset, _, _ in first)
    return are_values and len(first) > 1 and bool(set.intersection(*names))


def _stands_in_list(handle: Any, offset: int) -> bool:
    """Return whether an element belongs to a list rather than being the value of a key in an object."""
    start = max(0, offset - 256)
    handle.seek(start)
    return not handle.read(offset - start).rstrip().endswith(b":")

"""Rows of a `.json` file, whatever its shape; no more than one entry is held in memory.

| shape                                     | rows                                                                |
|-------------------------------------------|---------------------------------------------------------------------|
| a list                                    | its entries; tasks of Label Studio are read by `label_studio`       |
| JSON lines that are called `.json`        | the lines (MVP-Bench)                                               |
| an object with `questions` with numbers   | VQAv2, with the answers of the file beside it (`vqa`)               |
| an object of lists                        | the entries of each list; a list called `val` tells the split, and  |
|                                           | one of `images` the files that others name by number (COCO)         |
| an object of objects                      | each of these, its key as `id` (GQA)                                |
| an object of texts or numbers             | `id` and `answer` (BLINK's `val_answers.json`)                      |
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchwright.errors import DataError
from benchwright.files.bounds import ROW_BYTES
from benchwright.files.tables import JSON_ENDS
from benchwright.regions.formats.streamed_json import JsonLists
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import RefusedRow
from benchwright.source_files.rows import Row, json_list, table_rows

from .columns import FIELDS, REPLY_FIELDS, own_picture
from .configs import split_of
from .label_studio import is_task, task_rows
from .vqa import is_vqa, vqa_rows

_HEAD = 1 << 20
_MOST_PAIRS = 2_000_000
"""Most ids with answers of a file that holds nothing else."""
_TELLING = frozenset((*FIELDS["question"], *FIELDS["answer"], *REPLY_FIELDS["reply"]))


def json_document_rows(files: DatasetFiles, path: str) -> Iterator[Row | RefusedRow]:
    """Yield the rows of a JSON file.

    Raises:
        DataError: The file is no JSON, or is cut off.
    """
    with files.opened(path) as handle:
        head = handle.read(_HEAD).removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"["):
        entries = json_list(files, path)
        first = next(entries, None)
        if first is not None and is_task(first.document):
            yield from task_rows(files, path)
        elif first is not None:
            yield first
            yield from entries
    elif _is_lines(head):
        yield from table_rows(files, path, end=JSON_ENDS[0], usual_line_bytes=ROW_BYTES.usual)
    else:
        with files.as_path(path) as place:
            try:
                lists = JsonLists(place)
                if is_vqa(lists):
                    yield from vqa_rows(files, path, lists)
                else:
                    yield from _object_rows(place, lists)
            except DataError as error:
                raise DataError(str(error).replace(str(place), files.shown(path))) from None


def _is_lines(head: bytes) -> bool:
    """Return whether a file holds an object in its first line, and others in the lines after it."""
    line, _, rest = head.partition(b"\n")
    try:
        first = json.loads(line)
    except (ValueError, RecursionError):
        return False
    is_row = isinstance(first, dict) and any(name.lower() in _TELLING for name in first)
    return is_row and (rest.lstrip().startswith(b"{") or not isinstance(first.get("questions"), list))


def _object_rows(place: Path, lists: JsonLists) -> Iterator[Row]:
    """Yield the rows of an object: of its lists, of objects by id, else each key with its value."""
    pairs: dict[str, Any] = {}
    pictures: dict[Any, str] = {}
    is_other = False
    key, number, is_list = None, 0, False
    with place.open("rb") as handle:
        for name, offset, _, element in lists.elements():
            if name != key:
                key, number, is_list = name, 0, _stands_in_list(handle, offset)
            number += 1
            if isinstance(element, Mapping):
                is_other = True
                if name == "images" and isinstance(file_name := element.get("file_name"), str):
                    pictures[str(element.get("id"))] = file_name
                if any(str(column).lower() in _TELLING for column in element):
                    split = split_of(name)
                    beside = {"split": split} if is_list and split else {} if is_list else {"id": name}
                    entry = f"{name} {number}" if is_list else f"entry {name}"
                    yield Row(entry, {**beside, **element, **_named_pictures(element, pictures)})
            elif is_list or not isinstance(element, str | int | float) or len(pairs) == _MOST_PAIRS:
                is_other = True
            else:
                pairs[name] = element
    if not is_other:
        for name, value in pairs.items():
            yield Row(f"entry {name}", {"id": name, "answer": value})


def _named_pictures(element: Mapping[str, Any], pictures: Mapping[str, str]) -> dict[str, Any]:
    """Return the column `image` of an entry that names pictures of the list `images` by number, as COCO does."""
    numbers = element.get("image_ids", element.get("image_id"))
    listed = numbers if isinstance(numbers, list) else [numbers]
    if not pictures or own_picture(element) is not None or not all(str(number) in pictures for number in listed):
        return {}
    return {"image": [pictures[str(number)] for number in listed]}


def _stands_in_list(handle: Any, offset: int) -> bool:
    """Return whether an element is one of a list, and not the value of a key itself."""
    start = max(0, offset - 256)
    handle.seek(start)
    return not handle.read(offset - start).rstrip().endswith(b":")

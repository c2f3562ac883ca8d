"""Keys, splits and pictures in a second file, joined to the questions by their ids.

| next to the questions                                                    | benchmarks                           |
|--------------------------------------------------------------------------|--------------------------------------|
| rows with an id and a key, without questions, in any kind of file        | AMBER (`annotations.json`)           |
| an object from id to key, or to an object with a key                     | MMMU (`answer_dict_val.json`), BLINK |
| an object from split to a list of ids                                    | ScienceQA (`pid_splits.json`)        |
| pictures by id: `images.csv`, or the list `images` of a JSON document    | COCO                                 |

A file is used if it has the ids of most sampled questions. Among several files with different keys, the one with the
questions' name takes precedence; if none has it, the question has no key, and the row states this.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, islice
from typing import Any
from weakref import WeakKeyDictionary

from benchwright.errors import BenchwrightError
from benchwright.regions.formats.streamed_json import JsonLists
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import RefusedRow
from benchwright.source_files.rows import BadRow, Reshaped, Row

from ..mapping.columns import ColumnMapping, guessed_columns
from ..mapping.configs import split_of
from .joined_files import KEYS_DIFFER, JoinedFile
from .picture_lists import PictureList, has_list_of_pictures, listed_pictures, pictures_in_table, references

_NAMED = 3
"""Largest number of files that are named as the origin of a key."""
_LOOKED_AT = 64
_MOST_FILES = 40
"""Largest number of files that are searched for keys."""
_MOST_PATHS = 20_000
"""Largest number of files in a folder that is searched for files near the questions."""
_MOST_KEYS = 2_000_000
_SHARE = 0.5
"""Smallest proportion of sampled questions whose ids a key file must contain."""
_OF_PICTURES = re.compile(r"images?|imgs?|pictures?|photos?|coco", re.I)
"""Names of files whose rows describe pictures."""
_HEAD_BYTES = 4096
_OWN_WORD = re.compile(
    r"(?:questions?|quer(?:y|ies)|problems?|answers?|annotations?|anno|keys?|labels?|gt|truth|dict)", re.I
)

Read = Callable[[str], Iterator[Row | RefusedRow]]


@dataclass
class _Beside:
    """The information that files next to the questions state about them, by id."""

    keys: dict[str, dict[str, Any]] = field(default_factory=dict)
    splits: dict[str, str] = field(default_factory=dict)
    files: list[JoinedFile] = field(default_factory=list)


@dataclass
class _Folder:
    """Known facts about a folder of questions: files that may contain keys, and those that contain none."""

    paths: list[str]
    no_keys: set[str] = field(default_factory=set)
    no_splits: set[str] = field(default_factory=set)
    no_pictures: set[str] = field(default_factory=set)


_FOLDERS: WeakKeyDictionary[DatasetFiles, _Folder] = WeakKeyDictionary()
"""Folders, each of which is searched once, whatever its number of question files without keys."""


def _folder(files: DatasetFiles, among: Sequence[str]) -> _Folder:
    if files not in _FOLDERS:
        _FOLDERS[files] = _Folder(list(islice(files.walk(suffixes=among), _MOST_PATHS)))
    return _FOLDERS[files]


def joined_rows(
    files: DatasetFiles,
    path: str,
    rows: Iterator[Row | RefusedRow],
    read: Read,
    *,
    among: Sequence[str],
    joined: list[JoinedFile] | None = None,
) -> Iterator[Row | RefusedRow]:
    """Yield the rows of a question file with the keys and splits in files next to it.

    Rows that already have keys, and files without questions, are unchanged.

    Args:
        files: The folder.
        path: Path of the question file.
        rows: The file's rows.
        read: Function that yields the rows of another file.
        among: Suffixes of files that may contain keys.
        joined: List that receives the files whose rows are joined.
    """
    head = list(islice(rows, _LOOKED_AT))
    documents = [row.document for row in head if isinstance(row, Row)]
    columns = guessed_columns(list(dict.fromkeys(str(name) for document in documents for name in document)))
    identity = columns.column("id")
    lacks_key = not _has(documents, columns, "answer")
    lacks_split = columns.column("split") is None and bool(columns.options or columns.column("options"))
    rows = _with_pictures(files, path, chain(head, rows), documents, read, among, joined)
    is_alone = columns.column("question") is None or identity is None
    if is_alone or not (lacks_key or lacks_split):
        yield from rows
        return
    assert identity is not None
    ids = {str(document[identity]) for document in documents if document.get(identity) is not None}
    beside = _found_beside(files, path, ids, read, among, lacks_key=lacks_key)
    if joined is not None:
        joined += beside.files
    several = _of_several(read, path, identity) if beside.keys else frozenset()
    by = f"a look-up by id in {', '.join([file.path for file in beside.files][:_NAMED])}"
    for row in rows:
        if isinstance(row, RefusedRow) or not (beside.keys or beside.splits):
            yield row
            continue
        own = str(row.document.get(identity))
        key = beside.keys.get(own, {})
        if key and own in several:
            key = {"answer": None, KEYS_DIFFER: "several questions have its id, but one key"}
        told = {name: value for name, value in key.items() if row.document.get(name) is None}
        if own in beside.splits and lacks_split:
            told["split"] = beside.splits[own]
        step = Reshaped(by, frozenset({identity}), row.document)
        yield row._replace(document={**row.document, **told}, made=(*row.made, step) if told else row.made)


def _with_pictures(
    files: DatasetFiles,
    path: str,
    rows: Iterator[Row | RefusedRow],
    head: Sequence[Mapping[str, Any]],
    read: Read,
    among: Sequence[str],
    joined: list[JoinedFile] | None,
) -> Iterator[Row | RefusedRow]:
    """Yield rows that name pictures by id, with the files that a table next to them gives for these ids."""
    ids = {own for document in head for own in references(document)}
    pictures = _pictures_beside(files, path, ids, read, among, joined) if ids else None
    for row in rows:
        if pictures is None or isinstance(row, RefusedRow):
            yield row
            continue
        try:
            found = pictures.referred(row.document)
        except BadRow as error:
            yield RefusedRow(path, row.entry, error.reason, str(error), position=row.position)
            continue
        if found is not None:
            step = Reshaped(f"a look-up by id in {pictures.where}", frozenset({found[0]}), row.document)
            yield row._replace(document={**row.document, "image": found[1]}, made=(*row.made, step))
        else:
            yield row


def _pictures_beside(
    files: DatasetFiles,
    path: str,
    ids: set[str],
    read: Read,
    among: Sequence[str],
    joined: list[JoinedFile] | None,
) -> PictureList | None:
    """Return the pictures by id from files next to the questions; None if no file contains most of the ids."""
    names: dict[str, str | None] = {}
    found = []
    folder = _folder(files, among)
    for other in _near(folder, path):
        if other in folder.no_pictures:
            continue
        try:
            listed = _pictures_of(files, read, other)
        except (BenchwrightError, OSError):
            continue  # the search through all files reports unreadable ones
        if not listed.names:
            folder.no_pictures.add(other)
        elif len(ids & listed.names.keys()) >= _SHARE * len(ids):
            found.append(other)
            for own, file in listed.names.items():
                names[own] = file if names.get(own, file) == file else None
    if joined is not None:
        joined += [JoinedFile(other, path, "pictures") for other in found]
    return PictureList(names, " and ".join(found[:_NAMED])) if found else None


def _pictures_of(files: DatasetFiles, read: Read, path: str) -> PictureList:
    """Return the pictures by id in a file: a table of them, or the list of a JSON document."""
    if path.lower().endswith((".json", ".json.gz")):
        with files.as_path(path) as place, place.open("rb") as handle:
            is_object = handle.read(_HEAD_BYTES).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")
            if is_object and has_list_of_pictures(place):
                return listed_pictures(JsonLists(place))
    rows = (row.document for row in read(path) if isinstance(row, Row))
    return pictures_in_table(rows, is_of_pictures=_OF_PICTURES.search(path.rpartition("/")[2]) is not None)


def _of_several(read: Read, path: str, identity: str) -> frozenset[str]:
    """Return the ids that several questions in a file share, for which a key is ambiguous."""
    known: dict[str, int] = {}
    several = set()
    for row in read(path):
        if isinstance(row, Row) and row.document.get(identity) is not None:
            own = str(row.document[identity])
            content = hash(repr([(n, v) for n, v in row.document.items() if isinstance(v, str | int | float | list)]))
            if known.setdefault(own, content) != content:
                several.add(own)
    return frozenset(several)


def _has(documents: Sequence[Mapping[str, Any]], columns: ColumnMapping, name: str) -> bool:
    column = columns.column(name)
    return column is not None and any(document.get(column) not in (None, "") for document in documents)


def _found_beside(
    files: DatasetFiles, path: str, ids: set[str], read: Read, among: Sequence[str], *, lacks_key: bool
) -> _Beside:
    beside = _Beside()
    if not ids:
        return beside
    fitting: list[tuple[str, dict[str, dict[str, Any]]]] = []
    folder = _folder(files, among)
    for other in _near(folder, path):
        try:
            if other not in folder.no_splits and (splits := _splits(files, other)):
                if len(ids & splits.keys()) >= _SHARE * len(ids):
                    beside.splits |= splits
                    beside.files.append(JoinedFile(other, path, "splits"))
                continue
            folder.no_splits.add(other)
            if lacks_key and (keys := _keys(folder, read, other, ids)):
                fitting.append((other, keys))
        except (BenchwrightError, OSError):
            continue  # the search through all files reports unreadable ones
    own = [pair for pair in fitting if _bare(pair[0]) == _bare(path)]
    for other, keys in own or fitting:
        beside.files.append(JoinedFile(other, path, "keys"))
        for identity, told in keys.items():
            known = beside.keys.setdefault(identity, told)
            if known is not told and known.get("answer") != told.get("answer"):
                beside.keys[identity] = {
                    "answer": None,
                    KEYS_DIFFER: f"{beside.files[0].path} and {other} state different keys",
                }
    return beside


def _near(folder: _Folder, path: str) -> list[str]:
    """Return the files in the folder of the questions, above it and in adjacent folders, nearest first."""
    own = path.rpartition("/")[0]
    upper = own.rpartition("/")[0]
    near = []
    for other in folder.paths:
        place = other.rpartition("/")[0]
        if other != path and (place in (own, upper) or place.rpartition("/")[0] in (own, upper)):
            near.append((place != own, other))
    return [other for _, other in sorted(near)[:_MOST_FILES]]


def _keys(folder: _Folder, read: Read, path: str, ids: set[str]) -> dict[str, dict[str, Any]]:
    """Return the contents of a key file, by id; empty if the file contains no keys or belongs to other questions."""
    if path in folder.no_keys:
        return {}
    rows = (row for row in read(path) if isinstance(row, Row))
    head = list(islice(rows, _LOOKED_AT))
    columns = guessed_columns(list(dict.fromkeys(str(name) for row in head for name in row.document)))
    identity, answer = columns.column("id"), columns.column("answer")
    if identity is None or answer is None or columns.column("question") is not None or columns.replies:
        folder.no_keys.add(path)
        return {}
    keys: dict[str, dict[str, Any]] = {}
    for row in islice(chain(head, rows), _MOST_KEYS):
        if row.document.get(identity) is not None:
            labels = {name: value for name, value in row.document.items() if name not in (identity, answer)}
            own, told = str(row.document[identity]), {**labels, "answer": row.document.get(answer)}
            if keys.setdefault(own, told)["answer"] != told["answer"]:
                keys[own] = {"answer": None, KEYS_DIFFER: f"{path} states different keys for its id"}
    return keys if len(ids & keys.keys()) >= _SHARE * len(ids) else {}


def _splits(files: DatasetFiles, path: str) -> dict[str, str]:
    """Return the split of each id from a file that lists ids by split; empty for another file."""
    if not path.lower().endswith(".json"):
        return {}
    splits: dict[str, str] = {}
    with files.opened(path) as handle:
        if not re.match(rb'\s*\{\s*"[^"]{1,40}"\s*:\s*\[\s*["\d]', handle.read(4096).removeprefix(b"\xef\xbb\xbf")):
            return {}
    with files.as_path(path) as place:
        for name, _, _, element in islice(JsonLists(place).elements(), _MOST_KEYS):
            if not isinstance(element, str | int):
                return {}
            split = split_of(name)
            # A named split takes precedence over a part of it, such as `minitrain`.
            if split is not None and (name.lower() == split or str(element) not in splits):
                splits[str(element)] = split
    return splits


@lru_cache(maxsize=1024)
def _bare(path: str) -> str:
    """Return a file's name without the words that distinguish questions from keys."""
    return re.sub(r"[^a-z0-9]+", "", _OWN_WORD.sub("", path.rpartition("/")[2].partition(".")[0].lower()))

"""WebDataset: TAR archives in which adjacent members with the same name up to the first dot are one sample.

A sample's `.json` contains the columns, its pictures are in the order of their extensions (`0.png`, `1.png`, ...), and
a text `question.txt` is the column `question`. The reader unpacks nothing, follows no link, and never uses a member's
name as a path.
"""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator, Mapping
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from benchwright.files.bounded_json import bounded_json
from benchwright.images.formats.walking import Limits
from benchwright.source_files.archives import opened_tar, tar_members
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.portable_pixmap import PICTURE_SUFFIXES
from benchwright.source_files.refusals import DAMAGED_ARCHIVE, RefusedRow
from benchwright.source_files.rows import BadRow, Row

_MAX_TEXT_BYTES = 16 << 20
_MOST_MEMBERS = 200
"""Largest number of members in a sample."""
_LOOKED_AT = 4
SAMPLE_PICTURES = "images"
"""Column with the pictures of a sample."""


def is_webdataset(path: Path) -> bool:
    """Return whether a TAR archive has samples: a `.json` and another member with the same name up to the first dot."""
    if path.suffix.lower() != ".tar":
        return False
    try:
        with opened_tar(path) as archive:
            names = [member.name for member in islice(tar_members(archive), _LOOKED_AT) if member.isfile()]
    except (tarfile.TarError, OSError, EOFError):
        return False
    stems = {_split_name(name)[0] for name in names if name.lower().endswith(".json")}
    return any(_split_name(name)[0] in stems and not name.lower().endswith(".json") for name in names)


def webdataset_rows(files: DatasetFiles, path: str, *, with_pictures: bool = True) -> Iterator[Row | RefusedRow]:
    """Yield the samples of an archive; if it ends early, a refusal follows the samples that could be read.

    Args:
        files: The folder.
        path: Path of the archive.
        with_pictures: Whether to read pictures; otherwise the samples have only their names.
    """
    number = 0
    with files.as_path(path) as place:
        try:
            with opened_tar(place) as archive:
                members = (member for member in tar_members(archive) if not member.isdir())
                for stem, group in groupby(members, key=lambda member: _split_name(member.name)[0]):
                    number += 1
                    entry = f"sample {stem[:200]!r}" if stem.isprintable() else f"sample {number}"
                    try:
                        yield Row(entry, _sample(archive, list(islice(group, _MOST_MEMBERS + 1)), with_pictures))
                    except BadRow as error:
                        yield RefusedRow(path, entry, error.reason, str(error))
        except (tarfile.TarError, EOFError, OSError) as error:
            detail = f"the archive cannot be read beyond sample {number}: {error}; fetch it again"
            yield RefusedRow(path, f"after sample {number}", DAMAGED_ARCHIVE, detail)


def _split_name(name: str) -> tuple[str, str]:
    """Return the folder and the name up to its first dot, and the part after that dot."""
    folder, slash, base = name.removeprefix("./").rpartition("/")
    stem, _, extension = base.partition(".")
    return f"{folder}{slash}{stem}", extension


def _sample(archive: tarfile.TarFile, members: list[tarfile.TarInfo], with_pictures: bool) -> dict[str, Any]:
    if len(members) > _MOST_MEMBERS:
        raise BadRow(f"more than {_MOST_MEMBERS} members have this name")
    document: dict[str, Any] = {}
    pictures: list[tuple[list[Any], dict[str, Any]]] = []
    for member in members:
        stem, extension = _split_name(member.name)
        low = extension.lower()
        if not member.isreg() or member.issparse():
            raise BadRow(f"the member {member.name[:200]!a} is a link or a device, not a file")
        if low == "json" or low.endswith(".json"):
            document |= _json(_read(archive, member, _MAX_TEXT_BYTES), member.name)
        elif f".{low.rpartition('.')[2]}" in PICTURE_SUFFIXES:
            picture: dict[str, Any] = {"path": f"{stem.rpartition('/')[2]}.{extension}"}
            if with_pictures:
                picture["bytes"] = _read(archive, member, Limits().max_bytes)
            pictures.append((_natural(low), picture))
        elif low == "txt" or low.endswith(".txt"):
            text = _read(archive, member, _MAX_TEXT_BYTES).decode("utf-8", "replace")
            document.setdefault(extension[:-4] or "text", text)
    if not document:
        raise BadRow("the sample has no `.json` and no `.txt` with a question")
    shown = [picture for _, picture in sorted(pictures, key=lambda entry: entry[0])]
    number = document.get("n_images")  # Benchwright's samples are padded to equally many pictures
    document = {"id": members[0].name and _split_name(members[0].name)[0], **document}
    return {**document, SAMPLE_PICTURES: shown[:number] if isinstance(number, int) and number >= 0 else shown}


def _read(archive: tarfile.TarFile, member: tarfile.TarInfo, most: int) -> bytes:
    if member.size > most:
        raise BadRow(f"the member {member.name[:200]!a} has {member.size:,} bytes; the limit is {most:,}")
    handle = archive.extractfile(member)
    assert handle is not None  # a regular file
    return handle.read(most)


def _json(data: bytes, name: str) -> Mapping[str, Any]:
    try:
        document = bounded_json(data)
    except (ValueError, RecursionError) as error:
        raise BadRow(f"{name[:200]!a} is not JSON: {error}") from None
    if not isinstance(document, Mapping):
        raise BadRow(f"{name[:200]!a} is a {type(document).__name__}, not columns with values")
    return document


def _natural(text: str) -> list[Any]:
    """Return a sort key that puts `2.png` before `10.png`."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", text) if part]

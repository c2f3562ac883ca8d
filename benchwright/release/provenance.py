"""Provenance: the operations that made the items, and where every picture comes from.

`provenance.json` is one JSON document that holds each entry on a line of its own, so that any program can
read it whole while ours reads and writes it line by line, with a million pictures as with ten.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from pydantic import ValidationError

from benchwright.canonical import canonical_json
from benchwright.errors import DataError
from benchwright.records import ImageRecord, Operation
from benchwright.release import documents
from benchwright.release.files import open_inside
from benchwright.release.manifest import PROVENANCE

FORMAT = "benchwright/provenance"
FORMAT_VERSION = 1
MAX_LINE_BYTES = 4 * 1024 * 1024

_HEAD = f'{{"format":"{FORMAT}","version":{FORMAT_VERSION},"entries":[\n'.encode()
_TAIL = b"]}\n"


def write_provenance(path: Path, operations: Iterable[Operation], images: Iterable[ImageRecord]) -> None:
    """Write operations, then images, in the order given."""
    with path.open("wb") as handle:
        handle.write(_HEAD)
        first = True
        for kind, records in (("operation", operations), ("image", images)):
            for record in records:
                handle.write(b"" if first else b",\n")
                handle.write(canonical_json({kind: record.model_dump(mode="json")}).encode())
                first = False
        handle.write(b"\n" + _TAIL)


def read_provenance(root: Path) -> Iterator[Operation | ImageRecord]:
    """Yield a release's operations, then its images.

    Raises:
        DataError: The file is missing, newer than this program, or not as `write_provenance` lays it out.
    """
    with open_inside(root, PROVENANCE) as handle:
        yield from _entries(handle)


def _entries(handle: BinaryIO) -> Iterator[Operation | ImageRecord]:
    head = handle.readline(MAX_LINE_BYTES)
    if head != _HEAD:
        document = documents.parse(head.rstrip(b"\n") + _TAIL, what=f"{PROVENANCE}, line 1")
        documents.stated(document, FORMAT, FORMAT_VERSION, what=PROVENANCE)
        raise DataError(f"{PROVENANCE}: line 1 is not as Benchwright writes it")
    number = 1
    while (line := handle.readline(MAX_LINE_BYTES)) != _TAIL:
        number += 1
        if not line.endswith(b"\n"):
            raise DataError(f"{PROVENANCE}: line {number} is cut off or longer than {MAX_LINE_BYTES} bytes")
        yield _entry(line, f"{PROVENANCE}, line {number}")
    if handle.read(1):
        raise DataError(f"{PROVENANCE}: goes on after its end")


def _entry(line: bytes, what: str) -> Operation | ImageRecord:
    value = documents.parse(line.rstrip(b"\n").removesuffix(b","), what=what)
    try:
        match value:
            case {"operation": operation}:
                return Operation.model_validate(operation)
            case {"image": image}:
                return ImageRecord.model_validate(image)
    except (ValidationError, RecursionError) as error:
        raise DataError(f"{what} is no operation and no image as this program knows them") from error
    raise DataError(f"{what} is neither an operation nor an image")

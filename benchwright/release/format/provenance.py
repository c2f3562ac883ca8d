"""The provenance of a release: the operations that made the items, and the source of every picture.

`provenance.json` is one JSON document with each entry on a separate line. Any program can read it whole. Benchwright
reads and writes it line by line, so that a million pictures need no more memory than ten.

This module also counts the source images by dataset and license.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Set
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pydantic import ValidationError

from benchwright.canonical import canonical_json
from benchwright.errors import DataError
from benchwright.records import ImageRecord, Operation
from benchwright.release.format import documents
from benchwright.release.format.files import open_inside
from benchwright.release.format.manifest import PROVENANCE


class SourceCount(NamedTuple):
    """Number of source images from one dataset under one license."""

    dataset: str | None
    licence: str | None
    images: int
    authors: int


class SourceTally:
    """Counter of source images by dataset and license, with the names of the distinct authors."""

    def __init__(self) -> None:
        self._images: Counter[tuple[str | None, str | None]] = Counter()
        self._authors: dict[tuple[str | None, str | None], set[str]] = {}

    def add(self, dataset: str | None, licence: str | None, author: str | None) -> None:
        """Count one image."""
        self._images[dataset, licence] += 1
        authors = self._authors.setdefault((dataset, licence), set())
        if author is not None:
            authors.add(author)

    def counts(self) -> list[SourceCount]:
        """Return the counts sorted by dataset, then license; unstated values come first."""
        ordered = sorted(self._images, key=lambda pair: [(part is not None, part or "") for part in pair])
        return [SourceCount(*pair, self._images[pair], len(self._authors[pair])) for pair in ordered]


METADATA_REMOVED = "remove_metadata"
"""Step of the operation that removes the metadata of a workspace's picture file for a release."""

ENCODED = "encode_picture"
"""Step of the operation that encodes a made file of the workspace as JPEG for a release."""


TURNED = "turn_picture"
"""Step of the operation that rotates a JPEG file of the workspace upright for a release."""

LOSSLESS = "encode_losslessly"
"""Step of the operation that encodes a made JPEG of the workspace without further loss for a sealed release, in which a
mix of formats would reveal the step that made each file."""

FILE_STEPS = frozenset({METADATA_REMOVED, ENCODED, TURNED, LOSSLESS})
"""Steps of the operations that make files of a release from those of the workspace."""


def address_of(record: ImageRecord) -> str | None:
    """Return the URL of a picture's own file, as stated by its source, or None if the picture has none.

    A made picture has none, since only the workspace has its file.
    """
    if record.source is None or record.derived_from:
        return None
    stated = (record.source.url, record.source.uri)
    return next(
        (address for address in stated if address and address.lower().startswith(("https://", "http://"))), None
    )


def files_before_removal(records: Iterable[Operation | ImageRecord]) -> dict[str, str]:
    """Return the ids of files before metadata removal, by the ids of the files after removal."""
    return _files_before(records, {METADATA_REMOVED})


def files_before_release(records: Iterable[Operation | ImageRecord]) -> dict[str, str]:
    """Return the ids of the workspace's files, by the ids of the files that freezing made from them by metadata
    removal, encoding or rotation.
    """
    return _files_before(records, FILE_STEPS)


def steps_of_released_files(records: Iterable[Operation | ImageRecord]) -> dict[str, str]:
    """Return the steps by which freezing made files from those of the workspace, keyed by the ids of the new files."""
    operations: dict[str, str] = {}
    steps: dict[str, str] = {}
    for record in records:
        if isinstance(record, Operation):
            if record.step in FILE_STEPS:
                operations[record.operation_id] = record.step
        elif record.operation_id in operations:
            steps[record.image_id] = operations[record.operation_id]
    return steps


def _files_before(records: Iterable[Operation | ImageRecord], steps: Set[str]) -> dict[str, str]:
    operations: set[str] = set()
    before: dict[str, str] = {}
    for record in records:
        if isinstance(record, Operation):
            if record.step in steps:
                operations.add(record.operation_id)
        elif record.operation_id in operations and record.derived_from:
            before[record.image_id] = record.derived_from[0]
    return before


FORMAT = "benchwright/provenance"
FORMAT_VERSION = 1
_MAX_LINE_BYTES = 4 * 1024 * 1024

_HEAD = f'{{"format":"{FORMAT}","version":{FORMAT_VERSION},"entries":[\n'.encode()
_TAIL = b"]}\n"


def write_provenance(path: Path, operations: Iterable[Operation], images: Iterable[ImageRecord]) -> None:
    """Write the operations, then the images, in the given order."""
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
        DataError: The file is missing, has a newer version, or does not have the layout of `write_provenance`.
    """
    with open_inside(root, PROVENANCE) as handle:
        yield from _entries(handle)


def _entries(handle: BinaryIO) -> Iterator[Operation | ImageRecord]:
    head = handle.readline(_MAX_LINE_BYTES)
    if head != _HEAD:
        document = documents.parse(head.rstrip(b"\n") + _TAIL, title=f"{PROVENANCE}, line 1")
        documents.stated(document, FORMAT, FORMAT_VERSION, title=PROVENANCE)
        raise DataError(f"{PROVENANCE}: line 1 does not have Benchwright's layout")
    number = 1
    while (line := handle.readline(_MAX_LINE_BYTES)) != _TAIL:
        number += 1
        if not line.endswith(b"\n"):
            raise DataError(f"{PROVENANCE}: line {number} is cut off or longer than {_MAX_LINE_BYTES} bytes")
        yield _entry(line, f"{PROVENANCE}, line {number}")
    if handle.read(1):
        raise DataError(f"{PROVENANCE}: continues after its end")


def _entry(line: bytes, title: str) -> Operation | ImageRecord:
    value = documents.parse(line.rstrip(b"\n").removesuffix(b","), title=title)
    try:
        match value:
            case {"operation": operation}:
                return Operation.model_validate(operation)
            case {"image": image}:
                return ImageRecord.model_validate(image)
    except (ValidationError, RecursionError) as error:
        raise DataError(f"{title} is neither an operation nor an image of a known form") from error
    raise DataError(f"{title} is neither an operation nor an image")

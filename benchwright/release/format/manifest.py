"""The manifest: a release's description of itself, with the SHA-256 of every other file in it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from benchwright.canonical import bytes_digest
from benchwright.errors import DataError
from benchwright.records import Record, Sha256
from benchwright.release.format import documents
from benchwright.release.format.files import read_inside, shown
from benchwright.release.format.statements import Statements

FORMAT = "benchwright/release"
FORMAT_VERSION = 3
"""Format version to write; `schema.sort_key_of` describes the order of its rows.

Version 1 has clean pictures in `images`, no drawn marks, and no column `unmarked`. Versions 1 and 2 sort rows by item
id, so questions about one picture are far apart, and each of their row groups has a copy of it.
"""

MANIFEST = "manifest.json"
SEAL = "manifest.sha256"
"""File with the manifest's SHA-256 in the format of `sha256sum`, so that changes to the manifest are detected."""

SIGNATURE = "manifest.json.sig"
"""File with a signature of the manifest; optional, and not listed in the manifest."""

CARD = "README.md"
AGREEMENT = "agreement.json"
PROVENANCE = "provenance.json"
ERRATA = "errata.json"
HUMAN_BASELINE = "human_baseline.json"
BLIND_STRATEGY = "blind_strategy.json"
ALWAYS_THERE = (CARD, AGREEMENT, ERRATA, PROVENANCE)

_MAX_FILE_BYTES = 4 * 1024**3

NAME = r"^[a-z0-9][a-z0-9_-]{0,63}$"
VERSION = r"^[0-9A-Za-z][0-9A-Za-z.+-]{0,63}$"
SPLIT = r"^[a-z][a-z0-9_]{0,31}$"
TASK = r"^[a-z][a-z0-9_]*$"

_FILE = re.compile(r"(?:[a-z0-9_]{1,64}/)?[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
_DATA = re.compile(r"data/([a-z][a-z0-9_]{0,31})-([0-9]{5})\.parquet")

Count = Annotated[int, Field(ge=0)]


class FileEntry(Record):
    """One file of the release."""

    sha256: Sha256
    size_bytes: int = Field(ge=0, le=_MAX_FILE_BYTES)


class SplitCounts(Record):
    """Number of items of one split, and of each task in it."""

    items: Count
    tasks: dict[Annotated[str, Field(pattern=TASK)], Count]


class ItemCounts(Record):
    """Number of items of the release, and of each split in it."""

    items: Count
    splits: dict[Annotated[str, Field(pattern=SPLIT)], SplitCounts]


class SealedSplits(Record):
    """The splits whose answers are withheld."""

    splits: list[Annotated[str, Field(pattern=SPLIT)]] = Field(min_length=1)
    commitment: Sha256
    """SHA-256 of the secret salt and all entries of the key file."""
    seed_is_known: bool
    """Whether the recipe's seed can be guessed, so that recipe and pictures must not reveal the items."""


class Manifest(Record):
    """Content of `manifest.json`, none of which varies between runs."""

    format: Literal["benchwright/release"] = "benchwright/release"
    version: Literal[1, 2, 3] = 3
    """Version of the format."""
    drawing_version: int | None = Field(None, ge=1)
    """Version of the drawing of marks (`DRAWING_VERSION`) by which `images` were drawn; None in version 1."""
    name: str = Field(pattern=NAME)
    release_version: str = Field(pattern=VERSION)
    content_id: Sha256
    canary: str
    licence: str | None
    seed: int | None
    """Seed of the run; None if it is withheld because splits are sealed."""
    counts: ItemCounts
    files: dict[str, FileEntry]
    recipe: dict[str, Any]
    stages: list[dict[str, Any]]
    sealed: SealedSplits | None = Field(None, exclude_if=lambda sealed: sealed is None)
    """The sealed splits; None if the release contains every answer."""

    by_address: int | None = Field(None, ge=1, exclude_if=lambda pictures: pictures is None)
    """Number of pictures for which the release states only the URL and the hash; None if it contains all files."""
    statements: Statements | None = Field(None, exclude_if=lambda statements: statements is None)
    """Statements of the curators about the release; None if they made none."""

    @model_validator(mode="after")
    def _names_stay_inside(self) -> Manifest:
        for name in self.files:
            if not _FILE.fullmatch(name) or name in {MANIFEST, SEAL, SIGNATURE}:
                raise ValueError(f"the manifest may not list a file named {name[:200]!a}")
        return self

    @property
    def sealed_splits(self) -> tuple[str, ...]:
        """Return the names of the splits whose answers are withheld, sorted."""
        return () if self.sealed is None else tuple(sorted(self.sealed.splits))

    @model_validator(mode="after")
    def _drawn_since_version_2(self) -> Manifest:
        if (self.version >= 2) != (self.drawing_version is not None):
            raise ValueError(f"drawing_version is {self.drawing_version!r} in version {self.version} of the format")
        return self

    def data_files(self, split: str) -> list[str]:
        """Return the names of a split's Parquet files, in order."""
        return sorted(name for name in self.files if split_of(name) == split)


def split_of(name: str) -> str | None:
    """Return the split to which a data file belongs, or None for any other file."""
    match = _DATA.fullmatch(name)
    return match.group(1) if match else None


def data_file(split: str, number: int) -> str:
    """Return the name of a split's Parquet file."""
    return f"data/{split}-{number:05d}.parquet"


def seal(manifest: bytes) -> bytes:
    """Return the content of `manifest.sha256`, which `sha256sum --check manifest.sha256` can read."""
    return f"{bytes_digest(manifest)}  {MANIFEST}\n".encode()


def read_manifest(root: Path) -> tuple[Manifest, str]:
    """Return a release's manifest and its SHA-256, the release id.

    Raises:
        DataError: The manifest is missing, has another format or a newer version, or lists a forbidden file.
    """
    data = read_inside(root, MANIFEST, max_bytes=documents.MAX_BYTES)
    return parse_manifest(data), bytes_digest(data)


def parse_manifest(data: bytes) -> Manifest:
    """Parse a manifest given as bytes.

    Raises:
        DataError: The manifest has another format or a newer version, or lists a forbidden file.
    """
    document = documents.stated(documents.parse(data, title=MANIFEST), FORMAT, FORMAT_VERSION, title=MANIFEST)
    try:
        return Manifest.model_validate(document, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise DataError(f"{MANIFEST}: {shown(place)}: {shown(first['msg'])}") from error

"""A stage's table: immutable shard files, a marker per finished shard, and `current.json`, which lists the shards.

A shard contains all records that derive from source images whose ids share their leading bits. Its files are named by
content, and its marker is renamed into place after them, so a marker exists only once its files are complete.
`current.json` is rebuilt from the markers when a stage ends; readers of tables need no other index.
"""

from __future__ import annotations

import os
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchwright.canonical import digest, file_digest
from benchwright.errors import DamagedError, DataError
from benchwright.machine.storage_faults import writing
from benchwright.workspace.atomic import flush_to_disk
from benchwright.workspace.sealed import read_sealed, write_sealed
from benchwright.workspace.tables import columns_of_rows, read_table, write_columns
from benchwright.workspace.workspace import Workspace

FORMAT = "benchwright/stage"
VERSION = 1
_MARKERS_KEPT = 16_384
"""Number of markers that a process caches, about 2 kB each: enough for 60 stages with 256 shards."""


Rows = Sequence[Mapping[str, Any]] | Mapping[str, Sequence[Any] | pa.Array]
"""Rows of a table, or its columns by name."""


def shard_names(count: int) -> list[str]:
    """Return the names of `count` shards (a power of two), in order."""
    return [_name(number, count) for number in range(count)]


def _name(number: int, count: int) -> str:
    return format(number, f"0{max(1, (count.bit_length() + 2) // 4)}x")


def shard_of(root_image_id: str, count: int) -> str:
    """Return the name of a source image's shard, from the leading bits of its id."""
    bits = count.bit_length() - 1
    return _name(int(root_image_id[:8], 16) >> (32 - bits), count)


@dataclass(frozen=True)
class Marker:
    """Description of one finished shard of one stage.

    Args:
        fingerprint: Digest of the settings and the input content from which this output was made.
        config: Digest of settings and seed alone; if it is equal, a run may reuse outcomes of single records.
        files: Files by kind (`outcomes`, `images`, `items`, `files`): name, SHA-256 and number of rows.
        effect: Digest of the verdicts' effect on later stages: the removed records, and the groups.
        counts: Counts of input rows, of rows per verdict and reason, and of made records.
        overrides: Digest of curators' decisions about this shard's verdicts; empty without decisions.
    """

    shard: str
    fingerprint: str
    config: str
    files: Mapping[str, Mapping[str, Any]]
    effect: str
    counts: Mapping[str, Any]
    overrides: str = ""

    @property
    def has_effect(self) -> bool:
        """Return whether the verdicts remove or group any record; if not, later stages need not read the verdicts."""
        return self.effect != _NO_EFFECT


def _marker_of(document: Mapping[str, Any], path: Path) -> Marker:
    try:
        return Marker(**{name: document[name] for name in Marker.__dataclass_fields__ if name in document})
    except TypeError as error:  # a marker of an older version, without a digest
        raise DamagedError(path, f"is damaged: {error}") from error


def _document(path: Path) -> dict[str, Any]:
    document = read_sealed(path)
    if document.get("format") != FORMAT or document.get("version") != VERSION:
        raise DataError(
            f"{path} has format {document.get('format')!r} version {document.get('version')!r}, but this program reads "
            f"{FORMAT!r} {VERSION}; use the program that wrote it or a new workspace"
        )
    return document


@lru_cache(_MARKERS_KEPT)
def _read_marker(path: str, *state: int) -> Marker:
    """Read a marker once for each state of its file: size, modification times and inode.

    A marker is renamed into place, so a new one has a new inode, even at the same clock time.
    """
    del state
    return _marker_of(_document(Path(path)), Path(path))


class StageTable:
    """The shards of one stage in one workspace."""

    def __init__(self, workspace: Workspace, stage: str) -> None:
        self.stage = stage
        self.folder = workspace.tables / stage
        self._tmp = workspace.tmp
        self._checked = workspace.checked

    def marker_path(self, shard: str) -> Path:
        """Return the path of a shard's marker, whether or not it exists."""
        return self.folder / "markers" / f"{shard}.json"

    def marked(self) -> list[str]:
        """Return the shards that have a marker, damaged or not, in order."""
        return sorted(path.stem for path in (self.folder / "markers").glob("*.json"))

    def problems(self, shard: str, *, afresh: bool = False) -> Iterator[DamagedError]:
        """Yield descriptions of damage to a shard, its marker first; yield nothing if the shard has no marker.

        Args:
            shard: Name of the shard.
            afresh: Whether to read files again that are unchanged since the last check.
        """
        try:
            marker = self._marker(shard)
        except DamagedError as error:
            yield error
            return
        for file in () if marker is None else marker.files.values():
            path = self.folder / file["name"]
            if (problem := self._checked.wrong(path, file["sha256"], afresh=afresh)) is not None:
                yield DamagedError(path, problem)

    def marker(self, shard: str) -> Marker | None:
        """Return a finished shard's marker; None if the marker or one of its files is missing."""
        marker = self._marker(shard)
        folder = str(self.folder)
        if marker is None or not all(os.path.exists(f"{folder}/{file['name']}") for file in marker.files.values()):
            return None
        return marker

    def _marker(self, shard: str) -> Marker | None:
        path = f"{self.folder}/markers/{shard}.json"
        try:
            status = os.stat(path)
        except FileNotFoundError:
            return None
        return _read_marker(path, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)

    def all_markers(self) -> list[Marker]:
        """Return all undamaged markers and entries of `current.json`, even if their files are damaged."""
        stated: list[Marker] = []
        with suppress(DataError):
            stated += self.current()
        for shard in self.marked():
            with suppress(DataError):
                if (marker := self._marker(shard)) is not None and marker not in stated:
                    stated.append(marker)
        return stated

    def look_again(self) -> None:
        """Refresh a network file system's cache, so that markers written by another machine become visible."""
        with suppress(FileNotFoundError):
            os.listdir(self.folder / "markers")

    def current(self) -> list[Marker]:
        """Return the markers listed in `current.json`; empty if the stage has not yet ended."""
        path = self.folder / "current.json"
        try:
            document = _document(path)
        except FileNotFoundError:
            return []
        if "shards" not in document:
            raise DamagedError(path, "is damaged: it lists no shards")
        return [_marker_of(entry, path) for entry in document["shards"]]

    def read(self, marker: Marker, kind: str, columns: Sequence[str] | None = None) -> pa.Table | None:
        """Read one kind of file of a shard; None if the shard has no file of that kind.

        Raises:
            DamagedError: The file has changed since it was written.
        """
        file = marker.files.get(kind)
        if file is None:
            return None
        path = self.folder / file["name"]
        self._checked.require(path, file["sha256"])
        return read_table(path, columns)

    def write(
        self,
        shard: str,
        *,
        tables: Mapping[str, tuple[Rows, pa.Schema]],
        fingerprint: str,
        config: str,
        effect: str,
        counts: Mapping[str, Any],
        overrides: str = "",
    ) -> Marker:
        """Write a shard's files, then its marker, and return the marker.

        Args:
            shard: Name of the shard.
            tables: Sorted rows by kind of file, each with its schema; only outcomes get a file without rows.
            fingerprint: As in `Marker`.
            config: As in `Marker`.
            effect: As in `Marker`.
            counts: As in `Marker`.
            overrides: As in `Marker`.
        """
        (self.folder / "markers").mkdir(parents=True, exist_ok=True)
        files: dict[str, dict[str, Any]] = {}
        for kind, (rows, schema) in sorted(tables.items()):
            columns = columns_of_rows(rows, schema) if isinstance(rows, Sequence) else rows
            count = len(next(iter(columns.values())))
            if not count and kind != "outcomes":
                continue
            draft = self._tmp / f"{self.stage}.{shard}.{kind}.{os.getpid()}.{secrets.token_hex(4)}.parquet"
            with writing(self.folder / f"{shard}.{kind}.parquet", draft):
                write_columns(draft, columns, schema)
                sha256 = file_digest(draft)
                name = f"{shard}.{kind}.{sha256[:16]}.parquet"
                flush_to_disk(draft)  # after a power cut, no marker may refer to a lost file
                draft.replace(self.folder / name)
            files[kind] = {"name": name, "sha256": sha256, "rows": count}
        marker = Marker(shard, fingerprint, config, files, effect, counts, overrides)
        write_sealed(self.marker_path(shard), {"format": FORMAT, "version": VERSION, **vars(marker)}, tmp=self._tmp)
        return marker

    def publish(self, shards: Sequence[str], operation: Mapping[str, Any] | None) -> None:
        """Write `current.json` from the markers, unless it already has the same content.

        Raises:
            DamagedError: A file of a shard has changed since it was written.
        """
        markers = [marker for shard in shards if (marker := self.marker(shard)) is not None]
        document = {
            "format": FORMAT,
            "version": VERSION,
            "stage": self.stage,
            "operation": operation,
            "shards": [vars(marker) for marker in markers],
        }
        for file in (file for marker in markers for file in marker.files.values()):
            self._checked.require(self.folder / file["name"], file["sha256"])
        path = self.folder / "current.json"
        with suppress(FileNotFoundError, DamagedError):
            if read_sealed(path) == document:
                return
        self.folder.mkdir(parents=True, exist_ok=True)
        write_sealed(path, document, tmp=self._tmp)


@dataclass
class VerdictCounts:
    """Counts of a shard or a stage, by verdict and reason."""

    records: int
    by: Counter[tuple[str, str | None]]
    made: Counter[str]

    @classmethod
    def of(cls, verdicts: Iterable[tuple[str, str | None]], made: Mapping[str, int]) -> VerdictCounts:
        """Return the counts of (verdict, reason) pairs."""
        by = Counter(verdicts)
        return cls(by.total(), by, Counter({kind: n for kind, n in made.items() if n}))

    @classmethod
    def total(cls, parts: Iterable[Mapping[str, Any]]) -> VerdictCounts:
        """Return the sum of counts, in the form that markers use."""
        whole = cls(0, Counter(), Counter())
        for part in parts:
            whole.records += part["in"]
            whole.made.update(part["made"])
            for verdict, reasons in part["verdicts"].items():
                for reason, n in reasons.items():
                    whole.by[verdict, reason or None] += n
        return whole

    def to_json(self) -> dict[str, Any]:
        """Return the counts in the form that markers use; the reason for `keep` is the empty string."""
        verdicts: dict[str, dict[str, int]] = {}
        for (verdict, reason), n in sorted(self.by.items(), key=lambda entry: (entry[0][0], entry[0][1] or "")):
            verdicts.setdefault(verdict, {})[reason or ""] = n
        return {"in": self.records, "verdicts": verdicts, "made": dict(sorted(self.made.items()))}

    def reasons(self, *verdicts: str) -> dict[str, int]:
        """Return counts by reason, summed over the given verdicts and sorted by reason."""
        counts: Counter[str] = Counter()
        for (verdict, reason), n in self.by.items():
            if verdict in verdicts:
                counts[reason or ""] += n
        return dict(sorted(counts.items()))

    @cached_property
    def kept(self) -> int:
        """Return the number of records that remain in the stream: those with the verdict `keep` or `ask`."""
        return sum(n for (verdict, _), n in self.by.items() if verdict in {"keep", "ask"})


def effect_of(gone: Iterable[str], groups: Iterable[tuple[str, str]]) -> str:
    """Return the digest of the effects that a shard's verdicts have on later stages."""
    return digest({"gone": sorted(gone), "groups": sorted(groups)})


_NO_EFFECT = effect_of((), ())

"""A stage's table: immutable shard files, a marker per finished shard, and `current.json` that lists them.

A shard holds everything that goes back to source images whose ids share their leading bits. Its files are named
by content, and its marker appears by rename after them: a marker that is there vouches for its files. `current.json`
is rebuilt from markers when a stage ends; readers of tables need nothing else.
"""

from __future__ import annotations

import json
import os
import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchwright.atomic import write_json
from benchwright.canonical import digest, file_digest
from benchwright.errors import DataError
from benchwright.tables import read_table, write_table
from benchwright.workspace import Workspace

FORMAT = "benchwright/stage"
VERSION = 1


def shard_names(count: int) -> list[str]:
    """Return the names of `count` shards (a power of two), in order."""
    return [_name(number, count) for number in range(count)]


def _name(number: int, count: int) -> str:
    return format(number, f"0{max(1, (count.bit_length() + 2) // 4)}x")


def shard_of(root_image_id: str, count: int) -> str:
    """Return the shard of a source image: the leading bits of its id."""
    bits = count.bit_length() - 1
    return _name(int(root_image_id[:8], 16) >> (32 - bits), count)


@dataclass(frozen=True)
class Marker:
    """What one finished shard of one stage holds.

    Args:
        fingerprint: Digest of settings and input content that this output belongs to.
        config: Digest of settings and seed alone; equal configs may reuse single records.
        files: By kind (`outcomes`, `images`, `items`, `files`): name, SHA-256 and rows.
        effect: Digest of what later stages notice of the verdicts: who is gone, who is grouped.
        counts: Rows in, per verdict and reason, and made.
        overrides: Digest of what curators decided about this shard's verdicts; empty where nothing.
    """

    shard: str
    fingerprint: str
    config: str
    files: Mapping[str, Mapping[str, Any]]
    effect: str
    counts: Mapping[str, Any]
    overrides: str = ""


def _marker_of(document: Mapping[str, Any]) -> Marker:
    return Marker(**{name: document[name] for name in Marker.__dataclass_fields__ if name in document})


class StageTable:
    """The shards of one stage in one workspace."""

    def __init__(self, workspace: Workspace, stage: str) -> None:
        self.stage = stage
        self.folder = workspace.tables / stage
        self._tmp = workspace.tmp

    def _marker_path(self, shard: str) -> Path:
        return self.folder / "markers" / f"{shard}.json"

    def marker(self, shard: str) -> Marker | None:
        """Return a finished shard's marker, or None; a marker whose files are gone counts as none."""
        document = self._document(self._marker_path(shard))
        if document is None:
            return None
        marker = _marker_of(document)
        if any(not (self.folder / file["name"]).exists() for file in marker.files.values()):
            return None
        return marker

    def look_again(self) -> None:
        """Have a network file system forget which markers it believed absent, where another machine wrote them."""
        with suppress(FileNotFoundError):
            os.listdir(self.folder / "markers")

    def current(self) -> list[Marker]:
        """Return the shards that `current.json` lists; none where the stage has not ended yet."""
        document = self._document(self.folder / "current.json")
        return [] if document is None else [_marker_of(entry) for entry in document["shards"]]

    def _document(self, path: Path) -> dict[str, Any] | None:
        try:
            document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise DataError(f"{path} is damaged: {error}; delete it and run again") from error
        if document.get("format") != FORMAT or document.get("version") != VERSION:
            raise DataError(
                f"{path} has format {document.get('format')!r} version {document.get('version')!r}, this program reads "
                f"{FORMAT!r} {VERSION}; use the program that wrote it or a new workspace"
            )
        return document

    def read(self, marker: Marker, kind: str, columns: Sequence[str] | None = None) -> pa.Table | None:
        """Read one kind of file of a shard; None where the shard has none of that kind."""
        file = marker.files.get(kind)
        return None if file is None else read_table(self.folder / file["name"], columns)

    def write(
        self,
        shard: str,
        *,
        tables: Mapping[str, tuple[Sequence[Mapping[str, Any]], pa.Schema]],
        fingerprint: str,
        config: str,
        effect: str,
        counts: Mapping[str, Any],
        overrides: str = "",
    ) -> Marker:
        """Write a shard's files, then its marker."""
        (self.folder / "markers").mkdir(parents=True, exist_ok=True)
        files: dict[str, dict[str, Any]] = {}
        for kind, (rows, schema) in sorted(tables.items()):
            if not rows and kind != "outcomes":
                continue
            draft = self._tmp / f"{self.stage}.{shard}.{kind}.{os.getpid()}.{secrets.token_hex(4)}.parquet"
            write_table(draft, rows, schema)
            sha256 = file_digest(draft)
            name = f"{shard}.{kind}.{sha256[:16]}.parquet"
            draft.replace(self.folder / name)
            files[kind] = {"name": name, "sha256": sha256, "rows": len(rows)}
        marker = Marker(shard, fingerprint, config, files, effect, counts, overrides)
        write_json(self._marker_path(shard), {"format": FORMAT, "version": VERSION, **vars(marker)}, tmp=self._tmp)
        return marker

    def publish(self, shards: Sequence[str], operation: Mapping[str, Any] | None) -> None:
        """Write `current.json` from the markers, unless it says the same already."""
        markers = [marker for shard in shards if (marker := self.marker(shard)) is not None]
        document = {
            "format": FORMAT,
            "version": VERSION,
            "stage": self.stage,
            "operation": operation,
            "shards": [vars(marker) for marker in markers],
        }
        path = self.folder / "current.json"
        try:
            if json.loads(path.read_text(encoding="utf-8")) == document:
                return
        except (FileNotFoundError, ValueError):
            pass
        self.folder.mkdir(parents=True, exist_ok=True)
        write_json(path, document, tmp=self._tmp)


@dataclass
class Counts:
    """Counts of a shard or a stage, by verdict and reason."""

    records: int
    by: Counter[tuple[str, str | None]]
    made: Counter[str]

    @classmethod
    def of(cls, verdicts: Iterable[tuple[str, str | None]], made: Mapping[str, int]) -> Counts:
        """Count (verdict, reason) pairs."""
        by = Counter(verdicts)
        return cls(by.total(), by, Counter({kind: n for kind, n in made.items() if n}))

    @classmethod
    def total(cls, parts: Iterable[Mapping[str, Any]]) -> Counts:
        """Add up counts as markers hold them."""
        whole = cls(0, Counter(), Counter())
        for part in parts:
            whole.records += part["in"]
            whole.made.update(part["made"])
            for verdict, reasons in part["verdicts"].items():
                for reason, n in reasons.items():
                    whole.by[verdict, reason or None] += n
        return whole

    def to_json(self) -> dict[str, Any]:
        """Return the counts as markers hold them; a keep's reason is the empty string."""
        verdicts: dict[str, dict[str, int]] = {}
        for (verdict, reason), n in sorted(self.by.items(), key=lambda entry: (entry[0][0], entry[0][1] or "")):
            verdicts.setdefault(verdict, {})[reason or ""] = n
        return {"in": self.records, "verdicts": verdicts, "made": dict(sorted(self.made.items()))}

    def reasons(self, *verdicts: str) -> dict[str, int]:
        """Return counts by reason over some verdicts, sorted by reason."""
        found: Counter[str] = Counter()
        for (verdict, reason), n in self.by.items():
            if verdict in verdicts:
                found[reason or ""] += n
        return dict(sorted(found.items()))

    @cached_property
    def kept(self) -> int:
        """Return how many records go on: kept, or asked about."""
        return sum(n for (verdict, _), n in self.by.items() if verdict in {"keep", "ask"})


def effect_of(gone: Iterable[str], groups: Iterable[tuple[str, str]]) -> str:
    """Return the digest of what later stages notice of a shard's verdicts."""
    return digest({"gone": sorted(gone), "groups": sorted(groups)})

"""Single bits flipped in every class of file of a workspace and its release, and their detection.

Decoding the file shows the effect of a flip: a table to its rows, a document to its values, the review store to the
rows of its tables, anything else to its bytes. A flip that changes none of these is harmless.
"""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchwright.pipeline.mending.check import problems_of
from benchwright.release.verification.verify import verify_release
from benchwright.workspace.workspace import Workspace

CLASSES: Mapping[str, tuple[str, ...]] = {
    "tables": ("tables/*/*.parquet",),
    "markers": ("tables/*/markers/*.json",),
    "lists of shards": ("tables/*/current.json",),
    "summaries": ("tables/*/summary.json", "tables/*/final.json"),
    "settings": ("workspace.json",),
    "pictures": ("objects/??/*",),
    "snapshots of overrides": ("overrides/*",),
    "memories": ("cache/ingest.jsonl", "cache/checked.json", "cache/items.sqlite"),
    "results": ("results/**/*.json", "results/**/*.parquet", "results/**/*.html", "results/**/*.csv"),
    "replies of models": ("replies/*/replies.jsonl",),
    "logs of runs": ("runs/*.json", "runs/*/run.json", "runs/*/events.jsonl", "runs/*/funnel.html"),
    "review store": ("review.sqlite",),
    "release tables": ("data/*.parquet",),
    "release documents": ("*.json", "*.sha256", "*.md"),
}
OF_RELEASES = frozenset({"release tables", "release documents"})


@dataclass(frozen=True)
class Flip:
    """One flipped bit, and whether it was noticed; `changes` states whether an unnoticed one changes a value."""

    kind: str
    path: str
    place: int
    bit: int
    noticed: bool
    changes: bool


def flips(workspace: Path, *, count: int, seed: int) -> Iterator[Flip]:
    """Flip equally many bits of each class; every file is restored afterwards.

    Args:
        workspace: Workspace; its release is first moved next to it, so that each file is checked by its own safeguard.
        count: Number of all flips.
        seed: Seed of the places.
    """
    rng = random.Random(seed)
    release = workspace.parent / "release"
    if not release.exists():
        shutil.move(max((workspace / "releases").iterdir(), key=lambda path: path.stat().st_mtime_ns), release)
        shutil.rmtree(workspace / "releases")  # from an earlier run; nothing is flipped there
    files = {
        kind: [
            path
            for pattern in patterns
            for path in sorted((release if kind in OF_RELEASES else workspace).glob(pattern))
            if path.stat().st_size
        ]
        for kind, patterns in CLASSES.items()
    }
    there = [kind for kind, paths in files.items() if paths]
    before = problems_of(Workspace(workspace))
    assert verify_release(release).ok
    for number in range(count):
        kind = there[number % len(there)]
        path = rng.choices(files[kind], [path.stat().st_size for path in files[kind]])[0]
        data = path.read_bytes()
        place, bit = rng.randrange(len(data)), rng.randrange(8)
        flipped = data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :]
        path.write_bytes(flipped)
        noticed = not verify_release(release).ok if kind in OF_RELEASES else problems_of(Workspace(workspace)) != before
        changes = not noticed and decoded(path) != _decoded_as(path, data)
        path.write_bytes(data)
        yield Flip(kind, path.name, place, bit, noticed, changes)


def _decoded_as(path: Path, data: bytes) -> Any:
    path.write_bytes(data)
    return decoded(path)


def decoded(path: Path) -> Any:
    """Return the value of a file, or the kind of error that reading it raises."""
    try:
        if path.suffix == ".parquet":
            table = pq.read_table(path, use_threads=False)
            return table.schema.metadata, table.schema.names, table.to_pylist()
        if path.suffix == ".json":
            return json.loads(path.read_bytes())
        if path.suffix == ".sqlite":
            return _rows(path)
    except (pa.ArrowException, OSError, ValueError, sqlite3.Error) as error:
        return type(error)
    return path.read_bytes()


def _rows(path: Path) -> dict[str, Any]:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = {name: sorted(map(repr, connection.execute(f'SELECT * FROM "{name}"'))) for name in names}
        return rows | {
            "sqlite_master": sorted(map(repr, connection.execute("SELECT type, name, sql FROM sqlite_master")))
        }

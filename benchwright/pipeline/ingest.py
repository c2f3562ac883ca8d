"""Taking images in: every file of a folder becomes a row of `files`, every distinct content an image.

An image is its bytes: files with equal bytes are one image, named by the shortest path (`cup.png` before
`cup (1).png`, then by spelling), and the others are recorded as `same_bytes`. Nothing is decoded here; what a
header already tells (kind, size, orientation, too many pixels) is checked, and what only decoding can tell fails in
the first step that decodes.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchwright.atomic import write_bytes
from benchwright.canonical import digest
from benchwright.engines.jobs import Attempt, Done, Job
from benchwright.errors import BenchwrightError, UnreadableImage
from benchwright.identify import Limits, identify, path_for, uri_for
from benchwright.pipeline.live import INGEST
from benchwright.records import ImageRecord, Source
from benchwright.shards import Counts, StageTable, effect_of, shard_names, shard_of
from benchwright.tables import FILES, IMAGES, image_row, sorted_rows
from benchwright.workspace import FORMAT as WORKSPACE_FORMAT
from benchwright.workspace import Workspace

FILES_PER_JOB = 64


@dataclass(frozen=True)
class Seen:
    """One file as found: its identity, or why it was refused."""

    uri: str
    image_id: str | None = None
    size_bytes: int = 0
    width: int = 0
    height: int = 0
    media_type: str = ""
    notes: tuple[str, ...] = ()
    reason: str | None = None
    detail: str | None = None


def list_files(root: Path) -> list[str]:
    """Return the uri of every entry below a folder that is not a folder, sorted.

    Links to folders are not followed; they are entries, and refused as such later. A workspace inside the folder is
    ours, not a collection of images, and is left out.

    Raises:
        BenchwrightError: The folder is not there or cannot be read.
    """
    if not root.is_dir():
        raise BenchwrightError(f"image folder {root} is not a folder; give one with --images DIR")
    found: list[str] = []
    pending = [b""]
    while pending:
        below = pending.pop()
        try:
            with os.scandir(os.path.join(os.fsencode(root), below)) as entries:
                for entry in entries:
                    path = os.path.join(below, entry.name)
                    if entry.is_dir(follow_symlinks=False):
                        if not _is_workspace(entry.path):
                            pending.append(path)
                    else:
                        found.append(uri_for(path))
        except OSError as error:
            if not below:
                raise BenchwrightError(f"image folder {root} cannot be read: {error.strerror}") from error
            found.append(uri_for(below))
    return sorted(found)


def _is_workspace(folder: bytes) -> bool:
    try:
        document = json.loads(Path(os.fsdecode(folder), "workspace.json").read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(document, dict) and document.get("format") == WORKSPACE_FORMAT


@dataclass(frozen=True)
class Identify:
    """The job: say what some files are."""

    root: Path
    uris: tuple[str, ...]
    limits: Limits

    @property
    def name(self) -> str:
        """Return one line for logs."""
        return f"ingest of {len(self.uris)} files from {self.uris[0]!r}"

    @property
    def size(self) -> int:
        """Return the number of files."""
        return len(self.uris)

    def run(self, worker: Any, attempt: Attempt) -> list[Seen]:
        """Identify each file; a refusal is a row, not an error."""
        del worker
        return [self._one(uri, attempt) for uri in self.uris]

    def _one(self, uri: str, attempt: Attempt) -> Seen:
        place = (INGEST, uri)
        if place in attempt.blamed:
            return Seen(uri, reason="worker_died", detail=attempt.blamed[place])
        attempt.at(place)
        try:
            return Seen(uri, *_identity(identify(self.root / path_for(uri), root=self.root, limits=self.limits)))
        except UnreadableImage as error:
            return Seen(uri, reason=error.reason, detail=error.detail)


def _identity(found: Any) -> tuple[Any, ...]:
    return found.image_id, found.size_bytes, found.width, found.height, found.media_type, found.notes


def ingest(
    workspace: Workspace,
    root: Path,
    *,
    limits: Limits,
    shard_count: int,
    run_jobs: Callable[[Sequence[Job]], Iterator[Done]],
    copy: bool = False,
) -> Counts:
    """Bring the ingest table up to an image folder; files that have not changed are not read again."""
    uris = list_files(root)
    cache = _Cache(workspace.cache / "ingest.jsonl", root, limits)
    seen = {uri: known for uri in uris if (known := cache.get(uri)) is not None}
    fresh = [uri for uri in uris if uri not in seen]
    if fresh:
        jobs = [
            Identify(root, tuple(fresh[start : start + FILES_PER_JOB]), limits)
            for start in range(0, len(fresh), FILES_PER_JOB)
        ]
        for done in run_jobs(jobs):
            seen |= {one.uri: one for one in done.result}
    cache.save(seen, tmp=workspace.tmp)
    return _write(workspace, [seen[uri] for uri in uris], root if copy else None, shard_count)


def _write(workspace: Workspace, seen: Sequence[Seen], copy_from: Path | None, shard_count: int) -> Counts:
    kept: dict[str, str] = {}
    for one in sorted(seen, key=lambda one: (len(one.uri), one.uri)):
        if one.image_id:
            kept.setdefault(one.image_id, one.uri)
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in shard_names(shard_count)}
    images: dict[str, list[dict[str, Any]]] = {name: [] for name in rows}
    for one in seen:
        shard = shard_of(one.image_id or digest(one.uri), shard_count)
        first = kept[one.image_id] if one.image_id else None
        verdict, reason = ("failed", one.reason) if first is None else ("keep", None)
        if first is not None and first != one.uri:
            verdict, reason = "drop", "same_bytes"
        rows[shard].append(
            {
                "uri": one.uri, "image_id": one.image_id, "verdict": verdict, "reason": reason, "detail": one.detail,
                "kept_uri": first,
            }
        )  # fmt: skip
        if first == one.uri and one.image_id:
            images[shard].append(image_row(_record(one, one.image_id)))
            if copy_from is not None:
                workspace.objects.put((copy_from / path_for(one.uri)).read_bytes())
    table = StageTable(workspace, INGEST)
    parts = []
    for shard, files in rows.items():
        counts = Counts.of(((row["verdict"], row["reason"]) for row in files), {"images": len(images[shard])}).to_json()
        parts.append(counts)
        fingerprint = digest([sorted_rows(files, "uri"), sorted_rows(images[shard], "image_id")])
        marker = table.marker(shard)
        if marker is None or marker.fingerprint != fingerprint:
            table.write(
                shard,
                tables={
                    "files": (sorted_rows(files, "uri"), FILES),
                    "images": (sorted_rows(images[shard], "image_id"), IMAGES),
                },
                fingerprint=fingerprint,
                config="",
                effect=effect_of((), ()),
                counts=counts,
            )
    table.publish(list(rows), None)
    return Counts.total(parts)


def _record(one: Seen, image_id: str) -> ImageRecord:
    return ImageRecord(
        image_id=image_id,
        width=one.width,
        height=one.height,
        media_type=one.media_type,
        size_bytes=one.size_bytes,
        source=Source(uri=one.uri),
        root_image_id=image_id,
        notes=one.notes,
    )


class _Cache:
    """What earlier runs found, by path, size, times and inode; only a shortcut, never part of a table."""

    def __init__(self, path: Path, root: Path, limits: Limits) -> None:
        self._path = path
        self._root = root
        self._scope = digest([str(root.resolve()), vars(limits)])
        self._known: dict[str, dict[str, Any]] = {}
        self._stamps: dict[str, list[int] | None] = {}
        try:
            lines = path.read_text(encoding="utf-8").split("\n")
            if json.loads(lines[0]) == self._scope:
                self._known = {entry["uri"]: entry for line in lines[1:] if line for entry in [json.loads(line)]}
        except (OSError, ValueError, KeyError, TypeError):
            self._known = {}

    def _stamp(self, uri: str) -> list[int] | None:
        try:
            found = os.lstat(self._root / path_for(uri))
        except OSError:
            return None
        # A link's own times say nothing of its target's.
        if not stat.S_ISREG(found.st_mode):
            return None
        return [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]

    def get(self, uri: str) -> Seen | None:
        """Return what is known of a file that has not changed since."""
        # Taken before the file is read: a file that changes meanwhile is then read again next time.
        stamp = self._stamps[uri] = self._stamp(uri)
        entry = self._known.get(uri)
        if entry is None or stamp is None or entry["stamp"] != stamp:
            return None
        return Seen(**{**entry["seen"], "notes": tuple(entry["seen"]["notes"])})

    def save(self, seen: Mapping[str, Seen], *, tmp: Path) -> None:
        """Remember what was found."""
        lines: Iterable[str] = (
            json.dumps({"uri": uri, "stamp": self._stamps.get(uri), "seen": vars(one)}, ensure_ascii=True)
            for uri, one in sorted(seen.items())
            if one.reason not in {"unreadable", "worker_died"}
        )
        write_bytes(self._path, "\n".join([json.dumps(self._scope), *lines, ""]).encode(), tmp=tmp)

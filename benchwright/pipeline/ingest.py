"""Ingest: every file of a folder becomes a row of `files`, and every distinct content an image.

Files with equal bytes are one image, named by the shortest path (`cup.png` before `cup (1).png`, then in alphabetical
order), and the others are recorded as `same_bytes`. Ingest decodes nothing. It checks what the header shows: kind,
size, orientation, number of pixels. An image that turns out to be broken only on decoding fails in the first step that
decodes it.

A table `sources.csv` in the folder states the authors and licenses of its files and is not an image itself. For files
about which the table states nothing, their own metadata may state them (`benchwright.rights`).

Uploaded photographs and pictures that steps bring are ingested together with the folder's files, each with its stated
source, and are stored in the workspace. Among equal files, ingest keeps one whose source states a license.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchwright.canonical import digest
from benchwright.engines.base import Attempt, Done, Job
from benchwright.errors import BenchwrightError, UnreadableImage
from benchwright.images.formats.walking import Limits
from benchwright.images.identify import identify, path_for, uri_for
from benchwright.pipeline.seen_files import IngestCache, SeenFile
from benchwright.records import ImageRecord, Source
from benchwright.rights.embedded import embedded_sources
from benchwright.rights.source_table import SourceTable, read_source_table
from benchwright.rights.stated_sources import SettledSource, stated_source
from benchwright.source_files.no_photographs import is_no_photograph
from benchwright.texts.normalization import counted
from benchwright.workspace.photographs import BroughtPhotograph
from benchwright.workspace.shards import StageTable, VerdictCounts, effect_of, shard_names, shard_of
from benchwright.workspace.stage_input import INGEST
from benchwright.workspace.tables import FILES, IMAGES, image_row, sorted_rows
from benchwright.workspace.workspace import FORMAT as WORKSPACE_FORMAT
from benchwright.workspace.workspace import Workspace

_FILES_PER_JOB = 64


def list_files(root: Path) -> list[str]:
    """Return the URIs, sorted, of all entries below a folder that are not folders themselves.

    Links to folders are not followed; they are entries, which ingest refuses later. The list omits a workspace inside
    the folder, and the files that operating systems create next to photographs (`no_photographs`).

    Raises:
        BenchwrightError: The folder does not exist or cannot be read.
    """
    if not root.is_dir():
        raise BenchwrightError(f"image folder {root} is not a folder; give one with --images DIR")
    files: list[str] = []
    pending = [b""]
    while pending:
        below = pending.pop()
        try:
            with os.scandir(os.path.join(os.fsencode(root), below)) as entries:
                for entry in entries:
                    if is_no_photograph(os.fsdecode(entry.name)):
                        continue
                    path = os.path.join(below, entry.name)
                    if entry.is_dir(follow_symlinks=False):
                        if not _is_workspace(entry.path):
                            pending.append(path)
                    else:
                        files.append(uri_for(path))
        except OSError as error:
            if not below:
                raise BenchwrightError(f"image folder {root} cannot be read: {error.strerror}") from error
            files.append(uri_for(below))
    return sorted(files)


def _is_workspace(folder: bytes) -> bool:
    try:
        document = json.loads(Path(os.fsdecode(folder), "workspace.json").read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(document, dict) and document.get("format") == WORKSPACE_FORMAT


@dataclass(frozen=True)
class _IdentifyFiles:
    """A job that determines the identity of some files."""

    root: Path
    uris: tuple[str, ...]
    limits: Limits

    @property
    def name(self) -> str:
        """Return the job's name for logs, one line."""
        return f"ingest of {counted(len(self.uris), 'file')} from {self.uris[0]!r}"

    @property
    def size(self) -> int:
        """Return the number of files."""
        return len(self.uris)

    def run(self, worker: Any, attempt: Attempt) -> list[SeenFile]:
        """Return the identity of each file; a refused file gets a row with a reason, not an error."""
        del worker
        return [self._one(uri, attempt) for uri in self.uris]

    def _one(self, uri: str, attempt: Attempt) -> SeenFile:
        place = (INGEST, uri)
        if place in attempt.blamed:
            return SeenFile(uri, reason="worker_died", detail=attempt.blamed[place])
        attempt.at(place)
        try:
            path = self.root / path_for(uri)
            identified = identify(path, root=self.root, limits=self.limits)
            embedded = embedded_sources(path, identified.media_type, limits=self.limits) or None
            return replace(SeenFile(uri, *_identity(identified)), embedded=embedded)
        except UnreadableImage as error:
            return SeenFile(uri, reason=error.reason, detail=error.detail)


def _identity(identified: Any) -> tuple[Any, ...]:
    return (
        identified.image_id,
        identified.size_bytes,
        identified.width,
        identified.height,
        identified.media_type,
        identified.notes,
    )


def ingest(
    workspace: Workspace,
    root: Path,
    *,
    limits: Limits,
    shard_count: int,
    run_jobs: Callable[[Sequence[Job]], Iterator[Done]],
    copy: bool = False,
    brought: Sequence[BroughtPhotograph] = (),
    leaves_out: Callable[[str], bool] | None = None,
) -> VerdictCounts:
    """Update the ingest table from an image folder and uploaded photographs, without rereading unchanged files.

    Ingest omits files for which `leaves_out` returns true: a step reads them.
    """
    uris = [uri for uri in list_files(root) if leaves_out is None or not leaves_out(uri)]
    if (table := read_source_table(root, uris)) is not None:
        uris.remove(table.name)
    cache = IngestCache(workspace.cache / "ingest.jsonl", root, limits)
    known = cache.recall(uris)
    fresh = [place for place, file in enumerate(known) if file is None]
    jobs: dict[Job, list[int]] = {}
    for start in range(0, len(fresh), _FILES_PER_JOB):
        places = fresh[start : start + _FILES_PER_JOB]
        jobs[_IdentifyFiles(root, tuple(uris[place] for place in places), limits)] = places
    if jobs:
        for done in run_jobs(list(jobs)):
            for place, file in zip(jobs[done.job], done.result, strict=True):
                known[place] = file
    seen = [file for file in known if file is not None]
    cache.save(seen, tmp=workspace.tmp)
    sources = {photograph.source.uri: photograph for photograph in brought}
    paths = {photograph.path for photograph in brought}
    in_folder = {path: file for file in seen if file.reason is None and (path := root / path_for(file.uri)) in paths}
    seen += [_seen(photograph, limits, in_folder.get(photograph.path)) for photograph in brought]
    return _write(workspace, seen, sources, table, root if copy else None, shard_count)


def _seen(photograph: BroughtPhotograph, limits: Limits, known: SeenFile | None) -> SeenFile:
    """Return the identity of an added photograph; `known` is its identity if the folder contains its file."""
    if known is not None:
        return SeenFile(photograph.source.uri, *_identity(known))
    try:
        return SeenFile(
            photograph.source.uri, *_identity(identify(photograph.path, root=photograph.path.parent, limits=limits))
        )
    except UnreadableImage as error:
        return SeenFile(photograph.source.uri, reason=error.reason, detail=error.detail)


def _write(
    workspace: Workspace,
    seen: Sequence[SeenFile],
    brought: Mapping[str, BroughtPhotograph],
    table: SourceTable | None,
    copy_from: Path | None,
    shard_count: int,
) -> VerdictCounts:
    """Write the shards one after another, so that memory holds the rows of only one shard at a time."""
    by_shard: dict[str, list[SeenFile]] = {name: [] for name in shard_names(shard_count)}
    for file in seen:
        by_shard[shard_of(file.image_id or digest(file.uri), shard_count)].append(file)
    stage = StageTable(workspace, INGEST)
    parts = []
    for shard, found in by_shard.items():
        files, images = _rows(found, brought, table)
        for image in images:
            origin = _copied_from(image, brought, copy_from)
            stored = workspace.objects.path(image["image_id"])
            if origin is not None and workspace.checked.wrong(stored, image["image_id"]) is not None:
                workspace.objects.put(origin.read_bytes())
        counts = VerdictCounts.of(((row["verdict"], row["reason"]) for row in files), {"images": len(images)}).to_json()
        parts.append(counts)
        fingerprint = digest([files, images])
        marker = stage.marker(shard)
        if marker is None or marker.fingerprint != fingerprint:
            stage.write(
                shard,
                tables={"files": (files, FILES), "images": (images, IMAGES)},
                fingerprint=fingerprint,
                config="",
                effect=effect_of((), ()),
                counts=counts,
            )
    stage.publish(list(by_shard), None)
    return VerdictCounts.total(parts)


def _copied_from(
    image: Mapping[str, Any], brought: Mapping[str, BroughtPhotograph], copy_from: Path | None
) -> Path | None:
    """Return the file to copy into the workspace for an image; None if the image is not stored in the workspace."""
    if (photograph := brought.get(image["source_uri"])) is not None:
        return photograph.path
    return None if copy_from is None else copy_from / path_for(str(image["source_uri"]))


def _rows(
    found: Sequence[SeenFile], brought: Mapping[str, BroughtPhotograph], table: SourceTable | None
) -> tuple[list[Mapping[str, Any]], list[Mapping[str, Any]]]:
    """Return one shard's rows of `files` and `images`, sorted; files with equal bytes are in the same shard."""
    kept: dict[str, str] = {}
    stated = {file.uri: _stated(file, brought, table) for file in found if file.image_id}
    for file in sorted(found, key=lambda file: (not _has_licence(file, stated), len(file.uri), file.uri)):
        if file.image_id:
            kept.setdefault(file.image_id, file.uri)
    files, images = [], []
    for file in found:
        first = kept[file.image_id] if file.image_id else None
        verdict, reason = ("failed", file.reason) if first is None else ("keep", None)
        if first is not None and first != file.uri:
            verdict, reason = "drop", "same_bytes"
        files.append(
            {
                "uri": file.uri,
                "image_id": file.image_id,
                "verdict": verdict,
                "reason": reason,
                "detail": stated[file.uri].conflicts if file.uri in stated else file.detail,
                "kept_uri": first,
            }
        )
        if first == file.uri and file.image_id:
            images.append(image_row(_record(file, file.image_id, stated[file.uri].source)))
    return sorted_rows(files, "uri"), sorted_rows(images, "image_id")


def _stated(file: SeenFile, brought: Mapping[str, BroughtPhotograph], table: SourceTable | None) -> SettledSource:
    """Return the source of a file; for an added picture, only what its contributor states is used."""
    if file.uri in brought:
        return SettledSource(brought[file.uri].source)
    return stated_source(file.uri, table, file.embedded)


def _has_licence(file: SeenFile, stated: Mapping[str, SettledSource]) -> bool:
    """Return whether a picture's source states a license; among equal files, ingest prefers one with a license."""
    return file.uri in stated and stated[file.uri].source.licence is not None


def _record(file: SeenFile, image_id: str, source: Source) -> ImageRecord:
    return ImageRecord(
        image_id=image_id,
        width=file.width,
        height=file.height,
        media_type=file.media_type,
        size_bytes=file.size_bytes,
        source=source,
        root_image_id=image_id,
        notes=file.notes,
    )

"""A check that a workspace still contains what was written to it, which reads every file.

Each part of a workspace has its own checksums: markers hold the SHA-256 of their shards' files, JSON documents a digest
of themselves, pictures are named by the SHA-256 of their bytes, each line of a journal or cache has a checksum, and a
release has its manifest. Rooms that keep their own files in a workspace check those.

For `gc`, this module also lists the files to which no table refers any longer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from benchwright.canonical import file_digest
from benchwright.errors import BenchwrightError, DamagedError, DataError
from benchwright.images.identify import path_for
from benchwright.models.endpoints.reply_store import damaged_replies, forget_damaged
from benchwright.pipeline.run import stages_of_workspace
from benchwright.pipeline.seen_files import is_whole
from benchwright.pipeline.stages.damage import inside, require_store
from benchwright.pipeline.stages.outcomes import torn_lines
from benchwright.pipeline.stages.overrides import current_snapshot, snapshot_problems
from benchwright.pipeline.stages.runlog import log_problems
from benchwright.release.verification.verify import verify_release
from benchwright.rooms import catalogue
from benchwright.texts.normalization import counted
from benchwright.workspace.item_cache import FILE_NAMES, damaged_entries
from benchwright.workspace.photographs import FOLDER as COLLECTED
from benchwright.workspace.photographs import collected_photographs
from benchwright.workspace.sealed import is_sealed, read_sealed
from benchwright.workspace.shards import Marker, StageTable
from benchwright.workspace.stage_input import INGEST
from benchwright.workspace.workspace import Workspace

_BY_HASH = ("objects", COLLECTED, "review-pictures")
"""Folders whose files are named by the SHA-256 of their bytes."""


@dataclass(frozen=True)
class Problem:
    """A damaged or missing part of a workspace.

    Args:
        path: Path of the file or folder, relative to the workspace; `FILE, table NAME, row ID` for a row.
        what: Description of the damage, and what to do if the recipe cannot make it again.
        repaired: Whether the repair made it again.
        is_note: Whether this is merely a note that the path cannot be checked, with no known damage.
        mend: Function of a room that repairs it; None if `check --repair` itself repairs it, or nothing can.
    """  # phrase: allowed

    path: str
    what: str
    repaired: bool = False
    is_note: bool = False
    mend: Callable[[], None] | None = field(default=None, repr=False, compare=False)


@dataclass
class CheckedPictures:
    """Ids of the pictures that a check compared with their hashes, by location.

    Attributes:
        inside: Pictures with files in the workspace.
        outside: Source pictures that are only in the image folder.
    """

    inside: set[str] = field(default_factory=set)
    outside: set[str] = field(default_factory=set)


def problems_of(space: Workspace, *, pictures: CheckedPictures | None = None) -> list[Problem]:
    """Read everything in a workspace; return its problems, one per file, and notes on unchecked files.

    Args:
        space: The workspace.
        pictures: Receives the compared pictures; if None, they are discarded.
    """
    problems: dict[tuple[str, bool], Problem] = {}
    for problem in _all(space, pictures or CheckedPictures()):
        problems.setdefault((problem.path, problem.is_note), problem)
    return list(problems.values())


def _all(space: Workspace, compared: CheckedPictures) -> Iterator[Problem]:
    yield from table_problems(space, afresh=True)
    try:
        yield from (_of(space, error) for error in snapshot_problems(space))
    except DataError as error:
        yield Problem("overrides/current.json", str(error))
    yield from _wrongly_named(space)
    try:
        yield from _pictures(space, compared)
    except DataError as error:  # `table_problems` has reported the tables that cannot be read
        yield Problem("objects", f"cannot be compared with the tables: {error}")
    yield from _memories(space)
    yield from (_of(space, error) for error in log_problems(space))
    yield from _releases(space)
    yield from _without_store(space)
    for check in catalogue("checks").values():
        yield from check.load()(space.root)


def _of(space: Workspace, error: DamagedError) -> Problem:
    return Problem(inside(space, error.path), error.what)


def table_problems(space: Workspace, *, afresh: bool) -> Iterator[Problem]:
    """Yield the problems with settings and tables, and contradictions between them.

    Args:
        space: The workspace.
        afresh: Whether to read files again that are unchanged since the last check.
    """
    settings: Mapping[str, Any] = {}
    try:
        settings = space.settings()
    except DamagedError as error:
        yield _of(space, error)
    except DataError as error:
        yield Problem("workspace.json", str(error))
    is_done = settings.get("state") == "done"
    folders = sorted(path for path in space.tables.iterdir() if path.is_dir()) if space.tables.is_dir() else []
    for folder in folders:
        yield from _table(space, StageTable(space, folder.name), is_done=is_done, afresh=afresh)
    ended = {folder.name for folder in folders if (folder / "current.json").exists()}
    wanted = list(settings.get("stages") or ()) if is_done else [INGEST] if ended else []
    for stage in wanted:
        if stage not in ended and not (space.tables / stage / "final.json").exists():
            yield Problem(f"tables/{stage}/current.json", "is missing")


def _table(space: Workspace, table: StageTable, *, is_done: bool, afresh: bool) -> Iterator[Problem]:
    for shard in table.marked():
        try:
            yield from (_of(space, error) for error in table.problems(shard, afresh=afresh))
        except DataError as error:  # of another format or version
            yield Problem(inside(space, table.marker_path(shard)), str(error))
    for name in ("summary.json", "final.json"):
        try:
            document = read_sealed(table.folder / name)
        except FileNotFoundError:
            continue
        except DamagedError as error:
            yield _of(space, error)
            continue
        if name == "final.json":
            yield from _made_at_the_end(space, table, document)
    try:
        listed = table.current()
    except DamagedError as error:
        yield _of(space, error)
        return
    except DataError as error:
        yield Problem(inside(space, table.folder / "current.json"), str(error))
        return
    markers = set(table.marked())
    for marker in listed:
        if marker.shard not in markers:
            yield Problem(
                inside(space, table.marker_path(marker.shard)), "is missing, and current.json lists its shard"
            )
            yield from _files(space, table, marker, afresh=afresh)
        elif is_done and not _agree(table, marker):
            path = inside(space, table.marker_path(marker.shard))
            yield Problem(path, "contradicts current.json about its shard")
    if not listed and not markers and any(table.folder.glob("*.parquet")):
        yield Problem(inside(space, table.folder / "markers"), "is missing")


def _files(space: Workspace, table: StageTable, marker: Marker, *, afresh: bool) -> Iterator[Problem]:
    for file in marker.files.values():
        path = table.folder / file["name"]
        if (problem := space.checked.wrong(path, file["sha256"], afresh=afresh)) is not None:
            yield Problem(inside(space, path), problem)


def _agree(table: StageTable, listed: Marker) -> bool:
    """Return whether a marker equals its entry in `current.json`; a marker with a digest is checked by that digest."""
    path = table.marker_path(listed.shard)
    try:
        return is_sealed(path) or table.marker(listed.shard) in (None, listed)
    except DataError:
        return True  # already reported


def _made_at_the_end(space: Workspace, table: StageTable, final: Mapping[str, Any]) -> Iterator[Problem]:
    for name, sha256 in final.get("files", {}).items():
        if (problem := space.checked.wrong(space.root / name, sha256, afresh=True)) is not None:
            yield Problem(name, f"{problem}; to make it again, delete {inside(space, table.folder)} and run the recipe")
    for name in final.get("artifacts", {}).values():
        if not (space.root / name).exists():
            yield Problem(name, "is missing; run the recipe to make it again")


def _wrongly_named(space: Workspace) -> Iterator[Problem]:
    """Yield the pictures whose name is not the SHA-256 of their bytes."""
    for folder in _BY_HASH:
        for path in sorted((space.root / folder).glob("??/*")):
            if len(path.parent.name + path.name) != 64:  # a draft of a process that was killed
                continue
            if (problem := space.checked.wrong(path, path.parent.name + path.name, afresh=True)) is not None:
                yield Problem(inside(space, path), problem)


def images_of(space: Workspace) -> Iterator[tuple[str, Marker, Sequence[Mapping[str, Any]]]]:
    """Yield the stage, the marker and the images of every shard whose images can be read."""
    for folder in sorted(path for path in space.tables.iterdir() if path.is_dir()):
        table = StageTable(space, folder.name)
        for marker in table.all_markers():
            with suppress(DataError):  # reported by `table_problems`
                if (rows := table.read(marker, "images", ["image_id", "source_uri"])) is not None:
                    yield folder.name, marker, rows.to_pylist()


def _pictures(space: Workspace, compared: CheckedPictures) -> Iterator[Problem]:
    """Yield missing and changed pictures to which tables refer, in the workspace and in the image folder."""
    settings = space.settings()
    folder = Path(settings["images"]) if settings.get("images") else None
    is_copied = space.copies_sources()
    has_folder = folder is not None and folder.is_dir()
    collected = collected_photographs(space.root)
    lost: dict[str, str] = {}
    held: set[str] = set()
    for _, _, rows in images_of(space):
        for row in rows:
            image_id, uri = row["image_id"], row["source_uri"]
            stored = space.objects.path(image_id)
            if stored.exists() or collected.path(image_id).exists():  # `_wrongly_named` has read it
                compared.inside.add(image_id)
                held |= {image_id} if uri is not None else set()
            elif uri is None:
                yield Problem(inside(space, stored), "is missing")
            elif folder is None or not (has_folder or is_copied):
                lost[image_id] = uri
            elif (problem := _changed(folder / path_for(uri), image_id)) is None:
                compared.outside.add(image_id)
                if is_copied:
                    yield Problem(inside(space, stored), f"is missing; {folder / path_for(uri)} is unchanged")
            elif is_copied:
                yield Problem(inside(space, stored), f"is missing, and its source {folder / path_for(uri)} {problem}")
            else:
                yield Problem(str(folder / path_for(uri)), problem)
    if lost:
        example = min(lost.values())
        yield Problem(
            "workspace.json" if folder is None else str(folder),
            f"{'names no image folder' if folder is None else 'is not there'}, and {len(lost)} of the workspace's "
            f"pictures exist nowhere else, such as {example!r}: restore the folder, or run with --images DIR",
        )
    elif held and folder is not None and not has_folder:
        yield Problem(
            str(folder),
            f"is not there; the workspace has its own copies of {counted(len(held), 'source picture')}",
            is_note=True,
        )


def _changed(path: Path, image_id: str) -> str | None:
    try:
        if file_digest(path) == image_id:
            return None
    except FileNotFoundError:
        return "is missing: restore it, or run the recipe again to continue without it"
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    return "has changed since ingest: restore it, or touch it and run the recipe again to ingest it as it is now"


def _memories(space: Workspace) -> Iterator[Problem]:
    """Yield damaged caches and journals, whose only purpose is to save work."""
    ingest = space.cache / "ingest.jsonl"
    if ingest.exists() and not is_whole(ingest):
        yield Problem(inside(space, ingest), "is damaged; the next run reads these files again")
    checked = space.cache / "checked.json"
    if checked.exists():
        try:
            read_sealed(checked)
        except DamagedError as error:
            yield _of(space, error)
    for entries in (space.cache / name for name in FILE_NAMES):
        if entries.exists() and (count := damaged_entries(entries)):
            yield Problem(
                inside(space, entries),
                f"has {counted(count, 'damaged entry', 'damaged entries')}; a run makes their contents again when it "
                f"needs them",
            )
    replies = space.step_replies
    if replies.exists() and (count := damaged_replies(replies)):
        yield Problem(
            inside(space, replies),
            f"has {counted(count, 'damaged reply', 'damaged replies')}; no run uses them, and a run that needs them "
            f"asks again",
            mend=partial(forget_damaged, replies),
        )
    for path in sorted(space.journal.glob("*/*.jsonl")):
        if torn_lines(path):
            yield Problem(inside(space, path), "has damaged lines; the next run makes those records again")


def _releases(space: Workspace) -> Iterator[Problem]:
    for folder in sorted((space.root / "releases").glob("*")):
        if not (folder / "manifest.json").exists() and not (folder / "manifest.sha256").exists():
            continue
        for line in verify_release(folder).problems:
            name, _, problem = line.partition(": ")
            yield Problem(
                f"{inside(space, folder)}/{name}",
                f"{problem}; a release is never rewritten: restore it from a copy, or move it away and run the recipe",
            )


def _without_store(space: Workspace) -> Iterator[Problem]:
    """Yield the decided campaigns whose review store is missing."""
    try:
        stages = stages_of_workspace(space.root)
    except (BenchwrightError, KeyError):  # damaged settings are reported elsewhere; a missing step is not damage
        return
    for stage in stages:
        if stage.kind == "campaign":
            try:
                require_store(space, stage)
            except DataError as error:
                yield Problem(inside(space, StageTable(space, stage.id).folder), str(error))


def marked_as_repaired(before: Sequence[Problem], after: Sequence[Problem]) -> list[Problem]:
    """Return the problems in `before`, marked as repaired if they no longer exist, and the new problems in `after`."""
    left = {problem.path: problem for problem in after if not problem.is_note}
    damage = [problem for problem in before if not problem.is_note]
    known = {problem.path for problem in damage}
    return [
        *(left.get(problem.path, replace(problem, repaired=True)) for problem in damage),
        *(problem for problem in after if problem.is_note or problem.path not in known),
    ]


def orphans(workspace: Workspace) -> Iterator[Path]:
    """Yield unreferenced shard files and objects that newer settings or images have replaced.

    The tables of steps that have left the recipe are kept: they are a curator's work, and are used again if the old
    recipe is restored.

    Raises:
        DataError: A file is damaged or missing, so that it is unknown which files are still needed.
    """
    if (problem := next(table_problems(workspace, afresh=False), None)) is not None:
        raise DataError(
            f"removed nothing, because {workspace.root / problem.path} {problem.what}: it is unknown what is still "
            f"needed; run the recipe again, or `benchwright check {workspace.root} --repair`, and then repeat this "
            "command"
        )
    pictures: set[str] = set()
    for folder in sorted(path for path in workspace.tables.iterdir() if path.is_dir()):
        table = StageTable(workspace, folder.name)
        listed = [marker for shard in table.marked() if (marker := table.marker(shard)) is not None] + table.current()
        named = {file["name"] for marker in listed for file in marker.files.values()}
        for marker in listed:
            images = table.read(marker, "images", ["image_id"])
            pictures |= set(images.column("image_id").to_pylist()) if images is not None else set()
        yield from (path for path in sorted(folder.glob("*.parquet")) if path.name not in named)
    # Earlier versions kept each thumbnail of the funnel page here, in a separate file.
    yield from sorted((workspace.cache / "funnel").glob("*.jpg"))
    now = current_snapshot(workspace)
    yield from (path for path in sorted(workspace.overrides.glob("*.parquet")) if path.name != now)
    for path in sorted(workspace.objects.root.glob("??/*")):
        if path.parent.name + path.name not in pictures:
            yield path

"""Check that a workspace still holds what was written to it, by reading every file.

Each part of a workspace has its own checksums: markers hold the SHA-256 of their shards' files, JSON documents a digest
of themselves, pictures are named by the SHA-256 of their bytes, each line of a journal or cache has a checksum, and a
release has its manifest. Rooms that keep files of their own in a workspace check those.

This module also lists, for `gc`, the files that no table refers to any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from benchwright.canonical import file_digest
from benchwright.errors import DamagedError, DataError
from benchwright.images.identify import path_for
from benchwright.models.reply_store import damaged_replies, forget_damaged
from benchwright.photographs import FOLDER as COLLECTED
from benchwright.photographs import collected_photographs
from benchwright.pipeline.damage import inside
from benchwright.pipeline.outcomes import torn_lines
from benchwright.pipeline.overrides import current_snapshot, snapshot_problems
from benchwright.pipeline.runlog import log_problems
from benchwright.pipeline.seen_files import is_whole
from benchwright.release.verification.verify import verify_release
from benchwright.rooms import catalogue
from benchwright.workspace.item_cache import FILE_NAME, damaged_entries
from benchwright.workspace.sealed import is_sealed, read_sealed
from benchwright.workspace.shards import Marker, StageTable
from benchwright.workspace.stage_input import INGEST
from benchwright.workspace.workspace import Workspace

BY_HASH = ("objects", COLLECTED, "review-pictures")
"""Folders whose files are named by the SHA-256 of their bytes."""


@dataclass(frozen=True)
class Problem:
    """Something in a workspace that is not as it was written.

    Args:
        path: Path of the file or folder, relative to the workspace; `FILE, table NAME, row ID` for a row.
        what: Description of the damage; where it cannot be made again, also what to do.
        repaired: Whether it has been made again.
        is_note: Whether this is only a note that the path cannot be checked; no damage is known.
        mend: Function of a room that repairs it; None where `check --repair` itself repairs it, or nothing can.
    """

    path: str
    what: str
    repaired: bool = False
    is_note: bool = False
    mend: Callable[[], None] | None = field(default=None, repr=False, compare=False)


def problems_of(space: Workspace) -> list[Problem]:
    """Read everything in a workspace; return its problems, one for each file, and notes on what cannot be checked."""
    problems: dict[tuple[str, bool], Problem] = {}
    for problem in _all(space):
        problems.setdefault((problem.path, problem.is_note), problem)
    return list(problems.values())


def _all(space: Workspace) -> Iterator[Problem]:
    yield from table_problems(space, afresh=True)
    try:
        yield from (_of(space, error) for error in snapshot_problems(space))
    except DataError as error:
        yield Problem("overrides/current.json", str(error))
    yield from _wrongly_named(space)
    try:
        yield from _pictures(space)
    except DataError as error:  # `table_problems` has reported the tables that cannot be read
        yield Problem("objects", f"cannot be compared with the tables: {error}")
    yield from _memories(space)
    yield from (_of(space, error) for error in log_problems(space))
    yield from _releases(space)
    for check in catalogue("checks").values():
        yield from check.load()(space.root)


def _of(space: Workspace, error: DamagedError) -> Problem:
    return Problem(inside(space, error.path), error.what)


def table_problems(space: Workspace, *, afresh: bool) -> Iterator[Problem]:
    """Yield the problems of settings and tables, and contradictions between them.

    Args:
        space: The workspace.
        afresh: Whether to read files again that have not changed since they were last checked.
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
            yield Problem(path, "does not say what current.json says of its shard")
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
            yield Problem(
                name, f"{problem}; to have it made again, delete {inside(space, table.folder)} and run the recipe"
            )
    for name in final.get("artifacts", {}).values():
        if not (space.root / name).exists():
            yield Problem(name, "is missing; running the recipe makes it again")


def _wrongly_named(space: Workspace) -> Iterator[Problem]:
    """Yield pictures whose bytes do not have the SHA-256 that is their name."""
    for folder in BY_HASH:
        for path in sorted((space.root / folder).glob("??/*")):
            if len(path.parent.name + path.name) != 64:  # a draft of a process that was killed
                continue
            if (problem := space.checked.wrong(path, path.parent.name + path.name, afresh=True)) is not None:
                yield Problem(inside(space, path), problem)


def images_of(space: Workspace) -> Iterator[tuple[str, Marker, Sequence[Mapping[str, Any]]]]:
    """Yield stage, marker and images of every shard whose images can be read."""
    for folder in sorted(path for path in space.tables.iterdir() if path.is_dir()):
        table = StageTable(space, folder.name)
        for marker in table.all_markers():
            with suppress(DataError):  # reported by `table_problems`
                if (rows := table.read(marker, "images", ["image_id", "source_uri"])) is not None:
                    yield folder.name, marker, rows.to_pylist()


def _pictures(space: Workspace) -> Iterator[Problem]:
    """Yield pictures that tables refer to and that are missing or changed."""
    folder = Path(str(space.settings().get("images", "")))
    collected = collected_photographs(space.root)
    for _, _, rows in images_of(space):
        for row in rows:
            stored = space.objects.path(row["image_id"])
            if stored.exists() or collected.path(row["image_id"]).exists():
                continue
            if row["source_uri"] is None:
                yield Problem(inside(space, stored), "is missing")
            elif (
                folder.is_dir()
                and (problem := _changed(folder / path_for(row["source_uri"]), row["image_id"])) is not None
            ):
                yield Problem(str(folder / path_for(row["source_uri"])), problem)


def _changed(path: Path, image_id: str) -> str | None:
    try:
        if file_digest(path) == image_id:
            return None
    except FileNotFoundError:
        return "is missing: put it back, or run the recipe again to go on without it"
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    return "is not what was taken in: put it back, or touch it and run the recipe again to take it in as it is now"


def _memories(space: Workspace) -> Iterator[Problem]:
    """Yield damaged caches and journals; they only save work."""
    ingest = space.cache / "ingest.jsonl"
    if ingest.exists() and not is_whole(ingest):
        yield Problem(inside(space, ingest), "is damaged; the next run reads these files again")
    checked = space.cache / "checked.json"
    if checked.exists():
        try:
            read_sealed(checked)
        except DamagedError as error:
            yield _of(space, error)
    items = space.cache / FILE_NAME
    if items.exists() and (count := damaged_entries(items)):
        yield Problem(
            inside(space, items), f"has {count} damaged entries; what they kept is made again when it is wanted"
        )
    replies = space.step_replies
    if replies.exists() and (count := damaged_replies(replies)):
        yield Problem(
            inside(space, replies),
            f"has {count} damaged replies; no run uses them, and one that wants them asks again",
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
                f"{problem}; a release is never written again: take it from a copy, or move it away and run the recipe",
            )


def marked_as_repaired(before: Sequence[Problem], after: Sequence[Problem]) -> list[Problem]:
    """Return the problems of before, with those that are gone marked as repaired, and the new problems of after."""
    left = {problem.path: problem for problem in after if not problem.is_note}
    damage = [problem for problem in before if not problem.is_note]
    known = {problem.path for problem in damage}
    return [
        *(left.get(problem.path, replace(problem, repaired=True)) for problem in damage),
        *(problem for problem in after if problem.is_note or problem.path not in known),
    ]


def orphans(workspace: Workspace) -> Iterator[Path]:
    """Yield shard files and objects that nothing refers to, because newer settings or images have replaced them.

    Tables of steps that are no longer in the recipe are kept: they are a curator's work, and a return to the old
    recipe uses them again.

    Raises:
        DataError: Something is damaged or missing, so that it is not known which files are still needed.
    """
    if (problem := next(table_problems(workspace, afresh=False), None)) is not None:
        raise DataError(
            f"nothing is removed, because {workspace.root / problem.path} {problem.what}: what is still wanted cannot "
            f"be told; run the recipe again, or `benchwright check {workspace.root} --repair`, and then this"
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
    # Earlier versions kept each thumbnail of the funnel page here, in a file of its own.
    yield from sorted((workspace.cache / "funnel").glob("*.jpg"))
    now = current_snapshot(workspace)
    yield from (path for path in sorted(workspace.overrides.glob("*.parquet")) if path.name != now)
    for path in sorted(workspace.objects.root.glob("??/*")):
        if path.parent.name + path.name not in pictures:
            yield path

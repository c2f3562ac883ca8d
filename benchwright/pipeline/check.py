"""Whether a workspace still holds what was written to it: every file read, nothing taken on trust.

Each part of a workspace vouches for itself in its own way: markers hold the SHA-256 of their shards, JSON documents a
digest of themselves, pictures are named by their bytes, lines of journals and memories stand behind a checksum, and a
release has its manifest. Rooms that keep things of their own in a workspace say what is wrong with those.

What no table refers to any more is named for `gc`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchwright.canonical import file_digest
from benchwright.errors import DamagedError, DataError
from benchwright.images.identify import path_for
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
    """Something that is not as it was written.

    Args:
        path: Path of the file or folder, relative to the workspace; `FILE, table NAME, row ID` for a row.
        what: What is wrong with it, and where nobody can make it again what to do.
        repaired: Whether it has been made again.
        is_note: Whether nothing is known to be wrong: it only says that damage of this could not be told.
        mend: Repairs it, for what a room keeps; None where `check --repair` knows how, or nobody does.
    """

    path: str
    what: str
    repaired: bool = False
    is_note: bool = False
    mend: Callable[[], None] | None = field(default=None, repr=False, compare=False)


def problems_of(space: Workspace) -> list[Problem]:
    """Read everything in a workspace and return what is wrong, each file once, and what could not be told."""
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
    except DataError as error:  # tables that cannot be read are named above
        yield Problem("objects", f"cannot be compared with the tables: {error}")
    yield from _memories(space)
    yield from (_of(space, error) for error in log_problems(space))
    yield from _releases(space)
    for check in catalogue("checks").values():
        yield from check.load()(space.root)


def _of(space: Workspace, error: DamagedError) -> Problem:
    return Problem(inside(space, error.path), error.what)


def table_problems(space: Workspace, *, afresh: bool) -> Iterator[Problem]:
    """Yield what is wrong with settings and tables, and where they do not fit together.

    Args:
        space: The workspace.
        afresh: Whether files are read again that have not changed since they were found right.
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
    """Return whether a marker says what `current.json` says; one with a digest is vouched for by that."""
    path = table.marker_path(listed.shard)
    try:
        return is_sealed(path) or table.marker(listed.shard) in (None, listed)
    except DataError:
        return True  # named already


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
    """Yield pictures whose bytes are not those that their names say."""
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
            with suppress(DataError):  # such tables are named for themselves
                if (rows := table.read(marker, "images", ["image_id", "source_uri"])) is not None:
                    yield folder.name, marker, rows.to_pylist()


def _pictures(space: Workspace) -> Iterator[Problem]:
    """Yield pictures that tables name and that are not where they belong."""
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
    """Yield what is damaged of the things that only save work."""
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
    """Return all problems there were, those that are gone as repaired, and those that have come."""
    left = {problem.path: problem for problem in after if not problem.is_note}
    damage = [problem for problem in before if not problem.is_note]
    known = {problem.path for problem in damage}
    return [
        *(left.get(problem.path, replace(problem, repaired=True)) for problem in damage),
        *(problem for problem in after if problem.is_note or problem.path not in known),
    ]


def orphans(workspace: Workspace) -> Iterator[Path]:
    """Yield shard files and objects that nothing refers to: what newer settings or images have replaced.

    Tables of steps that are no longer in the recipe stay: they are a curator's work, and going back to the old
    recipe finds them again.

    Raises:
        DataError: Something is damaged or missing, so that it is not known what is still wanted.
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
    # Earlier versions kept small pictures of funnel pages here, each in a file.
    yield from sorted((workspace.cache / "funnel").glob("*.jpg"))
    now = current_snapshot(workspace)
    yield from (path for path in sorted(workspace.overrides.glob("*.parquet")) if path.name != now)
    for path in sorted(workspace.objects.root.glob("??/*")):
        if path.parent.name + path.name not in pictures:
            yield path

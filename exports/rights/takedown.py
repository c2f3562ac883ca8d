"""Withdrawal of an image, and of everything made from it, from a workspace's next release; who holds it is listed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.canonical import bytes_digest
from benchwright.errors import BenchwrightError, DataError, UnreadableImage
from benchwright.images.formats.walking import Limits
from benchwright.images.identify import path_for, read_file
from benchwright.pipeline import open_view
from benchwright.records import ImageRecord
from benchwright.release import Release
from benchwright.release.format.provenance import files_before_release
from benchwright.rights import without_metadata
from benchwright.workspace.record_lookup import Lookup
from benchwright.workspace.run_results import stage_names
from benchwright.workspace.shards import StageTable
from benchwright.workspace.stage_input import INGEST
from benchwright.workspace.tables import image_records
from benchwright.workspace.takedowns import Takedown, goes_back_to, save_takedowns, takedowns_of
from benchwright.workspace.workspace import Workspace


class HoldingRelease(NamedTuple):
    """A release of the workspace that shows an image, or pictures made from it.

    Args:
        path: Folder of the release.
        name: Name and version.
        release_id: Id of the release.
        items: Ids of its items that show or go back to the image, sorted.
    """

    path: Path
    name: str
    release_id: str
    items: tuple[str, ...]


class TakedownResult(NamedTuple):
    """What a withdrawal changes.

    Args:
        takedown: The withdrawal as it is recorded.
        is_new: Whether this call recorded it.
        items: Number of items that the next version does without, or gets back; None where the run is not complete.
        releases: Releases of the workspace that hold the image, by folder; they stay as they are.
    """

    takedown: Takedown
    is_new: bool
    items: int | None
    releases: tuple[HoldingRelease, ...]


def take_down(root: Path, name: str, *, why: str, by: str, now: datetime, undo: bool = False) -> TakedownResult:
    """Withdraw an image and everything made from it from the next release, or take that back.

    Nothing is deleted: tables, decisions and earlier releases stay, and so does the entry when it is taken back.

    Args:
        root: Folder of the workspace.
        name: The image: its id or the beginning of it, that of a file which a release made of it, or its path.
        why: Reason, in one line.
        by: Who withdraws it.
        now: Time of the withdrawal, with a time zone.
        undo: Whether to take a withdrawal back.

    Raises:
        BenchwrightError: There is no such image, a run is at work, or nothing is to be taken
            back.
    """
    space = Workspace.open(root)
    record = _source_image(space, name)
    held = tuple(_releases_with(space, record))
    items = _items_of(root, record.image_id)
    with space.locked():
        entries = takedowns_of(space)
        holding = next((entry for entry in entries if entry.image_id == record.image_id and entry.holds), None)
        moment = now.isoformat(timespec="seconds")
        if undo:
            if holding is None:
                raise BenchwrightError(f"{name!r} is not withdrawn from {root}; there is nothing to take back")
            done = holding.model_copy(update={"undone_by": by, "undone_at": moment, "undone_why": why})
            entries[entries.index(holding)] = done
        elif holding is not None:
            return TakedownResult(holding, False, items, held)
        else:
            uri = record.source.uri if record.source else record.image_id
            done = Takedown(image_id=record.image_id, uri=uri, why=why, by=by, at=moment)
            entries.append(done)
        save_takedowns(space, entries)
    return TakedownResult(done, True, items, held)


def _source_image(space: Workspace, name: str) -> ImageRecord:
    """Return the record of the source image that somebody names.

    Raises:
        BenchwrightError: There is none, or several.
    """
    try:
        known = Lookup(space).find(name)
    except BenchwrightError:
        originals = _originals_of_released(space, name)
        if len(originals) != 1:
            raise
        known = Lookup(space).find(originals.pop())
    if known.stream != "images":
        raise BenchwrightError(
            f"{name!r} is an item; give the image (`benchwright trace` names it), or drop the item with "
            "`benchwright filter drop`"
        )
    for record in _records(space):
        if record.image_id == known.record_id:
            return record
    raise BenchwrightError(f"image {known.record_id} is in no table of {space.root}; run the recipe again")


def _originals_of_released(space: Workspace, name: str) -> set[str]:
    """Return the images of the workspace of which releases made a file whose id begins so."""
    originals: set[str] = set()
    for release in _releases(space) if len(name) >= 6 else ():
        before = files_before_release(release.provenance())
        originals |= {original for cut, original in before.items() if cut.startswith(name)}
    return originals


def _records(space: Workspace) -> Iterator[ImageRecord]:
    for stage in dict.fromkeys([INGEST, *stage_names(space)]):
        table = StageTable(space, stage)
        for marker in table.current():
            if (rows := table.read(marker, "images")) is not None:
                yield from image_records(rows)


def _releases(space: Workspace) -> Iterator[Release]:
    for manifest in sorted((space.root / "releases").glob("[!.]*/manifest.json")):
        yield Release.open(manifest.parent)


def _releases_with(space: Workspace, record: ImageRecord) -> Iterator[HoldingRelease]:
    """Yield the releases that show an image, or pictures made from it, sealed splits included."""
    made = _made_from(space, record)
    for release in _releases(space):
        ids = made | {cut for cut, before in files_before_release(release.provenance()).items() if before in made}
        items = tuple(
            sorted(
                row["item_id"]
                for row in release.rows(("item_id", "image_ids", "root_image_id"))
                if not ids.isdisjoint((row["root_image_id"], *row["image_ids"]))
            )
        )
        if items:
            yield HoldingRelease(release.path, f"{release.name} {release.version}", release.release_id, items)


def _made_from(space: Workspace, record: ImageRecord) -> set[str]:
    """Return the ids of an image, of all that steps made from it, and of the file that releases make of it."""
    parents = [(made.image_id, made.derived_from) for made in _records(space) if made.derived_from]
    ids, before = {record.image_id}, 0
    while len(ids) > before:
        before = len(ids)
        ids |= {image_id for image_id, derived_from in parents if not ids.isdisjoint(derived_from)}
    return ids | _cut_id(space, record)


def _cut_id(space: Workspace, record: ImageRecord) -> set[str]:
    """Return the id of an image's file without its metadata, by which sealed splits show it; none where it is gone."""
    folder = space.settings().get("images")
    files = [space.objects.path(record.image_id)]
    if isinstance(folder, str) and record.source is not None:
        files.append(Path(folder) / path_for(record.source.uri))
    for path in files:
        try:
            data = read_file(path, limits=Limits())
            if bytes_digest(data) == record.image_id:
                return {bytes_digest(without_metadata(data, record.media_type))}
        except (OSError, UnreadableImage):
            continue
    return set()


def _items_of(root: Path, image_id: str) -> int | None:
    """Return the number of live items that show or go back to an image; None where the run is not complete."""
    try:
        view = open_view(root, withdrawn=())
        return sum(goes_back_to(item, (image_id,), view.image) for item, _ in view.items())
    except DataError:
        raise
    except BenchwrightError:
        return None


def describe(result: TakedownResult) -> dict[str, Any]:
    """Return a result as JSON values."""
    return {
        **{name: value for name, value in result.takedown.model_dump().items() if name != "uri"},
        "file": result.takedown.uri,
        "holds": result.takedown.holds,
        "is_new": result.is_new,
        "items": result.items,
        "releases": [
            {**release._asdict(), "path": str(release.path), "items": list(release.items)}
            for release in result.releases
        ],
    }

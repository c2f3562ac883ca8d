"""Withdrawal of an image, and of everything made from it, from the next release; lists the releases that contain it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple

from benchwright.canonical import bytes_digest
from benchwright.errors import BenchwrightError, DataError, UnreadableImage
from benchwright.images.formats.walking import Limits
from benchwright.images.identify import path_for
from benchwright.images.regular_files import read_file
from benchwright.pipeline import open_view
from benchwright.pipeline.run import worker_context_of
from benchwright.records import ImageRecord
from benchwright.rights import without_metadata
from benchwright.workspace.run_results import files_of, stage_names
from benchwright.workspace.shards import StageTable
from benchwright.workspace.stage_input import CLUSTER, INGEST
from benchwright.workspace.tables import image_records
from benchwright.workspace.takedowns import Takedown, goes_back_to, save_takedowns, takedowns_of
from benchwright.workspace.workspace import Workspace

from .copies import copies_of
from .named_picture import items_showing, releases_of, source_image

Copies = Literal["all", "certain"]
_NAMED, _TOGETHER = "named", "withdrawn together"
_MOST_NAMED = 10


class HoldingRelease(NamedTuple):
    """A release in the workspace that shows an image, or pictures made from it.

    Args:
        path: Folder of the release.
        name: Name and version.
        release_id: Id of the release.
        items: Ids of its items that show the image or are based on it, sorted.
        possible: Ids of further items that may show a copy, since a step put both pictures in one group; sorted.
    """

    path: Path
    name: str
    release_id: str
    items: tuple[str, ...]
    possible: tuple[str, ...] = ()


class WithdrawnPicture(NamedTuple):
    """A picture affected by a withdrawal.

    Args:
        image_id: Id of the picture.
        files: Its files, as imported; several if their bytes are equal.
        how: `named`, `equal pixels`, or the name of the stage that recorded the picture as a copy.
    """

    image_id: str
    files: tuple[str, ...]
    how: str

    @property
    def name(self) -> str:
        """Return its file names, or its id if it has none."""
        return " = ".join(self.files) or self.image_id


class TakedownResult(NamedTuple):
    """The effects of a withdrawal.

    Args:
        takedown: The recorded withdrawal of the named picture.
        is_new: Whether this call recorded anything.
        pictures: All withdrawn or restored pictures: the named one, then its copies.
        made: Number of pictures that steps made from the withdrawn or restored ones.
        items: Number of items that the next version omits or regains; None if the run is not complete.
        releases: Releases in the workspace that contain any of the pictures, ordered by folder; they stay unchanged.
        possible: Pictures that may be copies but stay because `certain` was requested.
        not_compared: Names of pictures of the same size whose files are unreadable, so that their status is unknown.
        looked_for_near: Whether a step of the recipe searched for copies whose pixels differ.
    """

    takedown: Takedown
    is_new: bool
    pictures: tuple[WithdrawnPicture, ...]
    made: int
    items: int | None
    releases: tuple[HoldingRelease, ...]
    possible: tuple[WithdrawnPicture, ...]
    not_compared: tuple[str, ...]
    looked_for_near: bool


def take_down(
    root: Path, name: str, *, why: str, by: str, now: datetime, undo: bool = False, copies: Copies | None = None
) -> TakedownResult:
    """Withdraw an image, its copies and everything made from them from the next release, or undo that.

    Nothing is deleted: tables, decisions and earlier releases stay, as does the recorded withdrawal after an undo.

    Args:
        root: Folder of the workspace.
        name: The image: its path, its id, or a file that a release made from it, as in `source_image`.
        why: Reason, in one line.
        by: Name of the person who withdraws it.
        now: Time of the withdrawal, with a time zone.
        undo: Whether to undo a withdrawal.
        copies: Whether pictures that may be copies are also withdrawn (`all`) or stay (`certain`); if None and such
            pictures exist, the withdrawal is refused.

    Raises:
        BenchwrightError: The image is unknown, pictures may be copies of it and `copies` is None, a run is active, or
            no withdrawal exists to undo.
    """
    space = Workspace.open(root)
    records = list(_records(space))
    record = source_image(space, name, records)
    known = copies_of(space, record.image_id, records, worker_context_of(space).reader.file_bytes)
    names = _files(space, records)
    groups = known.groups
    chosen = {record.image_id: _NAMED, **known.certain, **(known.possible if copies == "all" else {})}
    pictures = tuple(WithdrawnPicture(image_id, names.get(image_id, ()), how) for image_id, how in chosen.items())
    with space.locked():
        entries = takedowns_of(space)
        holding = {entry.image_id: entry for entry in entries if entry.holds}
        rest = tuple(
            WithdrawnPicture(image_id, names.get(image_id, ()), how)
            for image_id, how in known.possible.items()
            if image_id not in chosen and image_id not in holding
        )
        moment = now.isoformat(timespec="seconds")
        if undo:
            pictures = _with_the_same_withdrawal(pictures, holding, names)
            changed = [holding[picture.image_id] for picture in pictures if picture.image_id in holding]
            if not changed:
                raise BenchwrightError(f"{name!r} is not withdrawn from {root}; there is nothing to take back")
            done = {"undone_by": by, "undone_at": moment, "undone_why": why}
            entries = [entry.model_copy(update=done) if entry in changed else entry for entry in entries]
            rest = ()
        else:
            if rest and copies is None:
                raise BenchwrightError(_undecided(name, rest))
            changed = [
                Takedown(image_id=picture.image_id, uri=picture.name, why=why, by=by, at=moment)
                for picture in pictures
                if picture.image_id not in holding
            ]
            entries += changed
        if changed:
            save_takedowns(space, entries)
    ids = [picture.image_id for picture in pictures]
    made = _made_from(records, ids)
    hashes = {known.pixel_hash for known in records if known.image_id in ids and known.pixel_hash is not None}
    latest = {entry.image_id: entry for entry in entries}
    return TakedownResult(
        takedown=latest.get(record.image_id) or latest[ids[0]],
        is_new=bool(changed),
        pictures=pictures,
        made=len(made - set(ids)),
        items=_items_of(root, ids),
        releases=tuple(_releases_with(space, made | _cut_ids(space, records, ids), groups, hashes)),
        possible=rest,
        not_compared=tuple(" = ".join(names.get(image_id, ())) or image_id for image_id in known.not_compared),
        looked_for_near=known.looked_for_near,
    )


def _with_the_same_withdrawal(
    pictures: tuple[WithdrawnPicture, ...], holding: Mapping[str, Takedown], names: Mapping[str, tuple[str, ...]]
) -> tuple[WithdrawnPicture, ...]:
    """Return pictures together with those, such as possible copies, that were withdrawn at the same time."""
    ids = [picture.image_id for picture in pictures]
    moments = {(holding[one].at, holding[one].by, holding[one].why) for one in ids if one in holding}
    together = [one for one, entry in holding.items() if (entry.at, entry.by, entry.why) in moments and one not in ids]
    withdrawn = [picture for picture in pictures if picture.image_id in holding]
    return (*withdrawn, *(WithdrawnPicture(one, names.get(one, ()), _TOGETHER) for one in together))


def _undecided(name: str, pictures: Sequence[WithdrawnPicture]) -> str:
    named = ", ".join(f"{picture.name} ({picture.how})" for picture in pictures[:_MOST_NAMED])
    more = f" and {len(pictures) - _MOST_NAMED} more" if len(pictures) > _MOST_NAMED else ""
    return (
        f"nothing is withdrawn yet: no step is certain whether these are copies of {name!r}: {named}{more}; withdraw "
        "them as well with --copies all, or leave them with --copies certain"
    )


def _records(space: Workspace) -> Iterator[ImageRecord]:
    for stage in dict.fromkeys([INGEST, *stage_names(space)]):
        table = StageTable(space, stage)
        for marker in table.current():
            if (rows := table.read(marker, "images")) is not None:
                yield from image_records(rows)


def _releases_with(
    space: Workspace, image_ids: Collection[str], groups: Collection[str], hashes: Collection[str]
) -> Iterator[HoldingRelease]:
    """Yield the releases that show any of the images or an equal picture, or may show a copy, also in sealed splits.

    Args:
        space: The workspace.
        image_ids: Ids of the images.
        groups: Group keys that items share with these images.
        hashes: Hashes of their upright pixels, by which copies in a release are recognized even if the workspace no
            longer has them.
    """
    for release in releases_of(space):
        records = [record for record in release.provenance() if isinstance(record, ImageRecord)]
        equal = {record.image_id for record in records if record.pixel_hash in hashes}
        items = items_showing(release, {*image_ids, *equal})
        keys = {row["item_id"]: row["group_keys"] for row in release.rows(("item_id", "group_keys"))}
        then = {key for item in items for key in keys[item] if key.startswith(CLUSTER)}  # of copies that are gone since
        possible = tuple(sorted(item for item in keys.keys() - {*items} if {*groups, *then} & {*keys[item]}))
        if items or possible:
            name = f"{release.name} {release.version}"
            yield HoldingRelease(release.path, name, release.release_id, items, possible)


def _made_from(records: Sequence[ImageRecord], image_ids: Iterable[str]) -> set[str]:
    """Return the given image ids and the ids of all pictures that steps made from those images."""
    parents = [(made.image_id, made.derived_from) for made in records if made.derived_from]
    ids, before = set(image_ids), 0
    while len(ids) > before:
        before = len(ids)
        ids |= {image_id for image_id, derived_from in parents if not ids.isdisjoint(derived_from)}
    return ids


def _files(space: Workspace, records: Iterable[ImageRecord]) -> dict[str, tuple[str, ...]]:
    """Return the imported files of each picture, the one that was kept first."""
    files: dict[str, dict[str, None]] = {}
    for record in records:
        if record.source is not None:
            files.setdefault(record.image_id, {})[record.source.uri] = None
    for row in files_of(space):
        if row["image_id"] is not None:
            files.setdefault(row["image_id"], {})[row["uri"]] = None
    return {image_id: tuple(names) for image_id, names in files.items()}


def _cut_ids(space: Workspace, records: Iterable[ImageRecord], image_ids: Collection[str]) -> set[str]:
    """Return the ids of images' files without metadata, as sealed splits use them; missing files are skipped."""
    folder = space.settings().get("images")
    cut: set[str] = set()
    for record in {record.image_id: record for record in records if record.image_id in image_ids}.values():
        files = [space.objects.path(record.image_id)]
        if isinstance(folder, str) and record.source is not None:
            files.append(Path(folder) / path_for(record.source.uri))
        for path in files:
            with suppress(OSError, UnreadableImage):
                data = read_file(path, limits=Limits())
                if bytes_digest(data) == record.image_id:
                    cut.add(bytes_digest(without_metadata(data, record.media_type)))
                    break
    return cut


def _items_of(root: Path, image_ids: Sequence[str]) -> int | None:
    """Return the number of remaining items based on any of the images; None if the run is incomplete."""
    try:
        view = open_view(root, withdrawn=())
        return sum(goes_back_to(item, image_ids, view.image) for item, _ in view.items())
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
        "pictures": [{**picture._asdict(), "files": list(picture.files)} for picture in result.pictures],
        "made": result.made,
        "possible": [{**picture._asdict(), "files": list(picture.files)} for picture in result.possible],
        "not_compared": list(result.not_compared),
        "looked_for_near": result.looked_for_near,
        "releases": [
            {
                **release._asdict(),
                "path": str(release.path),
                "items": list(release.items),
                "possible": list(release.possible),
            }
            for release in result.releases
        ],
    }

"""The source image identified by a path, an id, or a file of a release; for a made picture, its source images."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from benchwright.canonical import bytes_digest
from benchwright.errors import BenchwrightError, UnreadableImage
from benchwright.images.formats.walking import Limits
from benchwright.images.regular_files import read_file
from benchwright.records import ImageRecord
from benchwright.release import Release
from benchwright.release.format.provenance import files_before_release
from benchwright.workspace.record_lookup import SHORTEST_PREFIX, Lookup
from benchwright.workspace.workspace import Workspace


def source_image(space: Workspace, name: str, records: Iterable[ImageRecord]) -> ImageRecord:
    """Return the record of the source image that a path or id identifies.

    Args:
        space: The workspace.
        name: Path of the image in its folder; its id, or the id of a file that a release made from it, or the beginning
            of such an id; or the path of such a file on this machine.
        records: Records of all pictures in the workspace, both source images and pictures made by steps.

    Raises:
        BenchwrightError: No image or several images match, a step made the picture, or it is only in an earlier
            release.
    """
    known = {record.image_id: record for record in records}
    try:
        found = Lookup(space).find(name)
    except BenchwrightError:
        image_id = _of_file(space, name, known)
        if image_id is None:
            raise
    else:
        if found.stream != "images":
            raise BenchwrightError(
                f"{name!r} is an item; give the image (`benchwright trace` names it), or drop the item with "
                "`benchwright filter drop`"
            )
        image_id = found.record_id
    if image_id not in known:
        raise BenchwrightError(_in_no_table(space, name, image_id))
    if known[image_id].derived_from:
        raise BenchwrightError(_made(name, known[image_id], known))
    return known[image_id]


def releases_of(space: Workspace) -> Iterator[Release]:
    """Yield the releases in a workspace, in the order of their folders."""
    for manifest in sorted((space.root / "releases").glob("[!.]*/manifest.json")):
        yield Release.open(manifest.parent)


def _of_file(space: Workspace, name: str, known: Mapping[str, ImageRecord]) -> str | None:
    """Return the workspace's id of a picture made by a release or a step, given its file or all or part of its id."""
    wanted = _digest_of_file(name) or name
    if len(wanted) < SHORTEST_PREFIX:
        return None
    found = {image_id for image_id in known if image_id.startswith(wanted)}
    for release in releases_of(space):
        records = list(release.provenance())
        before = files_before_release(records)
        ids = (record.image_id for record in records if isinstance(record, ImageRecord))
        found |= {before.get(image_id, image_id) for image_id in ids if image_id.startswith(wanted)}
    if len(found) > 1:
        raise BenchwrightError(f"{name!r} is a prefix of {len(found)} ids; give more digits")
    return found.pop() if found else None


def _digest_of_file(name: str) -> str | None:
    with suppress(OSError, ValueError, UnreadableImage):
        if Path(name).is_file():
            return bytes_digest(read_file(Path(name), limits=Limits()))
    return None


def _made(name: str, made: ImageRecord, known: Mapping[str, ImageRecord]) -> str:
    sources, waiting, seen = dict[str, None](), [made.image_id], set[str]()
    while waiting:
        image_id = waiting.pop()
        record = known.get(image_id)
        if record is None or not record.derived_from:
            sources[image_id if record is None or record.source is None else record.source.uri] = None
        elif image_id not in seen:
            seen.add(image_id)
            waiting += reversed(record.derived_from)
    named = ", ".join(sources)
    which = f"{named}: withdraw that" if len(sources) == 1 else f"{named}: withdraw the one that is meant"
    return (
        f"{name!r} is a picture that the recipe made from {which}, and everything made from it is withdrawn as well; "
        "to leave out only single items, drop them with `benchwright filter drop`"
    )


def _in_no_table(space: Workspace, name: str, image_id: str) -> str:
    holding = [
        f"{release.path} in {len(items)} of its items"
        for release in releases_of(space)
        if (items := items_showing(release, {image_id}))
    ]
    if not holding:
        return f"image {image_id} is in no table of {space.root}; run the recipe again"
    return (
        f"{name!r} is no longer in any table of {space.root}, so the next version will not contain it; earlier "
        f"releases do, and never change: {', '.join(holding)}; delete them, including published copies, or tell those "
        "who have them"
    )


def items_showing(release: Release, image_ids: Iterable[str]) -> tuple[str, ...]:
    """Return the sorted ids of a release's items that show or are based on images or on files made from them."""
    wanted = set(image_ids)
    before = files_before_release(release.provenance())
    wanted |= {cut for cut, original in before.items() if original in wanted}
    rows = release.rows(("item_id", "image_ids", "root_image_id"))
    return tuple(
        sorted(row["item_id"] for row in rows if not wanted.isdisjoint((row["root_image_id"], *row["image_ids"])))
    )

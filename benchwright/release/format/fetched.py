"""Pictures that a release states by URL and hash, as stored by `release fetch` in a folder next to the release.

A release never changes, so these files are outside it, in `NAME.pictures` next to the folder `NAME`, each named by its
SHA-256.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from benchwright.canonical import bytes_digest
from benchwright.errors import BenchwrightError, DataError
from benchwright.release.format.files import read_inside
from benchwright.release.format.parquet import MAX_PICTURE_BYTES
from benchwright.release.format.rows import ReleasedItem


def fetched_folder(release: Path) -> Path:
    """Return the folder of a release's fetched pictures."""
    whole = release.resolve()
    return whole.with_name(f"{whole.name}.pictures")


def has_fetched(folder: Path, image_id: str) -> bool:
    """Return whether a picture is present and intact."""
    try:
        return bytes_digest(read_inside(folder, image_id, max_bytes=MAX_PICTURE_BYTES)) == image_id
    except DataError:
        return False


def with_fetched(released: ReleasedItem, release: Path) -> ReleasedItem:
    """Return an item with all its pictures.

    Raises:
        BenchwrightError: A picture has not been downloaded, or differs from the one that the release states.
    """
    missing = [image.image_id for image in released.item.images if image.image_id not in released.images]
    if not missing:
        return released
    folder = fetched_folder(release)
    images = dict(released.images)
    for image_id in dict.fromkeys(missing):
        try:
            data = read_inside(folder, image_id, max_bytes=MAX_PICTURE_BYTES)
        except DataError as error:
            raise BenchwrightError(
                f"{release}: item {released.item.item_id} shows the picture {image_id[:12]}, which the release states "
                f"by address only; run `benchwright release fetch {release}`"
            ) from error
        if bytes_digest(data) != image_id:
            raise DataError(f"{folder / image_id} does not match the SHA-256 in its name; remove it and fetch again")
        images[image_id] = data
    return replace(released, images=images)

"""Fetching of pictures that a release states by address and hash, under the rules of the release's script."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from benchwright.errors import DataError
from benchwright.progress import Progress, Silent
from benchwright.records import ImageRecord
from benchwright.release import Release
from benchwright.release.format.fetch_pictures import PictureNotFetched, fetched
from benchwright.release.format.fetched import fetched_folder, has_fetched
from benchwright.release.format.provenance import address_of
from benchwright.workspace.atomic import write_bytes

_AT_ONCE = 4


class FetchedPicture(NamedTuple):
    """The result of fetching one picture.

    Args:
        image_id: SHA-256 that its file must match.
        url: Address that the release states.
        reason: `there` (fetched earlier), `fetched`, or why it is missing: `bad_address`, `private_host`,
            `unreachable`, `status`, `redirects`, `other_size` or `other_bytes`.
        detail: The reason in words; empty if the picture is present.
    """

    image_id: str
    url: str
    reason: str
    detail: str = ""

    @property
    def is_there(self) -> bool:
        """Return whether the picture is now present."""
        return self.reason in {"there", "fetched"}


def fetch_pictures(
    release: Release, *, private_hosts: bool = False, progress: Progress | None = None
) -> list[FetchedPicture]:
    """Fetch the pictures whose files a release does not contain; return the result for each picture, sorted by id.

    Files are written to the folder `NAME.pictures` next to the release; existing files are kept.

    Args:
        release: The release.
        private_hosts: Whether hosts on private networks and this machine may be contacted.
        progress: Receiver of the number of processed pictures.

    Raises:
        DataError: The release is damaged.
    """
    wanted = _absent(release)
    report = progress or Silent()
    report.phase("pictures", len(wanted), "pictures")
    folder = fetched_folder(release.path)
    if wanted:
        folder.mkdir(exist_ok=True)
    results: list[FetchedPicture] = []
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for result in pool.map(lambda record: _fetched(record, folder, private_hosts), wanted):
            results.append(result)
            report.advance(1)
    return results


def _absent(release: Release) -> list[ImageRecord]:
    """Return the records of the pictures whose files a release does not contain, sorted by id."""
    if not release.manifest.by_address:
        return []
    shown = {
        image.image_id
        for released in release.items(fetched=False)
        for image in released.item.images
        if image.image_id not in released.images
    }
    records = [record for record in release.provenance() if isinstance(record, ImageRecord)]
    absent = [record for record in records if record.image_id in shown]
    if len(absent) != len(shown):
        raise DataError(f"{release.path} does not state the address of every picture; run `release verify` for details")
    return sorted(absent, key=lambda record: record.image_id)


def _fetched(record: ImageRecord, folder: Path, private_hosts: bool) -> FetchedPicture:
    url = address_of(record) or ""
    if has_fetched(folder, record.image_id):
        return FetchedPicture(record.image_id, url, "there")
    try:
        data = fetched(url, size_bytes=record.size_bytes, sha256=record.image_id, private_hosts=private_hosts)
    except PictureNotFetched as refusal:
        return FetchedPicture(record.image_id, url, refusal.reason, refusal.detail)
    write_bytes(folder / record.image_id, data)
    return FetchedPicture(record.image_id, url, "fetched")

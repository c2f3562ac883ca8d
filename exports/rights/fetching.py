"""Fetching of pictures that a release states by address and hash.

The addresses come with the release and may be anybody's. Only http and https are asked, also after redirects; a host in
a private network is not asked unless that is permitted, as names resolve before the request (a server that changes its
name's address between the two could still be asked, and learns no more than that). No more bytes are read than the
release states, and only a file with the stated SHA-256 is kept.
"""

from __future__ import annotations

import ipaddress
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.canonical import bytes_digest
from benchwright.errors import DataError
from benchwright.progress import Progress, Silent
from benchwright.records import ImageRecord
from benchwright.release import Release
from benchwright.release.format.fetched import fetched_folder, has_fetched
from benchwright.release.format.parquet import MAX_PICTURE_BYTES
from benchwright.release.format.provenance import address_of
from benchwright.workspace.atomic import write_bytes

if TYPE_CHECKING:
    import httpx2

MOST_REDIRECTS = 5
_TIMEOUT_S = 30.0
"""Longest wait for a connection or for the next bytes, in seconds."""
_MOST_S = 600.0
"""Longest time for one file, in seconds."""
_AT_ONCE = 4


class FetchedPicture(NamedTuple):
    """What became of one picture.

    Args:
        image_id: SHA-256 that its file must have.
        url: Address that the release states.
        reason: `there` (fetched before), `fetched`, or why it is not there: `bad_address`, `private_host`,
            `unreachable`, `status`, `redirects`, `other_size` or `other_bytes`.
        detail: The reason in words; empty where the picture is there.
    """

    image_id: str
    url: str
    reason: str
    detail: str = ""

    @property
    def is_there(self) -> bool:
        """Return whether the picture is there now."""
        return self.reason in {"there", "fetched"}


class _Refused(Exception):
    """A picture that is not fetched, with its reason."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason, self.detail = reason, detail


def fetch_pictures(
    release: Release, *, private_hosts: bool = False, progress: Progress | None = None
) -> list[FetchedPicture]:
    """Fetch the pictures of which a release holds no file, and return what became of each, sorted by id.

    Files are put into the folder `NAME.pictures` beside the release; those that are there stay.

    Args:
        release: The release.
        private_hosts: Whether hosts of private networks and this machine may be asked.
        progress: Receiver of the number of pictures.

    Raises:
        DataError: The release is damaged.
    """
    import httpx2

    wanted = _absent(release)
    report = progress or Silent()
    report.phase("pictures", len(wanted), "pictures")
    folder = fetched_folder(release.path)
    if wanted:
        folder.mkdir(exist_ok=True)
    results: list[FetchedPicture] = []
    headers = {"accept-encoding": "identity", "user-agent": "benchwright release fetch"}
    with (
        httpx2.Client(timeout=_TIMEOUT_S, headers=headers, follow_redirects=False) as client,
        ThreadPoolExecutor(_AT_ONCE) as pool,
    ):
        for result in pool.map(lambda record: _fetched(record, folder, client, private_hosts), wanted):
            results.append(result)
            report.advance(1)
    return results


def _absent(release: Release) -> list[ImageRecord]:
    """Return the records of the pictures of which a release holds no file, sorted by id."""
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
        raise DataError(f"{release.path} does not say where all its pictures can be had; `release verify` says more")
    return sorted(absent, key=lambda record: record.image_id)


def _fetched(record: ImageRecord, folder: Path, client: httpx2.Client, private_hosts: bool) -> FetchedPicture:
    url = address_of(record) or ""
    if has_fetched(folder, record.image_id):
        return FetchedPicture(record.image_id, url, "there")
    check = _no_check if private_hosts else _check_host
    try:
        data = _body(url, record.size_bytes, client, check)
        if (sha256 := bytes_digest(data)) != record.image_id:
            raise _Refused("other_bytes", f"the file at this address has the SHA-256 {sha256}; it was changed")
    except _Refused as refusal:
        return FetchedPicture(record.image_id, url, refusal.reason, refusal.detail)
    write_bytes(folder / record.image_id, data)
    return FetchedPicture(record.image_id, url, "fetched")


def _body(url: str, size_bytes: int, client: httpx2.Client, check: Callable[[str], None]) -> bytes:
    """Return the bytes at an address, no more than stated.

    Raises:
        _Refused: It is not to be had.
    """
    import httpx2

    if size_bytes > MAX_PICTURE_BYTES:
        raise _Refused("other_size", f"the release states {size_bytes:,} bytes, more than {MAX_PICTURE_BYTES:,}")
    try:
        address = httpx2.URL(url)
        for _ in range(MOST_REDIRECTS + 1):
            if address.scheme not in {"http", "https"} or not address.host:
                raise _Refused("bad_address", f"{str(address)[:200]!a} is no http or https address")
            check(address.host)
            with client.stream("GET", address) as response:
                if not response.is_redirect:
                    return _read(response, size_bytes)
                address = address.join(response.headers.get("location", ""))
    except httpx2.InvalidURL as error:
        raise _Refused("bad_address", str(error)) from error
    except (httpx2.HTTPError, OSError, UnicodeError) as error:
        raise _Refused("unreachable", str(error) or type(error).__name__) from error
    raise _Refused("redirects", f"more than {MOST_REDIRECTS} redirects")


def _read(response: Any, size_bytes: int) -> bytes:
    if response.status_code != 200:
        raise _Refused("status", f"the server answers {response.status_code}")
    parts, length, begun = [], 0, time.monotonic()
    for part in response.iter_raw():
        parts.append(part)
        length += len(part)
        if length > size_bytes:
            break
        if time.monotonic() - begun > _MOST_S:
            raise _Refused("unreachable", f"{length:,} bytes came in {_MOST_S:.0f} s")
    if length != size_bytes:
        more = "more than " if length > size_bytes else ""
        raise _Refused("other_size", f"the file has {more}{min(length, size_bytes):,} bytes, not {size_bytes:,}")
    return b"".join(parts)


def _no_check(host: str) -> None:
    del host


def _check_host(host: str) -> None:
    """Refuse a host of a private network, of this machine, or of no network."""
    for address in _addresses(host):
        if not ipaddress.ip_address(address.partition("%")[0]).is_global:
            raise _Refused(
                "private_host",
                f"{host[:200]!a} is {address}, which is no public address; --private-hosts permits to ask it",
            )


def _addresses(host: str) -> Iterator[str]:
    for *_, place in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM):
        yield str(place[0])

"""Fetch the pictures that this benchmark states by address and SHA-256, and keep only files with that SHA-256.

    python fetch_pictures.py

reads `pictures_by_address.csv` next to it and puts each picture, named by its SHA-256, into the folder `NAME.pictures`
next to that of the release, where Benchwright finds it. It needs only Python 3.9 or newer. It lists each missing
picture with the reason, and exits with code 1 if there are any. It does not fetch existing pictures again.

The addresses come with the release and are not trusted. The script requests http and https only, also after redirects.
It requests no host of a private network unless `--private-hosts` permits it. It checks the address of a name before
the request; a server that changes its address in between receives a request, and learns nothing else. The script
reads no more bytes than stated, and keeps only a file with the stated SHA-256.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import http.client
import ipaddress
import os
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

LIST = "pictures_by_address.csv"
MOST_BYTES = 256 * 1024**2
"""Largest size of a picture, in bytes."""
_MOST_REDIRECTS = 5
_TIMEOUT_S = 30.0
"""Longest wait for a connection or for the next bytes, in seconds."""
_MOST_S = 600.0
"""Longest time for one file, in seconds."""
_REDIRECTS = {301, 302, 303, 307, 308}
_HEADERS = {"Accept-Encoding": "identity", "User-Agent": "benchwright release fetch"}
_CHUNK = 64 * 1024


class PictureNotFetched(Exception):
    """The reason why a picture was not fetched.

    Attributes:
        reason: `bad_address`, `private_host`, `unreachable`, `status`, `redirects`, `other_size` or `other_bytes`.
        detail: The reason in words.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason, self.detail = reason, detail


class _Unfollowed(urllib.request.HTTPRedirectHandler):
    """Handler that follows no redirect, so that the caller can check each address."""

    def redirect_request(self, *arguments: Any) -> None:
        """Follow no redirect."""
        del arguments


def fetched(url: str, *, size_bytes: int, sha256: str, private_hosts: bool = False) -> bytes:
    """Return the file at an address after checking its size and SHA-256.

    Args:
        url: Address of the file.
        size_bytes: Required size.
        sha256: Required SHA-256, as 64 hexadecimal digits.
        private_hosts: Whether to permit hosts of private networks and this machine.

    Raises:
        PictureNotFetched: The file is unavailable, or is another file.
    """
    if size_bytes > MOST_BYTES:
        raise PictureNotFetched("other_size", f"the release states {size_bytes:,} bytes, more than {MOST_BYTES:,}")
    try:
        data = _body(url, size_bytes, private_hosts=private_hosts)
    except (http.client.InvalidURL, ValueError) as error:
        raise PictureNotFetched("bad_address", str(error)) from error
    except (http.client.HTTPException, OSError) as error:
        reason = getattr(error, "reason", None)
        raise PictureNotFetched("unreachable", str(reason or error) or type(error).__name__) from error
    if (found := hashlib.sha256(data).hexdigest()) != sha256:
        raise PictureNotFetched("other_bytes", f"the file at this address has the SHA-256 {found}; it was changed")
    return data


def _opener(host: str) -> urllib.request.OpenerDirector:
    """Return the opener for a host: direct for this machine, through the environment's proxies for others."""
    try:
        direct = ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        direct = host.rstrip(".") == "localhost" or host.rstrip(".").endswith(".localhost")
    return urllib.request.build_opener(_Unfollowed, *([urllib.request.ProxyHandler({})] if direct else []))


def _body(url: str, size_bytes: int, *, private_hosts: bool) -> bytes:
    for _ in range(_MOST_REDIRECTS + 1):
        address = urllib.parse.urlsplit(url)
        if address.scheme not in {"http", "https"} or not address.hostname:
            raise PictureNotFetched("bad_address", f"{url[:200]!a} is not an http or https address")
        if not private_hosts:
            _check_host(address.hostname)
        request = urllib.request.Request(url, headers=_HEADERS)  # noqa: S310 - the scheme is checked above
        try:
            with _opener(address.hostname).open(request, timeout=_TIMEOUT_S) as response:
                if response.status != 200:
                    raise PictureNotFetched("status", f"the server answers {response.status}")
                return _read(response, size_bytes)
        except urllib.error.HTTPError as error:
            if error.code not in _REDIRECTS:
                raise PictureNotFetched("status", f"the server answers {error.code}") from None
            url = urllib.parse.urljoin(url, error.headers.get("Location", ""))
    raise PictureNotFetched("redirects", f"more than {_MOST_REDIRECTS} redirects")


def _read(response: http.client.HTTPResponse, size_bytes: int) -> bytes:
    parts, length, begun = [], 0, time.monotonic()
    try:
        while length <= size_bytes and (part := response.read1(_CHUNK)):
            parts.append(part)
            length += len(part)
            if time.monotonic() - begun > _MOST_S:
                raise PictureNotFetched("unreachable", f"{length:,} bytes came in {_MOST_S:.0f} s")
    except http.client.IncompleteRead as error:
        length += len(error.partial)
    if length != size_bytes:
        more = "more than " if length > size_bytes else ""
        raise PictureNotFetched(
            "other_size", f"the file has {more}{min(length, size_bytes):,} bytes, not {size_bytes:,}"
        )
    return b"".join(parts)


def _check_host(host: str) -> None:
    """Refuse a host of a private network, of this machine, or of no network."""
    for *_, place in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM):
        address = str(place[0])
        if not ipaddress.ip_address(address.partition("%")[0]).is_global:
            raise PictureNotFetched(
                "private_host",
                f"{host[:200]!a} is {address}, which is not a public address; --private-hosts permits it",
            )


def main() -> int:
    """Fetch missing pictures; return 0 if all are present."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--private-hosts", action="store_true", help="permit hosts of private networks")
    private_hosts = parser.parse_args().private_hosts
    release = Path(__file__).resolve().parent
    folder = release.with_name(f"{release.name}.pictures")
    folder.mkdir(exist_ok=True)
    missing = 0
    with (release / LIST).open(encoding="utf-8", newline="") as handle:
        for image_id, size_bytes, url in list(csv.reader(handle))[1:]:
            path = folder / image_id
            if path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == image_id:
                print(f"{image_id}: there")
                continue
            try:
                data = fetched(url, size_bytes=int(size_bytes), sha256=image_id, private_hosts=private_hosts)
            except PictureNotFetched as refusal:
                missing += 1
                print(f"{image_id}: {refusal.reason}: {url!a}: {refusal.detail}")
                continue
            partial = folder / f".{image_id}.partial"
            partial.write_bytes(data)
            os.replace(partial, path)
            print(f"{image_id}: fetched")
    return 1 if missing else 0


if __name__ == "__main__":
    raise SystemExit(main())

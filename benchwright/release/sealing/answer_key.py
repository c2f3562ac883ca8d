"""The key file of a release with sealed splits: salt, original items, and all withheld values.

It is one JSON document with each entry on a separate line. A commitment in the manifest, the SHA-256 of salt and
entries, binds both to the release. The salt is secret and random, so the commitment reveals nothing; SHA-256 ensures
that no other key matches it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from benchwright.canonical import canonical_json
from benchwright.errors import BenchwrightError, DataError
from benchwright.records import Item
from benchwright.release.format import documents
from benchwright.release.format.files import shown
from benchwright.release.format.reader import Release
from benchwright.release.sealing.public_items import SALT_BYTES, public_item, withheld_values
from benchwright.workspace.atomic import replacing

FORMAT, FORMAT_VERSION = "benchwright/answer-key", 1
_MAX_LINE_BYTES = 64 * 1024 * 1024
_PREFIX = b"benchwright/answer-key/1\n"
_TAIL = b"]}\n"
_SALT = re.compile(rf"[0-9a-f]{{{2 * SALT_BYTES}}}")


@dataclass(frozen=True)
class AnswerKey:
    """The parsed content of a key file, which takes about 2 kB of memory per sealed item.

    Attributes:
        path: Path of the file.
        release: Name and version of the release.
        release_id: Id of the release.
        salt: Secret salt, 32 bytes.
        commitment: Commitment to salt and entries, 64 hexadecimal digits.
        content_hashes: Content hash of each public item made from the original items, by public id.
        withheld: Values of the withheld columns by public id.
    """

    path: Path
    release: str
    release_id: str
    salt: bytes
    commitment: str
    content_hashes: Mapping[str, str]
    withheld: Mapping[str, Mapping[str, Any]]


def commitment_of(salt: bytes, lines: Iterable[str]) -> str:
    """Return the commitment to a salt and the lines of entries, as 64 hexadecimal digits."""
    digest = sha256(_PREFIX + salt)
    for line in lines:
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()


def write_answer_key(path: Path, head: Mapping[str, str], salt: bytes, lines: Iterable[str]) -> None:
    """Write a key file that only its owner may read.

    Args:
        path: Path of the file.
        head: `release` and `release_id`.
        salt: Secret salt.
        lines: Entries as canonical JSON, in order.
    """
    start = {"format": FORMAT, "version": FORMAT_VERSION, **head, "salt": salt.hex()}
    with replacing(path, private=True) as draft, draft.open("wb") as handle:
        handle.write(canonical_json(start).encode().removesuffix(b"}") + b',"entries":[\n')
        for number, line in enumerate(lines):
            handle.write((b",\n" if number else b"") + line.encode())
        handle.write(b"\n" + _TAIL)


def salt_of(path: Path) -> bytes:
    """Return the salt of a key file without reading its entries.

    Raises:
        DataError: The file is not a key file.
    """
    with path.open("rb") as handle:
        return bytes.fromhex(_head(handle.readline(_MAX_LINE_BYTES), path)["salt"])


def read_answer_key(path: Path) -> AnswerKey:
    """Return the content of a key file.

    Raises:
        DataError: The file is missing, damaged, of a newer version, or not a key file.
    """
    try:
        return _read(path)
    except OSError as error:
        raise DataError(f"{path}: the key file cannot be read: {error.strerror or error}") from error


def _read(path: Path) -> AnswerKey:
    content_hashes: dict[str, str] = {}
    withheld: dict[str, Mapping[str, Any]] = {}
    digest = sha256()
    with path.open("rb") as handle:
        head = _head(handle.readline(_MAX_LINE_BYTES), path)
        salt = bytes.fromhex(head["salt"])
        digest.update(_PREFIX + salt)
        for number, line in enumerate(_lines(handle, path), start=2):
            digest.update(line + b"\n")
            item = _item(line, f"{path}, line {number}")
            if item is None:
                continue
            public = public_item(item, salt)
            content_hashes[public.item.item_id] = public.item.content_hash
            withheld[public.item.item_id] = withheld_values(item, public)
    return AnswerKey(path, head["release"], head["release_id"], salt, digest.hexdigest(), content_hashes, withheld)


def _head(line: bytes, path: Path) -> dict[str, str]:
    document = documents.parse(line.rstrip(b"\n") + _TAIL, title=f"{path}, line 1")
    head: dict[str, str] = documents.stated(document, FORMAT, FORMAT_VERSION, title=str(path))
    names = ("release", "release_id", "salt")
    if not all(isinstance(head.get(name), str) for name in names) or not _SALT.fullmatch(head["salt"]):
        raise DataError(f"{path}: names no release or salt; it is not the key file of a release")
    return head


def _lines(handle: Iterable[bytes], path: Path) -> Iterator[bytes]:
    """Yield the lines of the entries without the separators between lines."""
    ended = False
    for line in handle:
        if ended or len(line) > _MAX_LINE_BYTES:
            raise DataError(f"{path}: continues after its end, or has a line of more than {_MAX_LINE_BYTES} bytes")
        if line == _TAIL:
            ended = True
        elif entry := line.rstrip(b"\n").removesuffix(b","):
            yield entry
    if not ended:
        raise DataError(f"{path} is cut off; copy the key file again")


def _item(line: bytes, title: str) -> Item | None:
    """Return the original item in an entry, or None for entries of other kinds."""
    entry = documents.parse(line, title=title)
    if not isinstance(entry, dict) or len(entry) != 1:
        raise DataError(f"{title} is not an entry of a key file")
    if "item" not in entry:
        return None
    try:
        return Item.model_validate_json(json.dumps(entry["item"]))
    except (ValidationError, RecursionError, ValueError) as error:
        first = shown(str(error).splitlines()[0])
        raise DataError(f"{title} is not an item of a known form ({first})") from error


def unsealed(release: Release, key: AnswerKey) -> Release:
    """Return the release with the answers of its sealed items restored; items keep the ids of the public release.

    Raises:
        BenchwrightError: The release has no sealed splits, or the key belongs to another release.
        DataError: The key does not match the release's commitment.
    """
    sealed = release.manifest.sealed
    if sealed is None:
        raise BenchwrightError(f"{release.path} has no sealed splits; leave out --key")
    if key.release_id != release.release_id:
        raise BenchwrightError(
            f"{key.path} is the key of {shown(key.release)} (release {key.release_id[:12]}), but {release.path} is "
            f"{release.name} {release.version} (release {release.release_id[:12]}); give the key of this release"
        )
    if key.commitment != sealed.commitment:
        raise DataError(
            f"{key.path} is not the key of {release.path}: it gives the commitment {key.commitment[:12]}, but the "
            f"manifest states {sealed.commitment[:12]}; use the key file from freezing"
        )
    opened = Release(release.path, release.manifest, release.release_id)
    opened.withheld = key.withheld
    return opened

"""Hash lists: a collection's hashes without its pictures, to check a test set without revealing it.

A list written by Benchwright is JSON Lines: a line that names the format and its version, then one picture per line. A
list from another source is plain text, one entry per line: 64 hexadecimal digits are the SHA-256 of a file or of its
upright pixels, 16 are a pHash, and an entry with a colon, such as `coco:000000123`, is a canonical id.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchwright.canonical import canonical_json
from benchwright.errors import DataError
from benchwright.workspace.atomic import write_bytes

from ..features.visual_words import decode_words
from .picture_hashes import KnownPicture

FORMAT = "benchwright/hashes"
VERSION = 1
MOST_BYTES = 4 << 30
_SHA256, _PHASH = re.compile(r"[0-9a-fA-F]{64}"), re.compile(r"[0-9a-fA-F]{16}")
_CANONICAL = re.compile(r"[^\s:]+:\S+")
_CODES = ("phash", "dhash", "mirrored")


def write_hash_list(path: Path, pictures: Iterable[KnownPicture]) -> None:
    """Write a hash list; codes are 16 hexadecimal digits, in the format of ImageHash.

    Embeddings are omitted because they are large and useless to readers with another model.
    """
    lines = [canonical_json({"format": FORMAT, "version": VERSION})]
    for picture in pictures:
        fields = {name: value for name, value in picture._asdict().items() if value is not None and name != "embedding"}
        lines.append(canonical_json(fields | {name: f"{fields[name]:016x}" for name in _CODES if name in fields}))
    write_bytes(path, "\n".join([*lines, ""]).encode("utf-8", "surrogatepass"))


def read_hash_list(path: Path) -> list[KnownPicture]:
    """Return the pictures in a list, in order.

    Raises:
        DataError: The list is unreadable, is newer than this program, or has a line that is not an entry.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise DataError(f"hash list {path} is larger than {MOST_BYTES:,} bytes; split it")
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise DataError(f"hash list {path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise DataError(f"hash list {path} is not UTF-8 text (byte {error.start}); is it a list of hashes?") from error
    if lines and lines[0].lstrip().startswith("{"):
        return list(_ours(lines, path))
    return list(_plain(lines, path))


def _ours(lines: list[str], path: Path) -> Iterator[KnownPicture]:
    head = _parsed(lines[0], path, 1)
    if head.get("format") != FORMAT:
        raise DataError(f"hash list {path}: line 1: the format is {head.get('format')!r}, not {FORMAT!r}")
    version = head.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise DataError(f"hash list {path} has version {version!r}, but this program reads up to {VERSION}; upgrade it")
    for number, line in enumerate(lines[1:], start=2):
        try:
            yield _picture(_parsed(line, path, number))
        except (TypeError, ValueError) as error:
            raise DataError(
                f"hash list {path}: line {number} is not a picture entry as `filter hashes` writes it"
            ) from error


def _picture(fields: dict[str, object]) -> KnownPicture:
    """Return the picture that a line describes.

    Raises:
        TypeError: A field has another type.
        ValueError: A field is unknown, missing or malformed.
    """
    texts = {name: value for name, value in fields.items() if isinstance(value, str)}
    if (
        texts.keys() != fields.keys()
        or "name" not in texts
        or texts.keys() - (set(KnownPicture._fields) - {"embedding"})
    ):
        raise ValueError("unknown or missing fields, or a field that is not text")
    if not all(_PHASH.fullmatch(texts[name]) for name in _CODES if name in texts):
        raise ValueError("a code is not 16 hexadecimal digits")
    decode_words(texts.get("words", ""))
    codes = {name: int(texts[name], 16) for name in _CODES if name in texts}
    return KnownPicture(**{name: text for name, text in texts.items() if name not in _CODES}, **codes)  # type: ignore[arg-type]


def _parsed(line: str, path: Path, number: int) -> dict[str, object]:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(f"hash list {path}: line {number} is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise DataError(f"hash list {path}: line {number} is not a JSON object")
    return document


def _plain(lines: list[str], path: Path) -> Iterator[KnownPicture]:
    for number, line in enumerate(lines, start=1):
        entry = line.strip()
        if not entry or entry.startswith("#"):
            continue
        if _SHA256.fullmatch(entry):
            yield KnownPicture(entry, image_id=entry.lower(), pixel_hash=entry.lower())
        elif _PHASH.fullmatch(entry):
            yield KnownPicture(entry, phash=int(entry, 16))
        elif _CANONICAL.fullmatch(entry):
            yield KnownPicture(entry, canonical_id=entry)
        else:
            raise DataError(
                f"hash list {path}: line {number}: {entry[:80]!r} is neither 64 nor 16 hexadecimal digits nor a "
                "canonical id such as coco:000000123"
            )

"""What a picture file itself says of what it shows: titles, descriptions, keywords and comments.

In EXIF, IPTC and XMP, in the texts of a PNG and the comments of a JPEG. Whatever cannot be read counts as not stated.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import BinaryIO

from benchwright.errors import UnreadableImage
from benchwright.images.formats.walking import Limits
from benchwright.images.regular_files import open_regular

from .embedded import decoded, iptc_texts, payload_of, xmp_texts
from .metadata_blocks import MetadataBlock, metadata_blocks

_EXIF_IFD = 0x8769
_EXIF_TEXTS = {
    0x010D: "DocumentName", 0x010E: "ImageDescription", 0x9C9B: "XPTitle", 0x9C9C: "XPComment", 0x9C9E: "XPKeywords",
    0x9C9F: "XPSubject", 0x9286: "UserComment",
}  # fmt: skip
_IPTC_TEXTS = {5: "object name", 25: "keywords", 105: "headline", 120: "caption"}
_XMP_TEXTS = {
    "http://purl.org/dc/elements/1.1/ title": "title",
    "http://purl.org/dc/elements/1.1/ description": "description",
    "http://purl.org/dc/elements/1.1/ subject": "subject",
    "http://ns.adobe.com/photoshop/1.0/ Headline": "headline",
    "http://ns.adobe.com/exif/1.0/ UserComment": "UserComment",
    "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/ AltTextAccessibility": "AltTextAccessibility",
    "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/ ExtDescrAccessibility": "ExtDescrAccessibility",
}
_OF_PROGRAMS = frozenset(
    {"software", "creation time", "date:create", "date:modify", "date:timestamp", "raw profile type"}
)
"""Keys of PNG texts that say nothing of what a picture shows."""
_CHARACTER_CODES = (b"ASCII\0\0\0", b"UNICODE\0", b"JIS\0\0\0\0\0", b"\0" * 8)
_MOST_CHARACTERS = 1000
_MOST_FIELDS = 20


def stated_contents(path: Path, media_type: str, *, limits: Limits) -> dict[str, str]:
    """Return the texts in which a file says what it shows, by standard and field (`EXIF ImageDescription`).

    Args:
        path: Path of the file.
        media_type: Media type of the file; JPEG, PNG and WebP are read.
        limits: Limits of the file.
    """
    texts: dict[str, str] = {}
    try:
        with open_regular(path, limits=limits) as (handle, _):
            for block in metadata_blocks(handle, media_type, to_end=False)[: 4 * _MOST_FIELDS]:
                for field, text in _texts_of(handle, block, media_type).items():
                    if len(texts) < _MOST_FIELDS and text.strip():
                        texts.setdefault(field, text.strip()[:_MOST_CHARACTERS])
    except UnreadableImage:
        return texts
    return texts


def _texts_of(handle: BinaryIO, block: MetadataBlock, media_type: str) -> dict[str, str]:
    if block.kind == "exif":
        return _from_exif(payload_of(handle, block))
    if block.kind == "xmp":
        return {f"XMP {name}": ", ".join(texts) for name, texts in xmp_texts(handle, block, _XMP_TEXTS).items()}
    if block.kind == "iptc":
        found = iptc_texts(handle, block)
        return {f"IPTC {name}": ", ".join(found[number]) for number, name in _IPTC_TEXTS.items() if number in found}
    return _from_png(handle, block) if media_type == "image/png" else _from_jpeg(handle, block)


def _from_exif(data: bytes) -> dict[str, str]:
    from PIL import Image

    exif = Image.Exif()
    try:
        exif.load(data)
        fields = {**dict(exif), **exif.get_ifd(_EXIF_IFD)}
    except Exception:  # noqa: BLE001 - Pillow raises what it likes on damaged metadata, which then state nothing
        return {}
    return {f"EXIF {name}": _exif_text(tag, fields[tag]) for tag, name in _EXIF_TEXTS.items() if tag in fields}


def _exif_text(tag: int, value: object) -> str:
    if isinstance(value, tuple) and all(isinstance(each, int) and 0 <= each < 256 for each in value):
        value = bytes(value)
    if not isinstance(value, bytes):
        return str(value).strip("\0 ")
    if 0x9C9B <= tag <= 0x9C9F:
        return value.decode("utf-16-le", "replace").strip("\0 ")
    code = next((code for code in _CHARACTER_CODES if value.startswith(code)), b"")
    words = value[len(code) :]
    if code.startswith(b"UNICODE"):
        return words.decode("utf-16-be" if words[:1] == b"\0" else "utf-16-le", "replace").strip("\0 \ufeff")
    return decoded(words.strip(b"\0 "))


def _from_jpeg(handle: BinaryIO, block: MetadataBlock) -> dict[str, str]:
    handle.seek(block.start)
    return {"JPEG comment": decoded(payload_of(handle, block))} if handle.read(2) == b"\xff\xfe" else {}


def _from_png(handle: BinaryIO, block: MetadataBlock) -> dict[str, str]:
    """Return the text of a chunk tEXt, zTXt or iTXt by its key."""
    handle.seek(block.start + 4)
    name = handle.read(4)
    size = min(block.stop - block.start - 12, 1 << 20)
    key, _, rest = handle.read(max(0, size)).partition(b"\0")
    is_packed = name == b"zTXt"
    if name == b"iTXt":
        is_packed, rest = rest[:1] == b"\1", rest[2:].split(b"\0", 2)[-1]
    elif name == b"zTXt":
        rest = rest[1:]
    elif name != b"tEXt":
        return {}
    if is_packed:
        try:
            rest = zlib.decompressobj().decompress(rest, 4 * _MOST_CHARACTERS)
        except zlib.error:
            return {}
    named = decoded(key[:79])
    is_of_program = any(named.casefold().startswith(prefix) for prefix in _OF_PROGRAMS)
    return {} if is_of_program or named.startswith("XML:") else {f"PNG {named}": decoded(rest[: 4 * _MOST_CHARACTERS])}

"""Texts in a picture file: titles, descriptions, keywords, comments, instructions, places, authors.

The texts come from EXIF, IPTC and XMP, from the texts of a PNG and the comments of a JPEG or GIF. They cover all text
fields except those of devices, programs, times and identifiers, which do not describe the picture. Unreadable metadata
is treated as not stated.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from io import SEEK_CUR
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from benchwright.errors import UnreadableImage
from benchwright.images.formats.walking import Limits
from benchwright.images.regular_files import open_regular

from .embedded import decoded, iptc_texts, payload_of, xmp_texts
from .metadata_blocks import MetadataBlock, metadata_blocks

_EXIF_IFD = 0x8769
_EXIF_WORDS_IN_BYTES = {
    0x9C9B: "XPTitle", 0x9C9C: "XPComment", 0x9C9D: "XPAuthor", 0x9C9E: "XPKeywords", 0x9C9F: "XPSubject",
    0x9286: "UserComment",
}  # fmt: skip
_EXIF_OF_DEVICES = re.compile(
    r"Software|HostComputer|Date|Time|Version|Serial|UniqueID|Interop|Profile|ColorSpace|SubsecTime|GPS|"
    r"MakerNote|CFA|FileSource|Component"
)
_IPTC_TEXTS = {
    4: "genre", 5: "object name", 12: "subject", 15: "category", 20: "supplemental category", 25: "keywords",
    26: "location name", 27: "location code", 40: "instructions", 80: "author", 85: "author's title", 90: "city",
    92: "sublocation", 95: "state", 101: "country", 103: "reference", 105: "headline", 110: "credit", 115: "source",
    116: "copyright", 118: "contact", 120: "caption", 121: "local caption", 122: "caption writer",
}  # fmt: skip
_XMP_SPACES = frozenset([
    "http://purl.org/dc/elements/1.1/", "http://purl.org/dc/terms/", "http://ns.adobe.com/photoshop/1.0/",
    "http://ns.adobe.com/xap/1.0/", "http://ns.adobe.com/xap/1.0/rights/", "http://ns.adobe.com/exif/1.0/",
    "http://ns.adobe.com/tiff/1.0/", "http://ns.adobe.com/pdf/1.3/", "http://ns.adobe.com/lightroom/1.0/",
    "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/", "http://iptc.org/std/Iptc4xmpExt/2008-02-29/",
    "http://ns.microsoft.com/photo/1.0/", "http://ns.microsoft.com/photo/1.0", "http://www.digikam.org/ns/1.0/",
    "http://ns.acdsee.com/iptc/1.0/", "http://ns.useplus.org/ldf/xmp/1.0/",
    "http://creativecommons.org/ns#",
])  # fmt: skip
"""Namespaces whose properties are written by people; others concern edits, versions and devices."""
_XMP_OF_PROGRAMS = re.compile(
    r"CreatorTool|Producer|Software|Date|Version|format|language|identifier|ICCProfile|History|Rating|Make|Model|"
    r"Urgency|DocumentID|InstanceID|Ancestors|Thumbnails",
    re.IGNORECASE,
)
_OF_PROGRAMS = frozenset(
    {"software", "creation time", "date:create", "date:modify", "date:timestamp", "raw profile type"}
)
"""Keys of PNG texts that do not describe the picture."""
_CHARACTER_CODES = (b"ASCII\0\0\0", b"UNICODE\0", b"JIS\0\0\0\0\0", b"\0" * 8)
_MOST_CHARACTERS = 1000
_MOST_FIELDS = 20
_MOST_GIF_BLOCKS = 2000


def stated_contents(path: Path, media_type: str, *, limits: Limits) -> dict[str, str]:
    """Return texts in a file about its content, by standard and field (`EXIF ImageDescription`).

    Args:
        path: Path of the file.
        media_type: Media type of the file; the function reads JPEG, PNG, WebP and GIF.
        limits: Limits of the file.
    """
    texts: dict[str, str] = {}
    try:
        with open_regular(path, limits=limits) as (handle, _):
            if media_type == "image/gif":
                comments = " ".join(filter(None, islice(_gif_comments(handle), _MOST_FIELDS)))
                return {"GIF comment": comments[:_MOST_CHARACTERS]} if comments else {}
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
        return {f"XMP {name}": ", ".join(texts) for name, texts in xmp_texts(handle, block, _xmp_name).items()}
    if block.kind == "iptc":
        found = iptc_texts(handle, block)
        return {f"IPTC {name}": ", ".join(found[number]) for number, name in _IPTC_TEXTS.items() if number in found}
    return _from_png(handle, block) if media_type == "image/png" else _from_jpeg(handle, block)


def _xmp_name(name: str) -> str | None:
    space, _, local = name.rpartition(" ")
    return local if space in _XMP_SPACES and _XMP_OF_PROGRAMS.search(local) is None else None


def _from_exif(data: bytes) -> dict[str, str]:
    from PIL import ExifTags, Image

    exif = Image.Exif()
    try:
        exif.load(data)
        fields = {**dict(exif), **exif.get_ifd(_EXIF_IFD)}
    except Exception:  # noqa: BLE001 - Pillow raises what it likes on damaged metadata, which then state nothing
        return {}
    texts: dict[str, str] = {}
    for tag, value in fields.items():
        name = _EXIF_WORDS_IN_BYTES.get(tag) or ExifTags.TAGS.get(tag, f"0x{tag:04X}")
        if tag in _EXIF_WORDS_IN_BYTES or (isinstance(value, str) and _EXIF_OF_DEVICES.search(name) is None):
            texts[f"EXIF {name}"] = _exif_text(tag, value)
    return texts


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


def _gif_comments(handle: BinaryIO) -> Iterator[str]:
    """Yield the comments of a GIF in order, up to the first malformed part."""
    head = handle.read(13)
    if len(head) == 13 and head[10] & 0x80:
        handle.seek(3 << (head[10] & 7) + 1, SEEK_CUR)
    for _ in range(_MOST_GIF_BLOCKS):
        kind = handle.read(1)
        if kind == b"!":
            is_comment = handle.read(1) == b"\xfe"
            text = b"".join(_sub_blocks(handle))
            if is_comment:
                yield decoded(text[:_MOST_CHARACTERS])
        elif kind == b"," and len(frame := handle.read(9)) == 9:
            if frame[8] & 0x80:
                handle.seek(3 << (frame[8] & 7) + 1, SEEK_CUR)
            handle.read(1)
            for _skipped in _sub_blocks(handle):
                pass
        else:
            return


def _sub_blocks(handle: BinaryIO) -> Iterator[bytes]:
    while size := handle.read(1)[:1]:
        if size == b"\0" or len(data := handle.read(size[0])) < size[0]:
            return
        yield data


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

"""The metadata blocks of picture files: EXIF, XMP, IPTC, texts and comments of JPEG, PNG and WebP.

The module walks the container to find a block, and decodes nothing. Data on which pixels or colors depend (JFIF, ICC
profiles, Adobe's APP14, gamma, transparency) is not metadata. `without_metadata` removes the blocks and keeps the rest
byte for byte.
"""

from __future__ import annotations

import io
import re
import struct
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import BinaryIO, Literal, NamedTuple

from benchwright.errors import UnreadableImage
from benchwright.images.formats import HEAD_BYTES, MEDIA_TYPES, sniff
from benchwright.images.formats.ifd import exif_orientation

BlockKind = Literal["exif", "xmp", "iptc", "text"]

CUT_MEDIA_TYPES = frozenset({"image/jpeg", "image/png", "image/webp"})
"""Media types of files whose metadata `without_metadata` removes."""

_MOST_BLOCKS = 100_000
_IN_SCAN = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
_XMP = b"http://ns.adobe.com/xap/1.0/\0"
_EXIF = b"Exif\0\0"
_PHOTOSHOP = b"Photoshop 3.0\0"
_ICC = b"ICC_PROFILE\0"
_PNG_TEXTS = {b"tEXt", b"zTXt", b"iTXt", b"tIME"}
_PNG_XMP = b"XML:com.adobe.xmp\0"
_VP8X_EXIF, _VP8X_XMP = 0x08, 0x04


class MetadataBlock(NamedTuple):
    """One block of metadata.

    Args:
        kind: Type of content; `text` for comments and other application data.
        start: Offset of the block in the file, including its marker or length.
        stop: Offset after the block's last byte.
        payload: Offset of the block's content, after the signature.
        payload_stop: Offset after the last byte of the content.
    """

    kind: BlockKind
    start: int
    stop: int
    payload: int
    payload_stop: int


def metadata_blocks(handle: BinaryIO, media_type: str, *, to_end: bool = True) -> list[MetadataBlock]:
    """Return the metadata blocks of a file in order; empty if the format is not JPEG, PNG or WebP.

    Bytes after the end of the first picture of a JPEG or PNG form a `text` block: cameras append further pictures
    there, with their own metadata.

    Args:
        handle: The file.
        media_type: Media type of the file.
        to_end: Whether to read a JPEG to its end; otherwise up to its first scan, before which most metadata is
            located.

    Raises:
        UnreadableImage: The container is truncated or malformed.
    """
    walks: dict[str, Callable[[BinaryIO], Iterator[MetadataBlock]]] = {
        "image/jpeg": partial(_jpeg_blocks, to_end=to_end),
        "image/png": _png_blocks,
        "image/webp": _webp_blocks,
    }
    if media_type not in walks:
        return []
    blocks: list[MetadataBlock] = []
    for block in walks[media_type](handle):
        if len(blocks) == _MOST_BLOCKS:
            raise UnreadableImage("corrupt", f"more than {_MOST_BLOCKS:,} blocks of metadata")
        blocks.append(block)
    return blocks


def _take(handle: BinaryIO, at: int, length: int) -> bytes:
    handle.seek(at)
    data = handle.read(length)
    if len(data) < length:
        raise UnreadableImage("truncated", f"{len(data)} of {length} bytes at {at:,}")
    return data


def _jpeg_blocks(handle: BinaryIO, *, to_end: bool) -> Iterator[MetadataBlock]:
    at = 2
    while True:
        marker = _take(handle, at, 2)
        if marker[0] != 0xFF:
            raise UnreadableImage("corrupt", f"no JPEG marker at byte {at:,}")
        if marker[1] == 0xFF:
            at += 1
            continue
        if marker[1] == 0x01 or 0xD0 <= marker[1] <= 0xD8:
            at += 2
            continue
        if marker[1] == 0xD9 or (marker[1] == 0xDA and not to_end):
            break
        length = struct.unpack(">H", _take(handle, at + 2, 2))[0]
        stop = at + 2 + length
        head = _take(handle, at + 4, min(len(_XMP), max(length - 2, 0)))
        if (kind := _jpeg_kind(marker[1], head)) is not None:
            yield MetadataBlock(kind, at, stop, at + 4 + _signature(head), stop)
        at = _after_scan(handle, stop) if marker[1] == 0xDA else stop
    size = handle.seek(0, io.SEEK_END)
    if to_end and size > at + 2:
        yield MetadataBlock("text", at + 2, size, at + 2, size)


def _after_scan(handle: BinaryIO, at: int) -> int:
    """Return the position of the marker after a scan's data, in which 00 or a restart follows each byte FF."""
    handle.seek(at)
    match = _IN_SCAN.search(handle.read())
    if match is None:
        raise UnreadableImage("truncated", "a JPEG without an end marker")
    return at + match.start()


def _jpeg_kind(marker: int, head: bytes) -> BlockKind | None:
    if marker == 0xE1:
        return "exif" if head.startswith(_EXIF) else "xmp" if head.startswith(_XMP) else "text"
    if marker == 0xED:
        return "iptc" if head.startswith(_PHOTOSHOP) else "text"
    if marker == 0xE2:  # profiles stay; an index of further pictures (MPF) would point to removed data
        return None if head.startswith(_ICC) else "text"
    return "text" if marker == 0xFE or 0xE3 <= marker <= 0xEC or marker == 0xEF else None


def _signature(head: bytes) -> int:
    return next((len(name) for name in (_EXIF, _XMP, _PHOTOSHOP) if head.startswith(name)), 0)


def _png_blocks(handle: BinaryIO) -> Iterator[MetadataBlock]:
    at, name = 8, b""
    while name != b"IEND":
        length, name = struct.unpack(">I4s", _take(handle, at, 8))
        stop = at + 12 + length
        _take(handle, stop - 1, 1)
        if name == b"eXIf":
            yield MetadataBlock("exif", at, stop, at + 8, stop - 4)
        elif name in _PNG_TEXTS:
            head = _take(handle, at + 8, min(length, len(_PNG_XMP) + 4))
            # After the keyword: no compression, method 0, empty language, empty translated keyword.
            is_xmp = name == b"iTXt" and head == _PNG_XMP + b"\0\0\0\0"
            lead = len(head) if is_xmp else 0
            yield MetadataBlock("xmp" if is_xmp else "text", at, stop, at + 8 + lead, stop - 4)
        at = stop
    if (size := handle.seek(0, io.SEEK_END)) > at:
        yield MetadataBlock("text", at, size, at, size)


def _webp_blocks(handle: BinaryIO) -> Iterator[MetadataBlock]:
    end = 8 + struct.unpack("<I", _take(handle, 4, 4))[0]
    at = 12
    while at + 8 <= end:
        name, length = struct.unpack("<4sI", _take(handle, at, 8))
        stop = at + 8 + length + (length & 1)
        if name == b"EXIF":
            lead = len(_EXIF) if length >= 6 and _take(handle, at + 8, 6) == _EXIF else 0
            yield MetadataBlock("exif", at, min(stop, end), at + 8 + lead, at + 8 + length)
        elif name == b"XMP ":
            yield MetadataBlock("xmp", at, min(stop, end), at + 8, at + 8 + length)
        at = stop


def without_metadata(data: bytes, media_type: str) -> bytes:
    """Return a picture's file without its metadata; return the same bytes if there is none to remove.

    A picture rotated by its EXIF block gets a block with only the orientation, so that it appears as before. The
    function cuts JPEG, PNG and WebP, and returns files of other formats unchanged.

    Args:
        data: Bytes of the file.
        media_type: Media type of the file.

    Raises:
        UnreadableImage: The container is truncated or malformed.
    """
    handle = io.BytesIO(data)
    blocks = metadata_blocks(handle, media_type)
    if not blocks:
        return data
    exif = next((block for block in blocks if block.kind == "exif"), None)
    orientation = (
        1 if exif is None else exif_orientation(handle, start=exif.payload, size=exif.payload_stop - exif.payload)
    )
    kept = exif if orientation > 1 else None
    pieces, at = [], 0
    for block in blocks:
        pieces.append(data[at : block.start])
        if block is kept:
            pieces.append(_orientation_block(orientation, media_type))
        at = block.stop
    pieces.append(data[at:])
    cut = b"".join(pieces)
    return _webp_with_flags(cut, has_exif=kept is not None) if media_type == "image/webp" else cut


def holds_metadata(data: bytes) -> bool | None:
    """Return whether a picture's file contains metadata besides an orientation; None if unknown.

    The result is None for unreadable files, and for formats whose metadata `without_metadata` does not remove.
    """
    media_type = MEDIA_TYPES.get(sniff(data[:HEAD_BYTES]) or "")
    if media_type not in CUT_MEDIA_TYPES:
        return False if media_type == "image/bmp" else None  # BMP cannot hold any
    try:
        return without_metadata(data, media_type) != data
    except UnreadableImage:
        return None


def _orientation_block(orientation: int, media_type: str) -> bytes:
    """Return an EXIF block that states only an orientation (2 to 8), in the form that the format requires."""
    exif = b"MM\0*\0\0\0\x08" + struct.pack(">HHHIHHI", 1, 274, 3, 1, orientation, 0, 0)
    if media_type == "image/jpeg":
        return b"\xff\xe1" + struct.pack(">H", 2 + len(_EXIF) + len(exif)) + _EXIF + exif
    if media_type == "image/png":
        return struct.pack(">I", len(exif)) + b"eXIf" + exif + struct.pack(">I", zlib.crc32(b"eXIf" + exif))
    return b"EXIF" + struct.pack("<I", len(exif)) + exif


def _webp_with_flags(data: bytes, *, has_exif: bool) -> bytes:
    """Return a WebP file with a header that states the file's length and its types of metadata."""
    changed = bytearray(data)
    changed[4:8] = struct.pack("<I", len(data) - 8)
    if changed[12:16] == b"VP8X":
        changed[20] = changed[20] & ~(_VP8X_EXIF | _VP8X_XMP) | (_VP8X_EXIF if has_exif else 0)
    return bytes(changed)

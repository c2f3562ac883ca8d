"""JPEG (ITU-T T.81), including EXIF (CIPA DC-008) and the index of multi-picture files (CIPA DC-007)."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from benchwright.errors import UnreadableImage
from benchwright.images.formats.ifd import TiffBlock, exif_orientation
from benchwright.images.formats.walking import Container, Walk, joined, sorted_notes, truncated

_STANDALONE = {0x01, *range(0xD0, 0xD9)}
_FRAME_HEADERS = set(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_ASIDE = {*range(0xE1, 0xEE), 0xEF, 0xFE}
"""Application segments and comments, except APP0 and APP14, which state how colors are stored."""
_LEAD = re.compile(rb"\xff[^\xff]")
_IN_SCAN = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
_PICTURES = 0xB001
_MOST_JUNK = 4096
_PIECE = 1 << 20


def _segments(walk: Walk) -> Iterator[tuple[int, int, int, int]]:
    """Yield (marker, start of the marker, start of the payload, end) up to and including the first scan.

    Like decoders, skips fill bytes and a few stray bytes between segments.
    """
    at, marker = 2, 0
    while marker != 0xDA:
        walk.block()
        walk.within(at + 2)
        match = _LEAD.search(walk.take(at, min(_MOST_JUNK, walk.size - at)))
        if match is None:
            raise UnreadableImage("corrupt", f"no JPEG marker after byte {at:,}")
        at += match.start()
        marker = match.group()[1]
        if marker in {0x00, 0xD9}:
            raise UnreadableImage("corrupt", f"JPEG marker FF{marker:02X} before any scan")
        if marker in _STANDALONE:
            at += 2
            continue
        length = struct.unpack(">H", walk.take(at + 2, 2))[0]
        if length < 2:
            raise UnreadableImage("corrupt", f"a JPEG segment of {length} bytes")
        walk.within(at + 2 + length)
        yield marker, at, at + 4, at + 2 + length
        at += 2 + length


def _pictures(walk: Walk, start: int, stop: int) -> int:
    """Return the number of pictures that a multi-picture JPEG states; 1 if its index cannot be read."""
    try:
        block = TiffBlock(walk.handle, start=start, size=stop - start)
        return block.integer(block.fields(block.first), _PICTURES, 1)
    except UnreadableImage:
        return 1


def _check_end(walk: Walk, at: int) -> None:
    """Check that an end marker follows the scans.

    FF D9 cannot occur inside a scan, so a file that ends with it is complete. In other files (with appended bytes or
    further pictures) the search starts at the first scan.
    """
    if walk.take(walk.size - 2, 2) == b"\xff\xd9":
        return
    start, piece = at, b""
    while at < walk.size:
        walk.block()
        if at >= start + len(piece):
            start, piece = at, walk.take(at, min(_PIECE, walk.size - at))
        match = _IN_SCAN.search(piece, at - start)
        if match is None:
            # The last byte may be the first half of a marker.
            at = start + len(piece) - (1 if len(piece) > 1 else 0)
            start, piece = at, b""
            continue
        at = start + match.end()
        marker = match.group()[1]
        if marker == 0xD9:
            return
        if marker not in _STANDALONE:
            at += struct.unpack(">H", walk.take(at, 2))[0]
    truncated(walk.size)


def walk_jpeg(walk: Walk) -> Container:
    """Walk the segments up to the first scan and find the end marker."""
    width = height = components = stop = 0
    orientation, pages, has_exif = 1, 1, False
    keep = [(0, 2)]
    for marker, begin, payload, stop in _segments(walk):
        if marker in _FRAME_HEADERS:
            if components:
                raise UnreadableImage("corrupt", "a JPEG with two frame headers")
            bits, height, width, components = struct.unpack(">BHHB", walk.take(payload, 6))
            walk.pixels(width, height)
            if bits != 8 or components not in {1, 3, 4}:
                raise UnreadableImage("unsupported_mode", f"a JPEG of {components} x {bits} bits")
        elif marker == 0xE1 and not has_exif and walk.take(payload, min(6, stop - payload)) == b"Exif\0\0":
            has_exif = True
            orientation = exif_orientation(walk.handle, start=payload + 6, size=stop - payload - 6)
        elif marker == 0xE2 and walk.take(payload, min(4, stop - payload)) == b"MPF\0":
            pages = walk.frames(_pictures(walk, payload + 4, stop))
        if marker not in _ASIDE:
            keep.append((begin, stop))
    if not components:
        raise UnreadableImage("corrupt", "a JPEG scan before any frame header")
    _check_end(walk, stop)
    notes = sorted_notes(orientation=orientation, pages=pages, cmyk=components == 4)
    return Container("JPEG", width, height, orientation, notes, joined([*keep, (stop, walk.size)]))

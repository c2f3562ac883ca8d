"""WebP (RFC 9649)."""

from __future__ import annotations

import struct

from benchwright.errors import UnreadableImage
from benchwright.images.formats.ifd import exif_orientation
from benchwright.images.formats.walking import Container, Walk, sorted_notes


def _header(walk: Walk) -> tuple[int, int, bool]:
    """Return width, height and whether the image has alpha, from the first chunk."""
    name, data = walk.take(12, 4), walk.take(20, min(10, max(walk.size - 20, 0)))
    if name == b"VP8X" and len(data) == 10:
        width, height = (int.from_bytes(data[at : at + 3], "little") + 1 for at in (4, 7))
        return width, height, bool(data[0] & 0x10)
    if name == b"VP8L" and len(data) >= 5 and data[0] == 0x2F:
        packed = int.from_bytes(data[1:5], "little")
        return (packed & 0x3FFF) + 1, (packed >> 14 & 0x3FFF) + 1, bool(packed >> 28 & 1)
    if name == b"VP8 " and len(data) == 10 and data[3:6] == b"\x9d\x01\x2a":
        width, height = struct.unpack("<HH", data[6:])
        return width & 0x3FFF, height & 0x3FFF, False
    raise UnreadableImage("corrupt", f"a WebP that begins with {name + data[:6]!r}")


def pixels_only(data: bytes) -> bytes:
    """Return a complete, still WebP file without alpha, reduced to its pixel chunk, with texts and profiles removed."""
    at = 12
    while at + 8 <= len(data):
        name, length = struct.unpack_from("<4sI", data, at)
        stop = at + 8 + length + (length & 1)
        if name in {b"VP8 ", b"VP8L"}:
            chunk = data[at:stop].ljust(stop - at, b"\0")
            return b"RIFF" + struct.pack("<I", 4 + len(chunk)) + b"WEBP" + chunk
        at = stop
    raise UnreadableImage("corrupt", "a WebP without pixels")


def walk_webp(walk: Walk) -> Container:
    """Walk all chunks and check that the file is as long as its header states."""
    end = 8 + struct.unpack("<I", walk.take(4, 4))[0]
    walk.within(end)
    width, height, alpha = _header(walk)
    walk.pixels(width, height)
    at, orientation, frames = 12, 1, 0
    while at + 8 <= end:
        walk.block()
        name, length = struct.unpack("<4sI", walk.take(at, 8))
        if at + 8 + length > end:
            raise UnreadableImage("corrupt", f"WebP chunk {name!r} extends beyond the stated length")
        if name == b"ANMF":
            frames = walk.frames(frames + 1, at_least=True)
        elif name == b"EXIF":
            lead = 6 if walk.take(at + 8, min(6, length)) == b"Exif\0\0" else 0
            orientation = exif_orientation(walk.handle, start=at + 8 + lead, size=length - lead)
        at += 8 + length + (length & 1)
    notes = sorted_notes(orientation=orientation, animated=frames, alpha=alpha)
    return Container("WEBP", width, height, orientation, notes)

"""JPEG 2000: a codestream (ISO/IEC 15444-1, annex A), alone or in the boxes of JP2 (annex I)."""

from __future__ import annotations

import struct

from benchwright.errors import UnreadableImage
from benchwright.images.formats.avif import boxes
from benchwright.images.formats.walking import Container, Walk, sorted_notes, truncated

CODESTREAM, BOXES = b"\xff\x4f\xff\x51", b"\0\0\0\x0cjP  \r\n\x87\n"
"""First bytes of a codestream and of a JP2 file."""
_END = b"\xff\xd9"
_MOST_COMPONENTS = 4


def walk_jpeg2000(walk: Walk) -> Container:
    """Check that the codestream has its end marker and return the size it states."""
    if walk.take(0, 4) == CODESTREAM:
        start, stop = 0, walk.size
    else:
        found = next(((at, end) for name, at, end in boxes(walk, 0, walk.size) if name == b"jp2c"), None)
        if found is None:
            truncated(walk.size)
        start, stop = found
    if walk.take(start, 4) != CODESTREAM:
        raise UnreadableImage("corrupt", "its codestream begins with the wrong bytes")
    right, bottom, left, top = struct.unpack(">IIII", walk.take(start + 8, 16))
    [components] = struct.unpack(">H", walk.take(start + 40, 2))
    if not 1 <= components <= _MOST_COMPONENTS:
        raise UnreadableImage("unsupported_mode", f"{components:,} components a pixel")
    bits = max((walk.take(start + 42 + 3 * number, 1)[0] & 0x7F) + 1 for number in range(components))
    width, height = walk.pixels(max(0, right - left), max(0, bottom - top))
    if walk.take(stop - 2, 2) != _END:
        truncated(walk.size)
    # Pillow scales gray of more than 8 bits to 16, and everything else to 8.
    deep = bits > 8 and components == 1
    notes = sorted_notes(bits=bits, alpha=components in {2, 4})
    return Container("JPEG2000", width, height, notes=notes, bits=16 if deep else 8)

"""BMP with DIB headers of 12 to 124 bytes (OS/2 and Windows)."""

from __future__ import annotations

import struct

from benchwright.errors import UnreadableImage
from benchwright.images.formats.walking import Container, Walk, sorted_notes

DIB_HEADERS = frozenset({12, 40, 52, 56, 64, 108, 124})
_RAW, _RLE8, _RLE4, _BITFIELDS = range(4)


def walk_bmp(walk: Walk) -> Container:
    """Read the header and check that the last row, or the stated amount of run-length data, is present."""
    offset, header = struct.unpack("<II", walk.take(10, 8))
    dib = walk.take(14, header)
    compression = colours = data_bytes = 0
    if header == 12:
        width, height, _, bits = struct.unpack_from("<HHHH", dib, 4)
    else:
        width, height, _, bits, compression, data_bytes = struct.unpack_from("<IIHHII", dib, 4)
        colours = struct.unpack_from("<I", dib, 32)[0]
        # A negative height means that rows run from the top.
        height = 2**32 - height if dib[11] == 0xFF else height
    walk.pixels(width, height)
    if bits not in {1, 4, 8, 16, 24, 32} or compression not in {_RAW, _RLE8, _RLE4, _BITFIELDS}:
        raise UnreadableImage("unsupported_mode", f"a BMP of {bits} bits with compression {compression}")
    if offset == 14 + header and bits <= 8:
        offset += (3 if header == 12 else 4) * (colours or 1 << bits)
    if compression in {_RLE8, _RLE4}:
        walk.within(offset + data_bytes)
    else:
        stride = (width * bits + 31 >> 3) & ~3
        walk.within(offset + stride * (height - 1) + (width * bits + 7 >> 3))
    masks = struct.unpack_from("<4I", dib, 40) if compression == _BITFIELDS and header >= 56 else (1, 1, 1, 0)
    alpha = bits == 32 and (masks[3] != 0 or not any(masks))
    return Container("BMP", width, height, notes=sorted_notes(palette=bits <= 8, alpha=alpha))

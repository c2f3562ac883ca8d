"""PNG and APNG (W3C, PNG third edition)."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

from benchwright.errors import UnreadableImage
from benchwright.images.formats.ifd import exif_orientation
from benchwright.images.formats.walking import Container, Walk, joined, sorted_notes

_PIXELS = (b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND")
_DEPTHS = {0: {1, 2, 4, 8, 16}, 2: {8, 16}, 3: {1, 2, 4, 8}, 4: {8, 16}, 6: {8, 16}}
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_WHOLE = ((0, 0, 1, 1),)
_ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
"""First column, first row, and steps between columns and between rows for each pass of an interlaced PNG."""
_PIECE = 1 << 18


def _chunks(walk: Walk) -> Iterator[tuple[bytes, int, int]]:
    """Yield (name, start of the data, length of the data) up to and including the required IEND."""
    at, name = 8, b""
    while name != b"IEND":
        walk.block()
        length, name = struct.unpack(">I4s", walk.take(at, 8))
        if not name.isalpha():
            raise UnreadableImage("corrupt", f"a PNG chunk named {name!r}")
        walk.within(at + 12 + length)
        yield name, at + 8, length
        at += 12 + length


def _check_crc(walk: Walk, name: bytes, at: int, length: int) -> None:
    """Check a chunk's checksum; Pillow ignores the checksum of pixel data and therefore accepts some wrong bits."""
    crc = zlib.crc32(name)
    for start in range(at, at + length, _PIECE):
        crc = zlib.crc32(walk.take(start, min(_PIECE, at + length - start)), crc)
    if crc != struct.unpack(">I", walk.take(at + length, 4))[0]:
        raise UnreadableImage("corrupt", f"the checksum of PNG chunk {name.decode()} is wrong")


def _header(walk: Walk, at: int, length: int) -> tuple[int, int, int, int]:
    """Return width, height, bit depth and color type."""
    if length != 13:
        raise UnreadableImage("corrupt", f"a PNG header of {length:,} bytes")
    width, height, bits, colour = struct.unpack(">IIBB", walk.take(at, 10))
    walk.pixels(width, height)
    if bits not in _DEPTHS.get(colour, ()):
        raise UnreadableImage("corrupt", f"a PNG of color type {colour} with {bits} bits")
    return width, height, bits, colour


def walk_png(walk: Walk) -> Container:
    """Walk all chunks and check the checksums of those that contain pixels.

    `keep` excludes text, color profiles and later frames, because the decoder would decompress them (text bombs).
    """
    width = height = bits = colour = frames = 0
    orientation = 1
    names: set[bytes] = set()
    keep = [(0, 8)]
    for name, at, length in _chunks(walk):
        if (width == 0) != (name == b"IHDR"):
            raise UnreadableImage("corrupt", f"PNG chunk {name.decode()} is out of place")
        if name in _PIXELS:
            _check_crc(walk, name, at, length)
            keep.append((at - 8, at + length + 4))
            names.add(name)
        if name == b"IHDR":
            width, height, bits, colour = _header(walk, at, length)
        elif name == b"acTL" and length >= 4:
            walk.frames(struct.unpack(">I", walk.take(at, 4))[0])
        elif name == b"fcTL":
            frames = walk.frames(frames + 1, at_least=True)
        elif name == b"eXIf":
            orientation = exif_orientation(walk.handle, start=at, size=length)
    if b"IDAT" not in names or (colour == 3 and b"PLTE" not in names):
        raise UnreadableImage("corrupt", "a PNG without pixels or without the palette that they need")
    alpha = colour in {4, 6} or b"tRNS" in names
    notes = sorted_notes(orientation=orientation, animated=frames, bits=bits, palette=colour == 3, alpha=alpha)
    return Container("PNG", width, height, orientation, notes, joined(keep), bits)


def is_interlaced(data: bytes) -> bool:
    """Return whether a PNG that has been walked is interlaced."""
    return data[28] != 0


def check_rows(data: bytes) -> None:
    """Check that the pixel data of a PNG that has been walked decompress to all rows.

    Pillow accepts a short but properly closed stream as the complete picture and leaves the other rows black.

    Raises:
        UnreadableImage: `truncated` if rows are missing.
    """
    width, height, bits, colour = struct.unpack_from(">IIBB", data, 16)
    expected = 0
    for column, row, across, down in _ADAM7 if is_interlaced(data) else _WHOLE:
        columns, rows = -((column - width) // across), -((row - height) // down)
        if columns > 0 and rows > 0:
            expected += rows * (1 + (columns * bits * _CHANNELS[colour] + 7) // 8)
    unfolded, stream, at, name = 0, zlib.decompressobj(), 8, b""
    while name != b"IEND" and unfolded < expected and not stream.eof:
        length, name = struct.unpack_from(">I4s", data, at)
        for start in range(at + 8, at + 8 + length if name == b"IDAT" else 0, _PIECE):
            left = data[start : min(start + _PIECE, at + 8 + length)]
            while left and not stream.eof:
                unfolded += len(stream.decompress(left, _PIECE))
                left = stream.unconsumed_tail
        at += 12 + length
    if unfolded < expected:
        raise UnreadableImage("truncated", f"the pixels decompress to {unfolded:,} of {expected:,} bytes")

"""Read and write masks in the run-length encoding of Label Studio's brush, without using its library.

The format is thi.ng's `rle-pack`, over the four bytes (red, green, blue, opacity) of each pixel, row by row. It begins
with 32 bits for the number of bytes, 5 for the bits of a byte minus one, and four times 4 for the widths of run lengths
minus one. Each run has a bit for whether its bytes are equal, two that choose a width, its length minus one, and its
byte or bytes. A pixel belongs to the mask if its opacity is more than half.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchwright.errors import DataError
from benchwright.regions import grid_of

if TYPE_CHECKING:
    from benchwright.records import MaskRuns

MOST_BYTES = 4 << 20
"""Maximum size in bytes of one mask as Label Studio writes it."""
_WIDTHS = (3, 4, 8, 16)
_CHANNELS = 4
_HALF = 127


def read_brush(rle: object, size_wh: tuple[int, int]) -> NDArray[np.bool_]:
    """Return the (rows, columns) grid of a brush mask for a picture of the given size.

    Raises:
        DataError: The run lengths are invalid, or encode a picture of another size.
    """
    if not isinstance(rle, Sequence) or isinstance(rle, str | bytes) or not 0 < len(rle) <= MOST_BYTES:
        raise DataError("a brush has no run lengths")
    if not all(type(byte) is int and 0 <= byte <= 255 for byte in rle):
        raise DataError("run lengths of a brush must be bytes, 0 to 255")
    width, height = size_wh
    opacity = _opacity(_Bits(bytes(rle)), width * height)
    return (opacity > _HALF).reshape(height, width)


def write_brush(mask: MaskRuns) -> list[int]:
    """Return a mask in Label Studio's run-length encoding; equal masks have equal encodings."""
    cells = grid_of(mask).ravel()
    changes = np.flatnonzero(cells[1:] != cells[:-1]) + 1
    edges = [0, *(changes * _CHANNELS).tolist(), len(cells) * _CHANNELS]
    bits = [f"{len(cells) * _CHANNELS:032b}{7:05b}", *(f"{width - 1:04b}" for width in _WIDTHS)]
    value = 255 if cells[0] else 0
    for start, stop in pairwise(edges):
        bits += _run(stop - start, value)
        value = 255 - value
    text = "".join(bits)
    text += "0" * (-len(text) % 8)
    return list(int(text, 2).to_bytes(len(text) // 8, "big"))


def _run(length: int, value: int) -> list[str]:
    """Return the bits that encode a run of equal bytes, in as many parts as the run's length requires."""
    bits = []
    while length:
        part = min(length, 1 << _WIDTHS[-1])
        place = next(place for place, width in enumerate(_WIDTHS) if part <= 1 << width)
        bits.append(f"1{place:02b}{part - 1:0{_WIDTHS[place]}b}{value:08b}")
        length -= part
    return bits


class _Bits:
    """Reads numbers from bits, with the most significant bit first."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def read(self, width: int) -> int:
        """Return the next `width` bits as a number.

        Raises:
            DataError: Fewer bits remain.
        """
        first, last = self._at // 8, (self._at + width + 7) // 8
        if self._at + width > 8 * len(self._data):
            raise DataError("the run lengths of a brush end too early")
        self._at += width
        number = int.from_bytes(self._data[first:last], "big") >> (8 * last - self._at)
        return number & ((1 << width) - 1)


def _opacity(bits: _Bits, pixels: int) -> NDArray[np.uint8]:
    """Return the opacity of each pixel, row by row."""
    count = bits.read(32)
    if count != pixels * _CHANNELS:
        raise DataError(f"a brush encodes {count / _CHANNELS:,.0f} pixels, but its picture has {pixels:,}")
    if (width := bits.read(5) + 1) != 8:
        raise DataError(f"a brush has bytes of {width} bits")
    widths = [bits.read(4) + 1 for _ in range(4)]
    opacity = np.zeros(pixels, np.uint8)
    at = 0
    while at < count:
        is_run, length = bits.read(1), bits.read(widths[bits.read(2)]) + 1
        if at + length > count:
            raise DataError("the run lengths of a brush continue after its last pixel")
        if is_run:
            # The opacity is the last of a pixel's four bytes.
            opacity[at // _CHANNELS : (at + length) // _CHANNELS] = bits.read(8)
            at += length
            continue
        for place in range(at, at + length):
            byte = bits.read(8)
            if place % _CHANNELS == _CHANNELS - 1:
                opacity[place // _CHANNELS] = byte
        at += length
    return opacity

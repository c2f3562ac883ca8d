"""PNG files of pictures that differ from each other in a few rows, such as one photograph with different marks.

The encoder compresses rows in independent bands and reuses a band that it compressed before: for a photograph drawn on
nine times, it compresses nine tenths of the rows only once. Speed takes precedence over size, since such files are sent
once and never stored.
"""

from __future__ import annotations

import struct
import zlib
from collections import OrderedDict
from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

VERSION = 1
"""Version of the encoding; it must be raised when the same pixels give other bytes."""
BAND_ROWS = 32
_MOST_BYTES = 128 * 1024**2
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_ZLIB_HEAD, _LAST_BLOCK = b"\x78\x01", b"\x03\x00"
_SUB, _UP = 1, 2
"""Row filters: each value minus the one to its left, or minus the one above."""


class BandedPng:
    """Encoder of PNG files that caches compressed bands; not thread-safe.

    Equal pixels give equal bytes under one build of zlib, whatever was encoded before.

    Args:
        most_bytes: Limit of the cache in bytes; it evicts the least recently used bands first.

    Attributes:
        compressed: Number of bands compressed so far.
    """

    def __init__(self, *, most_bytes: int = _MOST_BYTES) -> None:
        self.compressed = 0
        self._most_bytes, self._used = most_bytes, 0
        self._bands: OrderedDict[bytes, bytes] = OrderedDict()

    def encode(self, pixels: NDArray[np.uint8]) -> bytes:
        """Encode (height, width, 3) RGB pixels as a PNG file without metadata."""
        height, width = pixels.shape[:2]
        filtered = _filtered(pixels)
        bands = [self._band(filtered[start : start + BAND_ROWS].tobytes()) for start in range(0, height, BAND_ROWS)]
        checksum = struct.pack(">I", zlib.adler32(filtered.data))
        data = b"".join([_ZLIB_HEAD, *bands, _LAST_BLOCK, checksum])
        head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
        return b"".join([_SIGNATURE, _chunk(b"IHDR", head), _chunk(b"IDAT", data), _chunk(b"IEND", b"")])

    def _band(self, rows: bytes) -> bytes:
        """Return rows as deflate blocks that refer to no earlier data and end at a byte boundary."""
        key = blake2b(rows, digest_size=32).digest()
        if (known := self._bands.get(key)) is not None:
            self._bands.move_to_end(key)
            return known
        self.compressed += 1
        # On photographs, run-length coding alone takes half the time of matching and gives about as many bytes.
        compressor = zlib.compressobj(1, zlib.DEFLATED, -zlib.MAX_WBITS, 9, zlib.Z_RLE)
        band = compressor.compress(rows) + compressor.flush(zlib.Z_FULL_FLUSH)
        self._bands[key] = band
        self._used += len(band)
        while self._used > self._most_bytes and len(self._bands) > 1:
            _, oldest = self._bands.popitem(last=False)
            self._used -= len(oldest)
        return band


def _filtered(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return rows, each after its filter byte; each row depends on the row above it, except for a band's first row.

    Differences are modulo 256 (W3C, PNG, section 9.2).
    """
    import numpy as np

    height, width = pixels.shape[:2]
    rows = np.ascontiguousarray(pixels).reshape(height, 3 * width)
    filtered = np.empty((height, 1 + 3 * width), dtype=np.uint8)
    filtered[:, 0] = _UP
    np.subtract(rows[1:], rows[:-1], out=filtered[1:, 1:])
    filtered[::BAND_ROWS, 0] = _SUB
    filtered[::BAND_ROWS, 1:4] = rows[::BAND_ROWS, :3]
    np.subtract(rows[::BAND_ROWS, 3:], rows[::BAND_ROWS, :-3], out=filtered[::BAND_ROWS, 4:])
    return filtered


def _chunk(kind: bytes, data: bytes) -> bytes:
    return b"".join([struct.pack(">I", len(data)), kind, data, struct.pack(">I", zlib.crc32(data, zlib.crc32(kind)))])

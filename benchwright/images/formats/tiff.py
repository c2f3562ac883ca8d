"""TIFF 6 and BigTIFF."""

from __future__ import annotations

from benchwright.errors import UnreadableImage
from benchwright.images.formats.ifd import ORIENTATION, Field, TiffBlock
from benchwright.images.formats.walking import Container, Walk, sorted_notes

_WIDTH, _HEIGHT, _BITS, _COMPRESSION, _PHOTOMETRIC, _SAMPLES = 256, 257, 258, 259, 262, 277
_STRIPS, _STRIP_BYTES, _TILES, _TILE_BYTES = 273, 279, 324, 325
_EXTRA, _SAMPLE_FORMAT = 338, 339
_COLOUR_MAP, _JPEG_TABLES = 320, 347
_READABLE = {1, 2, 3, 4, 5, 6, 7, 8, 32771, 32773, 32809, 32946, 34676, 34677, 34925, 50000, 50001}
_NO_COMPRESSION = 1
_SIGNED, _FLOAT = 2, 3
_WHITE_IS_ZERO, _RGB, _PALETTE, _CMYK, _YCBCR = 0, 2, 3, 5, 6
_AT_ONCE = 4096


def _pages(walk: Walk, tiff: TiffBlock) -> int:
    """Return the number of directories; a circular chain ends at the first repeated directory."""
    seen, at = {tiff.first}, tiff.following(tiff.first)
    while at and at not in seen:
        seen.add(at)
        walk.frames(len(seen), at_least=True)
        at = tiff.following(at)
    return len(seen)


def _check_pieces(walk: Walk, tiff: TiffBlock, fields: dict[int, Field], *, compressed: bool) -> None:
    """Check that every strip or tile of the first page begins inside the file.

    Valid files often overstate the lengths of uncompressed strips, so only their starts are checked.
    """
    starts, lengths = fields.get(_STRIPS), fields.get(_STRIP_BYTES)
    if starts is None:
        starts, lengths = fields.get(_TILES), fields.get(_TILE_BYTES)
    if starts is None or not starts.values:
        raise UnreadableImage("corrupt", "a TIFF that does not state where its pixels are")
    for first in range(0, starts.values, _AT_ONCE):
        at = tiff.integers(starts, first=first, at_most=_AT_ONCE)
        walk.within(max(at) + 1)
        if lengths and compressed:
            known = tiff.integers(lengths, first=first, at_most=_AT_ONCE)
            walk.within(max((start + length for start, length in zip(at, known, strict=False)), default=0))


def walk_tiff(walk: Walk) -> Container:
    """Read the first directory, count the others, and check that the first page's pixels are present."""
    tiff = TiffBlock(walk.handle, start=0, size=walk.size)
    fields = tiff.fields(tiff.first)
    width, height = walk.pixels(tiff.integer(fields, _WIDTH, 0), tiff.integer(fields, _HEIGHT, 0))
    pages = _pages(walk, tiff)
    kinds = tiff.integers(fields[_SAMPLE_FORMAT]) if _SAMPLE_FORMAT in fields else ()
    extra = tiff.integers(fields[_EXTRA]) if _EXTRA in fields else ()
    bits = max(tiff.integers(fields[_BITS]), default=1) if _BITS in fields else 1
    compression, photometric = tiff.integer(fields, _COMPRESSION, 1), tiff.integer(fields, _PHOTOMETRIC, 0)
    samples = tiff.integer(fields, _SAMPLES, 1)
    if (
        bits not in ({1, 2, 4, 8, 12, 16, 32} if samples == 1 else {8, 16})
        or samples > 6
        or compression not in _READABLE
        or photometric not in {_WHITE_IS_ZERO, 1, _RGB, _PALETTE, _CMYK, _YCBCR}
        or (_FLOAT in kinds and bits != 32)
    ):
        kind = f"{samples} samples with {bits} bits, photometric {photometric}, compression {compression}"
        raise UnreadableImage("unsupported_mode", f"a TIFF of {kind}")
    for tag in (_COLOUR_MAP, _JPEG_TABLES):
        if tag in fields:
            tiff.check_whole(fields[tag])
    _check_pieces(walk, tiff, fields, compressed=compression != _NO_COMPRESSION)
    if compression == _NO_COMPRESSION and photometric != _YCBCR:
        walk.within((width * bits * samples + 7 >> 3) * height)
    orientation = tiff.integer(fields, ORIENTATION, 1)
    orientation = orientation if 1 <= orientation <= 8 else 1
    notes = sorted_notes(
        orientation=orientation,
        pages=pages,
        bits=bits,
        palette=photometric == _PALETTE,
        cmyk=photometric == _CMYK,
        alpha=bool({1, 2}.intersection(extra)) or (photometric == _RGB and samples == 4 and not extra),
    )
    return Container(
        "TIFF",
        width,
        height,
        orientation,
        notes,
        bits=bits,
        signed=_SIGNED in kinds,
        white_is_zero=photometric == _WHITE_IS_ZERO,
    )

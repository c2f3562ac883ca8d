"""AVIF and HEIC: boxes of the ISO base media format (ISO/IEC 14496-12), read to limit the decoder's input."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from benchwright.errors import UnreadableImage
from benchwright.images.formats.walking import Container, Walk


def boxes(walk: Walk, at: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """Yield (type, start of the contents, end of the contents) of the boxes between two offsets."""
    while at + 8 <= end:
        walk.block()
        length, name = struct.unpack(">I4s", walk.take(at, 8))
        head = 8
        if length == 1:
            length, head = struct.unpack(">Q", walk.take(at + 8, 8))[0], 16
        stop = end if length == 0 else at + length
        if stop < at + head:
            raise UnreadableImage("corrupt", f"box {name!r} of {length} bytes")
        walk.within(stop)
        yield name, at + head, stop
        at = stop


def _inside(
    walk: Walk, name: bytes, parents: Iterator[tuple[bytes, int, int]], *, skip: int = 0
) -> Iterator[tuple[bytes, int, int]]:
    """Yield the boxes of one type inside the parents, whose contents begin with `skip` bytes to ignore."""
    for parent, at, end in parents:
        if parent == name:
            yield from boxes(walk, at + skip, end)


def walk_avif(walk: Walk) -> Container:
    """Walk all boxes of an AVIF file and return the largest picture size that they state (`ispe`)."""
    return _walked(walk, "AVIF")


def walk_heic(walk: Walk) -> Container:
    """Walk all boxes of a HEIC file, which have the same structure as those of AVIF."""
    return _walked(walk, "HEIC")


def _walked(walk: Walk, form: str) -> Container:
    meta = _inside(walk, b"meta", boxes(walk, 0, walk.size), skip=4)
    properties = _inside(walk, b"ipco", _inside(walk, b"iprp", meta))
    largest = (1, 1)
    for name, at, _ in properties:
        if name == b"ispe":
            stated = walk.pixels(*struct.unpack(">II", walk.take(at + 4, 8)))
            largest = max(largest, stated, key=lambda size: size[0] * size[1])
    return Container(form, *largest)

"""GIF 87a and 89a (CompuServe, 1990)."""

from __future__ import annotations

import io
import struct

from benchwright.errors import UnreadableImage
from benchwright.images.formats.walking import Container, Walk, sorted_notes, truncated


def _palette_bytes(flags: int) -> int:
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def _skip_blocks(walk: Walk, at: int) -> int:
    """Return the offset at which a run of data sub-blocks ends."""
    handle = walk.handle
    handle.seek(at)
    while (length := handle.read(1)) != b"\0":
        walk.block()
        if not length:
            truncated(walk.size)
        handle.seek(length[0], io.SEEK_CUR)
    return handle.tell()


def walk_gif(walk: Walk) -> Container:
    """Walk all blocks up to the required trailer, skipping stray bytes between them."""
    width, height, flags = struct.unpack("<HHB", walk.take(6, 7)[:5])
    at = 13 + _palette_bytes(flags)
    frames, alpha = 0, False
    while (kind := walk.take(at, 1)) != b";":
        walk.block()
        at += 1
        if kind == b"!":
            if frames == 0 and walk.take(at, 1) == b"\xf9":
                alpha = bool(walk.take(at + 2, 1)[0] & 1)
            at = _skip_blocks(walk, at + 1)
        elif kind == b",":
            left, top, wide, high, flags = struct.unpack("<HHHHB", walk.take(at, 9))
            if frames == 0:
                # A first frame larger than the screen enlarges the picture, as in Pillow.
                width, height = walk.pixels(max(width, left + wide), max(height, top + high))
            frames = walk.frames(frames + 1, at_least=True)
            at = _skip_blocks(walk, at + 10 + _palette_bytes(flags))
    if frames == 0:
        raise UnreadableImage("corrupt", "a GIF without a frame")
    return Container("GIF", width, height, notes=sorted_notes(animated=frames, palette=True, alpha=alpha))

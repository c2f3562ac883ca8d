"""Parts common to all formats: the facts of a container, and bounded reads of a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO, NoReturn

from benchwright.errors import UnreadableImage

MOST_BLOCKS = 2_500_000
"""Largest number of blocks in one walk; a GIF of 512 MiB has 2.1 million."""


@dataclass(frozen=True)
class Limits:
    """Limits of an image file. Some Pillow decoders have their own fixed limit of 178 million pixels."""

    max_pixels: int = 100_000_000
    max_bytes: int = 512 * 2**20
    max_frames: int = 1_000


@dataclass(frozen=True)
class Container:
    """Facts that a container states about its first frame.

    Args:
        format: Format, such as `PNG`; it determines the only decoder that gets the file.
        width: Width in pixels as stored, before orientation.
        height: Height in pixels as stored, before orientation.
        orientation: EXIF code of the orientation, 1 to 8.
        notes: Facts that decoding must take into account, sorted.
        keep: Byte ranges (start, stop) for the decoder; empty if it gets the whole file.
        bits: Bits per sample.
        signed: Whether samples are signed integers.
        white_is_zero: Whether gray value 0 is white.
    """

    format: str
    width: int
    height: int
    orientation: int = 1
    notes: tuple[str, ...] = ()
    keep: tuple[tuple[int, int], ...] = ()
    bits: int = 8
    signed: bool = False
    white_is_zero: bool = False

    @property
    def upright_wh(self) -> tuple[int, int]:
        """Width and height after orientation."""
        return (self.height, self.width) if self.orientation >= 5 else (self.width, self.height)


def sorted_notes(
    *, orientation: int = 1, animated: int = 1, pages: int = 1, bits: int = 8, **marks: bool
) -> tuple[str, ...]:
    """Return the sorted notes: one for each flag that is set and one for each number that differs from its default."""
    notes = [name for name, is_so in marks.items() if is_so]
    if orientation > 1:
        notes.append(f"exif_orientation:{orientation}")
    if animated > 1:
        notes.append(f"animated:{animated}")
    if pages > 1:
        notes.append(f"pages:{pages}")
    if bits > 8:
        notes.append("sixteen_bit" if bits <= 16 else "thirty_two_bit")
    return tuple(sorted(notes))


def joined(ranges: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Return ordered ranges with adjacent ranges merged."""
    merged: list[tuple[int, int]] = []
    for start, stop in ranges:
        if merged and merged[-1][1] == start:
            merged[-1] = (merged[-1][0], stop)
        else:
            merged.append((start, stop))
    return tuple(merged)


def truncated(size: int) -> NoReturn:
    """Refuse a file that ends before its contents do."""
    raise UnreadableImage("truncated", f"the file ends after {size:,} bytes, before its contents do")


def check_pixels(width: int, height: int, *, limits: Limits) -> tuple[int, int]:
    """Check that the product of width and height is within the limit and return both.

    Raises:
        UnreadableImage: `too_many_pixels`, or `corrupt` if the image has no pixels.
    """
    if width < 1 or height < 1:
        raise UnreadableImage("corrupt", f"the header states {width:,} x {height:,} pixels")
    if width * height > limits.max_pixels:
        stated = f"{width:,} x {height:,} = {width * height:,} pixels"
        raise UnreadableImage("too_many_pixels", f"{stated}, limit {limits.max_pixels:,}")
    return width, height


def check_frames(count: int, *, limits: Limits, at_least: bool = False) -> int:
    """Check that a number of frames is within the limit and return it.

    Raises:
        UnreadableImage: `too_many_frames`.
    """
    if count > limits.max_frames:
        frames = f"at least {count:,}" if at_least else f"{count:,}"
        raise UnreadableImage("too_many_frames", f"{frames} frames, limit {limits.max_frames:,}")
    return count


class Walk:
    """One walk over one file, which checks every read and every number."""

    def __init__(self, handle: BinaryIO, *, size: int, limits: Limits) -> None:
        self.handle, self.size, self.limits = handle, size, limits
        self._blocks = 0

    def take(self, at: int, length: int) -> bytes:
        """Read `length` bytes at an offset within the file."""
        self.within(at + length)
        self.handle.seek(at)
        data = self.handle.read(length)
        if len(data) < length:
            truncated(at + len(data))
        return data

    def within(self, end: int) -> None:
        """Check that the file extends at least to an offset."""
        if end > self.size:
            truncated(self.size)

    def block(self) -> None:
        """Count one more block, up to `MOST_BLOCKS`."""
        self._blocks += 1
        if self._blocks > MOST_BLOCKS:
            raise UnreadableImage("corrupt", f"more than {MOST_BLOCKS:,} blocks")

    def pixels(self, width: int, height: int) -> tuple[int, int]:
        """Check that the size a header states is within the limit and return it."""
        return check_pixels(width, height, limits=self.limits)

    def frames(self, count: int, *, at_least: bool = False) -> int:
        """Check that a counted or stated number of frames is within the limit and return it."""
        return check_frames(count, limits=self.limits, at_least=at_least)

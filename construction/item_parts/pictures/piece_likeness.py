"""Tests whether similarity alone reveals which of two pieces of a picture is missing, without looking at the join.

Nearby parts of a picture are similar: the right piece of a jigsaw is closer to the shown tiles in color, light and
texture than the wrong one, and continues their rows and columns. This module therefore finds parts of a picture with
two pieces, of which either can be missing: if one is, it is more similar by as much as the other is if that one is
missing. Chance chooses which. Both items would show the same two pieces, so nothing in the pieces alone reveals the
right one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .inner_pictures import InnerBox
from .scaling import shrink

_GRID, _TILE_PX = 3, 24
_REDUCED_PX = 288
"""Longer side of the reduced picture from which parts are cut."""
_PLACES = (23, 18, 12, 6)
"""Lines of a tile that are compared, in pixels from the join."""
_OFF_JOIN = 6
"""Number of pixels of a piece at the join that are left out."""
_LEVELS = 40.0
"""Number of gray levels that weigh as much as a factor of e in contrast."""
_UNEVEN = 0.4
"""Largest sum of the margins of two ways; margins have a deviation of about 1.5."""
_SIZE_COUNTS = 1.0
"""Weight of a part's side, as a fraction of the picture's, in units of similarity."""

Floats = NDArray[np.float32]


class Way(NamedTuple):
    """A way to cut a picture.

    Args:
        part: Index of the part to cut.
        missing: Which of the two pieces is missing, 0 or 1.
        margin: Similarity of the missing piece to the shown tiles minus that of the other; None if not measured.
    """

    part: int
    missing: int
    margin: float | None = None

    @property
    def evidence(self) -> dict[str, float]:
        """Return an item's evidence for this way: its margin, if measured."""
        return {} if self.margin is None else {"likeness_margin": self.margin}


class _PieceLooks(NamedTuple):
    """The appearance of a piece away from its join: its lines, its texture, and the mean colors of its two ends, each
    for all parts.
    """

    down: Floats
    across: Floats
    texture: Floats
    ends: Floats


class _ShownLooks(NamedTuple):
    """The surroundings of a missing piece: lines that it continues, textures of tiles, mean colors of their sides."""

    down: Floats
    across: Floats
    textures: Floats
    sides: Floats


def even_ways(margins: Floats, sizes: Sequence[float]) -> Iterator[tuple[Way, Way]]:
    """Yield the two ways to cut each part whose similarity margins cancel, the best part first.

    Ways to cut different parts would let the pieces reveal the key: in a picture whose ways both miss the same tile,
    that tile is right whatever chance chooses, and its content tells which pictures these are.

    Args:
        margins: Margins of the parts (`likeness_margins`), shape (parts, 2).
        sizes: Side of each part as a fraction of the picture's, 0-1; with equally even similarity, larger ones come
            first.
    """
    uneven = np.abs(margins.sum(axis=1))
    cost = uneven + 2 * _SIZE_COUNTS * (1 - np.asarray(sizes))
    for part in np.argsort(cost, kind="stable").tolist():
        if uneven[part] <= _UNEVEN:
            yield _way(part, 0, margins), _way(part, 1, margins)


def _way(part: int, missing: int, margins: Floats) -> Way:
    return Way(part, missing, round(float(margins[part, missing]), 3))


class ReducedPicture(NamedTuple):
    """A reduced picture, in which parts are compared.

    Args:
        pixels: The picture at most 288 pixels a side, (height, width, 3).
        scale: Factor by which it is smaller, at most 1.
    """

    pixels: NDArray[np.uint8]
    scale: float

    @classmethod
    def of(cls, pixels: NDArray[np.uint8]) -> ReducedPicture:
        """Reduce a picture, (height, width, 3)."""
        height, width = pixels.shape[:2]
        scale = min(1.0, _REDUCED_PX / max(height, width))
        return cls(shrink(pixels, (max(1, round(scale * width)), max(1, round(scale * height)))), scale)


def likeness_margins(picture: ReducedPicture, parts: Sequence[InnerBox]) -> Floats:
    """Return how much more similar to the shown tiles the right piece is than the wrong one.

    Args:
        picture: The picture.
        parts: Parts of it to cut into 3 by 3 tiles, in pixels before the picture was reduced.

    Returns:
        Shape (parts, 2): first with tile (1, 2) missing and (2, 1) wrong, then the reverse.
    """
    measured = np.tanh(measured_margins(picture, parts) / _SCALES)
    return np.asarray(measured @ np.array(_WEIGHTS, np.float32), np.float32)


def measured_margins(picture: ReducedPicture, parts: Sequence[InnerBox]) -> Floats:
    """Return the margins of each measure of similarity separately, shape (parts, 2, measures)."""
    tiles = _squares(picture, parts).reshape(len(parts), _GRID, _TILE_PX, _GRID, _TILE_PX, 3)
    tiles = np.ascontiguousarray(tiles.transpose(1, 3, 0, 2, 4, 5))
    pieces = _piece(tiles[1, 2]), _piece(tiles[2, 1])
    beside = _beside(tiles[0, 2], tiles[1, 1], tiles[0, 1]), _beside(tiles[1, 1], tiles[2, 0], tiles[1, 0])
    alike = [[_likeness(piece, shown) for piece in pieces] for shown in beside]
    return np.stack([alike[0][0] - alike[0][1], alike[1][1] - alike[1][0]], axis=1)


def _squares(picture: ReducedPicture, parts: Sequence[InnerBox]) -> Floats:
    """Return parts of a picture as squares of 3 by 3 tiles, (parts, pixels, pixels, 3)."""
    import cv2

    small, scale = picture
    side = _GRID * _TILE_PX
    found = np.empty((len(parts), side, side, 3), np.float32)
    for shown, part in zip(found, parts, strict=True):
        left, top, right, bottom = (round(scale * end) for end in part)
        of_part = small[top : max(top + 1, bottom), left : max(left + 1, right)]
        shown[:] = cv2.resize(of_part, (side, side), interpolation=cv2.INTER_AREA)
    return found


def _piece(tile: Floats) -> _PieceLooks:
    kept = np.ascontiguousarray(tile[:, _OFF_JOIN:, _OFF_JOIN:])
    return _PieceLooks(
        _looks(tile[:, _OFF_JOIN:, _PLACES].swapaxes(1, 2)),
        _looks(tile[:, _PLACES, _OFF_JOIN:]),
        _texture(kept),
        np.stack([kept[:, -1].mean(axis=1), kept[:, :, -1].mean(axis=1)], axis=1),
    )


def _beside(above: Floats, left: Floats, corner: Floats) -> _ShownLooks:
    sides = (above[:, :, -1], left[:, -1], above[:, 0], left[:, :, 0], corner[:, 0], corner[:, :, 0])
    return _ShownLooks(
        _looks(above[:, :, _PLACES].swapaxes(1, 2)),
        _looks(left[:, _PLACES]),
        np.stack([_texture(tile) for tile in (above, left, corner)], axis=1),
        np.stack([side.mean(axis=1) for side in sides], axis=1),
    )


def _likeness(piece: _PieceLooks, shown: _ShownLooks) -> Floats:
    """Return the similarity of a piece to its surroundings: by lines, textures and ends, (parts, measures)."""
    lines = (np.abs(shown.down - piece.down) + np.abs(shown.across - piece.across)).sum(axis=2)
    textures = np.abs(piece.texture[:, None] - shown.textures).reshape(len(lines), -1)
    ends = np.abs(piece.ends[:, :, None] - shown.sides[:, None]).mean(axis=3).reshape(len(lines), -1) / _LEVELS
    return -np.concatenate([lines, textures, ends], axis=1)


def _looks(lines: Floats) -> Floats:
    """Return mean color, gray levels, unevenness and spread of lines (parts, lines, pixels, 3), as (parts,
    lines, 8).
    """
    grey = _grey(lines)
    ordered = np.sort(grey, axis=2)
    tenth = grey.shape[2] // 10
    levels = ordered[:, :, [tenth, grey.shape[2] // 2, -1 - tenth]]
    unrest = np.log(0.5 + np.abs(np.diff(grey, axis=2)).mean(axis=2))
    spread = np.log(1 + lines.std(axis=2).mean(axis=2))
    return np.concatenate(
        [lines.mean(axis=2) / _LEVELS, levels / _LEVELS, unrest[..., None], spread[..., None]], axis=2
    )


def _grey(pixels: Floats) -> Floats:
    """Return the mean of the three colors; NumPy's mean over so short an axis takes several times as long."""
    return (pixels[..., 0] + pixels[..., 1] + pixels[..., 2]) / np.float32(3)


def _texture(tile: Floats) -> Floats:
    """Return mean color, contrast and unevenness of a tile, (parts, 5)."""
    grey = _grey(tile)
    contrast = np.log(1 + grey.std(axis=(1, 2)))
    across, down = (np.abs(np.diff(grey, axis=axis)).mean(axis=(1, 2)) for axis in (2, 1))
    unrest = np.log(0.5 + across + down)
    return np.concatenate([tile.mean(axis=(1, 2)) / _LEVELS, contrast[:, None], unrest[:, None]], axis=1)


_SCALES: Floats = np.array((
    10.8, 10.95, 11.32, 11.59,
    1.12, 1.04, 1.07, 0.88, 0.88, 1.1, 1.03, 1.07, 0.88, 0.88, 1.13, 1.04, 1.07, 0.88, 0.89,
    1.17, 1.18, 1.19, 1.16, 1.18, 1.17, 1.17, 1.17, 1.18, 1.16, 1.17, 1.17,
), np.float32)  # fmt: skip
"""Deviation of each margin among pictures: of four lines, of the textures of three tiles, of two ends and six sides."""
_WEIGHTS = (
    0.66, 0.63, 0.62, 0.64,
    0.07, -0.19, -0.34, 0.12, 0.51, 0.07, -0.01, 0.24, -0.14, -0.06, -0.2, -0.05, 0.02, -0.26, -0.53,
    -0.3, 0.4, -0.08, -0.22, 0.02, 0.11, 0.29, -0.5, -0.24, -0.09, 0.09, -0.18,
)  # fmt: skip
"""Weight of each margin, as fitted by `benchmarks/jigsaw_likeness.py` to 1,799 photographs and drawings."""

"""A picture in 3 by 3 tiles, three of which are shown around the position of a fourth."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.drawing.clear_colors import MarkColor, clear_fill

from .inner_pictures import InnerBox, lines_of_lettering
from .scaling import scaled, shrink
from .straight_strips import StraightStrips

GRID = 3
Tile = tuple[int, int]
"""(row, column), from 0."""
_BESIDE, _ACROSS = 0.08, 0.35
"""Parts of a neighboring tile that are examined for strips: next to a piece, and their extent to either side of the
join, as fractions of a tile.
"""
_WIDEST_STRIP = 0.35
_AROUND_HOLE = 1 / 6
"""Depth of the area around the missing tile that determines the fill color, as a fraction of a tile."""
_MOST_LOOKED_AT = 1000
"""Largest number of pixels examined on each side for the fill color."""


class TilePair(NamedTuple):
    """The missing tile, and the alternative that is offered with the missing tile."""

    missing: Tile
    wrong: Tile


class TiledPicture(NamedTuple):
    """A picture in tiles of one size, as cut and as in the upright source.

    Args:
        pixels: The tiles together, (3 x height, 3 x width, 3), no larger than in the source.
        tile_wh: Size of a tile in `pixels`.
        source_tile_wh: Size of a tile in the source.
        corner: Upper left corner of the tiles in the source.
    """

    pixels: NDArray[np.uint8]
    tile_wh: tuple[int, int]
    source_tile_wh: tuple[int, int]
    corner: tuple[int, int]

    @classmethod
    def of(cls, pixels: NDArray[np.uint8], inner: InnerBox, tile_wh: tuple[int, int]) -> TiledPicture:
        """Scale the area of a part that can be divided into equal tiles of whole source pixels; the remainder is left
        out.
        """
        width, height = (side // GRID for side in inner.size_wh)
        covered = inner.of(pixels)[: GRID * height, : GRID * width]
        cut = shrink(covered, (GRID * tile_wh[0], GRID * tile_wh[1]))
        return cls(cut, tile_wh, (width, height), (inner.left, inner.top))

    @property
    def part(self) -> InnerBox:
        """Return the part of the source that the tiles cover."""
        left, top = self.corner
        width, height = self.source_tile_wh
        return InnerBox(left, top, left + GRID * width, top + GRID * height)

    def tile(self, tile: Tile) -> NDArray[np.uint8]:
        """Return the pixels of a tile."""
        left, top, right, bottom = box_of(tile, self.tile_wh)
        return self.pixels[top:bottom, left:right]

    def piece(self, tile: Tile, shown_wh: tuple[int, int]) -> NDArray[np.uint8]:
        """Return a tile as items show it, enlarged separately so that its edge shows nothing of its neighbors."""
        return scaled(np.ascontiguousarray(self.tile(tile)), shown_wh)

    def reference(self, missing: Tile, shown_wh: tuple[int, int], fill: MarkColor) -> NDArray[np.uint8]:
        """Return the three tiles next to a missing one, whose position is filled with a color.

        Args:
            missing: The missing tile.
            shown_wh: Size of a tile as items show it.
            fill: The color.
        """
        width, height = self.tile_wh
        left, top, right, bottom = box_of(missing, self.tile_wh)
        pixels = self.pixels[top - height : bottom, left - width : right].copy()
        # The missing tile must not shine through at its edge when the picture is enlarged.
        pixels[height:, width:] = pixels[height - 1 : height, width:]
        shown = np.ascontiguousarray(scaled(pixels, (2 * shown_wh[0], 2 * shown_wh[1])))
        shown[shown_wh[1] :, shown_wh[0] :] = tuple(bytes.fromhex(fill.code[1:]))
        return shown

    def clear_fill(self, missing: Tile) -> MarkColor:
        """Return the fill color for a missing tile: black, unless its surroundings are nearly black."""
        width, height = self.tile_wh
        left, top, right, bottom = box_of(missing, self.tile_wh)
        across, down = max(1, int(width * _AROUND_HOLE)), max(1, int(height * _AROUND_HOLE))
        above = self.pixels[top - down : top, left:right].reshape(-1, 3)
        beside = self.pixels[top:bottom, left - across : left].reshape(-1, 3)
        return clear_fill([side[:: len(side) // _MOST_LOOKED_AT + 1] for side in (above, beside)])

    def evidence(self, pair: TilePair) -> dict[str, Any]:
        """Return the tiles in use and their positions in the upright source, in pixels."""
        return {
            "grid": [GRID, GRID],
            "tile_wh": list(self.tile_wh),
            "shown_boxes_xyxy": [self._source_box(tile) for tile in _shown_beside(pair.missing)],
            "right": {"tile": list(pair.missing), "box_xyxy": self._source_box(pair.missing)},
            "wrong": {"tile": list(pair.wrong), "box_xyxy": self._source_box(pair.wrong)},
        }

    def _source_box(self, tile: Tile) -> list[int]:
        x, y = self.corner
        left, top, right, bottom = box_of(tile, self.source_tile_wh)
        return [left + x, top + y, right + x, bottom + y]


class CutLines:
    """Lettering and straight strips of a picture, used to judge cuts through it and through parts of it.

    Args:
        cut: The picture; parts lie within the area that its tiles cover.
        lettering: Whether to look for lettering.
        strips: Whether to look for strips.
    """

    def __init__(self, cut: TiledPicture, *, lettering: bool, strips: bool) -> None:
        self._whole, self._scale = cut.part, cut.tile_wh[0] / cut.source_tile_wh[0]
        self._lines = lines_of_lettering(cut.pixels) if lettering else []
        self._strips = StraightStrips(cut.pixels) if strips else None

    def reason_against(self, part: InnerBox, tiles: Iterable[Tile]) -> str | None:
        """Return the reason why a part cannot be cut into tiles with these pieces, or None if it can.

        Args:
            part: The part, in pixels of the source.
            tiles: Tiles offered as pieces.
        """
        width, height = (self._scale * (side // GRID) for side in part.size_wh)
        x, y = (self._scale * (near - far) for near, far in zip(part[:2], self._whole[:2], strict=True))
        for row, column in tiles:
            left, top = x + column * width, y + row * height
            if self._has_strip(left, top, width, height):
                return "strip_at_join"
            if self._has_lettering(left, top, left + width, top + height):
                return "lettering_at_join"
        return None

    def _has_lettering(self, left: float, top: float, right: float, bottom: float) -> bool:
        """Return whether a line of lettering runs across the left edge of a piece, or is cut by its upper edge."""
        for line in self._lines:
            gap = line.bottom - line.top  # between two words
            is_across = line.left - gap < left < line.right + gap and line.top < bottom and line.bottom > top
            is_cut_along = line.top < top < line.bottom and line.left < right and line.right > left
            if is_across or is_cut_along:
                return True
        return False

    def _has_strip(self, left: float, top: float, width: float, height: float) -> bool:
        """Return whether a strip runs across the left or the upper edge of a piece, or close along it."""
        if self._strips is None:
            return False
        over_left = (left - _ACROSS * width, left + _ACROSS * width)
        over_top = (top - _ACROSS * height, top + _ACROSS * height)
        rows, columns = (top - _BESIDE * height, top + height), (left - _BESIDE * width, left + width)
        return self._strips.across_rows(rows, over_left, _WIDEST_STRIP * height) or self._strips.across_columns(
            columns, over_top, _WIDEST_STRIP * width
        )


def box_of(tile: Tile, tile_wh: tuple[int, int]) -> list[int]:
    """Return the box of a tile, from the upper left corner of the tiles, in pixels."""
    row, column = tile
    width, height = tile_wh
    return [column * width, row * height, (column + 1) * width, (row + 1) * height]


def _shown_beside(missing: Tile) -> tuple[Tile, ...]:
    """Return the three tiles above and to the left of the missing one."""
    row, column = missing
    return (row - 1, column - 1), (row - 1, column), (row, column - 1)


def edge_difference(first: NDArray[np.uint8], second: NDArray[np.uint8]) -> float:
    """Return the difference between two pieces where they would join the reference, 0-1, to four decimals.

    The strips along the top and the left edge, a sixth of the shorter side deep, are averaged in six cells each; the
    result is the mean absolute difference of the cells' colors. Deeper areas can also distinguish pieces, but if the
    joining edges are alike, people have to guess.

    Args:
        first: (height, width, 3).
        second: Second piece, of the same shape.
    """
    return round(float(np.abs(_edges(first) - _edges(second)).mean()) / 255, 4)


def _edges(tile: NDArray[np.uint8], *, cells: int = 6) -> NDArray[np.float32]:
    import cv2

    depth = max(1, min(tile.shape[:2]) // 6)
    top = cv2.resize(tile[:depth].astype(np.float32), (cells, 1), interpolation=cv2.INTER_AREA)
    left = cv2.resize(tile[:, :depth].astype(np.float32), (1, cells), interpolation=cv2.INTER_AREA)
    return np.concatenate([top.reshape(cells, 3), left.reshape(cells, 3)]).astype(np.float32)

"""Outlines of masks as polygons that stay valid when simplified."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .region import MAX_CORNERS, SizeWH

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOLERANCE_PX = 1.5
"""Largest distance, in pixels, of a simplified outline from the mask's."""


def outline_of(mask: NDArray[np.bool_], *, tolerance_px: float = TOLERANCE_PX) -> list[tuple[float, float]] | None:
    """Return the corners of the outline around a mask's largest part, ignoring holes; None for an empty mask.

    The outline runs along the edges of cells. Its simplification neither crosses nor touches itself (Douglas and
    Peucker 1973, doi:10.3138/FM57-6770-U75U-7727), and exceeds the tolerance only if `MAX_CORNERS` requires it.

    Args:
        mask: (height, width), True inside.
        tolerance_px: Largest distance from the exact outline in pixels; 0 drops only corners on straight lines.
    """
    import cv2
    from shapely import LineString, Point, Polygon, union_all

    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not len(rows):
        return None
    left, top = int(columns[0]), int(rows[0])
    part = mask[top : rows[-1] + 1, left : columns[-1] + 1].astype(np.uint8)
    contours, _ = cv2.findContours(part, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    centres = np.array([left + 0.5, top + 0.5])
    contour = max(contours, key=cv2.contourArea).reshape(-1, 2) + centres
    core: Any = Point(contour[0]) if len(contour) == 1 else LineString(contour)
    if len(contour) > 2:
        core = LineString([*contour, contour[0]])
        filled = Polygon(contour)
        core = union_all([core, filled if filled.is_valid else filled.buffer(0)])
    # Half a cell around the centers is the edge of the cells, and cells are square.
    square = core.buffer(0.5, cap_style="square", join_style="mitre")
    # Drop the holes before simplifying: an outline that must not cross them could never get short enough.
    outline = Polygon(_largest(square).exterior)
    tolerance = tolerance_px
    corners = _corners(outline, tolerance, (mask.shape[1], mask.shape[0]))
    while corners is not None and len(corners) > MAX_CORNERS and tolerance < sum(mask.shape):
        tolerance = max(0.5, tolerance * 1.5)
        corners = _corners(outline, tolerance, (mask.shape[1], mask.shape[0]))
    return corners


def _corners(outline: Any, tolerance: float, size_wh: SizeWH) -> list[tuple[float, float]] | None:
    """Return the corners of a simplified outline within the picture."""
    from shapely import Polygon, box

    simplified = Polygon(outline.simplify(tolerance, preserve_topology=True).exterior)
    within = _largest(simplified.intersection(box(0, 0, *size_wh)))
    if within is None:
        return None
    whole = Polygon(within.exterior)
    return [(float(x), float(y)) for x, y in list(whole.exterior.coords)[:-1]]


def _largest(shape: Any) -> Any:
    """Return the largest polygon of a shape; None if it has no polygon."""
    polygons = [part for part in getattr(shape, "geoms", [shape]) if part.geom_type == "Polygon" and not part.is_empty]
    return max(polygons, key=lambda polygon: polygon.area, default=None)

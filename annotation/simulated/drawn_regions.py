"""Regions by simulated annotators: drawn at random on a picture, and moved as by an unsteady hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchwright.records import MaskRuns
from benchwright.regions import Region, SizeWH, grid_of, mask_of_outline
from benchwright.seeds import generator_for

from ..forms.fields.field_types import RegionField

if TYPE_CHECKING:
    import numpy as np

_MOST_DRAWN = 3
_Point = tuple[float, float]


def drawn_regions(field: RegionField, pictures: Sequence[str], sizes_wh: Sequence[SizeWH]) -> list[Region]:
    """Return random regions for a picture or a pair of pictures; the regions are the same every time."""
    rng = generator_for(0, "regions drawn by chance", ".".join(pictures), field.name)
    most = min(field.max_count, max(field.min_count, _MOST_DRAWN))
    least = min(max(field.min_count, 1), most)
    return [drawn_region(field, sizes_wh, rng) for _ in range(int(rng.integers(least, most + 1)))]


def drawn_region(field: RegionField, sizes_wh: Sequence[SizeWH], rng: np.random.Generator) -> Region:
    """Return a region that a field accepts, at a random position."""
    codes = [option.code for option in field.options]
    label = codes[int(rng.integers(len(codes)))] if codes else f"thing {int(rng.integers(1, 4))}"
    labelled = {"label": label} if codes or field.free_label else {}
    (width, height), across, down = sizes_wh[0], 0.15 + 0.25 * rng.random(), 0.15 + 0.25 * rng.random()
    left, top = rng.random() * (1 - across), rng.random() * (1 - down)
    box = ((left * width, top * height), ((left + across) * width, (top + down) * height))
    if field.shape == "box":
        return Region(shape="box", points=box, **labelled)
    if field.shape == "point":
        return Region(shape="point", points=box[:1], **labelled)
    if field.shape == "points":
        return Region(shape="points", points=box, **labelled)
    if field.shape == "correspondence":
        other_width, other_height = sizes_wh[1]
        other = (left * other_width, top * other_height)
        return Region(shape="correspondence", points=(box[0], other), **labelled)
    outline = _diamond(box)
    if field.shape == "polygon":
        return Region(shape="polygon", points=outline, **labelled)
    mask = mask_of_outline(outline, sizes_wh[0]) or mask_of_outline(_corners((0, 0), sizes_wh[0]), sizes_wh[0])
    return Region(shape="mask", mask=mask, **labelled)


def _diamond(box: tuple[_Point, _Point]) -> tuple[_Point, ...]:
    (x0, y0), (x1, y1) = box
    return ((x0 + x1) / 2, y0), (x1, (y0 + y1) / 2), ((x0 + x1) / 2, y1), (x0, (y0 + y1) / 2)


def _corners(first: _Point, last: _Point) -> tuple[_Point, ...]:
    (x0, y0), (x1, y1) = first, last
    return (x0, y0), (x1, y0), (x1, y1), (x0, y1)


def moved_region(region: Region, sizes_wh: Sequence[SizeWH], jitter: float, rng: np.random.Generator) -> Region:
    """Return a region as marked by a slightly unsteady hand, which stays within the picture."""
    x0, y0, x1, y1 = region.bounds
    if region.mask is not None:
        step = rng.normal(0, jitter, 2) * (x1 - x0, y1 - y0)
        return region.model_copy(update={"mask": _shifted(region.mask, round(step[0]), round(step[1]))})
    if region.shape == "polygon":  # moved as a whole: its outline stays free of crossings
        across, down = rng.normal(0, jitter, 2) * (x1 - x0, y1 - y0)
        width, height = sizes_wh[0]
        across, down = min(max(across, -x0), width - x1), min(max(down, -y0), height - y1)
        return region.model_copy(update={"points": tuple((x + across, y + down) for x, y in region.points)})
    points = []
    for place, (x, y) in enumerate(region.points):
        width, height = sizes_wh[place if region.shape == "correspondence" else 0]
        reach = (x1 - x0, y1 - y0) if region.shape == "box" else (width, height)
        across, down = rng.normal(0, jitter, 2) * reach
        points.append((min(max(x + across, 0.0), float(width)), min(max(y + down, 0.0), float(height))))
    if region.shape == "box" and not (points[0][0] < points[1][0] and points[0][1] < points[1][1]):
        return region
    return region.model_copy(update={"points": tuple(points)})


def _shifted(mask: MaskRuns, across: int, down: int) -> MaskRuns:
    """Return a mask moved by whole pixels; unchanged if nothing would be left of it."""
    import numpy as np

    from benchwright.drawing import mask_of

    grid = grid_of(mask)
    rows, columns = np.nonzero(grid)
    rows, columns = rows + down, columns + across
    is_inside = (rows >= 0) & (rows < grid.shape[0]) & (columns >= 0) & (columns < grid.shape[1])
    if not is_inside.any():
        return mask
    moved = np.zeros_like(grid)
    moved[rows[is_inside], columns[is_inside]] = True
    return mask_of(moved)

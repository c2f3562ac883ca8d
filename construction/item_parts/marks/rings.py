"""Marks that items show on pictures: rings as BLINK draws them, and checks that there is space for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import dist

import numpy as np
from numpy.typing import NDArray

from benchwright.drawing import PromptError, lay_out
from benchwright.drawing.clear_colors import clear_colors, in_color, mark_style
from benchwright.records import ImageRecord, Item, VisualPrompt

from ..options.choices import TWIN_KEY

Point = tuple[float, float]
SizeWH = tuple[int, int]

NO_PICTURE = "0" * 64
"""Placeholder id of a picture whose marks are laid out before it exists."""


def ring(image_id: str, height: int, point: Point, label: str) -> VisualPrompt:
    """Return a ring around a point of a picture, with a label."""
    return VisualPrompt(kind="ring", image_id=image_id, points=(point,), label=label, style=mark_style(height))


def with_clear_marks(item: Item, pixels_of: Callable[[str], NDArray[np.uint8]]) -> Item:
    """Return an item with all its marks in the one color that differs most from the pixels under them.

    Args:
        item: The item.
        pixels_of: Function that returns the pixels, (height, width, 3) RGB, of a picture that the item shows.
    """
    grounds = [(pixels_of(image.image_id), image.prompts) for image in item.images if image.prompts]
    if not grounds:
        return item
    [color] = clear_colors(grounds)
    images = [image.model_copy(update={"prompts": in_color(image.prompts, color.code)}) for image in item.images]
    return with_calm_marks(item.model_copy(update={"images": tuple(images)}), pixels_of)


def with_calm_marks(item: Item, pixels_of: Callable[[str], NDArray[np.uint8]]) -> Item:
    """Return an item whose labels are at the position that covers the least lettering and other fine detail; labels of
    twins keep their default position, which is the same in both twins.

    Args:
        item: The item.
        pixels_of: Function that returns the pixels, (height, width, 3) RGB, of a picture that the item shows.
    """
    from benchwright.drawing.calm_labels import with_calm_labels

    marked = [image for image in item.images if image.prompts]
    if not marked or any(key.startswith(TWIN_KEY) for key in item.group_keys):
        return item
    calm = iter(with_calm_labels([(pixels_of(image.image_id), image.prompts) for image in marked]))
    images = [image.model_copy(update={"prompts": next(calm)}) if image.prompts else image for image in item.images]
    return item.model_copy(update={"images": tuple(images)})


def rings_fit(points: Sequence[Point], labels: Sequence[str], size_wh: SizeWH) -> bool:
    """Return whether rings with labels fit on a picture of that size without covering any mark."""
    rings = [ring(NO_PICTURE, size_wh[1], point, label) for point, label in zip(points, labels, strict=True)]
    return labels_have_room(rings, size_wh)


def labels_fit(prompts: Sequence[VisualPrompt], picture: ImageRecord) -> bool:
    """Return whether every mark has a position for its label that covers no mark."""
    return labels_have_room(prompts, (picture.width, picture.height))


def labels_have_room(prompts: Sequence[VisualPrompt], size_wh: SizeWH) -> bool:
    """Return whether, on a picture of that size, every mark has a position for its label that covers no mark."""
    try:
        lay_out(prompts, width=size_wh[0], height=size_wh[1])
    except PromptError:
        return False
    return True


def least_distance(points: Sequence[Point]) -> float:
    """Return the smallest distance between any two of the points, in pixels; infinite for fewer than two."""
    return min((dist(first, second) for first, second in combinations(points, 2)), default=float("inf"))


def is_off_border(point: Point, size_wh: SizeWH, *, margin_px: float) -> bool:
    """Return whether a point lies at least `margin_px` from every border of its picture."""
    (x, y), (width, height) = point, size_wh
    return margin_px <= x <= width - margin_px and margin_px <= y <= height - margin_px


def chosen_apart(
    points: Sequence[Point], order: Sequence[int], kept: Sequence[int], *, count: int, distance_px: float
) -> list[int] | None:
    """Return the indices of `count` points that are far from the kept ones and from each other; None if too few exist.

    Args:
        points: All points.
        order: Indices of the candidates, in order of preference.
        kept: Indices of points that are shown in any case.
        count: Requested number of points.
        distance_px: Smallest distance between any two, in pixels.
    """
    chosen: list[int] = []
    for number in order:
        if len(chosen) == count:
            break
        if all(dist(points[number], points[other]) >= distance_px for other in (*kept, *chosen)):
            chosen.append(number)
    return chosen if len(chosen) == count else None

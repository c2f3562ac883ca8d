"""Tasks that compare two points of one picture: reflectance and depth.

In `hardened` mode, the points are level, one as far to the left of the middle as the other is to the right, in a view
that is mirrored at random. Neither of them is therefore lower, closer to the center, or on a side that the key prefers.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from ..item_parts.marks.picture_views import VIEWS, LevelView, drawn_level, level_view, view_of
from ..item_parts.marks.rings import Point, is_off_border, least_distance, rings_fit
from ..item_parts.options.modes import Mode
from .truth_plans import ItemPlan, TruthPictures
from .truth_tasks import TruthTask

_LETTERS_OF_POINTS = ("A", "B")
NOT_LEVELLED = {
    "not_level": "only points of about the same height are asked about: compare such points, or set a larger "
    "`max_tilt_deg`",
    "off_centre": "both points must lie equally far from the middle of a view: compare points that lie more "
    "centrally, or set a smaller `min_view`",
}
"""Advice, by reason, on getting more items if mode `hardened` finds no level view."""


class PointPairTask(TruthTask):
    """A task about two marked points of one picture.

    Args:
        min_distance: Smallest distance between the two points, as a fraction of the shorter side of the picture.
        margin: Smallest distance of a point from the picture's border, as a fraction of the shorter side.
        max_tilt_deg: In `hardened` mode, largest angle between the line through both points and the horizontal, in
            degrees; the picture is rotated back by this angle.
        min_view: In `hardened` mode, smallest width and height of the view with both points level and mirrored, as
            fractions of the picture's.

    Reasons:
        too_close (drop): The points are closer to each other than `min_distance`.
        at_border (drop): A point is closer to the border than `margin`.
        no_room_for_labels (drop): The rings leave no space for their labels.
        not_level (drop): In `hardened` mode: the line through the points is steeper than `max_tilt_deg`.
        off_centre (drop): In `hardened` mode: a view with the points level and mirrored would be smaller than
            `min_view`.
        lettering (drop): In `hardened` mode: the picture, which could be mirrored, shows lettering.
    """

    version: ClassVar[int] = 2
    mirrors: ClassVar[bool] = True

    mode: Mode = "hardened"
    min_distance: float = Field(0.1, ge=0.02, le=1)
    margin: float = Field(0.03, ge=0, le=0.4)
    max_tilt_deg: float = Field(5.0, ge=0, le=45)
    min_view: float = Field(0.5, gt=0, le=1)

    def shown_points(self, pictures: TruthPictures, first: Point, second: Point) -> tuple[Point, Point] | str:
        """Return both points as shown, or the reason why they cannot be asked about."""
        points = (pictures.shown(0, first), pictures.shown(0, second))
        return self._against(points, pictures) or points

    def level(self, pictures: TruthPictures, first: Point, second: Point) -> LevelView | str:
        """Return the view with both points level and mirrored, or the reason why they cannot be asked about."""
        points = self.shown_points(pictures, first, second)
        if isinstance(points, str):
            return points
        return level_view(first, second, pictures.sizes_wh[0], max_tilt_deg=self.max_tilt_deg, min_view=self.min_view)

    def seen_in(
        self, view: LevelView, points: tuple[Point, Point], rng: np.random.Generator, *, scale: float = 1.0
    ) -> dict[str, Any] | str:
        """Return `first`, `second` and the view for an item's plan, mirrored at random, or the reason why there is no
        view.

        Args:
            view: The view.
            points: Both points, in pixels of the picture.
            rng: Random generator.
            scale: Pixels of the view for each pixel of the picture, before it is scaled down to `max_side_px`.
        """
        sides = (2 * view.half_width * scale, (view.above + view.below) * scale)
        scale *= min(1.0, self.max_side_px / max(sides))
        drawn = drawn_level(view, is_mirrored=bool(rng.integers(2)), scale=scale)
        shown = (drawn.at(points[0]), drawn.at(points[1]))
        if min(drawn.size_wh) < self.min_side_px:
            return "too_small"
        reason = self._against(shown, TruthPictures((drawn.size_wh,), (drawn.size_wh,)))
        return reason or {"first": shown[0], "second": shown[1], VIEWS: [drawn.document()]}

    def _against(self, points: tuple[Point, Point], pictures: TruthPictures) -> str | None:
        side = pictures.short_side(0)
        if least_distance(points) < self.min_distance * side:
            return "too_close"
        if not all(is_off_border(point, pictures.shown_wh[0], margin_px=self.margin * side) for point in points):
            return "at_border"
        return None

    def refused(self, plan: ItemPlan, pictures: TruthPictures) -> str | None:
        """Return whether the rings leave no space for their labels, in either order of the labels."""
        points: list[Point] = [plan.document["first"], plan.document["second"]]
        view = view_of(plan.document, 0)
        size_wh = pictures.shown_wh[0] if view is None else view.size_wh
        fits = all(rings_fit(order, _LETTERS_OF_POINTS, size_wh) for order in (points, list(reversed(points))))
        return None if fits else "no_room_for_labels"

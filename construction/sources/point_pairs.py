"""Tasks that ask which of two points of one picture is more of something: reflectance and depth."""

from __future__ import annotations

from pydantic import Field

from ..item_parts.marks import Point, is_off_border, least_distance, rings_fit
from .truth_plans import Plan, TruthPictures
from .truth_tasks import TruthTask

LETTERS_OF_POINTS = ("A", "B")


class PointPairTask(TruthTask):
    """A task about two marked points of one picture.

    Args:
        min_distance: Smallest distance of the two points, as a fraction of the shorter side of the picture.
        margin: Smallest distance of a point from the picture's border, as a fraction of the shorter side.

    Reasons:
        too_close (drop): The points are closer to each other than `min_distance`.
        at_border (drop): A point is closer to the border than `margin`.
        no_room_for_labels (drop): The rings leave their labels no room.
    """

    min_distance: float = Field(0.1, ge=0.02, le=1)
    margin: float = Field(0.03, ge=0, le=0.4)

    def shown_points(self, pictures: TruthPictures, first: Point, second: Point) -> tuple[Point, Point] | str:
        """Return both points as shown, or the reason why they cannot be asked about."""
        points = (pictures.shown(0, first), pictures.shown(0, second))
        side = pictures.short_side(0)
        if least_distance(points) < self.min_distance * side:
            return "too_close"
        if not all(is_off_border(point, pictures.shown_wh[0], margin_px=self.margin * side) for point in points):
            return "at_border"
        return points

    def refused(self, plan: Plan, pictures: TruthPictures) -> str | None:
        """Return whether the rings leave their labels no room; labels may change places, so both ways are tried."""
        points: list[Point] = [plan.document["first"], plan.document["second"]]
        fits = all(
            rings_fit(order, LETTERS_OF_POINTS, pictures.shown_wh[0]) for order in (points, list(reversed(points)))
        )
        return None if fits else "no_room_for_labels"

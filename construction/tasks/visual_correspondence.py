"""Visual correspondence, as in BLINK (section 3.2): which point of a second view is the one marked in the first?

BLINK takes pairs of views from HPatches. Here one photograph makes the pair: the second view is drawn through
a random homography, which says exactly where every point goes, and in another light.

An item marks a reference and four options that people can tell apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from benchwright.records import ImageRecord, Item, ItemImage, VisualPrompt
from benchwright.steps import Context, MapStep, OpenContext, Outcome, Stream

from ..item_parts.choices import PlacedChoices, group_keys, place, text_choices
from ..item_parts.marks import ring
from ..item_parts.points import Points, contrast, corners, is_inside, likeness
from ..item_parts.scaling import shrink, size_within
from ..item_parts.views import (
    LightChange,
    LightLimits,
    Matrix,
    ViewLimits,
    map_points,
    random_homography,
    random_light,
    relight,
    second_view,
)

OPTIONS = 4
MOST_CORNERS = 80
MOST_REFERENCES = 16
"""References tried in one pair of views before it counts as ambiguous."""
MIN_CONTRAST = 12.0
"""Grey levels (standard deviation) around a point below which it is hard to recognise."""

# As fractions of a view's shorter side: rings and labels must fit, and stay clear of each other.
_MARGIN = 0.08
_SEPARATION = 0.15
_CORNER_SPACING = 0.04
_SURROUNDINGS = 0.04

Point = tuple[float, float]


class MarkedPoints(NamedTuple):
    """What an item marks, to a hundredth of a pixel.

    Args:
        reference: Reference point in view 1.
        right: The reference in view 2.
        wrong: Other points, in view 2.
        likeness: Likeness of each wrong point to the reference in view 1, -1 to 1.
    """

    reference: Point
    right: Point
    wrong: tuple[Point, ...]
    likeness: tuple[float, ...]


class NotEnough(NamedTuple):
    """Why nothing can be marked: `too_few_points` or `ambiguous`, and how many points both views show."""

    reason: str
    points: int


def recognisable_points(grey: NDArray[np.uint8]) -> Points:
    """Return corners well inside a view whose surroundings have contrast, strongest first."""
    side = min(grey.shape)
    points = corners(grey, most=MOST_CORNERS, spacing_px=_CORNER_SPACING * side)
    points = points[is_inside(points, (grey.shape[1], grey.shape[0]), margin_px=_MARGIN * side)]
    clear = [contrast(grey, point, radius_px=round(_SURROUNDINGS * side)) >= MIN_CONTRAST for point in points]
    kept: Points = points[np.array(clear, dtype=bool)]
    return kept


def mark_points(
    grey: NDArray[np.uint8],
    found: Points,
    homography: Matrix,
    *,
    max_likeness: float,
    rng: np.random.Generator,
) -> MarkedPoints | NotEnough:
    """Choose, by chance, a reference and three points unlike it and apart from each other in view 2.

    Args:
        grey: View 1, (height, width); view 2 has the same size.
        found: Points of view 1 to choose from.
        homography: Homography from view 1 to view 2.
        max_likeness: Largest likeness of a wrong point to the reference.
        rng: Random generator.
    """
    side = min(grey.shape)
    mapped = np.round(map_points(homography, found), 2)
    visible = np.flatnonzero(is_inside(mapped, (grey.shape[1], grey.shape[0]), margin_px=_MARGIN * side))
    if len(visible) < OPTIONS:
        return NotEnough("too_few_points", len(visible))
    for reference in rng.permutation(visible)[:MOST_REFERENCES].tolist():
        wrong: dict[int, float] = {}
        for candidate in rng.permutation(visible).tolist():
            away = mapped[[reference, *wrong]] - mapped[candidate]
            if np.hypot(away[:, 0], away[:, 1]).min() < _SEPARATION * side:
                continue
            alike = likeness(grey, found[reference], found[candidate], radius_px=round(_SURROUNDINGS * side))
            if alike <= max_likeness:
                wrong[candidate] = round(alike, 4)
            if len(wrong) == OPTIONS - 1:
                points = tuple(_point(mapped[chosen]) for chosen in wrong)
                return MarkedPoints(_point(found[reference]), _point(mapped[reference]), points, tuple(wrong.values()))
    return NotEnough("ambiguous", len(visible))


def _point(xy: NDArray[np.float64]) -> Point:
    return float(xy[0]), float(xy[1])


QUESTION = (
    "The ring labelled REF marks a point in the first image. The second image shows the same scene from another "
    "viewpoint and in another light, with four rings labelled A, B, C and D. Which of them marks the same point "
    "of the scene?"
)


class VisualCorrespondence(MapStep):
    """Make correspondence items, one right of four points, from single photographs.

    BLINK's visual correspondence. Its pairs of views come from HPatches; here a second view is drawn from one
    photograph, through a random homography that says exactly where each point goes, in another light. A ring labelled
    REF marks a corner in the first view; four rings in the second are the choices.

    Args:
        per_image: Items made of one image, each with a second view of its own.
        max_side_px: Longer side of both views; smaller images keep their size.
        min_side_px: Shorter side of both views; images below are dropped as `too_small`.
        max_rotation_deg: The second view is turned by up to this, either way.
        max_perspective: Each corner of the second view's window moves by up to this fraction of the window.
        min_zoom: The second view shows a window that is smaller than the photograph by this factor at least.
        max_zoom: And by this at most, or by more where the turned window would not fit.
        max_gamma: The light's gamma lies between 1 / `max_gamma` and `max_gamma`.
        max_contrast: The contrast's factor lies between 1 / `max_contrast` and `max_contrast`.
        max_brightness: Grey levels are shifted by up to this fraction of their range, either way.
        max_blur_px: Largest standard deviation of the blur.
        max_noise: Largest standard deviation of the noise, in grey levels of 0-255.
        max_likeness: Largest correlation between the surroundings of the reference and of a wrong point
            (`points.likeness`). An image in which no four points obey is dropped as `ambiguous`.

    Reasons:
        too_small (drop): The shorter side of a view is below `min_side_px`.
        too_few_points (drop): Fewer than four recognisable points lie in both views.
        ambiguous (drop): Choices would look too much alike.
    """

    name: ClassVar[str] = "visual_correspondence"
    consumes: ClassVar[Stream] = "images"
    makes: ClassVar[tuple[Stream, ...]] = ("items",)
    values: ClassVar[Mapping[str, str]] = {"side_px": "int64", "points": "int64"}

    per_image: int = Field(1, ge=1, le=20)
    max_side_px: int = Field(640, ge=64, le=8192)
    min_side_px: int = Field(240, ge=32)
    max_rotation_deg: float = Field(25.0, ge=0, le=180)
    max_perspective: float = Field(0.12, ge=0, le=0.2)
    min_zoom: float = Field(1.1, ge=1, le=4)
    max_zoom: float = Field(1.6, ge=1, le=4)
    max_gamma: float = Field(1.5, ge=1, le=4)
    max_contrast: float = Field(1.3, ge=1, le=4)
    max_brightness: float = Field(0.1, ge=0, le=0.5)
    max_blur_px: float = Field(0.8, ge=0, le=5)
    max_noise: float = Field(3.0, ge=0, le=50)
    max_likeness: float = Field(0.6, gt=0, le=1)

    @model_validator(mode="after")
    def _limits_are_in_order(self) -> VisualCorrespondence:
        if self.max_zoom < self.min_zoom:
            raise ValueError(f"max_zoom {self.max_zoom} is below min_zoom {self.min_zoom}; swap them")
        if self.max_side_px < self.min_side_px:
            raise ValueError(
                f"max_side_px {self.max_side_px} is below min_side_px {self.min_side_px}: no image has both"
            )
        return self

    def open(self, ctx: OpenContext) -> None:
        """Keep OpenCV to the one thread that a worker has."""
        import cv2

        del ctx
        cv2.setNumThreads(1)

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Make this image's items; decodes it once, or not at all where it is too small."""
        size_wh = size_within(record.width, record.height, max_side_px=self.max_side_px)
        measured: dict[str, Any] = {"side_px": min(size_wh)}
        if min(size_wh) < self.min_side_px:
            evidence = {"size_wh": list(size_wh), "min_side_px": self.min_side_px}
            return Outcome("drop", "too_small", measured, evidence)
        pixels = ctx.images.rgb(record)
        first = shrink(pixels, size_wh)
        grey = _grey(first)
        points = recognisable_points(grey)
        measured["points"] = len(points)
        plans, refused = self._plans(record, ctx, grey, points)
        if not plans:
            return Outcome("drop", refused.reason, measured, {"points_in_both_views": refused.points})
        view_1 = ctx.store_image(first, parents=[record])
        views, items = [view_1], []
        for plan in plans:
            second = relight(second_view(pixels, plan.homography, size_wh), plan.light, plan.rng)
            views.append(ctx.store_image(second, parents=[record]))
            items.append(_item(record, ctx, plan, view_1, views[-1]))
        return Outcome(values=measured, images=tuple(views), items=tuple(items))

    def _plans(
        self, record: ImageRecord, ctx: Context, grey: NDArray[np.uint8], points: Points
    ) -> tuple[list[_Plan], NotEnough]:
        """Decide on views and points before anything is drawn; the other result says why there are fewer."""
        plans: list[_Plan] = []
        refused = NotEnough("too_few_points", len(points))
        for number in range(self.per_image):
            rng = ctx.rng(record.image_id, number)
            homography = random_homography((grey.shape[1], grey.shape[0]), self._view_limits(), rng)
            light = random_light(self._light_limits(), rng)
            marked = mark_points(grey, points, homography, max_likeness=self.max_likeness, rng=rng)
            if isinstance(marked, NotEnough):
                refused = marked
            else:
                plans.append(_Plan(number, homography, light, marked, place(marked.right, marked.wrong, rng), rng))
        return plans, refused

    def _view_limits(self) -> ViewLimits:
        return ViewLimits(self.max_rotation_deg, self.max_perspective, self.min_zoom, self.max_zoom)

    def _light_limits(self) -> LightLimits:
        return LightLimits(self.max_gamma, self.max_contrast, self.max_brightness, self.max_blur_px, self.max_noise)


class _Plan(NamedTuple):
    """All that makes one item, with the randomness left for its noise."""

    number: int
    homography: Matrix
    light: LightChange
    marked: MarkedPoints
    placed: PlacedChoices[Point]
    rng: np.random.Generator


def _item(record: ImageRecord, ctx: Context, plan: _Plan, view_1: ImageRecord, view_2: ImageRecord) -> Item:
    marked, placed = plan.marked, plan.placed
    options = tuple(_ring(view_2, point, key) for key, point in placed.keyed)
    labels = PlacedChoices(tuple(f"Point {key}" for key, _ in placed.keyed), placed.answer)
    return Item(
        item_id=ctx.item_id(record.image_id, ordinal=plan.number),
        task=VisualCorrespondence.name,
        kind="multiple_choice",
        images=(
            ItemImage(image_id=view_1.image_id, role="view", prompts=(_ring(view_1, marked.reference, "REF"),)),
            ItemImage(image_id=view_2.image_id, role="view", prompts=options),
        ),
        question=QUESTION,
        choices=text_choices(labels),
        answer=placed.answer,
        group_keys=group_keys(record),
        written_by={"question": "template", "choices": "template"},
        root_image_id=record.root_image_id,
        operation_id=ctx.operation_id,
        made_from=record.image_id,
        evidence={
            "homography": plan.homography.tolist(),
            "light": plan.light._asdict(),
            "size_wh": [view_1.width, view_1.height],
            "reference": list(marked.reference),
            "right": list(marked.right),
            "wrong": [
                {"point": list(point), "likeness": likeness}
                for point, likeness in zip(marked.wrong, marked.likeness, strict=True)
            ],
        },
    )


def _ring(view: ImageRecord, point: Point, label: str) -> VisualPrompt:
    return ring(view.image_id, view.height, point, label)


def _grey(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    import cv2

    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), dtype=np.uint8)

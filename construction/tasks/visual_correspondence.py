"""Visual correspondence, as in BLINK (section 3.2): which point of a second view is the one marked in the first?

BLINK takes pairs of views from HPatches, and so does `correspondence_of_views`. Here, the pair is made from one
photograph: the second view is drawn through a random homography, which states exactly where every point goes, and with
other lighting.

An item marks a reference and four options that people can distinguish. If the first view is the whole photograph, as in
mode `paper`, the right ring is usually at the reference's position. In mode `hardened`, the first view is a part of the
photograph, placed so that any of the four points could be at the reference's position.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from benchwright.records import ImageRecord, Item, ItemImage, VisualPrompt
from benchwright.steps import (
    Context,
    ForecastContext,
    ItemForecast,
    MapStep,
    OpenContext,
    Outcome,
    Step,
    Stream,
    TaskRegion,
)

from ..item_parts.marks.marked_points import (
    MarkedPoints,
    NotEnough,
    Point,
    exchangeable_points,
    gray_of,
    mark_points,
    recognizable_points,
)
from ..item_parts.marks.points import Points
from ..item_parts.marks.rings import SizeWH, ring, with_clear_marks
from ..item_parts.options.choices import PlacedChoices, group_keys, place, text_choices, twin_keys
from ..item_parts.options.modes import Mode
from ..item_parts.pictures.scaling import scaled, size_for_views, size_within
from ..item_parts.pictures.views import (
    LightChange,
    LightLimits,
    Matrix,
    ViewLimits,
    drawn_view,
    random_homography,
    random_light,
    relight,
    shift,
)
from ..item_parts.wording.wordings import Wordings, WordingsInUse

QUESTIONS = Wordings(
    "The ring labeled REF marks a point in the first image. The second image shows the same scene from another "
    "viewpoint and in another light. Which of its rings marks the same point of the scene: A, B, C or D?",
    "Find the point REF of the first image in the second one, which shows the same scene from another viewpoint and in "
    "another light. Which ring is on it: A, B, C or D?",
    "Both images show one scene, seen from different viewpoints and in different light. Which of the points A, B, C "
    "and D in the second image is the point marked REF in the first?",
)

_TRIES = 4
"""Number of second views to try per item in mode `hardened`."""
_LARGEST_PX = 8192
_OF_DATASETS = frozenset({"uses", "apart_from", "items"})
_OF_PARTS = frozenset({"min_view_px", "max_enlargement"})
_OF_HARDENED = _OF_PARTS | {"twins"}
_OF_BOTH = _OF_PARTS | {"per_image", "mode", "view_part", "max_side_px", "min_side_px", "max_likeness", "wordings"}
"""Settings that apply to both drawn views and views from a dataset."""


class VisualCorrespondence(MapStep):
    """Make correspondence items, in which one of four points is right, from single photographs or from HPatches.

    Follows BLINK's visual correspondence. BLINK's pairs of views come from HPatches, and so do these if `dataset` names
    an entry that reads it. Otherwise, a second view is drawn from each photograph through a random homography, which
    states exactly where each point goes, and with other lighting. A ring labeled REF marks a corner in the first view;
    four rings in the second are the choices. With a sequence of HPatches, all four are points that both pictures show.

    Args:
        dataset: Entry of the step `dataset` whose homographies are used; null draws a second view of every image. With
            it, settings of how that view is drawn are refused.
        uses: With `dataset`, largest number of items that may show the same picture; null for any number.
        apart_from: With `dataset`, entries of earlier tasks of ground truth whose pictures it does not show again.
        items: With `dataset`, largest number of items, chosen by the seed; null makes as many as possible.
        per_image: Number of items made from one image, each with a separate second view; with `dataset`, number of
            pairs of pictures taken from one sequence, which share no picture.
        mode: `hardened` shows parts of the pictures, placed so that the reference's position in its view reveals
            nothing about which option is right. `paper` shows whole pictures as the paper does; the ring at the
            reference's position is then right in three of four items.
        twins: In mode `hardened` without `dataset`, whether each second view yields two items with different reference
            points at the same position in their views; both have a group key `twin:...`, by which scores count them
            together.
        view_part: In mode `hardened`, sides of the first view, and of a dataset's second view, as a fraction of the
            picture's sides, 0.3-0.9. The four points must lie within the remainder, so that larger parts leave fewer
            possible points.
        max_side_px: Longer side of both views; smaller images keep their scale.
        min_side_px: Shorter side of both views; images below are dropped as `too_small`. In mode `hardened`, shorter
            side of the whole pictures, scaled down to `max_side_px`.
        min_view_px: In mode `hardened`, shorter side of both views, 16-4096; if they would be smaller, the picture is
            enlarged.
        max_enlargement: Largest factor, 1-8, by which a picture is enlarged to reach `min_view_px`; images that would
            need more are dropped as `too_small`.
        max_rotation_deg: Largest angle by which the second view is turned, in degrees, either way.
        max_perspective: Each corner of the second view's window moves by up to this fraction of the window.
        min_zoom: Smallest factor by which the window that the second view shows is smaller than the photograph.
        max_zoom: Largest such factor, exceeded only if the rotated window would not fit.
        max_gamma: The gamma of the lighting is between 1 / `max_gamma` and `max_gamma`.
        max_contrast: The contrast factor is between 1 / `max_contrast` and `max_contrast`.
        max_brightness: Gray levels are shifted by up to this fraction of their range, either way.
        max_blur_px: Largest standard deviation of the blur.
        max_noise: Largest standard deviation of the noise, in gray levels of 0-255.
        max_likeness: Largest correlation between the surroundings of the reference and of a wrong point
            (`points.similarity`) or, in mode `hardened`, of any two of the four points. An image in which no four
            points satisfy this is dropped as `ambiguous`.
        wordings: Wordings of the question: `all`, from which each item's seed draws one, or `1`, for only the first.
            Items record theirs in the attribute `wording`.

    Reasons:
        nothing_stated (drop): With `dataset`, no pair of a sequence begins with the image.
        picture_missing (drop): A picture of the sequence has left the run.
        used_already (drop): An item that was chosen before shows a picture of the pair.
        enough (drop): There were `items` items without it.
        too_small (drop): The shorter side of a view is below `min_side_px`, or, in mode `hardened`, below `min_view_px`
            even when the picture is enlarged.
        too_few_points (drop): Fewer than four recognizable points are visible in both views.
        ambiguous (drop): The choices would look too similar; or, in mode `hardened`, no four points that differ are
            close enough together for one view to show any of them at the same position.
    """

    name: ClassVar[str] = "visual_correspondence"
    task_region: ClassVar[TaskRegion] = TaskRegion(under_marks=False)
    version: ClassVar[int] = 2
    consumes: ClassVar[Stream] = "images"
    makes: ClassVar[tuple[Stream, ...]] = ("items",)
    values: ClassVar[Mapping[str, str]] = {"side_px": "int64", "points": "int64"}

    dataset: str | None = Field(None, pattern=r"^[a-z0-9_]+$")
    uses: int | None = Field(1, ge=1)
    apart_from: tuple[str, ...] = ()
    items: int | None = Field(None, ge=1)
    per_image: int = Field(1, ge=1, le=20)
    mode: Mode = "hardened"
    twins: bool = False
    view_part: float = Field(0.6, ge=0.3, le=0.9)
    max_side_px: int = Field(640, ge=64, le=_LARGEST_PX)
    min_side_px: int = Field(240, ge=32)
    min_view_px: int = Field(300, ge=16, le=4096)
    max_enlargement: float = Field(2.5, ge=1, le=8)
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
    wordings: WordingsInUse = "all"

    @model_validator(mode="after")
    def _limits_are_in_order(self) -> VisualCorrespondence:
        if self.max_zoom < self.min_zoom:
            raise ValueError(f"max_zoom {self.max_zoom} is below min_zoom {self.min_zoom}; swap them")
        if self.max_side_px < self.min_side_px:
            raise ValueError(
                f"max_side_px {self.max_side_px} is below min_side_px {self.min_side_px}: no image has both"
            )
        if self.mode == "hardened" and self.max_side_px < self.min_view_px:
            raise ValueError(
                f"max_side_px {self.max_side_px} is below min_view_px {self.min_view_px}: no view has both"
            )
        if self.dataset is None:
            wrong, why = self.model_fields_set & _OF_DATASETS, "they apply to pairs of a dataset; name its entry under"
        else:
            wrong = self.model_fields_set - _OF_DATASETS - _OF_BOTH - {"dataset"}
            why = "they set how a second view is drawn, but the second view is one of the pictures of"
        if wrong:
            raise ValueError(f"leave out {', '.join(sorted(wrong))}: {why} dataset")
        return self

    def lacks(self, before: Mapping[str, Step]) -> str | None:
        """Return a message if the step reads a dataset's homographies but no earlier step supplies them, otherwise
        None.
        """
        if self.dataset is None:
            return None
        from ..datasets.lacking import lacking_before
        from ..ground_truth.truths import Homographies

        return lacking_before(before, [f"{self.dataset}.{Homographies.kind}"], [Homographies.kind])

    def forecast(self, ctx: ForecastContext) -> Sequence[ItemForecast]:
        """Return how many items the task will make, estimated from a sample of its input."""
        from ..truth_tasks.forecasts import forecast_of_photographs, forecast_of_truths

        return forecast_of_photographs(self, ctx) if self.dataset is None else forecast_of_truths(self, ctx)

    def placed(self, given: Mapping[str, Mapping[str, str]]) -> Step:
        """Return the step for pairs of views from a dataset if this one reads a dataset, otherwise the step itself."""
        if self.dataset is None:
            return self
        from .correspondence_of_views import CorrespondenceOfViews

        settings = {name: getattr(self, name) for name in sorted(_OF_DATASETS | _OF_BOTH | {"dataset"})}
        if self.mode == "hardened":  # the dataset's pictures are larger than the parts that items show
            settings["max_side_px"] = min(_LARGEST_PX, int(self.max_side_px / self.view_part))
        return CorrespondenceOfViews(**settings).placed(given)

    def parameters(self) -> dict[str, Any]:
        """Return the settings that determine the result, including those for datasets only if one is used, and sizes of
        parts only if parts are shown.
        """
        without = _OF_DATASETS | {"dataset"} if self.dataset is None else frozenset[str]()
        if self.mode == "paper":
            without |= _OF_HARDENED
        return {name: value for name, value in super().parameters().items() if name not in without}

    def open(self, ctx: OpenContext) -> None:
        """Limit OpenCV to one thread, as a worker has."""
        import cv2

        del ctx
        cv2.setNumThreads(1)

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Make the items of one image, which is decoded once, or not at all if it is too small."""
        part = self.view_part if self.mode == "hardened" else 1.0
        scaled_wh = size_within(record.width, record.height, max_side_px=self.max_side_px / part)
        measured: dict[str, Any] = {"side_px": min(scaled_wh)}
        if min(scaled_wh) < self.min_side_px:
            evidence = {"size_wh": list(scaled_wh), "min_side_px": self.min_side_px}
            return Outcome("drop", "too_small", measured, evidence)
        if self.mode == "hardened":
            enlarged_wh = size_for_views(
                record.width,
                record.height,
                max_side_px=self.max_side_px / part,
                min_side_px=self.min_view_px / part,
                max_enlargement=self.max_enlargement,
            )
            if enlarged_wh is None:
                evidence = {"size_wh": list(scaled_wh), "min_view_px": self.min_view_px}
                return Outcome("drop", "too_small", measured, evidence)
            scaled_wh = enlarged_wh
        pixels = ctx.images.rgb(record)
        shown = scaled(pixels, scaled_wh)
        gray = gray_of(shown)
        points = recognizable_points(gray)
        measured["points"] = len(points)
        size_wh = int(part * scaled_wh[0] + 1e-9), int(part * scaled_wh[1] + 1e-9)
        plans, refused = self._plans(record, ctx, gray, points, size_wh)
        if not plans:
            return Outcome("drop", refused.reason, measured, {"points_in_both_views": refused.points})
        views: dict[str, ImageRecord] = {}
        items = []
        whole = ctx.store_image(shown, parents=[record]) if self.mode == "paper" else None
        for plan in plans:
            first = shown if whole else drawn_view(pixels, shift(plan.corner), scaled_wh, size_wh)
            second = relight(drawn_view(pixels, plan.homography, scaled_wh, size_wh), plan.light, plan.rng)
            view_1 = whole or ctx.store_image(first, parents=[record])
            view_2 = ctx.store_image(second, parents=[record])
            views |= {view.image_id: view for view in (view_1, view_2)}
            pixels_of = {view_1.image_id: first, view_2.image_id: second}
            item = self._item(record, ctx, plan, view_1, view_2)
            pair = [item]
            if self.twins and self.mode == "hardened":
                twin = plan.as_twin()
                other = drawn_view(pixels, shift(twin.corner), scaled_wh, size_wh)
                other_1 = ctx.store_image(other, parents=[record])
                views[other_1.image_id] = other_1
                pixels_of[other_1.image_id] = other
                item_id = ctx.item_id(record.image_id, item.item_id, "twin")
                second_of_pair = self._item(record, ctx, twin, other_1, view_2).model_copy(update={"item_id": item_id})
                keys = {"group_keys": twin_keys(item.group_keys, item.item_id)}
                pair = [each.model_copy(update=keys) for each in (item, second_of_pair)]
            items += [with_clear_marks(each, pixels_of.__getitem__) for each in pair]
        return Outcome(values=measured, images=tuple(views.values()), items=tuple(items))

    def _plans(
        self,
        record: ImageRecord,
        ctx: Context,
        gray: NDArray[np.uint8],
        points: Points,
        size_wh: SizeWH,
    ) -> tuple[list[_Plan], NotEnough]:
        """Return the plans for views and points, before anything is drawn, and the reason if there are fewer plans than
        requested.
        """
        plans: list[_Plan] = []
        refused = NotEnough("too_few_points", len(points))
        for number in range(self.per_image):
            rng = ctx.rng(record.image_id, number)
            for _ in range(_TRIES if self.mode == "hardened" else 1):
                plan = self._plan(number, gray, points, size_wh, rng)
                if isinstance(plan, _Plan):
                    plans.append(plan)
                    break
                refused = plan
        return plans, refused

    def _plan(
        self, number: int, gray: NDArray[np.uint8], points: Points, size_wh: SizeWH, rng: np.random.Generator
    ) -> _Plan | NotEnough:
        scaled_wh = (gray.shape[1], gray.shape[0])
        homography = random_homography(scaled_wh, self._view_limits(), rng)
        light = random_light(self._light_limits(), rng)
        if self.mode == "paper":
            marked = mark_points(gray, points, homography, max_likeness=self.max_likeness, rng=rng)
            if isinstance(marked, NotEnough):
                return marked
            return _Plan(number, homography, light, (0.0, 0.0), marked, place(marked.right, marked.wrong, rng), rng)
        homography = np.diag([size_wh[0] / scaled_wh[0], size_wh[1] / scaled_wh[1], 1.0]) @ homography
        chosen = exchangeable_points(
            gray,
            points,
            homography,
            first_wh=size_wh,
            second_wh=size_wh,
            max_likeness=self.max_likeness,
            rng=rng,
        )
        if isinstance(chosen, NotEnough):
            return chosen
        marked, corner, twin = chosen
        return _Plan(number, homography, light, corner, marked, place(marked.right, marked.wrong, rng), rng, twin)

    def _item(self, record: ImageRecord, ctx: Context, plan: _Plan, view_1: ImageRecord, view_2: ImageRecord) -> Item:
        marked, placed = plan.marked, plan.placed
        options = tuple(_ring(view_2, point, key) for key, point in placed.keyed)
        wording = QUESTIONS.drawn(self.wordings, ctx.rng(record.image_id, "wording", plan.number))
        labels = PlacedChoices(tuple(f"Point {key}" for key, _ in placed.keyed), placed.answer)
        return Item(
            item_id=ctx.item_id(record.image_id, ordinal=plan.number),
            task=self.name,
            kind="multiple_choice",
            images=(
                ItemImage(image_id=view_1.image_id, role="view", prompts=(_ring(view_1, marked.reference, "REF"),)),
                ItemImage(image_id=view_2.image_id, role="view", prompts=options),
            ),
            question=wording.template,
            choices=text_choices(labels),
            answer=placed.answer,
            group_keys=group_keys(record),
            written_by={"question": "template", "choices": "template"},
            root_image_id=record.root_image_id,
            operation_id=ctx.operation_id,
            made_from=record.image_id,
            attributes={**wording.attributes, "mode": self.mode},
            evidence={
                "homography": (plan.homography @ shift((-plan.corner[0], -plan.corner[1]))).tolist(),
                "corner": list(plan.corner),
                "light": plan.light._asdict(),
                "size_wh": [view_1.width, view_1.height],
                "reference": list(marked.reference),
                "right": list(marked.right),
                "wrong": [
                    {"point": list(point), "likeness": similarity}
                    for point, similarity in zip(marked.wrong, marked.similarities, strict=True)
                ],
            },
        )

    def _view_limits(self) -> ViewLimits:
        return ViewLimits(self.max_rotation_deg, self.max_perspective, self.min_zoom, self.max_zoom)

    def _light_limits(self) -> LightLimits:
        return LightLimits(self.max_gamma, self.max_contrast, self.max_brightness, self.max_blur_px, self.max_noise)


class _Plan(NamedTuple):
    """Everything needed for one item, with the random generator for its noise."""

    number: int
    homography: Matrix
    """Homography from the scaled photograph to view 2."""
    light: LightChange
    corner: Point
    """Upper left corner of view 1 in the scaled photograph."""
    marked: MarkedPoints
    placed: PlacedChoices[Point]
    rng: np.random.Generator
    twin: tuple[MarkedPoints, Point] | None = None
    """The marks of the twin, and the corner of its view 1."""

    def as_twin(self) -> _Plan:
        """Return the plan of the twin item, which has the same second view and the same options, a different one of
        which is right.
        """
        assert self.twin is not None, "points of mode `hardened` can be exchanged"
        marked, corner = self.twin
        answer = next(key for key, point in self.placed.keyed if point == marked.right)
        return self._replace(corner=corner, marked=marked, placed=PlacedChoices(self.placed.options, answer))


def _ring(view: ImageRecord, point: Point, label: str) -> VisualPrompt:
    return ring(view.image_id, view.height, point, label)

"""Simulated annotators of `mark`: they mark what is taken as true, with errors at stated rates.

What is true comes from an earlier step, or is drawn by chance for each picture; nobody looks at the pictures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

from benchwright.records import MaskRuns
from benchwright.regions import Region, SizeWH, grid_of, mask_of_outline
from benchwright.seeds import generator_for

from ..forms.campaign_form import CampaignForm
from ..forms.form import RegionField
from ..forms.marking import HEADLINE, MARKED, NOTE, NOTHING
from ..forms.payloads import item_in
from ..forms.submission import Submission
from .annotators import Share, SimulatedGroup

if TYPE_CHECKING:
    import numpy as np

TRUTH = "truth"
"""Key of a payload beside the item: regions by field, as JSON values, that simulated annotators take as true."""
_WORDS = "Simulated: nobody looked at the picture."
_MOST_DRAWN = 3
_Point = tuple[float, float]


class SimulatedMarkers(SimulatedGroup):
    """Simulated annotators who mark what is taken as true, each a little off, and now and then too few or too many.

    Attributes:
        truth: Value of an earlier step to take as true, as `<entry>.<value>`: `facts.kept.subjects`, whose boxes are
            marked, or the value `regions` of another `mark`; default, regions drawn by chance for each picture, the
            same for all annotators.
        jitter: How far each coordinate is off: a standard deviation, as a share of the region's width and height; of
            points, of the picture's.
        miss_rate: Chance that an annotator leaves a region out, 0 to 1; a field keeps as many as it asks for.
        extra_rate: Chance that an annotator marks something in a field that is not there, 0 to 1.
        nothing_rate: Chance that an annotator finds nothing to mark, 0 to 1.
    """

    called: ClassVar[str] = "marker-"

    truth: str | None = Field(None, pattern=r"^[a-z0-9_.]+\.[a-z0-9_]+$")
    jitter: float = Field(0.01, ge=0, le=1)
    miss_rate: Share = 0.0
    extra_rate: Share = 0.0
    nothing_rate: Share = 0.0

    def submission(self, payload: Mapping[str, Any], form: CampaignForm, rng: np.random.Generator) -> Submission:
        """Return a submission with the task's regions as this annotator marks them."""
        typed, item = form.typed, item_in(payload)
        assert typed is not None, "regions are marked in a typed form"
        sizes_wh = [(int(width), int(height)) for width, height in item["sizes_wh"]]
        pictures = [image["image_id"] for image in item["images"]]
        if rng.random() < self.nothing_rate:
            return Submission(fields={HEADLINE: NOTHING, NOTE: _WORDS})
        fields: dict[str, Any] = {}
        for field in typed.region_fields:
            known = payload.get(TRUTH)
            true = drawn_regions(field, pictures, sizes_wh) if known is None else _of_field(field, known)
            marked = [_moved(region, sizes_wh, self.jitter, rng) for region in self._seen(field, true, rng)]
            if rng.random() < self.extra_rate and len(marked) < field.max_count:
                marked.append(_drawn(field, sizes_wh, rng))
            if marked:
                fields[field.name] = [region.model_dump(mode="json") for region in marked]
        return Submission(fields={HEADLINE: MARKED if fields else NOTHING, **fields, NOTE: _WORDS})

    def _seen(self, field: RegionField, true: Sequence[Region], rng: np.random.Generator) -> list[Region]:
        """Return the regions that an annotator does not leave out."""
        lots = [(rng.random() < self.miss_rate, number) for number in range(len(true))]
        kept = [number for is_missed, number in lots if not is_missed]
        missed = [number for is_missed, number in lots if is_missed]
        short = max(0, min(field.min_count, len(true)) - len(kept))
        return [true[number] for number in sorted([*kept, *missed[:short]])]


def drawn_regions(field: RegionField, pictures: Sequence[str], sizes_wh: Sequence[SizeWH]) -> list[Region]:
    """Return regions drawn by chance for a picture, or a pair of pictures, always the same ones."""
    rng = generator_for(0, "regions drawn by chance", ".".join(pictures), field.name)
    most = min(field.max_count, max(field.min_count, _MOST_DRAWN))
    least = min(max(field.min_count, 1), most)
    return [_drawn(field, sizes_wh, rng) for _ in range(int(rng.integers(least, most + 1)))]


def _of_field(field: RegionField, truth: Mapping[str, Any]) -> list[Region]:
    """Return the true regions of a field whose shape and labels it takes, at most as many as it takes."""
    regions = [Region.model_validate(document) for document in truth.get(field.name, ())]
    codes = [option.code for option in field.options]
    return [
        region
        for region in regions
        if region.shape == field.shape and (field.free_label or not codes or region.label in codes)
    ][: field.max_count]


def _drawn(field: RegionField, sizes_wh: Sequence[SizeWH], rng: np.random.Generator) -> Region:
    """Return a region that a field takes, at a place drawn by chance."""
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


def _moved(region: Region, sizes_wh: Sequence[SizeWH], jitter: float, rng: np.random.Generator) -> Region:
    """Return a region as somebody marks it whose hand is not quite steady, still within the picture."""
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
    """Return a mask moved by whole pixels; the mask itself where nothing of it would be left."""
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

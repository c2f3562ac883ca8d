"""Simulated annotators of `mark`, who mark the true regions, with errors at given rates.

The true regions come from an earlier step, or are drawn at random for each picture, without regard to its content.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

from benchwright.regions import Region

from ..forms.campaign_form import CampaignForm
from ..forms.fields.field_types import RegionField
from ..forms.kind_forms.marking import HEADLINE, MARKED, NOTE, NOTHING
from ..forms.payloads import item_in
from ..forms.starting_files import START_FROM
from ..forms.submission import Submission
from .annotators import Share, SimulatedGroup
from .drawn_regions import drawn_region, drawn_regions, moved_region

if TYPE_CHECKING:
    import numpy as np

TRUTH = "truth"
"""Key of a payload besides the item: regions by field, as JSON values, that simulated annotators take as true."""
_WORDS = "Simulated: no person looked at the picture."


class SimulatedMarkers(SimulatedGroup):
    """Simulated annotators who mark the true regions, each with a small deviation, sometimes too few or too many.

    Attributes:
        truth: Value of an earlier step to take as true, as `<entry>.<value>`: `facts.kept.subjects`, whose boxes are
            marked, or the value `regions` of another `mark`. `start_from` takes the marks of the step's files, which
            then serve as proposals to accept, move or reject. By default, regions are drawn at random for each picture,
            the same for all annotators.
        jitter: Deviation of each coordinate: a standard deviation, as a share of the region's width and height; for
            points, of the picture's.
        miss_rate: Chance that an annotator leaves a region out, 0 to 1; a field keeps its required number.
        extra_rate: Chance that an annotator marks a nonexistent region in a field, 0 to 1.
        nothing_rate: Chance that an annotator finds nothing to mark, 0 to 1.
    """

    called: ClassVar[str] = "marker-"

    truth: str | None = Field(None, pattern=rf"^([a-z0-9_.]+\.[a-z0-9_]+|{START_FROM})$")
    jitter: float = Field(0.01, ge=0, le=1)
    miss_rate: Share = 0.0
    extra_rate: Share = 0.0
    nothing_rate: Share = 0.0

    def submission(self, payload: Mapping[str, Any], form: CampaignForm, rng: np.random.Generator) -> Submission:
        """Return a submission that contains the task's regions as this annotator marks them."""
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
            marked = [moved_region(region, sizes_wh, self.jitter, rng) for region in self._seen(field, true, rng)]
            if rng.random() < self.extra_rate and len(marked) < field.max_count:
                marked.append(drawn_region(field, sizes_wh, rng))
            if marked:
                fields[field.name] = [region.model_dump(mode="json") for region in marked]
        return Submission(fields={HEADLINE: MARKED if fields else NOTHING, **fields, NOTE: _WORDS})

    def _seen(self, field: RegionField, true: Sequence[Region], rng: np.random.Generator) -> list[Region]:
        """Return the regions that an annotator does not overlook."""
        lots = [(rng.random() < self.miss_rate, number) for number in range(len(true))]
        kept = [number for is_missed, number in lots if not is_missed]
        missed = [number for is_missed, number in lots if is_missed]
        short = max(0, min(field.min_count, len(true)) - len(kept))
        return [true[number] for number in sorted([*kept, *missed[:short]])]


def _of_field(field: RegionField, truth: Mapping[str, Any]) -> list[Region]:
    """Return the true regions whose shape and labels a field accepts, up to the field's maximum."""
    regions = [Region.model_validate(document) for document in truth.get(field.name, ())]
    codes = [option.code for option in field.options]
    return [
        region
        for region in regions
        if region.shape == field.shape and (field.free_label or not codes or region.label in codes)
    ][: field.max_count]

"""Gold pictures of `mark`: the right regions, their tolerance, and the annotators who marked them correctly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from benchwright.canonical import canonical_json
from benchwright.errors import BenchwrightError
from benchwright.regions import Region

from ..agreement.region_comparison import MarkComparison, compare_marks
from ..agreement.region_matching import RegionTolerance
from ..forms.campaign_form import CampaignForm
from ..forms.gold_file import GoldLabel
from ..forms.kind_forms.marking import HEADLINE, MARKED
from ..forms.payloads import sizes_in
from ..store.campaigns.gold import GoldMarks, gold_marks
from ..store.database.records import Campaign
from ..store.review_store import ReviewStore
from .settlement.marked_regions import AGREEMENT, regions_in, tolerance_of

REGIONS, _TOLERANCE = "regions", "tolerance"


def known_regions(
    label: GoldLabel, payload: Mapping[str, Any], form: CampaignForm, settings: Mapping[str, Any]
) -> str | None:
    """Return the right regions of a picture and the tolerance as canonical JSON; None if there are no right regions.

    Args:
        label: The gold file's entry for the picture.
        payload: Content of its task, as JSON values.
        form: Form of the campaign.
        settings: Settings of the campaign, with its own tolerance.

    Raises:
        BenchwrightError: The form lacks the field, a region does not fit the picture, or the tolerance is invalid.
    """
    if label.regions is None:
        if label.tolerance is not None:
            raise BenchwrightError("a tolerance needs `regions`, which are missing")
        return None
    typed = form.typed
    if typed is None or not typed.region_fields:
        raise BenchwrightError("regions are given, but this campaign does not use regions")
    if label.decision != MARKED:
        raise BenchwrightError(f"regions are given, so the decision must be {MARKED!r}")
    values = {HEADLINE: MARKED, **label.regions}
    checked = typed.checked(values, letters=(), key=None, sizes_wh=sizes_in(payload))
    tolerance = {**settings.get(AGREEMENT, {}), **(label.tolerance or {})}
    try:
        allowed = RegionTolerance.model_validate(tolerance)
    except ValidationError as error:
        mistake = error.errors(include_url=False)[0]
        raise BenchwrightError(f"tolerance: {'.'.join(map(str, mistake['loc']))}: {mistake['msg']}") from None
    regions = {field.name: checked.get(field.name, []) for field in typed.region_fields}
    return canonical_json({REGIONS: regions, _TOLERANCE: allowed.model_dump(mode="json")})


def _compared_with_gold(campaign: Campaign, marks: GoldMarks) -> MarkComparison | None:
    """Return the comparison of an annotator's regions on a gold picture with the right ones; None if unknown."""
    if marks.gold_regions is None:
        return None
    reference = {
        name: [Region.model_validate(region) for region in regions]
        for name, regions in marks.gold_regions[REGIONS].items()
    }
    tolerance = RegionTolerance.model_validate(marks.gold_regions.get(_TOLERANCE, tolerance_of(campaign).model_dump()))
    own = regions_in(campaign.form, marks.fields if marks.decision == MARKED else None)
    return compare_marks(own, reference, sizes_wh=sizes_in(marks.payload), tolerance=tolerance)


def is_right(campaign: Campaign, marks: GoldMarks) -> bool:
    """Return whether an annotator's decision on a gold picture is correct, with regions within the tolerance."""
    comparison = _compared_with_gold(campaign, marks)
    return marks.decision == marks.right and (comparison is None or comparison.is_right)


def count_gold_marks(store: ReviewStore, campaign: Campaign, *, is_aside: bool = False) -> dict[str, tuple[int, int]]:
    """Return, by name, how many gold pictures each annotator marked correctly, and how many in all (`gold_marks`)."""
    with store.reading() as connection:
        answers = gold_marks(connection, campaign, is_aside=is_aside)
    counts: dict[str, tuple[int, int]] = {}
    for marks in answers:
        right, of = counts.get(marks.annotator, (0, 0))
        counts[marks.annotator] = right + is_right(campaign, marks), of + 1
    return counts

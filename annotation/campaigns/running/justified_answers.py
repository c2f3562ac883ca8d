"""Regions that justify right answers and on which annotators agree, taken from decisions of `answer` and `verify`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from benchwright.canonical import canonical_json
from benchwright.regions import ANSWER_REGIONS, AnswerRegions, Region, SizeWH

from ...agreement.region_agreement import PictureAgreement, picture_agreement, region_agreement
from ...agreement.region_consensus import consensus_of
from ...agreement.region_matching import Marks, RegionTolerance
from ...forms.evidence import EVIDENCE
from ...store.database.records import Annotation
from .verdicts import rounded

_TOLERANCE = RegionTolerance(counts="majority")
"""Agreement on evidence: half of the area must overlap; a minority's marks do not count against the others."""


class JustifiedAnswer(NamedTuple):
    """The marks of the annotators who gave the right answer to one item.

    Args:
        value: Regions on which they agree, as the value `answer_regions`: canonical JSON of an `AnswerRegions`.
        agreement: Their agreement, for the summary.
    """

    value: str
    agreement: PictureAgreement


def justified_answer(
    item_id: str, content_hash: str, annotations: Sequence[Annotation], size_wh: SizeWH | None
) -> JustifiedAnswer | None:
    """Return the regions that annotators marked as the reason for the right answer; None if there are no marks.

    A region counts only if more than half of these annotators marked it.

    Args:
        item_id: Id of the item.
        content_hash: Content of the item at the time of the decisions.
        annotations: Decisions of annotators with the right answer.
        size_wh: Size of the picture in pixels; None if the campaign asks for no regions.
    """
    marks: Marks = {
        annotation.annotator: {EVIDENCE: _regions_of(annotation.fields)}
        for annotation in annotations
        if annotation.fields
    }
    if size_wh is None or not marks:
        return None
    need, is_compared = len(marks) // 2 + 1, len(marks) > 1
    consensus = consensus_of(marks, sizes_wh=[size_wh], need=need, tolerance=_TOLERANCE)
    agreement = picture_agreement(item_id, marks, sizes_wh=[size_wh], tolerance=_TOLERANCE)
    sums = agreement.fields[EVIDENCE]
    document = AnswerRegions(
        size_wh=size_wh,
        regions=tuple(agreed.region.model_copy(update={"proposal": None}) for agreed in consensus.agreed),
        annotators=len(marks),
        need=need,
        share_matched=_rounded(agreement.share_matched) if is_compared else None,
        mean_iou=_rounded(sums.iou / sums.areas) if sums.areas else None,
        simulated=any(annotation.annotator_kind == "simulated" for annotation in annotations),
        content_hash=content_hash,
    )
    return JustifiedAnswer(canonical_json(document.model_dump(mode="json")), agreement)


def evidence_summary(answers: Iterable[JustifiedAnswer], *, seed: int) -> dict[str, Any]:
    """Return the agreement on where the evidence is, over all items, for a campaign's summary.

    Args:
        answers: Marks, by item.
        seed: Seed of the intervals.
    """
    agreement = region_agreement((answer.agreement for answer in answers), seed=seed).to_json()
    return {EVIDENCE: rounded({name: figure for name, figure in agreement.items() if name != "by_field"})}


def values_with_regions(values: Mapping[str, str], *, is_asked: bool) -> Mapping[str, str]:
    """Return the values that a step declares, including the regions if it asks for them."""
    return {**values, ANSWER_REGIONS: "string"} if is_asked else values


def _regions_of(fields: Mapping[str, Any] | None) -> list[Region]:
    return [Region.model_validate(document) for document in (fields or {}).get(EVIDENCE, ())]


def _rounded(figure: float | None) -> float | None:
    return None if figure is None else round(figure, 6)

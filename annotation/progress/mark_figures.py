"""Figures on a campaign `mark` for curators: agreement on regions, and annotators compared with the reference.

All are computed from the regions themselves, picture by picture, of pictures that all their annotators have marked. The
reference is the consensus, or an adjudicator's marks instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from benchwright.regions import Region

from ..agreement.region_agreement import PictureAgreement, RegionAgreement, picture_agreement, region_agreement
from ..agreement.region_comparison import MarkComparison, compare_marks
from ..agreement.region_matching import AREAS, FieldMarks
from ..forms.payloads import sizes_in
from ..store.campaigns.adjudications import list_adjudicated
from ..store.campaigns.decisions import list_decisions
from ..store.campaigns.marked_tasks import marked_tasks, shown_in, tasks_among
from ..store.database.records import Annotation, Campaign
from ..store.review_store import ReviewStore
from ..workflow.settlement.marked_regions import consensus_in, marks_in, regions_in, tolerance_of
from ..workflow.settlement.revisions import by_version
from ..workflow.settlement.rounds import NOBODY, in_count
from ..workflow.settlement.settle import policy_of

MOST_PICTURES = 400
"""Maximum number of newest pictures that a page compares while its reader waits; commands compare all."""
_AT_ONCE = 500


class MarkedAgainst(NamedTuple):
    """An annotator's marks on a picture, compared with the reference.

    Args:
        task_id: Id of the task in the store.
        item_id: Id of the picture, or of the pair.
        annotator: Name of the annotator.
        comparison: Comparison of the marks with the reference.
        is_adjudicated: Whether the reference is an adjudicator's.
    """

    task_id: int
    item_id: str
    annotator: str
    comparison: MarkComparison
    is_adjudicated: bool

    @property
    def quality(self) -> float:
        """Return the panoptic quality, 0 to 1; 1 if there is nothing to mark and nothing was marked."""
        quality = self.comparison.quality
        return 1.0 if quality is None else quality

    def to_json(self) -> dict[str, Any]:
        """Return the figures as a document that includes numbers of regions."""
        comparison = self.comparison
        return {
            "item_id": self.item_id,
            "annotator": self.annotator,
            "quality": round(self.quality, 6),
            "matched": len(comparison.matched),
            "mislabelled": len(comparison.mislabelled),
            "missed": len(comparison.missed),
            "extra": len(comparison.extra),
            "mean_iou": None if comparison.mean_iou is None else round(comparison.mean_iou, 6),
            "adjudicated": self.is_adjudicated,
        }


@dataclass(frozen=True)
class AnnotatorMarks:
    """An annotator's marks, compared with the reference over all compared pictures.

    Args:
        annotator: Name of the annotator.
        pictures: Number of pictures.
        matched: Number of regions in the right location with the right label.
        mislabelled: Number of regions in the right location with another label.
        missed: Number of the reference's regions that the annotator did not mark.
        extra: Number of the annotator's regions that the reference lacks.
        quality: Mean panoptic quality of the pictures.
        mean_iou: Mean intersection over union of the right areas, or None if there is none.
    """

    annotator: str
    pictures: int
    matched: int
    mislabelled: int
    missed: int
    extra: int
    quality: float
    mean_iou: float | None

    def to_json(self) -> dict[str, Any]:
        """Return the figures as a document."""
        return {name: round(value, 6) if isinstance(value, float) else value for name, value in vars(self).items()}


class MarkFigures(NamedTuple):
    """Figures on a campaign `mark`.

    Args:
        compared: Number of compared pictures.
        of: Number of pictures that all of their annotators have marked.
        agreement: Agreement among annotators, with intervals.
        marks: Each annotator's marks on each picture compared with the reference, the worst first.
    """

    compared: int
    of: int
    agreement: RegionAgreement
    marks: Sequence[MarkedAgainst]

    def annotators(self) -> list[AnnotatorMarks]:
        """Return each annotator's figures over all pictures, worst first."""
        by_name: dict[str, list[MarkedAgainst]] = {}
        for marked in self.marks:
            by_name.setdefault(marked.annotator, []).append(marked)
        return sorted(
            (_sum(name, rows) for name, rows in by_name.items()), key=lambda row: (row.quality, row.annotator)
        )


def mark_figures(
    store: ReviewStore, campaign: Campaign, *, most: int | None = None, resamples: int = 1000
) -> MarkFigures:
    """Return the figures of a campaign that marks regions.

    Args:
        store: Review store.
        campaign: Campaign.
        most: Maximum number of newest pictures to compare; default None, all pictures.
        resamples: Number of bootstrap samples of the intervals; 0 for none.
    """
    with store.reading() as connection:
        task_ids = marked_tasks(connection, campaign)
    chosen = task_ids if most is None else task_ids[-most:]
    marks: list[MarkedAgainst] = []

    def pictures() -> Iterator[PictureAgreement]:
        tolerance = tolerance_of(campaign)
        for picture in _pictures(store, campaign, chosen):
            marks.extend(_against(campaign, picture))
            own = marks_in(campaign.form, picture.annotations)
            yield picture_agreement(picture.item_id, own, sizes_wh=picture.sizes_wh, tolerance=tolerance)

    agreement = region_agreement(pictures(), resamples=resamples, seed=campaign.seed)
    worst_first = sorted(marks, key=lambda marked: (marked.quality, marked.item_id, marked.annotator))
    return MarkFigures(len(chosen), len(task_ids), agreement, worst_first)


class _MarkedPicture(NamedTuple):
    """A picture with the decisions on it that count, and the values of an adjudicator's form, or None."""

    task_id: int
    item_id: str
    sizes_wh: tuple[tuple[int, int], ...]
    annotations: Sequence[Annotation]
    ruling: Mapping[str, Any] | None


def _pictures(store: ReviewStore, campaign: Campaign, task_ids: Sequence[int]) -> Iterator[_MarkedPicture]:
    policy = policy_of(campaign)
    for start in range(0, len(task_ids), _AT_ONCE):
        some = task_ids[start : start + _AT_ONCE]
        with store.reading() as connection:
            shown = shown_in(connection, some)
            decisions = by_version(list_decisions(connection, campaign, among=tasks_among(some)))
            adjudicated = list_adjudicated(connection, campaign)
        for task in shown:
            version = (task.item_id, task.content_hash)
            verdict = adjudicated.get(version, NOBODY)
            counted, _ = in_count(policy, decisions.get(version, ()), sent_back=verdict.sent_back)
            ruling = None if verdict.decision is None else (verdict.decision.fields or {})
            yield _MarkedPicture(task.task_id, task.item_id, sizes_in(task.payload), counted, ruling)


def _against(campaign: Campaign, picture: _MarkedPicture) -> Iterator[MarkedAgainst]:
    """Yield each annotator's marks compared with the reference, except for annotators who could not tell."""
    tolerance = tolerance_of(campaign)
    reference: FieldMarks
    if picture.ruling is not None:
        reference = regions_in(campaign.form, picture.ruling)
    else:
        agreed: dict[str, list[Region]] = {}
        for region in consensus_in(campaign, picture.annotations, picture.sizes_wh).agreed:
            agreed.setdefault(region.field, []).append(region.region)
        reference = agreed
    for name, own in marks_in(campaign.form, picture.annotations).items():
        comparison = compare_marks(own, reference, sizes_wh=picture.sizes_wh, tolerance=tolerance)
        yield MarkedAgainst(picture.task_id, picture.item_id, name, comparison, picture.ruling is not None)


def _sum(name: str, rows: Sequence[MarkedAgainst]) -> AnnotatorMarks:
    ious = [pair.similarity for row in rows for pair in row.comparison.matched if pair.region.shape in AREAS]
    return AnnotatorMarks(
        name,
        len(rows),
        sum(len(row.comparison.matched) for row in rows),
        sum(len(row.comparison.mislabelled) for row in rows),
        sum(len(row.comparison.missed) for row in rows),
        sum(len(row.comparison.extra) for row in rows),
        sum(row.quality for row in rows) / len(rows),
        sum(ious) / len(ious) if ious else None,
    )

"""Tables of figures: proportions of labels, outcomes of items by round, and adjudicators' decisions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...progress.campaign_progress import RoundProgress
from ...progress.label_fields import label_fields_of
from ...progress.overview import SPLITS, Overview
from .figure_rows import Row, chained, in_order, rounded
from .table_files import Columns, ExportTable
from .work_tables import Names


def round_tables(overviews: Sequence[Overview], display_names: Names) -> Iterator[ExportTable]:
    """Yield the tables of these campaigns; for the arguments see `figure_tables`."""
    columns: Columns = {
        "campaign": "text",
        "aspect": "text",
        "by": "text",
        "part": "text",
        "label": "text",
        "times": "int",
        "share": "float",
    }
    yield ExportTable("shares", columns, chained(_shares(overview) for overview in overviews))
    columns = {
        "campaign": "text",
        "round": "int",
        "items": "int",
        "passed": "int",
        "revised": "int",
        "dropped": "int",
        "waiting": "int",
        "open": "int",
    }
    assert tuple(columns)[1:] == RoundProgress._fields
    rounds = [
        [overview.campaign.name, *progress]
        for overview in overviews
        for progress in overview.rounds(overview.decision_counts())
    ]
    yield ExportTable("rounds", columns, rounds)
    columns = {
        "campaign": "text",
        "adjudicator": "text",
        "decision": "text",
        "annotators": "text",
        "is_against": "bool",
        "times": "int",
    }
    ruled = in_order(
        [
            overview.campaign.name,
            display_names[count.adjudicator],
            count.decision,
            count.majority,
            count.is_against,
            count.times,
        ]
        for overview in overviews
        for count in overview.adjudication_stats().counts
    )
    yield ExportTable("adjudicated", columns, ruled)


def _shares(overview: Overview) -> Iterator[Row]:
    for field in label_fields_of(overview.campaign):
        labels = overview.label_columns(field)
        for split in SPLITS:
            for group in overview.agreement_by(split, labels, metric=field.metric, resamples=0):
                head = (overview.campaign.name, field.labels.name, split, group.name)
                for label, share in group.shares.items():
                    yield rounded(*head, label, group.label_counts[label], share)

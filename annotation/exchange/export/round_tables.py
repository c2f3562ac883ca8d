"""Tables of figures: what was said how often, what became of items round by round, what adjudicators decided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...progress.campaign_progress import RoundProgress
from ...progress.label_fields import label_fields_of
from ...progress.overview import SPLITS, Overview
from .figure_rows import Row, chained, in_order, rounded
from .table_files import Columns, ExportTable
from .work_tables import Names


def round_tables(overviews: Sequence[Overview], called: Names) -> Iterator[ExportTable]:
    """Yield the tables of these campaigns; the arguments are those of `figure_tables`."""
    columns: Columns = {
        "campaign": "text", "aspect": "text", "by": "text", "part": "text", "label": "text", "times": "int",
        "share": "float",
    }  # fmt: skip
    yield ExportTable("shares", columns, chained(_shares(one) for one in overviews))
    columns = {
        "campaign": "text", "round": "int", "items": "int", "passed": "int", "revised": "int", "dropped": "int",
        "waiting": "int", "open": "int",
    }  # fmt: skip
    assert tuple(columns)[1:] == RoundProgress._fields
    rounds = [[one.campaign.name, *found] for one in overviews for found in one.rounds(one.decision_counts())]
    yield ExportTable("rounds", columns, rounds)
    columns = {
        "campaign": "text", "adjudicator": "text", "decision": "text", "annotators": "text", "is_against": "bool",
        "times": "int",
    }  # fmt: skip
    ruled = in_order(
        [one.campaign.name, called[found.adjudicator], found.decision, found.majority, found.is_against, found.times]
        for one in overviews
        for found in one.adjudication_stats().counts
    )
    yield ExportTable("adjudicated", columns, ruled)


def _shares(one: Overview) -> Iterator[Row]:
    for asked in label_fields_of(one.campaign):
        said = one.label_columns(asked)
        for split in SPLITS:
            for group in one.agreement_by(split, said, metric=asked.metric, resamples=0):
                head = (one.campaign.name, asked.labels.name, split, group.name)
                for label, share in group.shares.items():
                    yield rounded(*head, label, group.label_counts[label], share)

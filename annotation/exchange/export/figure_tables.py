"""Tables of figures: what became of tasks, agreement, annotators, reasons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, get_args

from ...agreement.coefficients import STATISTICS, Agreement, without_each
from ...progress.campaign_progress import Facet, progress_by, progress_of
from ...progress.label_fields import label_fields_of
from ...progress.overview import SPLITS, Overview
from .figure_rows import Row, chained, in_order, rounded
from .table_files import Columns, ExportTable
from .work_tables import Names


def figure_tables(overviews: Sequence[Overview], called: Names) -> Iterator[ExportTable]:
    """Yield the tables of figures of these campaigns.

    Args:
        overviews: Of the campaigns, by name.
        called: What annotators are called, by name.
    """
    columns: Columns = {"campaign": "text", "by": "text", "part": "text", "outcome": "text", "tasks": "int"}
    yield ExportTable("outcomes", columns, chained(_outcomes(one) for one in overviews))
    columns = {
        "campaign": "text", "aspect": "text", "metric": "text", "by": "text", "part": "text", "units": "int",
        "compared": "int", "raters": "int", "statistic": "text", "value": "float", "ci_low": "float",
        "ci_high": "float",
    }  # fmt: skip
    yield ExportTable("agreement", columns, chained(_agreement(one, called) for one in overviews))
    found = {one.campaign.name: _qualities(one) for one in overviews}
    columns = {
        "campaign": "text", "annotator": "text", "ratings": "int", "with_others": "float", "with_others_units": "int",
        "on_gold": "float", "on_gold_units": "int", "shared_units": "int", "estimated_accuracy": "float",
        "alpha_without": "float", "alpha_without_units": "int", "median_seconds": "float", "timed": "int",
        "pace": "float", "suspiciously_fast": "bool",
    }  # fmt: skip
    rows = in_order(
        [name, *rounded(called[one["rater"]], *(one[column] for column in list(columns)[2:]))]
        for name, listed in found.items()
        for one in listed
    )
    yield ExportTable("annotator_quality", columns, rows)
    confusion = in_order(
        [name, *rounded(called[one["rater"]], truth, said, probability)]
        for name, listed in found.items()
        for one in listed
        for truth, row in one["confusion"].items()
        for said, probability in row.items()
    )
    columns = {"campaign": "text", "annotator": "text", "truth": "text", "said": "text", "probability": "float"}
    yield ExportTable("confusion", columns, confusion)
    columns = {"campaign": "text", "decision": "text", "reason": "text", "times": "int"}
    reasons = in_order(
        [one.campaign.name, reason.decision, reason.reason, reason.times]
        for one in overviews
        for reason in one.reasons(examples=0)
    )
    yield ExportTable("reasons", columns, reasons)


def _outcomes(one: Overview) -> Iterator[Row]:
    patterns, campaign = one.decision_counts(), one.campaign
    whole = [("all", progress_of(campaign, patterns))]
    parts = [(facet, found) for facet in get_args(Facet) for found in progress_by(campaign, patterns, facet)]
    for by, found in [*whole, *parts]:
        for outcome, count in found.outcomes.items():
            yield campaign.name, by, found.name, outcome, count


def _agreement(one: Overview, called: Names) -> Iterator[Row]:
    for asked in label_fields_of(one.campaign):
        said = one.label_columns(asked)
        head = (one.campaign.name, asked.labels.name, asked.metric)
        for split in SPLITS:
            for group in one.agreement_by(split, said, metric=asked.metric):
                yield from _statistics((*head, split, group.name), group.agreement)
        others = {called[name]: found for name, found in without_each(said.ratings, metric=asked.metric).items()}
        for name, found in sorted(others.items()):
            yield from _statistics((*head, "without", name), found)


def _statistics(head: Row, found: Agreement) -> Iterator[Row]:
    for name in STATISTICS:
        low, high = found.ci.get(name) or (None, None)
        yield rounded(*head, found.units, found.compared, found.raters, name, getattr(found, name), low, high)


def _qualities(one: Overview) -> list[dict[str, Any]]:
    return [quality.to_json() for quality in one.qualities(one.label_columns(label_fields_of(one.campaign)[0]))]

"""Tables of figures: outcomes of tasks, agreement, annotators and reasons."""

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


def figure_tables(overviews: Sequence[Overview], display_names: Names) -> Iterator[ExportTable]:
    """Yield the tables of figures of these campaigns.

    Args:
        overviews: Overviews of the campaigns, sorted by name.
        display_names: Names of annotators in the export, by name in the store.
    """
    columns: Columns = {"campaign": "text", "by": "text", "part": "text", "outcome": "text", "tasks": "int"}
    yield ExportTable("outcomes", columns, chained(_outcomes(overview) for overview in overviews))
    columns = {
        "campaign": "text",
        "aspect": "text",
        "metric": "text",
        "by": "text",
        "part": "text",
        "units": "int",
        "compared": "int",
        "raters": "int",
        "statistic": "text",
        "value": "float",
        "ci_low": "float",
        "ci_high": "float",
    }
    agreement = chained(_agreement(overview, display_names) for overview in overviews)
    yield ExportTable("agreement", columns, agreement)
    qualities = {overview.campaign.name: _qualities(overview) for overview in overviews}
    columns = {
        "campaign": "text",
        "annotator": "text",
        "ratings": "int",
        "with_others": "float",
        "with_others_units": "int",
        "on_gold": "float",
        "on_gold_units": "int",
        "shared_units": "int",
        "estimated_accuracy": "float",
        "alpha_without": "float",
        "alpha_without_units": "int",
        "median_seconds": "float",
        "timed": "int",
        "pace": "float",
        "suspiciously_fast": "bool",
        "too_fast_share": "float",
        "too_fast_of": "int",
    }
    rows = in_order(
        [name, *rounded(display_names[quality["rater"]], *(quality[column] for column in list(columns)[2:]))]
        for name, listed in qualities.items()
        for quality in listed
    )
    yield ExportTable("annotator_quality", columns, rows)
    confusion = in_order(
        [name, *rounded(display_names[quality["rater"]], truth, label, probability)]
        for name, listed in qualities.items()
        for quality in listed
        for truth, row in quality["confusion"].items()
        for label, probability in row.items()
    )
    columns = {"campaign": "text", "annotator": "text", "truth": "text", "said": "text", "probability": "float"}
    yield ExportTable("confusion", columns, confusion)
    columns = {"campaign": "text", "decision": "text", "reason": "text", "times": "int"}
    reasons = in_order(
        [overview.campaign.name, reason.decision, reason.reason, reason.times]
        for overview in overviews
        for reason in overview.reasons(examples=0)
    )
    yield ExportTable("reasons", columns, reasons)


def _outcomes(overview: Overview) -> Iterator[Row]:
    patterns, campaign = overview.decision_counts(), overview.campaign
    whole = [("all", progress_of(campaign, patterns))]
    parts = [(facet, part) for facet in get_args(Facet) for part in progress_by(campaign, patterns, facet)]
    for by, part in [*whole, *parts]:
        for outcome, count in part.outcomes.items():
            yield campaign.name, by, part.name, outcome, count


def _agreement(overview: Overview, display_names: Names) -> Iterator[Row]:
    for field in label_fields_of(overview.campaign):
        labels = overview.label_columns(field)
        head = (overview.campaign.name, field.labels.name, field.metric)
        for split in SPLITS:
            for group in overview.agreement_by(split, labels, metric=field.metric):
                yield from _statistics((*head, split, group.name), group.agreement)
        without = without_each(labels.ratings, metric=field.metric)
        for name, agreement in sorted((display_names[name], agreement) for name, agreement in without.items()):
            yield from _statistics((*head, "without", name), agreement)


def _statistics(head: Row, agreement: Agreement) -> Iterator[Row]:
    for name in STATISTICS:
        low, high = agreement.ci.get(name) or (None, None)
        counts = (agreement.units, agreement.compared, agreement.raters)
        yield rounded(*head, *counts, name, getattr(agreement, name), low, high)


def _qualities(overview: Overview) -> list[dict[str, Any]]:
    return [
        quality.to_json()
        for quality in overview.qualities(overview.label_columns(label_fields_of(overview.campaign)[0]))
    ]

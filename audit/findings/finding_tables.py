"""Findings whose evidence is shown on a page as tables: power by task, and effects of findings on models' scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .finding import Finding


class FindingTable(NamedTuple):
    """A table shown with a finding; its first column contains the row headings, and the other columns contain numbers.

    Args:
        caption: Content of the table.
        columns: Column headings.
        rows: Formatted cells, one per column in each row.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def tables_of(finding: Finding) -> Sequence[FindingTable]:
    """Return the tables that replace a finding's evidence on a page, or none if the evidence is shown unchanged."""
    if finding.kind == "statistical_power":
        return [_power(finding.evidence)]
    if finding.kind == "score_effect":
        return [_scores(finding.evidence["all"]["models"]), *_by_kind(finding.evidence["by_kind"])]
    return []


def _power(evidence: Mapping[str, Any]) -> FindingTable:
    rows = {"all items": evidence["all"], **evidence["tasks"]}
    columns = (
        "task",
        "items",
        "clusters",
        "smallest detectable difference",
        "items for 5 points",
        "pairs of models too close",
    )
    return FindingTable(
        "Smallest detectable difference of two models, by task",
        columns,
        tuple(
            (
                task,
                f"{row['items']:,}",
                f"{row['clusters']:,}",
                "none" if row["least_difference"] is None else f"{100 * row['least_difference']:.1f} points",
                "–" if row["items_for_5_points"] is None else f"{row['items_for_5_points']:,}",
                f"{row['pairs_too_close']:,} of {row['pairs_of_models']:,}" if row["pairs_of_models"] else "–",
            )
            for task, row in rows.items()
        ),
    )


def _scores(models: Mapping[str, Mapping[str, Any]]) -> FindingTable:
    has_corrected = any("corrected" in row for row in models.values())
    columns = ("model", "accuracy", "items of findings", "without them", "change in points", "95 % interval")
    rows = []
    for model, row in models.items():
        ends = row["change_ci"]
        cells = [
            model,
            *(_share(row[name]) for name in ("with", "on_them", "without")),
            _points(row["change"]),
            "–" if ends is None else f"{_points(ends[0])} to {_points(ends[1])}",
        ]
        rows.append((*cells, *([_share(row.get("corrected"))] if has_corrected else [])))
    return FindingTable(
        "Accuracy with and without the items of findings",
        (*columns, *(["keys corrected"] if has_corrected else [])),
        tuple(rows),
    )


def _by_kind(kinds: Mapping[str, Mapping[str, Any]]) -> Sequence[FindingTable]:
    """Return the change in each model's score by kind, if there are several kinds."""
    if len(kinds) < 2:
        return []
    models = list(next(iter(kinds.values()))["changes"])
    rows = tuple(
        (kind.replace("_", " "), f"{row['items']:,}", *(_points(row["changes"][model]) for model in models))
        for kind, row in kinds.items()
    )
    return [FindingTable("Change in points without the items of each kind", ("kind", "items", *models), rows)]


def _share(estimate: Mapping[str, Any] | None) -> str:
    value = None if estimate is None else estimate["value"]
    return "–" if value is None else f"{100 * value:.1f} %"


def _points(change: float | None) -> str:
    return "–" if change is None else f"{round(100 * change, 1) + 0.0:+.1f}"

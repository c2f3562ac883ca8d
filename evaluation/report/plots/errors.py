"""Errors that people found in replies: proportions of categories with intervals, agreement, and reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.pages import Chart, ChartRow, Dot, rows_chart, share_scale
from benchwright.statistics.proportions import wilson
from benchwright.texts.normalization import counted

from ..content.legible import legible

if TYPE_CHECKING:
    from benchwright.review_files.findings import Findings

MOST_REASONS = 200
_TITLE = "Errors by category, judged by annotators"


class CategoryShare(NamedTuple):
    """The frequency with which one category was named.

    Args:
        words: Words of the category.
        items: Number of items for which at least one annotator named it.
        share: Mean, over items, of the proportion of an item's annotators who named it.
        interval: 95 % interval of that proportion.
        of_named: Proportion of this category among all categories named.
        alpha: Krippendorff's alpha for naming it or not; None if undefined.
    """

    words: str
    items: int
    share: float
    interval: tuple[float, float]
    of_named: float
    alpha: float | None


def category_shares(findings: Findings) -> list[CategoryShare]:
    """Return the proportions of all categories, in order; empty if no category has been named yet."""
    n, items = len(findings.items), findings.items
    named = sum(sum(item.categories.values()) for item in items)
    category_rows = []
    for category in findings.categories if n else ():
        shares = [item.categories.get(category.code, 0) / item.annotators for item in items]
        mentions = sum(item.categories.get(category.code, 0) for item in items)
        interval = wilson(sum(shares), n).interval
        assert interval is not None  # there are items
        category_rows.append(
            CategoryShare(
                legible(category.words),
                sum(category.code in item.categories for item in items),
                sum(shares) / n,
                interval,
                mentions / named if named else 0.0,
                findings.by_category.get(category.code),
            )
        )
    return category_rows


def error_chart(findings: Findings) -> Chart | None:
    """Return the chart of proportions, or None if there are no findings."""
    shares = category_shares(findings)
    if not shares:
        return None
    rows = [
        ChartRow(row.words, dots=[Dot(row.share, row.interval, has_bar=True)], note=f"{row.share:.0%} ({row.items:,})")
        for row in shares
    ]
    caption = (
        f"Share of the {counted(len(findings.items), 'sampled error')} with each category, with 95 % intervals; an "
        "error may have several categories. If several annotators judged an error, each has an equal share of it."
    )
    scale = share_scale(max(row.interval[1] for row in shares))
    return rows_chart("errors", _TITLE, rows, scale, caption=caption)


def error_section(findings: Findings) -> dict[str, Any]:
    """Return the values that the page shows next to the chart of an error analysis."""
    reasons = [
        {"item": item.item_id, "model": legible(item.about.get("model", "")), "text": legible(reason)}
        for item in findings.items
        for reason in item.reasons
    ]
    return {
        "items": len(findings.items),
        "tasks": findings.tasks,
        "annotators": findings.annotators,
        "alpha": findings.agreement,
        "rows": category_shares(findings),
        "reasons": reasons[:MOST_REASONS],
        "left_out": max(0, len(reasons) - MOST_REASONS),
        "models": _by_model(findings),
        "campaign": findings.campaign,
    }


def _by_model(findings: Findings) -> list[dict[str, Any]]:
    """Return, for each model, how often each category was named; empty if there are fewer than two models."""
    models = sorted({item.about.get("model", "") for item in findings.items})
    if len(models) < 2:
        return []
    rows = []
    for model in models:
        items = [item for item in findings.items if item.about.get("model", "") == model]
        shares = [
            sum(item.categories.get(category.code, 0) / item.annotators for item in items) / len(items)
            for category in findings.categories
        ]
        rows.append({"model": legible(model), "n": len(items), "shares": shares})
    return rows

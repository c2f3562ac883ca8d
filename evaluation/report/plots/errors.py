"""Errors that people found in replies: shares of categories with intervals, agreement, and reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ...statistics.proportions import wilson
from ..content.cards import legible
from .chart_style import GRID, INK, MUTED, SERIES, Plot, drawing_look, shortened, svg_of

if TYPE_CHECKING:
    from benchwright.review_findings import Findings

MOST_REASONS = 200
_TITLE = "What went wrong, as people see it"


class CategoryShare(NamedTuple):
    """Frequency of one category.

    Args:
        words: Words of the category.
        items: Number of items for which anybody named it.
        share: Mean over items of the share of their annotators who named it.
        interval: 95 % interval of that share.
        of_named: Share of this category among all named categories.
        alpha: Krippendorff's alpha of naming it or not; None where undefined.
    """

    words: str
    items: int
    share: float
    interval: tuple[float, float]
    of_named: float
    alpha: float | None


def category_shares(findings: Findings) -> list[CategoryShare]:
    """Return the shares of all categories, in their order; empty where nobody has named a category yet."""
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


def error_plot(findings: Findings) -> Plot | None:
    """Return the plot of shares; None where there are no findings yet."""
    shares = category_shares(findings)
    if not shares:
        return None
    with drawing_look():
        svg = svg_of(_drawn(shares), name="errors", title=_TITLE)
    caption = (
        f"Share of the {len(findings.items):,} sampled errors in which a category was named, with 95 % intervals; "
        "several may be named for one error. Where several people looked at an error, each counts for their part of it."
    )
    return Plot("errors", _TITLE, caption, svg)


def error_section(findings: Findings) -> dict[str, Any]:
    """Return the values that the page shows beside the plot of an error analysis."""
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
    """Return, for each model, how often each category was named; empty unless there are several models."""
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


def _drawn(shares: list[CategoryShare]) -> Any:
    from matplotlib.figure import Figure as Drawing

    drawing = Drawing(figsize=(9.6, 0.42 * len(shares) + 0.7), layout="constrained")
    axes = drawing.add_subplot()
    for place, row in enumerate(shares):
        axes.barh(place, row.share, height=0.58, color=SERIES[0], alpha=0.45, linewidth=0, zorder=2)
        axes.hlines(place, *row.interval, colors=SERIES[0], linewidth=1.4, zorder=3)
        text = f"{row.share:.0%} ({row.items:,})"
        axes.annotate(
            text,
            (row.interval[1], place),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
            color=INK,
        )
    axes.set_yticks(range(len(shares)), shortened([row.words for row in shares], at_most=52))
    axes.set_ylim(len(shares) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(0, min(1.12, max(row.interval[1] for row in shares) + 0.14))
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25 %", "50 %", "75 %", "100 %"], color=MUTED)
    axes.set_xlim(0, min(1.12, max(row.interval[1] for row in shares) + 0.14))
    axes.grid(axis="x", color=GRID, linewidth=0.7, zorder=1)
    axes.spines["left"].set_visible(False)
    axes.set_axisbelow(True)
    return drawing

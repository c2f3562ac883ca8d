"""Outcomes of the questions, with one bar per model: right, wrong, and the endings without an answer."""

from __future__ import annotations

from benchwright.pages import SHARES, Chart, ChartRow, LegendEntry, Look, Part, rows_chart

from ..content.score_table import ScoreTable, outcomes_of

_TITLE = "Outcomes of the questions"
_LOOKS = {
    "right": ("right", Look("right")),
    "wrong": ("wrong letter", Look("wrong")),
    "miss": ("no single letter", Look("series-1", "falling")),
    "refused": ("refused", Look("series-3", "upright")),
    "filtered": ("filtered", Look("series-2", "level")),
    "cut_off": ("cut off", Look("series-4", "level")),
    "empty": ("empty", Look("series-5", "falling")),
    "tool_call": ("tool call", Look("series-6", "upright")),
    "error": ("error", Look("series-7", "checks")),
}
"""Words and style for each outcome."""


def outcome_chart(board: ScoreTable) -> Chart:
    """Return the chart of outcomes."""
    rows = [
        ChartRow(
            line.label,
            [
                Part(words, counts[name] / max(1, sum(counts.values())), look, f"{counts[name]:,}")
                for name, (words, look) in _LOOKS.items()
            ],
            note=f"{sum(counts.values()):,} asked",
        )
        for line, counts in zip(board.lines, outcomes_of(board), strict=True)
    ]
    caption = (
        "Share of each outcome among the asked items of each model. All but the first count as wrong in the "
        "accuracies: a reply that names no single letter, a refusal in the model's words, a reply stopped by a "
        "content filter, a reply cut off at the maximum length before an answer, a reply without text, a tool call, "
        "and an item without any reply. Shares here have no intervals; the numbers on the bars count items."
    )
    legend = [LegendEntry(words, look) for words, look in _LOOKS.values()]
    return rows_chart("outcomes", _TITLE, rows, SHARES, caption=caption, legend=legend)

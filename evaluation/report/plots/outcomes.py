"""Outcomes of the questions, one bar per model: right, wrong, and the four outcomes without a letter."""

from __future__ import annotations

from benchwright.pages import SHARES, Chart, ChartRow, LegendEntry, Look, Part, rows_chart

from ..content.score_table import ScoreTable, outcomes_of

_TITLE = "What became of the questions"
_LOOKS = (
    ("right", Look("right")),
    ("wrong letter", Look("wrong")),
    ("no single letter", Look("series-1", "falling")),
    ("refusal", Look("series-3", "upright")),
    ("cut off", Look("series-4", "level")),
    ("error", Look("series-7", "checks")),
)


def outcome_chart(board: ScoreTable) -> Chart:
    """Return the chart."""
    rows = [
        ChartRow(
            line.label,
            [
                Part(words, n / max(1, sum(counts)), look, f"{n:,}")
                for (words, look), n in zip(_LOOKS, counts, strict=True)
            ],
            note=f"{sum(counts):,} asked",
        )
        for line, counts in zip(board.lines, outcomes_of(board), strict=True)
    ]
    caption = (
        "Every asked item of each model, as a share. All but the first count as wrong in the accuracies: a reply that "
        "names no single letter, a refusal in the model's own words, a reply that was cut off at the longest length "
        "before it came to an answer, and an item without any reply. Shares here have no intervals; the numbers on the "
        "bars are items."
    )
    legend = [LegendEntry(words, look) for words, look in _LOOKS]
    return rows_chart("outcomes", _TITLE, rows, SHARES, caption=caption, legend=legend)

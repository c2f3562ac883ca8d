"""A chart of the counts, in the order of MVP-Bench's figure 3."""

from __future__ import annotations

from collections.abc import Iterator

from benchwright.pages import Chart, ChartRow, LegendEntry, Look, NumberTable, Panel, Part, Scale, panels_chart
from benchwright.texts.normalization import counted

from ..manipulation.pair_questions.kinds_of_change import ASPECTS
from .pair_counts import TYPES, PairStatistics

_PLAIN = Look("fail")
_LOOKS = {
    "low": Look("series-0"),
    "high": Look("series-1", "falling"),
    "natural": Look("series-2"),
    "manipulated": Look("series-3", "upright"),
}
_TYPE_NAMES = dict(zip(TYPES, ("yes/no", "single image", "cross-image"), strict=True))


def statistics_chart(statistics: PairStatistics, *, top: int) -> Chart:
    """Return the chart, with the `top` most frequent words of each kind."""
    panels = [
        Panel(title, rows, Scale(0, max([1.0, *(row.parts[0].size for row in rows)])))
        for title, rows in _panels(statistics, top)
    ]
    numbers = [(f"{panel.title}: {row.name}", row.note) for panel in panels for row in panel.rows]
    legend = [LegendEntry(f"{name} level", _LOOKS[name]) for name in ("low", "high")]
    legend += [LegendEntry(f"{name} captions", _LOOKS[name]) for name in ("natural", "manipulated")]
    return panels_chart(
        "pairs",
        f"Statistics of {counted(statistics.pairs, 'pair')}",
        panels,
        Scale(0, 1),
        per_row=1,
        legend=legend,
        numbers=NumberTable(("", "number"), numbers),
    )


def _panels(statistics: PairStatistics, top: int) -> Iterator[tuple[str, list[ChartRow]]]:
    yield (
        f"Pairs by category ({statistics.pairs})",
        [_row(f"{name} {ASPECTS.get(name[:1], '')}".strip(), n, _PLAIN) for name, n in statistics.by_category.items()],
    )
    yield (
        f"Items by type and level ({statistics.items})",
        [
            _row(f"{_TYPE_NAMES[kind]}, {level}", n, _LOOKS.get(level, _PLAIN))
            for (kind, level), n in statistics.by_type.items()
        ],
    )
    both = statistics.images_with_both_levels
    yield (
        f"Images by levels asked about ({both.denominator})",
        [_row("both", both.numerator, _PLAIN), _row("one", both.denominator - both.numerator, _PLAIN)],
    )
    for side, words in statistics.words.items():
        for kind in ("adjective", "noun"):
            rows = [_row(word, n, _LOOKS[side]) for word, n in words.top(kind, top)]
            yield f"{kind.capitalize()}s of {side} captions", rows


def _row(name: str, n: int, look: Look) -> ChartRow:
    return ChartRow(name, [Part("", n, look)], note=str(n))

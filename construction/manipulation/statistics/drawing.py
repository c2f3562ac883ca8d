"""The counts as one SVG, in the order of MVP-Bench's figure 3; drawn by hand, so no plotting library is needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

from ..questions.kinds_of_change import ASPECTS
from .counting import TYPES, PairStatistics

_WIDE, _LEFT, _ROW, _GAP, _BAR = 760, 190, 22, 34, 420
_COLORS = {"low": "#4c78a8", "high": "#e4873f", "natural": "#4c9f70", "manipulated": "#b3475c"}
_INK, _PLAIN = "#222", "#7a7f87"
_TYPE_NAMES = dict(zip(TYPES, ("yes/no", "single image", "cross-image"), strict=True))


class _Bar(NamedTuple):
    label: str
    amount: int
    color: str


def figure(statistics: PairStatistics, *, top: int) -> str:
    """Return an SVG document; all words in it are escaped."""
    parts: list[str] = []
    y = 18.0
    for title, bars in _panels(statistics, top):
        parts.append(_text(12, y + 4, title, weight="bold"))
        y += 14
        parts += _bars(bars, y)
        y += _ROW * len(bars) + _GAP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE} {y:g}" width="{_WIDE}" height="{y:g}" '
        'font-family="sans-serif" font-size="13"><rect width="100%" height="100%" fill="#fff"/>'
        f"{''.join(parts)}</svg>\n"
    )


def _panels(statistics: PairStatistics, top: int) -> Iterator[tuple[str, list[_Bar]]]:
    yield (
        f"Pairs by category ({statistics.pairs})",
        [_Bar(f"{name} {ASPECTS.get(name[:1], '')}", count, _PLAIN) for name, count in statistics.by_category.items()],
    )
    yield (
        f"Items by type and level ({statistics.items})",
        [
            _Bar(f"{_TYPE_NAMES[kind]}, {level}", count, _COLORS.get(level, _PLAIN))
            for (kind, level), count in statistics.by_type.items()
        ],
    )
    both = statistics.images_with_both_levels
    yield (
        f"Images by levels asked about ({both.denominator})",
        [_Bar("both", both.numerator, _PLAIN), _Bar("one", both.denominator - both.numerator, _PLAIN)],
    )
    for side, words in statistics.words.items():
        for kind in ("adjective", "noun"):
            bars = [_Bar(word, count, _COLORS[side]) for word, count in words.top(kind, top)]
            yield f"{kind.capitalize()}s of {side} captions", bars


def _bars(bars: Sequence[_Bar], top: float) -> Iterator[str]:
    most = max((bar.amount for bar in bars), default=1) or 1
    for number, bar in enumerate(bars):
        y = top + _ROW * number
        length = _BAR * bar.amount / most
        yield _text(_LEFT - 8, y + 14, bar.label, anchor="end")
        yield f'<rect x="{_LEFT}" y="{y + 3:g}" width="{length:.1f}" height="{_ROW - 7}" fill="{bar.color}"/>'
        yield _text(_LEFT + length + 6, y + 14, str(bar.amount))


def _text(x: float, y: float, words: str, *, anchor: str = "start", weight: str = "normal") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}" fill="{_INK}">'
        f"{escape(words)}</text>"
    )

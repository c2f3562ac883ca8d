"""Item-by-item comparison of two runs: items right in both, in one or in neither run, and the significance tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ...analysis.comparison import p_value_text
from .legible import legible

if TYPE_CHECKING:
    from ...analysis.comparison import Comparison, PairResult
    from ...analysis.reply_matrix import ReplyMatrix

_MOST_PAIRS = 45
"""Largest number of pairs in the page's table: as many as ten models form; the data next to the page include all."""


class PairLine(NamedTuple):
    """A pair of models, compared on the items that both were asked.

    Args:
        first: Index of the first model among the page's models, from 0.
        second: Index of the other model.
        compared: Results of the tests.
        both: Number of items that both answer correctly.
        neither: Number of items that neither answers correctly.
    """

    first: int
    second: int
    compared: PairResult
    both: int
    neither: int

    @property
    def counts(self) -> tuple[tuple[str, int], ...]:
        """Return the four counts, under the names of the item browser's filters."""
        pair = self.compared.pair
        return (
            ("both", self.both),
            ("first", pair.only_first),
            ("second", pair.only_second),
            ("neither", self.neither),
        )

    def document(self) -> dict[str, Any]:
        """Return the pair as JSON values."""
        result, pair = self.compared, self.compared.pair
        return {
            "first": result.first,
            "second": result.second,
            "n": pair.n,
            "both_right": self.both,
            "only_first": pair.only_first,
            "only_second": pair.only_second,
            "neither": self.neither,
            "difference": pair.difference,
            "ci": list(pair.interval),
            "method": pair.method,
            "p_mcnemar": pair.p_mcnemar,
            "p": pair.p,
            "p_joint": result.p_joint,
            "told_apart": result.told_apart,
        }


def pair_lines(sheet: ReplyMatrix, comparison: Comparison, models: Sequence[str]) -> tuple[PairLine, ...]:
    """Return all pairs, ordered by the index of each pair's earlier model on the page, then by that of its later model.

    Args:
        sheet: Replies of all models.
        comparison: Comparison over all tasks, made from the same sheet.
        models: Names of the models in the order of the page.
    """
    rows = {score.title: k for k, score in enumerate(sheet.scores)}
    places = {name: k for k, name in enumerate(models)}
    lines = []
    for result in comparison.pairs:
        first, second = rows[result.first], rows[result.second]
        was_asked = sheet.asked[first] & sheet.asked[second]
        both = int((sheet.right[first] & sheet.right[second] & was_asked).sum())
        neither = result.pair.n - both - result.pair.only_first - result.pair.only_second
        lines.append(PairLine(places[result.first], places[result.second], result, both, neither))
    return tuple(sorted(lines, key=lambda line: sorted((line.first, line.second))))


def pair_rows(lines: Sequence[PairLine]) -> list[dict[str, Any]]:
    """Return the rows of the page's table."""
    return [
        {
            "first": line.first,
            "second": line.second,
            "names": (legible(line.compared.first), legible(line.compared.second)),
            "pair": line.compared.pair,
            "counts": line.counts,
            "p_mcnemar": _p(line.compared.pair.p_mcnemar),
            "p_joint": _p(line.compared.p_joint),
            "told_apart": line.compared.told_apart,
        }
        for line in lines[:_MOST_PAIRS]
    ]


def _p(value: float) -> str:
    if value < 0.001:
        return "< 0.001"
    if f"{value:.3f}" == "0.050":
        return p_value_text(value)
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}"

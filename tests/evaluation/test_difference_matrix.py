"""The matrix of differences: the ranked models, best first, and the significant differences on pages."""

from __future__ import annotations

import numpy as np

from benchwright.evaluation.analysis.comparison import Comparison, PairResult, Ranked
from benchwright.evaluation.analysis.difference_matrix import DifferenceCell, difference_matrix
from benchwright.evaluation.analysis.ranking import Rank
from benchwright.evaluation.results.score import Figure
from benchwright.statistics.paired_difference import compare_pair

FIGURE = Figure(value=0.5, ci=None, n=40, method="wilson")


def pair(first: str, second: str, only_first: int, only_second: int, p: float) -> PairResult:
    right = np.arange(40) < only_first
    other = (np.arange(40) >= only_first) & (np.arange(40) < only_first + only_second)
    compared = compare_pair(right, other, np.arange(40))
    assert compared is not None
    return PairResult(first, second, compared, p)


def ranked(model: str, rank: Rank | None) -> Ranked:
    return Ranked(model, FIGURE, rank)


def test_rows_stand_above_columns_whatever_the_order_of_names() -> None:
    pairs = (pair("a", "b", 2, 12, 0.01), pair("a", "c", 4, 4, 1.0), pair("b", "c", 7, 6, 0.9))
    ranking = (ranked("b", Rank(1, 2)), ranked("c", Rank(1, 3)), ranked("a", Rank(2, 3)))
    matrix = difference_matrix(Comparison("all asked", ranking, pairs))
    assert matrix is not None
    assert matrix.names == ("b", "c", "a")
    assert matrix.rows == (
        (DifferenceCell("2.5", told_apart=False), DifferenceCell("25.0", told_apart=True)),
        (DifferenceCell("0.0", told_apart=False),),
    )


def test_models_without_a_rank_are_not_in_it() -> None:
    ranking = (ranked("b", Rank(1, 2)), ranked("a", Rank(1, 2)), ranked("sample", None))
    matrix = difference_matrix(Comparison("all asked", ranking, (pair("a", "b", 9, 1, 0.2),)))
    assert matrix is not None
    assert matrix.names == ("b", "a")
    assert matrix.rows == ((DifferenceCell("\u221220.0", told_apart=False),),)
    assert difference_matrix(Comparison("all asked", (*ranking[:1], ranking[2]), ())) is None

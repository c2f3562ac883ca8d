"""The differences between all ranked models as a matrix: how far each row's model is ahead of each column's."""

from __future__ import annotations

from typing import NamedTuple

from benchwright.texts.normalization import printable

from .comparison import Comparison


class DifferenceCell(NamedTuple):
    """The difference between two models on the items that both were asked, and whether the difference is significant.

    Args:
        points: Accuracy of the row's model minus that of the column's, in percentage points, as text.
        told_apart: Whether the two models differ significantly.
    """

    points: str
    told_apart: bool


class DifferenceMatrix(NamedTuple):
    """The part of a matrix above its diagonal.

    Args:
        names: Names of the models, best first.
        rows: Cells of each model except the last, one for each lower-ranked model.
    """

    names: tuple[str, ...]
    rows: tuple[tuple[DifferenceCell, ...], ...]


def difference_matrix(comparison: Comparison) -> DifferenceMatrix | None:
    """Return the matrix of the ranked models, or None if fewer than two have a rank."""
    names = [ranked.model for ranked in comparison.ranking if ranked.rank is not None]
    cells: dict[tuple[str, str], DifferenceCell] = {}
    for result in comparison.pairs:
        points = 100 * result.pair.difference
        cells[result.first, result.second] = DifferenceCell(_spelled(points), result.told_apart)
        cells[result.second, result.first] = DifferenceCell(_spelled(-points), result.told_apart)
    if len(names) < 2:
        return None
    rows = tuple(tuple(cells[name, below] for below in names[k + 1 :]) for k, name in enumerate(names[:-1]))
    return DifferenceMatrix(tuple(map(printable, names)), rows)


def _spelled(points: float) -> str:
    text = f"{points:.1f}".replace("-", "\u2212")
    return "0.0" if text == "\u22120.0" else text

"""Joint results of several samples of one reply: whether any of k samples is right, and the letter that most samples
give.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import comb
from typing import TYPE_CHECKING

from benchwright.statistics.clustered import share_right
from benchwright.statistics.proportions import Estimate

from ..votes import DRAW, voted
from .units import Row, Unit, has, rows_with, share_of

if TYPE_CHECKING:
    import pyarrow as pa

_VARIANT = re.compile(rf"{DRAW}\d+")
_MOST_PARTS = 10**9
"""Largest denominator of a proportion counted in whole numbers; finer proportions are rounded to it."""


def samples(judged: pa.Table) -> Mapping[str, Estimate]:
    """Return pass@k and the majority vote; only if several replies were sampled for each item (`--samples`).

    `pass@k` is an unbiased estimate of the probability that at least one of k draws is right: the mean over items of 1
    - C(n - c, k) / C(n, k), with c of n draws right (M. Chen et al., "Evaluating large language models trained on
    code", arXiv:2107.03374, equation 1). k is 1, 2, 4, 8 and so on up to n, and n; `pass@1` is the accuracy of one
    draw. `majority` is the proportion of items for which the letter given by most samples is right; a tie gives none
    (X. Wang et al., "Self-consistency", arXiv:2203.11171).
    """
    if not has(judged, "variant", "letter", "item_id"):
        return {}
    by_item: dict[str, list[Row]] = {}
    for row in rows_with(judged, "item_id", "variant", "letter", where="variant"):
        if _VARIANT.fullmatch(row["variant"]):
            by_item.setdefault(row["item_id"], []).append(row)
    if not by_item:
        return {}
    items = list(by_item.values())
    draws = len(items[0])
    estimates = {f"pass@{k}": _passing(items, draws, k) for k in _numbers(draws)}
    return estimates | {"majority": share_of(map(_vote, items))}


def pass_at(draws: int, right: int, k: int) -> tuple[int, int]:
    """Return, as a fraction, the probability that k of the samples include a right one if `right` of all samples are
    right.

    Example:
        >>> pass_at(5, 1, 2)
        (4, 10)
    """
    every = comb(draws, k)
    return every - comb(draws - right, k), every


def _numbers(draws: int) -> list[int]:
    """Return the values of k for which pass@k is computed."""
    return sorted({draws, *(2**power for power in range(draws.bit_length()) if 2**power <= draws)})


def _passing(items: Sequence[Sequence[Row]], draws: int, k: int) -> Estimate:
    import numpy as np

    shares = [pass_at(draws, sum(bool(row["right"]) for row in rows), k) for rows in items]
    parts = min(comb(draws, k), _MOST_PARTS)
    passing = np.array([some * parts // every for some, every in shares], dtype=np.int64)
    group = np.array([rows[0]["group"] for rows in items], dtype=np.int64)
    return share_right(passing, group, parts=parts)


def _vote(rows: Sequence[Row]) -> Unit:
    letter = voted([row["letter"] for row in rows])
    right = letter is not None and any(row["right"] for row in rows if row["letter"] == letter)
    return Unit(right, rows[0]["group"])

"""A mean of predictions corrected by a labeled sample: prediction-powered inference for a stratified sample.

A program's predictions f are known for all N rows, and annotators' labels y for a few. The corrected mean is mean(f) +
sum over strata of N_h / N mean(y - f), which is unbiased for any predictions. If no prediction is wrong, it equals
their mean.

Sources: A. N. Angelopoulos, S. Bates, C. Fannjiang, M. I. Jordan, T. Zrnic, "Prediction-powered inference", Science 382
(2023), 669-674; A. Fisch et al., "Stratified prediction-powered inference for hybrid language model evaluation",
NeurIPS 2024.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

from benchwright.statistics.score_interval import Z_95, Interval


class LabelledPart(NamedTuple):
    """A part of the rows that has a labeled sample.

    Args:
        size: Number of rows in the part.
        weights: Number of rows that each labeled row represents.
        differences: Label minus prediction of each labeled row, -1, 0 or 1.
    """

    size: int
    weights: Sequence[float]
    differences: Sequence[int]

    @property
    def mean(self) -> float:
        """Return the weighted mean of the differences."""
        return sum(w * d for w, d in zip(self.weights, self.differences, strict=True)) / sum(self.weights)

    @property
    def worth(self) -> float:
        """Return the effective number of labels of equal weight (Kish, Survey Sampling, 1965, section 11.7)."""
        return sum(self.weights) ** 2 / sum(w * w for w in self.weights)

    @property
    def variance(self) -> float:
        """Return the variance of the mean; 0 if every row is labeled.

        Half a label is added for each kind of right and wrong prediction, so that a sample without errors does not
        imply an error rate of 0: A. Agresti, Y. Min, "Simple improved confidence intervals for comparing matched
        proportions", Statistics in Medicine 24 (2005), 729-740.
        """
        labelled, n, total = len(self.differences), self.worth, sum(self.weights)
        above, below = (
            (n * sum(w for w, d in zip(self.weights, self.differences, strict=True) if d == sign) / total + 0.5)
            / (n + 2)
            for sign in (1, -1)
        )
        return max(0.0, 1 - labelled / self.size) * (above + below - (above - below) ** 2) / (n + 2)


class Estimated(NamedTuple):
    """A corrected proportion and its 95 % interval."""

    value: float
    interval: Interval


def corrected_share(value: float, interval: Interval, rows: int, parts: Sequence[LabelledPart]) -> Estimated:
    """Return a proportion of right predictions, corrected by the error that labels reveal, with its 95 % interval.

    Two variances add up: that of the rows, which the share's interval covers, and that of the labeled sample. They are
    combined by limits, which keeps the interval uneven near 0 and 1 (Zou, Huang and Zhang 2009, as in
    `proportions.mean_of_proportions`). The interval of the rows is scaled to the variance of the corrected share,
    because the labeled rows are among these rows.

    Args:
        value: Proportion of rows predicted correctly, 0 to 1.
        interval: The proportion's 95 % interval.
        rows: Number of rows, above 0.
        parts: Parts of the rows that may have errors. Predictions of all other rows count as correct.
    """
    share = min(1.0, max(0.0, value + sum(part.size / rows * part.mean for part in parts)))
    of_labels = Z_95**2 * sum((part.size / rows) ** 2 * part.variance for part in parts)
    before, after = (_of_a_row(p, rows) for p in (value, share))
    below = sqrt(after / before * (value - interval.low) ** 2 + of_labels)
    above = sqrt(after / before * (interval.high - value) ** 2 + of_labels)
    return Estimated(share, Interval(max(0.0, share - below), min(1.0, share + above)))


def _of_a_row(share: float, rows: int) -> float:
    """Return the variance of one row after adding two right and two wrong rows, so that the variance is never 0."""
    p = (share * rows + 2) / (rows + 4)
    return p * (1 - p)

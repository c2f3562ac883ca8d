"""Scores on all items, estimated from items drawn with known probabilities.

The item response model predicts every item that was not asked; its error on the drawn items corrects the sum of its
predictions (the difference estimator). The correction makes the estimate nearly unbiased, whatever the quality of the
model; the better the model, the narrower the interval. If stored replies show the error that the model alone makes for
unseen models, the two estimates are combined with weights, as in small area estimation.

Sources: C.-E. Särndal, B. Swensson, J. Wretman, Model Assisted Survey Sampling, Springer 1992, chapters 6 and 10; the
weights: R. E. Fay, R. A. Herriot, "Estimates of income for small places", Journal of the American Statistical
Association 74 (1979), 269-277; batches that depend on those before: T. Zrnic, E. J. Candès, "Active statistical
inference", ICML 2024.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from benchwright.statistics.proportions import Estimate
from benchwright.statistics.score_interval import Interval, score_interval

from .drawing import Batch
from .fitting import ItemResponses

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST_WORTH = 2.0
"""Largest worth of a subset, as a multiple of its number of items; it limits the interval if all replies agree."""


class WholeEstimate(NamedTuple):
    """An estimate of the proportion of all items that a model answers correctly.

    Args:
        share: The estimated proportion, 0 to 1.
        error: Standard error of the proportion; None if a batch has fewer than two items from which to estimate it.
        asked: Number of items asked.
        of: Total number of items.
        corrected: The proportion according to the model and its correction only.
        predicted: The proportion according to the model only.
    """

    share: float
    error: float | None
    asked: int
    of: int
    corrected: float
    predicted: float

    @property
    def interval(self) -> Interval | None:
        """Return the 95 % Wilson interval for the number of items that the error implies, with Student's t."""
        from scipy.special import stdtrit

        if self.error is None:
            return None
        if self.asked == self.of:
            return Interval(self.share, self.share)
        middle = (self.share * self.asked + 1) / (self.asked + 2)
        most = _MOST_WORTH * self.asked * self.of / (self.of - self.asked)
        worth = min(most, middle * (1 - middle) / max(self.error**2, 1e-12))
        share = min(1.0, max(0.0, self.share))
        return score_interval(share * worth, worth, z=float(stdtrit(max(self.asked - 2, 1), 0.975)))

    def estimate(self) -> Estimate:
        """Return the estimate in the form in which figures are stored."""
        share = min(1.0, max(0.0, self.share))
        return Estimate(share, self.interval, self.asked, None if self.interval is None else "model_assisted")


def whole_estimate(
    fitted: ItemResponses,
    right: NDArray[np.bool_],
    batches: Sequence[Batch],
    *,
    misfit: float | None = None,
    among: NDArray[np.bool_] | None = None,
    ability: float | None = None,
) -> WholeEstimate | None:
    """Return the estimated result of a model on all items, or None if the model was asked none of them.

    Args:
        fitted: Model of all items.
        right: Whether the model answers each item correctly; False for an item not asked.
        batches: Items asked, in the order of drawing.
        misfit: Root mean square error of the item response model's predictions for models that it has not seen; None to
            correct the predictions in full.
        among: Whether each item is among those whose proportion is estimated, such as the items of a task; all items if
            None.
        ability: Ability according to the replies to all asked items; computed from them if None.
    """
    import numpy as np

    asked = np.zeros(len(right), dtype=bool)
    for batch in batches:
        asked[batch.places] = True
    wanted = np.ones(len(right), dtype=bool) if among is None else among
    if not (asked & wanted).any():
        return None
    if ability is None:
        ability, _ = fitted.ability_of(right, asked)
    chance, total = fitted.chances(ability), int(wanted.sum())
    predicted = float((right[wanted & asked].sum() + chance[wanted & ~asked].sum()) / total)
    shares, variances, counts = [], [], []
    before = np.zeros(len(right), dtype=bool)
    for batch in batches:
        left = wanted & ~before
        here = wanted[batch.places]
        places, weights = batch.places[here], 1 / batch.inclusion[here]
        before[batch.places] = True
        if not len(places):
            continue
        off = right[places] - chance[places]
        mean = float((weights * off).sum() / weights.sum())
        size = int(left.sum())
        known = float(right[wanted & ~left].sum() + chance[left].sum())
        shares.append((known + size * mean) / total)
        counts.append(len(places))
        variances.append(_variance(off - mean, weights, 1 - batch.inclusion[here]) * (size / total) ** 2)
    if (asked | ~wanted).all():
        return WholeEstimate(predicted, 0.0, sum(counts), total, predicted, predicted)
    of_batches = np.array(counts) / sum(counts)
    corrected = float(of_batches @ np.array(shares))
    if np.isnan(variances).any():
        return WholeEstimate(corrected, None, sum(counts), total, corrected, predicted)
    error = float(np.sqrt(of_batches**2 @ np.array(variances)))
    share, error = _weighed(corrected, error, predicted, misfit)
    return WholeEstimate(share, error, sum(counts), total, corrected, predicted)


def _variance(off: NDArray[np.float64], weights: NDArray[np.float64], left: NDArray[np.float64]) -> float:
    """Return the variance of a weighted mean over items; NaN if a single item represents others.

    Items are treated as drawn independently, given their number; systematic sampling does somewhat better (J. Hájek,
    "Asymptotic theory of rejective sampling with varying probabilities from a finite population", Annals of
    Mathematical Statistics 35 (1964), 1491-1523).
    """
    count = len(off)
    if not left.any():
        return 0.0
    if count < 2:
        return float("nan")
    return float(count / (count - 1) * (left * (weights * off) ** 2).sum() / weights.sum() ** 2)


def _weighed(corrected: float, error: float, predicted: float, misfit: float | None) -> tuple[float, float]:
    """Return an estimate between the corrected and the predicted estimate, together with its standard error.

    The weight of the model depends on its mean square error for unseen models, or on the excess of its difference from
    the corrected estimate over the latter's own error, whichever is larger. A model unlike earlier ones is therefore
    not pulled toward them. Both estimates are based on the same replies, so their errors are assumed to be fully
    correlated, which gives the largest possible standard error.
    """
    if misfit is None or not error:
        return corrected, error
    off = max(misfit**2, (predicted - corrected) ** 2 - error**2)
    by_correction = off / (off + error**2)
    largest = by_correction * error + (1 - by_correction) * off**0.5
    return predicted + by_correction * (corrected - predicted), min(error, largest)

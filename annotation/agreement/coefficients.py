"""Agreement between annotators: percent agreement, and coefficients that correct for agreement by chance.

Every statistic is one function of weights over units, so that the point estimate (each unit once) and the bootstrap
(units resampled) are the same code. A statistic that does not exist for the given data is undefined (None), never 1.0:
with a single category in use, agreement beyond chance cannot be measured.

Sources:
    Cohen's kappa          Cohen 1960, doi:10.1177/001316446002000104
    Fleiss' kappa          Fleiss 1971, doi:10.1037/h0031619
    Krippendorff's alpha   Hayes and Krippendorff 2007, doi:10.1080/19312450709336664; Krippendorff 2011,
                           "Computing Krippendorff's Alpha-Reliability": missing data, ordinal metric
    Gwet's AC1             Gwet 2008, doi:10.1348/000711006X126600
    MASI, for its alpha    Passonneau 2006 (`label_sets`)
    percentile bootstrap   Efron and Tibshirani 1986, doi:10.1214/ss/1177013815

If annotators name sets of categories, agreement is measured by Krippendorff's alpha with the MASI distance over whole
sets (`label_sets`), and by nominal alpha for each category, named or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from benchwright.seeds import generator_for

from .label_sets import joined
from .rating_columns import RatingColumns
from .ratings import Floats, Metric, Rating, RatingTable, columns_of, fold

Interval = tuple[float, float]

_MAX_UNDEFINED = 0.05
"""Maximum proportion of resamples in which a statistic may be undefined; above it, there is no interval."""
LEAST_COMPARED = 10
"""Minimum number of units with two or more ratings for an interval: a bootstrap of few units has no information on
other units, and its intervals are far too short."""


@dataclass(frozen=True)
class Agreement:
    """Agreement in a set of ratings, as fractions (kappas and alpha may be negative); None where undefined.

    Args:
        units: Number of units with at least one rating.
        compared: Number of units with two ratings or more; the basis of agreement.
        raters: Number of different raters.
        percent: Share of agreeing pairs of ratings within a unit, averaged over units with two or more.
        cohen_kappa: Cohen's kappa over the units that both raters rated; defined for two raters only.
        fleiss_kappa: Fleiss' kappa; defined only if every unit has the same number of ratings, at least two.
        krippendorff_alpha: Krippendorff's alpha over units with two or more ratings.
        gwet_ac1: Gwet's AC1; needs two categories.
        ci: 95 % interval of each statistic from a bootstrap over units. None if the statistic is undefined, if it is
            undefined in more than one resample in twenty, with fewer than `LEAST_COMPARED` compared units, or if all
            compared units agree equally, so that resampling changes nothing.
    """

    units: int
    raters: int
    compared: int = 0
    percent: float | None = None
    cohen_kappa: float | None = None
    fleiss_kappa: float | None = None
    krippendorff_alpha: float | None = None
    gwet_ac1: float | None = None
    ci: Mapping[str, Interval | None] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the document that `review agreement --json` prints."""
        return {
            "units": self.units,
            "raters": self.raters,
            "compared": self.compared,
            **{name: getattr(self, name) for name in STATISTICS},
            "ci": {name: None if (bounds := self.ci.get(name)) is None else list(bounds) for name in STATISTICS},
        }


def agreement_of(
    ratings: Iterable[Rating],
    *,
    categories: Sequence[str] = (),
    metric: Metric = "nominal",
    resamples: int = 1000,
    seed: int = 0,
) -> Agreement:
    """Return all statistics of a set of ratings, each with its bootstrap interval.

    Args:
        ratings: Ratings in any order.
        categories: As in `columns_of`.
        metric: Metric of Krippendorff's alpha, default `nominal`; the other statistics are nominal.
        resamples: Number of bootstrap samples of units; default 1000, 0 for no intervals.
        seed: Seed of the bootstrap, default 0; equal seeds give equal intervals.
    """
    columns = columns_of(ratings, categories=categories, metric=metric)
    return agreement_in(columns, metric=metric, resamples=resamples, seed=seed)


def agreement_in(
    columns: RatingColumns, *, metric: Metric = "nominal", resamples: int = 1000, seed: int = 0
) -> Agreement:
    """Return the statistics that `agreement_of` returns, from ratings in columns."""
    table = fold(columns, metric=metric)
    whole = table.times[None, :].astype(np.float64)
    values = {name: _or_none(statistic(table, whole)[0]) for name, statistic in STATISTICS.items()}
    return Agreement(
        units=int(table.times.sum()),
        raters=table.raters,
        compared=int((table.times * table.is_paired).sum()),
        ci=_intervals(table, values, resamples=resamples, seed=seed),
        **values,
    )


def without_each(columns: RatingColumns, *, metric: Metric = "nominal") -> dict[str, Agreement]:
    """Return, by the name of each rater, the agreement among all other raters, without intervals.

    If agreement rises without a rater, that rater's labels differ from those of the others.
    """
    return {name: agreement_in(columns.without(name), metric=metric, resamples=0) for name in columns.present}


def _percent_agreement(table: RatingTable, weights: Floats) -> Floats:
    """Return the mean proportion of agreeing pairs per unit, 0 to 1, or NaN if no unit has two ratings.

    Args:
        table: P patterns of units.
        weights: (B, P) weight of each pattern in each of B samples of units. The other statistics of this module take
            the same arguments.
    """
    return _ratio(weights @ (table.agreeing * table.is_paired), weights @ table.is_paired)


def cohen_kappa(table: RatingTable, weights: Floats) -> Floats:
    """Return Cohen's kappa, with separate margins, over units rated by both raters; NaN unless there are two raters."""
    if table.raters != 2:
        return np.full(len(weights), np.nan)
    both = (table.pair >= 0).all(axis=1)
    weights, pair = weights[:, both], table.pair[both]
    used = np.eye(table.counts.shape[1])
    total = weights.sum(axis=1)
    first, second = weights @ used[pair[:, 0]], weights @ used[pair[:, 1]]
    by_chance = _ratio((first * second).sum(axis=1), total**2)
    return _beyond_chance(_ratio(weights @ (pair[:, 0] == pair[:, 1]), total), by_chance)


def fleiss_kappa(table: RatingTable, weights: Floats) -> Floats:
    """Return Fleiss' kappa, with a common margin; NaN unless all units have equal numbers of ratings, 2 or more."""
    size = table.per_unit
    if len(size) == 0 or size.min() < 2 or size.min() != size.max():
        return np.full(len(weights), np.nan)
    used = weights @ table.counts
    share = _ratio(used, used.sum(axis=1, keepdims=True))
    return _beyond_chance(_percent_agreement(table, weights), (share**2).sum(axis=1))


def gwet_ac1(table: RatingTable, weights: Floats) -> Floats:
    """Return Gwet's AC1, which stays close to percent agreement if one category is rare; NaN with only one category.

    Chance agreement is sum p(1 - p) / (K - 1), with p the mean share of each of K categories over all units, including
    those with a single rating.
    """
    categories = table.counts.shape[1]
    if categories < 2:
        return np.full(len(weights), np.nan)
    share = _ratio(weights @ (table.counts / table.per_unit[:, None]), weights.sum(axis=1, keepdims=True))
    by_chance = (share * (1 - share)).sum(axis=1) / (categories - 1)
    return _beyond_chance(_percent_agreement(table, weights), by_chance)


def krippendorff_alpha(table: RatingTable, weights: Floats) -> Floats:
    """Return 1 - observed / expected disagreement over units with two or more ratings; NaN with only one category.

    The ordinal distance between two categories is the squared difference of their mid-ranks among all values,
    which equals Krippendorff's (sum of n_g from c to k, minus half of n_c + n_k) squared.
    """
    counts, size = table.counts * table.is_paired[:, None], table.per_unit * table.is_paired
    used = weights @ counts
    total = used.sum(axis=1)
    if table.apart is not None:
        within = (counts @ table.apart * counts).sum(axis=1)
        observed = weights @ (within / np.maximum(size - 1, 1))
        expected = _ratio((used @ table.apart * used).sum(axis=1), total - 1)
    elif table.metric == "nominal":
        observed = weights @ (size * (1 - table.agreeing))
        expected = _ratio(total**2 - (used**2).sum(axis=1), total - 1)
    else:
        rank = np.cumsum(used, axis=1) - used / 2
        rank -= _ratio((used * rank).sum(axis=1), total)[:, None]
        apart = size * (rank**2 @ counts.T) - (rank @ counts.T) ** 2
        observed = (weights * 2 * apart / np.maximum(size - 1, 1)).sum(axis=1)
        expected = _ratio(2 * total * (used * rank**2).sum(axis=1), total - 1)
    return 1 - _ratio(observed, expected)


STATISTICS: Mapping[str, Callable[[RatingTable, Floats], Floats]] = {
    "percent": _percent_agreement,
    "cohen_kappa": cohen_kappa,
    "fleiss_kappa": fleiss_kappa,
    "krippendorff_alpha": krippendorff_alpha,
    "gwet_ac1": gwet_ac1,
}


# Weights and counts are whole numbers, so with a single category chance agreement is exactly 1 and expected
# disagreement exactly 0: the ratio below is then undefined, as it should be.
def _ratio(above: Floats, below: Floats) -> Floats:
    return np.asarray(np.divide(above, below, out=np.full(np.broadcast(above, below).shape, np.nan), where=below > 0))


def _beyond_chance(observed: Floats, by_chance: Floats) -> Floats:
    return _ratio(observed - by_chance, 1 - by_chance)


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _intervals(
    table: RatingTable, values: Mapping[str, float | None], *, resamples: int, seed: int
) -> dict[str, Interval | None]:
    """Resample units with replacement, and return the 2.5 % and 97.5 % quantiles of each defined statistic."""
    defined = [name for name, value in values.items() if value is not None]
    if not defined or resamples == 0 or (table.times * table.is_paired).sum() < LEAST_COMPARED:
        return dict.fromkeys(values)
    rng = generator_for(seed, "agreement", "bootstrap")
    units = int(table.times.sum())
    at_once = max(1, 1_000_000 // len(table.times))
    drawn: dict[str, list[Floats]] = {name: [] for name in defined}
    for start in range(0, resamples, at_once):
        many = min(at_once, resamples - start)
        weights = rng.multinomial(units, table.times / units, size=many).astype(np.float64)
        for name in defined:
            drawn[name].append(STATISTICS[name](table, weights))
    return {name: quantile_interval(np.concatenate(drawn[name])) if name in drawn else None for name in values}


def quantile_interval(drawn: Floats) -> Interval | None:
    """Return the 95 % percentile interval of a statistic's resamples.

    The result is None if too many resamples are undefined, or if all are equal and thus add no information.
    """
    defined = drawn[~np.isnan(drawn)]
    if len(defined) < (1 - _MAX_UNDEFINED) * len(drawn):
        return None
    low, high = np.quantile(defined, [0.025, 0.975])
    return (float(low), float(high)) if low < high else None


class SetRating(NamedTuple):
    """The categories that one rater named for one unit."""

    unit: str
    rater: str
    named: frozenset[str]


def masi_alpha(ratings: Iterable[SetRating]) -> float | None:
    """Return Krippendorff's alpha over sets, with the MASI distance.

    Only units with two or more ratings are used. The result is None if there are none, or if all their sets are equal.

    Example:
        >>> both = frozenset({"a", "b"})
        >>> masi_alpha([SetRating("1", "x", both), SetRating("1", "y", both), SetRating("2", "x", frozenset({"c"})),
        ...             SetRating("2", "y", frozenset({"c"}))])
        1.0
    """
    rows = [Rating(rating.unit, rating.rater, joined(rating.named)) for rating in ratings]
    return agreement_of(rows, metric="masi", resamples=0).krippendorff_alpha


def alpha_by_category(ratings: Sequence[SetRating], categories: Iterable[str]) -> Mapping[str, float | None]:
    """Return Krippendorff's nominal alpha for each category, coded as named or not named; None if undefined."""
    alpha = {}
    for category in categories:
        rows = [Rating(rating.unit, rating.rater, "named" if category in rating.named else "not") for rating in ratings]
        alpha[category] = agreement_of(rows, resamples=0).krippendorff_alpha if rows else None
    return alpha

"""Estimates of each effect from stored answers (G study): variances with intervals, and facets that remain unknown.

Variances come from `variance_components`. Intervals of effects within items are those of a jackknife over clusters, so
they assume no model of right and wrong answers. Those of wordings and readers, which have few levels, follow from the
chi-squared distribution of the variance between them (J. S. Williams, "A confidence interval for variance components",
Biometrika 49 (1962), 278-281).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.statistics.score_interval import Interval
from benchwright.statistics.variance_components import (
    grouping_of,
    jackknife_error,
    refines,
    variance_components,
)
from benchwright.texts.normalization import counted

from .facets import ASKED, EFFECTS, MAIN, ONE, Effect, Facet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .observations import Observations
    from .population import Population

_BLOCKS, _STEP = 50, "evaluate.plan.blocks"
"""Largest number of blocks into which clusters are divided for the jackknife."""
_LEAST_CLUSTERS = 2


class Component(NamedTuple):
    """The variance of an effect.

    Args:
        effect: The effect.
        value: Variance of one level, 0 or more.
        estimate: The unbiased estimate on which `value` is based, which may be below 0.
        interval: 95 % interval; None if the variance is assumed or there are too few clusters.
        in_mean: Contribution of a variance of 1 to the variance of the mean of the stored answers that the score
            counts.
        contains: Facets from which the effect cannot be separated.
    """

    effect: Effect
    value: float
    estimate: float
    interval: Interval | None
    in_mean: float
    contains: tuple[Facet, ...] = ()


class VarianceStudy(NamedTuple):
    """The evidence on which a plan is based.

    Args:
        systems: Titles of the systems whose answers were used; empty if variances are assumed.
        score: Proportion of right answers, averaged over systems, or the difference between two systems.
        is_difference: Whether `score` is a difference.
        components: Variances, coarse effects first.
        unknown: Facets about which the answers contain no evidence, and the reason.
        levels: Number of levels of each facet in the answers; for orders and samples, the largest number for any
            question.
        answers: Mean number of answers per system.
        questions: Number of questions behind these answers; several readers of a reply give several answers.
        readers: Readers on which the score is based.
        others: Systems that were left out, and the reason.
    """

    systems: tuple[str, ...]
    score: float
    is_difference: bool
    components: tuple[Component, ...]
    unknown: Mapping[Facet, str]
    levels: Mapping[Facet, int]
    answers: int
    questions: int
    readers: tuple[str, ...] = ()
    others: tuple[tuple[str, str], ...] = ()

    @property
    def is_assumed(self) -> bool:
        """Return whether variances are assumed because there are no answers."""
        return not self.systems

    @property
    def of_answer(self) -> float:
        """Return the variance of one answer."""
        return sum(component.value for component in self.components)


def study_of(
    systems: Sequence[Observations],
    population: Population,
    *,
    is_difference: bool = False,
    over_readers: bool = False,
) -> VarianceStudy:
    """Return the variances in the answers of some systems, each averaged over the systems.

    The score, and its variance as run, use the reader of each system's runs, or with `over_readers` the mean over all
    readers. Variances use the answers by all readers in either case.

    Systems that reveal fewer effects than others are left out.

    Raises:
        BenchwrightError: All answers belong to one cluster, or all are equal.
    """
    import numpy as np

    told = [(system, _kept_effects(system, population)) for system in systems]
    richest = max((effects for _, effects in told), key=len)
    used = [system for system, effects in told if effects.keys() == richest.keys()]
    titles = tuple(system.title for system in used)
    if all(np.ptp(system.value) == 0 for system in used):
        raise BenchwrightError(
            f"the answers of {', '.join(titles)} are all equal, so nothing varies; plan without results (--score P "
            "is the share of right answers)"
        )
    blocks = _blocks(used, population)
    pooled = _pooled(
        [
            _estimated(system, codes, blocks, population, over_readers=over_readers)
            for system, codes in told
            if codes.keys() == richest.keys()
        ]
    )
    if not np.isfinite(pooled.values).all():
        raise BenchwrightError("too few items were asked to tell these effects apart; ask more of them (--limit)")
    levels, effects = _levels(used), [effect for effect in EFFECTS if effect.name in richest]
    unknown, contains = _unknown(effects, used, population)
    why = f"its answers show fewer effects than those of {titles[0]}"
    replies = [grouping_of(*(system.levels[facet] for facet in ASKED if facet != "readers")) for system in used]
    return VarianceStudy(
        systems=titles,
        score=pooled.mean,
        is_difference=is_difference,
        components=tuple(
            Component(
                effect,
                max(0.0, float(pooled.values[k])),
                float(pooled.values[k]),
                _interval(k, effects, pooled, levels),
                float(pooled.in_score[k]),
                contains.get(effect.name, ()),
            )
            for k, effect in enumerate(effects)
        ),
        unknown=unknown,
        levels=levels,
        answers=round(np.mean([len(system.value) for system in used])),
        questions=round(np.mean([codes.max() + 1 for codes in replies])),
        readers=tuple(dict.fromkeys(name for system in used for name in _meant(system, over_readers))),
        others=tuple((system.title, why) for system, effects in told if effects.keys() != richest.keys()),
    )


def assumed_study(population: Population, score: float, *, is_difference: bool = False) -> VarianceStudy:
    """Return a study without answers: binomial variances, with the items of a cluster all right or all wrong.

    For a difference, the two systems are assumed to answer independently, each with that score. The resulting variance
    is larger than for systems that answer the same items correctly.
    """
    variance = score * (1 - score) * (2 if is_difference else 1)
    is_shared = population.clusters < population.size
    effect = EFFECTS[0] if is_shared else EFFECTS[1]
    within: tuple[Facet, ...] = ("orders", "samples")
    component = Component(effect, variance, variance, None, population.in_cluster / population.size, within)
    nothing: dict[Facet, str] = {facet: "no answers are stored" for facet in ASKED if facet != "items"}
    return VarianceStudy(
        (), 0.0 if is_difference else score, is_difference, (component,), nothing, dict.fromkeys(ASKED, 1), 0, 0
    )


def _meant(system: Observations, over_readers: bool) -> tuple[str, ...]:
    """Return the readers on which the score is based."""
    return system.names["readers"] if over_readers else (system.reader,)


class _Estimates(NamedTuple):
    """Estimates for a system; `in_mean` refers to all answers, `in_score` to those whose mean is the score."""

    values: NDArray[np.float64]
    without: NDArray[np.float64]
    in_mean: NDArray[np.float64]
    in_score: NDArray[np.float64]
    mean: float


def _pooled(estimates: Sequence[_Estimates]) -> _Estimates:
    """Return the estimates averaged over systems."""
    import numpy as np

    *arrays, means = zip(*estimates, strict=True)
    values, without, in_mean, in_score = (np.mean(parts, axis=0) for parts in arrays)
    return _Estimates(values, without, in_mean, in_score, float(np.mean(means)))


def _codes(system: Observations, effect: Effect, population: Population) -> NDArray[np.int64]:
    """Return the group to which an effect assigns each row."""
    levels = {**system.levels, "clusters": population.group[system.levels["items"]]}
    return grouping_of(*(levels[facet] for facet in sorted(effect.facets)))


def _kept_effects(system: Observations, population: Population) -> dict[str, NDArray[np.int64]]:
    """Return the distinct groupings by effect, without effects that group rows in the same way as a coarser effect.

    Raises:
        BenchwrightError: All answers belong to one cluster.
    """
    kept: dict[str, NDArray[np.int64]] = {}
    clusters, items = (_codes(system, effect, population) for effect in EFFECTS[:2])
    if int(clusters.max()) + 1 < _LEAST_CLUSTERS:
        raise BenchwrightError(
            f"the answers of {system.title} are about one source picture, which shows nothing about others; ask more "
            "items"
        )
    for effect in EFFECTS:
        codes = items if effect is EFFECTS[1] else _codes(system, effect, population)
        is_known = any(refines(codes, other) and refines(other, codes) for other in kept.values())
        if effect is EFFECTS[0] and refines(codes, items):
            continue
        if codes.max() > 0 and not is_known:
            kept[effect.name] = codes
    return kept


def _blocks(systems: Sequence[Observations], population: Population) -> NDArray[np.int64]:
    """Return the block to which each cluster of the population belongs; -1 for clusters without answers."""
    import numpy as np

    from benchwright.seeds import generator_for

    clusters = np.unique(np.concatenate([population.group[system.levels["items"]] for system in systems]))
    block = np.full(population.clusters, -1, dtype=np.int64)
    block[generator_for(0, _STEP, "").permutation(clusters)] = np.arange(len(clusters)) % _BLOCKS
    return block


def _estimated(
    system: Observations,
    effects: Mapping[str, NDArray[np.int64]],
    blocks: NDArray[np.int64],
    population: Population,
    *,
    over_readers: bool,
) -> _Estimates:
    """Return a system's estimates with each block left out; if the system has no answers in a block, those from all
    answers.
    """
    import numpy as np

    of_row = blocks[population.group[system.levels["items"]]]
    held, block = np.unique(of_row, return_inverse=True)
    found = variance_components(system.value, list(effects.values()), block)
    without = np.tile(found.values, (int(blocks.max()) + 1, 1))
    without[held] = found.without
    if over_readers:
        return _Estimates(found.values, without, found.in_mean, found.in_mean, found.mean)
    own = system.read_by(system.reader)
    sizes = [np.bincount(codes[own]).astype(np.float64) for codes in effects.values()]
    in_score = np.array([size @ size for size in sizes]) / int(own.sum()) ** 2
    return _Estimates(found.values, without, found.in_mean, in_score, float(system.value[own].mean()))


def _levels(systems: Sequence[Observations]) -> dict[Facet, int]:
    """Return the largest numbers of levels of any system; for orders and samples, the largest within an item."""
    levels: dict[Facet, int] = dict.fromkeys(ASKED, 0)
    for system in systems:
        items = system.levels["items"]
        cell = grouping_of(*(system.levels[facet] for facet in ("items", "orders", "wordings")))
        own = {
            "items": int(grouping_of(items).max()) + 1,
            "orders": _most_within(items, system.levels["orders"]),
            "wordings": int(system.levels["wordings"].max()) + 1,
            "samples": _most_within(cell, system.levels["samples"]),
            "readers": int(system.levels["readers"].max()) + 1,
        }
        levels = {facet: max(levels[facet], own[facet]) for facet in ASKED}
    return levels


def _most_within(outer: NDArray[np.int64], inner: NDArray[np.int64]) -> int:
    import numpy as np

    pairs = np.unique(outer * (int(inner.max()) + 1) + inner)
    return int(np.bincount(pairs // (int(inner.max()) + 1)).max())


def _unknown(
    effects: Sequence[Effect], systems: Sequence[Observations], population: Population
) -> tuple[dict[Facet, str], dict[str, tuple[Facet, ...]]]:
    """Return the unknown facets with the reason, and the effects whose estimates include the effects of orders and
    samples.
    """
    import numpy as np

    names = {effect.name for effect in effects}
    unknown: dict[Facet, str] = {facet: ONE[facet] for facet, name in MAIN.items() if name not in names}
    if "clusters" in unknown and population.clusters < population.size:
        asked = len(np.unique(systems[0].levels["items"]))
        unknown["clusters"] = f"no two of the {counted(asked, 'item')} asked share one"
    nested = [effect for effect in effects if "items" in effect.facets and "readers" not in effect.facets]
    contains: dict[str, tuple[Facet, ...]] = {}
    nested_facets: tuple[Facet, ...] = ("orders", "samples")
    for facet in nested_facets:
        if facet in unknown:
            within = [effect for effect in nested if facet == "samples" or "wordings" not in effect.facets]
            contains[within[-1].name] = (*contains.get(within[-1].name, ()), facet)
            unknown[facet] += f"; their variance is part of {within[-1].name!r}"
    return unknown, contains


def _interval(
    place: int, effects: Sequence[Effect], pooled: _Estimates, levels: Mapping[Facet, int]
) -> Interval | None:
    """Return the interval of an effect's variance, or None if there are too few clusters for a jackknife."""
    from math import isnan, prod

    from scipy.special import chdtri, stdtrit

    effect, value = effects[place], float(pooled.values[place])
    if "clusters" in effect.facets:
        half = float(stdtrit(max(1, len(pooled.without) - 1), 0.975) * jackknife_error(pooled.without)[place])
        return None if isnan(half) else Interval(max(0.0, value - half), max(0.0, value + half))
    freedom = prod(levels[facet] - 1 for facet in effect.facets)
    means = prod(levels[facet] for facet in effect.facets)
    inside = [k for k, other in enumerate(effects) if other.facets > effect.facets]
    noise = means * sum(max(0.0, float(pooled.values[k])) * float(pooled.in_mean[k]) for k in inside)
    between = freedom * (max(0.0, value) + noise)
    low, high = (between / float(chdtri(freedom, tail)) - noise for tail in (0.025, 0.975))
    return Interval(max(0.0, low), max(0.0, high))

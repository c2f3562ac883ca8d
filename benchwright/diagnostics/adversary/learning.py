"""The adversary on the items of one task: probes that reveal the key, their measures, and the power to find a cue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.seeds import generator_for
from benchwright.steps import CueFamily, TaskRegion
from benchwright.texts.normalization import counted, printable

from .blocks import blocks_of
from .item_evidence import ItemEvidence
from .measured_blocks import Block, Classes, LearnedItems
from .probes import KeyedItems, OfItems, Tested, sequence_scores, tested
from .surface import MAP_CELLS

LEAST_ITEMS = 20
"""Smallest number of items from which the adversary learns."""
MOST_ITEMS = 1200
"""Largest number of a task's items from which the adversary learns."""
_LAGS = (1, 2, 3, 4)
_Z_POWER = 0.8416212335729143
_GAIN = 0.05
_DOUBTFUL = 0.05
"""p-value, 0-1, below which a probe may carry a cue."""
_SHOWN_MAP = "learned map"


class ProbeResult(NamedTuple):
    """The result of one probe on the items of a task.

    Args:
        solver: Name of the probe, such as `learned file`.
        family: Family of the probe's cue.
        rows: Indices of the items that the probe answers.
        scores: Out-of-fold score of each option of these items; NaN where an item has fewer options.
        p: The probe's p-value before adjustment.
        tells: The most revealing measures, with their deviations from uniform keys, strongest first.
        test: The test, with the values that single measures reach under uniform keys.
        map: Mean over right options minus mean over wrong options, for a map of pictures, in deviations; shape (cells,
            cells, 3).
        p_of_letters: The p-value of the measures that test letters, before adjustment, for a probe of a picture that
            also tests which text is right and may have found a cue; otherwise None.
    """

    solver: str
    family: CueFamily
    rows: NDArray[np.int64]
    scores: NDArray[np.float64]
    p: float
    tells: tuple[tuple[str, float], ...]
    test: Tested
    map: NDArray[np.float64] | None = None
    p_of_letters: float | None = None


class Power(NamedTuple):
    """The smallest cue that the adversary could have found.

    Args:
        items: Number of items from which it learned.
        could_find: Smallest accuracy, 0-1, of a cue in one measure that it finds with 80 % power at its corrected
            level; None if no accuracy suffices.
        items_needed: Number of items needed to find a gain of 0.05 with that power.
    """

    items: int
    could_find: float | None
    items_needed: int

    def to_json(self) -> dict[str, Any]:
        """Return the power as JSON values."""
        return {
            "learned_items": self.items,
            "could_find": None if self.could_find is None else round(self.could_find, 4),
            "items_needed": self.items_needed,
        }


NO_POWER: Mapping[str, None] = {"learned_items": None, "could_find": None, "items_needed": None}
"""The JSON values for a task from which the adversary learned nothing."""


def learned(
    task: str,
    evidence: Sequence[ItemEvidence | None],
    rows: Sequence[int | None],
    keyed: KeyedItems,
    texts: NDArray[np.int64],
    vocabulary: Sequence[str],
    *,
    without: frozenset[CueFamily],
    region: TaskRegion,
    seed: int,
) -> list[ProbeResult]:
    """Return the results of all probes on a task's items; no results if it has too few items.

    Args:
        task: The task, which seeds the draws of keys.
        evidence: Evidence of each item; None for an item that was skipped for lack of time.
        rows: Index of each item in its source; None if indices reveal nothing.
        keyed: Keys, clusters and folds of the items.
        texts: Index of each option's text in the vocabulary, shape (items, most options); -1 where an item has fewer.
        vocabulary: The texts of options, if these are few; otherwise empty.
        without: Families of cues that the task asks about.
        region: The part of the pictures that makes up the task.
        seed: Seed of the draws.
    """
    chosen = np.array([row for row, each in enumerate(evidence) if each is not None], np.int64)
    if len(chosen) < LEAST_ITEMS or len(np.unique(keyed.folds[chosen])) < 2:
        return []
    items = keyed.rows(chosen)
    places = None if None in rows else np.array(rows, np.int64)
    learned_items = LearnedItems(
        [each for each in evidence if each is not None],
        items,
        tuple(_classes(items, texts[chosen], vocabulary)),
        None if places is None else places[chosen],
    )
    found = []
    for block in blocks_of(learned_items, without=without, region=region, seed=seed):
        if not block.measures.any():
            continue
        test = tested(block.measures, items, generator_for(seed, "adversary", task, block.solver))
        found.append(
            _result(block, test, chosen, items)._replace(p_of_letters=_of_letters(task, block, test, items, seed))
        )
    if "order" not in without and places is not None:
        found.append(_keys_before(task, keyed, places, seed))
    return found


def _of_letters(task: str, block: Block, test: Tested, items: KeyedItems, seed: int) -> float | None:
    """Return the p-value of a probe's measures that test letters, if texts are tested too and the probe may carry."""
    if block.of_letters is None or isinstance(block.measures, OfItems) or test.p >= _DOUBTFUL:
        return None
    letters = block.measures[:, :, : block.of_letters]
    if not letters.any():
        return 1.0
    return tested(letters, items, generator_for(seed, "adversary", task, block.solver, "letters")).p


def _keys_before(task: str, keyed: KeyedItems, places: NDArray[np.int64], seed: int) -> ProbeResult:
    """Return how well the keys of preceding items reveal the key of each item."""
    order = np.argsort(places, kind="stable")
    test = sequence_scores(keyed, order, _LAGS, generator_for(seed, "adversary", task, "keys before"))
    lag, further = divmod(test.strongest[0], int(keyed.options.max()))
    title = f"{counted(further, 'letter')} after the key {counted(_LAGS[lag], 'item')} before"
    return ProbeResult(
        "learned keys before",
        "order",
        np.arange(len(places)),
        test.scores,
        test.p,
        ((title, test.deviations[0]),),
        test,
    )


def _classes(items: KeyedItems, texts: NDArray[np.int64], vocabulary: Sequence[str]) -> list[Classes]:
    letters = np.where(items.exists, np.arange(items.exists.shape[1]), -1)
    found = [Classes(tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: letters.shape[1]]), letters)]
    texts = texts[:, : letters.shape[1]]
    if vocabulary and not (texts == texts[0]).all():
        found.append(Classes(tuple(vocabulary), texts))
    return found


def _result(block: Block, test: Tested, chosen: NDArray[np.int64], items: KeyedItems) -> ProbeResult:
    tells = tuple(
        (block.names[number], round(value, 2)) for number, value in zip(test.strongest, test.deviations, strict=True)
    )
    told = None
    if (
        block.solver == _SHOWN_MAP
        and not isinstance(block.measures, OfItems)
        and block.names[0].startswith("picture 0")
    ):
        right = block.measures[np.arange(len(items.right)), items.right].sum(axis=0)
        cells = MAP_CELLS * MAP_CELLS * 3
        both = np.stack([right[:cells], right[cells : 2 * cells]])
        strongest = both[np.abs(both).argmax(axis=0), np.arange(cells)]
        told = strongest.reshape(MAP_CELLS, MAP_CELLS, 3).astype(np.float64)
    return ProbeResult(block.solver, block.family, chosen, test.scores, test.p, tells, test, told)


def power_of(results: Sequence[ProbeResult], keyed: KeyedItems, *, level: float) -> Power | None:
    """Return the smallest cue that the adversary could have found; None if it learned nothing.

    Of n items with chance c, a measure with accuracy a lies (a - c) sqrt(n) / sqrt(c (1 - c)) deviations from uniform
    keys. The adversary finds it with 80 % power if that is 0.84 above the value that the largest of all measures of a
    probe exceeds with the probability of the level. A cluster counts as one item. The result is that of the probe that
    needs the strongest cue.

    Args:
        results: The results of the probes.
        keyed: Keys and clusters of the items of the task.
        level: p-value, 0-1, below which a probe counts as a cue, after correction for all tests.
    """
    if not results:
        return None
    rows = results[0].rows
    chance = float((1 / keyed.options[rows]).mean())
    clusters = len(np.unique(keyed.groups[rows]))
    deviation = sqrt(chance * (1 - chance))
    needed = max(result.test.drawn.limit(level / 3) for result in results) + _Z_POWER
    could = chance + needed * deviation / sqrt(clusters)
    per_cluster = len(rows) / max(1, clusters)
    return Power(
        len(rows),
        None if could > 1 else max(could, chance + _GAIN),
        ceil((needed * deviation / _GAIN) ** 2 * per_cluster),
    )


def told(tells: Sequence[tuple[str, float]]) -> str:
    """Return the most revealing measures as plain text, such as `dpi across (+9.1)`."""
    return ", ".join(f"{printable(name)} ({deviations:+.1f})" for name, deviations in tells)


def power_in_words(power: Power) -> str:
    """Return the smallest cue that the adversary could have found, as text."""
    could = (
        "could not have found a cue of any size"
        if power.could_find is None
        else f"could have found a cue of {power.could_find:.3f} in one measure"
    )
    items, needed = counted(power.items, "item"), counted(power.items_needed, "item")
    return f"the adversary learned from {items} and {could}; to find a gain of {_GAIN:g} it needs {needed}"

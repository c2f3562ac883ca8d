"""A sample of a release's items for a trial run, and the estimates for all items based on it.

Items are drawn from each task of each split in proportion to its number of items, by a hash of the item's id. The same
number of the same items gives the same sample on every machine, and a larger sample contains every smaller one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchwright.canonical import digest
from benchwright.statistics.proportions import Estimate, mean_of_proportions, wilson_clustered
from benchwright.statistics.score_interval import Interval

if TYPE_CHECKING:
    import pyarrow as pa

    from .item_response.subset import Subset
    from .prompting.question import Released

_SEED = 0
Stratum = tuple[str, str]
"""A split and a task."""


@dataclass(frozen=True)
class ItemSample:
    """Items that are asked in place of all items.

    Args:
        item_ids: Ids of the items.
        strata: Number of all items that could be asked, by split and task.
        subset: Subset that the items form, with the item response model that estimates the result on all items; None if
            they were drawn in proportion to the strata.
    """

    item_ids: frozenset[str]
    strata: Mapping[Stratum, int]
    subset: Subset | None = None

    @property
    def of(self) -> int:
        """Return the number of all items that could be asked."""
        return sum(self.strata.values())


def sample_of(items: Iterable[Released], limit: int) -> ItemSample | None:
    """Return a sample of items, or None if there are no more than `limit`.

    Each stratum's items are ordered by their hashes, with the i-th of n at position i / n; the sample is the first
    `limit` items of all strata by position. Each stratum therefore gets its share, rounded up, beginning with its first
    item.

    Args:
        items: All items that could be asked, whose pictures are not read.
        limit: Number of items to draw, above 0.
    """
    return sample_of_ids(((r.item.item_id, (r.split, r.item.task)) for r in items), limit)


def sample_of_ids(items: Iterable[tuple[str, Stratum]], limit: int) -> ItemSample | None:
    """Return the sample that `sample_of` draws from items with these ids and strata."""
    hashes: dict[Stratum, list[tuple[str, str]]] = {}
    for item_id, stratum in items:
        hashes.setdefault(stratum, []).append((digest(["evaluate.limit", _SEED, item_id]), item_id))
    strata = {stratum: len(entries) for stratum, entries in hashes.items()}
    if sum(strata.values()) <= limit:
        return None
    places = [
        (place / len(entries), *entry) for entries in hashes.values() for place, entry in enumerate(sorted(entries))
    ]
    return ItemSample(frozenset(item_id for _, _, item_id in sorted(places)[:limit]), strata)


def subset_sample(items: Iterable[Released], subset: Subset) -> ItemSample:
    """Return the items of a subset as a sample of all items.

    Args:
        items: All items that could be asked, whose pictures are not read.
        subset: Subset of these items.

    Raises:
        BenchwrightError: The subset represents other items.
    """
    tasks, strata = {}, Counter[Stratum]()
    for released in items:
        tasks[released.item.item_id] = released.item.task
        strata[released.split, released.item.task] += 1
    subset.check_items(tasks)
    return ItemSample(subset.drawn_ids, strata, subset)


def whole_estimates(judged: pa.Table, sample: ItemSample) -> dict[str, Estimate]:
    """Return estimates of the accuracies on all items, by name: overall, by task and as the mean across tasks.

    The value weights each stratum by its number of items. The interval is Wilson's for the effective number of
    independent items: n over the effect of the weights (L. Kish, Survey Sampling, Wiley 1965, section 11.7), times (M -
    1) / (M - n) for a sample of n of M items without replacement (W. G. Cochran, Sampling Techniques, 3rd ed., Wiley
    1977, sections 2.6 and 3.3). It covers only the uncertainty from the items left out: a sample of all items has an
    interval of no width. It ignores the stratification, so it is somewhat too wide. If some stratum has no item in the
    sample, there is no interval. For a subset, its item response model gives the estimates (`item_response.whole`).

    Args:
        judged: Rows on which metrics are computed; every item has the same number of rows.
        sample: The sample that was asked.
    """
    if sample.subset is not None:
        return sample.subset.estimates(judged)
    right: Counter[Stratum] = Counter()
    rows: Counter[Stratum] = Counter()
    asked: dict[Stratum, set[str]] = {}
    columns = (judged.column(name).to_pylist() for name in ("split", "task", "item_id", "right"))
    for split, task, item_id, is_right in zip(*columns, strict=True):
        right[split, task] += is_right
        rows[split, task] += 1
        asked.setdefault((split, task), set()).add(item_id)

    def estimate(strata: Mapping[Stratum, int]) -> Estimate:
        there = {stratum: number for stratum, number in strata.items() if rows[stratum]}
        count, every = sum(rows[stratum] for stratum in there), sum(there.values())
        if not every:
            return Estimate(None, None, 0)
        share = sum(number * right[stratum] / rows[stratum] for stratum, number in there.items()) / every
        if len(there) < len(strata):
            return Estimate(share, None, count)
        drawn = sum(len(asked[stratum]) for stratum in there)
        if drawn == every:
            return Estimate(share, Interval(share, share), count, "finite_population")
        worth = every**2 / sum(number**2 / len(asked[stratum]) for stratum, number in there.items())
        interval = wilson_clustered(share * count, count, worth * (every - 1) / (every - drawn)).interval
        return Estimate(share, interval, count, "finite_population")

    tasks = sorted({task for _, task in rows})
    by_task = {
        f"accuracy/{task}": estimate({s: number for s, number in sample.strata.items() if s[1] == task})
        for task in tasks
    }
    return {
        "accuracy": estimate(sample.strata),
        **by_task,
        "accuracy_macro": mean_of_proportions(list(by_task.values())),
    }

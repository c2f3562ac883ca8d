"""Splits: a seeded assignment of items that keeps items with a common group key together.

Items that share a key, directly or through others, form a component, and a component goes into one split as a whole.
Components with equally many items of each task are placed together, those with the most items first: each in turn is
counted toward the split in which its tasks are furthest below their share. In a seeded order, the first of these
components then go into one split and the next into another, so that an additional component moves few others. The
result depends on the items and the seed, never on the order of rows.
"""

from __future__ import annotations

import logging
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator, model_validator

from benchwright.seeds import seed_for
from benchwright.statistics.components import component_numbers
from benchwright.steps import GatherContext, Gathered, GatherStep, Stream
from benchwright.workspace.arrow_arrays import integers_of

if TYPE_CHECKING:
    import pyarrow as pa

logger = logging.getLogger(__name__)

_SPLIT = re.compile(r"[a-z][a-z0-9_]{0,31}")


class Splits(GatherStep):
    """Assign each item to a split.

    Items that share a group key, directly or through others, stay together. The largest groups are placed first, each
    where its tasks are furthest from their share. The result depends only on items and seed, and items added later move
    few others into another split.

    With `sizes`, splits instead have given numbers of images or items, chosen by the seed, and the rest goes into one
    more split: II-Bench has 15 images in dev, 20 in validation, and 1,187 in test. If the set has fewer than twice as
    many as the sizes require, each size is reduced in proportion, so that half remain; the run says so. Examples in
    prompts come from the split `dev`, if any.

    Args:
        fractions: Share of the items by name of the split, each above 0, with the sum 1.
        sizes: Number of images or items by name of the split, in place of shares.
        counted: Unit of `sizes`: source `images`, with all of their items, or `items`.
        rest: Split of the remainder after `sizes`.
    """

    name: ClassVar[str] = "splits"
    version: ClassVar[int] = 2
    consumes: ClassVar[Stream] = "items"
    values: ClassVar[Mapping[str, str]] = {"split": "string"}
    imports: ClassVar[tuple[str, ...]] = ("scipy.sparse.csgraph",)

    fractions: dict[str, float] = Field(default={"val": 0.5, "test": 0.5}, validate_default=True)
    sizes: dict[str, int] = Field(default={})
    counted: Literal["images", "items"] = "images"
    rest: str = "test"

    @property
    def names(self) -> frozenset[str]:
        """Return the names of the splits."""
        return frozenset((*self.sizes, self.rest) if self.sizes else self.fractions)

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the required columns."""
        return ("item_id", "group_keys", "task", *(("root_image_id",) if self.sizes else ()))

    def parameters(self) -> dict[str, Any]:
        """Return the settings that determine the splits: shares, or sizes with their unit."""
        settings = super().parameters()
        unused = ("fractions",) if self.sizes else ("sizes", "counted", "rest")
        return {name: value for name, value in settings.items() if name not in unused}

    @field_validator("fractions")
    @classmethod
    def _shares_of_one(cls, fractions: dict[str, float]) -> dict[str, float]:
        for split, fraction in fractions.items():
            _check_name(split)
            if not fraction > 0:
                raise ValueError(f"split {split!r} has the share {fraction}; give a number above 0, or leave it out")
        if not math.isclose(math.fsum(fractions.values()), 1.0, abs_tol=1e-9):
            raise ValueError(f"the shares sum to {math.fsum(fractions.values())}, not to 1")
        return dict(sorted(fractions.items()))

    @model_validator(mode="after")
    def _sizes_in_place_of_shares(self) -> Splits:
        if not self.sizes:
            if self.model_fields_set & {"counted", "rest"}:
                raise ValueError("`counted` and `rest` require `sizes`; give the number of images of each split there")
            return self
        if "fractions" in self.model_fields_set:
            raise ValueError("give either `fractions` or `sizes`, not both")
        for split in (*self.sizes, self.rest):
            _check_name(split)
        if self.rest in self.sizes:
            raise ValueError(f"the split {self.rest!r} gets the rest; leave it out of `sizes`, or name another `rest`")
        if wrong := [split for split, size in self.sizes.items() if size < 1]:
            raise ValueError(f"split {wrong[0]!r} has the size {self.sizes[wrong[0]]}; give a number from 1")
        return self

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Return the split of each row."""
        ids, keys = columns.column("item_id"), columns.column("group_keys")
        if self.sizes:
            units = columns.column("root_image_id") if self.counted == "images" else ids
            splits = assign_sizes(ids, keys, units, sizes=self.sizes, rest=self.rest, seed=ctx.seed)
        else:
            splits = assign_splits(ids, keys, columns.column("task"), fractions=self.fractions, seed=ctx.seed)
        return Gathered(rows=np.arange(len(splits), dtype=np.int64), values={"split": splits})


def _check_name(split: str) -> None:
    if not _SPLIT.fullmatch(split) or split == "all":
        raise ValueError(f"a split cannot be named {split!r}; give lower-case letters, digits and '_', not 'all'")


def assign_sizes(
    item_ids: pa.ChunkedArray,
    group_keys: pa.ChunkedArray,
    units: pa.ChunkedArray,
    *,
    sizes: Mapping[str, int],
    rest: str,
    seed: int,
) -> list[str]:
    """Return the split of each item if the splits have a given number of units, such as images.

    Splits are filled in the order of their names with components in seeded order. A component larger than a split's
    free space is skipped, so a split stays smaller if all remaining components are too large.

    Args:
        item_ids: Ids of the items.
        group_keys: Keys of each item; items that share one stay together.
        units: Unit of each item: its image, or itself.
        sizes: Number of units by split.
        rest: Split of all other items.
        seed: The run's seed.
    """
    components = _ItemComponents.of(item_ids, group_keys, seed)
    unit, _ = _numbered(units)
    counts = [len(np.unique(unit[components.rows(i)])) for i in range(len(components.least))]
    total, wanted = sum(counts), sum(sizes.values())
    if total < 2 * wanted:
        logger.warning(
            "splits: %d are fewer than twice the %d that `sizes` asks for; each split gets fewer in proportion",
            total,
            wanted,
        )
        sizes = {split: size * total // (2 * wanted) for split, size in sizes.items()}
    waiting = np.lexsort((components.least, components.seeds)).tolist()
    splits = [rest] * len(item_ids)
    for split, size in sorted(sizes.items()):
        lacking = size
        passed_over = []
        for i in waiting:
            if counts[i] > lacking:
                passed_over.append(i)
                continue
            lacking -= counts[i]
            for row in components.rows(i).tolist():
                splits[row] = split
        waiting = passed_over
    return splits


def assign_splits(
    item_ids: pa.ChunkedArray | Sequence[str],
    group_keys: pa.ChunkedArray | Sequence[Sequence[str]],
    tasks: pa.ChunkedArray | Sequence[str],
    *,
    fractions: Mapping[str, float],
    seed: int,
) -> list[str]:
    """Return the split of each item.

    With a single task, each split exceeds its share by less than the size of the largest component. A split stays empty
    if there are too few components. Ties go to the split that lacks more items over all tasks, then to the first by
    name. A further component moves at most a few others of each kind, where a kind is the number of items of each task.
    """
    components = _ItemComponents.of(_as_column(item_ids), _as_column(group_keys), seed)
    task, names = _numbered(_as_column(tasks))
    totals = np.bincount(task, minlength=len(names)).tolist()
    lacking = {split: [share * n for n in totals] for split, share in sorted(fractions.items())}
    lacking_in_all = {split: share * len(item_ids) for split, share in fractions.items()}

    def need(held: Sequence[tuple[int, int]], split: str) -> tuple[float, float]:
        of_tasks = math.fsum(n * lacking[split][task] / totals[task] for task, n in held)
        return of_tasks, lacking_in_all[split]

    splits = [""] * len(item_ids)
    for held, alike in components.by_tasks(task):
        places: Counter[str] = Counter()
        for _ in alike:
            best = max(lacking, key=partial(need, held))
            places[best] += 1
            for number, n in held:
                lacking[best][number] -= n
                lacking_in_all[best] -= n
        for i, split in zip(alike, sorted(places.elements()), strict=True):
            for row in components.rows(i).tolist():
                splits[row] = split
    return splits


def _as_column(values: pa.ChunkedArray | Sequence[Any]) -> pa.ChunkedArray:
    import pyarrow as pa

    return values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([pa.array(values)])


class _ItemComponents(NamedTuple):
    """Components of items, which may arrive in any order.

    Args:
        order: All rows, component by component.
        start: Index in `order` at which each component begins, followed by the end of the last.
        least: Rank of each component's smallest item id among all item ids.
        seeds: Seed of each component, derived from its smallest item id.
    """

    order: NDArray[np.int64]
    start: NDArray[np.int64]
    least: NDArray[np.int64]
    seeds: NDArray[np.uint64]

    @classmethod
    def of(cls, item_ids: pa.ChunkedArray, group_keys: pa.ChunkedArray, seed: int) -> _ItemComponents:
        """Find the components of items and their sort keys."""
        component = component_numbers(group_keys.chunks)
        rank, by_rank = _numbered(item_ids)
        order = np.lexsort((rank, component))
        first = np.flatnonzero(np.diff(component[order], prepend=-1))
        least = rank[order[first]]
        seeds = (seed_for(seed, Splits.name, by_rank[number].as_py()) for number in least.tolist())
        start = np.append(first, len(order))
        return cls(order, start, least, np.fromiter(seeds, np.uint64, len(least)))

    def by_tasks(self, task: NDArray[np.int64]) -> Iterator[tuple[Sequence[tuple[int, int]], list[int]]]:
        """Yield each kind of component, the largest first, as its number of items by task, with its components in
        seeded order.

        Args:
            task: Index of the task of each row.
        """
        kinds: dict[tuple[tuple[int, int], ...], list[int]] = {}
        for i in np.lexsort((self.least, self.seeds)).tolist():
            held = tuple(sorted(Counter(task[self.rows(i)].tolist()).items()))
            kinds.setdefault(held, []).append(i)
        for held in sorted(kinds, key=lambda held: (-sum(n for _, n in held), held)):
            yield held, kinds[held]

    def rows(self, number: int) -> NDArray[np.int64]:
        """Return the rows in a component."""
        return self.order[self.start[number] : self.start[number + 1]]


def _numbered(texts: pa.ChunkedArray) -> tuple[NDArray[np.int64], pa.Array]:
    """Return the index of each string in the list of distinct strings, and that list, in order."""
    import pyarrow.compute as pc

    different = pc.unique(texts)
    different = different.take(pc.sort_indices(different))
    return integers_of(pc.index_in(texts, value_set=different)), different

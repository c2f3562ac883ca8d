"""Splits: a seeded assignment of items that never parts what shares a group key.

Items that share a key, directly or through others, form a component, and a component goes into one split as
a whole. Components are taken largest first, equals in a seeded order, and each goes where the tasks it
holds are furthest from their share. The result depends on items and seed, never on the order of rows.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field, field_validator

from benchwright.components import components_of
from benchwright.seeds import seed_for
from benchwright.steps import GatherContext, Gathered, GatherStep, Stream

if TYPE_CHECKING:
    import pyarrow as pa

_SPLIT = re.compile(r"[a-z][a-z0-9_]{0,31}")


class Splits(GatherStep):
    """Assign each item to a split.

    What shares a group key, directly or through others, stays together; the largest groups are placed first, each where
    the tasks it holds are furthest from their share. The result depends on items and seed only.

    Args:
        fractions: Share of the items by name of the split, each above 0, together 1.
    """

    name: ClassVar[str] = "splits"
    consumes: ClassVar[Stream] = "items"
    values: ClassVar[Mapping[str, str]] = {"split": "string"}
    columns: ClassVar[tuple[str, ...]] = ("item_id", "group_keys", "task")

    fractions: dict[str, float] = Field(default={"val": 0.5, "test": 0.5}, validate_default=True)

    @field_validator("fractions")
    @classmethod
    def _shares_of_one(cls, fractions: dict[str, float]) -> dict[str, float]:
        for split, fraction in fractions.items():
            if not _SPLIT.fullmatch(split) or split == "all":
                raise ValueError(
                    f"a split cannot be named {split!r}; give lower-case letters, digits and '_', not 'all'"
                )
            if not fraction > 0:
                raise ValueError(f"split {split!r} has the share {fraction}; give a number above 0, or leave it out")
        if not math.isclose(math.fsum(fractions.values()), 1.0, abs_tol=1e-9):
            raise ValueError(f"the shares sum to {math.fsum(fractions.values())}, not to 1")
        return dict(sorted(fractions.items()))

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Return every row's split."""
        import numpy as np

        assigned = assign_splits(
            columns.column("item_id").to_pylist(),
            columns.column("group_keys").to_pylist(),
            columns.column("task").to_pylist(),
            fractions=self.fractions,
            seed=ctx.seed,
        )
        return Gathered(rows=np.arange(len(assigned), dtype=np.int64), values={"split": assigned})


def assign_splits(
    item_ids: Sequence[str],
    group_keys: Sequence[Sequence[str] | None],
    tasks: Sequence[str],
    *,
    fractions: Mapping[str, float],
    seed: int,
) -> list[str]:
    """Return the split of each item.

    With one task, no split exceeds its share by as much as the largest component. A split stays empty where
    there are too few components. Ties go to the split that lacks more items over all tasks, then to the
    first by name.
    """
    components = _components(group_keys)
    least = [min(item_ids[row] for row in rows) for rows in components]
    order = sorted(
        range(len(components)),
        key=lambda i: (-len(components[i]), seed_for(seed, Splits.name, least[i]), least[i]),
    )
    totals = Counter(tasks)
    lacking = {split: {task: share * n for task, n in totals.items()} for split, share in sorted(fractions.items())}
    lacking_in_all = {split: share * len(item_ids) for split, share in fractions.items()}

    def need(held: Sequence[tuple[str, int]], split: str) -> tuple[float, float]:
        of_tasks = math.fsum(n * lacking[split][task] / totals[task] for task, n in held)
        return of_tasks, lacking_in_all[split]

    splits = [""] * len(item_ids)
    for i in order:
        held = sorted(Counter(tasks[row] for row in components[i]).items())
        best = max(lacking, key=partial(need, held))
        for task, n in held:
            lacking[best][task] -= n
            lacking_in_all[best] -= n
        for row in components[i]:
            splits[row] = best
    return splits


def _components(group_keys: Sequence[Sequence[str] | None]) -> list[list[int]]:
    """Return the rows of each component."""
    rows: dict[int, list[int]] = {}
    for row, component in enumerate(components_of(group_keys)):
        rows.setdefault(component, []).append(row)
    return list(rows.values())

"""Filters of items for tests; a module of their own because workers import it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from benchwright.records import Item
from benchwright.steps import Context, Filter, GatherContext, Gathered, GatherStep, Outcome


class OddKeys(Filter):
    """Drops items whose answer stands late in the alphabet; says in a file which ones it measured."""

    name: ClassVar[str] = "odd_keys"
    consumes: ClassVar[Any] = "items"
    values: ClassVar[Mapping[str, str]] = {"place": "int64"}
    thresholds: ClassVar[frozenset[str]] = frozenset({"max_place"})

    diary: str
    max_place: int = 0

    def measure(self, record: Item, ctx: Context) -> Mapping[str, int]:
        del ctx
        with open(self.diary, "a", encoding="utf-8") as lines:
            lines.write(f"{record.item_id}\n")
        return {"place": "ABCDEF".index(record.answer or "A")}

    def judge(self, measured: Mapping[str, Any]) -> Outcome:
        return Outcome("drop", "late_key") if measured["place"] > self.max_place else Outcome()


class EveryOther(GatherStep):
    """Drops every other item against the one before it; says in a file how many it saw."""

    name: ClassVar[str] = "every_other"
    consumes: ClassVar[Any] = "items"
    columns: ClassVar[tuple[str, ...]] = ("item_id",)

    diary: str

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        del ctx
        ids = columns["item_id"].to_pylist()
        with open(self.diary, "a", encoding="utf-8") as lines:
            lines.write(f"{len(ids)}\n")
        rows = np.arange(1, len(ids), 2)
        return Gathered(
            rows=rows, verdicts=["drop"] * len(rows), reasons=["like_another"] * len(rows),
            evidence=[{"of": ids[row - 1]} for row in rows],
        )  # fmt: skip

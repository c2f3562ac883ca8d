"""Filters of items for tests; a module of their own because workers import it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from benchwright.records import Choice, ImageRecord, Item, ItemImage
from benchwright.steps import Context, Filter, GatherContext, Gathered, GatherStep, MapStep, Outcome


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


class Asks(MapStep):
    """Asks about every picture what item filters speak against: a question twice, an option twice, keys by length.

    One question has no key, so that filters of keys have nothing to say of it.
    """

    name: ClassVar[str] = "asks"
    consumes: ClassVar[Any] = "images"
    makes: ClassVar[tuple[Any, ...]] = ("items",)

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        asked = [("What is this?", ("a cat", "a dog", "an owl"))] * 2
        asked += [("Which animal is it?", ("a cat", "a cat", "an owl"))]
        asked += [(f"What does sign {n} say?", (f"{n} is what it says in full", f"{n}", "no")) for n in range(8)]
        asked += [("What did it cost?", ("one", "two", "three"))]
        shown = (ItemImage(image_id=record.image_id, role="picture"),)
        items = tuple(
            Item(
                item_id=ctx.item_id(record.image_id, ordinal=number), task="naming", kind="multiple_choice",
                images=shown, question=question, answer=None if "cost" in question else "A", root_image_id=record.root_image_id,
                choices=tuple(Choice(key=key, text=text) for key, text in zip("ABC", options, strict=True)),
                operation_id=ctx.operation_id, made_from=record.image_id, group_keys=(f"image:{record.image_id}",),
            )
            for number, (question, options) in enumerate(asked)
        )  # fmt: skip
        return Outcome(items=items)

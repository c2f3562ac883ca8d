"""Filters of items for tests; a separate module because workers import it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from benchwright.records import Choice, ImageRecord, Item, ItemImage
from benchwright.steps import Context, Filter, GatherContext, Gathered, GatherStep, MapStep, Outcome


class OddKeys(Filter):
    """Drops items whose answer comes late in the alphabet; records in a file which ones it measured."""

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
    """Drops every other item in favor of the one before it; records in a file how many it saw."""

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
    """Asks about every picture questions that item filters reject: a repeated question, a repeated option, keys by
    length.

    One question has no key, so filters of keys do not apply to it.
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


class Rivals(MapStep):
    """Makes two candidates from every picture, one bluish and one all red, with pair questions about both."""

    name: ClassVar[str] = "rivals"
    consumes: ClassVar[Any] = "images"
    makes: ClassVar[tuple[Any, ...]] = ("items",)

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        pixels = ctx.images.rgb(record)
        bluish = np.stack([pixels[..., 0] // 2, pixels[..., 1], 128 + pixels[..., 2] // 2], axis=-1)
        red = np.broadcast_to(np.array([250, 0, 0], np.uint8), pixels.shape)
        made, items = [], []
        for candidate, other in enumerate((bluish, red)):
            picture = ctx.store_image(np.ascontiguousarray(other, np.uint8), parents=[record])
            made.append(picture)
            items += [*self._asked(record, ctx, candidate, picture)]
        return Outcome(images=tuple(made), items=tuple(items))

    def _asked(self, record: ImageRecord, ctx: Context, candidate: int, picture: ImageRecord) -> Iterator[Item]:
        pair = ctx.item_id(record.image_id, str(candidate))
        evidence = {
            "pair": pair, "natural": record.image_id, "manipulated": picture.image_id, "idea": "B2",
            "candidate": candidate, "natural_caption": "a red picture", "manipulated_caption": "a blue picture",
            "asks_for": "manipulated", "control": "Is this a picture?",
        }  # fmt: skip
        for ordinal, (side, shown) in enumerate({"natural": record, "manipulated": picture}.items()):
            yield self._item(
                record, ctx, candidate, ordinal, shown, side, evidence, kind="yes_no", question="Is the picture blue?",
                texts=("Yes", "No"), answer="A" if side == "manipulated" else "B",
            )  # fmt: skip
        yield self._item(
            record, ctx, candidate, 2, picture, "manipulated", evidence, kind="multiple_choice", question="What is it?",
            texts=("a photograph", "a song", "a smell"), answer="A",
        )  # fmt: skip

    def _item(
        self, record: ImageRecord, ctx: Context, candidate: int, ordinal: int, shown: ImageRecord, side: str,
        evidence: dict[str, Any], *, texts: tuple[str, ...], **fields: Any,
    ) -> Item:  # fmt: skip
        return Item(
            item_id=ctx.item_id(record.image_id, str(candidate), ordinal=ordinal), task=f"rival_{fields['kind']}",
            images=(ItemImage(image_id=shown.image_id, role=side),), category="B2",
            choices=tuple(Choice(key=key, text=text) for key, text in zip("ABC", texts, strict=False)),
            group_keys=tuple(sorted((f"image:{record.image_id}", f"pair:{evidence['pair']}"))),
            root_image_id=record.root_image_id, operation_id=ctx.operation_id, made_from=record.image_id,
            evidence=evidence, **fields,
        )  # fmt: skip

"""Items about a pair of pictures: a yes/no question about both, with opposite keys, and questions with options."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from benchwright.records import Choice, ImageRecord, Item, ItemImage
from benchwright.steps import Context

from .choices import PlacedChoices, group_keys, text_choices

Side = Literal["natural", "manipulated"]
SIDES: tuple[Side, Side] = ("natural", "manipulated")


class PairMaking(NamedTuple):
    """Context in which the items of one pair are made.

    Args:
        ctx: Context of the step that makes them.
        record: The source image.
        parents: Stable names of the pair's ingredients, from which its items' ids are computed.
        natural: The picture that the pair shows as natural.
        manipulated: The manipulated picture.
        donors: Source images that lent pixels; the items are grouped with them too.
        task: Prefix of the items' task, such as `pair`.
        category: Category of the items.
        written_by: Authors of question and choices, as items record them.
        evidence: Evidence that all items of the pair share.
    """

    ctx: Context
    record: ImageRecord
    parents: tuple[str, ...]
    natural: ImageRecord
    manipulated: ImageRecord
    donors: tuple[ImageRecord, ...]
    task: str
    category: str
    written_by: Mapping[str, str]
    evidence: Mapping[str, Any]

    @property
    def pictures(self) -> dict[str, ImageRecord]:
        """Return both pictures by side, the natural one first."""
        return {"natural": self.natural, "manipulated": self.manipulated}

    def yes_no(
        self,
        ordinal: int,
        question: str,
        *,
        yes_on: Side,
        shown: Side,
        level: str,
        evidence: Mapping[str, Any],
        attributes: Mapping[str, str] = MappingProxyType({}),
    ) -> Item:
        """Return an item that asks, about one picture, a question whose answer is yes only for the picture `yes_on`."""
        choices = (Choice(key="A", text="Yes"), Choice(key="B", text="No"))
        answer = "A" if yes_on == shown else "B"
        evidence_of_item = {**evidence, "shows": [shown]}
        item = self._item(
            ordinal, "yes_no", question, choices, answer, {shown: self.pictures[shown]}, level, evidence_of_item
        )
        return item.model_copy(update={"attributes": dict(attributes)})

    def choosing(
        self,
        ordinal: int,
        way: str,
        question: str,
        placed: PlacedChoices[str],
        pictures: Mapping[str, ImageRecord],
        *,
        level: str,
        evidence: Mapping[str, Any],
        attributes: Mapping[str, str] = MappingProxyType({}),
    ) -> Item:
        """Return an item that asks a question with options about pictures, given by role and in order."""
        item = self._item(ordinal, way, question, text_choices(placed), placed.answer, pictures, level, evidence)
        return item.model_copy(update={"attributes": dict(attributes)})

    def _item(
        self,
        ordinal: int,
        way: str,
        question: str,
        choices: tuple[Choice, ...],
        answer: str,
        pictures: Mapping[str, ImageRecord],
        level: str,
        evidence: Mapping[str, Any],
    ) -> Item:
        pair_id = self.ctx.item_id(*self.parents)
        lent = {f"image:{donor.root_image_id}" for donor in self.donors}
        return Item(
            item_id=self.ctx.item_id(*self.parents, ordinal=ordinal),
            task=f"{self.task}_{way}",
            kind="yes_no" if way == "yes_no" else "multiple_choice",
            images=tuple(ItemImage(image_id=picture.image_id, role=role) for role, picture in pictures.items()),
            question=question,
            choices=choices,
            answer=answer,
            group_keys=tuple(sorted({*group_keys(self.record), *lent, f"pair:{pair_id}"})),
            level=level,
            category=self.category,
            written_by=dict(self.written_by),
            root_image_id=self.record.root_image_id,
            operation_id=self.ctx.operation_id,
            made_from=self.record.image_id,
            evidence={
                "pair": pair_id,
                "natural": self.natural.image_id,
                "manipulated": self.manipulated.image_id,
                **self.evidence,
                **evidence,
            },
        )

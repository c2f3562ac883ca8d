"""Items of a pair of pictures: the same yes/no question on both with opposite keys, options about one or both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from benchwright.records import Choice, ImageRecord, Item, ItemImage
from benchwright.steps import Context

from .choices import PlacedChoices, group_keys, text_choices

Side = Literal["natural", "manipulated"]
SIDES: tuple[Side, Side] = ("natural", "manipulated")


class PairMaking(NamedTuple):
    """A pair while its items are made.

    Args:
        ctx: Context of the step that makes them.
        record: The source image.
        parents: What the pair is made of, in words that stay: its items' ids follow from them.
        natural: The picture that the pair shows as natural.
        manipulated: The other one.
        donors: Source images that lent pixels; the items belong to them too.
        task: Beginning of the items' task, such as `pair`.
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
        self, ordinal: int, question: str, *, yes_on: Side, shown: Side, level: str, evidence: Mapping[str, Any]
    ) -> Item:
        """Ask a question of one picture that is true of the picture `yes_on` only."""
        choices = (Choice(key="A", text="Yes"), Choice(key="B", text="No"))
        answer = "A" if yes_on == shown else "B"
        evidence_of_item = {**evidence, "shows": [shown]}
        return self._item(
            ordinal, "yes_no", question, choices, answer, {shown: self.pictures[shown]}, level, evidence_of_item
        )

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
        attributes: Mapping[str, str] | None = None,
    ) -> Item:
        """Ask a question with options of pictures, by role and in order."""
        item = self._item(ordinal, way, question, text_choices(placed), placed.answer, pictures, level, evidence)
        return item if attributes is None else item.model_copy(update={"attributes": dict(attributes)})

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

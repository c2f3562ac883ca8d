"""The pair of pictures that an item is about, as its evidence names it."""

from __future__ import annotations

from typing import Any, NamedTuple

from pydantic import ValidationError

from benchwright.records import ImageRecord, Item, MaskRuns
from benchwright.steps import Context


class PicturePair(NamedTuple):
    """The pictures of a pair and the region that was to change: the whole picture where `editable` is None.

    `moved` states whether the subject was to be moved.
    """

    natural: ImageRecord
    manipulated: ImageRecord
    editable: MaskRuns | None
    moved: bool

    @property
    def key(self) -> str:
        """Return a key that is equal for items with equal pictures and region."""
        places = f"{self.moved} {self.editable and self.editable.counts}"
        return f"{self.natural.image_id} {self.manipulated.image_id} {places}"


def pair_of(item: Item, ctx: Context) -> PicturePair | None:
    """Return an item's pair; None where it belongs to none.

    Raises:
        ValueError: The evidence names a region that is no mask.
    """
    natural, manipulated = (item.evidence.get(name) for name in ("natural", "manipulated"))
    if not isinstance(natural, str) or not isinstance(manipulated, str):
        return None
    stated = item.evidence.get("editable")
    editable = None if stated is None else _mask(item, stated)
    return PicturePair(ctx.image(natural), ctx.image(manipulated), editable, item.evidence.get("moved") is True)


def _mask(item: Item, stated: Any) -> MaskRuns:
    try:
        return MaskRuns.model_validate(stated)
    except ValidationError as error:
        raise ValueError(
            f"evidence 'editable' of item {item.item_id} is no mask: {error.errors()[0]['msg']}"
        ) from error


def evidence_text(item: Item, name: str) -> str | None:
    """Return a text from an item's evidence; None where there is none of this name."""
    text = item.evidence.get(name)
    return text if isinstance(text, str) else None

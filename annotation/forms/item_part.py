"""The part of a step's items that one campaign receives if several campaigns share them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Annotated, Any

from pydantic import Field, model_validator

from benchwright.canonical import digest
from benchwright.records import ImageRecord, Item, Record, Scalar

_DRAWN_OF = 1 << 64
Fraction = Annotated[float, Field(ge=0, le=1)]


class ItemPart(Record):
    """The part of the items (or images) that a campaign asks about; they must meet all given conditions.

    Without conditions, it consists of the items that no earlier campaign's part includes.

    Attributes:
        tasks: Tasks of the items; an empty list takes any.
        categories: Categories of the items; an empty list takes any.
        attributes: Values by attribute of the items, such as `{language: [ar, en]}`.
        share: From and to, 0 to 1: a share of all, drawn by source picture, so that all items from one picture are in
            one part. `[0, 0.5]` and `[0.5, 1]` are two halves; null for all.
        again: Whether it also includes items in an earlier campaign's part, so that both ask about them.
    """

    tasks: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    attributes: dict[str, tuple[Scalar, ...]] = Field(default_factory=dict)
    share: tuple[Fraction, Fraction] | None = None
    again: bool = False

    @model_validator(mode="after")
    def _share_is_a_range(self) -> ItemPart:
        if self.share is not None and not self.share[0] < self.share[1]:
            raise ValueError(f"share {list(self.share)} is empty; give its start and end, such as [0, 0.5]")
        return self

    @property
    def names_items(self) -> bool:
        """Return whether the part refers to properties that only items have."""
        return bool(self.tasks or self.categories or self.attributes)

    def takes(self, record: Item | ImageRecord) -> bool:
        """Return whether an item or image is in this part, regardless of other parts."""
        if isinstance(record, Item):
            if self.tasks and record.task not in self.tasks:
                return False
            if self.categories and record.category not in self.categories:
                return False
            if any(record.attributes.get(name) not in values for name, values in self.attributes.items()):
                return False
        return self.share is None or self.share[0] <= _place_of(record.root_image_id) < self.share[1]

    def takes_before(self, record: Item | ImageRecord, earlier: Iterable[ItemPart]) -> bool:
        """Return whether an item or image is in this part once earlier campaigns have received their parts."""
        return self.takes(record) and (self.again or not any(part.takes(record) for part in earlier))


def equal_shares(number: int) -> list[dict[str, Any]]:
    """Return a given number of parts of equal size, as written in recipes."""
    ends = [round(place / number, 4) for place in range(number)] + [1]
    return [{"share": [start, end]} for start, end in pairwise(ends)]


def _place_of(image_id: str) -> float:
    """Return the position of a source picture in the random order of shares, at least 0 and below 1."""
    return int(digest(["share", image_id])[:16], 16) / _DRAWN_OF

"""Sums of chance accuracy and of people's answers by label value, computed while a page reads the items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...prompting.item_index import labels_in

if TYPE_CHECKING:
    from benchwright.records import Item

    from .score_table import PeopleShare

_MOST_VALUES = 5000
"""Largest number of values for a label to be included; labels with more, such as file names, define no groups."""


@dataclass
class Sums:
    """Sums over the items that have a given value of a label.

    Args:
        items: Number of items.
        chance: Sum, over the items, of one over the number of options.
        asked: Number of people's answers to the items.
        right: Number of right answers among these.
    """

    items: int = 0
    chance: float = 0.0
    asked: int = 0
    right: int = 0

    def document(self) -> dict[str, Any]:
        """Return the sums as proportions in JSON values; None if there are no answers."""
        return {
            "items": self.items,
            "chance": self.chance / self.items,
            "people": self.right / self.asked if self.asked else None,
        }


class LabelSums:
    """Counter of items by level, category and attributes, under the same names as the metrics `accuracy_by/...`."""

    def __init__(self) -> None:
        self._found: dict[str, dict[str, Sums]] = {}

    def add(self, item: Item, people: PeopleShare | None) -> None:
        """Count an item."""
        for label, value in labelled(item):
            values = self._found.setdefault(label, {})
            if value not in values and len(values) >= _MOST_VALUES:
                continue
            sums = values.setdefault(value, Sums())
            sums.items += 1
            sums.chance += 1 / len(item.choices)
            if people is not None:
                sums.asked += people.asked
                sums.right += people.right

    def of(self, label: str) -> Mapping[str, Sums]:
        """Return the sums of each value of a label."""
        return self._found.get(label, {})


def labelled(item: Item) -> Iterator[tuple[str, str]]:
    """Yield the labels of an item with their values, without repetitions."""
    labels: dict[tuple[str, str], None] = {}
    for name in ("level", "category"):
        if (value := getattr(item, name)) is not None:
            labels[name, value] = None
    for name, value in item.attributes.items():
        label = f"attribute.{name}" if name in {"level", "category"} else name
        if isinstance(value, bool):
            labels[label, "yes" if value else "no"] = None
        elif isinstance(value, str):
            labels.update(dict.fromkeys((label, text) for text in labels_in(value)))
    yield from labels

"""The item values that name the splits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from benchwright.errors import StepError
from benchwright.records import Item

ONLY_SPLIT = "test"
"""Split of all items if no step assigns splits."""

_SPLIT_VALUE = "split"

Valued = tuple[Item, Mapping[str, Any]]
"""An item together with its values."""


def with_splits(items: Iterable[Valued], named: str | None) -> Iterator[tuple[Item, str]]:
    """Yield items with their splits; all are in `test` if no step assigned splits."""
    for item, values in items:
        key = named or _split_value(values)
        if key is None:
            yield item, ONLY_SPLIT
            continue
        split = values.get(key)
        if not isinstance(split, str):
            raise StepError(
                f"item {item.item_id} has no value {key!r}; let the step that assigns splits see every item, "
                "after the last step that makes or keeps items"
            )
        yield item, split


def _split_value(values: Mapping[str, Any]) -> str | None:
    names = split_values(values)
    if len(names) > 1:
        raise StepError(f"{several(sorted(names))}; choose one with split_value")
    return names[0] if names else None


def split_values(values: Iterable[str]) -> list[str]:
    """Return the values that name the splits, in the order of their stages.

    If several entries have a part of the same name, as `items` entries have a part `own_splits`, the last part covers
    all items.
    """
    named: dict[str, str] = {}
    for value in values:
        if value.rpartition(".")[2] == _SPLIT_VALUE:
            part = value.partition(".")[2]
            named[part if "." in part else value] = value
    return list(named.values())


def several(names: Sequence[str]) -> str:
    """Return the error message for more than one value that names the splits."""
    return f"several values name splits: {', '.join(names)}"

"""Proportions of units with intervals; a unit is a row, or a group of rows such as the questions about one picture."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.statistics.clustered import share_right
from benchwright.statistics.proportions import Estimate

if TYPE_CHECKING:
    import pyarrow as pa

Row = Mapping[str, Any]


class Unit(NamedTuple):
    """A unit that is right or wrong, and the index of its cluster."""

    right: bool
    group: int


def rows_with(judged: pa.Table, *columns: str, where: str | None = None) -> list[Row]:
    """Return rows reduced to these columns, `right` and `group`; with `where`, only rows that have a value in that
    column.
    """
    import pyarrow.compute as pc

    held = judged if where is None else judged.filter(pc.is_valid(judged.column(where)))
    rows: list[Row] = held.select(sorted({*columns, "right", "group"})).to_pylist()
    return rows


def has(judged: pa.Table, *columns: str) -> bool:
    """Return whether the rows have all these columns, some of which may be missing in old results."""
    return set(columns) <= set(judged.column_names)


def share_of(units: Iterable[Unit]) -> Estimate:
    """Return the proportion of right units, with its interval."""
    import numpy as np

    listed = list(units)
    right = np.array([unit.right for unit in listed], dtype=np.bool_)
    return share_right(right, np.array([unit.group for unit in listed], dtype=np.int64))


def singly(rows: Iterable[Row], right: Callable[[Row], bool] | None = None) -> list[Unit]:
    """Return every row as a unit."""
    return [Unit(bool(row["right"] if right is None else right(row)), row["group"]) for row in rows]


def together(rows: Iterable[Row], key: Callable[[Row], Hashable], *, at_least: int = 1) -> list[Unit]:
    """Return a unit for every key that enough rows share; a unit is right if all its rows are right."""
    groups: dict[Hashable, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return [
        Unit(all(row["right"] for row in group), group[0]["group"])
        for group in groups.values()
        if len(group) >= at_least
    ]


def by_value(rows: Sequence[Row], value: Callable[[Row], Iterable[str]]) -> dict[str, list[Row]]:
    """Return the rows grouped by each of their values, sorted by value."""
    rows_by_value: dict[str, list[Row]] = {}
    for row in rows:
        for label in dict.fromkeys(value(row)):
            rows_by_value.setdefault(label, []).append(row)
    return dict(sorted(rows_by_value.items()))

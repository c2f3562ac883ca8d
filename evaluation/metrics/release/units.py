"""Shares of units: rows, or groups of rows such as the questions on one picture, each with its interval."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ...statistics.clustered import share_right
from ...statistics.proportions import Estimate

if TYPE_CHECKING:
    import pyarrow as pa

Row = Mapping[str, Any]


class Unit(NamedTuple):
    """Something that is right or not, and the number of its cluster."""

    right: bool
    group: int


def rows_with(judged: pa.Table, *columns: str, where: str | None = None) -> list[Row]:
    """Return rows with just these columns, `right` and `group`; only those that have a value in column `where`."""
    import pyarrow.compute as pc

    held = judged if where is None else judged.filter(pc.is_valid(judged.column(where)))
    rows: list[Row] = held.select(sorted({*columns, "right", "group"})).to_pylist()
    return rows


def has(judged: pa.Table, *columns: str) -> bool:
    """Say whether rows come with these columns, which those of old results do not."""
    return set(columns) <= set(judged.column_names)


def share_of(units: Iterable[Unit], name: str) -> Estimate:
    """Return the share of units that are right, of all of them, with its interval; `name` seeds resampling."""
    import numpy as np

    listed = list(units)
    right = np.array([unit.right for unit in listed], dtype=np.bool_)
    return share_right(right, np.array([unit.group for unit in listed], dtype=np.int64), name)


def singly(rows: Iterable[Row], right: Callable[[Row], bool] | None = None) -> list[Unit]:
    """Return every row as a unit."""
    return [Unit(bool(row["right"] if right is None else right(row)), row["group"]) for row in rows]


def together(rows: Iterable[Row], key: Callable[[Row], Hashable], *, at_least: int = 1) -> list[Unit]:
    """Return a unit for every group of rows of one key that has enough of them, right where all of them are."""
    groups: dict[Hashable, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return [
        Unit(all(row["right"] for row in group), group[0]["group"])
        for group in groups.values()
        if len(group) >= at_least
    ]


def by_value(rows: Sequence[Row], value: Callable[[Row], Iterable[str]]) -> dict[str, list[Row]]:
    """Return rows by each value that they have, values sorted."""
    rows_by_value: dict[str, list[Row]] = {}
    for row in rows:
        for label in dict.fromkeys(value(row)):
            rows_by_value.setdefault(label, []).append(row)
    return dict(sorted(rows_by_value.items()))

"""Which items a page shows: all, or a sample that is the same every time."""

from __future__ import annotations

from collections.abc import Iterable

from benchwright.canonical import digest

from ..stratified import shares

Stratum = tuple[str, str]
"""Split and task."""


def sample(items: Iterable[tuple[str, Stratum]], *, at_most: int) -> frozenset[str]:
    """Return the ids of the items that a page shows: every split and task in its share, drawn by a hash of the id.

    A larger sample holds every item of a smaller one only within a stratum that did not lose its share. Memory is
    one id an item.

    Args:
        items: Item id and stratum of each.
        at_most: Number of items wanted; all where there are no more.
    """
    strata: dict[Stratum, list[str]] = {}
    for item_id, stratum in items:
        strata.setdefault(stratum, []).append(item_id)
    wanted = shares({stratum: len(ids) for stratum, ids in strata.items()}, at_most)
    chosen: list[str] = []
    for stratum, ids in strata.items():
        chosen += sorted(ids, key=lambda item_id: digest(["shown in the report", item_id]))[: wanted[stratum]]
    return frozenset(chosen)

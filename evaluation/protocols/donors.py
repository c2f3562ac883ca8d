"""Which item lends its pictures to which: the next that shares nothing with it, in time that grows with the items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """Where an item lies, what its pictures are for, and what it hangs together with."""

    item_id: str
    file: str
    group: int
    row: int
    shape: tuple[str, tuple[bool, ...]]
    ties: frozenset[str]


def donors_of(places: Sequence[Place]) -> dict[str, Place]:
    """Return for each item the next of the same shape, in cyclic order, that it is not tied to; none where all are."""
    shapes: dict[tuple[str, tuple[bool, ...]], list[Place]] = {}
    for place in places:
        shapes.setdefault(place.shape, []).append(place)
    return {item_id: donor for alike in shapes.values() for item_id, donor in _donors_among(alike).items()}


def _donors_among(alike: Sequence[Place]) -> dict[str, Place]:
    """Return the donors of items of one shape.

    Two things keep the walk from going over the same neighbours for each item: a stretch of items that all hold a key
    is left in one step, and items with the same ties go on from where the one before them stopped.
    """
    count = len(alike)
    held = Counter(key for place in alike for key in place.ties)
    shared = frozenset(key for key, number in held.items() if number > 1)
    ends = _ends_of_stretches(alike, shared)
    reached: dict[frozenset[str], tuple[int, int]] = {}
    found: dict[str, Place] = {}
    for number, place in enumerate(alike):
        ties = place.ties & shared
        start, at = number + 1, number + 1
        if ties in reached and reached[ties][0] <= start:
            start, at = reached[ties][0], max(at, reached[ties][1])
        while at < number + count and (key := next(iter(ties & alike[at % count].ties), None)) is not None:
            at = ends[key][at]
        reached[ties] = (start, at)
        if at < number + count:
            found[place.item_id] = alike[at % count]
    return found


def _ends_of_stretches(alike: Sequence[Place], shared: frozenset[str]) -> dict[str, dict[int, int]]:
    """Return, by key and place of an item that holds it, the next place of one that does not, over two turns."""
    ends: dict[str, dict[int, int]] = {}
    for at in range(2 * len(alike) - 1, -1, -1):
        for key in alike[at % len(alike)].ties & shared:
            of_key = ends.setdefault(key, {})
            of_key[at] = of_key.get(at + 1, at + 1)
    return ends

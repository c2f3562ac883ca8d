"""Which items a page shows: all, or a sample that is the same every time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from benchwright.canonical import digest

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


def shares(sizes: Mapping[Stratum, int], total: int) -> dict[Stratum, int]:
    """Return how many of each stratum make up a total: in proportion, and one of each while that is possible.

    What rounding leaves goes to the largest remainders; ties to the stratum that sorts first.
    """
    items = sum(sizes.values())
    if items <= total:
        return dict(sizes)
    exact = {stratum: total * n / items for stratum, n in sizes.items()}
    at_least = 1 if total >= len(sizes) else 0
    found = {stratum: max(at_least, int(share)) for stratum, share in exact.items()}
    by_remainder = sorted(exact, key=lambda stratum: (found[stratum] - exact[stratum], stratum))
    while (missing := total - sum(found.values())) > 0:
        for stratum in [one for one in by_remainder if found[one] < sizes[one]][:missing]:
            found[stratum] += 1
    while (over := sum(found.values()) - total) > 0:
        for stratum in [one for one in reversed(by_remainder) if found[one] > at_least][:over]:
            found[stratum] -= 1
    return found

"""The facets of an answer, their effects on the answer, and the contribution of each effect to the variance of a score.

An answer belongs to an item, an order of its options, a wording, a sample and a reader. Items are nested in clusters
(source pictures, pairs, scenes), orders in items (each item has its own), samples in all three. Wordings and readers
are crossed with all items.

Source: R. L. Brennan, Generalizability Theory, Springer 2001, chapters 3 (G studies) and 4 (D studies).
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Facet = Literal["clusters", "items", "orders", "wordings", "samples", "readers"]
ASKED: tuple[Facet, ...] = ("items", "orders", "wordings", "samples", "readers")
"""Facets whose numbers a design specifies."""


class Effect(NamedTuple):
    """A random effect on an answer.

    Args:
        name: Name of the effect in tables.
        facets: Facets to whose levels it belongs, including those in which they are nested.
    """

    name: str
    facets: frozenset[Facet]


def _effect(name: str, *facets: Facet) -> Effect:
    return Effect(name, frozenset(facets))


EFFECTS = (
    _effect("source pictures", "clusters"),
    _effect("items", "clusters", "items"),
    _effect("orders of options", "clusters", "items", "orders"),
    _effect("wordings", "wordings"),
    _effect("items x wordings", "clusters", "items", "wordings"),
    _effect("orders x wordings", "clusters", "items", "orders", "wordings"),
    _effect("samples", "clusters", "items", "orders", "wordings", "samples"),
    _effect("readers", "readers"),
    _effect("wordings x readers", "wordings", "readers"),
    _effect("items x readers", "clusters", "items", "readers"),
    _effect("replies x readers", "clusters", "items", "orders", "wordings", "samples", "readers"),
)
"""Every effect that answers can reveal, with coarse effects before those nested in them."""

MAIN: dict[Facet, str] = {
    "clusters": "source pictures",
    "items": "items",
    "orders": "orders of options",
    "wordings": "wordings",
    "samples": "samples",
    "readers": "readers",
}
"""Name of the effect that belongs to a facet alone."""

ONE: dict[Facet, str] = {
    "clusters": "every item has its own",
    "items": "one item",
    "orders": "the runs have only one order of options",
    "wordings": "the runs have only one wording, for which the widths hold",
    "samples": "the runs have only one sample per question",
    "readers": "the replies have only one reader, for which the widths hold",
}
"""Reason a facet with a single level remains unknown."""

SYSTEM_MARK = " + system "
"""Separator between the name of a wording and the digest of its system message."""

"""The addresses of the app's pages, by the role that has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...store.accounts.accounts import Role

_EVERYBODYS = frozenset({"start", "home", "review", "practice", "history"})
_ADJUDICATORS = _EVERYBODYS | {"adjudicate"}
_OF_ITEMS = frozenset({"items", "item", "build", "rules", "thresholds", "guidelines-edit"})
_OF_PEOPLE = frozenset({"progress", "agreement", "annotators", "reasons", "flags", "people"})
_CURATORS = _ADJUDICATORS | _OF_ITEMS | _OF_PEOPLE


def pages_of(role: Role) -> frozenset[str]:
    """Return the names of the pages that a role has, as they stand in addresses after the slash."""
    if role == "annotator":
        return _EVERYBODYS
    return _ADJUDICATORS if role == "adjudicator" else _CURATORS

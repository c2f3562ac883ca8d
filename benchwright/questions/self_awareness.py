"""MM-SAP's three sets (section 3.1 of the paper), determined by an item's keys and level."""

from __future__ import annotations

from typing import Literal, get_args

Part = Literal["basic", "know", "beyond"]
PARTS: tuple[Part, ...] = get_args(Part)
BASIC = "basic"
"""Level of items that every model can be presumed to answer."""
NAMES: dict[Part, str] = {"basic": "BasicVisQA", "know": "KnowVisQA", "beyond": "BeyondVisQA"}
"""The paper's names for the sets."""


def part_of(answer: str | None, level: str | None) -> Part:
    """Return the one of the paper's three sets to which an item belongs.

    - `beyond`: nothing in the picture answers the item: it has no answer key.
    - `basic`: the item's level is `basic`; every model presumably knows the answer.
    - `know`: all other items; models may or may not know the answer.
    """
    if answer is None:
        return "beyond"
    return "basic" if level == BASIC else "know"

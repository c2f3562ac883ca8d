"""Truths that a model estimated: items made of them count only once people have decided on them.

A truth says who estimated it under `estimated_by`; items carry it among their attributes, so that a release says it.
The rule is checked when a recipe is planned and again when a release is frozen.
"""

from __future__ import annotations

from collections.abc import Iterable

from .errors import RecipeError

ESTIMATED_BY = "estimated_by"
"""Key of a truth's `original`, and attribute of an item, that names the model with the digest of its weights."""

DECIDING_CAMPAIGNS = ("verify", "review", "screen_items")
"""Campaigns in which people decide whether an item is kept."""


def require_decisions(maker: str, steps: Iterable[str]) -> None:
    """Check that people decide on items of estimated truths before they are frozen.

    Args:
        maker: Step or task that made the items.
        steps: Names of the steps that the items passed through.

    Raises:
        RecipeError: None of them is a campaign in which people decide on items.
    """
    if set(DECIDING_CAMPAIGNS).isdisjoint(steps):
        raise RecipeError(
            f"step {maker!r} makes items of what a model estimated, and people must decide on these before they are "
            f"frozen; add one of the campaigns {', '.join(DECIDING_CAMPAIGNS)} between {maker!r} and the step 'freeze'"
        )

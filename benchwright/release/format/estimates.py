"""Ground truth that a model estimated: items made from it are accepted only after people decide on them.

A truth names its estimator under `estimated_by`. Items carry it among their attributes, so a release states it. The
rule is checked when a recipe is planned and again when a release is frozen. Simulated annotators are not people:
`freeze` accepts their decisions only if the recipe permits it, which the release states visibly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from benchwright.errors import RecipeError
from benchwright.records import Item

ESTIMATED_BY = "estimated_by"
"""Key of a truth's `original`, and attribute of an item, that names the model with the digest of its weights."""

_DECIDING_CAMPAIGNS = ("verify", "review", "screen_items")
"""Campaigns in which people decide whether an item is kept."""


def require_decisions(maker: str, steps: Iterable[str]) -> None:
    """Check that people decide on items with estimated truths before the items are frozen.

    Args:
        maker: Step or task that made the items.
        steps: Names of the steps that the items passed through.

    Raises:
        RecipeError: None of the steps is a campaign in which people decide on items.
    """
    if set(_DECIDING_CAMPAIGNS).isdisjoint(steps):
        raise RecipeError(
            f"step {maker!r} makes items from a model's estimates, and people must decide on these before freezing; "
            f"add one of the campaigns {', '.join(_DECIDING_CAMPAIGNS)} between {maker!r} and the step 'freeze'"
        )


def is_estimated(item: Item) -> bool:
    """Return whether an item's truth was estimated by a model."""
    return ESTIMATED_BY in item.attributes


def decided_by(
    stages: Sequence[Mapping[str, Any]], agreement: Mapping[str, Mapping[str, Any]]
) -> Literal["people", "simulated"] | None:
    """Return who decided which items to keep: people if any, otherwise simulated annotators; None if there was no
    decision.

    Args:
        stages: Stages as a manifest names them; only campaigns with decisions count.
        agreement: Summaries of campaigns, by the name of their stage; one without decisions is omitted.
    """
    deciding = [str(stage.get("stage")) for stage in stages if stage.get("step") in _DECIDING_CAMPAIGNS]
    from benchwright.release.format.agreement import is_empty, is_simulated

    held = [agreement[name] for name in deciding if name in agreement and not is_empty(agreement[name])]
    simulated = {is_simulated(summary) for summary in held}
    if False in simulated:
        return "people"
    return "simulated" if simulated else None


def require_people(maker: str, stages: Sequence[Mapping[str, Any]], agreement: Mapping[str, Mapping[str, Any]]) -> None:
    """Check that people, not only simulated annotators, decided on items with estimated truths.

    Args:
        maker: Step or task that made the items.
        stages: Stages that the items passed through, as a manifest names them.
        agreement: Summaries of campaigns, by the name of their stage.

    Raises:
        RecipeError: All deciding campaigns had simulated annotators.
    """
    if decided_by(stages, agreement) == "simulated":
        raise RecipeError(
            f"step {maker!r} made items from a model's estimates, but only simulated annotators decided on them; let "
            "people decide, or set `accept_simulated: true` on the step 'freeze' for a release whose card says so"
        )

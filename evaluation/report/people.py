"""What people reach on the items that were scored, from the human baseline of the release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .board import People, Share
from .cards import legible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..human import CampaignFigures, HumanFigures


def people_of(human: HumanFigures | None, baseline: Mapping[str, Any] | None) -> People | None:
    """Return what people reach; None where the release has no baseline.

    Plots and cards show one campaign: the first by name that asked people, or the first of all if none did.

    Args:
        human: Of the split that was scored.
        baseline: Of the release, as `read_human_baseline` returns it.
    """
    if human is None or not baseline:
        return None
    chosen = min(human.campaigns, key=lambda name: (human.campaigns[name].simulated, name))
    campaign = human.campaigns[chosen]
    items = {
        item_id: Share(answers["asked"], answers["right"]) for item_id, answers in baseline[chosen]["items"].items()
    }
    note = "; ".join(_note(name, one) for name, one in sorted(human.campaigns.items()))
    return People(campaign.metrics, items, campaign.simulated, human.lines(), legible(note))


def _note(name: str, campaign: CampaignFigures) -> str:
    who = "simulated annotators" if campaign.simulated else "people who saw no key"
    n = campaign.metrics["accuracy"].n
    return f"{name}: {campaign.annotators:,} {who}, up to {campaign.answers_per_item} an item, on {n:,} of the items"

"""Figures on a campaign's marked regions, cached until a decision changes them."""

from __future__ import annotations

from ...forms.kinds import MARK
from ...progress.mark_figures import MOST_PICTURES, MarkFigures, mark_figures
from ...progress.overview import Overview
from ...store.database.records import Campaign
from .cache import cached
from .state import AppState


def mark_figures_of(state: AppState, campaign: Campaign, overview: Overview) -> MarkFigures | None:
    """Return the figures of the newest pictures, or None for campaigns of other kinds."""
    if campaign.kind != MARK:
        return None
    key = (state.store.where, *overview.stamp(), "marked_regions")
    return cached(key, lambda: mark_figures(state.store, campaign, most=MOST_PICTURES))

"""Which task an annotator gets next.

The most urgent first; among equals, the first free one from a random place on, drawn anew for each task: every
annotator goes through the campaign in an order of their own, and no order is ever sorted. At the places that are
gold (`gold_places.py`) a gold one comes instead. What was skipped comes when nothing else is left.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import sqlalchemy as sa

from benchwright.seeds import seed_for

from ..hand_out import HandOut, hand_out_of
from . import handout_sql as sql
from .gold_places import GoldPlaces
from .records import Campaign
from .shares import may_still_get

_Who = Mapping[str, Any]


class Ahead(NamedTuple):
    """What an annotator still has before them in a campaign, in tasks; `held` are among neither of the others."""

    held: int
    others: int
    gold: int


def next_task(connection: sa.Connection, campaign: Campaign, annotator: str, who: _Who) -> int | None:
    """Return the id of the task that an annotator gets next, beside what they hold; None when none is left.

    Args:
        connection: To the store.
        campaign: The campaign.
        annotator: Name.
        who: Parameters `campaign`, `who` and `shows_key`.
    """
    settings = hand_out_of(campaign.settings)
    look = connection.execute(sql.WHERE_TO_LOOK, who).one()
    start = {"start": seed_for(campaign.seed, campaign.name, annotator, look.place) % sql.SHUFFLE_PRIME}
    allowed = may_still_get(connection, settings, annotator, who)
    if allowed.left == 0:
        return None
    bounds = {"names": list(allowed.waiting), "waiting": len(allowed.waiting)} if allowed.waiting else {}
    other = _most_urgent(connection, {**who, **start, **bounds}, look.priority)
    if other is None:
        query = sql.first_skipped(blind=bool(who["shows_key"]), bounded=bool(bounds))
        skipped: int | None = connection.execute(query, {**who, **bounds}).scalar_one_or_none()
        return skipped
    if look.any_gold is not None and gold_places(campaign, annotator, settings).is_gold(look.place):
        return _first_from(connection, {**who, **start}, gold=True) or other
    return other


def gold_places(campaign: Campaign, annotator: str, settings: HandOut) -> GoldPlaces:
    """Return at which places of an annotator's row gold comes."""
    return GoldPlaces(
        settings.gold_rate, lambda window: seed_for(campaign.seed, campaign.name, annotator, "gold", window)
    )


def left_for(campaign: Campaign, annotator: str, *, had: int, ahead: Ahead) -> int:
    """Return how many tasks an annotator still has to decide, gold ones among them, as far as that is known now."""
    places = gold_places(campaign, annotator, hand_out_of(campaign.settings))
    return ahead.held + places.ahead(had, others=ahead.others, gold=ahead.gold)


def _most_urgent(connection: sa.Connection, who: _Who, highest: int | None) -> int | None:
    priority = highest
    while priority is not None:
        found = _first_from(connection, {**who, "priority": priority}, gold=False)
        if found is not None:
            return found
        priority = connection.execute(sql.PRIORITY_BELOW, {**who, "priority": priority}).scalar_one_or_none()
    return None


def _first_from(connection: sa.Connection, who: _Who, *, gold: bool) -> int | None:
    """Return the first task from the place where the search starts to the end, or else from the beginning."""
    for is_after in (True, False):
        is_bounded = "waiting" in who and not gold
        query = sql.first_free(gold=gold, after=is_after, blind=bool(who["shows_key"]), bounded=is_bounded)
        found: int | None = connection.execute(query, who).scalar_one_or_none()
        if found is not None:
            return found
    return None

"""Who may judge a task: nobody who wrote or edited what it is about, or adjudicates it; nor, asked blind, saw its key.

All of it in statements that need the parameters `campaign` and what `handout.eyes_of` returns.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from ..campaigns.authors import OWN_ITEMS
from ..database.schema import adjudications, authors, blind_answers, campaigns, revisions, seen, skips, slots, tasks

_mine, _shown, _showing = slots.alias("mine"), tasks.alias("shown"), campaigns.alias("showing")
_who: sa.BindParameter[int] = sa.bindparam("who")

# Asked of one task at a time, by index: whoever has decided thousands elsewhere waits no longer for the next.
_was_handed_shown = sa.or_(
    *(
        sa.exists().where(of.c.task_id == _shown.c.id, of.c.annotator_id == _who)
        for of in (_mine, skips, seen, blind_answers, adjudications)
    )
)
"""Whether a task was handed out to an annotator, also where it was given back, or opened to adjudicate it."""
# An item has one current task in a campaign: that very one gives away no more than it is to show.
_gives_away = (_shown.c.campaign_id != sa.bindparam("campaign")) | (
    (_shown.c.state == "retired") & _shown.c.gold.is_(None)
)
# Of any content of the item: whoever saw the key of an earlier one may know that of the present one too.
_SHOWN_KEY = (
    sa.select(_showing.c.name)
    .select_from(_showing.join(_shown, _shown.c.campaign_id == _showing.c.id))
    .where(
        _showing.c.kind.in_(sa.bindparam("shows_key", expanding=True)),
        _shown.c.item_id == tasks.c.item_id,
        _gives_away,
        _was_handed_shown,
    )
)
_shows_key = _showing.c.kind.in_(sa.bindparam("shows_key", expanding=True))
SHOWN_KEY_OF_TASK = (
    sa.select(_showing.c.name)
    .select_from(
        tasks.join(_shown, _shown.c.item_id == tasks.c.item_id).join(_showing, _shown.c.campaign_id == _showing.c.id)
    )
    .where(tasks.c.id == sa.bindparam("task"), _shows_key, _gives_away, _was_handed_shown)
    .order_by(_showing.c.name)
    .limit(1)
)  # fmt: skip
IS_UNSHOWN = ~_SHOWN_KEY.correlate(tasks).exists()
"""Whether an annotator has not been shown an item's key."""

_involved = (
    sa.select(revisions.c.task_id).where(revisions.c.annotator_id == sa.bindparam("editor")),
    sa.select(adjudications.c.task_id).where(adjudications.c.annotator_id == _who),
)
"""Tasks whose version an annotator edited, or that they opened to adjudicate."""
INVOLVED_IN_TASK = sa.select(tasks.c.id).where(
    tasks.c.id == sa.bindparam("task"), tasks.c.id.in_(sa.union_all(*_involved))
)
_is_involved = sa.or_(
    *(one.where(one.selected_columns[0] == tasks.c.id).correlate(tasks).exists() for one in _involved)
)
# The same the other way round, from the little that one annotator was handed to the items that it was about.
_ITEMS_SHOWN = (
    sa.select(_shown.c.item_id)
    .select_from(_shown.join(_showing, _shown.c.campaign_id == _showing.c.id))
    .where(
        _shown.c.id.in_(
            sa.union(*(
                sa.select(of.c.task_id).where(of.c.annotator_id == _who)
                for of in (_mine, skips, seen, blind_answers, adjudications)
            ))
        ),
        _shows_key,
        _gives_away,
    )
)  # fmt: skip
_is_own = OWN_ITEMS.where(authors.c.item_id == tasks.c.item_id).correlate(tasks).exists()


def eyes(*, blind: bool) -> tuple[sa.ColumnElement[bool], ...]:
    """Return what must hold for an annotator to judge a task with fresh eyes: neither its author nor its editor.

    Args:
        blind: Nor shown its key.
    """
    return (~_is_involved, ~_is_own, IS_UNSHOWN) if blind else (~_is_involved, ~_is_own)


def count_barred(*such: sa.ColumnElement[bool], blind: bool) -> tuple[sa.Select[Any], ...]:
    """Return queries whose counts add up to the open tasks of a campaign on which an annotator has no fresh eyes.

    Databases are to begin with what this one annotator wrote, edited or adjudicates, which is little, and not with the
    campaign's tasks: a sum of its number is looked up in no index.

    Args:
        such: What else must hold of the tasks.
        blind: Also those whose key they were shown.
    """
    campaign: sa.BindParameter[int] = sa.bindparam("campaign")
    counted, is_open = sa.select(sa.func.count()).select_from(tasks), tasks.c.state == "open"
    few = counted.where(tasks.c.campaign_id + 0 == campaign, is_open, *such)
    found = (
        few.where(tasks.c.id.in_(sa.union_all(*_involved))),
        few.where(tasks.c.item_id.in_(OWN_ITEMS), ~_is_involved),
    )
    if not blind:
        return found
    return *found, few.where(tasks.c.item_id.in_(_ITEMS_SHOWN), ~_is_involved, ~_is_own)

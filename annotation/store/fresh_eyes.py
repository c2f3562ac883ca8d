"""Who may judge a task: nobody who wrote or edited what it is about, or adjudicates it; nor, asked blind, saw its key.

All of it in statements that need the parameters `campaign` and what `handout.eyes_of` returns.
"""

from __future__ import annotations

import sqlalchemy as sa

from .schema import adjudications, authors, blind_answers, campaigns, revisions, seen, skips, slots, tasks

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

# Not an EXISTS: this set does not hang on the row and is small, so the database makes it once for all tasks.
_own_item = tasks.alias("own_item")
_involved = (
    sa.select(revisions.c.task_id).where(revisions.c.annotator_id == sa.bindparam("editor")),
    sa.select(adjudications.c.task_id).where(adjudications.c.annotator_id == _who),
)
"""Tasks whose version an annotator edited, or that they opened to adjudicate."""
INVOLVED_IN_TASK = sa.select(tasks.c.id).where(
    tasks.c.id == sa.bindparam("task"), tasks.c.id.in_(sa.union_all(*_involved))
)
_UNFIT = sa.union_all(
    *_involved,
    sa.select(_own_item.c.id)
    .select_from(authors.join(_own_item, _own_item.c.item_id == authors.c.item_id))
    .where(authors.c.annotator_id == _who, _own_item.c.campaign_id == sa.bindparam("campaign")),
)
"""The same, and tasks of items that they wrote."""


def eyes(*, blind: bool) -> tuple[sa.ColumnElement[bool], ...]:
    """Return what must hold for an annotator to judge a task with fresh eyes: neither its author nor its editor.

    Args:
        blind: Nor shown its key.
    """
    is_fit = tasks.c.id.not_in(_UNFIT)
    return (is_fit, IS_UNSHOWN) if blind else (is_fit,)


def unfit(*, blind: bool) -> tuple[sa.ColumnElement[bool], ...]:
    """Return in which cases an annotator may not look at a task; together the opposite of `eyes`.

    Apart, since databases find the first by its few tasks, where the opposite as a whole goes through all of them.
    """
    is_unfit = tasks.c.id.in_(_UNFIT)
    return (is_unfit, ~is_unfit & ~IS_UNSHOWN) if blind else (is_unfit,)

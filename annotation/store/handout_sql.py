"""The statements that hand tasks out and take decisions in.

Built once: SQLAlchemy then finds their compiled form again without walking them, which halves the time of a
decision. Values come as the parameters that each statement names.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from .authors import OWN_ITEMS
from .reports import latest_annotations
from .schema import (
    adjudications,
    annotations_table,
    annotators,
    blind_answers,
    campaigns,
    revisions,
    skips,
    slots,
    tasks,
)

SHUFFLE_PRIME = 2**31 - 1
"""Every task has a place below this prime; an annotator's order multiplies and shifts it modulo the prime."""

_FREE = {"annotator_id": None, "claimed_at": None, "lease_until": None}
_mine = slots.alias("mine")
_was_skipped = sa.exists().where(skips.c.task_id == tasks.c.id, skips.c.annotator_id == sa.bindparam("who"))
_seen = sa.union_all(
    sa.select(slots.c.task_id, slots.c.annotator_id),
    sa.select(skips.c.task_id, skips.c.annotator_id),
    sa.select(blind_answers.c.task_id, blind_answers.c.annotator_id),
    sa.select(adjudications.c.task_id, adjudications.c.annotator_id),
).subquery("seen")
"""What was handed out to whom, also where it was given back, and what adjudicators opened."""
_shown, _showing = tasks.alias("shown"), campaigns.alias("showing")
_has_open_slot = sa.exists().where(slots.c.task_id == tasks.c.id, slots.c.submitted_at.is_(None))


def _for_task(query: sa.Select[Any]) -> sa.Select[Any]:
    return query.where(tasks.c.id == sa.bindparam("task"))


# Of any content of the item: whoever saw the key of an earlier one may know that of the present one too.
_SHOWN_KEY = (
    sa.select(_showing.c.name)
    .select_from(
        _seen.join(_shown, _seen.c.task_id == _shown.c.id).join(_showing, _shown.c.campaign_id == _showing.c.id)
    )
    .where(
        _seen.c.annotator_id == sa.bindparam("who"),
        _showing.c.kind.in_(sa.bindparam("shows_key", expanding=True)),
        # An item has one current task in a campaign: that very one gives away no more than it is to show.
        (_shown.c.campaign_id != sa.bindparam("campaign")) | (_shown.c.state == "retired"),
    )
)
SHOWN_KEY_OF_TASK = (
    _SHOWN_KEY.join(tasks, tasks.c.item_id == _shown.c.item_id)
    .where(tasks.c.id == sa.bindparam("task"))
    .order_by(_showing.c.name)
    .limit(1)
)

# Not an EXISTS: this set does not hang on the row, so the database makes it once for all tasks.
_INVOLVED = sa.union_all(
    sa.select(revisions.c.task_id).where(revisions.c.annotator_id == sa.bindparam("editor")),
    sa.select(adjudications.c.task_id).where(adjudications.c.annotator_id == sa.bindparam("who")),
)
"""Tasks whose version an annotator edited, or that they opened to adjudicate."""
INVOLVED_IN_TASK = sa.select(tasks.c.id).where(tasks.c.id == sa.bindparam("task"), tasks.c.id.in_(_INVOLVED))
IS_BLIND = sa.and_(
    tasks.c.item_id.not_in(_SHOWN_KEY.with_only_columns(_shown.c.item_id)),
    tasks.c.item_id.not_in(OWN_ITEMS),
    tasks.c.id.not_in(_INVOLVED),
)
"""Whether an annotator may judge a task with fresh eyes: neither shown its key, nor its author, nor its editor; needs
`handout.eyes_of` and `campaign`."""

ANNOTATOR = sa.select(annotators).where(annotators.c.name == sa.bindparam("name"))

EXPIRE = (
    sa.update(slots).where(slots.c.submitted_at.is_(None), slots.c.lease_until <= sa.bindparam("now")).values(_FREE)
)

_LEASE = (
    sa.select(
        slots.c.id,
        slots.c.task_id,
        slots.c.claimed_at,
        tasks.c.item_id,
        tasks.c.content_hash,
        tasks.c.round,
        tasks.c.payload,
    )
    .join(tasks)
    .where(
        tasks.c.campaign_id == sa.bindparam("campaign"),
        tasks.c.state == "open",
        IS_BLIND,
    )
    .limit(1)
)
OWN = _LEASE.where(slots.c.annotator_id == sa.bindparam("who"), slots.c.submitted_at.is_(None)).order_by(
    slots.c.claimed_at, slots.c.id
)
OWN_OF_TASK = _for_task(OWN)
NEXT = _LEASE.where(
    slots.c.annotator_id.is_(None),
    ~sa.exists().where(_mine.c.task_id == tasks.c.id, _mine.c.annotator_id == sa.bindparam("who")),
).order_by(
    _was_skipped,
    (tasks.c.shuffle * sa.bindparam("factor") + sa.bindparam("shift")) % SHUFFLE_PRIME,
    tasks.c.id,
    slots.c.slot,
)
NEXT_OF_TASK = _for_task(NEXT)

TAKE = (
    sa.update(slots)
    .where(slots.c.id == sa.bindparam("held"))
    .values(annotator_id=sa.bindparam("who"), claimed_at=sa.bindparam("since"), lease_until=sa.bindparam("until"))
)
RELEASE = (
    sa.update(slots)
    .where(
        slots.c.id == sa.bindparam("held"),
        slots.c.submitted_at.is_(None),
        slots.c.annotator_id
        == sa.select(annotators.c.id).where(annotators.c.name == sa.bindparam("name")).scalar_subquery(),
    )
    .values(_FREE)
)

HELD = (
    sa.select(
        slots,
        annotators.c.name,
        tasks.c.state,
        tasks.c.payload,
        tasks.c.campaign_id,
        campaigns.c.form,
        campaigns.c.is_archived,
        campaigns.c.is_simulated,
        campaigns.c.kind.label("campaign_kind"),
    )
    .join(tasks, slots.c.task_id == tasks.c.id)
    .join(campaigns)
    .outerjoin(annotators)
    .where(slots.c.id == sa.bindparam("held"))
)
SAID = latest_annotations().where(annotations_table.c.slot_id == sa.bindparam("held"))
SAY = sa.insert(annotations_table)
FILL = (
    sa.update(slots)
    .where(slots.c.id == sa.bindparam("held"))
    .values(submitted_at=sa.bindparam("now"), lease_until=None)
)
FINISH = sa.update(tasks).where(tasks.c.id == sa.bindparam("task"), ~_has_open_slot).values(state="done")

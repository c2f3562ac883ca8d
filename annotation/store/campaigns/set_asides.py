"""Set votes aside, so that they stay in the store but are not counted, and restore them.

A vote set aside keeps its slot, under a number below 0 and without a decision, so that no count finds it. If its task
may still need it, a free slot replaces it, and the task opens. Rows of `annotations` stay unchanged, so the audit log
still covers every vote. Answers to gold items and attention checks are set aside with the votes and return with them.
Until then they are evidence about the annotator, and no figure includes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple

import sqlalchemy as sa

from ...forms.kinds import AUTHORED_KINDS
from ..database.audit import AUTOMATIC, record
from ..database.records import Campaign, RefusedError
from ..database.schema import (
    adjudications,
    annotations_table,
    annotators,
    set_asides,
    slots,
    tasks,
    votes_set_aside,
)
from .adjudications import OPENED, SEND_BACK
from .closings import withdraw
from .decisions import latest_annotations
from .revision_requests import how_returned

DELETED_ELSEWHERE = "(deleted in Label Studio)"
"""Actor that set votes aside because their annotations were deleted on their server."""
_MAX_WHY = 2_000
_AT_ONCE = 500


class SetAside(NamedTuple):
    """An annotator's votes that were set aside in a campaign.

    Args:
        annotator: Name.
        votes: Votes now set aside, without answers to gold items and attention checks.
        by: Curator who set them aside.
        why: Reason, in the curator's words.
        at: Time at which they were set aside.
        is_in_force: Whether the annotator gets no tasks from the campaign; False if the action was taken back but some
            votes stay set aside because others have decided in their place.
    """

    annotator: str
    votes: int
    by: str
    why: str
    at: datetime
    is_in_force: bool


class TakenBack(NamedTuple):
    """The result of restoring votes.

    Args:
        votes: Votes that count again, without answers to gold items and attention checks, which all count again.
        replaced: Votes that stay set aside, because other annotators have decided in their place.
        held: Votes that stay set aside for now, because another annotator has their task; a later call may restore
            them.
    """

    votes: int
    replaced: int
    held: int


def _check_can_be_set_aside(campaign: Campaign) -> None:
    """Check that the decisions in a campaign are votes of human annotators.

    Raises:
        RefusedError: Simulated annotators decide, or annotators write items or submit pictures.
    """
    if campaign.is_simulated:
        raise RefusedError("votes of simulated annotators cannot be set aside; change the recipe's `simulate`")
    if campaign.kind in AUTHORED_KINDS:
        raise RefusedError(
            f"annotators of a campaign {campaign.kind!r} write or bring records and do not vote: drop unfit records "
            "in a later campaign, such as `screen_items` or `verify`"
        )


def is_set_aside(connection: sa.Connection, campaign_id: int, annotator_id: int) -> bool:
    """Return whether an annotator's votes in a campaign are set aside, which bars them from further tasks in it."""
    return connection.execute(_ACTIVE, {"campaign": campaign_id, "annotator": annotator_id}).first() is not None


def was_taken_back(connection: sa.Connection, campaign: Campaign, annotator: str) -> bool:
    """Return whether a curator restored votes that the campaign's bounds had set aside; the curator's act prevails."""
    query = (
        sa.select(set_asides.c.id)
        .join(annotators, set_asides.c.annotator_id == annotators.c.id)
        .where(
            set_asides.c.campaign_id == campaign.id,
            annotators.c.name == annotator,
            set_asides.c.set_by == AUTOMATIC,
            set_asides.c.taken_back_at.is_not(None),
        )
    )
    return connection.execute(query).first() is not None


def is_paused(connection: sa.Connection, campaign: Campaign, annotator: str) -> bool:
    """Return whether an annotator's votes in a campaign are set aside, which bars them from further tasks in it."""
    query = sa.select(annotators.c.id).where(annotators.c.name == annotator)
    annotator_id = connection.execute(query).scalar_one_or_none()
    return annotator_id is not None and is_set_aside(connection, campaign.id, annotator_id)


_ACTIVE = sa.select(set_asides.c.id).where(
    set_asides.c.campaign_id == sa.bindparam("campaign"),
    set_asides.c.annotator_id == sa.bindparam("annotator"),
    set_asides.c.taken_back_at.is_(None),
)


def set_aside(connection: sa.Connection, campaign: Campaign, name: str, *, by: str, why: str, now: datetime) -> int:
    """Set an annotator's votes in a campaign aside, reopen tasks that then lack votes, and return the number of votes.

    Tasks that an adjudicator has decided, and versions of items revised since, keep their outcome.

    Args:
        connection: Connection in a write transaction with sole use of the store.
        campaign: The campaign.
        name: The annotator.
        by: Curator who sets them aside.
        why: Reason, as a sentence for the log.
        now: Time of the action.

    Raises:
        RefusedError: The campaign has no votes, no annotator has this name, the reason is missing, or the annotator's
            votes are set aside already.
    """
    _check_can_be_set_aside(campaign)
    if not why.strip() or len(why) > _MAX_WHY:
        raise RefusedError(f"say in 1 to {_MAX_WHY} characters why these votes are set aside; the log keeps it")
    annotator_id = _id_of(connection, name)
    if is_set_aside(connection, campaign.id, annotator_id):
        raise RefusedError(f"the votes of {name!r} in {campaign.name!r} are already set aside")
    values = {
        "campaign_id": campaign.id, "annotator_id": annotator_id, "set_at": now, "set_by": by, "why": why.strip()
    }  # fmt: skip
    act = connection.execute(sa.insert(set_asides).values(values)).inserted_primary_key
    assert act is not None
    _free_held(connection, campaign, annotator_id)
    given = _votes_of(connection, campaign, annotator_id)
    votes = sum(row.gold is None for row in given)
    lay_aside(connection, campaign, given, act=act[0])
    if known := [{"task_id": row.task_id, "slot": row.slot} for row in given if row.gold is not None]:
        connection.execute(sa.insert(slots), known)  # if it stops being gold, it has the slots of an ordinary task
    record(
        connection,
        "votes_set_aside",
        actor=by,
        at=now,
        campaign=campaign.name,
        annotator=name,
        votes=votes,
        on_gold=len(given) - votes,
        why=why.strip(),
    )
    return votes


def lay_aside(connection: sa.Connection, campaign: Campaign, given: Sequence[Any], *, act: int) -> None:
    """Exclude votes from all counts in one action, and reopen the tasks in which they may need to be replaced.

    Args:
        connection: Connection in a write transaction with sole use of the store.
        campaign: The campaign.
        given: Slots of the votes: `id`, `slot`, `task_id` and the `state` of the task.
        act: Id of the row of `set_asides`.
    """
    for row in given:
        connection.execute(sa.insert(votes_set_aside).values(slot_id=row.id, set_aside_id=act, slot=row.slot))
        connection.execute(sa.update(slots).where(slots.c.id == row.id).values(slot=-row.id, decision=None))
    _ask_again(connection, campaign, [row for row in given if row.state != "retired"])


def take_back(connection: sa.Connection, campaign: Campaign, name: str, *, by: str, now: datetime) -> TakenBack:
    """Let an annotator's votes count again, except votes that others have replaced or are now replacing.

    Votes deleted on another server (`withdrawn_votes`) count again only if none of the annotator's other votes are set
    aside.

    Args:
        connection: Connection in a write transaction with sole use of the store.
        campaign: The campaign.
        name: The annotator.
        by: Curator who takes them back.
        now: Time of the action.

    Raises:
        RefusedError: None of the annotator's votes are set aside.
    """
    annotator_id = _id_of(connection, name)
    of_theirs = set_asides.c.annotator_id == annotator_id
    rows = connection.execute(votes_aside(campaign.id).where(of_theirs).order_by(slots.c.id)).all()
    is_paused_now = is_set_aside(connection, campaign.id, annotator_id)
    if not rows and not is_paused_now:
        raise RefusedError(f"no votes of {name!r} in {campaign.name!r} are set aside")
    acted = [row for row in rows if row.set_by != DELETED_ELSEWHERE]
    aside = acted if acted or is_paused_now else rows
    counts = {"back": 0, "replaced": 0, "held": 0}
    for row in aside:
        if row.gold is None:
            counts[take_one_back(connection, row, now=now)] += 1
        else:
            _take_gold_back(connection, row)
    done = sa.update(set_asides).where(
        set_asides.c.campaign_id == campaign.id,
        set_asides.c.annotator_id == annotator_id,
        set_asides.c.taken_back_at.is_(None),
    )
    connection.execute(done.values(taken_back_at=now, taken_back_by=by))
    taken = TakenBack(counts["back"], counts["replaced"], counts["held"])
    record(
        connection,
        "votes_taken_back",
        actor=by,
        at=now,
        campaign=campaign.name,
        annotator=name,
        votes=taken.votes,
        replaced=taken.replaced,
        held=taken.held,
    )
    return taken


def votes_aside(campaign_id: int) -> sa.Select[Any]:
    """Return a query for a campaign's set-aside votes: slot, action, task with state and gold decision, and curator."""
    return (
        sa.select(votes_set_aside, slots.c.task_id, tasks.c.state, tasks.c.gold, set_asides.c.set_by)
        .join(set_asides, votes_set_aside.c.set_aside_id == set_asides.c.id)
        .join(slots, votes_set_aside.c.slot_id == slots.c.id)
        .join(tasks, slots.c.task_id == tasks.c.id)
        .where(set_asides.c.campaign_id == campaign_id)
    )


def list_set_aside(connection: sa.Connection, campaign: Campaign) -> list[SetAside]:
    """Return annotators with votes set aside in a campaign, by name; votes deleted elsewhere have separate rows."""
    # Written into the statement: PostgreSQL treats two parameters as two expressions, and groups by neither.
    is_deleted = set_asides.c.set_by == sa.literal(DELETED_ELSEWHERE, literal_execute=True)
    votes = (
        sa.select(set_asides.c.annotator_id, is_deleted.label("is_deleted"), sa.func.count().label("votes"))
        .join(votes_set_aside, votes_set_aside.c.set_aside_id == set_asides.c.id)
        .join(slots, votes_set_aside.c.slot_id == slots.c.id)
        .join(tasks, slots.c.task_id == tasks.c.id)
        .where(set_asides.c.campaign_id == campaign.id, tasks.c.gold.is_(None))
        .group_by(set_asides.c.annotator_id, is_deleted)
        .subquery()
    )
    of_act = (votes.c.annotator_id == set_asides.c.annotator_id) & (votes.c.is_deleted == is_deleted)
    query = (
        sa.select(set_asides, annotators.c.name, sa.func.coalesce(votes.c.votes, 0).label("votes"))
        .join(annotators, set_asides.c.annotator_id == annotators.c.id)
        .outerjoin(votes, of_act)
        .where(set_asides.c.campaign_id == campaign.id)
        .order_by(annotators.c.name, set_asides.c.id)
    )
    newest = {(row.name, row.set_by == DELETED_ELSEWHERE): row for row in connection.execute(query)}
    return [
        SetAside(name, row.votes, row.set_by, row.why, row.set_at, row.taken_back_at is None)
        for (name, _), row in newest.items()
        if row.votes or row.taken_back_at is None
    ]


def count_set_aside(connection: sa.Connection, campaign: Campaign) -> int:
    """Return the number of votes set aside in a campaign."""
    return sum(listed.votes for listed in list_set_aside(connection, campaign))


def _id_of(connection: sa.Connection, name: str) -> int:
    row = connection.execute(sa.select(annotators.c.id).where(annotators.c.name == name)).scalar_one_or_none()
    if row is None:
        raise RefusedError(f"there is no annotator {name!r} in this review store")
    return int(row)


def _votes_of(connection: sa.Connection, campaign: Campaign, annotator_id: int) -> Sequence[Any]:
    """Return slot, number, task, state and gold decision of each vote that counts or counted in an earlier round."""
    query = (
        sa.select(slots.c.id, slots.c.slot, slots.c.task_id, tasks.c.state, tasks.c.gold)
        .join(tasks, slots.c.task_id == tasks.c.id)
        .where(
            tasks.c.campaign_id == campaign.id,
            slots.c.annotator_id == annotator_id,
            slots.c.decision.is_not(None),
        )
        .order_by(slots.c.id)
    )
    return connection.execute(query).all()


def _free_held(connection: sa.Connection, campaign: Campaign, annotator_id: int) -> None:
    """Give back the tasks that an annotator holds, but keep the drafts."""
    of_campaign = slots.c.task_id.in_(sa.select(tasks.c.id).where(tasks.c.campaign_id == campaign.id))
    held = (slots.c.annotator_id == annotator_id) & slots.c.submitted_at.is_(None) & of_campaign
    connection.execute(sa.update(slots).where(held).values(annotator_id=None, claimed_at=None, lease_until=None))


def _ask_again(connection: sa.Connection, campaign: Campaign, given: Sequence[Any]) -> None:
    """Add a free slot in place of each vote that its task may still need, and open these tasks.

    A task needs no such slot if an adjudicator has decided it or its item is with its writer, nor for a vote from
    before it was sent back.
    """
    for start in range(0, len(given), _AT_ONCE):
        some = {row.task_id: row for row in given[start : start + _AT_ONCE]}
        final = sa.select(tasks.c.id).where(tasks.c.id.in_(some), how_returned(campaign).is_not(None))
        settled = set(connection.execute(final).scalars()) if campaign.form.to_writer else set()
        first = dict.fromkeys(some, 0)
        rulings = sa.select(adjudications.c.task_id, adjudications.c.decision)
        rulings = rulings.where(adjudications.c.task_id.in_(some), adjudications.c.decision != OPENED)
        for task_id, decision in connection.execute(rulings.order_by(adjudications.c.id)):
            if decision == SEND_BACK:
                first[task_id] += campaign.slots_per_task
            else:
                settled.add(task_id)
        asked = [row for row in some.values() if row.task_id not in settled and row.slot > first[row.task_id]]
        if not asked:
            continue
        ids = [row.task_id for row in asked]
        connection.execute(sa.insert(slots), [{"task_id": row.task_id, "slot": row.slot} for row in asked])
        withdraw(connection, ids)
        values = {"state": "open", "regions_agree": None, "regions_compared": None}
        connection.execute(sa.update(tasks).where(tasks.c.id.in_(ids)).values(values))


def take_one_back(connection: sa.Connection, row: Any, *, now: datetime) -> Literal["back", "replaced", "held"]:
    """Let one vote from `votes_aside` count again and return `back`; otherwise, return `replaced` or `held`."""
    place = connection.execute(
        sa.select(slots).where(slots.c.task_id == row.task_id, slots.c.slot == row.slot)
    ).one_or_none()
    if place is not None and place.submitted_at is not None:
        return "replaced"
    if place is not None and place.annotator_id is not None and place.lease_until > now:
        return "held"
    if place is not None:
        connection.execute(sa.delete(slots).where(slots.c.id == place.id))
    _count_again(connection, row, row.slot)
    lacks = sa.exists().where(slots.c.task_id == tasks.c.id, slots.c.submitted_at.is_(None))
    complete = (tasks.c.id == row.task_id) & (tasks.c.state == "open") & ~lacks
    connection.execute(sa.update(tasks).where(complete).values(state="done"))
    stale = (tasks.c.id == row.task_id) & tasks.c.regions_compared.is_not(None)
    connection.execute(sa.update(tasks).where(stale).values(regions_agree=None, regions_compared=None))
    return "back"


def _take_gold_back(connection: sa.Connection, row: Any) -> None:
    """Let an answer to a gold item count again, in its own slot or in an additional slot."""
    others = (slots.c.task_id == row.task_id) & (slots.c.id != row.slot_id)
    is_free = others & (slots.c.slot == row.slot) & slots.c.annotator_id.is_(None)
    connection.execute(sa.delete(slots).where(is_free))
    taken = set(connection.execute(sa.select(slots.c.slot).where(others)).scalars())
    _count_again(connection, row, max(taken) + 1 if row.slot in taken else row.slot)


def _count_again(connection: sa.Connection, row: Any, number: int) -> None:
    newest = latest_annotations(also_set_aside=True).where(annotations_table.c.slot_id == row.slot_id)
    decision = connection.execute(newest.with_only_columns(annotations_table.c.decision)).scalar_one()
    connection.execute(sa.delete(votes_set_aside).where(votes_set_aside.c.slot_id == row.slot_id))
    connection.execute(sa.update(slots).where(slots.c.id == row.slot_id).values(slot=number, decision=decision))

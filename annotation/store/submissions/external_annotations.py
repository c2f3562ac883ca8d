"""Import decisions from other programs, such as Label Studio.

Answers given before the key was shown are also imported, and their annotators' slots then wait for the votes. The app
shows the key to each annotator as soon as their own answer is stored. A server whose users can all read everything may
show it only when the answers of all are stored; until then the slots are reserved for those who answered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

import sqlalchemy as sa

from ...forms.submission import Submission
from ..assignment import statements as sql
from ..assignment.assignment import claim_task, return_expired
from ..campaigns.tasks import find_campaign, upsert_annotator
from ..campaigns.withdrawn_votes import Vote, bring_back
from ..database.records import Campaign, RefusedError
from ..database.schema import annotators, blind_answers, slots, tasks
from .pre_key_answers import answer_blind, blind_answer
from .submissions import submit

HELD_FOR = timedelta(days=30)
"""Time for which a slot is reserved for votes after its answer was last seen on the server."""


class ExternalAnswer(NamedTuple):
    """An annotator's answer from another program, given without seeing the key.

    Attributes:
        task_id: Id of the task in the store.
        annotator: Name; the annotator is registered if needed.
        answer: Key of a choice.
        started_at: Time at which the annotator began, if known.
        answered_at: Time of the answer.
    """

    task_id: int
    annotator: str
    answer: str
    started_at: datetime
    answered_at: datetime


def take_in_answer(
    connection: sa.Connection, campaign_name: str, external: ExternalAnswer, *, is_shown: bool, now: datetime
) -> Literal["new", "unchanged"]:
    """Import an answer, and reserve its slot until the votes arrive.

    Args:
        connection: Connection in a write transaction.
        campaign_name: Name of the campaign, which is that of its step in the recipe.
        external: The answer and its annotator.
        is_shown: Whether the key is visible elsewhere by now, so that new answers are no longer blind.
        now: Time of the call; leases that ended by then are free.

    Raises:
        RefusedError: No slot is free for the answer, it differs from the annotator's first answer, or the key was shown
            before.
    """
    campaign = find_campaign(connection, campaign_name)
    task_id, annotator, answer = external.task_id, external.annotator, external.answer
    upsert_annotator(connection, annotator, kind="person")
    return_expired(connection, now=now)
    previous = blind_answer(connection, task_id, annotator)
    if previous is not None:
        if previous != answer:
            raise RefusedError(f"{annotator!r} answered {previous} first; an answer given before the key is final")
        if _is_waited_for(connection, campaign, external):
            claim_task(connection, campaign, annotator, task_id, now=now, lease_s=HELD_FOR.total_seconds())
        return "unchanged"
    if is_shown:
        raise RefusedError("the key of this item was shown on the server before this answer was pulled")
    lease_s = (now + HELD_FOR - external.started_at).total_seconds()
    lease = claim_task(connection, campaign, annotator, task_id, now=external.started_at, lease_s=lease_s)
    answer_blind(connection, lease.slot_id, annotator, answer, now=external.answered_at)
    return "new"


def answered_by_all(connection: sa.Connection, campaign: Campaign) -> Mapping[int, Sequence[str]]:
    """Return the open tasks all of whose slots are held by annotators who have answered, with the sorted names."""
    query = (
        sa.select(slots.c.task_id, annotators.c.name, blind_answers.c.id)
        .join(tasks, slots.c.task_id == tasks.c.id)
        .outerjoin(annotators, slots.c.annotator_id == annotators.c.id)
        .outerjoin(
            blind_answers,
            (blind_answers.c.task_id == slots.c.task_id) & (blind_answers.c.annotator_id == slots.c.annotator_id),
        )
        .where(tasks.c.campaign_id == campaign.id, tasks.c.state == "open")
        .order_by(slots.c.task_id, annotators.c.name)
    )
    names_by_task: dict[int, list[str]] = {}
    waiting: set[int] = set()
    for row in connection.execute(query):
        if row.id is None:
            waiting.add(row.task_id)
        else:
            names_by_task.setdefault(row.task_id, []).append(row.name)
    return {task: names for task, names in names_by_task.items() if task not in waiting}


def seconds_before_key(connection: sa.Connection, task_id: int, annotator: str) -> float:
    """Return how many seconds an annotator spent on the answer given before the key was shown.

    Raises:
        RefusedError: The annotator gave no such answer, or has no slot of the task.
    """
    query = (
        sa.select(slots.c.claimed_at, blind_answers.c.answered_at)
        .join(annotators, slots.c.annotator_id == annotators.c.id)
        .join(
            blind_answers,
            (blind_answers.c.task_id == slots.c.task_id) & (blind_answers.c.annotator_id == slots.c.annotator_id),
        )
        .where(slots.c.task_id == task_id, annotators.c.name == annotator)
    )
    row = connection.execute(query).one_or_none()
    if row is None:
        raise RefusedError(f"{annotator!r} has not answered this item without its key, and so has no vote on it")
    seconds: float = (row.answered_at - row.claimed_at).total_seconds()
    return max(0.0, seconds)


def _is_waited_for(connection: sa.Connection, campaign: Campaign, external: ExternalAnswer) -> bool:
    """Return whether a task still awaits the votes of the annotator who answered."""
    query = sa.select(tasks.c.id).where(
        tasks.c.id == external.task_id, tasks.c.campaign_id == campaign.id, tasks.c.state == "open"
    )
    voted = (
        sa.select(slots.c.id)
        .join(annotators, slots.c.annotator_id == annotators.c.id)
        .where(
            slots.c.task_id == external.task_id,
            annotators.c.name == external.annotator,
            slots.c.submitted_at.is_not(None),
        )
    )
    return connection.execute(query).first() is not None and connection.execute(voted).first() is None


Taken = Literal["new", "changed", "unchanged", "returned"]
"""Outcome of an import; `returned` means that a decision deleted elsewhere has come back and counts again."""


class ExternalAnnotation(NamedTuple):
    """An annotator's decision from another program.

    Attributes:
        task_id: Id of the task in the store.
        annotator: Name; the annotator is registered if needed.
        submission: The decision. If it states no time spent, the time between `started_at` and `submitted_at` is used.
        started_at: Time at which the annotator began, if known.
        submitted_at: Time of the submission.
    """

    task_id: int
    annotator: str
    submission: Submission
    started_at: datetime
    submitted_at: datetime


def take_in(connection: sa.Connection, campaign_name: str, annotation: ExternalAnnotation, *, now: datetime) -> Taken:
    """Import a decision; if it differs from the annotator's earlier decision, it becomes the newest version.

    Args:
        connection: Connection in a write transaction.
        campaign_name: Name of the campaign, which is that of its step in the recipe.
        annotation: The decision and its annotator.
        now: Time of the call; leases that ended by then are free.

    Raises:
        RefusedError: The decision has no slot, does not fit the form, or had been deleted elsewhere and another
            annotator has decided in its place or holds its task.
    """
    campaign = find_campaign(connection, campaign_name)
    task_id, annotator = annotation.task_id, annotation.annotator
    upsert_annotator(connection, annotator, kind="person")
    return_expired(connection, now=now)
    own_slot = (
        sa.select(slots.c.id)
        .join(annotators, slots.c.annotator_id == annotators.c.id)
        .where(slots.c.task_id == task_id, annotators.c.name == annotator, slots.c.submitted_at.is_not(None))
    )
    slot = connection.execute(own_slot).scalar_one_or_none()
    is_back = slot is not None and bring_back(connection, campaign, Vote(task_id, annotator), now=now)
    previous = None if slot is None else connection.execute(sql.LATEST_ANNOTATION, {"held": slot}).one()
    if slot is None:
        lease_s = (annotation.submitted_at - annotation.started_at + timedelta(seconds=1)).total_seconds()
        started = annotation.started_at
        slot = claim_task(connection, campaign, annotator, task_id, now=started, lease_s=lease_s, on_gold=True).slot_id
    submit(connection, slot, annotator, annotation.submission, now=annotation.submitted_at, amend=True)
    if previous is None:
        return "new"
    if is_back:
        return "returned"
    return (
        "unchanged"
        if connection.execute(sql.LATEST_ANNOTATION, {"held": slot}).one().version == previous.version
        else "changed"
    )

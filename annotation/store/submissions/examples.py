"""Decided items that a campaign's guidelines show as examples; a curator chooses each one and adds a sentence.

Annotators never see an example on which they still have to decide, in this campaign or another. An annotator who sees
one in a campaign that shows keys is regarded as having seen that key, and does not answer the item blind.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from benchwright.errors import BenchwrightError

from ...forms.fields.texts import can_be_kept
from ...forms.kinds import shows_key
from ..assignment.assignment import note_seen
from ..database.audit import record
from ..database.records import Campaign
from ..database.schema import annotators, campaigns, guideline_examples, seen, slots, tasks
from ..database.store_connection import StoreConnection

MAX_WORDS = 500
_MOST_EXAMPLES = 20
"""Maximum number of examples shown at a time in one campaign."""


class FieldExample(NamedTuple):
    """One example.

    Args:
        id: Id of the row.
        task_id: Id of the task.
        is_accepted: Whether it shows an accepted item; otherwise a rejected one.
        words: Reason, in the curator's words.
        payload: Content of the task, as JSON values.
    """

    id: int
    task_id: int
    is_accepted: bool
    words: str
    payload: Mapping[str, Any]


_other, _held = tasks.alias("other"), slots.alias("held")
_may_still_come = (_other.c.state == "open") | _other.c.gold.is_not(None)
_has_still_to_decide = (
    sa.exists()
    .where(
        _other.c.item_id == tasks.c.item_id,
        _may_still_come,
        campaigns.c.id == _other.c.campaign_id,
        ~campaigns.c.is_archived,
        ~campaigns.c.is_simulated,
        ~sa.exists().where(
            _held.c.task_id == _other.c.id,
            _held.c.annotator_id == annotators.c.id,
            _held.c.submitted_at.is_not(None),
        ),
    )
    .correlate(tasks, annotators)
)
"""Whether an annotator may still have to decide on an example's item, in any campaign with human annotators."""
_IN_FORCE = (
    sa.select(guideline_examples, tasks.c.payload)
    .join(tasks, guideline_examples.c.task_id == tasks.c.id)
    .where(guideline_examples.c.withdrawn_at.is_(None))
    .order_by(guideline_examples.c.id)
)


class Examples:
    """The examples in a review store."""

    def __init__(self, store: StoreConnection) -> None:
        self._store = store

    def add(self, task_id: int, words: str, *, is_accepted: bool, by: str, now: datetime) -> None:
        """Show a decided task in the guidelines of its campaign; the log names the curator.

        Raises:
            BenchwrightError: The task is undecided, gold, or an example already; the sentence is empty or too long; or
                the campaign shows the maximum number.
        """
        text = words.strip()
        if not text or len(text) > MAX_WORDS or not can_be_kept(text):
            raise BenchwrightError(f"give a reason in a sentence of up to {MAX_WORDS} characters")
        with self._store.writing(alone=True) as connection:
            query = sa.select(tasks.c.state, tasks.c.gold, tasks.c.campaign_id, campaigns.c.name).join(campaigns)
            row = connection.execute(query.where(tasks.c.id == task_id)).one_or_none()
            if row is None or row.state != "done" or row.gold is not None:
                raise BenchwrightError("only an item that is decided, and is not gold, can be an example")
            known = _IN_FORCE.where(tasks.c.campaign_id == row.campaign_id)
            in_force = connection.execute(known).all()
            if any(example.task_id == task_id for example in in_force):
                raise BenchwrightError("it is already an example")
            if len(in_force) >= _MOST_EXAMPLES:
                raise BenchwrightError(f"guidelines show at most {_MOST_EXAMPLES} examples; remove one first")
            values = {"task_id": task_id, "is_accepted": is_accepted, "words": text, "made_by": by, "made_at": now}
            connection.execute(sa.insert(guideline_examples).values(values))
            about = {"campaign": row.name, "task": task_id, "is_accepted": is_accepted, "words": text}
            record(connection, "example_shown", actor=by, at=now, **about)

    def withdraw(self, example_id: int, *, by: str, now: datetime) -> None:
        """Stop showing an example; do nothing if the example is not shown."""
        is_shown = (guideline_examples.c.id == example_id) & guideline_examples.c.withdrawn_at.is_(None)
        with self._store.writing() as connection:
            values = {"withdrawn_at": now, "withdrawn_by": by}
            if connection.execute(sa.update(guideline_examples).where(is_shown).values(values)).rowcount:
                record(connection, "example_withdrawn", actor=by, at=now, example=example_id)

    def of_tasks(self, task_ids: Sequence[int]) -> dict[int, FieldExample]:
        """Return, by task, the examples in force for these tasks."""
        with self._store.reading() as connection:
            rows = connection.execute(_IN_FORCE.where(tasks.c.id.in_(task_ids))).all()
        return {row.task_id: _example(row) for row in rows}

    def shown_to(self, campaign: Campaign, annotator: str) -> list[FieldExample]:
        """Return the examples of a campaign that an annotator may see, and record it if they show the annotator a key.

        Args:
            campaign: Campaign.
            annotator: Name of the reader of the guidelines.
        """
        query = _for(annotator).where(tasks.c.campaign_id == campaign.id)
        with self._store.reading() as connection:
            rows = connection.execute(query).all()
        if shows_key(campaign.kind) and (unseen := [row for row in rows if not row.is_seen]):
            with self._store.writing() as connection:
                for row in unseen:
                    note_seen(connection, row.task_id, row.annotator_id)
        return [_example(row) for row in rows]

    def one_for(self, example_id: int, annotator: str) -> FieldExample | None:
        """Return an example that an annotator may see, or None if the annotator may not see any."""
        with self._store.reading() as connection:
            row = connection.execute(_for(annotator).where(guideline_examples.c.id == example_id)).one_or_none()
        return None if row is None else _example(row)


def _for(annotator: str) -> sa.Select[Any]:
    """Return the query for the examples that an annotator may see, in any campaign."""
    is_seen = sa.or_(
        sa.exists().where(seen.c.task_id == tasks.c.id, seen.c.annotator_id == annotators.c.id),
        sa.exists().where(_held.c.task_id == tasks.c.id, _held.c.annotator_id == annotators.c.id),
    )
    return (
        _IN_FORCE.add_columns(annotators.c.id.label("annotator_id"), is_seen.label("is_seen"))
        .join(annotators, annotators.c.name == annotator)
        .where(~_has_still_to_decide)
    )


def _example(row: sa.Row[Any]) -> FieldExample:
    return FieldExample(row.id, row.task_id, row.is_accepted, row.words, json.loads(row.payload))

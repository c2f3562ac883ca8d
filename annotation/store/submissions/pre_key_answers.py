"""Answers that annotators give before seeing the key; they are stored before the key is shown, and never change."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ...forms.campaign_form import CampaignForm, read_campaign_form
from ...forms.fields.form import Form
from ...forms.payloads import item_in
from ..assignment import statements as sql
from ..database.audit import record
from ..database.locks import hold_annotator, hold_task_of_slot
from ..database.records import RefusedError
from ..database.schema import annotators, blind_answers

ANSWER, ANSWER_RIGHT = "answer", "answer_right"
"""Fields of a form with `blind_first`, both filled by the store: the answer, and `yes` or `no` for its rightness."""

_ANSWERED = (
    sa.select(blind_answers.c.answer)
    .join(annotators, blind_answers.c.annotator_id == annotators.c.id)
    .where(blind_answers.c.task_id == sa.bindparam("task"), annotators.c.name == sa.bindparam("name"))
)


def answer_blind(connection: sa.Connection, slot_id: int, annotator: str, answer: str, *, now: datetime) -> bool:
    """Store an annotator's answer given before seeing the key; return whether it is new. A repeat changes nothing.

    Raises:
        RefusedError: The slot is not theirs, the campaign asks for no such answer, the item has no such choice, or they
            gave a different answer before.
    """
    hold_annotator(connection, annotator)
    hold_task_of_slot(connection, slot_id)
    slot = connection.execute(sql.HELD, {"held": slot_id}).one_or_none()
    if slot is None or slot.name != annotator or (slot.submitted_at is None and slot.lease_until <= now):
        raise RefusedError(f"{annotator!r} does not hold slot {slot_id}: the lease has ended; claim again")
    if not read_campaign_form(slot.form).blind_first:
        raise RefusedError("this campaign asks for no answer before the key is shown")
    letters = [choice["key"] for choice in item_in(json.loads(slot.payload))["choices"]]
    if answer not in letters:
        raise RefusedError(f"answer {answer[:20]!r} is not one of {', '.join(letters)}")
    previous = blind_answer(connection, slot.task_id, annotator)
    if previous is not None:
        if previous != answer:
            raise RefusedError(f"{annotator!r} answered {previous} before the key was shown; that answer stays")
        return False
    if (slot.state == "retired" and slot.gold is None) or slot.is_archived:
        raise RefusedError("the item has changed since it was handed out; claim again")
    values = {"task_id": slot.task_id, "annotator_id": slot.annotator_id, "answer": answer, "answered_at": now}
    connection.execute(sa.insert(blind_answers).values(values))
    if not slot.is_simulated:
        record(connection, "answered_blind", actor=annotator, at=now, task=slot.task_id, slot=slot_id, answer=answer)
    return True


def blind_answer(connection: sa.Connection, task_id: int, annotator: str) -> str | None:
    """Return the answer that an annotator gave to a task before seeing its key; None if there is no such answer."""
    return connection.execute(_ANSWERED, {"task": task_id, "name": annotator}).scalar_one_or_none()


def with_blind_answer(
    connection: sa.Connection, form: CampaignForm, slot: sa.Row[Any], fields: Mapping[str, Any] | None
) -> Mapping[str, Any] | None:
    """Return values by field, in which any answer is replaced with the stored answer.

    Raises:
        RefusedError: The campaign asks for an answer first, and none is stored.
    """
    if not form.blind_first:
        return fields
    answer = blind_answer(connection, slot.task_id, slot.name)
    if answer is None:
        raise RefusedError("answer first: the key is shown, and votes are taken, once the answer is stored")
    return {**(fields or {}), ANSWER: answer}


def voted_on(form: CampaignForm) -> Form:
    """Return the part of a form that is filled in once the key is shown."""
    typed = form.typed
    assert typed is not None, "forms that ask for an answer first have fields"
    return Form(fields=tuple(field for field in typed.fields if field.name != ANSWER))


def is_right(item: Mapping[str, Any], answer: str) -> str:
    """Return `yes` if an answer equals the key of an item, given as JSON values, or else `no`."""
    key = item["answer"] if item.get("answer") is not None else item.get("refusal")
    return "yes" if answer == key else "no"

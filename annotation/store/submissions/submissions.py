"""Check and write annotators' decisions while the row of the task is locked (`locks`)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from math import isfinite
from typing import Any, NamedTuple

import sqlalchemy as sa

from benchwright.canonical import canonical_json

from ...forms.assignment_settings import assignment_settings_of
from ...forms.campaign_form import CampaignForm, read_campaign_form
from ...forms.fields.texts import can_be_kept
from ...forms.payloads import item_in
from ...forms.submission import Submission
from ..assignment import statements as sql
from ..assignment.eligibility import key_shown_problem, kinds_with_key
from ..campaigns.adjudications import has_opened
from ..campaigns.authors import has_writer
from ..campaigns.other_pictures import check_pictures
from ..database.audit import CHANGED, DECIDED, digest_of_decision, record
from ..database.locks import hold_annotator, hold_task_of_slot
from ..database.records import RefusedError, StaleError
from ..database.schema import slots
from .form_checks import decisions_of, is_sent_back, normalized
from .photo_uploads import check_uploads, photographs_in
from .pre_key_answers import ANSWER, ANSWER_RIGHT, is_right, with_blind_answer

MAX_NOTE = 10_000


class WrittenSubmission(NamedTuple):
    """Result of a submission.

    Attributes:
        task_id: Id of the task.
        may_settle: Whether the submission may settle its task, because it was the last missing one or changed an
            earlier one.
    """

    task_id: int
    may_settle: bool


def submit(
    connection: sa.Connection,
    slot_id: int,
    annotator: str,
    submission: Submission,
    *,
    now: datetime,
    amend: bool = False,
    seen_version: int | None = None,
) -> WrittenSubmission:
    """Check and write an annotator's decision on a slot that they hold; submitting it a second time has no effect.

    Args:
        connection: Connection in a write transaction.
        slot_id: Slot of the annotator's lease.
        annotator: Name of its holder.
        submission: Decision, with its fields, reasons and edits. Its time spent is limited to the time since the task's
            assignment, or since the previous version.
        now: Time of the decision.
        amend: Whether it replaces an earlier decision of this annotator on this slot, as a new version after the old
            one; default False.
        seen_version: Version of their decision that the annotator had on screen, or 0 if there was none; default None,
            unknown.

    Raises:
        StaleError: The annotator has decided otherwise since the version they had on screen.
        RefusedError: The lease has ended or is another annotator's, the item changed in the meantime, an earlier
            decision differs, the form lacks the decision or a reason, the annotator saw the key elsewhere, or a
            submitted photograph was not uploaded.
    """
    hold_annotator(connection, annotator)
    hold_task_of_slot(connection, slot_id)
    slot = connection.execute(sql.HELD, {"held": slot_id}).one_or_none()
    if slot is None or slot.name != annotator or (slot.submitted_at is None and slot.lease_until <= now):
        raise RefusedError(f"{annotator!r} does not hold slot {slot_id}: the lease has ended; claim again")
    columns = _checked(connection, slot, submission, now=now, amend=amend, seen_version=seen_version)
    connection.execute(sql.DROP_DRAFT, {"task": slot.task_id, "annotator": slot.annotator_id})
    if columns is None:
        return WrittenSubmission(slot.task_id, may_settle=False)
    return _written(connection, slot, columns)


def _checked(
    connection: sa.Connection,
    slot: sa.Row[Any],
    submission: Submission,
    *,
    now: datetime,
    amend: bool,
    seen_version: int | None,
) -> dict[str, Any] | None:
    """Return the version to write, by column; None if the submission repeats the annotator's latest version."""
    form, payload = read_campaign_form(slot.form), json.loads(slot.payload)
    fields = with_blind_answer(connection, form, slot, submission.fields)
    submission = normalized(form, payload, replace(submission, fields=fields))
    if form.blind_first and submission.fields is not None:
        is_right_answer = is_right(item_in(payload), submission.fields[ANSWER])
        submission = replace(submission, fields={**submission.fields, ANSWER_RIGHT: is_right_answer})
    columns: dict[str, Any] = {
        "decision": submission.decision,
        "reasons": canonical_json(submission.reasons),
        "note": submission.note,
        "edits": None if submission.edits is None else canonical_json(submission.edits),
        "fields": None if submission.fields is None else canonical_json(submission.fields),
    }
    version, since = 1, slot.claimed_at
    if slot.submitted_at is not None:
        previous = connection.execute(sql.LATEST_ANNOTATION, {"held": slot.id}).one()
        if all(getattr(previous, column) == value for column, value in columns.items()):
            return None
        if seen_version is not None and previous.version != seen_version:
            raise StaleError(
                "you have since decided this in another window, and that decision stands; what you wrote here "
                "is kept: look at both, and decide again if you like"
            )
        if slot.gold is not None and assignment_settings_of(json.loads(slot.settings)).gold_feedback:
            raise RefusedError("this was a gold item, and you have seen the right decision; your first decision stands")
        if not amend:
            raise RefusedError(f"{slot.name!r} already decided {previous.decision!r} here; amend it, or leave it")
        if has_opened(connection, slot.task_id, slot.name) and _others_decided(connection, slot):
            raise RefusedError("you have seen the others' decisions on this item, so your decision stands")
        version, since = previous.version + 1, previous.submitted_at
    if (slot.state == "retired" and slot.gold is None) or slot.is_archived:
        raise RefusedError("the item has changed since it was handed out; claim again")
    if form.typed is None:
        _check_decision(form, decisions_of(form, payload), submission)
    elif submission.reasons or submission.note:
        raise RefusedError("this form has its own fields; it takes no separate reasons or note")
    if is_sent_back(submission) and not has_writer(connection, payload):
        raise RefusedError("this item has no writer to whom it could go back; edit or reject it, or vote no")
    _check_key_unseen(connection, slot)
    if submission.fields is not None:
        photographs = photographs_in(form, submission.fields)
        check_uploads(connection, photographs, task_id=slot.task_id, annotator_id=slot.annotator_id)
        check_pictures(connection, form, submission.fields, task_id=slot.task_id)
    return columns | {
        "slot_id": slot.id,
        "version": version,
        "started_at": slot.claimed_at,
        "submitted_at": now,
        "active_s": within(submission.active_s, (now - since).total_seconds()),
    }


def _others_decided(connection: sa.Connection, slot: sa.Row[Any]) -> bool:
    """Return whether anyone else has decided the slot's task; a curator who works alone may change a decision."""
    others = sa.exists().where(
        slots.c.task_id == slot.task_id, slots.c.annotator_id != slot.annotator_id, slots.c.submitted_at.is_not(None)
    )
    return bool(connection.execute(sa.select(others)).scalar_one())


def _check_key_unseen(connection: sa.Connection, slot: sa.Row[Any]) -> None:
    parameters = {
        "task": slot.task_id,
        "annotator": slot.annotator_id,
        "campaign": slot.campaign_id,
        "shows_key": kinds_with_key(slot.campaign_kind, is_simulated=slot.is_simulated),
    }
    if problem := key_shown_problem(connection, parameters):
        raise RefusedError(problem)


def _written(connection: sa.Connection, slot: sa.Row[Any], columns: Mapping[str, Any]) -> WrittenSubmission:
    """Write a version and its consequences: the slot, the task, the guidelines followed, and the row in the log."""
    version, now = columns["version"], columns["submitted_at"]
    connection.execute(sql.FILL, {"now": now, "held": slot.id, "annotator": slot.annotator_id})
    connection.execute(sql.INSERT_ANNOTATION, columns)
    is_done = connection.execute(sql.FINISH, {"task": slot.task_id}).rowcount == 1
    if slot.guidelines_id is not None:
        followed = {"slot_id": slot.id, "version": version, "guidelines_id": slot.guidelines_id}
        connection.execute(sql.FOLLOW, followed)
    if not slot.is_simulated:
        record(
            connection,
            DECIDED if version == 1 else CHANGED,
            actor=slot.name,
            at=now,
            task=slot.task_id,
            slot=slot.id,
            version=version,
            said=digest_of_decision(columns, task=slot.task_id, annotator=slot.name),
        )
    return WrittenSubmission(slot.task_id, may_settle=is_done or version > 1)


def within(active_s: float | None, elapsed_s: float) -> float | None:
    """Return the seconds that a browser counted, limited to the seconds that passed here; None if it counted none."""
    if active_s is None or not isfinite(active_s):
        return None
    return min(max(float(active_s), 0.0), max(elapsed_s, 0.0))


def _check_decision(form: CampaignForm, decisions: Sequence[str], submission: Submission) -> None:
    """Check a submission to a campaign without a typed form; a single message lists all mistakes."""
    decision, note, is_edited = submission.decision, submission.note, submission.edits is not None
    mistakes = []
    if decision not in decisions:
        mistakes.append(f"decision {decision[:60]!r} is not one of {', '.join(decisions)}")
    elif is_edited and decision != "revise":
        mistakes.append(f"decision {decision!r} comes with edits; only `revise` does")
    elif decision in form.needs_note and not (note or "").strip() and not is_edited:
        mistakes.append(f"decision {decision!r} needs a note that says what to change, or edits")
    known_reasons = form.reasons
    if unknown := sorted(set(submission.reasons) - set(known_reasons)):
        words = ", ".join(known_reasons) or "those of this form, which has none"
        mistakes += [f"reason {reason[:60]!r} is not one of {words}" for reason in unknown]
    if note is not None and (len(note) > MAX_NOTE or not can_be_kept(note)):
        mistakes.append(
            f"a note can have at most {MAX_NOTE} characters, and no null or incomplete ones; this one has {len(note)}"
        )
    if mistakes:
        raise RefusedError("; ".join(mistakes))

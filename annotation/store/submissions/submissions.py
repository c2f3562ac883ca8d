"""Check and write annotators' decisions.

A submission is checked without delaying other writers (`check`), and then written in a transaction that holds the write
lock (`write`), if its slot, its task and its campaign's form are still those that it was checked against.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import isfinite
from typing import Any, NamedTuple

import sqlalchemy as sa

from benchwright.canonical import canonical_json

from ...forms.campaign_form import CampaignForm, read_campaign_form
from ...forms.form import can_be_kept
from ...forms.payloads import item_in
from ...forms.submission import Submission
from ..assignment import statements as sql
from ..assignment.eligibility import key_shown_problem, kinds_with_key
from ..database.audit import CHANGED, DECIDED, AuditEntry, digest_of_decision, run_recorded
from ..database.pipelining import Step, run_together
from ..database.records import ChangedError, RefusedError, StaleError
from .form_checks import decisions_of, normalized
from .photo_uploads import SubmittedPhotograph, check_uploads, photographs_in
from .pre_key_answers import ANSWER, ANSWER_RIGHT, is_right, with_blind_answer

MAX_NOTE = 10_000


@dataclass(frozen=True)
class CheckedSubmission:
    """A submission that was checked and is still to be written.

    Attributes:
        slot: The slot with its task and campaign, as they were read.
        columns: Values of the version to be written, by column; None if it repeats the annotator's last version.
        photographs: Photographs in the submission.
    """

    slot: sa.Row[Any]
    columns: Mapping[str, Any] | None
    photographs: Sequence[SubmittedPhotograph] = ()


def check(
    connection: sa.Connection,
    slot_id: int,
    annotator: str,
    submission: Submission,
    *,
    now: datetime,
    amend: bool = False,
    seen_version: int | None = None,
) -> CheckedSubmission:
    """Check an annotator's decision on a slot that they hold. Nothing is written.

    Args:
        connection: Connection in a read transaction.
        slot_id: Slot of the annotator's lease.
        annotator: Name of whoever holds it.
        submission: Decision, with all that goes with it. Its time spent is limited to the time since the task was
            handed out, or since the version before.
        now: Moment of the decision.
        amend: Whether it replaces an earlier decision of this annotator on this slot, as a new version beside the old
            one; default False.
        seen_version: Version of their decision that the annotator had on screen, 0 for none; default None, unknown.

    Raises:
        StaleError: The annotator has decided otherwise since the version that they had on screen.
        RefusedError: The lease has ended or is another annotator's, the item changed meanwhile, a different decision
            was given before, or the form does not have the decision or a reason.
    """
    slot = connection.execute(sql.HELD, {"held": slot_id}).one_or_none()
    if slot is None or slot.name != annotator or (slot.submitted_at is None and slot.lease_until <= now):
        raise RefusedError(f"{annotator!r} does not hold slot {slot_id}: the lease has ended; claim again")
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
        previous = connection.execute(sql.SAID, {"held": slot_id}).one()
        if all(getattr(previous, column) == value for column, value in columns.items()):
            return CheckedSubmission(slot, None)
        if seen_version is not None and previous.version != seen_version:
            raise StaleError(
                "you decided this in another window meanwhile, and that stands; what you wrote here is kept: look at "
                "both, and decide again if you like"
            )
        if not amend:
            raise RefusedError(f"{annotator!r} has already said {previous.decision!r} here; amend it, or leave it")
        version, since = previous.version + 1, previous.submitted_at
    if (slot.state == "retired" and slot.gold is None) or slot.is_archived:
        raise RefusedError("the item has changed since it was handed out; claim again")
    if submission.fields is None:
        _check_decision(form, decisions_of(form, payload), submission)
    elif submission.reasons or submission.note:
        raise RefusedError("this form has fields of its own, and no reasons or note beside them")
    columns |= {
        "slot_id": slot_id,
        "version": version,
        "started_at": slot.claimed_at,
        "submitted_at": now,
        "active_s": within(submission.active_s, (now - since).total_seconds()),
    }
    photographs = () if submission.fields is None else photographs_in(form, submission.fields)
    return CheckedSubmission(slot, columns, photographs)


class WrittenSubmission(NamedTuple):
    """Result of writing a submission.

    Attributes:
        may_settle: Whether it may settle its task: it was the last one missing, or a change of an earlier one.
    """

    may_settle: bool


def write(connection: sa.Connection, checked: CheckedSubmission) -> WrittenSubmission:
    """Write a submission and the changes that follow from it, and remove its draft.

    Args:
        connection: Connection in a write transaction.
        checked: Submission from `check`, on any connection.

    Raises:
        ChangedError: Something that it was checked against has changed since; the caller rolls the transaction back.
        RefusedError: The annotator was shown the key meanwhile, or a submitted photograph was not uploaded.
    """
    slot, columns = checked.slot, checked.columns
    drop_draft: Step = (sql.DROP_DRAFT, {"task": slot.task_id, "annotator": slot.annotator_id})
    if columns is None:
        run_together(connection, drop_draft)
        return WrittenSubmission(may_settle=False)
    kinds = kinds_with_key(slot.campaign_kind, is_simulated=slot.is_simulated)
    parameters = {
        "task": slot.task_id,
        "annotator": slot.annotator_id,
        "campaign": slot.campaign_id,
        "shows_key": kinds,
    }
    if problem := key_shown_problem(connection, parameters):
        raise RefusedError(problem)
    check_uploads(connection, checked.photographs, task_id=slot.task_id, annotator_id=slot.annotator_id)
    steps = [*_steps(slot, columns), drop_draft]
    try:
        filled, _, finished, *_ = _run(connection, steps, slot, columns)
    except sa.exc.IntegrityError as error:
        raise ChangedError("another version of this decision was written meanwhile") from error
    if filled != 1:
        raise ChangedError("the slot, its task or the form has changed meanwhile")
    return WrittenSubmission(may_settle=finished == 1 or columns["version"] > 1)


def _steps(slot: sa.Row[Any], columns: Mapping[str, Any]) -> list[Step]:
    """Return the statements that write a version: to slot, annotation and task, and the guidelines that it followed."""
    unchanged = {"was": slot.submitted_at, "checked": slot.form}
    steps: list[Step] = [
        (sql.FILL, {**unchanged, "now": columns["submitted_at"], "held": slot.id, "annotator": slot.annotator_id}),
        (sql.SAY, columns),
        (sql.FINISH, {"task": slot.task_id}),
    ]
    if slot.guidelines_id is not None:
        version = {"slot_id": slot.id, "version": columns["version"], "guidelines_id": slot.guidelines_id}
        steps.append((sql.FOLLOW, version))
    return steps


def _run(connection: sa.Connection, steps: Sequence[Step], slot: sa.Row[Any], columns: Mapping[str, Any]) -> list[int]:
    """Run statements, with a row in the audit log if a person decided; return how many rows each changed."""
    if slot.is_simulated:
        return run_together(connection, *steps)
    about = {
        "task": slot.task_id,
        "slot": slot.id,
        "version": columns["version"],
        "said": digest_of_decision(columns, task=slot.task_id, annotator=slot.name),
    }
    act = DECIDED if columns["version"] == 1 else CHANGED
    return run_recorded(connection, steps, AuditEntry(act, slot.name, columns["submitted_at"], about))


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
    """Check and write an annotator's decision on a slot that they hold. Submitting the same again changes nothing.

    Args:
        connection: Connection in a write transaction.
        slot_id: Slot of the annotator's lease.
        annotator: Name of whoever holds it.
        submission: Decision, with all that goes with it.
        now: Moment of the decision.
        amend: As in `check`.
        seen_version: As in `check`.

    Raises:
        RefusedError: As `check` and `write`.
    """
    checked = check(connection, slot_id, annotator, submission, now=now, amend=amend, seen_version=seen_version)
    return write(connection, checked)


def within(active_s: float | None, elapsed_s: float) -> float | None:
    """Return the seconds that a browser counted, limited to those that passed here; None if it counted none."""
    if active_s is None or not isfinite(active_s):
        return None
    return min(max(float(active_s), 0.0), max(elapsed_s, 0.0))


def _check_decision(form: CampaignForm, decisions: Sequence[str], submission: Submission) -> None:
    """Check a submission in a campaign without a typed form; one message names all mistakes."""
    decision, note, is_edited = submission.decision, submission.note, submission.edits is not None
    mistakes = []
    if decision not in decisions:
        mistakes.append(f"decision {decision[:60]!r} is none of {', '.join(decisions)}")
    elif is_edited and decision != "revise":
        mistakes.append(f"decision {decision!r} comes with edits; only `revise` does")
    elif decision in form.needs_note and not (note or "").strip() and not is_edited:
        mistakes.append(f"decision {decision!r} needs a note that says what to change, or edits")
    known_reasons = form.reasons
    if unknown := sorted(set(submission.reasons) - set(known_reasons)):
        words = ", ".join(known_reasons) or "the form (it has no reasons)"
        mistakes += [f"reason {reason[:60]!r} is none of {words}" for reason in unknown]
    if note is not None and (len(note) > MAX_NOTE or not can_be_kept(note)):
        mistakes.append(
            f"a note is at most {MAX_NOTE} characters, none of them null or half of one; this one has {len(note)}"
        )
    if mistakes:
        raise RefusedError("; ".join(mistakes))

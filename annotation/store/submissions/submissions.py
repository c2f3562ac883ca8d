"""Take annotators' decisions in.

A decision is checked without holding anybody up (`make_ready`), and then written in a transaction that holds the write
lock (`write`), if its slot, its task and its campaign's form are still what it was checked against.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import isfinite
from typing import Any, NamedTuple

import sqlalchemy as sa

from benchwright.canonical import canonical_json

from ...forms.campaign_form import CampaignForm, read_campaign_form
from ...forms.form import can_be_kept
from ...forms.payloads import item_in
from ..assignment import statements as sql
from ..assignment.askers import kinds_with_key, shown_key
from ..database.audit import CHANGED, DECIDED, AuditEntry, digest_of_decision, run_recorded
from ..database.pipelining import Step, run_together
from ..database.records import ChangedError, RefusedError, StaleError
from .form_checks import decisions_of, edits_in, fields_of
from .photo_uploads import SubmittedPhotograph, check_uploads, photographs_in
from .pre_key_answers import ANSWER, ANSWER_RIGHT, is_right, with_blind_answer

MAX_NOTE = 10_000


@dataclass(frozen=True)
class Submission:
    """What an annotator says of a task.

    Args:
        decision: One of the form's decisions; of a typed form it follows from the fields, whatever is given.
        reasons: Some of the form's reasons.
        note: In the annotator's words.
        edits: A revision of the item, as JSON values.
        fields: What was said by field, where the campaign has a typed form.
        active_s: Seconds spent on the task without pauses, as their browser counted them; never taken for more than
            the time since the task was handed out, or since the version before.
    """

    decision: str
    reasons: Sequence[str] = ()
    note: str | None = None
    edits: Mapping[str, Any] | None = None
    fields: Mapping[str, Any] | None = None
    active_s: float | None = None


@dataclass(frozen=True)
class CheckedSubmission:
    """A decision that was checked and waits to be written.

    Args:
        slot: The slot with its task and campaign, as they were read.
        said: Columns of the version to be written; None where the annotator has said just that already.
        photographs: That are handed in.
    """

    slot: sa.Row[Any]
    said: Mapping[str, Any] | None
    photographs: Sequence[SubmittedPhotograph] = ()


def make_ready(
    connection: sa.Connection, slot_id: int, annotator: str, saying: Submission, *, now: datetime, amend: bool = False,
    seen_version: int | None = None,
) -> CheckedSubmission:  # fmt: skip
    """Check what an annotator says of a slot that they hold. Nothing is written.

    Args:
        connection: That reads.
        slot_id: From the lease.
        annotator: Who holds it.
        saying: What they say.
        now: Moment of the decision.
        amend: Replace an earlier decision of this annotator on this slot: a new version, the old one stays.
        seen_version: The version of their decision that they had before them, 0 for none; None where nobody knows.

    Raises:
        StaleError: They have said something else since what they had before them.
        RefusedError: The lease is gone or another's, the item changed meanwhile, a different decision was
            given before, or the form does not know the decision or a reason.
    """
    slot = connection.execute(sql.HELD, {"held": slot_id}).one_or_none()
    if slot is None or slot.name != annotator or (slot.submitted_at is None and slot.lease_until <= now):
        raise RefusedError(f"{annotator!r} does not hold slot {slot_id}: the lease has ended; claim again")
    form, payload = read_campaign_form(slot.form), json.loads(slot.payload)
    fields = with_blind_answer(connection, form, slot, saying.fields)
    typed, changed = fields_of(form, payload, fields), edits_in(form, payload, saying.edits)
    if typed is not None and form.blind_first:
        typed.values[ANSWER_RIGHT] = is_right(item_in(payload), typed.values[ANSWER])
    said = {
        "decision": saying.decision if typed is None else typed.decision,
        "reasons": canonical_json(sorted(set(saying.reasons))),
        "note": saying.note,
        "edits": None if changed is None else canonical_json(changed),
        "fields": None if typed is None else canonical_json(typed.values),
    }
    version, since = 1, slot.claimed_at
    if slot.submitted_at is not None:
        before = connection.execute(sql.SAID, {"held": slot_id}).one()
        if all(getattr(before, column) == value for column, value in said.items()):
            return CheckedSubmission(slot, None)
        if seen_version is not None and before.version != seen_version:
            raise StaleError(
                "you decided this in another window meanwhile, and that stands; what you wrote here is kept: look at "
                "both, and decide again if you like"
            )
        if not amend:
            raise RefusedError(f"{annotator!r} has already said {before.decision!r} here; amend it, or leave it")
        version, since = before.version + 1, before.submitted_at
    if (slot.state == "retired" and slot.gold is None) or slot.is_archived:
        raise RefusedError("the item has changed since it was handed out; claim again")
    if typed is None:
        _check(form, decisions_of(form, payload), saying, is_edited=changed is not None)
    elif saying.reasons or saying.note:
        raise RefusedError("this form has fields of its own, and no reasons or note beside them")
    made = said | {
        "slot_id": slot_id, "version": version, "started_at": slot.claimed_at, "submitted_at": now,
        "active_s": within(saying.active_s, (now - since).total_seconds()),
    }  # fmt: skip
    return CheckedSubmission(slot, made, () if typed is None else photographs_in(form, typed.values))


class WrittenSubmission(NamedTuple):
    """What writing a decision did.

    Args:
        may_settle: Whether it may settle its task: the last one that was missing, or a change of an earlier one.
    """

    may_settle: bool


def write(connection: sa.Connection, ready: CheckedSubmission) -> WrittenSubmission:
    """Write a decision down, with what follows from it; its draft is done with.

    Args:
        connection: In a transaction that writes.
        ready: From `make_ready`, on whatever connection.

    Raises:
        ChangedError: Anything that it was checked against has changed since. The transaction is to be taken back.
        RefusedError: The annotator was shown the key meanwhile, or a photograph that is handed in was not uploaded.
    """
    slot, said = ready.slot, ready.said
    done: Step = (sql.DROP_DRAFT, {"task": slot.task_id, "who": slot.annotator_id})
    if said is None:
        run_together(connection, done)
        return WrittenSubmission(may_settle=False)
    kinds = kinds_with_key(slot.campaign_kind, is_simulated=slot.is_simulated)
    eyes = {"task": slot.task_id, "who": slot.annotator_id, "campaign": slot.campaign_id, "shows_key": kinds}
    if shown := shown_key(connection, eyes):
        raise RefusedError(shown)
    check_uploads(connection, ready.photographs, task_id=slot.task_id, annotator_id=slot.annotator_id)
    steps = [*_steps(slot, said), done]
    try:
        filled, _, finished, *_ = _run(connection, steps, slot, said)
    except sa.exc.IntegrityError as error:
        raise ChangedError("another version of this decision was written meanwhile") from error
    if filled != 1:
        raise ChangedError("the slot, its task or the form has changed meanwhile")
    return WrittenSubmission(may_settle=finished == 1 or said["version"] > 1)


def _steps(slot: sa.Row[Any], said: Mapping[str, Any]) -> list[Step]:
    """Return what writes a version down: the slot, what was said, the task, and the guidelines that were followed."""
    was = {"was": slot.submitted_at, "checked": slot.form, "now": said["submitted_at"]}
    steps: list[Step] = [
        (sql.FILL, {**was, "held": slot.id, "who": slot.annotator_id}),
        (sql.SAY, said),
        (sql.FINISH, {"task": slot.task_id}),
    ]
    if slot.guidelines_id is not None:
        version = {"slot_id": slot.id, "version": said["version"], "guidelines_id": slot.guidelines_id}
        steps.append((sql.FOLLOW, version))
    return steps


def _run(connection: sa.Connection, steps: Sequence[Step], slot: sa.Row[Any], said: Mapping[str, Any]) -> list[int]:
    if slot.is_simulated:  # what they say is nobody's act
        return run_together(connection, *steps)
    about = {
        "task": slot.task_id, "slot": slot.id, "version": said["version"],
        "said": digest_of_decision(said, task=slot.task_id, annotator=slot.name),
    }  # fmt: skip
    act = AuditEntry(DECIDED if said["version"] == 1 else CHANGED, slot.name, said["submitted_at"], about)
    return run_recorded(connection, steps, act)


def submit(
    connection: sa.Connection, slot_id: int, annotator: str, saying: Submission, *, now: datetime, amend: bool = False,
    seen_version: int | None = None,
) -> WrittenSubmission:  # fmt: skip
    """Take an annotator's decision on a slot that they hold. Saying the same again changes nothing.

    Args:
        connection: In a transaction that writes.
        slot_id: From the lease.
        annotator: Who holds it.
        saying: What they say.
        now: Moment of the decision.
        amend: As in `make_ready`, and so is `seen_version`.
        seen_version: See there.

    Raises:
        RefusedError: As `make_ready` and `write`.
    """
    ready = make_ready(connection, slot_id, annotator, saying, now=now, amend=amend, seen_version=seen_version)
    return write(connection, ready)


def within(active_s: float | None, elapsed_s: float) -> float | None:
    """Return a time that a browser counted, held within the time that passed here; None where it counted none."""
    if active_s is None or not isfinite(active_s):
        return None
    return min(max(float(active_s), 0.0), max(elapsed_s, 0.0))


def _check(form: CampaignForm, decisions: Sequence[str], saying: Submission, *, is_edited: bool) -> None:
    decision, note = saying.decision, saying.note
    mistakes = []
    if decision not in decisions:
        mistakes.append(f"decision {decision[:60]!r} is none of {', '.join(decisions)}")
    elif is_edited and decision != "revise":
        mistakes.append(f"decision {decision!r} comes with edits; only `revise` does")
    elif decision in form.needs_note and not (note or "").strip() and not is_edited:
        mistakes.append(f"decision {decision!r} needs a note that says what to change, or edits")
    known = form.reasons
    if unknown := sorted(set(saying.reasons) - set(known)):
        words = ", ".join(known) or "the form (it has no reasons)"
        mistakes += [f"reason {reason[:60]!r} is none of {words}" for reason in unknown]
    if note is not None and (len(note) > MAX_NOTE or not can_be_kept(note)):
        mistakes.append(
            f"a note is at most {MAX_NOTE} characters, none of them null or half of one; this one has {len(note)}"
        )
    if mistakes:
        raise RefusedError("; ".join(mistakes))

"""Hand tasks out to annotators and take their decisions in.

Nobody gets a task twice, no task gets more annotators than its rule asks for, and a slot whose lease ran out
goes to whoever asks next. Nobody answers an item whose right answer they were shown in another campaign, and nobody
gets an item that they wrote. Each function runs within one transaction that holds the write lock from its start
(`connection.py`), on SQLite and PostgreSQL alike.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from math import isfinite
from typing import Any

import sqlalchemy as sa

from benchwright.canonical import canonical_json

from ..form import can_be_kept
from ..kinds import ANSWER as ANSWER_KIND
from ..kinds import BLIND_KINDS, WITH_KEY
from . import handout_sql as sql
from .assigned import check_assigned
from .audit import CHANGED, DECIDED, clock, digest_of_decision, record
from .authors import is_author
from .blind import ANSWER, ANSWER_RIGHT, BLIND_FIRST, is_right, with_blind_answer
from .campaigns import find_campaign
from .forms import decisions_of, edits_in, fields_of
from .fresh_eyes import INVOLVED_IN_TASK, SHOWN_KEY_OF_TASK
from .guidelines import note_followed
from .next_task import next_task
from .payloads import item_in
from .records import Campaign, Lease, RefusedError
from .schema import slots, tasks
from .uploads import check_uploads

MAX_NOTE = 10_000
BLIND = ANSWER_KIND
"""Kind of campaign for which whoever holds or has decided an item in one that shows keys knows too much."""


def claim_next(
    connection: sa.Connection, campaign_name: str, annotator: str, *, now: datetime, lease_s: float
) -> Lease | None:
    """Return a slot for this annotator: one that is still held (its lease begins anew), else one of the next task.

    Which task is next is random, differs between annotators, and follows from the campaign's seed (`next_task.py`).

    Args:
        connection: In a transaction that writes.
        campaign_name: As the recipe names the step.
        annotator: Registered under this name.
        now: Leases that ended by this moment are free.
        lease_s: Seconds until the slot goes back.

    Returns:
        None when nothing is left for this annotator.

    Raises:
        RefusedError: The annotator is of the wrong kind for the campaign.
    """
    campaign = find_campaign(connection, campaign_name)
    who = _who(connection, campaign, annotator)
    return_expired(connection, now=now)
    row = connection.execute(sql.own(of_task=False, blind=bool(who["shows_key"])), who).one_or_none()
    if row is None and (task := next_task(connection, campaign, annotator, who)) is not None:
        row = _free_slot(connection, who | {"task": task})
    return None if row is None else _take(connection, campaign, row, annotator, who, now=now, lease_s=lease_s)


def peek_next(connection: sa.Connection, campaign_name: str, annotator: str) -> Mapping[str, Any] | None:
    """Return what the next free task is about, as it stands; it is handed out to nobody.

    Raises:
        RefusedError: The annotator is of the wrong kind for the campaign.
    """
    campaign = find_campaign(connection, campaign_name)
    task = next_task(connection, campaign, annotator, _who(connection, campaign, annotator))
    if task is None:
        return None
    payload: Mapping[str, Any] = json.loads(connection.execute(sql.PAYLOAD, {"task": task}).scalar_one())
    return payload


def claim_task(
    connection: sa.Connection, campaign_name: str, annotator: str, task: int, *, now: datetime, lease_s: float
) -> Lease:
    """Return a slot of this one task, as `claim_next` does of any. Shares bound nobody here.

    Raises:
        RefusedError: It is not to be had; the message says why.
    """
    campaign = find_campaign(connection, campaign_name)
    who = _who(connection, campaign, annotator) | {"task": task}
    blind = bool(who["shows_key"])
    return_expired(connection, now=now)
    row = connection.execute(sql.own(of_task=True, blind=blind), who).one_or_none()
    if row is None and connection.execute(sql.GOLD_OF_TASK, who).scalar_one_or_none() is None:
        row = connection.execute(sql.free_of_task(blind=blind), who).one_or_none()
    if row is None:
        raise RefusedError(_why_not(connection, campaign, who))
    return _take(connection, campaign, row, annotator, who, now=now, lease_s=lease_s)


def return_expired(connection: sa.Connection, *, now: datetime) -> None:
    """Free the slots whose leases have ended; who held one has seen the task."""
    # Sorted here: sorted there, a database might read all slots in order of their ids.
    for row in sorted(connection.execute(sql.EXPIRED, {"now": now}).all()):
        note_seen(connection, row.task_id, row.annotator_id)
        connection.execute(sql.FREE, {"held": row.id})
        if row.kind == "person":
            record(connection, "lease_ended", actor=row.name, at=now, task=row.task_id, slot=row.id)


def note_seen(connection: sa.Connection, task: int, annotator_id: int) -> None:
    """Note that somebody was shown a task, which they hold no more."""
    who = {"task": task, "who": annotator_id}
    if connection.execute(sql.HAS_SEEN, who).first() is None:
        connection.execute(sql.NOTE_SEEN, {"task_id": task, "annotator_id": annotator_id})


def _free_slot(connection: sa.Connection, who: Mapping[str, Any]) -> Any:
    """Return a free slot of a task; of a gold one, made where there is none."""
    query = sql.free_of_task(blind=bool(who["shows_key"]))
    row = connection.execute(query, who).one_or_none()
    if row is None:
        connection.execute(sql.MAKE_SLOT, who)
        row = connection.execute(query, who).one()
    return row


def _take(
    connection: sa.Connection, campaign: Campaign, row: Any, annotator: str, who: Mapping[str, Any], *, now: datetime,
    lease_s: float,
) -> Lease:  # fmt: skip
    since, until = row.claimed_at or now, now + timedelta(seconds=lease_s)
    connection.execute(sql.TAKE, {"held": row.id, "who": who["who"], "since": since, "until": until})
    if row.annotator_id is None and not campaign.is_simulated:
        record(connection, "handed_out", actor=annotator, at=now, task=row.task_id, slot=row.id)
    return Lease(
        slot_id=row.id, task_id=row.task_id, item_id=row.item_id, content_hash=row.content_hash,
        round=row.round, annotator=annotator, claimed_at=since, until=until, payload=json.loads(row.payload),
    )  # fmt: skip


def submit(
    connection: sa.Connection,
    slot_id: int,
    annotator: str,
    decision: str,
    *,
    now: datetime,
    reasons: Sequence[str] = (),
    note: str | None = None,
    edits: Mapping[str, Any] | None = None,
    fields: Mapping[str, Any] | None = None,
    amend: bool = False,
    active_s: float | None = None,
) -> None:
    """Take an annotator's decision on a slot that they hold. Saying the same again changes nothing.

    Args:
        connection: In a transaction that writes.
        slot_id: From the lease.
        annotator: Who holds it.
        decision: One of the form's decisions; of a typed form it follows from the fields, whatever is given.
        now: Moment of the decision.
        reasons: Some of the form's reasons.
        note: In the annotator's words.
        edits: A revision of the item, as JSON values.
        fields: What was said by field, where the campaign has a typed form.
        amend: Replace an earlier decision of this annotator on this slot: a new version, the old one stays.
        active_s: Seconds spent on the task without pauses, as their browser counted them; never taken for more than
            the time since the task was handed out, or since the version before.

    Raises:
        RefusedError: The lease is gone or another's, the item changed meanwhile, a different decision was
            given before, the annotator was shown the key meanwhile, or the form does not know the decision or a reason.
    """
    slot = connection.execute(sql.HELD, {"held": slot_id}).one_or_none()
    if slot is None or slot.name != annotator or (slot.submitted_at is None and slot.lease_until <= now):
        raise RefusedError(f"{annotator!r} does not hold slot {slot_id}: the lease has ended; claim again")
    form, payload = json.loads(slot.form), json.loads(slot.payload)
    fields = with_blind_answer(connection, form, slot, fields)
    typed, changed = fields_of(form, payload, fields), edits_in(form, payload, edits)
    if typed is not None and form.get(BLIND_FIRST):
        typed.values[ANSWER_RIGHT] = is_right(item_in(payload), typed.values[ANSWER])
    said = {
        "decision": decision if typed is None else typed.decision,
        "reasons": canonical_json(sorted(set(reasons))),
        "note": note,
        "edits": None if changed is None else canonical_json(changed),
        "fields": None if typed is None else canonical_json(typed.values),
    }
    version, since = 1, slot.claimed_at
    if slot.submitted_at is not None:
        before = connection.execute(sql.SAID, {"held": slot_id}).one()
        if all(getattr(before, column) == value for column, value in said.items()):
            return
        if not amend:
            raise RefusedError(f"{annotator!r} has already said {before.decision!r} here; amend it, or leave it")
        version, since = before.version + 1, before.submitted_at
    if (slot.state == "retired" and slot.gold is None) or slot.is_archived:
        raise RefusedError("the item has changed since it was handed out; claim again")
    kinds = kinds_with_key(slot.campaign_kind, is_simulated=slot.is_simulated)
    seen = {"task": slot.task_id, "who": slot.annotator_id, "campaign": slot.campaign_id, "shows_key": kinds}
    if shown := _shown_key(connection, seen):
        raise RefusedError(shown)
    if typed is not None:
        check_uploads(connection, form, typed.values, task_id=slot.task_id, annotator_id=slot.annotator_id)
    if typed is None:
        _check(form, decisions_of(form, payload), decision, reasons, note, is_edited=changed is not None)
    elif reasons or note:
        raise RefusedError("this form has fields of its own, and no reasons or note beside them")
    made = said | {
        "slot_id": slot_id, "version": version, "started_at": slot.claimed_at, "submitted_at": now,
        "active_s": within(active_s, (now - since).total_seconds()),
    }  # fmt: skip
    connection.execute(sql.SAY, made)
    connection.execute(sql.FILL, {"held": slot_id, "now": now})
    connection.execute(sql.FINISH, {"task": slot.task_id})
    note_followed(connection, slot_id, version, slot.task_id)
    if not slot.is_simulated:
        logged = digest_of_decision(made, task=slot.task_id, annotator=annotator)
        record(
            connection, DECIDED if version == 1 else CHANGED, actor=annotator, at=now, task=slot.task_id, slot=slot_id,
            version=version, said=logged,
        )  # fmt: skip


def within(active_s: float | None, elapsed_s: float) -> float | None:
    """Return a time that a browser counted, held within the time that passed here; None where it counted none."""
    if active_s is None or not isfinite(active_s):
        return None
    return min(max(float(active_s), 0.0), max(elapsed_s, 0.0))


def release(connection: sa.Connection, slot_id: int, annotator: str, *, now: datetime | None = None) -> None:
    """Give a slot back undecided; one that is not held by this annotator any more is left alone.

    Args:
        connection: In a transaction that writes.
        slot_id: From the lease.
        annotator: Who holds it.
        now: The moment, for the log; that of the clock where None.
    """
    row = connection.execute(sql.HELD_BY, {"held": slot_id, "name": annotator}).one_or_none()
    if row is None:
        return
    note_seen(connection, row.task_id, row.annotator_id)
    connection.execute(sql.FREE, {"held": row.id})
    if row.kind == "person":
        record(connection, "given_back", actor=annotator, at=now or clock(), task=row.task_id, slot=row.id)


def _who(connection: sa.Connection, campaign: Campaign, annotator: str) -> dict[str, Any]:
    """Return the parameters by which the hand-out knows an annotator in a campaign."""
    return {"campaign": campaign.id, **eyes_of(campaign, _annotator_for(connection, campaign, annotator))}


def eyes_of(campaign: Campaign, annotator_id: int) -> dict[str, Any]:
    """Return the parameters that say which tasks an annotator has seen too much of."""
    may_edit_and_judge = campaign.is_simulated or campaign.form.get("editors_verify", False)
    return {
        "who": annotator_id,
        "editor": None if may_edit_and_judge else annotator_id,
        "shows_key": kinds_with_key(campaign.kind, is_simulated=campaign.is_simulated),
    }


def kinds_with_key(kind: str, *, is_simulated: bool) -> tuple[str, ...]:
    """Return the kinds of campaigns that give away what this kind asks; none where nothing can be given away."""
    return WITH_KEY if kind in BLIND_KINDS and not is_simulated else ()


def _shown_key(connection: sa.Connection, who: Mapping[str, Any]) -> str | None:
    """Return in words where an annotator was shown the key of a task's item; None where nowhere."""
    campaign = connection.execute(SHOWN_KEY_OF_TASK, who).scalar_one_or_none() if who["shows_key"] else None
    if campaign is None:
        return None
    return f"this annotator was shown the right answer in campaign {campaign!r}; somebody else must answer it"


def _annotator_for(connection: sa.Connection, campaign: Campaign, name: str) -> int:
    row = connection.execute(sql.ANNOTATOR, {"name": name}).one_or_none()
    if row is None:
        raise RefusedError(f"annotator {name!r} is not registered")
    if (row.kind == "simulated") != campaign.is_simulated:
        whose = "simulated annotators" if campaign.is_simulated else "people"
        raise RefusedError(f"annotator {name!r} is a {row.kind} one; campaign {campaign.name!r} is for {whose}")
    check_assigned(connection, campaign, int(row.id), name)
    return int(row.id)


def _why_not(connection: sa.Connection, campaign: Campaign, who: Mapping[str, Any]) -> str:
    task, annotator_id = who["task"], who["who"]
    state = connection.execute(
        sa.select(tasks.c.state).where(tasks.c.id == task, tasks.c.campaign_id == campaign.id)
    ).scalar_one_or_none()
    has_it = sa.select(slots.c.id).where(slots.c.task_id == task, slots.c.annotator_id == annotator_id)
    if state is None:
        return f"campaign {campaign.name!r} has no task {task}"
    if connection.execute(sql.GOLD_OF_TASK, {"task": task}).scalar_one() is not None:
        return "it is a gold item, and only the app hands these out"
    if connection.execute(has_it).first() is not None:
        return "this annotator has decided it already"
    return (
        _knows_too_much(connection, who)
        or {
            "open": "all its slots are taken",
            "done": f"all {campaign.rule} decisions are in",
            "retired": "the item has changed since; look at its new version",
        }[state]
    )


def _knows_too_much(connection: sa.Connection, who: Mapping[str, Any]) -> str | None:
    """Return in words why an annotator may not judge a task with fresh eyes; None where they may."""
    if is_author(connection, who["task"], who["who"]):
        return "this annotator wrote this item; somebody else must look at it"
    if shown := _shown_key(connection, who):
        return shown
    if connection.execute(INVOLVED_IN_TASK, who).first() is not None:
        return "this annotator edited this version of the item, or adjudicates it; somebody else must judge it"
    return None


def _check(
    form: Mapping[str, Any],
    decisions: Sequence[str],
    decision: str,
    reasons: Sequence[str],
    note: str | None,
    *,
    is_edited: bool,
) -> None:
    if decision not in decisions:
        raise RefusedError(f"decision {decision[:60]!r} is none of {', '.join(decisions)}")
    if is_edited and decision != "revise":
        raise RefusedError(f"decision {decision!r} comes with edits; only `revise` does")
    if decision in form.get("needs_note", []) and not (note or "").strip() and not is_edited:
        raise RefusedError(f"decision {decision!r} needs a note that says what to change, or edits")
    known = form.get("reasons", [])
    if unknown := sorted(set(reasons) - set(known)):
        raise RefusedError(
            f"reason {unknown[0][:60]!r} is none of {', '.join(known) or 'the form (it has no reasons)'}"
        )
    if note is not None and (len(note) > MAX_NOTE or not can_be_kept(note)):
        raise RefusedError(
            f"a note is at most {MAX_NOTE} characters, none of them null or half of one; this one has {len(note)}"
        )

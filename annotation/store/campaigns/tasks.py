"""Bring campaigns and their tasks up to date with the results of earlier steps; safe to repeat.

No human decision is ever deleted: a task whose item changed or disappeared is retired with its annotations, and reopens
with them when that content returns.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from difflib import get_close_matches
from itertools import islice
from typing import Any, TypeVar

import sqlalchemy as sa

from benchwright.canonical import canonical_json, digest
from benchwright.errors import BenchwrightError
from benchwright.seeds import seed_for
from benchwright.texts.normalization import counted

from ...forms.campaign_form import CampaignForm, read_campaign_form
from ...forms.payloads import TaskInput, facets_of
from ...forms.shortest_time import shortest_times
from ..database.audit import AUTOMATIC, COMMAND_LINE, clock, record
from ..database.dialects import insert_into
from ..database.records import AnnotatorKind, Campaign, Task, TaskState, UpsertCounts
from ..database.schema import (
    SHUFFLE_PRIME,
    annotations_table,
    annotators,
    campaigns,
    revision_requests,
    seen,
    slots,
    tasks,
)
from .authors import note_authors
from .gold import TaskPlacement, mark

SIMULATED = "simulated-"
"""Prefix that only the names of simulated annotators have."""
_BATCH = 500
_T = TypeVar("_T")
_NAMED = sa.select(campaigns).where(campaigns.c.name == sa.bindparam("called"))


def _batched(things: Iterable[_T]) -> Iterator[list[_T]]:
    rest = iter(things)
    while batch := list(islice(rest, _BATCH)):
        yield batch


def find_campaign(connection: sa.Connection, name: str) -> Campaign:
    """Return the campaign with a given name.

    Raises:
        BenchwrightError: No campaign has that name; the message lists the existing ones.
    """
    row = connection.execute(_NAMED, {"called": name}).one_or_none()
    if row is None:
        known = connection.execute(sa.select(campaigns.c.name).order_by(campaigns.c.name)).scalars().all()
        near = get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known) or 'none yet'}"
        raise BenchwrightError(f"the review store has no campaign {name!r}; {hint}")
    return _campaign(row)


def campaign_called(connection: sa.Connection, campaign: str | Campaign) -> Campaign:
    """Return the given campaign; if only its name is given, look it up with `find_campaign`."""
    return campaign if isinstance(campaign, Campaign) else find_campaign(connection, campaign)


def campaign_of_task(connection: sa.Connection, task_id: int) -> Campaign | None:
    """Return the campaign of a task."""
    query = sa.select(campaigns).join(tasks).where(tasks.c.id == task_id)
    row = connection.execute(query).one_or_none()
    return None if row is None else _campaign(row)


def payload_of(connection: sa.Connection, task_id: int) -> dict[str, Any] | None:
    """Return the payload of a task."""
    text = connection.execute(sa.select(tasks.c.payload).where(tasks.c.id == task_id)).scalar_one_or_none()
    return None if text is None else dict(json.loads(text))


def list_campaigns(connection: sa.Connection) -> list[Campaign]:
    """Return the campaigns that are not archived, in the order in which they opened, as in the recipe."""
    query = sa.select(campaigns).where(~campaigns.c.is_archived).order_by(campaigns.c.id)
    return [_campaign(row) for row in connection.execute(query)]


def _campaign(row: sa.Row[Any]) -> Campaign:
    return Campaign(
        id=row.id,
        name=row.name,
        kind=row.kind,
        rule=row.rule,
        slots_per_task=row.slots,
        form=read_campaign_form(row.form),
        settings=json.loads(row.settings),
        seed=int(row.seed),
        is_simulated=row.is_simulated,
        is_for_assigned=row.is_for_assigned,
        is_closed=row.closed_at is not None,
    )


def upsert_campaign(
    connection: sa.Connection,
    name: str,
    *,
    kind: str,
    rule: str,
    slots_per_task: int,
    form: CampaignForm,
    settings: Mapping[str, Any],
    seed: int,
    is_simulated: bool,
) -> Campaign:
    """Open a campaign, or update the campaign with that name to these settings.

    Once annotators have decided in a campaign, the call refuses a change of its kind or rule, or between human and
    simulated annotators. A campaign in which only simulated annotators decided, under other settings, is archived with
    its decisions, and a new one opens under the name.

    Raises:
        BenchwrightError: Annotators have decided under another kind or rule.
    """
    row = connection.execute(_NAMED, {"called": name}).one_or_none()
    if row is not None:
        before = _campaign(row)
        is_same = (before.kind, before.rule, before.slots_per_task, before.is_simulated) == (
            kind,
            rule,
            slots_per_task,
            is_simulated,
        )
        if is_simulated:
            is_same = is_same and (before.settings, before.seed) == (dict(settings), seed)
        if not is_same:
            _archive(connection, before, rule=rule, kind=kind, is_simulated=is_simulated)
            row = None
    values = {
        "kind": kind,
        "rule": rule,
        "slots": slots_per_task,
        "form": canonical_json(form.to_json()),
        "settings": canonical_json(dict(settings)),
        "seed": str(seed),
        "is_simulated": is_simulated,
    }
    act = None
    if row is None:
        connection.execute(sa.insert(campaigns).values(name=name, is_archived=False, **values))
        act = "campaign_opened"
    elif any(getattr(row, column) != value for column, value in values.items()):
        connection.execute(sa.update(campaigns).where(campaigns.c.id == row.id).values(values))
        act = "campaign_changed"
    campaign = find_campaign(connection, name)
    if act is not None and not is_simulated:
        note_campaign(connection, act, campaign, actor=COMMAND_LINE, at=clock())
    return campaign


def note_campaign(connection: sa.Connection, act: str, campaign: Campaign, *, actor: str, at: datetime) -> None:
    """Record a campaign's present state in the log after it was opened or changed."""
    record(
        connection,
        act,
        actor=actor,
        at=at,
        campaign=campaign.name,
        kind=campaign.kind,
        rule=campaign.rule,
        form=digest(campaign.form.to_json()),
        settings=dict(campaign.settings),
        slots=campaign.slots_per_task,
        seed=str(campaign.seed),
    )


def _archive(connection: sa.Connection, campaign: Campaign, *, rule: str, kind: str, is_simulated: bool) -> None:
    """Archive a campaign under another name; refuse to do so once a human annotator has decided in it."""
    made = (
        sa.select(sa.func.count())
        .select_from(annotations_table.join(slots).join(tasks))
        .where(tasks.c.campaign_id == campaign.id)
    )
    count = connection.execute(made).scalar_one()
    if count and not campaign.is_simulated:
        now = f"{kind} under {rule}" + (" by simulated annotators" if is_simulated else "")
        raise BenchwrightError(
            f"campaign {campaign.name!r} contains {counted(count, 'decision')} of people ({campaign.kind} under "
            f"{campaign.rule}), but the recipe now says {now}; undo that, change the rule in place with `review rules "
            "--rule RULE --apply`, or give the step another name for a new campaign"
        )
    connection.execute(
        sa.update(campaigns)
        .where(campaigns.c.id == campaign.id)
        .values(name=f"{campaign.name}#{campaign.id}", is_archived=True)
    )


def upsert_annotator(connection: sa.Connection, name: str, *, kind: AnnotatorKind) -> None:
    """Register an annotator unless already registered.

    Raises:
        BenchwrightError: The name is not 1 to 100 printable characters, or does not fit the kind.
    """
    if not 0 < len(name) <= 100 or not name.isprintable() or name != name.strip():
        raise BenchwrightError(
            f"annotator {name[:100]!r}: names are 1 to 100 printable characters, with no space at either end"
        )
    if (kind == "simulated") != name.startswith(SIMULATED):
        raise BenchwrightError(f"annotator {name!r}: only names of simulated annotators begin with {SIMULATED!r}")
    row = {"name": name, "kind": kind}
    connection.execute(insert_into(connection, annotators).values(row).on_conflict_do_nothing())


def upsert_tasks(connection: sa.Connection, campaign: Campaign, work: Iterable[TaskInput]) -> UpsertCounts:
    """Bring a campaign's tasks up to date with the items: open tasks for new items, and retire those for missing ones.

    Raises:
        ValueError: An item appears twice.
    """
    query = sa.select(
        tasks.c.id,
        tasks.c.item_id,
        tasks.c.content_hash,
        tasks.c.state,
        tasks.c.priority,
        tasks.c.gold,
        tasks.c.gold_why,
        tasks.c.gold_regions,
        tasks.c.shortest_s,
    )
    known = {
        (row.item_id, row.content_hash): row
        for row in connection.execute(query.where(tasks.c.campaign_id == campaign.id))
    }
    rounds: dict[str, int] = {}
    for item_id, _ in known:
        rounds[item_id] = rounds.get(item_id, 0) + 1
    wanted: dict[str, TaskPlacement] = {}
    others = set[str]()  # whose content has no task yet: with a million of them each byte counts
    opened: list[bytes] = []
    last = connection.execute(sa.select(sa.func.max(tasks.c.id))).scalar_one() or 0
    for batch in _batched(work):
        new = []
        times = shortest_times(entry.payload for entry in batch)
        _fill_shortest(connection, known, batch, times)
        for task_input, shortest_s in zip(batch, times, strict=True):
            if task_input.item_id in wanted or task_input.item_id in others:
                raise ValueError(f"item {task_input.item_id} appears twice in campaign {campaign.name!r}")
            if (task_input.item_id, task_input.content_hash) in known:
                wanted[task_input.item_id] = TaskPlacement(
                    task_input.content_hash,
                    task_input.priority,
                    task_input.gold,
                    task_input.gold_why,
                    task_input.gold_regions,
                )
                continue
            others.add(task_input.item_id)
            row = new_task(campaign, task_input, round_=rounds.get(task_input.item_id, 0) + 1)
            new.append({**row, "shortest_s": shortest_s})
        if new:
            connection.execute(sa.insert(tasks), new)
            opened += [bytes.fromhex(_digest_of_payload(row["item_id"], row["payload"])) for row in new]
        note_authors(connection, batch)
    if opened:
        make_slots(connection, campaign)
    if len(opened) > _BATCH and connection.dialect.name == "postgresql":
        for table in (tasks, slots):  # else PostgreSQL plans with the old table sizes for up to a minute
            connection.exec_driver_sql(f"ANALYZE {table.name}")
    current = [row for key, row in known.items() if _is_wanted(wanted, key)]
    gone = [
        row.id
        for key, row in known.items()
        if not _is_wanted(wanted, key) and (row.state != "retired" or row.gold is not None)
    ]
    marked = mark(connection, campaign, current, wanted)
    back = [row.id for row in current if row.state == "retired" and row.id not in marked]
    retire(connection, gone)
    reopen(connection, back)
    counts = UpsertCounts(len(opened), len(current) - len(back), len(gone), len(back))
    if not campaign.is_simulated and (opened or gone or back):
        about = {"campaign": campaign.name, **counts._asdict()}
        if opened:
            newest = connection.execute(sa.select(sa.func.max(tasks.c.id))).scalar_one()
            about |= {"after": last, "up_to": newest, "said": digest(sorted(one.hex() for one in opened))}
        record(connection, "tasks_changed", actor=COMMAND_LINE, at=clock(), **about)
    return counts


def _fill_shortest(
    connection: sa.Connection,
    known: Mapping[tuple[str, str], Any],
    batch: Sequence[TaskInput],
    times: Sequence[float],
) -> None:
    """Set the shortest believable time of tasks that an older version of the program created."""
    rows = [
        {"of_task": known[entry.item_id, entry.content_hash].id, "seconds": seconds}
        for entry, seconds in zip(batch, times, strict=True)
        if (entry.item_id, entry.content_hash) in known and known[entry.item_id, entry.content_hash].shortest_s is None
    ]
    if rows:
        is_one = tasks.c.id == sa.bindparam("of_task")
        connection.execute(sa.update(tasks).where(is_one).values(shortest_s=sa.bindparam("seconds")), rows)


def digest_of_payloads(payloads: Iterable[tuple[str, str]]) -> str:
    """Return the log's digest of tasks that were opened together: their items' ids, and their payloads."""
    return digest(sorted(_digest_of_payload(item_id, payload) for item_id, payload in payloads))


def _digest_of_payload(item_id: str, payload: str) -> str:
    return digest([item_id, payload])


def _is_wanted(wanted: Mapping[str, TaskPlacement], key: tuple[str, str]) -> bool:
    return key[0] in wanted and wanted[key[0]].content_hash == key[1]


def new_task(campaign: Campaign, work: TaskInput, *, round_: int) -> dict[str, Any]:
    """Return the row for a new open task."""
    about = facets_of(work.payload)
    return {
        "campaign_id": campaign.id,
        "item_id": work.item_id,
        "content_hash": work.content_hash,
        "round": round_,
        "shuffle": seed_for(campaign.seed, campaign.name, work.item_id) % SHUFFLE_PRIME,
        "payload": canonical_json(dict(work.payload)),
        "state": "open" if work.gold is None else "retired",
        "priority": work.priority,
        "gold": work.gold,
        "gold_why": work.gold_why,
        "gold_regions": work.gold_regions,
        "gold_of": work.gold_of,
        "item_kind": about.kind,
        "item_task": about.task,
        "category": about.category,
    }


def add_gold(connection: sa.Connection, campaign: Campaign, work: TaskInput) -> None:
    """Add a gold task to a campaign while annotators work in it, unless the campaign has or once had that task.

    Args:
        connection: Connection in a write transaction with sole use of the store.
        campaign: Campaign.
        work: The task, with the right decision.
    """
    same = (tasks.c.item_id == work.item_id) & (tasks.c.content_hash == work.content_hash)
    if connection.execute(sa.select(tasks.c.id).where(tasks.c.campaign_id == campaign.id, same)).first() is not None:
        return
    last = connection.execute(sa.select(sa.func.max(tasks.c.id))).scalar_one() or 0
    row = {**new_task(campaign, work, round_=1), "shortest_s": shortest_times([work.payload])[0]}
    number = connection.execute(sa.insert(tasks).values(row)).inserted_primary_key
    assert number is not None, "a row that is inserted has a number"
    places = [{"task_id": number[0], "slot": slot} for slot in range(1, campaign.slots_per_task + 1)]
    connection.execute(sa.insert(slots), places)
    about = {"campaign": campaign.name, **UpsertCounts(1, 0, 0, 0)._asdict(), "after": last, "up_to": number[0]}
    said = digest([_digest_of_payload(row["item_id"], row["payload"])])
    record(connection, "tasks_changed", actor=AUTOMATIC, at=clock(), **about, said=said)


def make_slots(connection: sa.Connection, campaign: Campaign) -> None:
    """Create the missing slots of every task of the campaign."""
    for number in range(1, campaign.slots_per_task + 1):
        has_it = sa.exists().where(slots.c.task_id == tasks.c.id, slots.c.slot == number)
        is_revision = sa.exists().where(revision_requests.c.revision_id == tasks.c.id)  # it has the slots that it needs
        lacking = sa.select(tasks.c.id, sa.literal(number)).where(
            tasks.c.campaign_id == campaign.id, ~has_it, ~is_revision
        )
        connection.execute(sa.insert(slots).from_select(["task_id", "slot"], lacking))


def retire(connection: sa.Connection, task_ids: list[int]) -> None:
    """Retire tasks whose content no longer exists, and free the slots held in them."""
    free = {"annotator_id": None, "claimed_at": None, "lease_until": None}
    for ids in _batched(task_ids):
        held = slots.c.task_id.in_(ids) & slots.c.submitted_at.is_(None) & slots.c.annotator_id.is_not(None)
        already = sa.exists().where(seen.c.task_id == slots.c.task_id, seen.c.annotator_id == slots.c.annotator_id)
        shown = sa.select(slots.c.task_id, slots.c.annotator_id).where(held, ~already)
        connection.execute(sa.insert(seen).from_select(["task_id", "annotator_id"], shown))
        connection.execute(sa.update(slots).where(held).values(free))
        connection.execute(
            sa.update(tasks)
            .where(tasks.c.id.in_(ids))
            .values(state="retired", gold=None, gold_why=None, gold_regions=None)
        )


def reopen(connection: sa.Connection, task_ids: list[int]) -> None:
    """Reopen tasks whose content exists again, with the decisions on them."""
    is_open = sa.exists().where(slots.c.task_id == tasks.c.id, slots.c.submitted_at.is_(None))
    for ids in _batched(task_ids):
        connection.execute(
            sa.update(tasks).where(tasks.c.id.in_(ids)).values(state=sa.case((is_open, "open"), else_="done"))
        )


def list_tasks(
    connection: sa.Connection, campaign: Campaign, *, states: tuple[TaskState, ...], item_id: str | None = None
) -> list[Task]:
    """Return a campaign's tasks in these states, or the tasks for one item only, by item id and round."""
    query = (
        sa.select(tasks)
        .where(tasks.c.campaign_id == campaign.id, tasks.c.state.in_(states))
        .order_by(tasks.c.item_id, tasks.c.round)
    )
    if item_id is not None:
        query = query.where(tasks.c.item_id == item_id)
    return [_task(row) for row in connection.execute(query)]


def state_of(connection: sa.Connection, task_id: int) -> str:
    """Return the state of a task: `open`, `done` or `retired`."""
    return str(connection.execute(sa.select(tasks.c.state).where(tasks.c.id == task_id)).scalar_one())


def find_task(connection: sa.Connection, campaign: Campaign, item_id: str, content_hash: str) -> Task:
    """Return the task for a content of an item; such a task must exist."""
    of_content = (tasks.c.item_id == item_id) & (tasks.c.content_hash == content_hash)
    return _task(connection.execute(sa.select(tasks).where(tasks.c.campaign_id == campaign.id, of_content)).one())


def _task(row: sa.Row[Any]) -> Task:
    return Task(
        id=row.id,
        item_id=row.item_id,
        content_hash=row.content_hash,
        round=row.round,
        state=row.state,
        payload=json.loads(row.payload),
    )

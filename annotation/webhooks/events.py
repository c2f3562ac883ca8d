"""Events of campaigns, read from the audit log, and their texts.

    audit log ──▶ events of each webhook ──▶ deliveries        in one transaction with the log's read position
                                             delivery + store ──▶ text, when it is sent

`settle` determines the outcome of an item. An item is announced when it settles, and again if its outcome changes
later. While it waits for an adjudicator, its writer or a further round, it has not settled.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ..forms.kinds import TO_WRITER
from ..progress.campaign_progress import counted_outcome, progress_of
from ..progress.overview import Overview
from ..store.campaigns.adjudications import list_adjudicated
from ..store.campaigns.decisions import list_decisions
from ..store.campaigns.gold import IS_ITEM
from ..store.campaigns.revisions import round_of
from ..store.database.integration_tables import webhook_deliveries, webhooks
from ..store.database.records import Campaign
from ..store.database.schema import annotations_table, annotators, audit_log, slots, tasks
from ..store.integrations.webhooks import DECISION, FINISHED, PAUSED, RESUMED, SETTLED, Delivery, Webhook, Webhooks
from ..store.review_store import ReviewStore
from ..workflow.settlement.rounds import NOBODY, votes_in
from ..workflow.settlement.settle import NEXT_ROUND, OPEN, WAITS, policy_of

_OF_A_TASK = frozenset({"decided", "changed", "adjudicated", "revised"})
_OF_MANY = frozenset({"votes_set_aside", "votes_taken_back", "imported", "campaign_changed", "tasks_changed"})
"""Acts after which any task of the campaign may have settled."""
_OF_PEOPLE: Mapping[str, str] = {"votes_set_aside": PAUSED, "votes_taken_back": RESUMED}
_ROWS_AT_ONCE = 500
_UNSETTLED = frozenset({OPEN, WAITS, NEXT_ROUND, TO_WRITER})
_UNFINISHED = ("begun", "untouched", WAITS, TO_WRITER)


def note_events(store: ReviewStore) -> int:
    """Record the events that are new to each webhook, and return the number of resulting deliveries.

    Safe to repeat and to run concurrently: the log's read position is written in the same transaction.
    """
    with store.reading() as connection:
        last = connection.execute(sa.select(sa.func.max(audit_log.c.id))).scalar_one() or 0
    behind = [webhook for webhook in Webhooks(store).of_campaign() if webhook.read_up_to < last]
    return sum(_note(store, webhook.id) for webhook in behind)


def _note(store: ReviewStore, webhook_id: int) -> int:
    with store.batch() as held, held.writing() as connection:
        found = [each for each in Webhooks(held).of_campaign() if each.id == webhook_id]
        if not found:
            return 0
        [webhook] = found
        after = audit_log.c.id > webhook.read_up_to
        query = sa.select(audit_log).where(after).order_by(audit_log.c.id).limit(_ROWS_AT_ONCE)
        rows = connection.execute(query).all()
        if not rows:
            return 0
        reader = _EventReader(held, connection, webhook)
        noted = [*reader.events(rows)]
        is_finished = reader.is_finished() if reader.has_changed else webhook.is_finished
        if is_finished and not webhook.is_finished and FINISHED in webhook.events:
            noted.append({"event": FINISHED, "happened_at": rows[-1].at})
        if noted:
            blank = dict.fromkeys(("task_id", "slot_id", "version", "annotator_id", "outcome"))
            values = [
                {**blank, **each, "webhook_id": webhook.id, "attempts": 0, "next_at": each["happened_at"]}
                for each in noted
            ]
            connection.execute(sa.insert(webhook_deliveries), values)
        read = {"read_up_to": rows[-1].id, "is_finished": is_finished}
        connection.execute(sa.update(webhooks).where(webhooks.c.id == webhook.id).values(read))
        return len(noted)


class _EventReader:
    """Reads the events in one webhook's campaign from rows of the log."""

    def __init__(self, store: ReviewStore, connection: sa.Connection, webhook: Webhook) -> None:
        self._connection = connection
        self._webhook = webhook
        self._campaign = store.campaign(webhook.campaign)
        self._overview = Overview(store, self._campaign)
        self._noted: dict[int, str] = {}
        """Outcomes noted by earlier rows of this reading, by task."""
        self.has_changed = False
        """Whether a row was about the campaign."""

    def events(self, rows: Iterable[Any]) -> Iterator[dict[str, Any]]:
        """Yield the columns of deliveries, in the order of the rows."""
        for row in rows:
            about = json.loads(row.about)
            if row.act in _OF_A_TASK and self._is_own(about["task"]):
                self.has_changed = True
                yield from self._of_task(row, about)
            elif about.get("campaign") == self._campaign.name and row.act in _OF_MANY:
                self.has_changed = True
                if row.act in _OF_PEOPLE:
                    yield from self._of_person(_OF_PEOPLE[row.act], row.at, about["annotator"])
                yield from self._settled(row.at)

    def _is_own(self, task_id: int) -> bool:
        """Return whether a task is about an item of the campaign; attention checks are never sent."""
        query = sa.select(tasks.c.id).where(tasks.c.id == task_id, tasks.c.campaign_id == self._campaign.id, IS_ITEM)
        return self._connection.execute(query).first() is not None

    def _of_task(self, row: Any, about: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        if row.act in {"decided", "changed"} and DECISION in self._webhook.events:
            what = {"task_id": about["task"], "slot_id": about["slot"], "version": about["version"]}
            yield {"event": DECISION, "happened_at": row.at, **what}
        yield from self._settled(row.at, task=about["task"])

    def _of_person(self, event: str, at: datetime, name: str) -> Iterator[dict[str, Any]]:
        if event in self._webhook.events:
            query = sa.select(annotators.c.id).where(annotators.c.name == name)
            person = self._connection.execute(query).scalar_one_or_none()
            yield {"event": event, "happened_at": at, "annotator_id": person}

    def _settled(self, at: datetime, *, task: int | None = None) -> Iterator[dict[str, Any]]:
        """Yield deliveries for tasks whose outcomes have not been announced."""
        if SETTLED not in self._webhook.events:
            return
        told = self._announced_outcomes(task)
        for task_id, outcome in outcomes_of(self._connection, self._campaign, task=task).items():
            if told.get(task_id) != outcome:
                self._noted[task_id] = outcome
                yield {"event": SETTLED, "happened_at": at, "task_id": task_id, "outcome": outcome}

    def _announced_outcomes(self, task: int | None) -> dict[int, str]:
        d = webhook_deliveries.c
        query = sa.select(d.task_id, d.outcome).where(d.webhook_id == self._webhook.id, d.event == SETTLED)
        query = (query if task is None else query.where(d.task_id == task)).order_by(d.id)
        return {**{row.task_id: row.outcome for row in self._connection.execute(query)}, **self._noted}

    def is_finished(self) -> bool:
        """Return whether every task of the campaign has an outcome."""
        outcomes = progress_of(self._campaign, self._overview.decision_counts()).outcomes
        return sum(outcomes.values()) > 0 and not any(outcomes.get(name) for name in _UNFINISHED)


def outcomes_of(connection: sa.Connection, campaign: Campaign, *, task: int | None = None) -> dict[int, str]:
    """Return the outcomes of a campaign's settled tasks, in the words of `review status`.

    Args:
        connection: Connection in a transaction.
        campaign: The campaign.
        task: Id of the only task to look at; default None, all.
    """
    is_done = sa.select(tasks.c.id, tasks.c.item_id, tasks.c.content_hash).where(
        tasks.c.campaign_id == campaign.id, tasks.c.state == "done", tasks.c.gold.is_(None)
    )
    done = connection.execute(is_done if task is None else is_done.where(tasks.c.id == task)).all()
    if not done:
        return {}
    policy, adjudicated = policy_of(campaign), list_adjudicated(connection, campaign, task=task)
    decisions: dict[tuple[str, str], list[Any]] = {}
    for annotation in list_decisions(connection, campaign, task=task):
        decisions.setdefault((annotation.item_id, annotation.content_hash), []).append(annotation)
    outcomes = {}
    for row in done:
        version = (row.item_id, row.content_hash)
        votes = votes_in(policy, decisions.get(version, []), adjudicated.get(version, NOBODY), is_closed=True)
        outcome = counted_outcome(policy, votes, round_of(connection, row.id))
        if outcome not in _UNSETTLED:
            outcomes[row.id] = outcome
    return outcomes


def text_of(store: ReviewStore, webhook: Webhook, delivery: Delivery) -> str:
    """Return the text of a delivery, as JSON, from the present state of the store."""
    data: dict[str, Any] = {"campaign": webhook.campaign}
    with store.reading() as connection:
        if delivery.task_id is not None:
            query = sa.select(tasks.c.item_id).where(tasks.c.id == delivery.task_id)
            data |= {"task": delivery.task_id, "item_id": connection.execute(query).scalar_one()}
        if delivery.slot_id is not None:
            data |= _decision(connection, delivery)
        if delivery.annotator_id is not None:
            query = sa.select(annotators.c.name).where(annotators.c.id == delivery.annotator_id)
            data["person"] = connection.execute(query).scalar_one()
    if delivery.outcome is not None:
        data["outcome"] = delivery.outcome
    document = {"type": delivery.event, "timestamp": delivery.happened_at.isoformat(), "data": data}
    return json.dumps(document, ensure_ascii=True)


def _decision(connection: sa.Connection, delivery: Delivery) -> dict[str, Any]:
    query = (
        sa.select(annotations_table.c.decision, annotations_table.c.reasons, annotators.c.name)
        .select_from(annotations_table.join(slots).join(annotators, slots.c.annotator_id == annotators.c.id))
        .where(annotations_table.c.slot_id == delivery.slot_id, annotations_table.c.version == delivery.version)
    )
    row = connection.execute(query).one()
    said = {"decision": row.decision, "reasons": json.loads(row.reasons)}
    return {"person": row.name, "version": delivery.version, **said}

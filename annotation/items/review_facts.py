"""Review data on items, over all campaigns together: state, reasons, names, disagreement, notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Any, Literal, get_args

import sqlalchemy as sa

from ..forms.kind_forms.screening import DISCARD, KEEP
from ..forms.kinds import AMBIGUOUS, KEY_RIGHT, KEY_WRONG, PICTURE_PROBLEM, TO_WRITER
from ..forms.payloads import item_in
from ..progress.label_fields import reasons_field
from ..store.campaigns.tasks import list_campaigns
from ..store.counts.item_facts import TaskFacts, payloads_of, task_facts
from ..store.database.records import Annotation, Campaign
from ..workflow.adjudication import doubt_of, share_divided
from ..workflow.settlement.rounds import in_count, votes_in
from ..workflow.settlement.settle import (
    ACCEPT,
    FAILED_REVIEW,
    NEEDS_REVISION,
    NO_AGREEMENT,
    OPEN,
    OUT_OF_ROUNDS,
    REJECT,
    REVISE,
    WAITS,
    policy_of,
    settle_last,
)

ReviewState = Literal["in_review", "waiting", "rejected", "accepted", "decided"]
"""Review state of an item: begun, untouched, rejected, accepted, or answered without a rule that settles it.

If campaigns disagree about an item, the first of these counts.
"""
_ACCEPTED = {ACCEPT, KEEP, KEY_RIGHT}
"""Outcomes of tasks, over all kinds of campaigns, that leave the item as it is."""
_PLAINLY_REJECTED = {REJECT, REVISE, DISCARD}
_REJECTED = {
    *_PLAINLY_REJECTED,
    *(NEEDS_REVISION, OUT_OF_ROUNDS, NO_AGREEMENT, FAILED_REVIEW),
    *(KEY_WRONG, AMBIGUOUS, PICTURE_PROBLEM),
}
"""Outcomes that leave the item out, or change its key."""


@dataclass
class ReviewRecord:
    """The review store's data about an item, over all the item's tasks.

    Attributes:
        item_id: Id of the item, image or other record.
        state: Outcome over all campaigns: open work takes precedence, then rejections; None if no task counts.
        campaigns: Campaigns with a past or present task about it.
        reasons: Annotators' reasons, and outcomes such as `no_agreement`.
        annotators: People who decided, adjudicated or commented.
        texts: Notes, texts of forms and comments.
        divided: Share of annotators against the most frequent decision, 0 to 1, on the most divided task; None if fewer
            than two decided.
        doubt: Probability that most annotators would decide differently from most of those who did, on the most
            doubtful task; 0 if there are no decisions or an adjudicator decided.
        decisions: Number of decisions that count.
        active_at: Time of the latest decision; None if there is none.
        is_revised: Whether annotators made a new version of the item.
        has_open_flag: Whether it has a flag that no curator has settled yet.
        content: Newest content in the store, as JSON values; None unless it was read.
    """

    item_id: str
    state: ReviewState | None = None
    campaigns: set[str] = field(default_factory=set)
    reasons: set[str] = field(default_factory=set)
    annotators: set[str] = field(default_factory=set)
    texts: list[str] = field(default_factory=list)
    divided: float | None = None
    doubt: float = 0.0
    decisions: int = 0
    active_at: datetime | None = None
    is_revised: bool = False
    has_open_flag: bool = False
    content: Mapping[str, Any] | None = None


class ReviewFacts:
    """Reads the store's data about items, one campaign after another, each under its own rule."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection
        self._campaigns = {campaign.id: campaign for campaign in list_campaigns(connection)}
        self._policies = {number: policy_of(campaign) for number, campaign in self._campaigns.items()}
        self._reasons = {number: reasons_field(campaign) for number, campaign in self._campaigns.items()}

    def records(self, item_ids: Iterable[str], *, with_content: Iterable[str] = ()) -> Iterator[ReviewRecord]:
        """Yield the data about each of these items that have tasks.

        Args:
            item_ids: Ids of items, images or other records.
            with_content: Ids of items whose content is also read; the content of revised items always is.
        """
        unknown, wanted = set(with_content), sorted(set(item_ids))
        facts = task_facts(self._connection, wanted)
        records, newest = [], {}
        for item_id, of_item in groupby(facts, key=lambda fact: fact.item_id):
            tasks = list(of_item)
            record = self._record(item_id, tasks)
            if record.is_revised or item_id in unknown:
                # The current one, or else the last one.
                newest[max(tasks, key=lambda task: (task.state != "retired", task.task_id)).task_id] = record
            records.append(record)
        for task_id, payload in payloads_of(self._connection, sorted(newest)):
            newest[task_id].content = item_in(payload)
        yield from records

    def _record(self, item_id: str, tasks: Sequence[TaskFacts]) -> ReviewRecord:
        record = ReviewRecord(item_id)
        states = []
        for task in tasks:
            campaign = self._campaigns[task.campaign_id]
            record.campaigns.add(campaign.name)
            record.annotators.update(task.talkers)
            record.texts += task.remarks
            record.has_open_flag = record.has_open_flag or task.has_open_flag
            record.is_revised = record.is_revised or task.round > 1
            self._take_decisions(record, campaign, task)
            if task.state != "retired" and not task.is_gold:
                states.append(self._state(record, campaign, task))
        record.state = _together(states)
        return record

    def _take_decisions(self, record: ReviewRecord, campaign: Campaign, task: TaskFacts) -> None:
        policy = self._policies[campaign.id]
        counted, _ = in_count(policy, task.annotations, sent_back=task.adjudicated.sent_back)
        record.decisions += len(counted)
        if len(counted) > 1:
            record.divided = max(record.divided or 0.0, share_divided(counted))
        if task.adjudicated.decision is None:
            record.doubt = max(record.doubt, doubt_of(counted))
        for annotation in task.annotations:
            record.annotators.add(annotation.annotator)
            record.reasons.update(self._reasons_of(campaign, annotation))
            record.texts += _texts_of(annotation)
            record.active_at = max(filter(None, (record.active_at, annotation.submitted_at)))
        if (decision := task.adjudicated.decision) is not None:
            record.reasons.update(decision.reasons)
            record.texts += [decision.note] if decision.note else []
            record.active_at = max(filter(None, (record.active_at, decision.decided_at)))

    def _reasons_of(self, campaign: Campaign, annotation: Annotation) -> Sequence[str]:
        name = self._reasons[campaign.id]
        if name is None:
            return annotation.reasons
        given = (annotation.fields or {}).get(name, ())
        return [given] if isinstance(given, str) else given

    def _state(self, record: ReviewRecord, campaign: Campaign, task: TaskFacts) -> ReviewState:
        policy = self._policies[campaign.id]
        votes = votes_in(policy, task.annotations, task.adjudicated, is_closed=task.state == "done")
        outcome = settle_last(policy, votes, round_number=task.round)
        if outcome == OPEN:
            return "in_review" if votes.given or task.round > 1 else "waiting"
        if outcome in {WAITS, TO_WRITER}:
            return "in_review"
        if outcome in _ACCEPTED:
            return "accepted"
        if outcome not in _REJECTED:
            return "decided"
        record.reasons |= {outcome} - _PLAINLY_REJECTED
        return "rejected"


def _texts_of(annotation: Annotation) -> list[str]:
    """Return an annotator's texts in a decision: the note, the texts of a typed form, and those of proposed edits."""
    texts = [annotation.note] if annotation.note else []
    for values in (annotation.fields, annotation.edits):
        texts += list(_texts_in(values or {}))
    return texts


def _texts_in(values: Any) -> Iterator[str]:
    """Yield every text in JSON values that contains a space, which codes and letters do not."""
    if isinstance(values, str):
        if " " in values.strip():
            yield values
    elif isinstance(values, Mapping):
        for value in values.values():
            yield from _texts_in(value)
    elif isinstance(values, list | tuple):
        for value in values:
            yield from _texts_in(value)


def _together(states: Sequence[ReviewState]) -> ReviewState | None:
    """Return the state over all campaigns: open work takes precedence, then a rejection, then an acceptance."""
    return min(states, key=get_args(ReviewState).index, default=None)

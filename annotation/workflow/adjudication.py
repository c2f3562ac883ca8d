"""An adjudicator's queue: tasks left open by annotators, their answers without names, and the final decision.

Adjudicators never get an item that they judged or edited themselves. Opening a case is recorded, because an adjudicator
who has seen a case knows the key, and must not get that item in a blind campaign.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa

from benchwright.canonical import canonical_json, digest
from benchwright.errors import BenchwrightError

from ..forms.kinds import MARK
from ..forms.payloads import item_in
from ..forms.submission import Submission
from ..forms.task_content import TaskContent, content_in
from ..store.campaigns.adjudications import (
    SEND_BACK,
    add_adjudication,
    disputed_tasks,
    done_tasks,
    has_opened,
    items_judged_by,
    list_adjudicated,
    note_opened,
    own_adjudications,
    send_back,
    tasks_adjudicated_by,
)
from ..store.campaigns.decisions import list_decisions
from ..store.campaigns.revisions import round_of
from ..store.campaigns.tasks import find_task, state_of, upsert_annotator
from ..store.counts.decision_sequences import DecisionSequence, TaskSequence, list_sequences
from ..store.database.locks import hold_annotator, hold_task
from ..store.database.records import Adjudication, Annotation, Campaign, RefusedError, Task
from ..store.review_store import ReviewStore
from ..store.submissions.form_checks import edits_in, normalized
from ..store.submissions.submissions import MAX_NOTE
from .settlement.criteria import NOTE
from .settlement.revisions import by_version, open_next_rounds
from .settlement.rounds import NOBODY, in_count, votes_in, votes_in_sequence
from .settlement.settle import ACCEPT, REJECT, WAITS, SettlementPolicy, policy_of, settle

DECISIONS = ("accept", "reject", "revise", SEND_BACK)
_MAX_DECIDED = 50


class QueuedCase(NamedTuple):
    """A case in the queue.

    Args:
        task_id: Id of the task in the store.
        waits: Whether the rule leaves the task open; otherwise the rule settles it although annotators differ.
        divided: Proportion of annotators whose decision is not the most frequent one, 0 to 1.
    """

    task_id: int
    waits: bool
    divided: float


@dataclass(frozen=True)
class Case:
    """A case that an adjudicator has opened.

    Attributes:
        task_id: Id of the task in the store.
        item: The judged content.
        annotations: The annotators' decisions, in an order that hides their authors.
        waits: Whether the rule leaves the task open.
        round: Round in which the content was judged, from 1.
        is_last: Whether this is the last round, so that a revision would not get another one.
    """

    task_id: int
    item: TaskContent
    annotations: tuple[Annotation, ...]
    waits: bool
    round: int
    is_last: bool


class DecidedCase(NamedTuple):
    """A case that an adjudicator decided, with the annotators' names now included.

    Attributes:
        item: Version of the item that the annotators judged.
        adjudication: The adjudicator's decision.
        annotations: The annotators' decisions, by slot.
    """

    item: TaskContent
    adjudication: Adjudication
    annotations: tuple[Annotation, ...]


class AdjudicationQueue:
    """The queue of an adjudicator in a campaign. No method reads a clock: `now` is an argument."""

    def __init__(self, store: ReviewStore, campaign: Campaign, adjudicator: str) -> None:
        self.campaign = campaign
        self.adjudicator = adjudicator
        self._store = store
        self._policy = policy_of(campaign)

    @property
    def is_open(self) -> bool:
        """Return whether the campaign's rule calls for an adjudicator and the campaign's annotators are human."""
        rule = self._policy.rule
        takes_decisions = self._policy.rounds or self.campaign.kind == MARK or self.campaign.form.takes_choices
        return bool(takes_decisions and rule and rule.is_adjudicated)

    def queue(self, *, task: int | None = None) -> list[QueuedCase]:
        """Return the cases for this adjudicator: first those that the rule leaves open, then the most divided.

        The queue omits cases that an adjudicator decided, and items that this adjudicator judged. The database selects
        the tasks on which annotators differ or propose edits; decisions on other tasks are not read.

        Args:
            task: Id of the only task to look at; default None, all tasks.
        """
        if not self.is_open:
            return []
        disputed = disputed_tasks(self.campaign, self._policy.criteria, task=task)
        with self._store.reading() as connection:
            own = items_judged_by(connection, self.campaign, self.adjudicator)
            if self._policy.criteria:
                cases = self._cases_of_votes(connection, disputed, own, task)
            else:
                sequences = list_sequences(connection, self.campaign, among=disputed, task=task)
                cases = self._cases_of_sequences(sequences, own)
        return sorted(cases, key=lambda case: (not case.waits, -case.divided, case.task_id))

    def _cases_of_sequences(self, listed: Sequence[TaskSequence], own: set[str]) -> list[QueuedCase]:
        """Return the cases among tasks for which only the decisions and edits are known."""
        cases, known = [], dict[DecisionSequence, tuple[str, float]]()
        for task in listed:
            if task.item_id in own or task.sequence.adjudicated is not None:
                continue
            if task.sequence not in known:
                votes = votes_in_sequence(self._policy, task.sequence, is_closed=True)
                known[task.sequence] = settle(self._policy, votes), _share_divided(task.sequence)
            outcome, divided = known[task.sequence]
            if _is_case(outcome, divided):
                cases.append(QueuedCase(task.task_id, outcome == WAITS, divided))
        return cases

    def _cases_of_votes(
        self, connection: sa.Connection, disputed: sa.Select[tuple[int]], own: set[str], task: int | None
    ) -> list[QueuedCase]:
        """Return the cases in a review, taking into account the votes on all criteria and the preceding answers."""
        policy = self._policy
        annotations = by_version(list_decisions(connection, self.campaign, among=disputed))
        done = done_tasks(connection, self.campaign, among=disputed)
        adjudicated = list_adjudicated(connection, self.campaign, task=task)
        cases = []
        for key, decisions in annotations.items():
            verdict = adjudicated.get(key, NOBODY)
            if key not in done or key[0] in own or verdict.decision is not None:
                continue
            counted, _ = in_count(policy, decisions, sent_back=verdict.sent_back)
            outcome = settle(policy, votes_in(policy, decisions, verdict, is_closed=True))
            divided = share_divided(counted)
            if _is_case(outcome, divided):
                cases.append(QueuedCase(done[key], outcome == WAITS, divided))
        return cases

    def open(self, task_id: int, *, now: datetime) -> Case:
        """Return a case, and record that it has been opened.

        Raises:
            RefusedError: The case is not in this adjudicator's queue.
        """
        with self._store.batch(alone=False) as held:
            self._hold(held, task_id)
            queue = AdjudicationQueue(held, self.campaign, self.adjudicator)
            case = queue._case(task_id)
            with held.writing() as connection:
                if not has_opened(connection, task_id, self.adjudicator):
                    note_opened(connection, task_id, self.adjudicator, now=now)
        return case

    def decide(self, task_id: int, submission: Submission, *, now: datetime) -> None:
        """Store the adjudicator's decision on a case.

        A revision opens the next round. Sending back reopens the task for as many other annotators as judged it. Like
        an annotator's rejection, a rejection states reasons: those of the form, or a note if the form has none. In a
        campaign with regions, the decision follows from the fields, and the adjudicator's regions count.

        Raises:
            RefusedError: The case is not theirs, is decided, or was not opened; or it does not accept this decision.
        """
        with self._store.batch(alone=False) as held:
            self._hold(held, task_id)
            queue = AdjudicationQueue(held, self.campaign, self.adjudicator)
            case, task = queue._case(task_id), queue._task(task_id)
            checked = self._checked(case, task, submission)
            with held.writing() as connection:
                if not has_opened(connection, task_id, self.adjudicator):
                    raise RefusedError("open the case before deciding it")
                add_adjudication(connection, task_id, self.adjudicator, checked, now=now)
                if checked.decision == SEND_BACK:
                    send_back(connection, task_id, slots_more=self.campaign.slots_per_task)
            open_next_rounds(held, self.campaign, task=task_id)

    def decided(self, *, limit: int = _MAX_DECIDED) -> list[DecidedCase]:
        """Return the cases that this adjudicator decided, with the annotators' decisions, latest first."""
        with self._store.reading() as connection:
            own = own_adjudications(connection, self.campaign, self.adjudicator, limit=limit)
            their_own = tasks_adjudicated_by(self.adjudicator)
            annotations = by_version(list_decisions(connection, self.campaign, with_retired=True, among=their_own))
        return [
            DecidedCase(
                content_in(payload),
                adjudication,
                tuple(annotations.get((adjudication.item_id, adjudication.content_hash), ())),
            )
            for adjudication, payload in own
        ]

    def _checked(self, case: Case, task: Task, submission: Submission) -> Submission:
        """Check a submission, and return it with edits and fields in stored form."""
        decision, note = submission.decision, submission.note
        if self.campaign.kind == MARK and decision != SEND_BACK:
            return normalized(self.campaign.form, task.payload, submission)
        if self.campaign.form.takes_choices:
            return _checked_key(task, submission)
        if decision not in DECISIONS:
            raise RefusedError(f"decision {decision[:60]!r} is not one of {', '.join(DECISIONS)}")
        if note is not None and (len(note) > MAX_NOTE or "\0" in note):
            raise RefusedError(f"a note can have at most {MAX_NOTE} characters, and no nulls; this one has {len(note)}")
        _check_reasons(reasons_in(self.campaign), submission)
        edits = edits_in(self.campaign.form, task.payload, submission.edits)
        if (decision == "revise") != (edits is not None):
            raise RefusedError("a revision must include edits, and no other decision may include any")
        if decision == "revise" and case.is_last:
            raise RefusedError(
                f"round {case.round} is the last, so a revised item would not come back; accept or reject"
            )
        return replace(submission, edits=edits)

    def _hold(self, held: ReviewStore, task_id: int) -> None:
        """Lock the adjudicator and the task, so that a case can be decided only once."""
        with held.writing() as connection:
            hold_annotator(connection, self.adjudicator)
            hold_task(connection, task_id)

    def _case(self, task_id: int) -> Case:
        policy = self._must_be_open()
        if not self.queue(task=task_id):
            raise RefusedError("this case is not open to you, or another adjudicator has decided it; take the next one")
        task = self._task(task_id)
        with self._store.reading() as connection:
            decisions = list_decisions(connection, self.campaign, task=task_id)
            verdict = list_adjudicated(connection, self.campaign, task=task_id).get(
                (task.item_id, task.content_hash), NOBODY
            )
            round_ = round_of(connection, task_id)
        # In the order of a hash, not of slots: the order of arrival would often reveal the annotators.
        order = sorted(decisions, key=lambda decision: digest([task_id, decision.annotator]))
        return Case(
            task_id=task_id,
            item=content_in(task.payload),
            annotations=tuple(order),
            waits=settle(policy, votes_in(policy, decisions, verdict, is_closed=True)) == WAITS,
            round=round_,
            is_last=round_ >= policy.rounds and not self.campaign.form.takes_choices,
        )

    def _task(self, task_id: int) -> Task:
        with self._store.reading() as connection:
            [key] = [
                key for key, done_task_id in done_tasks(connection, self.campaign).items() if done_task_id == task_id
            ]
            return find_task(connection, self.campaign, *key)

    def _must_be_open(self) -> SettlementPolicy:
        if not self.is_open:
            raise BenchwrightError(f"campaign {self.campaign.name!r} has no adjudicator: {self.campaign.rule}")
        return self._policy


def reopen_task(store: ReviewStore, campaign: Campaign, task_id: int, curator: str, *, why: str, now: datetime) -> None:
    """Send a decided task back to as many new annotators as needed, whatever its rule and outcome.

    Earlier decisions stay on record and no longer count, as when an adjudicator sends a case back.

    Args:
        store: The review store.
        campaign: Campaign of the task.
        task_id: Id of the task in the store.
        curator: Name of the curator, who is regarded as having looked at it.
        why: Reason for reopening it.
        now: Time of the call.

    Raises:
        RefusedError: The task is open, an adjudicator has decided it, its writer has it, or its campaign counts every
            decision.
    """
    with store.batch(alone=False) as held, held.writing() as connection:
        upsert_annotator(connection, curator, kind="person")
        hold_annotator(connection, curator)
        hold_task(connection, task_id)
        if campaign.is_simulated or not _forgets_decisions(campaign):
            raise RefusedError(_CANNOT_REOPEN)
        if state_of(connection, task_id) != "done":
            raise RefusedError(IS_OPEN)
        verdicts = list_adjudicated(connection, campaign, task=task_id).values()
        if any(verdict.decision for verdict in verdicts):
            raise RefusedError(_IS_ADJUDICATED)
        if any(verdict.returned == "with_writer" for verdict in verdicts):
            raise RefusedError(_IS_WITH_WRITER)
        add_adjudication(connection, task_id, curator, Submission(SEND_BACK, note=why), now=now)
        send_back(connection, task_id, slots_more=campaign.slots_per_task)


def _forgets_decisions(campaign: Campaign) -> bool:
    """Return whether a campaign can ignore earlier decisions, so that its tasks can be reopened."""
    has_keys = campaign.form.takes_choices and policy_of(campaign).rule is not None
    return bool(campaign.form.rounds) or campaign.kind == MARK or has_keys


_CANNOT_REOPEN = "all decisions of this campaign count, so it does not ask again"
IS_OPEN = "it is not decided yet"
_IS_ADJUDICATED = "an adjudicator has decided it, and that decision stands"
_IS_WITH_WRITER = "it went back to its writer; the new version comes back automatically"


def reasons_in(campaign: Campaign) -> tuple[str, ...]:
    """Return the possible reasons for a rejection in a campaign; none if its form has no reasons."""
    return campaign.form.reasons


def _checked_key(task: Task, submission: Submission) -> Submission:
    """Check and return a submission that names an item's right option, or states in a note that none is right."""
    options = [str(choice["key"]) for choice in item_in(task.payload)["choices"]]
    if submission.decision not in {*options, REJECT, SEND_BACK}:
        known = ", ".join([*options, REJECT, SEND_BACK])
        raise RefusedError(f"decision {submission.decision[:60]!r} is not one of {known}")
    _check_reasons((), submission)
    return replace(submission, edits=None, fields=None)


def _check_reasons(known: Sequence[str], submission: Submission) -> None:
    """Check that a rejection, and only a rejection, has reasons: those of the form, or a note if the form has none."""
    decision, reasons = submission.decision, submission.reasons
    if unknown := sorted(set(reasons) - set(known)):
        raise RefusedError(
            f"reason {unknown[0][:60]!r} is not one of {', '.join(known) or 'those of this campaign, which has none'}"
        )
    if reasons and decision != "reject":
        raise RefusedError(f"decision {decision!r} has reasons, but only `reject` takes any")
    if decision != "reject" or reasons:
        return
    if known:
        raise RefusedError(f"a rejection needs a reason: one of {', '.join(known)}")
    if not (submission.note or "").strip():
        raise RefusedError("a rejection needs a note that says why")


def _is_case(outcome: str, divided: float) -> bool:
    """Return whether a task needs an adjudicator: the rule leaves it open, or annotators differ on a settled task."""
    return outcome == WAITS or (divided > 0 and outcome in {ACCEPT, REJECT})


def _share_divided(sequence: DecisionSequence) -> float:
    """Return the proportion of annotators whose decision, including edits, is not the most frequent one."""
    if not sequence.decisions:
        return 0.0
    edits = sequence.edits or (0,) * len(sequence.decisions)
    [(_, times)] = Counter(zip(sequence.decisions, edits, strict=True)).most_common(1)
    return 1 - times / len(sequence.decisions)


def share_divided(annotations: Sequence[Annotation]) -> float:
    """Return the proportion of annotators whose decision, including edits and votes, is not the most frequent one."""
    if not annotations:
        return 0.0
    votes = [
        {name: value for name, value in (annotation.fields or {}).items() if name != NOTE} for annotation in annotations
    ]
    each = Counter(
        canonical_json([annotation.decision, vote, dict(annotation.edits or {})])
        for annotation, vote in zip(annotations, votes, strict=True)
    )
    return 1 - each.most_common(1)[0][1] / len(annotations)


def doubt_of(annotations: Sequence[Annotation]) -> float:
    """Return the probability, 0 to 0.5, that most annotators would decide differently from the majority of these.

    This is the posterior probability that the leading decision's proportion is below one half, from a Beta distribution
    with a uniform prior: .25 for one vote, .125 for two equal votes, .31 for two against one, and .5 for a tie. Without
    votes it is 0, since there is no decision to doubt.
    """
    decisions = Counter(annotation.decision for annotation in annotations)
    if not decisions:
        return 0.0
    [(_, leading)] = decisions.most_common(1)
    draws, against = len(annotations) + 1, len(annotations) - leading
    return min(0.5, math.ldexp(sum(math.comb(draws, misses) for misses in range(against + 1)), -draws))

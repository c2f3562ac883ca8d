"""An adjudicator's desk: what annotators leave open, their answers without their names, and the last word on it.

Nobody adjudicates an item that they judged or edited themselves. Opening a case is on record, since whoever has seen it
knows the key: they are handed that item in no blind campaign.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from benchwright.canonical import canonical_json, digest
from benchwright.errors import BenchwrightError

from ..forms.submission import Submission
from ..forms.task_content import TaskContent, content_in
from ..store import Annotation, Campaign, RefusedError, ReviewStore, Task
from ..store.campaigns.adjudications import (
    SEND_BACK,
    add_adjudication,
    done_tasks,
    has_opened,
    items_judged_by,
    list_adjudicated,
    note_opened,
    own_adjudications,
    send_back,
)
from ..store.campaigns.decisions import list_decisions
from ..store.campaigns.revisions import round_of
from ..store.campaigns.tasks import find_task
from ..store.database.records import Adjudication
from ..store.submissions.form_checks import edits_in
from ..store.submissions.submissions import MAX_NOTE
from .criteria import NOTE
from .revisions import by_version, open_next_rounds
from .rounds import NOBODY, in_count, votes_in
from .settlement import ACCEPT, REJECT, WAITS, SettlementPolicy, policy_of, settle

DECISIONS = ("accept", "reject", "revise", SEND_BACK)
MAX_DECIDED = 50


class QueuedCase(NamedTuple):
    """A case in the queue.

    Args:
        task_id: In the store.
        waits: Whether the rule leaves it open; else annotators only differ.
        divided: Share of annotators who said something else than most, 0 to 1.
    """

    task_id: int
    waits: bool
    divided: float


@dataclass(frozen=True)
class Case:
    """One case on the desk.

    Attributes:
        task_id: In the store.
        item: As it was judged.
        annotations: What annotators said, in an order that says nothing of who they are.
        waits: Whether the rule leaves it open.
        round: In which it was judged, from 1.
        is_last: Whether this round is the last, so that a revision would not come again.
    """

    task_id: int
    item: TaskContent
    annotations: tuple[Annotation, ...]
    waits: bool
    round: int
    is_last: bool


class DecidedCase(NamedTuple):
    """A case that an adjudicator decided, now with the annotators' names.

    Attributes:
        item: Item as it was judged.
        adjudication: What the adjudicator decided.
        annotations: What the annotators said, by slot.
    """

    item: TaskContent
    adjudication: Adjudication
    annotations: tuple[Annotation, ...]


class AdjudicationQueue:
    """One adjudicator in one campaign. Nothing here reads a clock: `now` is an argument."""

    def __init__(self, store: ReviewStore, campaign: Campaign, adjudicator: str) -> None:
        self.campaign = campaign
        self.adjudicator = adjudicator
        self._store = store
        self._policy = policy_of(campaign)

    @property
    def is_open(self) -> bool:
        """Return whether the campaign's rule names an adjudicator at all, and people decide there."""
        rule = self._policy.rule
        return bool(self._policy.rounds and rule and rule.is_adjudicated)

    def queue(self) -> list[QueuedCase]:
        """Return the cases for this adjudicator: what the rule leaves open, then what annotators differ on, most first.

        Cases with a decision are not among them, nor items that the adjudicator judged.
        """
        if not self.is_open:
            return []
        policy = self._policy
        with self._store.reading() as connection:
            said = by_version(list_decisions(connection, self.campaign))
            done = done_tasks(connection, self.campaign)
            adjudicated = list_adjudicated(connection, self.campaign)
            own = items_judged_by(connection, self.campaign, self.adjudicator)
        found = []
        for key, given in said.items():
            verdict = adjudicated.get(key, NOBODY)
            if key not in done or key[0] in own or verdict.decision is not None:
                continue
            counted, _ = in_count(policy, given, sent_back=verdict.sent_back)
            outcome = settle(policy, votes_in(policy, given, verdict))
            divided = _divided(counted)
            if outcome == WAITS or (divided and outcome in {ACCEPT, REJECT}):
                found.append(QueuedCase(done[key], outcome == WAITS, divided))
        return sorted(found, key=lambda one: (not one.waits, -one.divided, one.task_id))

    def open(self, task_id: int, *, now: datetime) -> Case:
        """Return a case, and put on record that it was opened.

        Raises:
            RefusedError: It is none of this adjudicator's queue.
        """
        with self._store.batch() as held:
            desk = AdjudicationQueue(held, self.campaign, self.adjudicator)
            case = desk._case(task_id)
            with held.writing() as connection:
                if not has_opened(connection, task_id, self.adjudicator):
                    note_opened(connection, task_id, self.adjudicator, now=now)
        return case

    def decide(self, task_id: int, submission: Submission, *, now: datetime) -> None:
        """Take the adjudicator's decision on a case.

        A revision opens the next round; sending back opens the task again, to as many others as judged it. A rejection
        says why, as an annotator's does: by the form's reasons, or in a note where the form has none.

        Raises:
            RefusedError: The case is not theirs or decided, was not opened, or the decision is none that it takes.
        """
        with self._store.batch() as held:
            desk = AdjudicationQueue(held, self.campaign, self.adjudicator)
            case, task = desk._case(task_id), desk._task(task_id)
            checked = self._checked(case, task, submission)
            with held.writing() as connection:
                if not has_opened(connection, task_id, self.adjudicator):
                    raise RefusedError("open the case before deciding it")
                add_adjudication(connection, task_id, self.adjudicator, checked, now=now)
                if checked.decision == SEND_BACK:
                    send_back(connection, task_id, slots_more=self.campaign.slots_per_task)
            open_next_rounds(held, self.campaign, task=task_id)

    def decided(self, *, limit: int = MAX_DECIDED) -> list[DecidedCase]:
        """Return what this adjudicator decided, the latest first, with who said what."""
        with self._store.reading() as connection:
            own = own_adjudications(connection, self.campaign, self.adjudicator, limit=limit)
            annotations = by_version(list_decisions(connection, self.campaign, with_retired=True))
        return [
            DecidedCase(
                content_in(payload),
                adjudication,
                tuple(annotations.get((adjudication.item_id, adjudication.content_hash), ())),
            )
            for adjudication, payload in own
        ]

    def _checked(self, case: Case, task: Task, submission: Submission) -> Submission:
        """Return a submission, checked, with its edits as they are kept."""
        decision, note = submission.decision, submission.note
        if decision not in DECISIONS:
            raise RefusedError(f"decision {decision[:60]!r} is none of {', '.join(DECISIONS)}")
        if note is not None and (len(note) > MAX_NOTE or "\0" in note):
            raise RefusedError(f"a note is at most {MAX_NOTE} characters, none of them null; this one has {len(note)}")
        _check_reasons(reasons_in(self.campaign), submission)
        edits = edits_in(self.campaign.form, task.payload, submission.edits)
        if (decision == "revise") != (edits is not None):
            raise RefusedError("a revision needs edits, and no other decision takes any")
        if decision == "revise" and case.is_last:
            raise RefusedError(f"round {case.round} is the last, so a revision would not come again; accept or reject")
        return replace(submission, edits=edits)

    def _case(self, task_id: int) -> Case:
        policy = self._must_be_open()
        if task_id not in {one.task_id for one in self.queue()}:
            raise RefusedError("this case is not open to you, or somebody has decided it; take the next one")
        task = self._task(task_id)
        with self._store.reading() as connection:
            given = list_decisions(connection, self.campaign, task=task_id)
            verdict = list_adjudicated(connection, self.campaign, task=task_id).get(
                (task.item_id, task.content_hash), NOBODY
            )
            round_ = round_of(connection, task_id)
        # By a hash, not by slot: who came first would often say who it is.
        order = sorted(given, key=lambda one: digest([task_id, one.annotator]))
        return Case(
            task_id=task_id,
            item=content_in(task.payload),
            annotations=tuple(order),
            waits=settle(policy, votes_in(policy, given, verdict)) == WAITS,
            round=round_,
            is_last=round_ >= policy.rounds,
        )

    def _task(self, task_id: int) -> Task:
        with self._store.reading() as connection:
            [key] = [key for key, one in done_tasks(connection, self.campaign).items() if one == task_id]
            return find_task(connection, self.campaign, *key)

    def _must_be_open(self) -> SettlementPolicy:
        if not self.is_open:
            raise BenchwrightError(f"campaign {self.campaign.name!r} has no adjudicator: {self.campaign.rule}")
        return self._policy


def reasons_in(campaign: Campaign) -> tuple[str, ...]:
    """Return the reasons that a rejection in a campaign takes; none where its form has none."""
    return tuple(campaign.form.get("reasons", ()))


def _check_reasons(known: Sequence[str], submission: Submission) -> None:
    """Check that a rejection, and nothing else, says why: by reasons that the form knows, or in a note without any."""
    decision, reasons = submission.decision, submission.reasons
    if unknown := sorted(set(reasons) - set(known)):
        raise RefusedError(
            f"reason {unknown[0][:60]!r} is none of {', '.join(known) or 'this campaign, which has none'}"
        )
    if reasons and decision != "reject":
        raise RefusedError(f"decision {decision!r} comes with reasons; only `reject` does")
    if decision != "reject" or reasons:
        return
    if known:
        raise RefusedError(f"a rejection needs a reason: one of {', '.join(known)}")
    if not (submission.note or "").strip():
        raise RefusedError("a rejection needs a note that says why")


def _divided(said: Sequence[Annotation]) -> float:
    """Return the share of annotators who said something else than most; edits and votes count as what is said."""
    if not said:
        return 0.0
    votes = [{name: value for name, value in (one.fields or {}).items() if name != NOTE} for one in said]
    each = Counter(
        canonical_json([one.decision, vote, dict(one.edits or {})]) for one, vote in zip(said, votes, strict=True)
    )
    return 1 - each.most_common(1)[0][1] / len(said)

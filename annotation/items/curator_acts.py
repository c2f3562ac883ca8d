"""A curator's actions on images and items: withdraw, restore, assign or reopen many, and decide divided ones.

An act is planned first: the plan lists the records it would change, and why it cannot change the others. The rules are
those of other modules. Withdrawing, restoring and undoing are overrides of verdicts of steps, as on the command line.
Deciding is adjudication, as on the adjudicator's page, and reopening is sending back. The audit log records each act.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from benchwright.errors import BenchwrightError
from benchwright.overrides import Override
from benchwright.workspace.record_lookup import KnownRecord

from ..exchange.overrides import OverrideRequests
from ..forms.submission import Submission
from ..store.accounts.campaign_access import AccessControl
from ..store.campaigns.adjudications import has_opened, note_seen
from ..store.campaigns.overrides import OverrideStore
from ..store.campaigns.tasks import list_campaigns, upsert_annotator
from ..store.counts.item_facts import task_facts
from ..store.database.records import Lease, RefusedError
from ..store.review_store import ReviewStore
from ..workflow.adjudication import AdjudicationQueue, reopen_task, share_divided
from ..workflow.settlement.rounds import in_count
from ..workflow.settlement.settle import ACCEPT, REJECT, WAITS, policy_of
from .item_history import RecordHistory, ReviewedTask

Act = Literal["withdraw", "restore", "undo"]
ACTS: tuple[Act, ...] = get_args(Act)
LONGEST_WHY = 2000


@dataclass(frozen=True)
class ActPlan:
    """The effects of an action.

    Attributes:
        act: The act.
        overrides: Decisions to add or, for `undo`, to withdraw; one or more for each record that would change.
        refused: Messages about the records that would not change, each with the number of records, the most frequent
            first.
    """

    act: Act
    overrides: Sequence[Override]
    refused: Sequence[tuple[str, int]]

    @property
    def record_ids(self) -> list[str]:
        """Return the ids of the records that would change."""
        return list(dict.fromkeys(override.record_id for override in self.overrides))


class AssignedTasks(NamedTuple):
    """Tasks that a curator assigned to a person, and the reasons why others were not assigned, with numbers."""

    name: str
    leases: Sequence[Lease]
    refused: Sequence[tuple[str, int]]


class ReopenedTasks(NamedTuple):
    """The number of reopened tasks, and the reasons why others were not reopened, with the number for each."""

    tasks: int
    refused: Sequence[tuple[str, int]]


class CuratorActs:
    """Actions of one curator in one workspace. No method reads a clock: `now` is an argument.

    Args:
        workspace: Folder of the workspace.
        store: Its review store.
        curator: Name of the curator.
    """

    def __init__(self, workspace: Path, store: ReviewStore, curator: str) -> None:
        self._workspace = workspace
        self._store = store
        self._curator = curator

    def plan(self, act: Act, records: Iterable[KnownRecord], *, why: str) -> ActPlan:
        """Return the effects of an action on these records, without carrying it out.

        Raises:
            BenchwrightError: A required reason is empty, or the reason is too long or not a line of text; or the
                workspace has had no run.
        """
        line = _checked_reason(why, needed=act != "undo")
        chosen = list(records)
        if act == "undo":
            ids = {record.record_id for record in chosen}
            in_force = [stored.override for stored in OverrideStore(self._store).in_force()]
            wanted = [override for override in in_force if override.record_id in ids]
            missing = len(ids) - len({override.record_id for override in wanted})
            return ActPlan(act, wanted, [(NOTHING_BY_HAND, missing)] if missing else [])
        requests = OverrideRequests(self._workspace, by=self._curator, why=line)
        make = requests.withdrawn if act == "withdraw" else lambda record: requests.restored(record, None)
        return self._planned(act, chosen, make)

    @staticmethod
    def _planned(act: Act, records: Sequence[KnownRecord], make: Callable[[KnownRecord], Override]) -> ActPlan:
        wanted: list[Override] = []
        refused: Counter[str] = Counter()
        for record in records:
            try:
                if not record.root_image_id:
                    raise BenchwrightError(_NOT_OF_THIS_RUN)
                wanted.append(make(record))
            except BenchwrightError as error:
                refused[_without_id(str(error), record.record_id)] += 1
        return ActPlan(act, wanted, refused.most_common())

    def do(self, plan: ActPlan, *, why: str = "", now: datetime) -> list[Override]:
        """Carry out a plan, completely or not at all, and return the new decisions."""
        store = OverrideStore(self._store)
        if plan.act != "undo":
            return store.decide(plan.overrides, now=now)
        in_force = {stored.override for stored in store.in_force()}
        undone = [override for override in plan.overrides if override in in_force]
        store.undo(undone, by=self._curator, why=_checked_reason(why, needed=False), now=now)
        return undone

    def may_be_asked(self, history: RecordHistory) -> bool:
        """Return whether the curator may still have to judge a record, and must therefore not see its key or votes yet.

        This applies while a task about the record is open in a campaign with human annotators in which the curator may
        decide, until they have judged the record or looked at it (`note_looked`).
        """
        access = AccessControl(self._store)
        return any(
            task.facts.state == "open"
            and not task.campaign.is_simulated
            and self._curator not in task.facts.openers
            and all(annotation.annotator != self._curator for annotation in task.facts.annotations)
            and (not task.campaign.is_for_assigned or access.of(task.campaign.name).admits(self._curator))
            for task in history.tasks
        )

    def note_looked(self, history: RecordHistory, *, now: datetime) -> None:
        """Record that the curator has seen a record's key and the other people's decisions on it.

        Like an adjudicator, they can then neither judge it nor answer it blind in any campaign.
        """
        with self._store.reading() as connection:
            unseen = [task for task in history.tasks if not has_opened(connection, task.facts.task_id, self._curator)]
        if not unseen:
            return
        with self._store.writing() as connection:
            upsert_annotator(connection, self._curator, kind="person")
            for task in unseen:
                note_seen(connection, task.facts.task_id, self._curator, now=now)

    def assign(self, record_ids: Sequence[str], name: str, *, now: datetime) -> AssignedTasks:
        """Reserve the open tasks about records for a person, who gets these before all other tasks, for `ASSIGNED_FOR`.

        No annotator loses a task. A task without free slots, or one that the person has decided, wrote or may not
        answer blind, stays as it is.

        Args:
            record_ids: Ids of the records.
            name: Name of the person.
            now: Time of the call.
        """
        with self._store.reading() as connection:
            facts = [task for task in task_facts(connection, record_ids) if task.state == "open"]
            campaigns = {campaign.id: campaign for campaign in list_campaigns(connection)}
        assigned: list[Lease] = []
        refused: Counter[str] = Counter()
        without = len(set(record_ids) - {task.item_id for task in facts})
        if without:
            refused[NO_OPEN_TASK] = without
        self._store.upsert_annotator(name)
        for task in facts:
            campaign = campaigns[task.campaign_id]
            try:
                if campaign.is_simulated:
                    raise RefusedError(NO_OPEN_TASK)
                until = now + ASSIGNED_FOR
                lease = self._store.assign_task(campaign, name, task.task_id, by=self._curator, now=now, until=until)
                assigned.append(lease)
            except RefusedError as error:
                refused[str(error)] += 1
        return AssignedTasks(name, tuple(assigned), refused.most_common())

    def reopen(self, record_ids: Sequence[str], *, why: str, now: datetime) -> ReopenedTasks:
        """Reopen decided tasks about records, each task for as many further annotators as its rule requires.

        Args:
            record_ids: Ids of the records.
            why: Reason, on one line.
            now: Time of the call.

        Raises:
            BenchwrightError: The reason is empty, too long, or not a line of text; nothing has changed.
        """
        line = _checked_reason(why, needed=True)
        with self._store.reading() as connection:
            facts = [task for task in task_facts(connection, record_ids) if task.state != "retired"]
            campaigns = {campaign.id: campaign for campaign in list_campaigns(connection)}
        reopened = 0
        refused: Counter[str] = Counter()
        if without := len(set(record_ids) - {task.item_id for task in facts}):
            refused[NO_TASK] = without
        for task in facts:
            campaign = campaigns[task.campaign_id]
            try:
                reopen_task(self._store, campaign, task.task_id, self._curator, why=line, now=now)
                reopened += 1
            except RefusedError as error:
                refused[str(error)] += 1
        return ReopenedTasks(reopened, refused.most_common())

    def take_back(self, assigned: AssignedTasks, *, now: datetime) -> None:
        """Withdraw the assigned slots, except those decided in the meantime."""
        for lease in assigned.leases:
            self._store.release(lease.slot_id, assigned.name, now=now)

    def decide_task(self, task: ReviewedTask, submission: Submission, *, now: datetime) -> None:
        """Decide a task as an adjudicator, or send it back to further annotators (`send_back`).

        Raises:
            RefusedError: The task is not open to this curator, or does not accept this decision.
        """
        queue = AdjudicationQueue(self._store, task.campaign, self._curator)
        queue.open(task.facts.task_id, now=now)
        queue.decide(task.facts.task_id, submission, now=now)


ASSIGNED_FOR = timedelta(days=7)
"""Time for which a task that a curator assigns is reserved for that person."""
NO_OPEN_TASK = "no open task asks about it"
NO_TASK = "no task asks about it"
NOTHING_BY_HAND = "nothing was decided by hand about it"
_NOT_OF_THIS_RUN = "the last run did not make it, so no step of the run can drop it or bring it back"


def may_be_decided(task: ReviewedTask, curator: str) -> bool:
    """Return whether a curator may decide a task as an adjudicator, by the conditions of the adjudicator's queue.

    The rule names an adjudicator, the annotators have left the task open or disagree on it, it has not been adjudicated
    since, and the curator has not judged the item.
    """
    policy = policy_of(task.campaign)
    if not (policy.rounds and policy.rule and policy.rule.is_adjudicated) or task.facts.state != "done":
        return False
    if task.facts.adjudicated.decision is not None or any(a.annotator == curator for a in task.facts.annotations):
        return False
    counted, _ = in_count(policy, task.facts.annotations, sent_back=task.facts.adjudicated.sent_back)
    return task.outcome == WAITS or (task.outcome in {ACCEPT, REJECT} and share_divided(counted) > 0)


def _checked_reason(why: str, *, needed: bool) -> str:
    """Return a curator's reason as one line.

    Raises:
        BenchwrightError: It is required but missing, is too long, or has unprintable characters.
    """
    line = " ".join(why.split())
    if (needed and not line) or len(line) > LONGEST_WHY or not line.isprintable():
        raise BenchwrightError(f"give a reason in one line: 1 to {LONGEST_WHY} printable characters")
    return line


def _without_id(message: str, record_id: str) -> str:
    """Return a message about one record, reworded so that it applies to any record."""
    return message.replace(repr(record_id), "it").replace(record_id, "it")

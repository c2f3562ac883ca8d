"""An annotator's task queue: the present task, the annotator's earlier decisions, and drafts.

Everything an annotator may see or do goes through this module, on every page. A queue belongs to one annotator and
shows no other annotator's tasks, decisions or notes.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from benchwright.canonical import canonical_json
from benchwright.errors import BenchwrightError

from ..forms.assignment_settings import assignment_settings_of
from ..forms.payloads import Proposals, beside_in, previous_in, proposals_in, sizes_in
from ..forms.submission import Submission
from ..forms.task_content import TaskContent, content_in
from ..store.assignment.next_task import left_for
from ..store.assignment.quotas import even_part
from ..store.assignment.task_queue import (
    ALL_VERSIONS,
    MAX_HISTORY,
    OWN_HISTORY,
    OWN_TASK,
    OWNER,
    SLOT_AT,
    OwnProgress,
    count_own,
    drop_draft,
    put_draft,
    put_skip,
)
from ..store.campaigns.authors import written_in
from ..store.campaigns.decisions import annotation_of
from ..store.campaigns.gold import GoldMarks
from ..store.campaigns.set_asides import is_paused
from ..store.database.locks import hold_annotator
from ..store.database.records import Annotation, Campaign, RefusedError, StaleError
from ..store.review_store import ReviewStore
from ..store.submissions.comments import Comment, add_remark, own_remarks
from ..store.submissions.pre_key_answers import answer_blind, blind_answer
from .accepted_gold import fill_gold
from .drafts import KeptDraft, SeenDraft, is_behind, merged, most_draft_bytes, read_draft, revision_of
from .gold_regions import is_right
from .settlement.closing import close_early
from .settlement.further_votes import estimate_anew
from .settlement.marked_regions import compare_regions
from .settlement.revisions import open_next_rounds

logger = logging.getLogger(__name__)

_LARGEST_ID = 2**31 - 1


@dataclass(frozen=True)
class OwnTask:
    """A task that an annotator holds or has decided.

    Attributes:
        task_id: Id of the task in the store.
        slot_id: Id of the slot that a decision fills.
        item: Item, or other content, to judge.
        annotation: The annotator's newest decision, or None if there is none.
        draft: Draft of a decision, as JSON values; empty if there is none.
        is_current: Whether the item is unchanged; decisions on changed items can no longer be changed.
        beside: Texts to show next to the item, each with `label` and `text`.
        answered: Answer given before the key was shown, if the campaign asks for one; None if it has not been given
            yet.
        remarks: The annotator's own comments and flags.
        revision: Revision of the draft; 0 if there is none.
        shortest_s: Shortest believable time of a decision, in seconds (`forms.shortest_time`); None if unknown.
        takes_regions: Whether the size of its first picture is known, so that regions can be marked on it.
        shown_slot: Slot id for the browser. A gold task has extra slots, whose high ids would reveal it; for these it
            is the id of another slot of the task.
        proposals: A model's drafts for the form, or None if there is none.
        has_writer: Whether an annotator wrote the item in a campaign, so that it may go back to them.
    """

    task_id: int
    slot_id: int
    item: TaskContent
    annotation: Annotation | None
    draft: Mapping[str, Any]
    is_current: bool
    beside: Sequence[Mapping[str, str]] = ()
    answered: str | None = None
    remarks: Sequence[Comment] = ()
    shown_slot: int = 0
    revision: int = 0
    shortest_s: float | None = None
    takes_regions: bool = False
    proposals: Proposals | None = None
    has_writer: bool = False

    @property
    def seen(self) -> SeenDraft:
        """Return the versions that a window has shown if it shows this task in its present state."""
        return SeenDraft(0 if self.annotation is None else self.annotation.version, self.revision)


class GoldFeedback(NamedTuple):
    """Feedback to an annotator on a gold item that they decided, if the campaign's settings allow feedback.

    Args:
        item: The item.
        decision: Their decision.
        right: The right decision.
        why: Reason why it is right, or None if there is none.
        is_right: Whether their decision is right, with the right marks within the tolerance.
    """

    item: TaskContent
    decision: str
    right: str
    why: str | None
    is_right: bool


class HistoryEntry(NamedTuple):
    """A line in an annotator's own history."""

    task_id: int
    item: TaskContent
    annotation: Annotation
    is_current: bool
    earlier: Sequence[Annotation] = ()
    """Earlier versions of the annotation, oldest first."""
    remarks: Sequence[Comment] = ()


class AnnotatorProgress(NamedTuple):
    """Progress of an annotator in a campaign, as numbers of tasks."""

    decided: int
    left: int
    """Number of open tasks that this annotator holds or could still take."""


class TaskQueue:
    """The task queue of an annotator in a campaign. No method reads a clock: `now` is an argument."""

    def __init__(self, store: ReviewStore, campaign: Campaign, annotator: str) -> None:
        self.campaign = campaign
        self.annotator = annotator
        self._store = store
        hand_out = assignment_settings_of(campaign.settings)
        self._lease_s = hand_out.lease_s
        self._tells_gold = hand_out.gold_feedback
        self._spares_votes = hand_out.further_votes is not None
        self._may_close = hand_out.close_decided or self._spares_votes

    def next(self, *, now: datetime) -> OwnTask | None:
        """Return the next task, with its lease renewed; None if no task is left.

        Raises:
            RefusedError: The annotator is of the wrong kind for the campaign.
        """
        lease = self._store.claim(self.campaign, self.annotator, now=now, lease_s=self._lease_s)
        return None if lease is None else self._as_own_task(self._own_row(lease.task_id, now=now))

    def hold(self, most: int, *, now: datetime) -> list[int]:
        """Return the ids of the tasks that the annotator holds, in order, after taking more, up to `most` in all.

        Apart from the first task, it takes no more than the annotator's part of the campaign, so that the last tasks go
        to annotators who have time for them.

        Raises:
            RefusedError: The annotator is of the wrong kind for the campaign.
        """
        own = min(most, self.share_left(self.progress(now=now)))
        return self._store.claim_ahead(self.campaign, self.annotator, most=max(1, own), now=now, lease_s=self._lease_s)

    def give_back(self, task_ids: Sequence[int], *, since: datetime, now: datetime) -> None:
        """Return to the queue those tasks that the annotator holds but has not seen; their drafts are kept.

        Args:
            task_ids: Ids of the tasks; other annotators' tasks and decided ones are left unchanged.
            since: Time at which the window that gives them back last took them. A task whose lease another window
                renewed later is not returned.
            now: Time of the call.
        """
        latest = since + timedelta(seconds=self._lease_s)
        for task_id in task_ids:
            with suppress(RefusedError):
                row = self._own_row(task_id, now=now)
                if row.decided_at is None and row.lease_until <= latest:
                    self._store.release(row.slot_id, self.annotator, now=now)

    def open(self, task_id: int, *, now: datetime) -> OwnTask:
        """Return one of the annotator's own tasks, held or decided, and renew its lease if it is held.

        Raises:
            RefusedError: The task is not this annotator's.
        """
        row = self._own_row(task_id, now=now)
        if row.decided_at is None:
            self._store.claim(self.campaign, self.annotator, now=now, lease_s=self._lease_s, task=task_id)
        return self._as_own_task(row)

    def task(self, task_id: int, *, now: datetime) -> OwnTask:
        """Return one of the annotator's own tasks as `open` does, but without renewing the lease.

        Raises:
            RefusedError: The task is not this annotator's.
        """
        return self._as_own_task(self._own_row(task_id, now=now))

    def gold_feedback(self, task_id: int, *, now: datetime) -> GoldFeedback | None:
        """Return the feedback on a gold task that the annotator decided; None for other tasks, or without feedback.

        Raises:
            RefusedError: The task is not this annotator's.
        """
        if not self._tells_gold:
            return None
        row = self._own_row(task_id, now=now)
        if row.gold is None or row.decision is None:
            return None
        item = content_in(json.loads(row.payload))
        return GoldFeedback(item, row.decision, row.gold, row.gold_why, self._is_right(row))

    def _is_right(self, row: sa.Row[Any]) -> bool:
        """Return whether the annotator decided a gold task correctly, with any regions within the tolerance."""
        if row.gold_regions is None:
            return bool(row.decision == row.gold)
        fields, known = json.loads(row.fields or "{}"), json.loads(row.gold_regions)
        marks = GoldMarks(self.annotator, row.decision, row.gold, fields, known, json.loads(row.payload))
        return is_right(self.campaign, marks)

    def slot_of(self, task_id: int, *, now: datetime) -> int:
        """Return the id of the annotator's slot in a task that they hold or have decided.

        Raises:
            RefusedError: The task is not this annotator's.
        """
        return int(self._own_row(task_id, now=now).slot_id)

    def _as_own_task(self, row: sa.Row[Any]) -> OwnTask:
        payload = json.loads(row.payload)
        with self._store.reading() as connection:
            answered = blind_answer(connection, row.task_id, self.annotator)
            remarks = own_remarks(connection, [row.task_id], self.annotator).get(row.task_id, ())
        return OwnTask(
            task_id=row.task_id,
            slot_id=row.slot_id,
            item=content_in(payload),
            annotation=None if row.decision is None else annotation_of(row),
            draft=_draft_of(row, payload),
            is_current=bool(row.is_current),
            beside=tuple(beside_in(payload)),
            answered=answered,
            remarks=tuple(remarks),
            shown_slot=self._shown_slot(row),
            revision=revision_of(row.saved_at),
            shortest_s=row.shortest_s,
            takes_regions=bool(sizes_in(payload)),
            proposals=proposals_in(payload),
            has_writer=written_in(payload) is not None,
        )

    def _settle(self, held: ReviewStore, task_id: int) -> None:
        """Compare a task's regions, close the task if it is settled or certain, open a round, and make gold from it."""
        compare_regions(held, self.campaign, task=task_id)
        close_early(held, self.campaign, task=task_id)
        open_next_rounds(held, self.campaign, task=task_id)
        fill_gold(held, self.campaign, task=task_id)

    def answer(self, slot_id: int, answer: str, *, now: datetime) -> None:
        """Store an answer given before the key is shown; `open` then returns the answer, which cannot be changed.

        Raises:
            RefusedError: As `pre_key_answers.answer_blind`.
        """
        with self._store.batch(alone=False) as held, held.writing() as connection:
            if answer_blind(connection, slot_id, self.annotator, answer, now=now):
                drop_draft(connection, slot_id, self.annotator)

    def submit(self, slot_id: int, submission: Submission, *, now: datetime, seen_version: int | None = None) -> None:
        """Store a decision on a slot and remove the draft; a changed decision becomes the newest version.

        If it is the last decision that a revision needs, the next round of the item also opens.

        Args:
            slot_id: Id of the slot of the task, from `OwnTask`.
            submission: Decision, with its fields, reasons and edits.
            now: Time of the decision.
            seen_version: Version of the decision that the window showed; default None, unknown.

        Raises:
            RefusedError: As `ReviewStore.submit`; a `StaleError` if another version was submitted since `seen_version`.
        """
        self._store.submit(
            slot_id,
            self.annotator,
            submission,
            now=now,
            amend=True,
            seen_version=seen_version,
            then=self._settle,
            may_close=self._may_close,
        )
        if self._spares_votes:
            self._estimate_anew()
        self._pause_if_careless(slot_id, now=now)

    def _pause_if_careless(self, slot_id: int, *, now: datetime) -> None:
        """Pause the annotator if the campaign's limits require it; the decision stays stored even if pausing fails."""
        from .pausing import pause_if_careless

        try:
            pause_if_careless(self._store, self.campaign, self.annotator, slot_id, now=now)
        except (BenchwrightError, sa.exc.SQLAlchemyError):
            logger.warning("whether to pause an annotator of %r is not known", self.campaign.name, exc_info=True)

    @property
    def is_paused(self) -> bool:
        """Return whether the annotator's votes in the campaign are set aside, so that they get no further tasks."""
        with self._store.reading() as connection:
            return is_paused(connection, self.campaign, self.annotator)

    def _estimate_anew(self) -> None:
        """Renew the estimates for the annotators if due; the decision stays stored even if renewal fails.

        A failed estimate remains due and is repeated with the next decision or by the next run.
        """
        try:
            estimate_anew(self._store, self.campaign)
        except (BenchwrightError, sa.exc.SQLAlchemyError):
            logger.warning("annotators of campaign %r could not be estimated again", self.campaign.name, exc_info=True)

    def skip(self, task_id: int, *, now: datetime) -> None:
        """Return a task undecided and keep its draft; this annotator gets the task again once no others are left.

        Raises:
            RefusedError: The task is not this annotator's, or is decided.
        """
        with self._store.batch(alone=False) as held, held.writing() as connection:
            hold_annotator(connection, self.annotator)
            row = TaskQueue(held, self.campaign, self.annotator)._own_row(task_id, now=now)
            if row.decided_at is not None:
                raise RefusedError("this task is decided; change the decision, or leave it")
            held.release(row.slot_id, self.annotator, now=now)
            put_skip(connection, task_id, self.annotator, now)

    def save_draft(
        self, task_id: int, draft: Mapping[str, Any], *, now: datetime, seen: SeenDraft | None = None
    ) -> KeptDraft:
        """Store a draft, and return everything that is then stored.

        Args:
            task_id: Id of the task.
            draft: Texts and choices so far.
            now: Time of the call.
            seen: Versions that the sending window showed; default None, which overwrites the stored draft.

        Raises:
            StaleError: A decision or another draft came from another window since. This draft is still stored: as the
                draft if there is none, otherwise next to the stored one.
            RefusedError: The task is not this annotator's, or the draft is too long.
        """
        most = most_draft_bytes(self.campaign.form)
        if len(canonical_json(dict(draft)).encode("utf-8", "surrogatepass")) > most:
            raise RefusedError(f"a draft can have at most {most // 1024} kB")
        self._own_row(task_id, now=now)
        with self._store.batch(alone=False) as held, held.writing() as connection:
            hold_annotator(connection, self.annotator)
            row = TaskQueue(held, self.campaign, self.annotator)._own_row(task_id, now=now)
            kept = read_draft(row.body, row.saved_at)
            behind = seen is not None and is_behind(kept, draft, seen)
            is_decided = seen is not None and (row.version or 0) != seen.version
            body = merged(kept, draft, is_behind=behind)
            # Stored next to another draft, it makes no new revision: for that draft's window nothing has changed.
            saved_at = row.saved_at if behind else max(now, row.saved_at or now)
            put_draft(connection, task_id, self.annotator, canonical_json(body), saved_at)
        if behind or is_decided:
            raise StaleError("you have since decided or written something else about this in another window")
        return KeptDraft(body, revision_of(saved_at))

    def check_seen(self, task_id: int, draft: Mapping[str, Any], seen: SeenDraft, *, now: datetime) -> None:
        """Check that the window in which an annotator decides showed what they wrote in other windows.

        If it did not, its draft is stored.

        Args:
            task_id: Id of the task.
            draft: Texts and choices in the window, as in a draft.
            seen: Versions that the window showed.
            now: Time of the call.

        Raises:
            StaleError: The window did not show it.
            RefusedError: The task is not this annotator's.
        """
        row = self._own_row(task_id, now=now)
        if is_behind(read_draft(row.body, row.saved_at), draft, seen):
            with suppress(StaleError):
                self.save_draft(task_id, draft, now=now, seen=seen)
            raise StaleError(
                "you have since written something else about this in another window; both texts are kept and "
                "shown here: look at them, and decide again"
            )

    def remark(self, task_id: int, words: str, *, is_flag: bool, now: datetime) -> None:
        """Store a comment on one of the annotator's own tasks, or flag the task for a curator; its state is unchanged.

        Raises:
            RefusedError: The task is not this annotator's, or the text is not accepted.
        """
        self._own_row(task_id, now=now)
        with self._store.writing() as connection:
            add_remark(connection, task_id, self.annotator, words, is_flag=is_flag, now=now)

    def history(self, *, limit: int = MAX_HISTORY, after: int = 0) -> list[HistoryEntry]:
        """Return the annotator's own decisions in this campaign, latest first, skipping the first `after` decisions."""
        with self._store.reading() as connection:
            rows = connection.execute(OWN_HISTORY, self._annotator_parameters | {"most": limit, "after": after}).all()
            versions = connection.execute(ALL_VERSIONS, {"slots": [row.slot_id for row in rows]}).all()
            remarks = own_remarks(connection, [row.task_id for row in rows], self.annotator)
        by_slot: dict[int, list[sa.Row[Any]]] = {}
        for version in versions:
            by_slot.setdefault(version.slot_id, []).append(version)
        return [
            HistoryEntry(
                row.task_id,
                content_in(json.loads(row.payload)),
                annotation_of(row),
                bool(row.is_current),
                tuple(annotation_of(version) for version in by_slot[row.slot_id][:-1]),
                tuple(remarks.get(row.task_id, ())),
            )
            for row in rows
        ]

    def progress(self, *, now: datetime) -> AnnotatorProgress:
        """Return how many tasks are decided and how many are left."""
        return self.progress_of(self.counts(now=now))

    def progress_of(self, own: OwnProgress) -> AnnotatorProgress:
        """Return how many tasks are decided and how many are left, from the store's counts."""
        had = own.decided + own.ahead.held
        return AnnotatorProgress(own.decided, left_for(self.campaign, self.annotator, had=had, ahead=own.ahead))

    def counts(self, *, now: datetime) -> OwnProgress:
        """Return how many tasks are decided, held, and still available, as the store counts them."""
        with self._store.reading() as connection:
            return count_own(connection, self.campaign, self.annotator, now)

    def share_left(self, progress: AnnotatorProgress) -> int:
        """Return how many remaining tasks are in this annotator's even share of the campaign; 0 once the share is done.

        If the campaign's settings give shares, they already limit the remaining tasks. Otherwise all who may decide
        share the work evenly: of 196 tasks that take two annotators each, each of five gets 79.
        """
        settings = assignment_settings_of(self.campaign.settings)
        if self.annotator in settings.shares or settings.share is not None:
            return progress.left
        with self._store.reading() as connection:
            part = even_part(connection, self.campaign, self.annotator)
        return max(0, min(progress.left, part - progress.decided))

    def _shown_slot(self, row: sa.Row[Any]) -> int:
        """Return the slot's id, or, for a slot that not every task has, the id of a slot that every task has."""
        if row.slot <= self.campaign.slots_per_task:
            return int(row.slot_id)
        place = (row.slot - 1) % self.campaign.slots_per_task + 1
        with self._store.reading() as connection:
            return int(connection.execute(SLOT_AT, {"task": row.task_id, "place": place}).scalar_one())

    @property
    def _annotator_parameters(self) -> dict[str, Any]:
        return {"campaign": self.campaign.id, "name": self.annotator}

    def _own_row(self, task_id: int, *, now: datetime) -> sa.Row[Any]:
        with self._store.reading() as connection:
            parameters = self._annotator_parameters | {"task": task_id}
            row = connection.execute(OWN_TASK, parameters).one_or_none() if is_id(task_id) else None
        if row is None or (row.decided_at is None and row.lease_until <= now):
            raise RefusedError("this task is not yours, or no longer is; take the next one")
        return row


def is_id(number: int) -> bool:
    """Return whether a number in a request can be a task's id; databases refuse to compare larger numbers."""
    return 0 < number <= _LARGEST_ID


def may_see(store: ReviewStore, task_id: int, annotator: str, *, now: datetime) -> bool:
    """Return whether an annotator holds a task or has decided it, and may therefore see its pictures."""
    if not is_id(task_id):
        return False
    with store.reading() as connection:
        row = connection.execute(OWNER, {"task": task_id, "name": annotator}).one_or_none()
    return row is not None and (row.submitted_at is not None or row.lease_until > now)


def _draft_of(row: sa.Row[Any], payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a task's draft, or the earlier text for a task that came back to its writer and has not been begun."""
    if row.body is not None:
        return dict(json.loads(row.body))
    previous = previous_in(payload).get(row.slot)
    return {} if previous is None or row.decision is not None else {"fields": previous}

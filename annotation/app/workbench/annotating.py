"""An annotator's work in a campaign: their held tasks, and their actions on each task."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

from ...forms.kinds import ATTENTION
from ...forms.shortest_time import is_too_fast
from ...store.accounts.accounts import Account
from ...store.conversations.messages import Message, confirm_message, unread_messages
from ...store.database.records import Campaign, RefusedError, StaleError
from ...workflow.task_queue import TaskQueue
from ..base.attention_words import attention_in_language
from ..base.option_letters import question_in_words
from ..base.state import AppState, clock
from ..helping.usable_helpers import warm_helpers
from ..task_card.card import card_of, decision_in_words, is_blind
from ..task_card.card_event import CardEvent
from ..wording.texts import TEXTS
from .work import AHEAD, EventResult, WorkProgress, WorkTask, pictures_of, require_shown

_MOST_SHORTEST_S = 30.0
"""Seconds above which a decision's speed need not be checked, because no item takes that long to read."""


class AnnotatorWork:
    """The work of one annotator in one campaign.

    Args:
        state: State of the app.
        account: The annotator's account.
        campaign: The campaign.
    """

    def __init__(self, state: AppState, account: Account, campaign: Campaign) -> None:
        self._state = state
        self._queue = TaskQueue(state.store, campaign, account.name)

    def held(self, skipped: Sequence[int]) -> list[int]:
        """Return the ids of the tasks that the annotator holds, after taking the next ones; the store records skips."""
        del skipped
        return self._queue.hold(1 + AHEAD, now=clock())

    def give_back(self, task_ids: Sequence[int], *, since: datetime) -> None:
        """Return unseen tasks to the queue, unless another window took them after `since`."""
        self._queue.give_back(task_ids, since=since, now=clock())

    def has(self, task_id: int) -> bool:
        """Return whether a task is one of the annotator's own, held or decided."""
        try:
            self._queue.task(task_id, now=clock())
        except RefusedError:
            return False
        return True

    def task(self, task_id: int) -> WorkTask:
        """Return one of the annotator's own tasks, held or decided, and prepare its pictures.

        Raises:
            RefusedError: The task does not belong to this annotator.
        """
        task = self._queue.task(task_id, now=clock())
        card = card_of(task, self._queue.campaign)
        self._state.pictures.warm(task.item.images)
        state = self._state
        warm_helpers(state.helpers, self._queue.campaign, task.item.images, state.pictures.size)
        pictures = pictures_of(self._state, task_id, task.item, can_be_chosen=card.letters_choose)
        return WorkTask(task_id, card, pictures)

    def carry_out(self, event: CardEvent) -> EventResult:
        """Carry out an action of the annotator.

        Raises:
            BenchwrightError: The action is refused; if the task is still theirs, their input is kept as a draft.
        """
        queue, now = self._queue, clock()
        if event.does == "undo":
            entries = queue.history(limit=2)
            latest = next((entry for entry in entries if entry.task_id != event.task), None)
            if latest is None:
                return EventResult(event.task, TEXTS["nothing_to_undo"])
            return EventResult(latest.task_id)
        if event.does in {"comment", "flag"}:
            is_flag = event.does == "flag"
            queue.remark(event.task, event.submission.note or "", is_flag=is_flag, now=now)
            return EventResult(event.task, TEXTS["flag_kept" if is_flag else "comment_kept"])
        if event.does == "skip":
            queue.skip(event.task, now=now)
            return EventResult()
        if queue.campaign.form.blind_first and is_blind(task := queue.task(event.task, now=now), queue.campaign):
            require_shown(self._state, event.task)
            queue.answer(task.slot_id, event.submission.decision, now=now)
            return EventResult(event.task)  # the same task stays and now shows its key
        words = self._quiet_word(event)
        self._decide(event)
        return EventResult(words=words, notice=self._gold_notice(event.task))

    def _gold_notice(self, task_id: int) -> Sequence[str]:
        """Return feedback on a gold item that was just decided, as lines; empty for other items or without feedback."""
        told = self._queue.gold_feedback(task_id, now=clock())
        if told is None:
            return ()
        campaign = self._queue.campaign
        item = attention_in_language(told.item)
        said, right = (decision_in_words(campaign, item, code) for code in (told.decision, told.right))
        head = TEXTS["gold_right" if told.is_right else "gold_wrong"]
        lines = [TEXTS["practice_said"].format(said=said)]
        if told.decision != told.right:
            lines.append(TEXTS["practice_best"].format(right=right))
        why = TEXTS["attention_was"] if told.item.task == ATTENTION else told.why
        return [head, question_in_words(item), *lines, *([why] if why else [])]

    def _quiet_word(self, event: CardEvent) -> str:
        """Return a short hint after a decision that was too fast for its pictures and text; empty otherwise."""
        if not is_too_fast(event.submission.active_s, _MOST_SHORTEST_S):
            return ""
        shortest_s = self._queue.task(event.task, now=clock()).shortest_s
        return TEXTS["too_fast"] if is_too_fast(event.submission.active_s, shortest_s) else ""

    def progress(self) -> WorkProgress:
        """Return the number of decided tasks, and of tasks left in the annotator's share."""
        progress = self._queue.progress(now=clock())
        part = self._queue.share_left(progress)
        name = "mine_done" if part == progress.left else "part_done" if part else "part_is_done"
        words = TEXTS[name].format(done=progress.decided, left=progress.left, part=part)
        return WorkProgress(progress.decided / max(1, progress.decided + part), words)

    def messages(self) -> Sequence[Message]:
        """Return the messages of this campaign that the annotator has not confirmed."""
        with self._state.store.reading() as connection:
            return unread_messages(connection, [self._queue.campaign], self._queue.annotator)

    def confirm(self, message: int) -> None:
        """Record that the annotator read a message.

        Raises:
            BenchwrightError: The annotator has no such message.
        """
        with self._state.store.writing() as connection:
            confirm_message(connection, message, self._queue.annotator, now=clock())

    def _decide(self, event: CardEvent) -> None:
        """Store a decision; if the decision is refused, keep the input as a draft."""
        queue, now, seen = self._queue, clock(), event.seen
        slot_id = queue.slot_of(event.task, now=now)
        try:
            require_shown(self._state, event.task)
            if seen is not None:
                queue.check_seen(event.task, event.draft, seen, now=now)
            seen_version = None if seen is None else seen.version
            queue.submit(slot_id, event.submission, now=now, seen_version=seen_version)
        except RefusedError as error:
            if seen is not None or not isinstance(error, StaleError):
                with suppress(RefusedError, ValueError):  # the latter for text and numbers that no database accepts
                    queue.save_draft(event.task, event.draft, now=now, seen=seen)
            raise

"""Practice on the workbench: card and pictures as for real tasks, and the right decision after each answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from benchwright.records import ItemImage

from ...forms.kinds import REVIEW
from ...forms.practice_item import PracticeItem
from ...forms.task_content import TaskContent
from ...practice.scenes import scene_of, scene_size
from ...store.accounts.accounts import Account
from ...store.campaigns.practice import PracticeAnswer
from ...store.conversations.messages import Message
from ...store.database.records import Campaign
from ...workflow.practising import PracticeQueue
from ...workflow.task_queue import OwnTask
from ..base.own_texts import practice_in_language
from ..base.state import AppState, clock
from ..routes.practice import practice_url
from ..task_card.card import Card, card_of, decision_in_words
from ..task_card.card_event import CardEvent
from ..viewer import ViewerPicture
from ..wording.texts import TEXTS
from .work import AHEAD, EventResult, ViewedPicture, WorkProgress, WorkTask, pictures_from


class PracticeWork:
    """One person's practice in one campaign; a task's id is its position in the attempt, counted from 1.

    Args:
        state: State of the app.
        account: The person's account.
        campaign: The campaign.
    """

    def __init__(self, state: AppState, account: Account, campaign: Campaign) -> None:
        self._state = state
        self._queue = PracticeQueue(state.store, campaign, account.name)
        self._campaign = replace(campaign, form=self._queue.form)

    def held(self, skipped: Sequence[int]) -> list[int]:
        """Return the ids of the items to decide next; skipped items return once no others are left."""
        attempt = self._queue.state().attempt
        if attempt is None or attempt.ended_at is not None:
            return []
        later = {task_id: number for number, task_id in enumerate(skipped, 1)}
        left = [place + 1 for place in attempt.left]
        return sorted(left, key=lambda task_id: later.get(task_id, 0))[: 1 + AHEAD]

    def task(self, task_id: int) -> WorkTask:
        """Return an item, with the right decision and an explanation once it is decided.

        Raises:
            RefusedError: The item does not exist.
        """
        stored, said = self._queue.item_at(task_id - 1)
        item = practice_in_language(stored, self._campaign.kind)
        task = OwnTask(
            task_id=task_id,
            slot_id=task_id,
            item=item.content,
            annotation=None,
            draft={},
            is_current=True,
            beside=[text.model_dump() for text in item.beside],
            answered=None if said is None else said.answer,
            shown_slot=task_id,
        )
        card = replace(card_of(task, self._campaign), save=None, remarks=None, is_practice=True, comes_back=True)
        if said is not None and said.decision is not None:
            card = self._explained(card, item, said)
        return WorkTask(task_id, card, self._pictures(task_id - 1, item.content, can_be_chosen=card.letters_choose))

    def _pictures(self, place: int, item: TaskContent, *, can_be_chosen: bool) -> list[ViewerPicture]:
        def source(number: int, image: ItemImage) -> ViewedPicture:
            scene = scene_of(image.image_id)
            width, height = self._state.pictures.size(image) if scene is None else scene_size(scene)
            address = partial(practice_url, self._campaign.id, place, number, image)
            marks = address(marks=True) if image.prompts else None
            return {"src": address(), "marks": marks, "width": width, "height": height}

        return pictures_from(item, source, can_be_chosen=can_be_chosen)

    def carry_out(self, event: CardEvent) -> EventResult:
        """Store a decision, and show the item again with the right decision.

        Raises:
            RefusedError: The practice has ended, or the form does not accept the decision.
        """
        if event.does == "skip":
            return EventResult()
        if event.does == "decide":
            self._queue.submit(event.task - 1, event.submission, now=clock())
        return EventResult(event.task)

    def messages(self) -> Sequence[Message]:
        """Return no messages, because the annotators' work in the campaign shows them."""
        return ()

    def progress(self) -> WorkProgress:
        """Return the number of decided items, and of right decisions."""
        state = self._queue.state()
        done = 0 if state.attempt is None else state.of - len(state.attempt.left)
        correct = 0 if state.attempt is None else state.attempt.correct
        words = TEXTS["practice_progress"].format(done=done, of=state.of, correct=correct)
        return WorkProgress(done / max(1, state.of), words)

    def _explained(self, card: Card, item: PracticeItem, said: PracticeAnswer) -> Card:
        """Return a decided card with the annotator's decision, the right decision and an explanation."""
        head = "practice_right" if said.is_right else "practice_wrong"
        lines = [TEXTS["practice_said"].format(said=self._words(item, said.decision or "", said.answer))]
        if not said.is_right:
            best = item.answers[0] if item.answers else None
            lines.append(TEXTS["practice_best"].format(right=self._words(item, item.right[0], best)))
        feedback = {"is_right": bool(said.is_right), "head": TEXTS[head], "said": "\n".join(lines), "why": item.why}
        decided: dict[str, Any] = {"decision": said.decision, "reasons": [], "note": "", "fields": {}, "edits": {}}
        key = item.right[0] if self._campaign.form.takes_choices else card.right
        return replace(
            card,
            said={**decided, "words": ""},
            right=key,
            is_current=False,
            editable=None,
            fields=[],
            version=1,
            feedback=feedback,
        )

    def _words(self, item: PracticeItem, decision: str, answer: str | None) -> str:
        """Return a decision as worded on the card."""
        if self._campaign.kind == REVIEW:
            votes = TEXTS["practice_votes_good" if decision == "accept" else "practice_votes_bad"]
            return f"{TEXTS['practice_answer'].format(answer=answer)}, {votes}" if answer is not None else votes
        return decision_in_words(self._campaign, item.content, decision)

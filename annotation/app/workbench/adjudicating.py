"""An adjudicator's work in a campaign: the cases that annotators leave open, and the decision on each case."""

from __future__ import annotations

from collections.abc import Sequence

from ...store.accounts.accounts import Account
from ...store.conversations.messages import Message
from ...store.database.records import Campaign
from ...workflow.adjudication import AdjudicationQueue, QueuedCase
from ..base.state import AppState, clock
from ..task_card.adjudication_card import adjudication_card
from ..task_card.card_event import CardEvent
from ..wording.texts import TEXTS
from .work import EventResult, WorkProgress, WorkTask, pictures_of, require_shown


class AdjudicatorWork:
    """The work of one adjudicator in one campaign.

    Cases are not opened in advance, because an adjudicator who opens one sees the annotators' answers and may no longer
    judge the item.

    Args:
        state: State of the app.
        account: The adjudicator's account.
        campaign: The campaign.
    """

    def __init__(self, state: AppState, account: Account, campaign: Campaign) -> None:
        self._state = state
        self._queue = AdjudicationQueue(state.store, campaign, account.name)
        self._cases: list[QueuedCase] | None = None

    @property
    def cases(self) -> list[QueuedCase]:
        """Return the cases open to the adjudicator, which are read once between two decisions."""
        if self._cases is None:
            self._cases = self._queue.queue()
        return self._cases

    def held(self, skipped: Sequence[int]) -> list[int]:
        """Return the id of the case to decide next; skipped cases return once no other cases are left."""
        place = {task_id: number for number, task_id in enumerate(skipped, 1)}
        return sorted((case.task_id for case in self.cases), key=lambda task_id: place.get(task_id, 0))[:1]

    def task(self, task_id: int) -> WorkTask:
        """Return a case, and record that it was opened.

        Raises:
            RefusedError: The case is not in this adjudicator's queue.
        """
        case = self._queue.open(task_id, now=clock())
        about = [TEXTS["round_n"].format(round=case.round), *([TEXTS["last_round"]] if case.is_last else [])]
        card = adjudication_card(case, self._queue.campaign)
        return WorkTask(task_id, card, pictures_of(self._state, task_id, case.item), " · ".join(about))

    def carry_out(self, event: CardEvent) -> EventResult:
        """Carry out an action of the adjudicator; only the window handles skips, and there is no undo.

        Raises:
            BenchwrightError: The decision is refused; the message states the reason.
        """
        if event.does == "decide":
            self._cases = None
            require_shown(self._state, event.task)
            self._queue.decide(event.task, event.submission, now=clock())
        return EventResult()

    def messages(self) -> Sequence[Message]:
        """Return no messages, because the annotators' work in the campaign shows them."""
        return ()

    def progress(self) -> WorkProgress:
        """Return the number of waiting cases."""
        waits = sum(case.waits for case in self.cases)
        return WorkProgress(None, TEXTS["cases_left"].format(waits=waits, more=len(self.cases) - waits))

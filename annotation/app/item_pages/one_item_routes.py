"""Routes of the curator's page of one image or item, and of its forms."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from benchwright.errors import BenchwrightError
from benchwright.workspace.workspace import Workspace

from ...items.curator_acts import may_be_decided
from ...items.item_history import RecordHistory, ReviewedTask, item_history
from ...store.submissions.examples import Examples
from ..auth.known_pages import ITEM_ID, ONE_ITEM, item_address
from ..base.state import AppState, clock
from ..curator_acts.act_forms import SentForm
from ..curator_acts.act_requests import ActRequests, ChosenRecords
from ..curator_acts.last_acts import LastAct
from ..item_list.index_refresh import IndexRefresh, being_read
from ..own_pages.curator_requests import AccountRequest, form_routes
from ..own_pages.shell import own_page
from ..wording.curator_texts import TEXTS
from ..wording.texts import message_of
from .example_forms import ACCEPTED, can_be_example
from .one_item import LIST, OneItem, back_link, task_named
from .one_item_forms import RecordForms, submission_in

_LONGEST_ID = 200
_Change = Callable[[AccountRequest, RecordHistory], Response]


def one_item_routes(state: AppState) -> list[Route]:
    """Return the routes of the page; the session middleware has identified the account."""
    page = _OneItemPage(state)
    changes: dict[str, _Change] = {
        "look": page.look, "decide": page.decide, "example": page.show_example, "no-example": page.withdraw_example,
        **{name: partial(page.act, name) for name in page.requests.names},
    }  # fmt: skip
    return form_routes(state, ONE_ITEM, page.show, {name: page.on_record(change) for name, change in changes.items()})


class _OneItemPage:
    def __init__(self, state: AppState) -> None:
        self._state = state
        self.requests = ActRequests(state)
        self._refresh = IndexRefresh(state.items)

    def show(self, asked: AccountRequest) -> Response:
        """Show the record that the address names."""
        try:
            is_ready = self._refresh.generation() is not None
        except BenchwrightError:  # `on_record` states it
            is_ready = True
        return self.on_record(self._page)(asked) if is_ready else being_read(TEXTS["item_title"])

    def on_record(self, answer: _Change) -> Callable[[AccountRequest], Response]:
        """Return a function that reads the record of a request and passes it on, or states why it cannot be read.

        It waits until the index is up to date, so that no form is lost.
        """

        def respond(asked: AccountRequest) -> Response:
            try:
                self._state.items.refresh()
                record_id = asked.query.get(ITEM_ID, "")[:_LONGEST_ID]
                history = item_history(
                    Workspace(self._state.workspace), self._state.store, self._state.items, record_id
                )
            except BenchwrightError as error:
                return _without_record(problem=TEXTS["index_failed"].format(why=message_of(error)), status=409)
            if history is None:
                return _without_record(problem=TEXTS["no_such_item"], status=404)
            return answer(asked, history)

        return respond

    def _page(self, asked: AccountRequest, history: RecordHistory, sent: SentForm | None = None) -> Response:
        record_id, acts = history.record.record_id, self.requests.acts_of(asked)
        is_hidden = acts.may_be_asked(history)
        if not is_hidden:
            acts.note_looked(history, now=clock())
        if sent is None and (planned := self.requests.show_plan(asked, record_id)) is not None:
            asked, sent = planned
        last = self.requests.show_last(asked, record_id) if sent is None else None
        sent = sent or SentForm()
        page = OneItem(self._state, history, asked.account.name, is_hidden=is_hidden)
        body = page.html(RecordForms(asked, record_id, sent), last, self.requests.people())
        return own_page(page.title(), body, here=LIST, problem=sent.problem_above, status=sent.status)

    def look(self, asked: AccountRequest, history: RecordHistory) -> Response:
        """Record that the curator sees key and votes, and no longer judges the record."""
        self.requests.acts_of(asked).note_looked(history, now=clock())
        return _back_to(history)

    def act(self, name: str, asked: AccountRequest, history: RecordHistory) -> Response:
        """Answer one of the forms that the list of items has too."""
        if name == "reopen" and self.requests.acts_of(asked).may_be_asked(history):
            return _back_to(history)
        record_id = history.record.record_id
        sent = self.requests.answer(name, asked, ChosenRecords(record_id, [record_id]))
        return _back_to(history) if sent is None else self._page(asked, history, sent)

    def decide(self, asked: AccountRequest, history: RecordHistory) -> Response:
        """Decide a divided task as an adjudicator, or send it back."""
        acts, number = self.requests.acts_of(asked), asked.query.get("task", "")
        task = task_named(history, number)
        if task is None or acts.may_be_asked(history) or (submission := submission_in(asked, task)) is None:
            return _back_to(history)
        try:
            acts.decide_task(task, submission, now=clock())
        except BenchwrightError as error:
            sent = SentForm("decide", number, message_of(error), status=422)
            if not may_be_decided(task, asked.account.name):  # its form is gone
                sent = SentForm(problem=message_of(error), status=409)
            return self._page(asked, history, sent)
        words = TEXTS["task_reopened" if submission.decision == "send_back" else "task_decided"]
        self.requests.keep(asked, history.record.record_id, LastAct(clock(), [words]))
        return _back_to(history)

    def show_example(self, asked: AccountRequest, history: RecordHistory) -> Response:
        """Show a decided task in the guidelines of its campaign."""
        number = asked.query.get("task", "")
        task = self._example_task(asked, history)
        if task is None:
            return _back_to(history)
        words, is_accepted = asked.fields.get(f"words-{number}", ""), asked.fields.get(f"kind-{number}") == ACCEPTED
        try:
            Examples(self._state.store).add(
                task.facts.task_id, words, is_accepted=is_accepted, by=asked.account.name, now=clock()
            )
        except BenchwrightError as error:
            return self._page(asked, history, SentForm("example", number, message_of(error), status=422))
        return _back_to(history)

    def withdraw_example(self, asked: AccountRequest, history: RecordHistory) -> Response:
        """Stop showing a task in the guidelines of its campaign."""
        examples, task = Examples(self._state.store), self._example_task(asked, history)
        shown = {} if task is None else examples.of_tasks([task.facts.task_id])
        for example in shown.values():
            examples.withdraw(example.id, by=asked.account.name, now=clock())
        return _back_to(history)

    def _example_task(self, asked: AccountRequest, history: RecordHistory) -> ReviewedTask | None:
        """Return the task of a form about examples; None if the curator sees no such form."""
        task = task_named(history, asked.query.get("task", ""))
        return (
            task if task and can_be_example(task) and not self.requests.acts_of(asked).may_be_asked(history) else None
        )


def _without_record(**more: Any) -> Response:
    return own_page(TEXTS["item_title"], back_link(), here=LIST, **more)


def _back_to(history: RecordHistory) -> Response:
    return RedirectResponse(item_address(history.record.record_id), 303)

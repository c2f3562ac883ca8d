"""Routes of the curator's page of one image or item, and of its forms."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from benchwright.errors import BenchwrightError
from benchwright.workspace.workspace import Workspace

from ...items.curator_acts import ACTS, Act, ActPlan, CuratorActs, may_be_decided
from ...items.item_history import RecordHistory, ReviewedTask, item_history
from ...store.submissions.examples import Examples
from ..auth.known_pages import ITEM_ID, ONE_ITEM, item_address
from ..base.state import AppState, clock
from ..item_list.index_refresh import IndexRefresh, being_read
from ..own_pages.curator_requests import AccountRequest, form_routes
from ..own_pages.shell import own_page
from ..wording.curator_texts import TEXTS
from ..wording.texts import message_of
from .example_forms import ACCEPTED, can_be_example
from .last_acts import LastAct, LastActs
from .one_item import LIST, OneItem, back_link, task_named
from .one_item_forms import (
    RecordForms,
    SentForm,
    assigned_words,
    planned_count,
    reopened_words,
    submission_in,
)

_LONGEST_ID = 200
_Change = Callable[[AccountRequest, RecordHistory], Response]


def one_item_routes(state: AppState) -> list[Route]:
    """Return the routes of the page; the session middleware has identified the account."""
    page = _OneItemPage(state)
    changes: dict[str, _Change] = {
        "look": page.look, "plan": page.plan, "do": page.do, "undo": page.undo, "assign": page.assign,
        "take-back": page.take_back, "reopen": page.reopen, "decide": page.decide, "example": page.show_example,
        "no-example": page.withdraw_example,
    }  # fmt: skip
    return form_routes(state, ONE_ITEM, page.show, {name: page.on_record(change) for name, change in changes.items()})


class _OneItemPage:
    def __init__(self, state: AppState) -> None:
        self._state = state
        self._last = LastActs()
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

    def _page(
        self,
        asked: AccountRequest,
        history: RecordHistory,
        sent: SentForm | None = None,
        *,
        problem: str = "",
        status: int = 200,
    ) -> Response:
        name, record_id = asked.account.name, history.record.record_id
        acts = self._acts(asked)
        is_hidden = acts.may_be_asked(history)
        if not is_hidden:
            acts.note_looked(history, now=clock())
        forms = RecordForms(asked, record_id, sent)
        last = self._last.show(name, record_id, now=clock()) if sent is None and not problem else None
        page = OneItem(self._state, history, name, is_hidden=is_hidden)
        body = page.html(forms, "" if last is None else _report(last, forms))
        return own_page(page.title(), body, here=LIST, problem=problem, status=status)

    def look(self, asked: AccountRequest, history: RecordHistory) -> Response:
        """Record that the curator sees key and votes, and no longer judges the record."""
        self._acts(asked).note_looked(history, now=clock())
        return _back_to(history)

    def plan(self, asked: AccountRequest, history: RecordHistory) -> Response:
        """Show the effects of an act before the curator confirms it."""
        try:
            plan = self._planned(asked, history)
        except BenchwrightError as error:
            return self._page(asked, history, SentForm("plan", problem=message_of(error)), status=422)
        return self._page(asked, history, SentForm("plan", plan=plan))

    def do(self, asked: AccountRequest, history: RecordHistory) -> Response:
        """Do an act as planned; if its effects are no longer those that the page showed, show the new ones instead."""
        try:
            plan = self._planned(asked, history)
            shown = (asked.fields.get("planned"), asked.fields.get("count"))
            if shown != (plan.act, str(planned_count(plan))):
                return self._page(asked, history, SentForm("plan", plan=plan), status=409)
            done = self._acts(asked).do(plan, why=asked.fields.get("why", ""), now=clock())
        except BenchwrightError as error:
            return self._page(asked, history, SentForm("plan", problem=message_of(error)), status=422)
        words = TEXTS[f"did_{plan.act}"].format(count=len(done))
        return self._done(asked, history, LastAct([words], () if plan.act == "undo" else tuple(done)))

    def undo(self, asked: AccountRequest, history: RecordHistory) -> Response:
        """Undo the decisions by hand that the curator's last act made."""
        last = self._last.get(asked.account.name, history.record.record_id, now=clock())
        if last is None or not last.overrides:
            return _back_to(history)
        try:
            undone = self._acts(asked).do(ActPlan("undo", last.overrides, ()), now=clock())
        except BenchwrightError as error:  # another curator undid it meanwhile
            return self._page(asked, history, problem=message_of(error), status=409)
        return self._done(asked, history, LastAct([TEXTS["did_undo"].format(count=len(undone))]))

    def assign(self, asked: AccountRequest, history: RecordHistory) -> Response:
        """Reserve the open tasks about the record for a person."""
        people = {person.name for person in self._state.accounts.all() if not person.is_disabled}
        person = asked.fields.get("person", "")
        if person not in people:
            return self._page(asked, history, SentForm("assign", problem=TEXTS["assign_whom"]), status=422)
        assigned = self._acts(asked).assign([history.record.record_id], person, now=clock())
        if not assigned.leases:
            problem = "\n".join(assigned_words(assigned))
            return self._page(asked, history, SentForm("assign", problem=problem), status=409)
        return self._done(asked, history, LastAct(assigned_words(assigned), assigned=assigned))

    def take_back(self, asked: AccountRequest, history: RecordHistory) -> Response:
        """Withdraw the curator's last assignment of the record."""
        last = self._last.get(asked.account.name, history.record.record_id, now=clock())
        if last is not None and last.assigned is not None:
            self._acts(asked).take_back(last.assigned, now=clock())
            self._last.put(asked.account.name, history.record.record_id, None, now=clock())
        return _back_to(history)

    def reopen(self, asked: AccountRequest, history: RecordHistory) -> Response:
        """Have the decided tasks about the record asked again."""
        acts = self._acts(asked)
        if acts.may_be_asked(history):
            return _back_to(history)
        try:
            reopened = acts.reopen([history.record.record_id], why=asked.fields.get("again", ""), now=clock())
        except BenchwrightError as error:
            return self._page(asked, history, SentForm("reopen", problem=message_of(error)), status=422)
        if not reopened.tasks:
            problem = "\n".join(reopened_words(reopened))
            return self._page(asked, history, SentForm("reopen", problem=problem), status=409)
        return self._done(asked, history, LastAct(reopened_words(reopened)))

    def decide(self, asked: AccountRequest, history: RecordHistory) -> Response:
        """Decide a divided task as an adjudicator, or send it back."""
        acts, number = self._acts(asked), asked.query.get("task", "")
        task = task_named(history, number)
        if task is None or acts.may_be_asked(history) or (submission := submission_in(asked, task)) is None:
            return _back_to(history)
        try:
            acts.decide_task(task, submission, now=clock())
        except BenchwrightError as error:
            if may_be_decided(task, asked.account.name):
                sent = SentForm("decide", number, message_of(error))
                return self._page(asked, history, sent, status=422)
            return self._page(asked, history, problem=message_of(error), status=409)
        words = TEXTS["task_reopened" if submission.decision == "send_back" else "task_decided"]
        return self._done(asked, history, LastAct([words]))

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
            return self._page(asked, history, SentForm("example", number, message_of(error)), status=422)
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
        return task if task and can_be_example(task) and not self._acts(asked).may_be_asked(history) else None

    def _planned(self, asked: AccountRequest, history: RecordHistory) -> ActPlan:
        act: Act = next((act for act in ACTS if act == asked.fields.get("act")), ACTS[0])
        return self._acts(asked).plan(act, [history.record], why=asked.fields.get("why", ""))

    def _acts(self, asked: AccountRequest) -> CuratorActs:
        return CuratorActs(self._state.workspace, self._state.store, asked.account.name)

    def _done(self, asked: AccountRequest, history: RecordHistory, act: LastAct) -> Response:
        self._last.put(asked.account.name, history.record.record_id, act, now=clock())
        return _back_to(history)


def _report(last: LastAct, forms: RecordForms) -> str:
    """Return the report of the last change, with the button that takes it back."""
    words = f'<p class="done" role="status" id="report">{escape(chr(10).join(last.words))}</p>'
    if last.overrides:
        return words + forms.take_back("undo", TEXTS["undo_this"])
    return words + (forms.take_back("take-back", TEXTS["take_back"]) if last.can_be_taken_back else "")


def _without_record(**more: Any) -> Response:
    return own_page(TEXTS["item_title"], back_link(), here=LIST, **more)


def _back_to(history: RecordHistory) -> Response:
    return RedirectResponse(item_address(history.record.record_id), 303)

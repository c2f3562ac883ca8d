"""Forms for a curator's acts on one record or on a selection: act and confirm, assign, ask again, take back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple
from urllib.parse import urlencode

from benchwright.errors import BenchwrightError
from benchwright.texts.hidden_characters import escaped

from ...items.curator_acts import ACTS, ASSIGNED_FOR, LONGEST_WHY, ActPlan, AssignedTasks, ReopenedTasks
from ..own_pages.curator_requests import TOKEN, AccountRequest
from ..own_pages.html_fields import FieldWords, choice_field, hidden, radio_fields, text_field
from ..wording.curator_texts import TEXTS
from ..wording.texts import message_of
from .last_acts import LastAct

_LINE = f'maxlength="{LONGEST_WHY}" autocomplete="off" dir="auto"'
_WITH_FIELDS = frozenset({"plan", "assign", "reopen", "decide", "example", "save-view"})
"""Forms that state their problem below a field."""


class SentForm(NamedTuple):
    """A form that was sent and is shown again.

    Attributes:
        name: Name of the form, which ends its address.
        task: Number of the task that it is about, as a text; empty if it is about the records.
        problem: What is wrong with the input; empty for nothing.
        plan: Effects of an act to confirm; None for none.
        mark: Text by which the confirmation names the plan; empty without one.
        status: Status of the response.
    """

    name: str = ""
    task: str = ""
    problem: str = ""
    plan: ActPlan | None = None
    mark: str = ""
    status: int = 200

    @property
    def problem_above(self) -> str:
        """Return the problem if the form has no field below which it could stand; else an empty text."""
        return "" if self.name in _WITH_FIELDS else self.problem


class FormPage(NamedTuple):
    """The page of the forms.

    Attributes:
        path: Path of the page; the forms' addresses are below it.
        parameters: Parameters of the page's address, which name the record or the query.
        carried: Names of fields into which the page's script puts the selection.
        style: Style of a form.
    """

    path: str
    parameters: Mapping[str, str]
    carried: Sequence[str] = ()
    style: str = "card"


class ActForms:
    """The forms of a page about one record or a selection.

    Args:
        asked: The request, whose fields fill in the form that was sent.
        page: The page of the forms.
        sent: The form that was sent; by default none.
    """

    def __init__(self, asked: AccountRequest, page: FormPage, sent: SentForm | None = None) -> None:
        self._asked = asked
        self._page = page
        self._sent = sent or SentForm()

    def form(self, name: str, body: str, *, task: str = "", style: str | None = None) -> str:
        """Return a form.

        Args:
            name: Name of the form, which ends its address.
            body: Its fields and buttons, as HTML.
            task: Number of the task that it is about; empty if it is about the records.
            style: Its style; by default that of the page.
        """
        # The address names record and task, so that the browser keeps the input of each form by itself.
        carried = hidden(TOKEN, self._asked.token) + "".join(hidden(field, "") for field in self._page.carried)
        style = self._page.style if style is None else style
        return f'<form method="post" action="{self._address(f"/{name}", task)}" class="{style}">{carried}{body}</form>'

    def input_of(self, name: str, field: str, usual: str = "", *, task: str = "") -> str:
        """Return the sent value of a field of a form that is shown again, or else its usual value."""
        return self._asked.fields.get(field, usual) if self._is_sent(name, task) else usual

    def problem_of(self, name: str, *, task: str = "") -> str:
        """Return what is wrong with the input of a form; empty for nothing."""
        return self._sent.problem if self._is_sent(name, task) else ""

    def _is_sent(self, name: str, task: str) -> bool:
        return (self._sent.name, self._sent.task) == (name, task)

    def _address(self, below: str = "", task: str = "") -> str:
        parameters = urlencode({**self._page.parameters, **({"task": task} if task else {})})
        return escape(f"{self._page.path}{below}{'?' * bool(parameters)}{parameters}", quote=True)

    def acts(self, label: str) -> str:
        """Return the form to plan an act; if it is planned, with its effects and the button that does it.

        Args:
            label: Name of the choice of acts.
        """
        options = [(act, TEXTS[f"act_{act}"], "") for act in ACTS]
        picked = self.input_of("plan", "act", ACTS[0])
        words = FieldWords(TEXTS["act_why"], TEXTS["act_why_hint"], self.problem_of("plan"))
        fields = radio_fields("act", picked if picked in ACTS else ACTS[0], FieldWords(label), options)
        fields += text_field("why", self.input_of("plan", "why"), words, more=_LINE)
        fields += buttons(button("plan", TEXTS["act_plan"], is_quiet=self._sent.plan is not None))
        return self.form("plan", fields + ("" if self._sent.plan is None else self._plan(self._sent.plan)))

    def _plan(self, plan: ActPlan) -> str:
        """Return the effects of a planned act; its button belongs to the form with the act and the reason."""
        count = len(plan.overrides) if plan.act == "undo" else len(plan.record_ids)
        lines = [TEXTS["plan_gone"]] * (self._sent.status == 409)
        lines += [TEXTS[f"would_{plan.act}"].format(count=count), *_refused("would_not", plan.refused)]
        choices = ""
        if count:
            lines.append(TEXTS["act_after_undo" if plan.act == "undo" else "act_after"])
            do = escape(TEXTS[f"do_{plan.act}"].format(count=count))
            choices = buttons(
                f'<button type="submit" id="do" formaction="{self._address("/do")}">{do}</button>'
                f'<a class="button quiet" href="{self._address()}" id="cancel">{escape(TEXTS["cancel"])}</a>'
            )
        said = "".join(f'<p dir="auto">{escape(line)}</p>' for line in lines)
        shown = hidden("planned", self._sent.mark)
        return f'<div class="job" role="status" id="planned">{shown}{said}{choices}</div>'

    def assignment(self, people: Sequence[str]) -> str:
        """Return the form to assign the open tasks about the records to a person; empty if there is no person."""
        if not people:
            return ""
        options = {"": TEXTS["assign_whom"], **{person: escaped(person) for person in people}}
        why = TEXTS["assign_why"].format(days=ASSIGNED_FOR.days)
        words = FieldWords(TEXTS["assign_to"], why, self.problem_of("assign"))
        fields = choice_field("person", self.input_of("assign", "person"), words, options)
        return self.form("assign", fields + buttons(button("assign", TEXTS["assign"], is_quiet=True)))

    def reopening(self) -> str:
        """Return the form to have the decided tasks about the records asked again."""
        words = FieldWords(TEXTS["reopen_again"], TEXTS["reopen_why"], self.problem_of("reopen"))
        field = text_field("again_why", self.input_of("reopen", "again_why"), words, more=_LINE)
        return self.form("reopen", field + buttons(button("reopen", TEXTS["reopen"], is_quiet=True)))

    def report(self, last: LastAct | None) -> str:
        """Return the report of the last change, with the button that takes it back; empty for None."""
        if last is None:
            return ""
        words = f'<p class="done" role="status" id="report">{escape(chr(10).join(last.words))}</p>'
        name, label = ("undo", TEXTS["undo_this"]) if last.overrides else ("take-back", TEXTS["take_back"])
        again = hidden("of", last.mark) + button(name, label, is_quiet=True)
        back = self.form(name, again, style="buttons") if last.can_be_taken_back else ""
        return f'<div class="outcome">{words}{back}</div>'


def assigned_words(done: AssignedTasks) -> list[str]:
    """Return the sentences on an assignment: the assigned tasks, and why others are not."""
    assigned = TEXTS["assigned_n"].format(count=len(done.leases), name=escaped(done.name))
    return [assigned] * bool(done.leases) + _refused("not_assigned_n", done.refused)


def reopened_words(done: ReopenedTasks) -> list[str]:
    """Return the sentences on reopened tasks: their number, and why others are not."""
    return [TEXTS["reopened_n"].format(count=done.tasks)] * bool(done.tasks) + _refused("not_reopened_n", done.refused)


def _refused(name: str, refused: Sequence[tuple[str, int]]) -> list[str]:
    return [TEXTS[name].format(count=count, why=escaped(message_of(BenchwrightError(why)))) for why, count in refused]


def button(name: str, words: str, *, is_quiet: bool = False) -> str:
    """Return a button that sends its form."""
    quiet = ' class="quiet"' if is_quiet else ""
    return f'<button type="submit" id="{name}"{quiet}>{escape(words)}</button>'


def buttons(body: str) -> str:
    """Return a row of buttons."""
    return f'<div class="buttons">{body}</div>'

"""Forms on the page of one item: act on it, assign it, have it asked again, and decide it as an adjudicator."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.texts.hidden_characters import escaped

from ...forms.submission import Submission
from ...items.curator_acts import ACTS, ASSIGNED_FOR, LONGEST_WHY, ActPlan, AssignedTasks, ReopenedTasks
from ...items.item_history import ReviewedTask
from ...store.submissions.submissions import MAX_NOTE
from ..auth.known_pages import item_address
from ..own_pages.curator_requests import TOKEN, AccountRequest
from ..own_pages.html_fields import FieldWords, check_field, choice_field, hidden, radio_fields, shown_when, text_field
from ..wording.curator_texts import TEXTS, words_for
from ..wording.texts import TEXTS as APP_TEXTS
from ..wording.texts import message_of

DECISIONS = {"accept": "accept_task", "reject": "reject_task", "send_back": "reopen_task"}
"""Key of the text for each decision of an adjudicator on this page."""
_LINE = f'maxlength="{LONGEST_WHY}" autocomplete="off"'


class SentForm(NamedTuple):
    """A form that was sent and is shown again.

    Attributes:
        name: Name of the form, which ends its address.
        task: Number of the task that it is about, as a text; empty if it is about the record.
        problem: What is wrong with the input; empty for nothing.
        plan: Effects of an act to confirm; None for none.
    """

    name: str = ""
    task: str = ""
    problem: str = ""
    plan: ActPlan | None = None


class RecordForms:
    """The forms about one record.

    Args:
        asked: The request, whose fields fill in the form that was sent.
        record_id: Id of the record.
        sent: The form that was sent; by default none.
    """

    def __init__(self, asked: AccountRequest, record_id: str, sent: SentForm | None = None) -> None:
        self._asked = asked
        self._record_id = record_id
        self._sent = sent or SentForm()

    def form(self, name: str, body: str, *, task: str = "", style: str = "card") -> str:
        """Return a form.

        Args:
            name: Name of the form, which ends its address.
            body: Its fields and buttons, as HTML.
            task: Number of the task that it is about; empty if it is about the record.
            style: Its style; default a card.
        """
        # The address names record and task, so that the browser keeps the input of each form by itself.
        return (
            f'<form method="post" action="{self._address(name, task)}" class="{style}">'
            f"{hidden(TOKEN, self._asked.token)}{body}</form>"
        )

    def input_of(self, name: str, field: str, usual: str = "", *, task: str = "") -> str:
        """Return the sent value of a field of a form that is shown again, or else its usual value."""
        return self._asked.fields.get(field, usual) if self._is_sent(name, task) else usual

    def problem_of(self, name: str, *, task: str = "") -> str:
        """Return what is wrong with the input of a form; empty for nothing."""
        return self._sent.problem if self._is_sent(name, task) else ""

    def _is_sent(self, name: str, task: str) -> bool:
        return (self._sent.name, self._sent.task) == (name, task)

    def _address(self, name: str, task: str = "") -> str:
        more = {"task": task} if task else {}
        return escape(item_address(self._record_id, below=f"/{name}", **more), quote=True)

    def look(self) -> str:
        """Return the statement that key and votes are hidden, with a button that shows them."""
        words = f'<p class="told">{escape(TEXTS["still_asked"])}</p>'
        return self.form("look", words + _buttons(_button("look", TEXTS["look"])))

    def acts(self) -> str:
        """Return the form to plan an act; if it is planned, with its effects and the button that does it."""
        options = [(act, TEXTS[f"act_{act}"], "") for act in ACTS]
        picked = self.input_of("plan", "act", ACTS[0])
        words = FieldWords(TEXTS["act_why"], TEXTS["act_why_hint"], self.problem_of("plan"))
        fields = radio_fields("act", picked, FieldWords(TEXTS["act_with"]), options)
        fields += text_field("why", self.input_of("plan", "why"), words, more=_LINE)
        fields += _buttons(_button("plan", TEXTS["act_plan"], is_quiet=self._sent.plan is not None))
        return self.form("plan", fields + ("" if self._sent.plan is None else self._plan(self._sent.plan)))

    def _plan(self, plan: ActPlan) -> str:
        """Return the effects of a planned act; its button belongs to the form with the act and the reason."""
        count = planned_count(plan)
        lines = [TEXTS[f"would_{plan.act}"].format(count=count)]
        lines += _refused("would_not", plan.refused)
        buttons = ""
        if count:
            lines.append(TEXTS["act_after_undo" if plan.act == "undo" else "act_after"])
            do = escape(TEXTS[f"do_{plan.act}"].format(count=count))
            cancel = escape(item_address(self._record_id), quote=True)
            buttons = _buttons(
                f'<button type="submit" id="do" formaction="{self._address("do")}">{do}</button>'
                f'<a class="button quiet" href="{cancel}" id="cancel">{escape(TEXTS["cancel"])}</a>'
            )
        said = "".join(f'<p dir="auto">{escape(line)}</p>' for line in lines)
        shown = hidden("planned", plan.act) + hidden("count", str(count))
        return f'<div class="job" role="status" id="planned">{shown}{said}{buttons}</div>'

    def take_back(self, name: str, words: str) -> str:
        """Return a button that takes back what was done last.

        Args:
            name: Name of the form: `undo` or `take-back`.
            words: Words of the button.
        """
        return self.form(name, _button(name, words, is_quiet=True), style="buttons")

    def assignment(self, people: Sequence[str]) -> str:
        """Return the form to assign the open tasks about the record to a person."""
        options = {"": TEXTS["assign_whom"], **{person: escaped(person) for person in people}}
        why = TEXTS["assign_why"].format(days=ASSIGNED_FOR.days)
        words = FieldWords(TEXTS["assign_to"], why, self.problem_of("assign"))
        fields = choice_field("person", self.input_of("assign", "person"), words, options)
        return self.form("assign", fields + _buttons(_button("assign", TEXTS["assign"], is_quiet=True)))

    def reopening(self) -> str:
        """Return the form to have the decided tasks about the record asked again."""
        words = FieldWords(TEXTS["reopen_again"], TEXTS["reopen_why"], self.problem_of("reopen"))
        field = text_field("again", self.input_of("reopen", "again"), words, more=_LINE)
        return self.form("reopen", field + _buttons(_button("reopen", TEXTS["reopen"], is_quiet=True)))

    def deciding(self, task: ReviewedTask) -> str:
        """Return the form to decide a divided task as an adjudicator, or to send it back to further annotators."""
        number, form = str(task.facts.task_id), "decide"
        decision, note = f"decision-{number}", f"note-{number}"
        picked = self.input_of(form, decision, "accept", task=number)
        options = [(code, TEXTS[words], "") for code, words in DECISIONS.items()]
        fields = (
            f"<h2>{escape(TEXTS['decide_here'])}</h2>"
            f'<p class="hint">{escape(TEXTS["decide_why"].format(campaign=escaped(task.campaign.name)))}</p>'
            + radio_fields(decision, picked, FieldWords(APP_TEXTS["decision"]), options)
            + shown_when(decision, ["reject"], self._reasons(task, number), is_hidden=picked != "reject")
        )
        words = FieldWords(APP_TEXTS["note"], "", self.problem_of(form, task=number))
        more = f'maxlength="{MAX_NOTE}" autocomplete="off" dir="auto"'
        fields += text_field(note, self.input_of(form, note, task=number), words, more=more)
        is_sent_back = picked == "send_back"
        fields += shown_when(decision, ["accept", "reject"], _hint(TEXTS["confirm_task"]), is_hidden=is_sent_back)
        fields += shown_when(decision, ["send_back"], _hint(TEXTS["confirm_reopen"]), is_hidden=not is_sent_back)
        return self.form(form, fields + _buttons(_button(f"do-{number}", TEXTS["do_it"])), task=number)

    def _reasons(self, task: ReviewedTask, number: str) -> str:
        boxes = "".join(
            check_field(name, self.input_of("decide", name, "no", task=number), FieldWords(words_for(code)))
            for name, code in _reason_fields(task)
        )
        legend = f"<legend>{escape(APP_TEXTS['reasons'])}</legend>"
        return f'<fieldset class="line">{legend}{boxes}</fieldset>' if boxes else ""


def submission_in(asked: AccountRequest, task: ReviewedTask) -> Submission | None:
    """Return the adjudicator's decision in a sent form, or None if it names none of `DECISIONS`."""
    number, fields = task.facts.task_id, asked.fields
    decision = fields.get(f"decision-{number}", "")
    if decision not in DECISIONS:
        return None
    chosen = [code for name, code in _reason_fields(task) if fields.get(name) == "yes"]
    reasons = tuple(chosen) if decision == "reject" else ()
    return Submission(decision, reasons=reasons, note=fields.get(f"note-{number}", "").strip() or None)


def planned_count(plan: ActPlan) -> int:
    """Return the number of records that an act would change, or of decisions that it would undo."""
    return len(plan.overrides) if plan.act == "undo" else len(plan.record_ids)


def assigned_words(done: AssignedTasks) -> list[str]:
    """Return the sentences on an assignment: the assigned tasks, and why others are not."""
    assigned = TEXTS["assigned_n"].format(count=len(done.leases), name=escaped(done.name))
    return [assigned] * bool(done.leases) + _refused("not_assigned_n", done.refused)


def reopened_words(done: ReopenedTasks) -> list[str]:
    """Return the sentences on reopened tasks: their number, and why others are not."""
    return [TEXTS["reopened_n"].format(count=done.tasks)] * bool(done.tasks) + _refused("not_reopened_n", done.refused)


def _refused(name: str, refused: Sequence[tuple[str, int]]) -> list[str]:
    return [TEXTS[name].format(count=count, why=escaped(message_of(BenchwrightError(why)))) for why, count in refused]


def _reason_fields(task: ReviewedTask) -> list[tuple[str, str]]:
    """Return the name of the box of each reason that the campaign's form offers, with the reason's code."""
    reasons = task.campaign.form.reasons or ()
    return [(f"reason-{task.facts.task_id}-{place}", code) for place, code in enumerate(reasons)]


def _button(name: str, words: str, *, is_quiet: bool = False) -> str:
    quiet = ' class="quiet"' if is_quiet else ""
    return f'<button type="submit" id="{name}"{quiet}>{escape(words)}</button>'


def _buttons(body: str) -> str:
    return f'<div class="buttons">{body}</div>'


def _hint(words: str) -> str:
    return f'<p class="hint">{escape(words)}</p>'

"""Forms on the page of one item: the acts of a curator, show all of it, and decide it as an adjudicator."""

from __future__ import annotations

from html import escape

from benchwright.texts.hidden_characters import escaped

from ...forms.submission import Submission
from ...items.item_history import ReviewedTask
from ...store.submissions.submissions import MAX_NOTE
from ..auth.known_pages import ITEM_ID, ONE_ITEM
from ..curator_acts.act_forms import ActForms, FormPage, SentForm, button, buttons
from ..own_pages.curator_requests import AccountRequest
from ..own_pages.html_fields import FieldWords, check_field, radio_fields, shown_when, text_field
from ..wording.curator_texts import TEXTS, words_for
from ..wording.texts import TEXTS as APP_TEXTS

DECISIONS = {"accept": "accept_task", "reject": "reject_task", "send_back": "reopen_task"}
"""Key of the text for each decision of an adjudicator on this page."""


class RecordForms(ActForms):
    """The forms about one record.

    Args:
        asked: The request, whose fields fill in the form that was sent.
        record_id: Id of the record.
        sent: The form that was sent; by default none.
    """

    def __init__(self, asked: AccountRequest, record_id: str, sent: SentForm | None = None) -> None:
        super().__init__(asked, FormPage(ONE_ITEM, {ITEM_ID: record_id}), sent)

    def look(self) -> str:
        """Return the statement that key and votes are hidden, with a button that shows them."""
        words = f'<p class="told">{escape(TEXTS["still_asked"])}</p>'
        return self.form("look", words + buttons(button("look", TEXTS["look"])))

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
        return self.form(form, fields + buttons(button(f"do-{number}", TEXTS["do_it"])), task=number)

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


def _reason_fields(task: ReviewedTask) -> list[tuple[str, str]]:
    """Return the name of the box of each reason that the campaign's form offers, with the reason's code."""
    reasons = task.campaign.form.reasons or ()
    return [(f"reason-{task.facts.task_id}-{place}", code) for place, code in enumerate(reasons)]


def _hint(words: str) -> str:
    return f'<p class="hint">{escape(words)}</p>'

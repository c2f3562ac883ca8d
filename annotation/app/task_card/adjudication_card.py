"""The card of a case that an adjudicator decides: the item with its key, and the annotators' answers without names."""

from __future__ import annotations

from typing import Any

from ...forms.edits import right_of
from ...forms.form import Form
from ...forms.submission import Submission
from ...store import Campaign
from ...store.submissions.pre_key_answers import ANSWER
from ...workflow.adjudication import Case, reasons_in
from ..base.option_letters import options_of, question_in_words
from ..base.own_texts import form_in_language
from ..base.texts import TEXTS, words_of_code
from .card import Card, editable_of

ADJUDICATE = "adjudicate"


def adjudication_card(case: Case, campaign: Campaign) -> Card:
    """Return the card of a case; its slot is the id of the task."""
    item, form, reasons = case.item, campaign.form.typed, reasons_in(campaign)
    explained = []
    if item.explanation is not None and form is not None:
        explained.append({"label": TEXTS["explanation"], "text": item.explanation})
    return Card(
        slot=case.task_id,
        mode=ADJUDICATE,
        question=question_in_words(item),
        choices=options_of(item),
        right=right_of(item),
        declines=item.answer is None,
        reasons=[{"code": code, "words": words_of_code(code)} for code in reasons],
        needs_reason=["reject"] if reasons else [],
        needs_note=["revise"] if reasons else ["revise", "reject"],
        said=None,
        draft={},
        is_current=True,
        fields=[],
        beside=explained,
        editable=None if case.is_last else editable_of(item, with_explanation=bool(explained)),
        remarks=None,
        save=None,
        sheet=ADJUDICATE,
        answers=[_answer(annotation, number, form) for number, annotation in enumerate(case.annotations, 1)],
    )


def _answer(submission: Submission, number: int, form: Form | None) -> dict[str, Any]:
    return {
        "label": TEXTS["annotator_n"].format(number=number),
        "lines": submission_in_words(submission, form),
        "edits": None if submission.edits is None else dict(submission.edits),
    }


def submission_in_words(submission: Submission, form: Form | None) -> list[str]:
    """Return a submission in lines: the decision, or answer and votes; then reasons, note and edits."""
    form = form_in_language(form)
    if form is None:
        lines = [TEXTS.get(submission.decision, submission.decision)]
    else:
        labels = {field.name: field.label for field in form.fields}
        fields = submission.fields or {}
        filled_in = {name: fields[name] for name in labels if fields.get(name)}
        lines = [f"{TEXTS['answer']}: {filled_in.pop(ANSWER, submission.decision)}"]
        options = {
            field.name: {option.code: option.words for option in getattr(field, "options", ())} for field in form.fields
        }
        lines += [f"{labels[name]} {options[name].get(str(value), value)}" for name, value in filled_in.items()]
    if submission.reasons:
        lines.append(", ".join(words_of_code(code) for code in submission.reasons))
    if submission.note:
        lines.append(f"“{submission.note}”")
    for name, value in (submission.edits or {}).items():
        shown = ", ".join(f"{key}: {text}" for key, text in value.items()) if isinstance(value, dict) else str(value)
        lines.append(f"{TEXTS[f'edited_{name}']}: {shown}")
    return lines

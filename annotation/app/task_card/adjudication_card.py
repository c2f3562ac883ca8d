"""The card for an adjudicator's case: the item with its key, and the annotators' answers without names.

For marked regions, the card has the form's fields, in which the adjudicator marks the valid regions. Each answer has
its regions by field, which the canvas overlays.
"""

from __future__ import annotations

from typing import Any

from benchwright.records import answered_key, right_key

from ...forms.fields.field_words import value_in_words
from ...forms.fields.form import Form
from ...forms.kinds import MARK
from ...forms.submission import Submission
from ...store.database.records import Campaign
from ...store.submissions.pre_key_answers import ANSWER
from ...workflow.adjudication import Case, reasons_in
from ..base.option_letters import options_of, question_in_words
from ..base.own_texts import form_in_language
from ..routes.field_examples import field_examples_url
from ..wording.texts import TEXTS, words_of_code
from .card import Card, editable_of

_ADJUDICATE, _ANSWER = "adjudicate", "answer"


def adjudication_card(case: Case, campaign: Campaign) -> Card:
    """Return the card of a case, with the id of the task as its slot."""
    item, form, reasons = case.item, campaign.form.typed, reasons_in(campaign)
    is_marked, names_key = campaign.kind == MARK, campaign.form.takes_choices
    explained = []
    if item.explanation is not None and form is not None:
        explained.append({"label": TEXTS["explanation"], "text": item.explanation})
    return Card(
        slot=case.task_id,
        mode=_ANSWER if names_key else _ADJUDICATE,
        question=question_in_words(item),
        choices=options_of(item),
        right=right_key(item.answer, item.refusal),
        declines=answered_key(item.answer, item.refusal) is None,
        reasons=[{"code": code, "words": words_of_code(code)} for code in reasons],
        needs_reason=["reject"] if reasons else [],
        needs_note=[] if is_marked or names_key else ["revise"] if reasons else ["revise", "reject"],
        said=None,
        draft={},
        is_current=True,
        fields=[field.model_dump(mode="json") for field in form.fields] if form is not None and is_marked else [],
        beside=explained,
        editable=None
        if case.is_last or is_marked or names_key
        else editable_of(item, with_explanation=bool(explained)),
        remarks=None,
        save=None,
        examples=field_examples_url(campaign),
        sheet=_ANSWER if names_key else "mark_adjudicate" if is_marked else _ADJUDICATE,
        answers=[_answer(annotation, number, form) for number, annotation in enumerate(case.annotations, 1)],
    )


def _answer(submission: Submission, number: int, form: Form | None) -> dict[str, Any]:
    answer = {
        "label": TEXTS["annotator_n"].format(number=number),
        "lines": submission_in_words(submission, form),
        "edits": None if submission.edits is None else dict(submission.edits),
    }
    if form is not None and form.region_fields:
        answer["regions"] = {field.name: (submission.fields or {}).get(field.name, []) for field in form.region_fields}
    return answer


def submission_in_words(submission: Submission, form: Form | None) -> list[str]:
    """Return a submission as lines: the decision, or answer and votes; then reasons, note and edits."""
    form = form_in_language(form)
    if form is None:
        lines = [TEXTS.get(submission.decision, submission.decision)]
    else:
        labels = {field.name: field.label for field in form.fields}
        fields = submission.fields or {}
        filled_in = {name: fields[name] for name in labels if fields.get(name)}
        lines = [f"{TEXTS['answer']}: {filled_in.pop(ANSWER, submission.decision)}"]
        lines += [
            f"{labels[field.name]} {value_in_words(field, filled_in[field.name])}"
            for field in form.fields
            if field.name in filled_in
        ]
    if submission.reasons:
        lines.append(", ".join(words_of_code(code) for code in submission.reasons))
    if submission.note:
        lines.append(f"“{submission.note}”")
    for name, value in (submission.edits or {}).items():
        shown = ", ".join(f"{key}: {text}" for key, text in value.items()) if isinstance(value, dict) else str(value)
        lines.append(f"{TEXTS[f'edited_{name}']}: {shown}")
    return lines

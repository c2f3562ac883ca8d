"""The card of a case that an adjudicator decides: the item with its key, and what annotators said, without names."""

from __future__ import annotations

from typing import Any

from ...forms.edits import right_of
from ...forms.form import Form
from ...store import Annotation, Campaign
from ...store.submissions.pre_key_answers import ANSWER
from ...workflow.adjudication import Case, reasons_in
from ..base.option_letters import options_of, question_in_words
from ..base.texts import TEXTS
from .card import Card, editable_of, words_of_card

ADJUDICATE = "adjudicate"


def adjudication_card(case: Case, campaign: Campaign, *, serial: int) -> Card:
    """Return the card of a case; its slot is the task."""
    item, form, reasons = case.item, campaign.form.typed, reasons_in(campaign)
    explained = [] if item.explanation is None or form is None else [
        {"label": TEXTS["explanation"], "text": item.explanation}
    ]  # fmt: skip
    return Card(
        serial=serial,
        slot=case.task_id,
        mode=ADJUDICATE,
        question=question_in_words(item),
        choices=options_of(item),
        right=right_of(item),
        declines=item.answer is None,
        reasons=[{"code": code, "words": code.replace("_", " ")} for code in reasons],
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
        texts=words_of_card(),
        answers=[_answer(one, number, form) for number, one in enumerate(case.annotations, 1)],
    )


def _answer(one: Annotation, number: int, form: Form | None) -> dict[str, Any]:
    return {
        "label": TEXTS["annotator_n"].format(number=number),
        "lines": said_in_words(one, form),
        "edits": None if one.edits is None else dict(one.edits),
    }


def said_in_words(one: Annotation, form: Form | None) -> list[str]:
    """Return in lines what an annotator said: decision or answer and votes, reasons, note, edits."""
    if form is None:
        lines = [TEXTS.get(one.decision, one.decision)]
    else:
        labels = {field.name: field.label for field in form.fields}
        fields = one.fields or {}
        said = {name: fields[name] for name in labels if fields.get(name)}
        lines = [f"{TEXTS['answer']}: {said.pop(ANSWER, one.decision)}"]
        lines += [f"{labels[name]} {value}" for name, value in said.items()]
    if one.reasons:
        lines.append(", ".join(code.replace("_", " ") for code in one.reasons))
    if one.note:
        lines.append(f"“{one.note}”")
    for name, value in (one.edits or {}).items():
        shown = ", ".join(f"{key}: {text}" for key, text in value.items()) if isinstance(value, dict) else str(value)
        lines.append(f"{TEXTS[f'edited_{name}']}: {shown}")
    return lines

"""Forms on an item's page that add it as an example to the guidelines of a campaign, or remove it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from benchwright.texts.hidden_characters import escaped

from ...forms.kind_forms.screening import KEEP
from ...items.item_history import ReviewedTask
from ...store.submissions.examples import MAX_WORDS, Examples, FieldExample
from ...workflow.settlement.settle import ACCEPT
from ..base.state import AppState
from ..own_pages.html_fields import FieldWords, radio_fields, text_field
from ..wording.curator_texts import TEXTS
from ..wording.texts import title_of
from .one_item_forms import RecordForms

_FORM = "example"
ACCEPTED = "accepted"
"""Value of the field for the kind of example, if it shows an accepted item."""
_KINDS = {ACCEPTED: "example_accepted", "rejected": "example_rejected"}
"""Key of the text for each kind of example."""


def can_be_example(task: ReviewedTask) -> bool:
    """Return whether guidelines may show a task: people have decided it, and it is not gold."""
    return task.facts.state == "done" and not task.facts.is_gold and not task.campaign.is_simulated


def example_forms(state: AppState, forms: RecordForms, tasks: Sequence[ReviewedTask]) -> str:
    """Return the forms to show the decided tasks about an item as examples, or to stop showing them.

    Args:
        state: State of the app.
        forms: The forms about the item.
        tasks: Tasks about the item.
    """
    decided = [task for task in tasks if can_be_example(task)]
    shown = Examples(state.store).of_tasks([task.facts.task_id for task in decided])
    parts = []
    for task in decided:
        example = shown.get(task.facts.task_id)
        parts.append(_form_to_show(forms, task) if example is None else _form_to_withdraw(forms, task, example))
    return "".join(parts)


def _form_to_show(forms: RecordForms, task: ReviewedTask) -> str:
    number, campaign = str(task.facts.task_id), escaped(title_of(task.campaign.name))
    kind, words = f"kind-{number}", f"words-{number}"
    usual = ACCEPTED if task.outcome in {ACCEPT, KEEP} else "rejected"
    problem = forms.problem_of(_FORM, task=number)
    fields = (
        f'<p class="hint">{escape(TEXTS["example_why"].format(campaign=campaign))}</p>'
        + radio_fields(
            kind,
            forms.input_of(_FORM, kind, usual, task=number),
            FieldWords(TEXTS["example_kind"]),
            [(code, TEXTS[name], "") for code, name in _KINDS.items()],
        )
        + text_field(
            words,
            forms.input_of(_FORM, words, task=number),
            FieldWords(TEXTS["example_words"], "", problem),
            more=f'maxlength="{MAX_WORDS}" autocomplete="off" dir="auto"',
        )
        + f'<div class="buttons"><button type="submit" id="show-{number}">{escape(TEXTS["example_add"])}</button></div>'
    )
    is_open = " open" if problem else ""
    form = forms.form(_FORM, fields, task=number, style="")
    return f'<details class="card"{is_open}><summary>{escape(TEXTS["example_head"])}</summary>{form}</details>'


def _form_to_withdraw(forms: RecordForms, task: ReviewedTask, example: FieldExample) -> str:
    number, campaign = str(task.facts.task_id), escaped(title_of(task.campaign.name))
    words = TEXTS["example_is"].format(campaign=campaign, words=escaped(example.words))
    button = f'<button type="submit" id="show-{number}" class="quiet">{escape(TEXTS["example_withdraw"])}</button>'
    body = f'<p dir="auto">{escape(words)}</p><div class="buttons">{button}</div>'
    return forms.form("no-example", body, task=number)

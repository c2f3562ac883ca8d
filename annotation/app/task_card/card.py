"""The task card: the data of a task for the browser, without its pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchwright.errors import BenchwrightError
from benchwright.records import answered_key, right_key
from benchwright.texts.hidden_characters import escaped

from ...forms.campaign_form import CampaignForm
from ...forms.evidence import needs_evidence
from ...forms.fields.field_types import OneChoice, Repeated
from ...forms.fields.field_words import value_in_words
from ...forms.fields.form import Form
from ...forms.kinds import ANSWER, CHANGE, KINDS, REVIEW, TO_WRITER, shows_key
from ...forms.payloads import Proposals
from ...forms.submission import Submission
from ...forms.task_content import TaskContent
from ...store.database.records import Campaign
from ...store.submissions.pre_key_answers import ANSWER as BLIND_ANSWER
from ...workflow.task_queue import OwnTask
from ..base.attention_words import attention_in_language
from ..base.option_letters import options_of, question_in_words
from ..base.own_texts import field_in_language, form_in_language, form_text
from ..routes.field_examples import field_examples_url
from ..routes.other_pictures import other_pictures_url
from ..routes.photographs import photographs_url
from ..routes.regions import helpers_url, proposals_url
from ..routes.tasks import DRAFT_HEADER, SEEN_HEADER, draft_url, mistakes_in_draft
from ..wording.texts import TEXTS, words_of_code

_FORM = "form"
"""Mode of a card whose campaign has a typed form."""
FOLDER = Path(__file__).parent
SCRIPTS = (
    "drafts.js",
    "photographs.js",
    "activity.js",
    "sections.js",
    "picture_list.js",
    "groups.js",
    "fields.js",
    "editor.js",
    "remarks.js",
    "card.js",
)
STYLE = "card.css"
IDLE_AFTER_S = 30.0
"""Seconds without keyboard or pointer input after which time no longer counts as spent on the task.

Annotators may look at a picture for that long without moving; after a longer pause they are doing something else.
"""


@dataclass(frozen=True)
class Card:
    """The data of a task for the browser, which include the key only if the campaign's form shows the key.

    Attributes:
        slot: Slot of the decision.
        mode: `verify`, `answer` or, with fields, `form`.
        question: Question, with captions in place of its pictures.
        choices: Options by key, each as text or as the caption of its picture.
        right: Key of the right option; None if the annotator must not see it.
        declines: Whether the right option declines to answer.
        reasons: Words for reasons, by code.
        needs_reason: Decisions that need at least one reason.
        needs_note: Decisions that need a note.
        said: The previous decision; None if there is none.
        draft: The stored draft; empty if there is none.
        is_current: Whether a decision still has an effect.
        fields: Fields of a typed form, each with its options; empty for other forms.
        beside: Texts next to the item, each with `label` and `text`.
        editable: The editable parts of the item, with their present texts; None if none are editable.
        remarks: The annotator's own comments and flags, each with `is_flag` and `words`; None if the card takes none.
        comes_back: Whether the task stays after this decision because votes or an explanation follow.
        idle_after_s: Seconds after the last use of keyboard or pointer for which time counts as spent on the task.
        save: Paths for drafts and photographs, with their headers; None if nothing is saved.
        sheet: Name of the sheet of keyboard keys.
        version: Version of the previous decision; 0 if there is none.
        revision: Revision of the draft; 0 if there is none.
        answers: Annotators' answers for an adjudicator, each with `label`, `lines`, and proposed `edits` or None.
        evidence: The `field` for regions that justify a decision, and the decisions that require it as `needed_for`;
            None if
            the campaign requests no regions.
        feedback: The result of a practice decision: `is_right`, and the texts `head`, `said` and `why`; None before it.
        is_practice: Whether the decision does not count; the card then offers neither undo nor comments.
        examples: Path of the example pictures of fields.
        to_writer: Whether the item can be sent back to its writer.
        mistakes: Mistakes in questions of the draft, each with its `place`, as in `FieldMistake`, and `words`.
        proposals: A model's drafts: `author`, and `fields` with `notes` on single drafts, or `failed` with the reason
            for their absence, or None if there is none.
    """

    slot: int
    mode: str
    question: str
    choices: Sequence[Mapping[str, str]]
    right: str | None
    declines: bool
    reasons: Sequence[Mapping[str, str]]
    needs_reason: Sequence[str]
    needs_note: Sequence[str]
    said: Mapping[str, Any] | None
    draft: Mapping[str, Any]
    is_current: bool
    fields: Sequence[Mapping[str, Any]]
    beside: Sequence[Mapping[str, str]]
    editable: Mapping[str, Any] | None
    remarks: Sequence[Mapping[str, Any]] | None
    save: Mapping[str, str] | None
    sheet: str
    answers: Sequence[Mapping[str, Any]] = ()
    comes_back: bool = False
    idle_after_s: float = IDLE_AFTER_S
    version: int = 0
    revision: int = 0
    evidence: Mapping[str, Any] | None = None
    feedback: Mapping[str, Any] | None = None
    is_practice: bool = False
    examples: str = ""
    proposals: Mapping[str, Any] | None = None
    mistakes: Sequence[Mapping[str, str]] = ()
    to_writer: bool = False

    @property
    def letters_choose(self) -> bool:
        """Return whether letters and clicks on pictures choose from the item's options."""
        return self.mode == ANSWER or any(field["type"] == "one_choice" for field in self.fields)

    @property
    def texts(self) -> list[str]:
        """Return the texts of the item and those next to it, in which formulas are to be drawn."""
        beside = [text["text"] for text in self.beside]
        answers = [line for answer in self.answers for line in answer["lines"]]
        feedback = [] if self.feedback is None else [self.feedback["said"], self.feedback["why"]]
        options = [option["words"] for field in self.fields for option in field.get("options") or ()]
        return [self.question, *(choice["words"] for choice in self.choices), *options, *beside, *answers, *feedback]

    @property
    def reserved_letters(self) -> tuple[str, ...]:
        """Return the letters reserved for options; a command with one of these letters requires Shift."""
        is_reserved = self.mode != _FORM or self.letters_choose
        return tuple(choice["key"] for choice in self.choices) if is_reserved else ()


def card_of(task: OwnTask, campaign: Campaign) -> Card:
    """Return the card of a task.

    Raises:
        BenchwrightError: The app has no form for the kind of campaign.
    """
    if campaign.kind not in KINDS:
        raise BenchwrightError(
            f"the app has no form for campaigns of kind {campaign.kind!r}; use `benchwright review export` instead"
        )
    task = replace(task, item=attention_in_language(task.item))
    item, form, typed = task.item, campaign.form, form_in_language(campaign.form.typed)
    blind = is_blind(task, campaign)
    with_key = shows_key(campaign.kind) and not blind
    key = right_key(item.answer, item.refusal)
    to_writer = form.to_writer and task.has_writer
    return Card(
        slot=task.shown_slot,
        mode=ANSWER if blind else campaign.kind if typed is None else _FORM,
        question=question_in_words(item) if item.choices else form_text(question_in_words(item)),
        choices=options_of(item),
        right=key if with_key else None,
        declines=with_key and answered_key(item.answer, item.refusal) is None,
        reasons=[{"code": code, "words": words_of_code(code)} for code in form.reasons],
        needs_reason=["reject"] if form.reasons else [],
        needs_note=list(form.needs_note),
        said=None if task.annotation is None else _said(task.annotation, typed),
        draft=task.draft,
        is_current=task.is_current,
        fields=[] if typed is None or blind else _fields(typed, item, key, answered=task.answered, to_writer=to_writer),
        beside=[]
        if blind
        else [
            *({"label": form_text(text["label"]), "text": escaped(text["text"])} for text in task.beside),
            *_shown_with_key(task, form),
        ],
        editable=(
            editable_of(
                item, with_explanation=(form.explained or task.answered is not None) and item.explanation is not None
            )
            if form.edits and task.is_current and not blind
            else None
        ),
        remarks=[{"is_flag": comment.is_flag, "words": comment.words} for comment in task.remarks],
        save={
            "url": draft_url(task.task_id),
            "header": DRAFT_HEADER,
            "seen": SEEN_HEADER,
            "photographs": photographs_url(task.task_id),
            "pictures": other_pictures_url(task.task_id),
            **_helped(campaign, task),
        },
        sheet=_sheet_of(campaign, task, blind=blind),
        evidence=_evidence_of(campaign, task),
        comes_back=blind and typed is not None,
        version=task.seen.version,
        revision=task.revision,
        examples=field_examples_url(campaign),
        proposals=None if typed is None or task.proposals is None else _proposed(task.proposals),
        mistakes=mistakes_in_draft(campaign, task.draft),
        to_writer=to_writer and task.is_current and not blind,
    )


def _helped(campaign: Campaign, task: OwnTask) -> dict[str, str]:
    """Return the paths of the helpers that propose marks, if annotators mark regions on the task's pictures."""
    if not campaign.form.region_fields or not task.is_current:
        return {}
    return {"helpers": helpers_url(task.task_id), "proposals": proposals_url(task.task_id)}


def _evidence_of(campaign: Campaign, task: OwnTask) -> dict[str, Any] | None:
    """Return the field for regions that justify a decision, or None if a task accepts no such regions."""
    form, item = campaign.form, task.item
    if form.evidence is None or not task.takes_regions:
        return None
    field = field_in_language(form.evidence)
    possible = [choice.key for choice in item.choices] if form.takes_choices else form.decisions
    needed_for = [code for code in possible if needs_evidence(form, item.refusal, code)]
    return {"field": field.model_dump(mode="json"), "needed_for": needed_for}


def _proposed(proposals: Proposals) -> dict[str, Any]:
    if not proposals.fields:
        return {"author": proposals.model, "failed": proposals.failed or ""}
    notes = {
        place: {
            "author": note.author,
            "attacks": [
                {
                    "author": attack.by.removeprefix("model:"),
                    "words": TEXTS[f"attack_{attack.attack}"],
                    "result": attack.result,
                    "says": attack.says,
                }
                for attack in note.attacks
            ],
        }
        for place, note in proposals.notes.items()
    }
    return {"author": proposals.model, "fields": proposals.fields, "notes": notes}


def _sheet_of(campaign: Campaign, task: OwnTask, *, blind: bool) -> str:
    """Return the name of the keyboard sheet for a task's card."""
    typed = campaign.form.typed
    to_writer = "_to_writer" if campaign.form.to_writer and task.has_writer else ""
    if campaign.form.evidence is not None and task.takes_regions:
        return f"{campaign.kind}_with_evidence{to_writer}"
    if blind:
        return "answer"
    if typed is None or campaign.kind == REVIEW:
        return f"{campaign.kind}{to_writer}"
    if typed.region_fields:
        return "mark"
    if task.proposals is not None or any(isinstance(field, Repeated) for field in typed.fields):
        return "form_in_sections" if task.proposals is None else "form_with_drafts"
    has_options = any(isinstance(field, OneChoice) for field in typed.fields)
    return "form_with_options" if has_options else "form" if task.item.images else "collect"


def _said(submission: Submission, form: Form | None) -> dict[str, Any]:
    """Return an earlier decision in the form in which the card shows it."""
    return {
        "decision": submission.decision,
        "reasons": list(submission.reasons),
        "note": submission.note or "",
        "fields": dict(submission.fields or {}),
        "edits": dict(submission.edits or {}),
        "words": _headline_in_words(form, submission.fields),
    }


def _headline_in_words(form: Form | None, fields: Mapping[str, Any] | None) -> str:
    """Return a text for an earlier decision; for a long form, its first field only, since the rest appears below."""
    if form is None or fields is None or not any(isinstance(field, Repeated) for field in form.fields):
        return _fields_in_words(form, fields)
    return value_in_words(form.headline, fields[form.headline.name])


def is_blind(task: OwnTask, campaign: Campaign) -> bool:
    """Return whether a task still awaits the answer that must precede the display of its key."""
    return campaign.form.blind_first and task.answered is None


def _shown_with_key(task: OwnTask, form: CampaignForm) -> list[dict[str, str]]:
    """Return the texts next to an item with its key: the annotator's own answer, if any, and the key's explanation."""
    if not (form.explained or task.answered is not None):
        return []
    texts = []
    if task.answered is not None:
        words = {option["key"]: option["words"] for option in options_of(task.item)}
        texts.append({"label": TEXTS["answered"], "text": f"{task.answered}: {words.get(task.answered, '')}"})
    if task.item.explanation is not None:
        texts.append({"label": TEXTS["explanation"], "text": task.item.explanation})
    return texts


def editable_of(item: TaskContent, *, with_explanation: bool = False) -> dict[str, Any]:
    """Return the editable parts of an item, with their present texts; choices that are pictures cannot be edited."""
    return {
        "question": item.question,
        "choices": {choice.key: choice.text for choice in item.choices if choice.text is not None},
        "keys": [choice.key for choice in item.choices],
        "right": right_key(item.answer, item.refusal),
        "explanation": (item.explanation or "") if with_explanation else None,
    }


def _fields_in_words(form: Form | None, fields: Mapping[str, Any] | None) -> str:
    """Return a text for the values of a typed form; empty if there is no typed form or there are no values."""
    shown = form_in_language(form)
    return "" if shown is None or fields is None else shown.describe(fields)


def decision_in_words(campaign: Campaign, item: TaskContent, decision: str) -> str:
    """Return a decision as worded on the card: an option with its letter, words for form codes, or a button's text."""
    typed = form_in_language(campaign.form.typed)
    if campaign.form.takes_choices or (typed is not None and isinstance(typed.headline, OneChoice)):
        words = {option["key"]: option["words"] for option in options_of(item)}
        return f"{decision}: {words.get(decision, '')}"
    if typed is not None:
        named = {option.code: option.words for option in getattr(typed.headline, "options", ())}
        return ", ".join(named.get(code, code) for code in decision.split("+"))
    return TEXTS.get(decision, decision)


def _fields(
    form: Form, item: TaskContent, key: str | None, *, answered: str | None, to_writer: bool
) -> list[dict[str, Any]]:
    """Return a form's fields for the card; a field for choosing among the item's choices has these as its options.

    The field for the answer before the key is left out once that answer is stored. Fields that send the item back are
    left out if no annotator wrote it.
    """
    fields = []
    for field in form.fields:
        if answered is not None and field.name == BLIND_ANSWER:
            continue
        if field.name in {TO_WRITER, CHANGE} and not to_writer:
            continue
        document = field.model_dump(mode="json")
        if isinstance(field, OneChoice):
            document["options"] = [
                {"code": option["key"], "words": _short(option["words"]), "help": ""}
                for option in options_of(item)
                if field.is_key_offered or option["key"] != key
            ]
        fields.append(document)
    return fields


def _short(words: str, at_most: int = 60) -> str:
    return words if len(words) <= at_most else words[: at_most - 1] + "…"

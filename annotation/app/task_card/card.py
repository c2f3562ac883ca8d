"""The task card: the data that it shows, and the events that come back from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchwright.errors import BenchwrightError

from ...forms.edits import right_of
from ...forms.form import Form, OneChoice
from ...forms.kinds import ANSWER, KINDS, shows_key
from ...forms.submission import Submission
from ...forms.task_content import TaskContent
from ...store import Campaign, RefusedError
from ...store.submissions.pre_key_answers import ANSWER as BLIND_ANSWER
from ...workflow.drafts import WINDOW, SeenDraft
from ...workflow.task_queue import OwnTask
from ..base.components import component
from ..base.option_letters import options_of, question_in_words
from ..base.texts import TEXTS
from ..routes.photographs import photographs_url
from ..routes.tasks import DRAFT_HEADER, SEEN_HEADER, draft_url

FORM = "form"
"""Mode of a card whose campaign has a typed form."""
IDLE_AFTER_S = 30.0
"""Seconds without key or pointer after which time no longer counts as spent on the task.

People look at a picture for so long without moving; whoever does nothing for longer is doing something else.
"""
_KEY = "card"
_SCRIPTS = ("drafts.js", "photographs.js", "activity.js", "fields.js", "editor.js", "remarks.js", "card.js")
MOST_S = 1e9
MAX_WINDOW = 60
_WORDS = (
    "question", "right", "declines", "accept", "reject", "revise", "skip", "undo", "note", "note_hint", "reasons",
    "needs_reason", "needs_why", "needs_note", "needs_choice", "needs_option", "needs_text", "needs_lines",
    "needs_photograph", "letter_is_option", "choose_photograph", "photograph_size", "photograph_sent",
    "photograph_failed", "answer", "submit", "saved", "not_saved", "said", "moved_on", "needs_edits", "edit_item",
    "right_option", "explanation", "choice", "send_back", "take_edits", "answers", "needs_own_edits", "remarks",
    "remark", "remark_hint", "comment", "flag", "commented", "flagged", "other_window", "behind",
    "decided_elsewhere",
)  # fmt: skip


@dataclass(frozen=True)
class Card:
    """The data of a task that the browser gets; they hold the key only where the campaign's form shows it.

    Attributes:
        serial: Number that rises with each handled event, after which the card sends the next one.
        slot: Slot that a decision is for.
        mode: `verify`, `answer` or, with fields, `form`.
        question: Question, with captions in place of its pictures.
        choices: Options by key, in words or by the caption of their picture.
        right: Key of the right option; None where the annotator must not see it.
        declines: Whether the right option declines to answer.
        reasons: Codes of reasons, with words.
        needs_reason: Decisions that need at least one reason.
        needs_note: Decisions that need a note.
        said: The decision before this one; None where there is none.
        draft: The stored draft; empty where there is none.
        is_current: Whether a decision still changes anything.
        fields: Fields of a typed form, each with its options; none otherwise.
        beside: Texts beside the item, each with `label` and `text`.
        editable: The parts of the item that can be edited, with their present texts; None where none can.
        remarks: The annotator's own comments and flags, each with `is_flag` and `words`; None where none are taken.
        idle_after_s: Seconds after the last use of a key or the pointer for which time counts as spent on the task.
        save: Paths for drafts and photographs, and the headers that go with them; None where nothing is saved.
        texts: Texts of the card.
        version: Version of the decision before; 0 where there is none.
        revision: Revision of the draft; 0 where there is none.
        answers: Annotators' answers for an adjudicator, each with `label`, `lines`, and proposed `edits` or None.
    """

    serial: int
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
    texts: Mapping[str, str]
    answers: Sequence[Mapping[str, Any]] = ()
    idle_after_s: float = IDLE_AFTER_S
    version: int = 0
    revision: int = 0

    @property
    def letters_choose(self) -> bool:
        """Return whether letters, and clicks on pictures, choose among the item's options."""
        return self.mode == ANSWER or any(field["type"] == "one_choice" for field in self.fields)

    @property
    def reserved_letters(self) -> tuple[str, ...]:
        """Return the letters that stand for options only; a command with such a letter takes Shift."""
        is_reserved = self.mode != FORM or self.letters_choose
        return tuple(choice["key"] for choice in self.choices) if is_reserved else ()


@dataclass(frozen=True)
class CardEvent:
    """What an annotator did on the card.

    Attributes:
        slot: Slot that was meant; an event for a task that has left the queue meanwhile is dropped.
        does: `decide`, `skip`, `undo`, `comment` or `flag`.
        submission: Submission as the browser sent it; the store checks it. A comment is its note, and an answer before
            the key is shown is its decision.
        seen: Decision and draft that the window had seen; None where it does not say.
        window: Name of the window; empty where it does not say.
    """

    slot: int
    does: str
    submission: Submission
    seen: SeenDraft | None = None
    window: str = ""

    @property
    def draft(self) -> dict[str, Any]:
        """Return the submission as a draft."""
        submission = self.submission
        written = {
            "decision": submission.decision,
            "reasons": list(submission.reasons),
            "note": submission.note,
            "edits": submission.edits,
        }
        fields = {} if submission.fields is None else {"fields": dict(submission.fields)}
        return {WINDOW: self.window, **{name: value for name, value in written.items() if value}, **fields}


def card_of(task: OwnTask, campaign: Campaign, *, serial: int) -> Card:
    """Return the card of a task.

    Raises:
        BenchwrightError: The app has no form for this kind of campaign.
    """
    if campaign.kind not in KINDS:
        raise BenchwrightError(
            f"the app has no form for campaigns of kind {campaign.kind!r}; `benchwright review export` has"
        )
    item, form, typed = task.item, campaign.form, campaign.form.typed
    blind = is_blind(task, campaign)
    with_key = shows_key(campaign.kind) and not blind
    key = item.answer or item.refusal
    return Card(
        serial=serial,
        slot=task.shown_slot,
        mode=ANSWER if blind else campaign.kind if typed is None else FORM,
        question=question_in_words(item),
        choices=options_of(item),
        right=key if with_key else None,
        declines=with_key and item.answer is None,
        reasons=[{"code": code, "words": code.replace("_", " ")} for code in form.reasons],
        needs_reason=["reject"] if form.reasons else [],
        needs_note=list(form.needs_note),
        said=None if task.annotation is None else _said(task.annotation, typed),
        draft=task.draft,
        is_current=task.is_current,
        fields=[] if typed is None or blind else _fields(typed, item, key, answered=task.answered),
        beside=[*task.beside, *_shown_after(task, blind=blind)],
        editable=(
            editable_of(item, with_explanation=task.answered is not None and item.explanation is not None)
            if form.edits and task.is_current and not blind
            else None
        ),
        remarks=[{"is_flag": comment.is_flag, "words": comment.words} for comment in task.remarks],
        save={
            "url": draft_url(task.task_id),
            "header": DRAFT_HEADER,
            "seen": SEEN_HEADER,
            "photographs": photographs_url(task.task_id),
        },
        texts=words_of_card(),
        version=task.seen.version,
        revision=task.revision,
    )


def _said(submission: Submission, form: Form | None) -> dict[str, Any]:
    """Return an earlier decision as the card shows it."""
    return {
        "decision": submission.decision,
        "reasons": list(submission.reasons),
        "note": submission.note or "",
        "fields": dict(submission.fields or {}),
        "edits": dict(submission.edits or {}),
        "words": fields_in_words(form, submission.fields),
    }


def words_of_card() -> dict[str, str]:
    """Return the texts of the card itself."""
    return {name: TEXTS[name] for name in _WORDS}


def is_blind(task: OwnTask, campaign: Campaign) -> bool:
    """Return whether a task still waits for the answer that comes before its key is shown."""
    return campaign.form.blind_first and task.answered is None


def _shown_after(task: OwnTask, *, blind: bool) -> list[dict[str, str]]:
    """Return the texts beside an item that has been answered: the answer, and the explanation of the key."""
    if blind or task.answered is None:
        return []
    words = {option["key"]: option["words"] for option in options_of(task.item)}
    texts = [{"label": TEXTS["answered"], "text": f"{task.answered}: {words.get(task.answered, '')}"}]
    if task.item.explanation is not None:
        texts.append({"label": TEXTS["explanation"], "text": task.item.explanation})
    return texts


def editable_of(item: TaskContent, *, with_explanation: bool = False) -> dict[str, Any]:
    """Return the parts of an item that can be edited, with their present texts; choices that are pictures cannot."""
    return {
        "question": item.question,
        "choices": {choice.key: choice.text for choice in item.choices if choice.text is not None},
        "keys": [choice.key for choice in item.choices],
        "right": right_of(item),
        "explanation": (item.explanation or "") if with_explanation else None,
    }


def fields_in_words(form: Form | None, fields: Mapping[str, Any] | None) -> str:
    """Return the values of a typed form in words; empty without a typed form or without values."""
    return "" if form is None or fields is None else form.told(fields)


def _fields(form: Form, item: TaskContent, key: str | None, *, answered: str | None) -> list[dict[str, Any]]:
    """Return a form's fields for the card; a field for one of the item's choices gets these as its options.

    The field of the answer before the key is left out once that answer is stored.
    """
    fields = []
    for field in form.fields:
        if answered is not None and field.name == BLIND_ANSWER:
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


def show_card(card: Card, *, on_event: Callable[[], None]) -> None:
    """Show a card, and call a function when the annotator does something, before the page runs again.

    Args:
        card: Data of the card.
        on_event: Function that handles the event, which `last_event` returns within the call.
    """
    component("benchwright_task_card", Path(__file__).parent, _SCRIPTS, "card.css")(
        key=_KEY, data=asdict(card), on_act_change=on_event
    )


def last_event() -> CardEvent:
    """Return what the annotator just did on the card.

    Raises:
        RefusedError: The browser sent something that the card does not send.
    """
    import streamlit as st

    component_state = st.session_state.get(_KEY)
    return event_of(component_state.get("act") if isinstance(component_state, Mapping) else None)


def event_of(sent: Any) -> CardEvent:
    """Return the event that a browser sent, after checking its form.

    Raises:
        RefusedError: The browser sent something that the card does not send.
    """
    if not isinstance(sent, Mapping) or type(sent.get("slot")) is not int:  # true is no slot
        raise RefusedError("this is nothing that the card sends")
    reasons = sent.get("reasons")
    texts = [sent.get(name) for name in ("does", "decision", "note")]
    texts += reasons if isinstance(reasons, list) else [None]
    does, decision, note, *codes = (text for text in texts if isinstance(text, str))
    if len(codes) + 3 != len(texts) or does not in {"decide", "skip", "undo", "comment", "flag"}:
        raise RefusedError("this is nothing that the card sends")
    submission = Submission(
        decision=decision,
        reasons=tuple(codes),
        note=note.strip() or None,
        fields=_fields_sent(sent.get("fields")),
        edits=edits_sent(sent.get("edits")),
        active_s=_seconds_sent(sent.get("active_s")),
    )
    return CardEvent(sent["slot"], does, submission, _seen_sent(sent), _window_sent(sent))


def _seen_sent(sent: Mapping[str, Any]) -> SeenDraft | None:
    """Return the decision and draft that a window had seen; None where the browser sent neither.

    Raises:
        RefusedError: The version or the revision is no number.
    """
    version, revision = sent.get("version"), sent.get("revision")
    if version is None and revision is None:
        return None
    if type(version) is not int or type(revision) is not int:
        raise RefusedError("this is nothing that the card sends")
    return SeenDraft(version, revision)


def _window_sent(sent: Mapping[str, Any]) -> str:
    window = sent.get("window", "")
    if not isinstance(window, str) or len(window) > MAX_WINDOW:
        raise RefusedError("this is nothing that the card sends")
    return window


def _seconds_sent(value: Any) -> float | None:
    """Return the seconds that a browser sent, if any; the store bounds them further.

    Raises:
        RefusedError: The value is no number.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise RefusedError("this is nothing that the card sends")
    return float(min(max(value, 0), MOST_S))


def _fields_sent(fields: Any) -> dict[str, Any] | None:
    """Return the fields that a browser sent, texts and lists of texts by name; None where it sent none.

    Raises:
        RefusedError: The value is anything else.
    """
    if fields is None:
        return None
    if not isinstance(fields, Mapping) or not all(isinstance(name, str) for name in fields):
        raise RefusedError("this is nothing that the card sends")
    for value in fields.values():
        texts = value if isinstance(value, list) else [value]
        if not all(isinstance(text, str) for text in texts):
            raise RefusedError("this is nothing that the card sends")
    return dict(fields)


def edits_sent(edits: Any) -> dict[str, Any] | None:
    """Return the edits that a browser sent, an object or None; the store checks their content.

    Raises:
        RefusedError: The value is anything else.
    """
    if edits is None:
        return None
    if not isinstance(edits, Mapping) or not all(isinstance(name, str) for name in edits):
        raise RefusedError("this is nothing that the card sends")
    return dict(edits) or None

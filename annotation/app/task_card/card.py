"""What the task card shows, and what comes back from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchwright.errors import BenchwrightError

from ...forms.edits import right_of
from ...forms.form import Form, OneChoice
from ...forms.kinds import ANSWER, KINDS
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
"""A picture is looked at with still hands for so long; whoever does nothing for longer is doing something else."""
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
    """What the browser gets of a task: the key only where the campaign's form shows it.

    Attributes:
        serial: Raised whenever the card has been heard, so that it listens again.
        slot: What a decision is given for.
        mode: `verify`, `answer` or, with fields, `form`.
        question: With pictures in it by their captions.
        choices: Options by key, in words or by the caption of the picture that they show.
        right: Key of the right option; None where the annotator is not to know.
        declines: Whether that option declines to answer.
        reasons: Codes of reasons, with words.
        needs_reason: Decisions that take at least one reason.
        needs_note: Decisions that take a note.
        said: What was decided before.
        draft: What was being typed.
        is_current: Whether deciding still changes anything.
        fields: Of a typed form, each with its options; none otherwise.
        beside: Texts beside the item, each `label` and `text`.
        editable: Of the item, what can be edited, as it stands; None where nothing can.
        remarks: The annotator's own comments and flags, each `is_flag` and `words`; None where none are taken.
        idle_after_s: How long after a key or the pointer was last used time still counts as spent on the task.
        save: Where drafts are kept, and photographs; and the header that goes with them; None where none are.
        texts: Words of the card.
        version: Of what was decided before; 0 where nothing was.
        revision: Of the draft; 0 without one.
        answers: What annotators said, for an adjudicator: `label`, `lines`, and `edits` that they propose or None.
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
        """Return the letters that are options' and never commands; a command with such a letter takes Shift."""
        is_reserved = self.mode != FORM or self.letters_choose
        return tuple(choice["key"] for choice in self.choices) if is_reserved else ()


@dataclass(frozen=True)
class CardEvent:
    """What an annotator did on the card.

    Attributes:
        slot: Which task was meant: one that is off the desk meanwhile is not touched.
        does: `decide`, `skip`, `undo`, `comment` or `flag`.
        decision: Of the form's decisions, or a key of the item's options.
        reasons: Codes.
        note: In the annotator's words; None without any.
        fields: Of a typed form; the store checks them.
        edits: Of the item; the store checks them.
        active_s: Seconds spent on the task without pauses, as the browser counted; the store bounds them.
        seen: What the window had before it; None where it does not say.
        window: Which window it was; empty where it does not say.
    """

    slot: int
    does: str
    decision: str
    reasons: tuple[str, ...]
    note: str | None
    fields: Mapping[str, Any] | None = None
    edits: Mapping[str, Any] | None = None
    active_s: float | None = None
    seen: SeenDraft | None = None
    window: str = ""

    @property
    def draft(self) -> dict[str, Any]:
        """Return what was written and chosen, as a draft says it."""
        said = {"decision": self.decision, "reasons": list(self.reasons), "note": self.note, "edits": self.edits}
        fields = {} if self.fields is None else {"fields": dict(self.fields)}
        return {WINDOW: self.window, **{name: value for name, value in said.items() if value}, **fields}


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
    shows_key = KINDS[campaign.kind].shows_key and not blind
    key = item.answer or item.refusal
    return Card(
        serial=serial,
        slot=task.shown_slot,
        mode=ANSWER if blind else campaign.kind if typed is None else FORM,
        question=question_in_words(item),
        choices=options_of(item),
        right=key if shows_key else None,
        declines=shows_key and item.answer is None,
        reasons=[{"code": code, "words": code.replace("_", " ")} for code in form.reasons],
        needs_reason=["reject"] if form.reasons else [],
        needs_note=list(form.needs_note),
        said=None if task.said is None else {
            "decision": task.said.decision, "reasons": list(task.said.reasons), "note": task.said.note or "",
            "fields": dict(task.said.fields or {}), "edits": dict(task.said.edits or {}),
            "words": told_of(typed, task.said.fields),
        },
        draft=task.draft,
        is_current=task.is_current,
        fields=[] if typed is None or blind else _fields(typed, item, key, given=task.answered),
        beside=[*task.beside, *_shown_after(task, blind=blind)],
        editable=(
            editable_of(item, with_explanation=task.answered is not None and item.explanation is not None)
            if form.edits and task.is_current and not blind
            else None
        ),
        remarks=[{"is_flag": one.is_flag, "words": one.words} for one in task.remarks],
        save={
            "url": draft_url(task.task_id), "header": DRAFT_HEADER, "seen": SEEN_HEADER,
            "photographs": photographs_url(task.task_id),
        },
        texts=words_of_card(),
        version=task.seen.version,
        revision=task.revision,
    )  # fmt: skip


def words_of_card() -> dict[str, str]:
    """Return the words that the card itself says."""
    return {name: TEXTS[name] for name in _WORDS}


def is_blind(task: OwnTask, campaign: Campaign) -> bool:
    """Return whether a task still waits for the answer that comes before its key is shown."""
    return campaign.form.blind_first and task.answered is None


def _shown_after(task: OwnTask, *, blind: bool) -> list[dict[str, str]]:
    """Return what is shown beside an item once it is answered: the answer, and why the key is right."""
    if blind or task.answered is None:
        return []
    words = {one["key"]: one["words"] for one in options_of(task.item)}
    found = [{"label": TEXTS["answered"], "text": f"{task.answered}: {words.get(task.answered, '')}"}]
    if task.item.explanation is not None:
        found.append({"label": TEXTS["explanation"], "text": task.item.explanation})
    return found


def editable_of(item: TaskContent, *, with_explanation: bool = False) -> dict[str, Any]:
    """Return what can be edited of an item, as it stands; pictures among the choices cannot."""
    return {
        "question": item.question,
        "choices": {choice.key: choice.text for choice in item.choices if choice.text is not None},
        "keys": [choice.key for choice in item.choices],
        "right": right_of(item),
        "explanation": (item.explanation or "") if with_explanation else None,
    }


def told_of(form: Form | None, fields: Mapping[str, Any] | None) -> str:
    """Return in words what was said in a typed form; empty where there is none."""
    return "" if form is None or fields is None else form.describe(fields)


def _fields(form: Form, item: TaskContent, key: str | None, *, given: str | None) -> list[dict[str, Any]]:
    """Return a form's fields as the card builds them: where the item's own choices are to be picked, with these.

    An answer that was given before the key was shown is no field any more.
    """
    found = []
    for field in form.fields:
        if given is not None and field.name == BLIND_ANSWER:
            continue
        document = field.model_dump(mode="json")
        if isinstance(field, OneChoice):
            offered = [one for one in options_of(item) if field.is_key_offered or one["key"] != key]
            document["options"] = [{"code": one["key"], "words": _short(one["words"]), "help": ""} for one in offered]
        found.append(document)
    return found


def _short(words: str, at_most: int = 60) -> str:
    return words if len(words) <= at_most else words[: at_most - 1] + "…"


def show_card(card: Card, *, heard: Callable[[], None]) -> None:
    """Show a card; when the annotator does something `heard` is called, before the page is made anew.

    Within that call, `act_just_done` returns what was done.
    """
    component("benchwright_task_card", Path(__file__).parent, _SCRIPTS, "card.css")(
        key=_KEY, data=asdict(card), on_act_change=heard
    )


def act_just_done() -> CardEvent:
    """Return what the annotator just did on the card.

    Raises:
        RefusedError: What came from the browser is nothing that the card sends.
    """
    import streamlit as st

    said = st.session_state.get(_KEY)
    return act_of(said.get("act") if isinstance(said, Mapping) else None)


def act_of(sent: Any) -> CardEvent:
    """Return what a browser sent, checked.

    Raises:
        RefusedError: It is nothing that the card sends.
    """
    if not isinstance(sent, Mapping) or type(sent.get("slot")) is not int:  # true is no slot
        raise RefusedError("this is nothing that the card sends")
    reasons = sent.get("reasons")
    texts = [sent.get(name) for name in ("does", "decision", "note")]
    texts += reasons if isinstance(reasons, list) else [None]
    does, decision, note, *codes = (text for text in texts if isinstance(text, str))
    if len(codes) + 3 != len(texts) or does not in {"decide", "skip", "undo", "comment", "flag"}:
        raise RefusedError("this is nothing that the card sends")
    return CardEvent(
        sent["slot"], does, decision, tuple(codes), note.strip() or None, _fields_sent(sent.get("fields")),
        edits_sent(sent.get("edits")), _seconds_sent(sent.get("active_s")), _seen_sent(sent), _window_sent(sent),
    )  # fmt: skip


def _seen_sent(sent: Mapping[str, Any]) -> SeenDraft | None:
    """Return what a window had before it, as a browser sent it, if it did.

    Raises:
        RefusedError: It is something else.
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
    """Return seconds as a browser sent them, if any; how many there can be is the store's to say.

    Raises:
        RefusedError: They are something else.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise RefusedError("this is nothing that the card sends")
    return float(min(max(value, 0), MOST_S))


def _fields_sent(fields: Any) -> dict[str, Any] | None:
    """Return fields as a browser sent them: texts and lists of texts by name, or none.

    Raises:
        RefusedError: They are something else.
    """
    if fields is None:
        return None
    if not isinstance(fields, Mapping) or not all(isinstance(name, str) for name in fields):
        raise RefusedError("this is nothing that the card sends")
    for value in fields.values():
        each = value if isinstance(value, list) else [value]
        if not all(isinstance(one, str) for one in each):
            raise RefusedError("this is nothing that the card sends")
    return dict(fields)


def edits_sent(edits: Any) -> dict[str, Any] | None:
    """Return edits as a browser sent them: an object or nothing; what is in it the store checks.

    Raises:
        RefusedError: They are something else.
    """
    if edits is None:
        return None
    if not isinstance(edits, Mapping) or not all(isinstance(name, str) for name in edits):
        raise RefusedError("this is nothing that the card sends")
    return dict(edits) or None

"""What the task card shows, and what comes back from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchwright.errors import BenchwrightError
from benchwright.records import Item

from ...desk import OwnTask
from ...form import Form, OneChoice, form_of
from ...kinds import KINDS
from ...store import Campaign, RefusedError
from ..components import component
from ..task_routes import DRAFT_HEADER, draft_url
from ..texts import TEXTS

FORM = "form"
"""Mode of a card whose campaign has a typed form."""
IDLE_AFTER_S = 30.0
"""A picture is looked at with still hands for so long; whoever does nothing for longer is doing something else."""
_KEY = "card"
MOST_S = 1e9
_PLACED = re.compile(r"<image (\d+)>")
_WORDS = (
    "question", "right", "declines", "accept", "reject", "revise", "skip", "undo", "note", "note_hint", "reasons",
    "needs_reason", "needs_note", "needs_choice", "needs_option", "needs_text", "answer", "submit", "saved",
    "not_saved", "said", "moved_on", "remarks", "remark", "remark_hint", "comment", "flag", "commented", "flagged",
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
        remarks: The annotator's own comments and flags, each `is_flag` and `words`.
        idle_after_s: How long after a key or the pointer was last used time still counts as spent on the task.
        save: Where drafts are kept, and the header that goes with them.
        texts: Words of the card.
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
    remarks: Sequence[Mapping[str, Any]]
    idle_after_s: float
    save: Mapping[str, str]
    texts: Mapping[str, str]


@dataclass(frozen=True)
class Act:
    """What an annotator did on the card.

    Attributes:
        slot: Which task was meant: one that is off the desk meanwhile is not touched.
        does: `decide`, `skip`, `undo`, `comment` or `flag`.
        decision: Of the form's decisions, or a key of the item's options.
        reasons: Codes.
        note: In the annotator's words; None without any.
        fields: Of a typed form; the store checks them.
        active_s: Seconds spent on the task without pauses, as the browser counted; the store bounds them.
    """

    slot: int
    does: str
    decision: str
    reasons: tuple[str, ...]
    note: str | None
    fields: Mapping[str, Any] | None = None
    active_s: float | None = None


def card_of(task: OwnTask, campaign: Campaign, *, serial: int) -> Card:
    """Return the card of a task.

    Raises:
        BenchwrightError: The app has no form for this kind of campaign.
    """
    if campaign.kind not in KINDS:
        raise BenchwrightError(
            f"the app has no form for campaigns of kind {campaign.kind!r}; `benchwright review export` has"
        )
    item, form, typed = task.item, campaign.form, form_of(campaign.form)
    shows_key = KINDS[campaign.kind].shows_key
    key = item.answer or item.refusal
    return Card(
        serial=serial,
        slot=task.shown_slot,
        mode=campaign.kind if typed is None else FORM,
        question=_spelled(item.question),
        choices=_choices(item),
        right=key if shows_key else None,
        declines=shows_key and item.answer is None,
        reasons=[{"code": code, "words": code.replace("_", " ")} for code in form.get("reasons", ())],
        needs_reason=["reject"] if form.get("reasons") else [],
        needs_note=list(form.get("needs_note", ())),
        said=None if task.said is None else {
            "decision": task.said.decision, "reasons": list(task.said.reasons), "note": task.said.note or "",
            "fields": dict(task.said.fields or {}), "words": told_of(typed, task.said.fields),
        },
        draft=task.draft,
        is_current=task.is_current,
        fields=[] if typed is None else _fields(typed, item, key),
        beside=list(task.beside),
        remarks=[{"is_flag": one.is_flag, "words": one.words} for one in task.remarks],
        idle_after_s=IDLE_AFTER_S,
        save={"url": draft_url(task.task_id), "header": DRAFT_HEADER},
        texts={name: TEXTS[name] for name in _WORDS},
    )  # fmt: skip


def told_of(form: Form | None, fields: Mapping[str, Any] | None) -> str:
    """Return in words what was said in a typed form; empty where there is none."""
    return "" if form is None or fields is None else form.told(fields)


def _choices(item: Item) -> list[dict[str, str]]:
    return [{"key": choice.key, "words": choice.text or _caption(item, choice.image_id)} for choice in item.choices]


def _fields(form: Form, item: Item, key: str | None) -> list[dict[str, Any]]:
    """Return a form's fields as the card builds them: where the item's own choices are to be picked, with these."""
    found = []
    for field in form.fields:
        document = field.model_dump(mode="json")
        if isinstance(field, OneChoice):
            offered = [one for one in _choices(item) if field.is_key_offered or one["key"] != key]
            document["options"] = [
                {"code": one["key"], "words": f"{one['key']}: {_short(one['words'])}", "help": ""} for one in offered
            ]
        found.append(document)
    return found


def _short(words: str, at_most: int = 60) -> str:
    return words if len(words) <= at_most else words[: at_most - 1] + "…"


def show_card(card: Card, *, heard: Callable[[], None]) -> None:
    """Show a card; when the annotator does something `heard` is called, before the page is made anew.

    Within that call, `act_just_done` returns what was done.
    """
    component(
        "benchwright_task_card",
        Path(__file__).parent,
        ("drafts.js", "activity.js", "fields.js", "remarks.js", "card.js"),
        "card.css",
    )(key=_KEY, data=asdict(card), on_act_change=heard)


def act_just_done() -> Act:
    """Return what the annotator just did on the card.

    Raises:
        RefusedError: What came from the browser is nothing that the card sends.
    """
    import streamlit as st

    return act_of(st.session_state[_KEY].get("act"))


def act_of(sent: Any) -> Act:
    """Return what a browser sent, checked.

    Raises:
        RefusedError: It is nothing that the card sends.
    """
    if not isinstance(sent, Mapping) or not isinstance(sent.get("slot"), int):
        raise RefusedError("this is nothing that the card sends")
    reasons = sent.get("reasons")
    texts = [sent.get(name) for name in ("does", "decision", "note")]
    texts += reasons if isinstance(reasons, list) else [None]
    does, decision, note, *codes = (text for text in texts if isinstance(text, str))
    if len(codes) + 3 != len(texts) or does not in {"decide", "skip", "undo", "comment", "flag"}:
        raise RefusedError("this is nothing that the card sends")
    fields, active_s = _fields_sent(sent.get("fields")), _seconds_sent(sent.get("active_s"))
    return Act(sent["slot"], does, decision, tuple(codes), note.strip() or None, fields, active_s)


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


def captions(item: Item) -> list[str]:
    """Return what people call each of an item's pictures: a place, and the option that it is."""
    keys: dict[str, list[str]] = {}
    for choice in item.choices:
        if choice.image_id is not None:
            keys.setdefault(choice.image_id, []).append(choice.key)
    found = []
    for place, image in enumerate(item.images, 1):
        name = TEXTS["image"].format(place=place)
        if image.image_id in keys:
            name += " · " + TEXTS["choices_of"].format(keys=", ".join(keys[image.image_id]))
        found.append(name)
    return found


def _spelled(question: str) -> str:
    """Spell the places of pictures in a question as people read them."""
    return _PLACED.sub(lambda match: TEXTS["image"].format(place=match[1]), question)


def _caption(item: Item, image_id: str | None) -> str:
    place = next(place for place, image in enumerate(item.images, 1) if image.image_id == image_id)
    return TEXTS["image"].format(place=place)

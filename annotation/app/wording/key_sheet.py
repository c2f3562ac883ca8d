"""The keyboard sheet: the effect of each key on a card, in the order in which the keys should be learned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from .texts import TEXTS


class KeyWords(TypedDict):
    """A key, or a group of keys, and a description of its effect."""

    key: str
    words: str


_PICK = (("A–{last}", "key_option"), ("1–{count}", "key_option"))
_FIELDS = (("1–9", "key_pick"), ("F", "key_next_field"))
_GO_ON = (("S", "key_skip"), ("U", "key_undo"))
_NOTE = (("N", "key_note"), ("Esc", "key_leave"), ("Ctrl+Enter", "key_decide_writing"))
_REMARK = (("G", "key_remark"),)
_LOOK = (
    ("+", "key_zoom_in"), ("−", "key_zoom_out"), ("0", "key_fit"), ("Z", "key_pixels"), ("O", "key_marks"),
    ("M", "key_compare"), ("T", "key_swap"),
)  # fmt: skip
_MARK = (
    ("Ctrl+Z", "key_mark_undo"), ("Ctrl+Y", "key_mark_redo"), ("L", "key_mark_label"), ("Q", "key_mark_new"),
    ("D", "key_mark_remove"), (". ,", "key_mark_turn"), ("← ↑ → ↓", "key_mark_nudge"), ("A", "key_mark_corner"),
    ("I", "key_mark_add_corner"), ("E", "key_mark_erase"), ("[ ]", "key_mark_brush"), ("K", "key_mark_cross"),
    ("Space", "key_mark_press"), ("B", "key_mark_loupe"), ("Esc", "key_mark_leave"), ("Enter", "key_mark_done"),
)  # fmt: skip
_ASK = (
    ("H", "key_mark_ask"), ("P", "key_mark_inside"), ("R", "key_mark_outside"), ("C", "key_mark_around"),
    ("J", "key_mark_take"),
)  # fmt: skip
_TO_WRITER = ("W", "key_to_writer")
_HELP = (("?", "key_help"),)

_SHEETS: dict[str, Sequence[tuple[str, str]]] = {
    "verify": (
        ("Y", "key_accept"), ("X", "key_reject"), ("V", "key_revise"), ("1–9", "key_reasons"), *_NOTE, *_GO_ON,
        *_REMARK, *_LOOK, *_HELP,
    ),
    "answer": (*_PICK, ("Enter", "key_answer"), *_NOTE, *_GO_ON, *_REMARK, *_LOOK, *_HELP),
    "verify_with_evidence": (
        ("Y", "key_accept"), ("X", "key_reject"), ("V", "key_revise"), ("1–9", "key_reasons"), *_ASK, *_MARK, *_NOTE,
        *_GO_ON, *_REMARK, *_LOOK, *_HELP,
    ),
    "answer_with_evidence": (
        *_PICK, ("Enter", "key_answer"), *_ASK, *_MARK, *_NOTE, *_GO_ON, *_REMARK, *_LOOK, *_HELP,
    ),
    "form": (*_FIELDS, ("Enter", "key_done"), *_NOTE, *_GO_ON, *_REMARK, *_LOOK, *_HELP),
    "form_in_sections": (
        *_FIELDS, ("Enter", "key_done"), *_NOTE, ("Alt+↑ Alt+↓", "key_move_entry"), ("Alt+Enter", "key_add_entry"),
        ("Alt+Delete", "key_remove_entry"), *_GO_ON, *_REMARK, *_LOOK, *_HELP,
    ),
    "form_with_drafts": (
        ("A", "key_accept_draft"), ("D", "key_discard_draft"), *_FIELDS, ("Enter", "key_done"), *_NOTE,
        ("Alt+↑ Alt+↓", "key_move_entry"), ("Alt+Enter", "key_add_entry"), ("Alt+Delete", "key_remove_entry"),
        *_GO_ON, *_REMARK, *_LOOK, *_HELP,
    ),
    "form_with_options": (*_PICK, *_FIELDS, ("Enter", "key_done"), *_NOTE, *_GO_ON, *_REMARK, *_LOOK, *_HELP),
    "review": (
        ("1", "key_yes"), ("2", "key_no"), ("F", "key_next_field"), ("V", "key_edit"), ("Enter", "key_done"), *_NOTE,
        *_GO_ON, *_LOOK, *_HELP,
    ),
    "collect": (*_FIELDS, ("P", "key_photograph"), ("Enter", "key_done"), *_NOTE, *_GO_ON, *_HELP),
    "mark": (
        *_FIELDS, *_ASK, *_MARK, ("N", "key_note"), *_GO_ON, *_REMARK, *_LOOK, *_HELP,
    ),
    "mark_adjudicate": (
        *_FIELDS, ("J", "key_mark_take"), *_MARK, ("W", "key_send_back"), ("N", "key_note"), ("S", "key_skip"),
        *_LOOK, *_HELP,
    ),
    "adjudicate": (
        ("Y", "key_accept"), ("X", "key_reject"), ("V", "key_edit_twice"), ("1–9", "key_take_edits"),
        ("W", "key_send_back"), *_NOTE, ("S", "key_skip"), *_LOOK, *_HELP,
    ),
}  # fmt: skip
_SHEETS |= {
    f"{name}_to_writer": [line for key in _SHEETS[name] for line in ((key, _TO_WRITER) if key[0] == "V" else (key,))]
    for name in ("verify", "verify_with_evidence", "review")
}
"""The keyboard keys of each kind of card, with the names of their texts."""


def key_sheet(name: str, letters: Sequence[str]) -> list[KeyWords]:
    """Return the effect of each keyboard key on a card.

    Args:
        name: Name of the sheet among `_SHEETS`.
        letters: Letters of options on this card; a command with one of these letters takes Shift.
    """
    last = letters[-1] if letters else ""
    keys = [(key.format(last=last, count=min(9, len(letters))), TEXTS[words]) for key, words in _SHEETS[name]]
    return [{"key": f"Shift+{key}" if key in letters else key, "words": words} for key, words in keys]

"""Attention checks in the annotator's language; their texts belong to Benchwright, not to a curator or recipe."""

from __future__ import annotations

import re

from ...forms.kinds import ATTENTION
from ...forms.task_content import TaskContent
from ...workflow.attention import ORDINALS, QUESTION
from ..wording.texts import TEXTS
from .own_texts import form_text

_BUTTONS = {"Accept": "accept", "Reject": "reject"}
"""Options of a check in `verify`, which are the buttons on its card."""
_ASKED = re.compile(re.escape(QUESTION).replace(r"\{option\}", "(?P<option>.*)"), re.DOTALL)


def attention_in_language(item: TaskContent) -> TaskContent:
    """Return an attention check in the chosen language, and any other content unchanged."""
    asked = _ASKED.fullmatch(item.question) if item.task == ATTENTION else None
    if asked is None:
        return item
    choices = [choice.model_copy(update={"text": _option(choice.text)}) for choice in item.choices if choice.text]
    question = TEXTS["attention_asks"].format(option=_option(asked["option"]))
    return item.model_copy(update={"question": question, "choices": tuple(choices)})


def _option(english: str) -> str:
    """Return an option as worded on its button or in its field."""
    if english in _BUTTONS:
        return TEXTS[_BUTTONS[english]]
    if english in ORDINALS:
        return TEXTS[f"ordinal_{ORDINALS.index(english) + 1}"]
    return form_text(english)

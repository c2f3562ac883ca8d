"""What the settings of campaigns mean, in the chosen language; the English texts are those of the reference.

Settings of other steps keep their English texts, as in the reference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from benchwright.rooms import catalogue
from benchwright.settings.help import Setting, settings_of
from benchwright.steps import CampaignStep

from ..languages.language import ENGLISH, chosen_language
from ..wording.own_page_texts import TEXTS

SETTINGS = "settings"
"""Section of the language files with these texts, by the first step and setting with each."""
_ROOM = "annotation"
_RULE = "rule"
"""Setting that a form shows as numbers of votes."""
_KIND_WORDS = ("true or false", "at least", "at most", "characters", "integer", "number", "text", "null", "or", "to")
_WORD = re.compile(rf"`[^`]*`|\b(?:{'|'.join(_KIND_WORDS)})\b|,")
_LEFT_TO_RIGHT, _END = "\u2066", "\u2069"
"""Isolation marks around an English text on a page in another language."""


@cache
def english_settings() -> dict[str, str]:
    """Return the meaning of each setting of campaigns by step and setting, such as `verify.rounds`; each text once."""
    by_text: dict[str, str] = {}
    for name, entry in catalogue("steps").items():
        if entry.room == _ROOM:
            for setting in _plain_settings(entry.load()):
                by_text.setdefault(setting.help, f"{name}.{setting.name}")
    return {key: text for text, key in by_text.items()}


def setting_in_words(setting: Setting) -> str:
    """Return the meaning of a setting and the kind of its values, in the chosen language if it has a translation."""
    language = chosen_language()
    key = {text: key for key, text in english_settings().items()}.get(setting.help)
    told = setting.help if key is None else language.text(SETTINGS, key, setting.help)
    if told == setting.help:
        words = f"{told} ({setting.kind})"
        return words if language is ENGLISH else f"{_LEFT_TO_RIGHT}{words}{_END}"
    return f"{told} ({_WORD.sub(lambda match: _kind_word(match[0]), setting.kind)})"


def _kind_word(word: str) -> str:
    return word if word.startswith("`") else TEXTS[f"kind_{'comma' if word == ',' else word.replace(' ', '_')}"]


def _plain_settings(step: type) -> Iterator[Setting]:
    if issubclass(step, CampaignStep):
        for setting in settings_of(step):
            if "." not in setting.name and setting.name != _RULE and not setting.kind.startswith(("mapping", "list")):
                yield setting

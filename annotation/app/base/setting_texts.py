"""Descriptions of the settings of recipes' steps in the chosen language; the English texts are those of the reference.

Texts without a translation appear in English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchwright.rooms import catalogue
from benchwright.settings.help import Setting, settings_of
from benchwright.steps import CampaignStep

from ..languages.language import ENGLISH, chosen_language
from ..languages.setting_file import SettingTexts
from ..wording.own_page_texts import TEXTS

_RULE = "rule"
"""Setting that a form shows as numbers of votes."""
_CODE = re.compile("`[^`]*`")
_NUMBER = r"-?\d[\d,]*(?:\.\d+)?"
_KINDS = (
    (re.compile(rf"at most (?P<count>{_NUMBER}) characters"), "kind_characters"),
    (re.compile(rf"(?P<least>{_NUMBER}) to (?P<most>{_NUMBER})"), "kind_between"),
    (re.compile(rf"at least (?P<least>{_NUMBER})"), "kind_at_least"),
    (re.compile(rf"at most (?P<most>{_NUMBER})"), "kind_at_most"),
    (re.compile(rf"above (?P<least>{_NUMBER})"), "kind_above"),
    (re.compile(rf"below (?P<most>{_NUMBER})"), "kind_below"),
    (re.compile("true or false"), "kind_true_or_false"),
    (re.compile("integer"), "kind_integer"),
    (re.compile("number"), "kind_number"),
    (re.compile("text"), "kind_text"),
    (re.compile("null"), "kind_null"),
    (re.compile("or"), "kind_or"),
    (re.compile(","), "kind_comma"),
)
"""Parts of the kinds of values, as `Setting.kind` words them, and the texts for them."""
_PART = re.compile(_CODE.pattern + "".join(f"|{re.sub('[?]P<[a-z]+>', '?:', part.pattern)}" for part, _ in _KINDS))
_LEFT_TO_RIGHT, _END = "\u2066", "\u2069"
"""Isolation marks around names, codes and English texts on a page in another language."""


def english_settings() -> SettingTexts:
    """Return the description of each setting in forms, by step and setting, each text once; loads every step."""
    known: set[str] = set()
    settings: dict[str, dict[str, str]] = {}
    for step, entry in catalogue("steps").items():
        for setting in _plain_settings(entry.load()):
            if setting.help and setting.help not in known:
                known.add(setting.help)
                settings.setdefault(step, {})[setting.name] = setting.help
    return settings


def setting_label(name: str) -> str:
    """Return the label of a setting: its name in words, or exactly as in the recipe on a page in another language."""
    return name.replace("_", " ") if chosen_language() is ENGLISH else f"{_LEFT_TO_RIGHT}{name}{_END}"


def setting_in_words(setting: Setting) -> str:
    """Return the description of a setting and the kind of its values, in the chosen language if translated."""
    language = chosen_language()
    english = f"{setting.help} ({setting.kind})"
    if language is ENGLISH:
        return english
    told = language.setting_text(setting.help)
    if told is None:
        return f"{_LEFT_TO_RIGHT}{english}{_END}"
    told = _CODE.sub(lambda code: f"{_LEFT_TO_RIGHT}{code[0]}{_END}", told)
    return f"{told} ({_PART.sub(lambda part: _part_in_words(part[0]), setting.kind)})"


def _part_in_words(part: str) -> str:
    for pattern, key in _KINDS:
        if (match := pattern.fullmatch(part)) is not None:
            values = match.groupdict()
            count = values.get("count")
            return TEXTS[key].format(**({"count": int(count.replace(",", ""))} if count else values))
    return f"{_LEFT_TO_RIGHT}{part}{_END}"


def _plain_settings(step: type) -> Iterator[Setting]:
    for setting in settings_of(step):
        is_rule = issubclass(step, CampaignStep) and setting.name == _RULE
        if "." not in setting.name and not is_rule and not setting.kind.startswith(("mapping", "list")):
            yield setting

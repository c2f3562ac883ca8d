"""What the settings of steps mean, in the form of a step: campaigns in the page's language, other steps in English."""

from __future__ import annotations

import pytest

from benchwright.annotation.app.base.own_texts import english_texts
from benchwright.annotation.app.base.setting_texts import setting_in_words
from benchwright.annotation.app.languages.language import ENGLISH, use_language
from benchwright.annotation.app.languages.offered import OfferedLanguages
from benchwright.rooms import find
from benchwright.settings.help import Setting, settings_of


def setting_of(step: str, name: str) -> Setting:
    [setting] = [each for each in settings_of(find("steps", step).load()) if each.name == name]
    return setting


@pytest.mark.parametrize(
    ("step", "name", "begins", "ends"),
    [
        pytest.param("verify", "rounds", "أكبر عدد لجولات البند", "(عدد صحيح، 1 إلى 20)", id="numbers"),
        pytest.param("screen", "guidelines", "إرشادات المراجعين", "(نص أو فارغ)", id="a text of several steps"),
        pytest.param("mark", "over", "`images` واحدةً", "(`images` أو `pairs`)", id="codes"),
        pytest.param("jigsaw", "margin", "\u2066In mode `hardened`", "(number, 0 to 0.3)\u2069", id="not translated"),
    ],
)
def test_a_setting_is_told_in_the_pages_language_where_there_is_a_translation(
    step: str, name: str, begins: str, ends: str
) -> None:
    setting, arabic = setting_of(step, name), OfferedLanguages(english_texts()).of_tag("ar")
    assert arabic is not None
    with use_language(arabic):
        words = setting_in_words(setting)
    assert (words[: len(begins)], words[-len(ends) :]) == (begins, ends)
    with use_language(ENGLISH):
        assert setting_in_words(setting) == f"{setting.help} ({setting.kind})"

"""What the settings of steps mean, in the form of a step, in the page's language."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import ROOT

from benchwright.annotation.app.base.own_texts import english_texts
from benchwright.annotation.app.base.setting_texts import english_settings, setting_in_words, setting_label
from benchwright.annotation.app.languages.language import ENGLISH, AppLanguage, use_language
from benchwright.annotation.app.languages.offered import OfferedLanguages
from benchwright.annotation.app.languages.setting_file import setting_problems, written_settings
from benchwright.annotation.cli.language import language
from benchwright.rooms import catalogue, find
from benchwright.settings.help import Setting, settings_of

FILES = sorted((ROOT / "annotation" / "app" / "languages" / "settings").glob("*.toml"))
KNOWN = {"jigsaw": {"margin": "Fraction of each side in mode `hardened`."}}
FILE = '# Terms\n\n[jigsaw.margin]\nenglish = "Fraction of each side in mode `hardened`."\ntext = "كسر في وضع `hardened`."\n'


@pytest.fixture(scope="module")
def arabic() -> AppLanguage:
    found = OfferedLanguages(english_texts()).of_tag("ar")
    assert found is not None
    return found


def setting_of(step: str, name: str) -> Setting:
    [setting] = [each for each in settings_of(find("steps", step).load()) if each.name == name]
    return setting


def plain(text: str) -> str:
    return re.sub("[\u2066\u2068\u2069]", "", text)


@pytest.mark.parametrize(
    ("step", "name", "begins", "ends"),
    [
        pytest.param("verify", "rounds", "أكبر عدد لجولات البند", "(عدد صحيح، من 1 إلى 20)", id="numbers"),
        pytest.param("screen", "guidelines", "إرشادات المراجعين", "(نص أو فارغ)", id="a text of several steps"),
        pytest.param("mark", "over", "`images` واحدةً", "(`images` أو `pairs`)", id="codes"),
        pytest.param("jigsaw", "margin", "في وضع `hardened`", "(عدد، من 0 إلى 0.3)", id="a step of construction"),
        pytest.param("mark", "question", "السؤال", "(نص، لا يزيد على 1,000 حرف)", id="a hundred and more"),
    ],
)
def test_a_setting_is_told_in_the_pages_language(
    arabic: AppLanguage, step: str, name: str, begins: str, ends: str
) -> None:
    setting = setting_of(step, name)
    with use_language(arabic):
        words = plain(setting_in_words(setting))
    assert (words[: len(begins)], words[-len(ends) :]) == (begins, ends)
    with use_language(ENGLISH):
        assert setting_in_words(setting) == f"{setting.help} ({setting.kind})"


def test_a_setting_of_another_package_is_told_in_english(arabic: AppLanguage) -> None:
    with use_language(arabic):
        words = setting_in_words(Setting("depth", "integer, 0 to 3", None, "How deep."))
    assert words == "\u2066How deep. (integer, 0 to 3)\u2069"


def test_names_and_codes_run_from_left_to_right(arabic: AppLanguage) -> None:
    with use_language(arabic):
        assert setting_label("max_side_px") == "\u2066max_side_px\u2069"
        assert "\u2066`<entry>.<value>`\u2069" in setting_in_words(setting_of("near_duplicates", "quality"))
    assert setting_label("max_side_px") == "max side px"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_language_tells_every_setting_with_its_codes(path: Path) -> None:
    assert setting_problems(path, english_settings()) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_kinds_of_values_have_no_english_words(path: Path) -> None:
    found = OfferedLanguages(english_texts()).of_tag(path.stem)
    assert found is not None
    kinds = {
        setting.kind
        for entry in catalogue("steps").values()
        for setting in settings_of(entry.load())
        if "." not in setting.name and not setting.kind.startswith(("mapping", "list"))
    }
    told = setting_of("jigsaw", "margin").help
    with use_language(found):
        words = {kind: setting_in_words(Setting("any", kind, None, told)).rpartition(" (")[2] for kind in kinds}
    assert len(kinds) > 100
    assert [kind for kind, text in words.items() if re.search("[A-Za-z]", re.sub("`[^`]*`", "", text))] == []


@pytest.mark.parametrize(
    ("english", "file", "problem"),
    [
        pytest.param(
            {**KNOWN, "ten": {"new": "New."}}, FILE, "[ten.new] it is missing", id="a new setting"
        ),
        pytest.param(KNOWN, FILE.replace("في وضع `hardened`", "دائمًا"), "[jigsaw.margin] it lacks `hardened`", id="a lost code"),
        pytest.param(
            KNOWN, FILE.replace("كسر في", "كسر `x` في"),
            "[jigsaw.margin] it has `x`, which the English text has not", id="another code",
        ),
        pytest.param({"jigsaw": {"margin": "Now `hardened`."}}, FILE, "[jigsaw.margin] its English text is now 'Now `hardened`.'", id="a changed text"),
        pytest.param(KNOWN, FILE.replace('text = "كسر في وضع `hardened`."', 'text = ""'), "[jigsaw.margin] it is not translated yet", id="empty"),
        pytest.param({"jigsaw": {}}, FILE, "[jigsaw.margin] there is no such setting, or an earlier one has the same text", id="surplus"),
    ],
)  # fmt: skip
def test_a_fault_names_its_setting(tmp_path: Path, english: dict[str, dict[str, str]], file: str, problem: str) -> None:
    path = tmp_path / "ar.toml"
    path.write_text(file, encoding="utf-8")
    assert setting_problems(path, english) == [problem]


def test_a_begun_file_keeps_head_and_translations_and_marks_those_of_changed_texts(tmp_path: Path) -> None:
    path = tmp_path / "ar.toml"
    path.write_text(FILE, encoding="utf-8")
    assert written_settings("ar", KNOWN, path) == FILE
    changed = written_settings("ar", {"jigsaw": {"margin": "Now `hardened`.", "mode": "New."}}, path)
    assert 'text = "CHECK: كسر في وضع `hardened`."' in changed
    assert changed.endswith('[jigsaw.mode]\nenglish = "New."\ntext = ""\n')
    path.write_text(changed, encoding="utf-8")
    assert "CHECK: CHECK" not in written_settings("ar", {"jigsaw": {"margin": "Once more."}}, path)


def test_a_folder_of_languages_may_tell_settings_in_its_own_words(tmp_path: Path) -> None:
    (tmp_path / "settings").mkdir()
    (tmp_path / "settings" / "ar.toml").write_text(FILE, encoding="utf-8")
    own = OfferedLanguages(english_texts(), tmp_path / "nothing", tmp_path).of_tag("ar")
    assert own is not None
    assert own.setting_text(KNOWN["jigsaw"]["margin"]) == "كسر في وضع `hardened`."
    assert own.setting_text(setting_of("verify", "rounds").help) is None


def test_a_broken_file_of_settings_is_logged_once_it_is_needed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "settings").mkdir()
    (tmp_path / "settings" / "ar.toml").write_text("[jigsaw", encoding="utf-8")
    own = OfferedLanguages(english_texts(), tmp_path).of_tag("ar")
    assert own is not None
    assert caplog.messages == []
    assert own.setting_text("Anything.") is None
    assert "settings/ar.toml cannot be read as TOML" in caplog.text


def test_the_command_prints_the_file_of_settings(tmp_path: Path) -> None:
    begun = tmp_path / "ar.toml"
    begun.write_text(FILE, encoding="utf-8")
    run = CliRunner().invoke(language, ["ar", "--settings", "--from", str(begun), "--json"])
    printed = json.loads(run.stdout)
    assert printed["file"].startswith("# Terms\n\n[")
    assert "[jigsaw.margin] its English text is now" in "\n".join(printed["problems"])

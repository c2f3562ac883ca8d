"""The languages of the app: chosen for each session, with their plural and number forms, English as reference."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from benchwright.annotation.app.languages.language import ENGLISH, Texts, chosen_language, for_browser, use_language
from benchwright.annotation.app.languages.language_file import problems_of, read_language
from benchwright.annotation.app.languages.offered import OfferedLanguages
from benchwright.errors import DataError

SOURCE = {
    "app": {
        "undo": "Undo",
        "left": "{count:,} left",
        "share": "{share:.1%} of {name}",
        "days": {"by": "count", "one": "1 day, {name}", "other": "{count} days, {name}"},
    },
    "forms": {"Verdict": "Verdict"},
    "guidelines": {"verify": "Look **twice**."},
    "messages": {"{name} has {count} things; take one": "{name} has {count} things; take one"},
}
POLISH = """\
[app]
undo = "Cofnij"
left = { one = "{count:,} zadanie", few = "{count:,} zadania", many = "{count:,} zadań", other = "{count:,} zadania" }
share = "{share:.1%} z {name}"
days = { one = "dzień, {name}", few = "{count} dni, {name}", many = "{count} dni, {name}", other = "{count} dnia, {name}" }
[forms]
"Verdict" = "Werdykt"
[guidelines]
verify = "Spójrz **dwa razy**."
[messages]
"{name} has {count} things; take one" = "{name} ma rzeczy: {count}; weź jedną"
"""
TEXTS = Texts("app", SOURCE["app"])


@pytest.fixture
def polish(tmp_path: Path) -> Path:
    path = tmp_path / "pl.toml"
    path.write_text(POLISH, encoding="utf-8")
    return path


def test_a_text_is_english_until_a_language_is_chosen(polish: Path) -> None:
    assert TEXTS["undo"] == "Undo"
    with use_language(read_language(polish, SOURCE)):
        assert TEXTS["undo"] == "Cofnij"
    assert TEXTS["undo"] == "Undo"
    assert chosen_language() is ENGLISH


@pytest.mark.parametrize(
    ("count", "words"),
    [(1, "1 zadanie"), (3, "3 zadania"), (5, "5 zadań"), (22, "22 zadania"), (1.5, "1,5 zadania")],
)
def test_a_count_takes_the_form_that_its_language_has_for_it(polish: Path, count: float, words: str) -> None:
    with use_language(read_language(polish, SOURCE)):
        text = TEXTS["left"].format(count=count) if isinstance(count, int) else None
        assert text is None or text == words


def test_english_counts_too() -> None:
    assert TEXTS["days"].format(count=1, name="Ann") == "1 day, Ann"
    assert TEXTS["days"].format(count=2, name="Ann") == "2 days, Ann"


def test_numbers_are_written_as_the_language_writes_them(polish: Path) -> None:
    with use_language(read_language(polish, SOURCE)):
        assert TEXTS["share"].format(share=0.125, name="x") == "12,5% z x"
        assert TEXTS["left"].format(count=12_345) == "12\u00a0345 zadań"


def test_what_is_filled_into_arabic_keeps_its_direction(tmp_path: Path) -> None:
    (tmp_path / "ar.toml").write_text('[app]\nshare = "{share:.0%} من {name}"\n', encoding="utf-8")
    with use_language(read_language(tmp_path / "ar.toml", SOURCE)):
        assert TEXTS["share"].format(share=0.5, name="verify") == "50% من \u2068verify\u2069"


def test_scripts_get_all_forms_and_which_place_counts(polish: Path) -> None:
    with use_language(read_language(polish, SOURCE)):
        texts = for_browser(TEXTS)
    assert texts["undo"] == "Cofnij"
    assert texts["days"] == {
        "by": "count", "one": "dzień, {name}", "few": "{count} dni, {name}", "many": "{count} dni, {name}",
        "other": "{count} dnia, {name}",
    }  # fmt: skip


def test_what_campaigns_hold_in_english_is_known_by_its_text_and_nothing_else_is_changed(polish: Path) -> None:
    language = read_language(polish, SOURCE)
    assert language.translated("Look **twice**.", "guidelines") == "Spójrz **dwa razy**."
    assert language.translated("Verdict", "forms") == "Werdykt"
    assert language.translated("Verdict of ours", "forms") == "Verdict of ours"
    assert ENGLISH.translated("Verdict", "forms") == "Verdict"


def test_a_message_with_values_in_it_is_known_by_its_words(polish: Path) -> None:
    language = read_language(polish, SOURCE)
    assert language.message("'ann' has 3 things; take one") == "'ann' ma rzeczy: 3; weź jedną"
    assert language.message("'ann' has 3 things; take one; 'ben' has 1 things; take one") == (
        "'ann' ma rzeczy: 3; weź jedną; 'ben' ma rzeczy: 1; weź jedną"
    )
    assert language.message("something else") == "something else"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        pytest.param(('undo = "Cofnij"\n', ""), "[app] undo: it is missing", id="missing"),
        pytest.param(("[forms]", 'redo = "Ponów"\n[forms]'), "[app] redo: there is no such English text", id="surplus"),
        pytest.param((" z {name}", ""), "[app] share: it lacks {name}", id="lost place"),
        pytest.param((" z {name}", " z {nam}"), "[app] share: it has {nam}, which the English text has not", id="other place"),
        pytest.param((' few = "{count:,} zadania",', ""), "[app] left: forms are missing for few", id="missing form"),
        pytest.param(("left = { one", "left = { two = '2', one"), "[app] left: the language has no forms for two", id="surplus form"),
        pytest.param(('"Cofnij"', '""'), "[app] undo: it is empty, or begins or ends with a space", id="empty"),
        pytest.param(("[guidelines]", "[guide]"), "[guide] is no section of texts", id="section"),
        pytest.param(('share = "{share:.1%} z', 'share = "{share:.1%} z {'), "[app] share: its braces cannot be read", id="brace"),
        pytest.param(('undo = "Cofnij"', "undo = 3"), "[app] undo: it is neither a text nor a table of texts", id="number"),
    ],
)  # fmt: skip
def test_what_does_not_fit_english_is_named_and_shows_in_english(
    polish: Path, change: tuple[str, str], problem: str
) -> None:
    assert problems_of(polish, SOURCE) == []
    polish.write_text(POLISH.replace(*change, 1), encoding="utf-8")
    problems = problems_of(polish, SOURCE)
    assert any(entry.startswith(problem) for entry in problems), problems
    with use_language(read_language(polish, SOURCE)):
        for key in TEXTS:
            assert TEXTS[key].format(count=1, name="x", share=1.0)


def test_a_file_that_is_no_language_is_refused_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "klingon.toml").write_text("[app]\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"klingon\.toml: 'klingon' is not a language tag such as ar or pt-BR"):
        read_language(tmp_path / "klingon.toml", SOURCE)
    (tmp_path / "fr.toml").write_text("[app\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"fr\.toml cannot be read as TOML"):
        read_language(tmp_path / "fr.toml", SOURCE)


@pytest.mark.parametrize(
    ("tags", "accepted", "chosen"),
    [
        pytest.param(("pl", None), "en", "pl", id="the account's goes first"),
        pytest.param((None, "pl"), "en", "pl", id="then the browser's choice"),
        pytest.param((None, None), "de, pl;q=0.8, en;q=0.5", "pl", id="then what it likes best of those offered"),
        pytest.param((None, None), "pl-PL,en;q=0.1", "pl", id="a region does not matter"),
        pytest.param((None, None), "en-GB,pl;q=0.9", "en", id="English"),
        pytest.param((None, None), "pl;q=0, xx", "en", id="nothing that is offered"),
        pytest.param(("xx", "../../etc"), "q=;;,;q=x", "en", id="nonsense"),
        pytest.param((None, None), "", "en", id="nothing said"),
    ],
)
def test_a_language_is_chosen_by_account_then_browser(
    polish: Path, tags: tuple[str | None, str | None], accepted: str, chosen: str
) -> None:
    assert OfferedLanguages(SOURCE, polish.parent).choose(*tags, accepted=accepted).tag == chosen


def test_sessions_in_different_languages_at_once_do_not_disturb_each_other(polish: Path) -> None:
    language, together = read_language(polish, SOURCE), Barrier(8)

    def look(number: int) -> set[str]:
        seen = set()
        with use_language(language if number % 2 else ENGLISH):
            for _ in range(200):
                together.wait()
                seen.add(TEXTS["undo"])
        return seen

    with ThreadPoolExecutor(8) as pool:
        seen = list(pool.map(look, range(8)))
    assert seen == [{"Undo"}, {"Cofnij"}] * 4

"""Every language file has exactly the texts of English; the messages of all errors are known."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT

from benchwright.annotation.app.base.own_texts import english_texts, texts_of_fields
from benchwright.annotation.app.languages.language_file import problems_of, read_language
from benchwright.annotation.app.wording.messages import MESSAGES
from benchwright.annotation.campaigns.review import Review, review_form
from benchwright.annotation.campaigns.screen import Screen, ScreenItems
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.forms.kind_forms.screening import screening_form
from benchwright.annotation.forms.kinds import KINDS
from benchwright.annotation.practice.practice_items import practice_items
from benchwright.evaluation.analysis.error_sample import BLINK, II_BENCH
from benchwright.rooms import catalogue

ANNOTATION = ROOT / "annotation"
FILES = sorted((ANNOTATION / "app" / "languages").glob("*.toml"))
REFUSALS = {"RefusedError", "StaleError", "FormError", "EditError"}
"""Errors that people meet while they work, wherever they are raised."""
RAISED_FOR_PEOPLE = ("app/task_card", "app/workbench", "forms", "store", "workflow")


def test_arabic_is_there() -> None:
    assert "ar" in {path.stem for path in FILES}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_language_says_all_that_english_says_and_nothing_else(path: Path) -> None:
    assert problems_of(path, english_texts()) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_language_says_something_of_its_own(path: Path) -> None:
    """Texts with words in English differ from English, except names that are the same everywhere."""
    english, language = english_texts(), read_language(path, english_texts())
    same = [
        f"[{section}] {key}"
        for section, entries in english.items()
        for key, text in entries.items()
        if isinstance(text, str) and re.search("[A-Za-z]", re.sub("{[^}]*}", "", text)) and language.text(section, key, text) == text
    ]  # fmt: skip
    assert set(same) <= {"[curator] fact_image", "[forms] coco:000000123"}


def raised(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and sample of each refusal message of a module."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id not in REFUSALS:
            continue
        if node.args and isinstance(node.args[0], ast.Constant | ast.JoinedStr):
            yield node.lineno, sample(node.args[0])


def sample(message: ast.Constant | ast.JoinedStr) -> str:
    parts = message.values if isinstance(message, ast.JoinedStr) else [message]
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "7" for part in parts)


SPELLED_OUT = {"field 7: 7; it has 7", "annotator 7 is 7; campaign 7 is for 7"}
"""Messages that `MESSAGES` has once for each word that can stand in them."""


@pytest.mark.slow
def test_what_refuses_somebody_is_said_in_their_language() -> None:
    arabic = read_language(ANNOTATION / "app" / "languages" / "ar.toml", english_texts())
    refused = [
        (f"{path.relative_to(ANNOTATION)}:{line}", message)
        for folder in RAISED_FOR_PEOPLE
        for path in sorted((ANNOTATION / folder).rglob("*.py"))
        if path.name not in {"external_annotations.py"}  # Label Studio's answers are pulled by a command
        for line, message in raised(path)
        if message not in SPELLED_OUT
    ]
    assert len(refused) > 50
    assert [(place, message) for place, message in refused if arabic.message(message) == message] == []


def test_no_message_stands_twice() -> None:
    assert len(set(MESSAGES)) == len(MESSAGES)


def test_texts_of_every_form_that_we_make_are_known() -> None:
    known = english_texts()["forms"]
    forms = [
        review_form(Review.model_fields["criteria"].default),
        screening_form(Screen().form.reasons),
        screening_form(ScreenItems().form.reasons),
        *(kind.form(BLINK + II_BENCH) for kind in KINDS.values() if kind.form is not None),
    ]
    assert [text for form in forms for text in texts_of_fields(form.fields) if text not in known] == []


def test_titles_of_the_helpers_that_come_with_benchwright_are_known() -> None:
    """Messages of other packages stay unchanged."""
    known = english_texts()["forms"]
    entries = [entry for entry in catalogue("region_helpers").values() if entry.entry.target.startswith("benchwright.")]
    assert entries
    assert [title for entry in entries if (title := entry.load().title) not in known] == []


def test_every_reason_that_is_offered_has_a_name_in_words() -> None:
    known = english_texts()["names"]
    assert [code for code in Verify().form.reasons if code not in known] == []
    assert [kind for kind in KINDS if kind not in known] == []
    assert [kind for kind in KINDS if f"asks_{kind}" not in english_texts()["app"]] == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_practice_item_is_shown_in_arabic(kind: str) -> None:
    arabic = read_language(ANNOTATION / "app" / "languages" / "ar.toml", english_texts())
    for item in practice_items(kind):
        for text in (item.content.question, item.why, *(beside.text for beside in item.beside)):
            assert arabic.translated(text, "practice") != text
    if KINDS[kind].guidelines:
        assert arabic.translated(KINDS[kind].guidelines, "guidelines") != KINDS[kind].guidelines

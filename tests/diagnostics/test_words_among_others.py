"""Words of another language, options that answer another question, and notes, each with cases that only resemble it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from worded_items import item

from benchwright.diagnostics.item_faults.fault_rules import ItemFacts
from benchwright.diagnostics.item_faults.rules import faults_of_item
from benchwright.diagnostics.wording.spelling import Spelling
from benchwright.diagnostics.wording.wording_faults import WordingRules, faults_of

_LANGUAGES = {"option_in_another_script", "question_in_two_languages", "options_in_another_language"}


def _kinds(question: str, options: Sequence[str], answer: str = "A") -> set[str]:
    return {rule.kind for rule, _ in faults_of_item(ItemFacts(item("7", question, options, answer), "7"))}


@pytest.mark.parametrize(
    ("question", "options"),
    [("Which bone is broken?", ("Collarbone", "Shin bone", "Wadenbein", "Thigh bone")),
     ("What color is the tram?", ("Green", "White", "Rouge", "Yellow")), ("Is the shop open?", ("Yes", "Nein")),
     ("What is the boy afraid of?", ("The dog", "Ciemność", "The mask")),
     ("Wo steht the woman with the red hat?", ("On the stairs", "By the door"))],
)  # fmt: skip
def test_a_word_of_another_language_is_found(question: str, options: Sequence[str]) -> None:
    assert _kinds(question, options) & _LANGUAGES


@pytest.mark.parametrize(
    ("question", "options"),
    [("Which dance is it?", ("Tango", "Pas de deux", "Waltz", "Flamenco")),
     ("Which city is on the map?", ("Zürich", "Málaga", "Leeds")), ("What is on the list?", ("TODO list", "A name")),
     ("What is she holding?", ("A baguette", "A croissant", "A bun"))],
)  # fmt: skip
def test_loan_words_and_names_are_english(question: str, options: Sequence[str]) -> None:
    assert not _kinds(question, options) & _LANGUAGES


@pytest.mark.parametrize(
    ("question", "options", "answer"),
    [("Which country is red on the map?", ("Peru", "1994", "2002", "Brazil"), "D"),
     ("What time does the clock show?", ("10:10", "Gothic", "Baroque", "Romanesque"), "A"),
     ("Is the traffic light red or green?", ("Yes", "No"), "A"),
     ("Whose hat is on the floor?", ("In the middle", "Under the table", "On the left"), "A"),
     ("How long is the snake in the tank?", ("Venomous", "Nocturnal", "Harmless"), "A")],
)  # fmt: skip
def test_options_that_cannot_answer_are_found(question: str, options: Sequence[str], answer: str) -> None:
    assert "options_answer_another_question" in _kinds(question, options, answer)


@pytest.mark.parametrize(
    ("question", "options"),
    [("In which year did sales peak?", ("The first", "The second", "The third")),
     ("How long is the queue?", ("Around the block", "Just two people", "To the door")),
     ("What is the actor taking off?", ("His hat", "The wig", "A mask")), ("Are the sails furled?", ("Yes", "No", "Partly"))],
)  # fmt: skip
def test_options_that_may_answer_are_not(question: str, options: Sequence[str]) -> None:
    assert not _kinds(question, options) & {"options_answer_another_question", "option_of_another_kind"}


def test_notes_are_what_options_say_where_a_note_is_asked_for() -> None:
    assert "authors_note" in _kinds("What is the man selling?", ("Tea", "Marble (delete? nobody picks it)"))
    assert "authors_note" not in _kinds("Which comment precedes the loop?", ("# fixme: off by one", "# done"))


def test_a_capital_is_no_name_among_words_of_a_dictionary() -> None:
    asked = item("7", "Which season is it?", ("Summer", "Autum", "Winter"), "A")
    faults, _ = faults_of(asked, Spelling(), WordingRules())
    assert [fault.words for fault in faults if fault.kind == "spelling"] == ["Autum"]

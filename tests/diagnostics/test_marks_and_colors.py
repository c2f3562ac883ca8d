"""Marks of right options, questions that ask for several answers, and colors of gray pictures, in several languages."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from worded_items import item

from benchwright.diagnostics.item_faults.fault_rules import ItemFacts, ItemPicture
from benchwright.diagnostics.item_faults.rules import faults_of_item, weight_of

FISH = ("a pike", "a carp", "an eel", "a trout")


def _kinds(question: str, options: Sequence[str] = FISH, *, grey: bool = False, answer: str = "A") -> dict[str, str]:
    facts = ItemFacts(item("7", question, options, answer), "7", (ItemPicture("7.png", is_grey=grey),))
    return {rule.kind: weight_of(rule, fault)[0] for rule, fault in faults_of_item(facts)}


@pytest.mark.parametrize(
    "right", ["* a pike", "a pike *", "__a pike__", "**a pike**", "=> a pike", "a pike <<", "★ a pike", "a pike (T)",
              "CORRECT: a pike", "a pike (richtig)"],
)  # fmt: skip
def test_a_mark_that_the_right_option_alone_has_gives_it_away(right: str) -> None:
    options = (right, *FISH[1:])
    assert _kinds("Which fish is it?", options) == {"option_says_it_is_right": "medium"}
    assert _kinds("Which fish is it?", options, answer="B") == {}
    assert _kinds("Which fish is it?", (right, right.replace("pike", "bream"), "an eel")) == {}


@pytest.mark.parametrize(
    "options", [("True: it bites", "False: it sleeps"), ("**Moby Dick**", '"Moby Dick"'), ("a* b", "a b*c", "c")]
)
def test_marks_that_are_the_matter_itself_give_nothing_away(options: Sequence[str]) -> None:
    assert "option_says_it_is_right" not in _kinds("Which one is it?", options)


@pytest.mark.parametrize(
    "question",
    [
        "Which fish live here? Tick all that apply.", "Identify the three correct statements.", "Mark every answer that fits.",
        "Several answers are correct. What swims?", "What swims here (multiple responses)?", "Circle both.",
        "There are two right answers. What swims?", "Tick the three that apply.", "Select one or more.", "What is it? (2 answers)",
        "Welche Fische? Kreuzen Sie alle zutreffenden an.", "Was schwimmt hier? (Mehrfachnennungen möglich)",
        "Que voit-on ? Cochez deux cases.", "¿Qué nada? Marca todas las correctas.", "Che cosa nuota? Due risposte sono giuste.",
        "Selecione todas as corretas.", "哪些是鱼？（选出两项）", "すべて選びなさい。",
    ],
)  # fmt: skip
def test_a_question_for_several_answers_with_one_key_is_found(question: str) -> None:
    assert _kinds(question).get("asks_for_several") == "medium"
    assert "asks_for_several" not in _kinds(question, ("pike, eel", "carp, eel"))


@pytest.mark.parametrize(
    "question",
    [
        "Choose the best of the four options.", "Which two-legged animal is it?", "How many answers are on the sheet?",
        "Name the fish.", "In this multiple choice test, which one is right?", "Pick two of the sticks: how long are they?",
        "Wie viele Antworten stehen da?", "Is the answer one of the two options below?",
    ],
)  # fmt: skip
def test_a_question_for_one_answer_is_not(question: str) -> None:
    assert "asks_for_several" not in _kinds(question)


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("Welche Farbe hat der Fisch?", ("Gelb", "Rot", "Braun")),
        ("De quelle couleur est le poisson ?", ("Bleue", "Noire", "Verte")),
        ("Di che colore è il pesce?", ("Rosso", "Bianco", "Verde")),
        ("这条鱼是什么颜色？", ("红色", "白色", "绿色")),
        ("Is the fish yellow or green?", ("Green", "Yellow")),
        ("Which tint prevails?", ("Purple", "Black", "Pink")),
        ("Does the boat have blue sails?", ("Yes", "No")),
    ],
)
def test_a_color_of_a_grey_picture_is_found_in_other_words_and_languages(question: str, options: Sequence[str]) -> None:
    assert _kinds(question, options, grey=True).get("color_of_grey_picture") == "medium"
    assert "color_of_grey_picture" not in _kinds(question, options)


def test_a_color_that_the_question_takes_for_granted_is_low() -> None:
    assert _kinds("Who holds the green umbrella?", grey=True) == {"color_of_grey_picture": "low"}


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("What do red blood cells carry?", ("oxygen", "salt")),
        ("Who drinks orange juice?", FISH),
        ("Which word is written on the sign?", ("Red", "Green", "Blue")),
        ("What color is the fish?", ("white", "black", "grey")),
        ("Where does the Red Cross stand?", FISH),
    ],
)
def test_words_for_colors_that_name_no_color_are_none(question: str, options: Sequence[str]) -> None:
    assert "color_of_grey_picture" not in _kinds(question, options, grey=True)

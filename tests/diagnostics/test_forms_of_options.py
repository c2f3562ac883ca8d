"""Options of a different kind or script than the others, and word forms that a blank requires."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from worded_items import item

from benchwright.diagnostics.item_faults.fault_rules import ItemFacts
from benchwright.diagnostics.item_faults.rules import faults_of_item
from benchwright.diagnostics.wording.blanks import with_blank


def _kinds(question: str, options: Sequence[str], answer: str = "A") -> set[str]:
    return {rule.kind for rule, _ in faults_of_item(ItemFacts(item("7", question, options, answer), "7"))}


@pytest.mark.parametrize(
    "options", [("4", "a lamp", "7", "9"), ("12 cm", "3 cm", "Because of rain"), ("red", "18:30", "blue"),
                ("a cat", "forty-two", "a dog"), ("a cat", "because it is late", "a dog"),
                ("a spoon", "slowly", "a fork"), ("a spoon", "to catch a bus", "a fork"), ("red", "the French king", "blue"),
                ("The cat sleeps on the sofa.", "17", "The dog sleeps on the sofa."), ("salt", "sugar", "CO2")],
)  # fmt: skip
def test_a_wrong_option_of_another_kind_is_found(options: Sequence[str]) -> None:
    assert "option_of_another_kind" in _kinds("Which one?", options)


@pytest.mark.parametrize(
    "options", [("4", "None", "7"), ("9π", "3π", "π"), ("4", "Cannot be known", "7"), ("a lamp", "4", "7"), ("two", "4", "7"),
                ("4", "No correct answer", "7"), ("H2O", "salt", "sugar"),
                ("red", "striped", "blue"), ("red", "a dark pattern", "blue"), ("a bee", "a butterfly", "a fox"),
                ("above", "below", "it is hidden")],
)  # fmt: skip
def test_what_stands_for_no_number_and_symbols_are_none(options: Sequence[str]) -> None:
    assert "option_of_another_kind" not in _kinds("Which one?", options)


def test_an_option_in_another_script_is_found_and_symbols_are_not() -> None:
    assert "option_in_another_script" in _kinds("Which one?", ("lamp", "лампа", "chair"))
    assert "option_in_another_script" in _kinds("哪一个？", ("椅子", "桌子", "lamp"))
    assert "option_in_another_script" not in _kinds("Which one?", ("2π", "4π", "No correct answer"))
    assert "option_in_another_script" not in _kinds("Which angle?", ("α", "β", "none"))
    assert "option_in_another_script" in _kinds("How many birds fly?", ("3", "много", "7"))


def test_an_option_in_another_language_is_found_and_names_and_dishes_are_not() -> None:
    asked = "Where does the old man sit?"
    assert "option_in_another_script" in _kinds(asked, ("on a bench", "auf dem Boden", "in a car"))
    assert "option_in_another_script" in _kinds("Wo sitzt der alte Mann?", ("auf dem Boden", "on a bench", "im Auto"))
    assert "option_in_another_script" not in _kinds(asked, ("in the Café de la Paix", "in a car", "at home"))
    assert "option_in_another_script" not in _kinds("What is the German for it?", ("auf dem Boden", "a bench", "a car"))


def test_options_in_another_language_than_the_question_are_found() -> None:
    english = ("on a small bench", "on the floor", "in a car")
    assert "options_in_another_language" in _kinds("Wo sitzt der alte Mann?", english)
    assert "options_in_another_language" in _kinds("Where does the old man sit?", ("在地上", "在车里", "在家"))
    assert "options_in_another_language" not in _kinds("Where does the old man sit?", english)
    assert "options_in_another_language" not in _kinds("Wo liegt diese Stadt?", ("New Mexico", "South Dakota", "Ohio"))


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("The girl was ___.", ("pulling a rope", "sang a song", "climb a hill")),
        ("The dog wants to ___.", ("chase a ball", "sleeping", "ran home")),
        ("The guest has already ___.", ("eaten a cake", "drink tea", "singing")),
    ],
)
def test_the_form_of_a_verb_that_a_blank_asks_for_tells(question: str, options: Sequence[str]) -> None:
    assert "tense_tells_answer" in _kinds(question, options)
    assert "tense_tells_answer" not in _kinds(question, options, "B")


@pytest.mark.parametrize(
    ("question", "options"),
    [("The bird is ___.", ("sleeping", "black", "a pet")), ("The man will ___.", ("run", "jump", "sleep"))],
)
def test_blanks_that_several_options_fit_tell_nothing(question: str, options: Sequence[str]) -> None:
    assert "tense_tells_answer" not in _kinds(question, options)


@pytest.mark.parametrize("question", ["What is this", "Identify the lamp in this picture", "Was ist das", "A lamp"])
def test_questions_without_a_mark_are_no_sentences_to_complete(question: str) -> None:
    assert with_blank(question) == question


@pytest.mark.parametrize(
    "question", ["There are several ___ here.", "These are called ___.", "Each of the 12 ___ is new."]
)
def test_words_for_several_before_a_blank_tell_the_number(question: str) -> None:
    options = ("lamps", "a chair", "a bed")
    assert "number_tells_answer" in _kinds(question, options)
    assert "number_tells_answer" not in _kinds(question, options, "B")


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("How much is the soup?", ("Berlin", "Oslo", "Lisbon")),
        ("Where were they photographed?", ("3", "8", "6")),
        ("When does the shop close?", ("a nurse", "a pilot", "a farmer")),
        ("Ist das Fenster offen?", ("3", "5", "8")),
        ("¿Quién lleva el sombrero?", ("7", "9", "12")),
    ],
)
def test_options_that_answer_another_question_are_found(question: str, options: Sequence[str]) -> None:
    assert "options_answer_another_question" in _kinds(question, options)


@pytest.mark.parametrize(
    ("question", "options"),
    [("Where is the key?", ("1", "2", "3")), ("When did he become one?", ("1990", "1995", "2000")),
     ("Who won in the end?", ("Italy", "Spain", "France")), ("Ist die Katze rot oder blau?", ("rot", "blau", "gelb"))],
)  # fmt: skip
def test_options_that_may_answer_are_not(question: str, options: Sequence[str]) -> None:
    assert "options_answer_another_question" not in _kinds(question, options)


@pytest.mark.parametrize(
    "question",
    ["Which striped animal", "the lighthouse?", "在这张旧照片中", "Where does the river meet the", "How old are t"],
)
def test_a_part_of_a_question_is_found(question: str) -> None:
    assert "question_breaks_off" in _kinds(question, ("a fox", "a hen", "an owl"))


@pytest.mark.parametrize(
    "question",
    [
        "What is the woman in the red coat holding in her", "What is the shape of the largest", "What are the two",
        "Which country in the chart had the highest", "How many people are wearing", "Which of the birds shown in",
        "Which drum is being played by the man with", "Why is the child's", "Is it on the left or on the",
        "What is the total number of wheels that can be", "Which animal is standing between the two",
        "Which of the things that are shown in", "Because the man is holding an umbrella and", "Who is the man in the picture of",
    ],
)  # fmt: skip
def test_a_question_that_lacks_the_end_of_its_sentence_is_found(question: str) -> None:
    assert "question_breaks_off" in _kinds(question, ("a fox", "a hen", "an owl"))


@pytest.mark.parametrize("question", ["Which one fits", "what color?", "照片里的动物是", "The man holds", "red car?"])
def test_short_questions_are_whole(question: str) -> None:
    assert "question_breaks_off" not in _kinds(question, ("yes", "no", "both"))


@pytest.mark.parametrize(
    "question",
    [
        "What are the shoes made of", "Where does the train come from", "What is he about to do", "What does he do",
        "Which is the shop that the man walks out of", "Who is standing behind her", "Which of them is the largest",
        "What is the man wearing", "Which is the larger of the two", "Because the man is hungry, he eats a", "Whose bag is it, and which is the child's", "What is the woman shown in",
    ],
)  # fmt: skip
def test_questions_that_end_with_a_preposition_or_an_adjective_are_whole(question: str) -> None:
    assert "question_breaks_off" not in _kinds(question, ("a fox", "a hen", "an owl"))


SENTENCES = ("The man sits.", "The man runs.", "The man lies.", "The man jumps.")
THINGS = ("a cup", "a book", "a fork", "a hat")


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("What is it? Answer with a number from 1 to 6.", THINGS), ("What is it? Enter 1, 2, 3, 4 or 5.", THINGS),
        ("What is it? Reply with a single letter from A to F.", THINGS), ("What is it? (A-E)", THINGS),
        ("What is it? Please answer a, b or c.", THINGS), ("You have five alternatives. What is it?", THINGS),
        ("Which of the three statements is true?", SENTENCES), ("Which description (1 to 3) fits?", SENTENCES),
        ("From the three captions below, choose one.", SENTENCES), ("Which of the following 5 words fits?", THINGS),
    ],
)  # fmt: skip
def test_a_question_that_counts_other_options_is_found(question: str, options: Sequence[str]) -> None:
    assert "options_miscounted" in _kinds(question, options)


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("How many of the five choices on the ballot are ticked?", ("0", "1", "2", "3")),
        ("Which answer, a number from 1 to 6, did the die give?", ("2", "3", "5", "6")),
        ("What word can be spelled with the letters A to F?", ("cab", "dog", "zoo", "yes")),
        ("Which of the three statements is crossed out?", ("the first", "the last", "both", "neither")),
        ("Which of the points is highest? (A-E)", THINGS), ("Answer in one to three words: what is it?", THINGS),
        ("There are five answers on the screen. Which is marked?", ("the first", "the second", "the third")),
    ],
)  # fmt: skip
def test_counts_of_other_things_than_options_are_sound(question: str, options: Sequence[str]) -> None:
    assert "options_miscounted" not in _kinds(question, options)


@pytest.mark.parametrize(
    ("first", "second"),
    [("√2/2", "1/√2"), ("3√2", "√18"), ("2^10", "1024"), ("5!", "120"), ("log(ab)", "log a + log b"),
     ("R1R2/(R1+R2)", "1/(1/R1 + 1/R2)"), ("ad - bc", "-(bc - ad)"), ("f(x) = (x-1)^2", "f(x) = x^2 - 2x + 1"),
     ("sin²x + cos²x", "1"), ("x ∈ [0, 1]", "0 ≤ x ≤ 1"), ("2:3", "4:6"), ("3 × 10^8 m/s", "300,000,000 m/s"),
     ("a decade", "10 years"), ("1 hectare", "10,000 m²"), ("a right angle", "90 degrees"),
     ("one and a half kilograms", "1500 g"), ("1 h 30 min", "90 min"), ("half a kilometer", "500 m"),
     ("a quarter of an hour", "15 minutes")],
)  # fmt: skip
def test_options_of_one_value_in_two_forms_are_named(first: str, second: str) -> None:
    assert "options_equal_but_for_spelling" in _kinds("Which one is it?", (first, second, "none of these"))


@pytest.mark.parametrize(
    ("first", "second"),
    [("√2/2", "√2"), ("5!", "5"), ("log(ab)", "log a - log b"), ("R1 + R2", "R1 - R2"), ("ad - bc", "bc - ad"),
     ("f(x) = x + 1", "f(x) = x - 1"), ("x ∈ [0, 1]", "x ∈ (0, 1)"), ("2:3", "3:2"), ("3 × 10^8 m/s", "3 × 10^6 m/s"),
     ("a decade", "a century"), ("1 h 30 min", "1 h 3 min"), ("half a kilometer", "half a mile"), ("a man", "1 man"),
     ("25!", "26!"), ("1/0", "2/0")],
)  # fmt: skip
def test_options_of_two_values_are_not(first: str, second: str) -> None:
    assert "options_equal_but_for_spelling" not in _kinds("Which one is it?", (first, second, "none of these"))


@pytest.mark.parametrize(
    ("question", "options", "kind"),
    [
        ("Which vehicles are parked in the street?", ("Trucks", "A bus", "A car"), "number_tells_answer"),
        ("The ___ are flying south.", ("geese", "eagle", "owl"), "number_tells_answer"),
        ("This ___ lives in Africa.", ("elephant", "lions", "zebras"), "number_tells_answer"),
        ("A number of ___ can be seen.", ("tents", "house", "bus"), "number_tells_answer"),
        ("The woman is ___ the letter.", ("writing", "reads", "sent"), "tense_tells_answer"),
        ("The boy has been", ("playing football", "plays chess", "played cards"), "tense_tells_answer"),
        (
            "What will happen next?",
            ("The ball will hit it", "The ball rolled", "The ball was red"),
            "tense_tells_answer",
        ),
        ("What does the man do every morning?", ("He jogs", "He jogged", "He will jog"), "tense_tells_answer"),
    ],
)
def test_number_and_tense_that_fit_the_right_option_alone_are_named(
    question: str, options: Sequence[str], kind: str
) -> None:
    assert kind in _kinds(question, options)


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("Which vehicles are parked in the street?", ("Trucks", "Buses", "A car")),
        ("What is the boy holding?", ("Balloons", "A kite", "A flag")),
        ("Which team is it?", ("Bulls", "A club", "Bears")),
        ("What will happen next?", ("It will rain", "It will snow", "It rained")),
    ],
)
def test_number_and_tense_that_fit_several_tell_nothing(question: str, options: Sequence[str]) -> None:
    assert not _kinds(question, options) & {"number_tells_answer", "tense_tells_answer"}

"""The kind of answer that an option is, the kind that a question asks for, and options that do not fit it."""

from __future__ import annotations

import pytest

from benchwright.diagnostics.answer_kinds.asked_kinds import kinds_asked_for
from benchwright.diagnostics.answer_kinds.mismatches import none_can_answer, odd_option
from benchwright.diagnostics.answer_kinds.option_kinds import BESIDE_LISTS, kinds_of
from benchwright.diagnostics.answer_kinds.word_lists import KINDS


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("two dogs", {"number", "animal"}),
        ("12 kg", {"amount"}),
        ("3:15", {"clock"}),
        ("1984", {"number", "year"}),
        ("in 1984", {"year"}),
        ("in winter", {"season"}),
        ("in the garden", {"place"}),
        ("by bus", {"transport"}),
        ("by a tourist", {"agent"}),
        ("with a hammer", {"means"}),
        ("twice a week", {"often"}),
        ("carefully", {"manner"}),
        ("a family", {"person"}),
        ("light blue", {"color"}),
        ("a small brown dog in a box", {"animal"}),
        ("a gizmo", {"thing"}),
        ("swimming", {"action", "sport"}),
        ("open the door", set()),
        ("the dog is brown", set()),
        ("zyx", set()),
    ],
)
def test_the_form_and_the_noun_of_an_option_say_its_kinds(text: str, kinds: set[str]) -> None:
    assert kinds_of(text) == kinds
    assert kinds <= KINDS | BESIDE_LISTS


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("How many candles are on the cake?", ("Chocolate", "Vanilla", "Strawberry")),
        ("How many wheels does the cart have?", ("Wooden", "Rusty", "Broken off")),
        ("What breed is the dog?", ("7", "9", "12")),
        ("What sport are they playing?", ("Happy", "Sad", "Angry")),
        ("Is the light on?", ("A lamp", "A candle")),
        ("Who is behind the counter?", ("On a hill", "In the harbor", "At the beach")),
        ("What is the diameter of the wheel?", ("Cat", "Dog", "Rabbit")),
        ("What is the man in the red jacket holding?", ("Cloudy", "Sunny", "Rainy")),
        ("What is the tallest building in the skyline?", ("12 kg", "15 kg", "20 kg")),
        ("Which month is displayed?", ("Yes", "No")),
    ],
)
def test_options_of_no_kind_that_is_asked_for_cannot_answer(question: str, options: tuple[str, ...]) -> None:
    assert none_can_answer(question, options) is not None


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("How many candles are on the cake?", ("None", "A few", "Many")),
        ("How many people are there?", ("Two men", "One woman", "A couple")),
        ("Who won the race?", ("Red", "Blue", "Green")),
        ("Which team is ahead?", ("Red", "Blue", "Green")),
        ("What is the name of the street?", ("Monday Street", "Friday Street")),
        ("What color scheme is it?", ("Warm", "Cold")),
        ("What is the side-length of the triangle?", ("3 cm", "4 cm", "5 cm")),
        ('Is "What Can You Do" the title?', ("Yes", "No")),
        ("When the light is red, is the road empty?", ("Yes", "No")),
        ("Is the man young or old?", ("Young", "Old")),
        ("Is this ___?", ("a dog", "a cat")),
        ("What is the baby wearing?", ("The baby is wearing a hat.", "The baby is wearing a sock.")),
        ("What is it?", ("zyx", "yxz")),
    ],
)
def test_options_that_may_answer_are_not_accused(question: str, options: tuple[str, ...]) -> None:
    assert none_can_answer(question, options) is None


@pytest.mark.parametrize(
    ("question", "options", "odd"),
    [
        ("Which animal is in the tree?", ("Squirrel", "Monkey", "Stapler"), 2),
        ("Which city is shown?", ("Sandwich", "Paris", "London", "Rome"), 0),
        ("What is shown?", ("a dog", "a cat", "a horse", "a hammer"), 3),
        ("How many windows are there?", ("6", "8", "Purple", "10"), 2),
        ("What is shown?", ("a dog", "a cat", "a hammer"), None),
        ("What is on the table?", ("Books", "Flowers", "Plates", "Keys"), None),
        ("What color is it?", ("red", "blue", "none of these"), None),
        ("What is in the tree?", ("a squirrel", "a bird", "a kite", "a ball"), None),
    ],
)
def test_the_one_option_far_from_all_others_is_odd(question: str, options: tuple[str, ...], odd: int | None) -> None:
    assert odd_option(question, options) == odd


def test_a_question_asks_for_known_kinds_only() -> None:
    asked = kinds_asked_for("How does the woman travel to work?")
    assert asked is not None
    assert {"transport", "vehicle"} <= asked.fits <= KINDS | BESIDE_LISTS

"""Further forms of numbers, and options that only seem to mean the same or to be of another kind."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tiny_wordnet import tiny_wordnet
from worded_items import item

from benchwright.diagnostics.answer_kinds.mismatches import odd_option
from benchwright.diagnostics.answer_kinds.option_kinds import kinds_of
from benchwright.diagnostics.item_faults.fault_rules import ItemFacts
from benchwright.diagnostics.item_faults.rules import faults_of_item
from benchwright.diagnostics.meaning.meaning_rules import meaning_rules
from benchwright.diagnostics.meaning.phrases import are_contrasted, phrase_of
from benchwright.diagnostics.meaning.wordnet import WordNet
from benchwright.diagnostics.wording.quantities import quantity


@pytest.fixture(scope="module")
def wordnet(tmp_path_factory: pytest.TempPathFactory) -> WordNet:
    folder: Path = tiny_wordnet(tmp_path_factory.mktemp("wordnet"))
    return WordNet(folder)


def _kinds(question: str, options: Sequence[str], answer: str = "A") -> set[str]:
    found = faults_of_item(ItemFacts(item("x", question, tuple(options), answer)))
    return {rule.kind for rule, _ in found}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("1½ hours", "90 minutes"),
        ("one in five", "20%"),
        ("three in four", "75%"),
        ("0.1 kΩ", "100 Ω"),
        ("600 nm", "6 × 10⁻⁷ m"),
        ("£12.00", "1200 pence"),
        ("$0.25", "a quarter of a dollar"),
        ("17:30", "half past five in the afternoon"),
        ("12:00", "noon"),
        ("eleven o'clock", "11 o'clock"),
        ("1001", "one thousand and one"),
        ("zwölf", "ein Dutzend"),
        ("la moitié", "50 %"),
        ("every 15 minutes", "four times an hour"),
        ("13", "a baker's dozen"),
    ],
)
def test_one_value_in_two_forms_is_equal(first: str, second: str) -> None:
    assert quantity(first) is not None
    assert quantity(first) == quantity(second)


@pytest.mark.parametrize("text", ["three in two", "ein paar", "thousand and", "half past five in Rome"])
def test_words_that_are_no_clear_number_have_no_value(text: str) -> None:
    assert quantity(text) is None


@pytest.mark.parametrize(
    ("question", "options", "kind"),
    [
        ("How many minutes is it late?", ("15", "a quarter of an hour", "30"), "options_equal_but_for_spelling"),
        ("In what range is bar C?", ("10–20", "between ten and twenty", "20–30"), "options_equal_but_for_spelling"),
        ("How many books lie there?", ("3", "three or four", "7"), "range_holds_right_option"),
    ],
)
def test_a_number_in_the_unit_of_the_question_and_ranges_are_compared(
    question: str, options: Sequence[str], kind: str
) -> None:
    assert kind in _kinds(question, options)


def test_a_number_in_another_unit_than_the_question_is_not_equal() -> None:
    assert "options_equal_but_for_spelling" not in _kinds("How many hours?", ("15", "a quarter of an hour", "30"))


@pytest.mark.parametrize(
    ("options", "is_odd"),
    [
        (("250 g", "400 g", "1.2 kg", "35 minutes"), True),
        (("40 minutes", "75 minutes", "2 months", "1 year"), False),
        (("40 minutes", "75 minutes", "3 kg", "5 kg"), False),
    ],
)
def test_an_amount_of_another_dimension_is_of_another_kind(options: Sequence[str], is_odd: bool) -> None:
    assert ("option_of_another_kind" in _kinds("What does the display show?", options)) is is_odd


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("What word is missing in the crossword?", ("QUIETLY", "ORANGE", "MONDAY", "SEVEN")),
        ("What time does the clock show?", ("12:88", "00:00", "11:11", "nothing, the display is off")),
    ],
)
def test_words_and_no_answer_are_of_no_other_kind(question: str, options: Sequence[str]) -> None:
    assert "option_of_another_kind" not in _kinds(question, options)


@pytest.mark.parametrize(
    ("question", "options", "odd"),
    [
        ("Where was the photo taken?", ("on a beach", "a pair of scissors", "in a forest", "at a station"), 1),
        ("Where was the photo taken?", ("on a beach", "a station", "a forest", "at a harbor"), None),
        ("In which direction does the ship sail?", ("north", "south-east", "west", "salty"), 3),
        ("What is the boy riding?", ("a bicycle", "an ostrich", "a broom", "a suitcase"), None),
    ],
)
def test_a_thing_among_places_is_odd_and_a_near_kind_is_not(
    question: str, options: Sequence[str], odd: int | None
) -> None:
    assert odd_option(question, options) == odd


def test_a_compound_that_may_be_an_action_may_be_a_thing() -> None:
    assert kinds_of("shipping containers") == {"action", "thing"}


@pytest.mark.parametrize(
    ("options", "is_accused"),
    [(("Penguin", "Hope", "Nowhere Else"), False), (("no", "yes", "no"), True)],
)
def test_names_of_towns_may_be_words_of_other_kinds(options: Sequence[str], is_accused: bool) -> None:
    found = _kinds("Which town does the signpost name?", options)
    assert ("options_answer_another_question" in found) is is_accused


@pytest.mark.parametrize(
    ("first", "second", "contrasted"),
    [
        ("the stem but not the root", "the root but not the stem", True),
        ("Ireland", "Northern Ireland", True),
        ("a dog and a cat", "a cat and a dog", False),
        ("a poodle", "a dog", False),
    ],
)
def test_options_that_differ_in_order_or_direction_are_contrasted(
    first: str, second: str, contrasted: bool, wordnet: WordNet
) -> None:
    assert are_contrasted(phrase_of(first, wordnet), phrase_of(second, wordnet)) is contrasted


@pytest.mark.parametrize(
    ("question", "options", "is_related"),
    [
        ("What is on the mat?", ("a poodle", "a dog", "a cat"), True),
        ("Which is the smallest group that holds it?", ("a poodle", "a dog", "a cat"), False),
        ("Which numeral is carved?", ("XL", "LX", "XC"), False),
    ],
)
def test_the_smallest_group_and_roman_numerals_have_no_second_right_option(
    question: str, options: Sequence[str], is_related: bool, wordnet: WordNet
) -> None:
    facts = ItemFacts(item("x", question, tuple(options), "A"))
    kinds = {rule.kind for rule, _ in faults_of_item(facts, meaning_rules(wordnet))}
    assert ("options_related_in_meaning" in kinds) is is_related

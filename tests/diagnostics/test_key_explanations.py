"""Explanations against keys: only those that explicitly state that another option is right."""

from __future__ import annotations

import pytest

from benchwright.diagnostics.keys.explanations import ExplainedKey, StatedKey, contradictions, stated_key, stated_option

OPTIONS = ("a red cat", "two dogs", "an eel", "nothing at all")


@pytest.mark.parametrize(
    ("explanation", "place"),
    [
        ("Two animals bark on the lawn. Therefore the correct answer is (B).", 1),
        ("The answer is C.", 2),
        ("Counting them gives two, so option B is correct.", 1),
        (r"So we get \boxed{D}.", 3),
        ("The correct answer is two dogs, since both have collars.", 1),
        ("A shows a cat and C an eel. The right answer is D.", 3),
        ("Answer: A\nThe fur is red.", 0),
        ("Zwei Hunde bellen. Richtig ist B.", 1),
        ("C is correct because all others can be excluded.", 2),
    ],
)
def test_the_option_that_an_explanation_calls_right(explanation: str, place: int) -> None:
    stated = stated_option(explanation, OPTIONS)
    assert stated is not None
    assert stated[0] == place
    assert stated[1] in explanation.replace("\n", " ") or stated[1].split("\n")[0] in explanation


@pytest.mark.parametrize(
    "explanation",
    [
        "",
        "The picture shows two dogs on a lawn.",
        "A dog barks at the eel. B and C can be ruled out.",
        "Many people think the answer is B, but the fur is red.",
        "The answer is not B.",
        "B is correct because of its fur, if the fur is red.",
        "If there were no collars, the answer would be (B).",
        "The answer is B. On second thought, the answer is C.",
        "The correct answer is either B or C.",
        "The correct answer is two dogs and an eel.",
        "The best option in this row of four pictures is shown in panel B.",
        "The correct answer depends on the number of collars.",
        "A is the best known of the painters of eels.",
        "Option B is tempting: it is the right answer to another question.",
        "The best option for the owner is a leash.",
        "The right choice of colours lets the dogs stand out.",
    ],
)
def test_an_explanation_that_does_not_say_so_is_silent(explanation: str) -> None:
    assert stated_option(explanation, OPTIONS) is None


def explained(number: int, letter: str, key: int) -> StatedKey:
    return stated_key(ExplainedKey(f"q{number}", f"Look closely. The answer is {letter}.", OPTIONS, key))


def test_only_explanations_that_name_another_option_are_contradictions() -> None:
    result = contradictions(
        [explained(1, "B", 1), explained(2, "B", 2), stated_key(ExplainedKey("q3", "An eel is long.", OPTIONS, 0))]
    )
    assert (result.stating, result.is_other_order) == (2, False)
    assert [(c.item_id, c.key, c.stated, c.sentence) for c in result.found] == [("q2", 2, 1, "The answer is B")]


def test_explanations_written_for_another_order_of_options_are_told_apart_from_wrong_keys() -> None:
    assert not contradictions([explained(n, "B", 1 if n > 2 else 2) for n in range(10)]).is_other_order
    assert contradictions([explained(n, "B", 1 if n > 3 else 2) for n in range(10)]).is_other_order

"""Explanations that support an option other than the key, in other words, forms and languages; right ones yield no
finding.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from worded_items import item

from benchwright.diagnostics.item_faults.fault_rules import ItemFacts
from benchwright.diagnostics.item_faults.rules import faults_of_item, faults_of_set

TOOLS = ("a saw", "a file", "a plane", "a drill")
_KINDS = {"explanation_contradicts_key", "explanation_names_wrong_option"}


def _kinds(explanation: str, options: Sequence[str] = TOOLS, answer: str = "A") -> set[str]:
    facts = ItemFacts(item("7", "Which tool is it?", options, answer, explanation=explanation), "7")
    found = {rule.kind for rule, _ in faults_of_item(facts)} | {rule.kind for rule, _ in faults_of_set([facts])}
    return found & _KINDS


@pytest.mark.parametrize(
    "explanation",
    ["It has teeth and a handle. Therefore B.", "Three of them drop out, which leaves C.", "由图可知，故选D。", "正确答案是B。",
     "Die richtige Antwort ist C.", "La bonne réponse est B.", "La risposta corretta è la D.", "Por tanto, B."],
)  # fmt: skip
def test_a_letter_that_an_explanation_ends_with_contradicts_another_key(explanation: str) -> None:
    assert "explanation_contradicts_key" in _kinds(explanation)
    assert _kinds(explanation, answer=explanation.rstrip(".。")[-1]) == set()


@pytest.mark.parametrize(
    ("explanation", "options"),
    [
        ("A must be excluded. What remains is a drill.", TOOLS),
        ("We rule out A, B and D, and keep the other.", TOOLS),
        ("No, as the blade is missing.", ("Yes", "No")),
        ("There are 3 of 4 cm each.\n3 · 4 cm = 12 cm", ("7 cm", "12 cm", "16 cm")),
    ],
)
def test_an_explanation_that_excludes_the_key_or_has_another_result_speaks_against_it(
    explanation: str, options: Sequence[str]
) -> None:
    assert _kinds(explanation, options) == {"explanation_names_wrong_option"}


@pytest.mark.parametrize(
    ("explanation", "options"),
    [
        ("If it had a crank, then so B.", TOOLS),
        ("Choice B can be excluded. It is a saw.", TOOLS),
        ("A is wrong at first sight. So it is a saw.", TOOLS),
        ("Yes, it is sharp.", ("Yes", "No")),
        ("3 + 4 = 7", ("7", "12", "16")),
        ("12 = 3 · 4, and 3 + 4 = 7", ("7", "12", "16")),
    ],
)
def test_an_explanation_that_comes_to_the_key_does_not(explanation: str, options: Sequence[str]) -> None:
    assert _kinds(explanation, options) == set()

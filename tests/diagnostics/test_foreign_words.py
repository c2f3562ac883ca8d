"""Words of another language among those of a question, and options in one."""

from __future__ import annotations

import pytest
from worded_items import item

from benchwright.diagnostics.item_faults.fault_rules import ItemFacts
from benchwright.diagnostics.item_faults.languages_mixed import RULES
from benchwright.diagnostics.item_faults.rules import faults_of_item
from benchwright.diagnostics.wording.languages import foreign_words


@pytest.mark.parametrize(
    ("text", "language", "other"),
    [
        ("ein Hund", "en", "de"),
        ("a helmet", "es", "en"),
        ("regnerisch", "en", "de"),
        ("auf dem Kopf", "en", "de"),
        ("grey", "en", None),
        ("a small dog", "en", None),
        ("a² + b²", "en", None),
        ("", "en", None),
        ("ein Hund", "zh", None),
    ],
)
def test_foreign_words_are_of_no_list_of_the_language(text: str, language: str, other: str | None) -> None:
    found = foreign_words(text, language)
    assert (None if found is None else found[0]) == other


@pytest.mark.parametrize(
    ("question", "options", "kinds"),
    [
        ("What is the weather like?", ("sunny", "cloudy", "regnerisch", "windy"), {"option_in_another_script"}),
        ("Wo sitzt der Vogel?", ("auf dem Dach", "im Baum", "on the fence"), {"option_in_another_script"}),
        ("Which season is it?", ("winter", "summer", "Frühling"), {"option_in_another_script"}),
        ("What is the girl wearing auf dem Kopf?", ("a hat", "a scarf", "a crown"), {"question_in_two_languages"}),
        ("Who lives in the street?", ("Amy", "Ben", "Carol"), set()),
        ("Which dish is it?", ("paella", "risotto", "soup"), set()),
        ("What does the sign say?", ("stop", "regnerisch", "go"), set()),
        ('Who sings "Das Lied von der Erde" here?', ("a man", "a woman", "a child"), set()),
    ],
)
def test_mixed_languages_are_named(question: str, options: tuple[str, ...], kinds: set[str]) -> None:
    one = item("q", question, options, "A")
    assert {rule.kind for rule, _ in faults_of_item(ItemFacts(one), RULES)} == kinds

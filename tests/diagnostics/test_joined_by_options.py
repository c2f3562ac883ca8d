"""Questions about one problem, which share rare options, are used for learning together or not at all."""

from __future__ import annotations

import numpy as np
from worded_items import item

from benchwright.diagnostics.shortcuts.picks import Bounds
from benchwright.diagnostics.shortcuts.text_only_baseline import ItemWords, joined_by_options
from benchwright.diagnostics.shortcuts.wording_rules import rule_results
from benchwright.records import LETTERS


def test_steps_of_one_problem_teach_nothing_about_one_another() -> None:
    """Each problem has two questions with the same options and key: a learner of one would know the other's."""
    rng = np.random.default_rng(5)
    steps = []
    for number in range(60):
        right = LETTERS[int(rng.integers(4))]
        texts = [f"{number}.{place} cm" for place in range(4)]
        for step in range(2):
            question = f"How long is side {step} of figure {number}?"
            steps.append(item(f"{2 * number + step}", question, texts, right))
    (learned,) = (each for each in rule_results(steps, per="all") if each.rule == "learned")
    assert learned.measured.items == 120
    assert learned.measured.value < 0.4
    assert not learned.gives_away(Bounds())


def test_two_options_that_few_items_have_join_them_and_one_does_not() -> None:
    texts = [("6 cm", "8 cm", "red"), ("8 cm.", "6 CM", "blue"), ("7 cm", "9 cm", "red"), ("a", "b", "c")]
    words = [
        ItemWords(f"q{n}", "t", "?", tuple(zip("ABC", of, strict=True)), "A", ("g",)) for n, of in enumerate(texts)
    ]
    keys = [each.group_keys[1:] for each in joined_by_options(words)]
    assert keys[0] == keys[1]
    assert len(keys[0]) == 1
    assert keys[2:] == [(), ()]


def test_options_of_a_vocabulary_join_no_items() -> None:
    words = [ItemWords(f"q{n}", "t", "?", (("A", "red"), ("B", "blue"), ("C", f"{n} cm")), "A", ()) for n in range(9)]
    assert [each.group_keys for each in joined_by_options(words)] == [()] * 9


def test_options_of_which_each_item_has_some_of_the_next_ones_join_no_items() -> None:
    words = [
        ItemWords(f"q{n}", "t", "?", tuple((key, str(1900 + n + at)) for at, key in enumerate("ABC")), "A", ())
        for n in range(200)
    ]
    assert [each.group_keys for each in joined_by_options(words)] == [()] * 200

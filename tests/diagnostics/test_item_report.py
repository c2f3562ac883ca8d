"""The report on items about letters and word rules: over all tasks, by clusters, and on items that a rule decides."""

from __future__ import annotations

import numpy as np
import pytest
from worded_items import item

from benchwright.diagnostics.item_report import report_on
from benchwright.diagnostics.shortcuts.picks import LEAST_DECIDED
from benchwright.diagnostics.shortcuts.wording_rules import RuleResult, rule_results
from benchwright.records import LETTERS, Item


def _lettered(task: str, counts: tuple[int, ...]) -> list[Item]:
    keys = [LETTERS[letter] for letter, count in enumerate(counts) for _ in range(count)]
    options = ["a cat", "a dog", "an owl", "a fox"]
    return [item(f"{task} {n}", f"Is it {task} {n}?", options, key, task=task) for n, key in enumerate(keys)]


@pytest.mark.slow
def test_one_of_many_tasks_is_not_uneven_by_what_chance_does_to_one_in_twenty() -> None:
    odd, even = _lettered("odd", (11, 5, 3, 5)), [one for n in range(20) for one in _lettered(f"t{n}", (2, 2, 2, 2))]
    [alone] = report_on(odd).letters
    assert 0.01 < alone.p_holm < 0.2
    among = {judged.group.task: judged for judged in report_on(odd + even).letters}
    assert among["odd"].group.balance.p == alone.group.balance.p
    assert not among["odd"].is_uneven
    assert not any(judged.is_uneven for judged in among.values())


def _long_keys(count: int, picture: str, of: int) -> list[Item]:
    """Return items of which the longest option is right in two of three, about one picture each `of` items."""
    found = []
    for number in range(count):
        texts = ["aaa", "bbb", "ccc"]
        right = number % 3
        texts[right if (number // of) % 3 else (right + 1) % 3] += " and more"
        about = f"{picture} {number // of}"
        found.append(item(f"{picture} {number}", f"{number}?", texts, LETTERS[right], picture=about))
    return found


def _longest(items: list[Item]) -> RuleResult:
    return next(one for one in rule_results(items, per="task") if one.rule == "longest")


def test_items_about_one_picture_prove_less_than_items_about_as_many() -> None:
    apart, together = _longest(_long_keys(36, "apart", 1)), _longest(_long_keys(36, "together", 6))
    assert apart.measured.value == together.measured.value
    assert apart.measured.p < together.measured.p / 10
    width = {one: one.measured.interval.high - one.measured.interval.low for one in (apart, together)}
    assert width[together] > width[apart]


def test_a_rule_counts_on_the_items_that_it_decides() -> None:
    rng = np.random.default_rng(0)
    equal = [item(f"e{n}", f"{n}?", ["aaa", "bbb", "ccc"], LETTERS[int(rng.integers(3))]) for n in range(60)]
    found = _longest(equal + _long_keys(45, "some", 1))
    assert (found.measured.items, len(found.rows)) == (45, 30)


def test_a_rule_that_decides_few_items_is_told_and_not_tested() -> None:
    few = _longest(_long_keys(LEAST_DECIDED - 1, "few", 1))
    assert few.p_holm is None
    assert _longest(_long_keys(LEAST_DECIDED, "few", 1)).p_holm is not None

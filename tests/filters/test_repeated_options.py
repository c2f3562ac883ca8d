"""Repeated options: exactly the five in II-Bench, and no others."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from worded_items import item

from benchwright.diagnostics.wording.item_texts import text_key
from benchwright.diagnostics.wording.repeated_options import repeated_pairs
from benchwright.filters.items.repeated_options import RepeatedOptions
from benchwright.records import Item
from benchwright.steps import Measured, Outcome


def measured(one: Item, step: RepeatedOptions | None = None) -> Measured:
    return (step or RepeatedOptions()).measure(one, None)  # type: ignore[arg-type]


def judged(one: Item, step: RepeatedOptions | None = None) -> Outcome:
    step = step or RepeatedOptions()
    return step.judge(measured(one, step).values)


def published(folder: Path) -> dict[str, Item]:
    """Return II-Bench's questions as items, by their published id."""
    found = {}
    for name in ("dev", "test_subset"):
        for record in json.loads((folder / "data" / f"{name}.json").read_text(encoding="utf-8")):
            [asked] = record["questions"]
            found[asked["id"]] = item(asked["id"], asked["question"], asked["options"], None)
    return found


@pytest.mark.slow
def test_exactly_five_of_285_published_questions_have_an_option_twice(ii_bench: Path) -> None:
    expected = json.loads((ii_bench / "expected.json").read_text(encoding="utf-8"))["items_with_repeated_options"]
    items = published(ii_bench)
    assert len(items) == 285
    assert [name for name, one in items.items() if judged(one).verdict == "drop"] == expected
    assert [name for name, one in items.items() if judged(one).verdict == "ask"] == []


def test_an_item_is_told_which_options_are_equal() -> None:
    one = item("x", options=["A cat.", "a dog", "a  CAT", "an owl"])
    assert measured(one).evidence["repeated"] == [["A", "C"]]
    assert judged(one) == Outcome("drop", "repeated_option", evidence={"pairs": 1})


def test_commands_of_formulas_that_begin_as_one_of_type_are_not_taken_for_it() -> None:
    arrows = item("x", options=[r"$\downarrow$", r"$\uparrow$", r"$\rightarrow$", r"$\leftarrow$"])
    assert not repeated_pairs(arrows)
    assert repeated_pairs(item("x", options=[r"$\left(x+1\right)^2$", "(x + 1)^2", "x + 1^2"])) == [("A", "B")]


def test_pictures_count_as_options() -> None:
    assert judged(item("x", pictures=["one", "two", "one"])).reason == "repeated_option"
    assert judged(item("x", pictures=["one", "two", "three"])).verdict == "keep"


def test_nearly_equal_options_are_asked_about_unless_the_threshold_says_otherwise() -> None:
    one = item("x", options=["the colour of grief", "the color of grief", "a cat"])
    assert measured(one).evidence["closest"] == ["A", "B"]
    assert judged(one).reason == "similar_options"
    assert judged(one, RepeatedOptions(max_likeness=0.99)).verdict == "keep"
    assert judged(one, RepeatedOptions(max_likeness=None)).verdict == "keep"


def test_a_new_threshold_compares_nothing_again() -> None:
    assert RepeatedOptions.thresholds == {"max_likeness"}


@given(st.lists(st.text(max_size=6), min_size=2, max_size=8), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_order_of_options_does_not_matter(texts: list[str], chance: random.Random) -> None:
    mixed = chance.sample(texts, len(texts))
    one, other = (measured(item("x", options=some)) for some in (texts, mixed))
    assert one.values == other.values


@given(st.lists(st.text("abcAB3 ,.!", max_size=6), min_size=2, max_size=6))
@settings(deadline=None)
def test_as_many_pairs_are_found_as_a_slow_count_finds(texts: list[str]) -> None:
    texts = [*texts, "unlike all others"]
    slow = sum(text_key(a) == text_key(b) for n, a in enumerate(texts) for b in texts[n + 1 :])
    assert len(repeated_pairs(item("x", options=texts))) == slow


@pytest.mark.parametrize("setting", [{"max_likeness": 1.5}, {"max_likeness": -0.1}, {"likeness": 0.5}])
def test_wrong_settings_are_refused(setting: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        RepeatedOptions(**setting)

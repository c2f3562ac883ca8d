"""Keys that the words give away: rules that see no picture, and when their accuracy is reported."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from audited_benches import clean_rows
from conftest import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from worded_items import Said, gathered, item

from benchwright.diagnostics.shortcuts.text_only_baseline import ItemWords
from benchwright.diagnostics.shortcuts.text_rules import RULES
from benchwright.diagnostics.shortcuts.wording_rules import LEARNED, learned_picks, rule_results
from benchwright.facts import read_facts
from benchwright.filters.items.wording_bias import WordingBias
from benchwright.records import LETTERS, Item
from benchwright.statistics import HELD_OUT_EFFECT

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("rule", "question", "options", "shares"),
    [
        ("longest", "", ["ab", "abcd", "abc"], [0, 1, 0]),
        ("longest", "", ["ab", "  abcd ", "abcd"], [0, 0.5, 0.5]),
        ("shortest", "", ["ab", "abcd", "abc"], [1, 0, 0]),
        ("most_shared", "Why is the sky blue?", ["It is blue", "It rains", "The sky"], [0, 0, 1]),
        ("most_typical", "", ["a red car", "a red bus", "two green cats"], [0.5, 0.5, 0]),
        ("odd_one_out", "", ["a red car", "a red bus", "two green cats"], [0, 0, 1]),
        ("odd_form", "", ["Bitter", "Sour", "It cannot be told."], [0, 0, 1]),
        ("odd_form", "", ["Bitter", "sour", "It cannot be told."], [1 / 3] * 3),
        ("odd_form", "", ["Bitter", "sour"], [0.5, 0.5]),
    ],
)
def test_a_rule_picks_what_it_says(rule: str, question: str, options: list[str], shares: list[float]) -> None:
    found = RULES[rule](question, options)
    if "odd_form" in rule and options == ["Bitter", "sour", "It cannot be told."]:
        assert sum(found) == pytest.approx(1)  # two options are odd, each in its own way
    else:
        assert found == pytest.approx(shares)


@given(st.sampled_from(sorted(RULES)), st.text(max_size=20), st.lists(st.text(max_size=8), min_size=2, max_size=6))
@settings(deadline=None)
def test_every_rule_shares_one_pick_among_the_options(rule: str, question: str, options: list[str]) -> None:
    shares = RULES[rule](question, options)
    assert len(shares) == len(options)
    assert sum(shares) == pytest.approx(1)
    assert min(shares) >= 0


def drawn(count: int, *, tell: str = "", seed: int = 0, **fields: Any) -> list[Item]:
    """Return items with four drawn options, whose right one has `tell` before it."""
    rng = np.random.default_rng(seed)
    found = []
    for number in range(count):
        texts = ["".join(rng.choice(list("abcdefgh"), 6)) for _ in range(4)]
        right = int(rng.integers(4))
        texts[right] = tell + texts[right]
        found.append(item(f"{seed} {number}", f"Which is number {number}?", texts, LETTERS[right], **fields))
    return found


def flagged(items: list[Item], **setting: Any) -> dict[str, Said]:
    return gathered(WordingBias(**setting), items)


def test_without_a_tell_nothing_is_said() -> None:
    assert flagged(drawn(200, seed=1)) == {}


def test_a_longer_right_option_is_found_and_told_with_accuracy_chance_and_interval() -> None:
    items = drawn(40, tell="xx")
    said = flagged(items)
    assert len(said) == 40
    one = said[items[0].item_id]
    assert (one.verdict, one.reason) == ("ask", "wording_gives_key_away")
    assert {"longest", LEARNED} <= set(one.values["rules"])
    told = next(rule for rule in one.evidence["rules"] if rule["rule"] == "longest")
    assert told["accuracy"] == 1.0
    assert told["chance"] == 0.25
    assert 0.9 < told["ci"][0] < told["ci"][1] == 1.0
    assert told["items"] == 40


def test_a_word_that_only_right_options_have_is_learned_though_no_fixed_rule_knows_it() -> None:
    """Every option begins with a word of two letters, and `zz` is always right."""
    rng = np.random.default_rng(4)
    items = []
    for number in range(60):
        right = int(rng.integers(4))
        texts = [f"{'zz' if at == right else 'yy'} {''.join(rng.choice(list('abcd'), 5))}" for at in range(4)]
        items.append(item(str(number), f"Number {number}?", texts, LETTERS[right]))
    learned = next(one for one in rule_results(items, per="task") if one.rule == LEARNED)
    assert learned.measured.value > 0.95
    assert LEARNED in flagged(items)[items[0].item_id].values["rules"]


def test_a_refusal_that_is_always_right_gives_itself_away_until_others_have_it_too() -> None:
    declines = "It cannot be told from this."
    unanswerable = [item(f"u{n}", f"U{n}?", [declines, "aaa", "bbb", "ccc"], None, refusal="A") for n in range(25)]
    said = flagged(unanswerable)
    assert len(said) == 25
    assert {"longest", "odd_form", LEARNED} <= set(said[unanswerable[0].item_id].values["rules"])
    answered = [item(f"a{n}", f"A{n}?", [declines, "aaa", "bbb", "ccc"], "BCD"[n % 3], refusal="A") for n in range(75)]
    found = {one.rule: one.measured.value for one in rule_results(unanswerable + answered, per="task")}
    assert found["longest"] == found["odd_form"] == 0.25
    assert not {"longest", "odd_form"} & {
        rule for one in flagged(unanswerable + answered).values() for rule in one.values["rules"]
    }


def test_only_tasks_with_a_tell_are_flagged_and_dropped_where_the_curator_wants_it() -> None:
    told, plain = drawn(40, tell="xx", task="told"), drawn(40, seed=1, task="plain")
    said = flagged(told + plain, verdict="drop")
    assert set(said) == {one.item_id for one in told}
    assert {one.verdict for one in said.values()} == {"drop"}


def test_few_items_prove_nothing() -> None:
    assert flagged(drawn(3, tell="xx")) == {}


def test_a_larger_gain_may_be_allowed() -> None:
    assert flagged(drawn(40, tell="xx"), max_gain=0.75) == {}


def test_items_without_words_or_without_a_key_are_left_out() -> None:
    items = [item("one", pictures=["a", "b"]), item("two", answer=None)]
    assert rule_results(items, per="task") == []
    assert flagged([]) == {}


@given(st.randoms(use_true_random=False))
@settings(max_examples=5, deadline=None)
def test_the_order_of_items_does_not_matter(chance: random.Random) -> None:
    items = drawn(20, tell="xx") + drawn(10, seed=2, task="other")
    assert flagged(chance.sample(items, len(items))) == flagged(items)


def test_what_was_asked_about_is_asked_about_again() -> None:
    items = drawn(30, tell="xx")
    said = flagged(items)
    assert flagged([one for one in items if said[one.item_id].verdict != "drop"]) == said


def _items_of_the_demo() -> list[Item]:
    """Return the questions that the demo's facts ask beyond the image, with the refusal first."""
    found = []
    for name, picture in read_facts(ROOT / "benchwright" / "recipes" / "demo.facts.yaml").images.items():
        for one in (*picture.unanswerable, *picture.answerable):
            right = getattr(one, "right", None)
            options = ["The picture does not show enough to tell.", *one.wrong, *([right] if right else [])]
            key = LETTERS[len(options) - 1] if right else None
            found.append(item(f"{name} {one.name}", one.ask, options, key, refusal="A", picture=name))
    return found


def test_no_rule_of_words_gains_much_on_what_the_demo_asks_beyond_the_image() -> None:
    items = _items_of_the_demo()
    assert len(items) == 48
    assert {len(one.choices) for one in items} == {4}
    fixed = [one for one in rule_results(items, per="task") if one.rule != LEARNED]
    assert max(one.measured.value for one in fixed) < 0.25 + 0.1
    assert next(one.measured.value for one in fixed if one.rule == "longest") == 0.25


@pytest.mark.parametrize("setting", [{"min_p": 2}, {"max_gain": -0.1}, {"verdict": "keep"}, {"per": "image"}])
def test_wrong_settings_are_refused(setting: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        WordingBias(**setting)


def test_the_page_on_item_filters_names_every_rule() -> None:
    page = (Path(ROOT) / "docs" / "item-filters.md").read_text(encoding="utf-8")
    assert [rule for rule in (*RULES, LEARNED) if f"`{rule}`" not in page] == []


@pytest.mark.thorough
def test_answers_learned_from_items_without_a_tell_vary_more_than_independent_ones() -> None:
    """What the p-value of the classifier allows for: of two items in different folds either speaks for the other."""
    hits = []
    for seed in range(60):
        rows = clean_rows(120, seed)
        words = [
            ItemWords(row["id"], "", row["question"], tuple((key, row[key]) for key in "ABCD"), row["answer"], ())
            for row in rows
        ]
        hits.append(sum(picked == row["answer"] for picked, row in zip(learned_picks(words), rows, strict=True)))
    effect = float(np.var(hits, ddof=1)) / (120 * 0.25 * 0.75)
    assert 1.2 < effect < 1.25 * HELD_OUT_EFFECT

"""Questions that are asked twice: equal ones dropped but for one, near ones asked about."""

from __future__ import annotations

import json
import random
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from worded_items import Said, gathered, item

from benchwright.diagnostics.wording.item_texts import grams
from benchwright.diagnostics.wording.similar_texts import SimilarPair, similar_pairs
from benchwright.filters.items.duplicate_questions import DuplicateQuestions
from benchwright.records import Item, VisualPrompt
from benchwright.text_normalization import normal

SAME = {"picture": "photo"}


def said_of(items: list[Item], **setting: Any) -> dict[str, Said]:
    return gathered(DuplicateQuestions(**setting), items)


def reasons(items: list[Item], **setting: Any) -> list[str | None]:
    said = said_of(items, **setting)
    return [said[one.item_id].reason if one.item_id in said else None for one in items]


def test_equal_questions_on_equal_pictures_are_dropped_but_for_the_smallest_id() -> None:
    items = [
        item("one", "What is it?", ["a cat", "a dog"], **SAME),
        item("two", "what is  it", ["A dog.", "A cat."], "B", **SAME),
        item("three", "What is it?", ["a cat", "a dog"]),
        item("four", "What is it?", ["a cat", "an owl"], **SAME),
    ]
    said = said_of(items, min_similarity=None)
    kept, dropped = sorted(items[:2], key=lambda one: one.item_id)
    assert said == {dropped.item_id: Said("drop", "duplicate_question", {"group": None}, {"of": kept.item_id})}


def test_equal_questions_with_different_keys_are_all_asked_about() -> None:
    items = [item("one", answer="A", **SAME), item("two", answer="B", **SAME)]
    assert reasons(items) == ["contradicting_keys"] * 2
    assert {one.verdict for one in said_of(items).values()} == {"ask"}


def test_other_marks_on_one_picture_are_another_question() -> None:
    plain = item("one", **SAME)
    shown = plain.images[0]
    ring = VisualPrompt(kind="ring", image_id=shown.image_id, points=((3.0, 4.0),))
    marked = item("two", **SAME, images=(shown.model_copy(update={"prompts": (ring,)}),))
    assert reasons([plain, marked]) == [None, None]


def test_half_of_a_declared_pair_is_asked_about_instead_of_dropped() -> None:
    items = [item(name, **SAME, group_keys=(f"pair:{name}",)) for name in ("one", "two")]
    assert sorted((one.verdict, one.reason) for one in said_of(items).values()) == [("ask", "duplicate_question")]


NEAR = [
    item("one", "What does the old man in the garden hold in his hand?", ["a rake", "a hat"], **SAME),
    item("two", "What does the old man in the garden hold in his hands?", ["a spade", "a hat"], **SAME),
    item("three", "Why is the dog asleep?", ["it is tired", "it is old"], **SAME),
]


def test_near_questions_are_asked_about_with_their_partners_and_kept_together() -> None:
    said = said_of(NEAR)
    assert set(said) == {NEAR[0].item_id, NEAR[1].item_id}
    one = said[NEAR[0].item_id]
    assert (one.verdict, one.reason) == ("ask", "near_duplicate_question")
    assert one.evidence["partners"] == [{"item_id": NEAR[1].item_id, "similarity": pytest.approx(0.96, abs=0.05)}]
    assert len({one.values["group"] for one in said.values()}) == 1


def test_a_threshold_of_none_asks_about_no_near_ones_and_a_higher_one_about_fewer() -> None:
    assert said_of(NEAR, min_similarity=None) == {}
    assert said_of(NEAR, min_similarity=1.0) == {}


def test_questions_on_other_pictures_are_compared_only_where_the_scope_says_so() -> None:
    apart = [one.model_copy(update={"images": item(str(n)).images}) for n, one in enumerate(NEAR)]
    assert reasons(apart) == [None] * 3
    assert reasons(apart, scope="all", min_similarity=0.5) == ["near_duplicate_question"] * 2 + [None]


@pytest.mark.parametrize(
    "fields", [{"written_by": {"question": "template"}}, {"group_keys": ("pair:7",)}], ids=["template", "pair"]
)
def test_what_is_alike_by_design_is_not_asked_about(fields: dict[str, Any]) -> None:
    items = [one.model_copy(update=fields) for one in NEAR]
    for scope in ("same_image", "all"):
        assert reasons(items, scope=scope, min_similarity=0.5) == [None] * 3


def test_none_of_the_published_questions_is_asked_twice(ii_bench: Path) -> None:
    items = []
    for name in ("dev", "test_subset"):
        for record in json.loads((ii_bench / "data" / f"{name}.json").read_text(encoding="utf-8")):
            [asked] = record["questions"]
            picture = sha256((ii_bench / record["local_path"]).read_bytes()).hexdigest()
            items.append(item(asked["id"], asked["question"], asked["options"], None, picture=picture))
    for scope in ("same_image", "all"):
        assert said_of(items, scope=scope) == {}


@given(st.randoms(use_true_random=False))
@settings(max_examples=15, deadline=None)
def test_the_order_of_items_does_not_matter_and_what_is_left_has_no_duplicates(chance: random.Random) -> None:
    words = ["old", "man", "holds", "a", "rake", "today"]
    items = [
        item(str(n), " ".join(chance.choices(words, k=4)), chance.sample(["x", "y"], 2), chance.choice("AB"),
             picture=f"photo {n % 3}")
        for n in range(20)
    ]  # fmt: skip
    said = said_of(items)
    assert said_of(chance.sample(items, len(items))) == said
    left = [one for one in items if one.item_id not in said or said[one.item_id].verdict != "drop"]
    again = said_of(left)
    assert {one.verdict for one in again.values()} <= {"ask"}
    assert again == {name: one for name, one in said.items() if one.verdict == "ask"}


def jaccard(first: frozenset[str], second: frozenset[str]) -> float:
    return len(first & second) / len(first | second)


def all_compared(sets: list[frozenset[str]], at_least: float) -> list[SimilarPair]:
    return [
        SimilarPair(n, m, jaccard(sets[n], sets[m]))
        for n in range(len(sets))
        for m in range(n + 1, len(sets))
        if sets[n] and sets[m] and jaccard(sets[n], sets[m]) >= at_least
    ]


@given(st.lists(st.frozensets(st.sampled_from("abcdefgh"))), st.floats(0.05, 1))
@settings(deadline=None)
def test_all_similar_pairs_are_found_and_no_others(sets: list[frozenset[str]], at_least: float) -> None:
    assert similar_pairs(sets, at_least=at_least) == all_compared(sets, at_least)


@given(st.randoms(use_true_random=False), st.sampled_from([0.1, 0.3, 0.5, 0.6, 0.75, 1.0]))
@settings(max_examples=20, deadline=None)
def test_pairs_of_many_texts_of_all_lengths_are_those_of_comparing_each_with_each(
    chance: random.Random, at_least: float
) -> None:
    words = ["what", "does", "the", "old", "man", "hold", "in", "his", "left", "hand", "today", "rakes", "one", "two"]
    texts = [" ".join(chance.choices(words, k=chance.choice([1, 3, 8, 8, 8, 40, 200]))) for _ in range(60)]
    texts += [text.replace(chance.choice(words), chance.choice(words), 1) for text in chance.sample(texts, 30)]
    sets = [grams(text) if text else frozenset() for text in [*texts, "", "x"]]
    assert similar_pairs(iter(sets), at_least=at_least) == all_compared(sets, at_least)


@pytest.mark.parametrize("at_least", [0.25, 0.4, 0.6])
def test_pairs_of_published_questions_are_those_of_comparing_each_with_each(ii_bench: Path, at_least: float) -> None:
    records = [
        record
        for name in ("dev", "test_subset")
        for record in json.loads((ii_bench / "data" / f"{name}.json").read_text())
    ]
    sets = [grams(normal(asked["question"])) for record in records for asked in record["questions"]]
    pairs = similar_pairs(sets, at_least=at_least)
    assert pairs == all_compared(sets, at_least)
    assert len(sets) > 250
    assert pairs


@pytest.mark.parametrize("setting", [{"min_similarity": 0}, {"min_similarity": 1.1}, {"scope": "everywhere"}])
def test_wrong_settings_are_refused(setting: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        DuplicateQuestions(**setting)


def test_a_similarity_out_of_range_is_refused() -> None:
    with pytest.raises(ValueError, match="at_least must be above 0"):
        similar_pairs([], at_least=0)

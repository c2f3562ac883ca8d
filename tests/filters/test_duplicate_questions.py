"""Repeated questions: of equal ones, all but one are dropped; near-equal ones are asked about."""

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

from benchwright.filters.items.duplicate_questions import DuplicateQuestions
from benchwright.records import Item, VisualPrompt

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


def test_the_same_options_and_key_about_one_picture_are_asked_about_whatever_the_words() -> None:
    options = ["wet sand", "deep snow", "short grass"]
    items = [
        item("one", "On what does she walk?", options, "C", **SAME),
        item("two", "Name the ground below.", options[::-1], "A", **SAME),
        item("three", "Which of these is cold?", options, "B", **SAME),
    ]
    said = said_of(items)
    assert reasons(items) == ["near_duplicate_question", "near_duplicate_question", None]
    [partner] = said[items[0].item_id].evidence["partners"]
    assert (partner["item_id"], partner["same_options"]) == (items[1].item_id, True)
    assert reasons(items, min_similarity=None) == [None] * 3


def test_an_item_without_a_key_contradicts_none_and_is_dropped_before_one_with_a_key() -> None:
    for keyed, bare in (("one", "two"), ("two", "one")):
        items = [item(keyed, answer="A", **SAME), item(bare, answer=None, **SAME)]
        assert reasons(items) == [None, "duplicate_question"]


def test_an_instruction_that_most_questions_end_with_makes_them_no_more_alike() -> None:
    ending = "\nPlease answer with the letter of the right option and with nothing else."
    asked = ["Who sits?", "What hangs?", "Why red?"]
    items = [item(str(number), text + ending, ["x", str(number)], **SAME) for number, text in enumerate(asked)]
    assert reasons(items) == [None] * 3


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


@pytest.mark.parametrize("setting", [{"min_similarity": 0}, {"min_similarity": 1.1}, {"scope": "everywhere"}])
def test_wrong_settings_are_refused(setting: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        DuplicateQuestions(**setting)

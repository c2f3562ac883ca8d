"""Distractors: the texts that may accompany a right option, their sources, and options that reveal nothing."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from chat_server import ChatServer

from benchwright.construction.distractors.checks import fault_of, faults_among
from benchwright.construction.distractors.choosing import chosen_distractors, options_evidence
from benchwright.construction.distractors.difficulty import difficulty
from benchwright.construction.distractors.drafting import drafted_distractors
from benchwright.construction.distractors.exchange import Lender, exchange_groups
from benchwright.construction.distractors.sources import (
    DistractorCandidate,
    nearest_by_vector,
    nearest_in_spelling,
    other_numbers,
    other_pictures,
    same_category,
)
from benchwright.models.endpoints.chat import Chat, ChatSettings
from benchwright.models.endpoints.structured_replies import NotOfThatShape
from benchwright.seeds import seed_for


@pytest.mark.parametrize(
    ("option", "right", "fault"),
    [
        pytest.param("a red car", "the car", "second_right", id="part of it"),
        pytest.param("sofa", "couch", "second_right", id="synonym"),
        pytest.param("person", "a man", "second_right", id="wider word"),
        pytest.param("banana", "fruits", "second_right", id="narrower word"),
        pytest.param("gray", "grey", "second_right", id="spelling"),
        pytest.param("3", "three", "second_right", id="number in words"),
        pytest.param("All of the above", "a dog", "no_answer", id="all of the above"),
        pytest.param("none of these", "a dog", "no_answer", id="none of these"),
        pytest.param("I can't tell", "a dog", "no_answer", id="declines"),
        pytest.param("…", "a dog", "empty", id="no word"),
        pytest.param("  ", "a dog", "empty", id="blank"),
        pytest.param("blue", "4", "other_form", id="no number"),
        pytest.param("yes", "blue", "other_form", id="yes"),
        pytest.param("STOP", "yield", "other_form", id="capitals"),
        pytest.param("cats", "dog", "other_form", id="plural"),
        pytest.param("surfing", "nap", "other_form", id="ing"),
        pytest.param("a horse that grazes beside a wooden fence", "dog", "other_length", id="long"),
        pytest.param("a cat", "a dog", None, id="may stand"),
        pytest.param("light green", "blue", None, id="may stand: two words"),
        pytest.param("7", "4", None, id="may stand: number"),
        pytest.param("bus", "glass", None, id="may stand: no plural"),
    ],
)
def test_an_option_beside_the_right_one_has_a_fault_by_name(option: str, right: str, fault: str | None) -> None:
    assert fault_of(option, right) == fault


def test_an_option_that_another_answer_calls_right_or_that_stands_already_is_refused() -> None:
    assert fault_of("white", "black", also_right=["black and white"]) == "second_right"
    assert fault_of("the cat", "dog", standing=["horse", "a cat"]) == "repeated"
    assert faults_among("dog", ["cat", "horse", "a cat", "puppies"]) == {"a cat": "repeated", "puppies": "other_form"}


def test_the_first_candidates_that_may_stand_are_taken_and_the_refused_counted() -> None:
    candidates = [
        DistractorCandidate(text, "same_category") for text in ("gray", "a blue", "red", "RED", "none", "green", "teal")
    ]
    chosen = chosen_distractors("blue", candidates, also_right=["light gray"], frequencies={"blue": 3, "red": 1})
    assert chosen.texts == ("red", "green", "teal")
    assert chosen.refused == {"no_answer": 1, "repeated": 1, "second_right": 2}
    assert set(chosen.sources) == {"same_category"}
    assert 0 < chosen.difficulty < 1


def test_difficulty_grows_with_closeness_and_with_how_common_the_distractors_are() -> None:
    # By hand: "cat" and "car" share "ca", 2 * 2 / 6; half of that and half of 1 / (1 + 3).
    assert difficulty("cat", ["car"]) == pytest.approx(2 / 3)
    assert difficulty("cat", ["car"], frequencies={"cat": 3, "car": 1}) == pytest.approx((2 / 3 + 1 / 4) / 2)
    assert difficulty("cat", []) == 0
    vectors = {"cat": np.array([1.0, 0.0]), "dog": np.array([0.6, 0.8]), "sky": np.array([-1.0, 0.0])}
    assert difficulty("cat", ["dog", "sky"], vectors=vectors) == pytest.approx(0.3)
    assert [candidate.text for candidate in nearest_by_vector("cat", vectors)] == ["dog", "sky"]


def test_options_of_others_get_the_estimate_and_their_faults_by_text() -> None:
    assert options_evidence("cat", ["car", "hen"]) == {"difficulty": pytest.approx((2 / 3 + 0) / 2, abs=1e-4)}
    doubtful = options_evidence("couch", ["a sofa", "lamp", "all of the above"], also_right=["a lamp"])
    assert doubtful["option_faults"] == {
        "a sofa": "second_right", "lamp": "second_right", "all of the above": "no_answer",
    }  # fmt: skip
    assert options_evidence(None, ["red", "green"]) == {}


def test_nearest_in_spelling_come_first_and_ties_by_text() -> None:
    near = nearest_in_spelling("downtown", ["uptown", "crosstown", "midtown", "downtown", "zoo"], most=3)
    # Characters in the same order: d and town of 15, o and town of 17, town of 14.
    assert [candidate.text for candidate in near] == ["midtown", "crosstown", "uptown"]
    assert [candidate.source for candidate in other_pictures(["a gun"])] == ["other_picture"]


def test_answers_of_the_category_are_drawn_without_repeats_and_common_ones_more_often() -> None:
    answers = {"red": 80, "blue": 15, "teal": 5, "never": 0, "black": 100}
    firsts = Counter(same_category("black", answers, np.random.default_rng(seed))[0].text for seed in range(1000))
    drawn = same_category("black", answers, np.random.default_rng(1))
    assert sorted(candidate.text for candidate in drawn) == ["blue", "red", "teal"]
    assert firsts["red"] == pytest.approx(800, abs=50)
    assert firsts["teal"] == pytest.approx(50, abs=25)
    assert same_category("red", {"red": 3}, np.random.default_rng(1)) == []


def test_more_numbers_than_three_may_be_asked_for() -> None:
    others = other_numbers(2, 6, np.random.default_rng(1), number=4)
    assert len(set(others)) == 4
    assert 2 not in others
    assert all(0 <= other <= 8 for other in others)


def lenders(count: int) -> list[Lender]:
    colors = ("red", "blue", "green", "yellow", "black", "orange", "purple")
    weights = np.array([40, 30, 12, 8, 6, 3, 1]) / 100
    picks = np.random.default_rng(3).choice(len(colors), count, p=weights)
    return [Lender(f"q{number}", colors[pick], f"image {number % (count - 5)}") for number, pick in enumerate(picks)]


def test_each_option_of_a_group_is_right_once_so_that_no_rule_over_options_beats_chance() -> None:
    groups = list(
        exchange_groups(
            lenders(300), size=4, is_true=lambda picture, text: False, order=lambda name: seed_for(1, "exchange", name)
        )
    )
    assert len(groups) > 30
    for group in groups:
        assert len({lender.right for lender in group}) == 4
    pictures = [lender.picture for group in groups for lender in group]
    assert len(set(pictures)) == len(pictures)
    frequencies = Counter(lender.right for group in groups for lender in group)
    hits = sum(
        lender.right == max((other.right for other in group), key=lambda right: (frequencies[right], right))
        for group in groups
        for lender in group
    )
    assert hits * 4 == len(pictures)


def test_no_question_gets_an_option_that_is_true_of_its_picture() -> None:
    true = {("image 1", "blue"), ("image 2", "green"), ("image 3", "red")}
    groups = list(
        exchange_groups(
            lenders(120),
            size=4,
            is_true=lambda picture, text: (picture, text) in true,
            order=lambda name: seed_for(1, "exchange", name),
        )
    )
    assert groups
    for group in groups:
        for lender in group:
            assert not any((lender.picture, other.right) in true for other in group if other is not lender)


def test_synonyms_and_other_forms_never_share_a_group_and_pictures_may_be_held_back() -> None:
    texts = ["couch", "sofa", "chair", "beds", "table", "lamp", "person", "man"]
    some = [Lender(text, text, text) for text in texts]
    groups = list(exchange_groups(some, size=4, is_true=lambda picture, text: False, order=texts.index))
    assert [{lender.right for lender in group} for group in groups] == [{"couch", "chair", "table", "lamp"}]
    odd = exchange_groups(
        lenders(300),
        size=4,
        is_true=lambda picture, text: False,
        order=lambda name: seed_for(1, "exchange", name),
        is_free=lambda picture: picture.endswith(("1", "3")),
    )
    assert {lender.picture[-1] for group in odd for lender in group} == {"1", "3"}


def chat(server: ChatServer) -> Chat:
    return Chat(ChatSettings(model="scribe", base_url=server.url, retries=0, timeout_s=20), concurrency=1)


def test_a_model_drafts_distractors_and_is_told_once_what_is_wrong(chat_server: ChatServer, tmp_path: Path) -> None:
    replies = [{"distractors": ["a puppy", "person", "cat"]}, {"distractors": ["cat", "horse", "sheep"]}]
    chat_server.behave = lambda words, attempt, handler: json.dumps(replies[len(chat_server.bodies) - 1])
    drafted = drafted_distractors(chat(chat_server), "What runs?", "dog", also_right=["a man"])
    assert [(candidate.text, candidate.source) for candidate in drafted.candidates] == [
        ("cat", "model:scribe"), ("horse", "model:scribe"), ("sheep", "model:scribe"),
    ]  # fmt: skip
    assert len(drafted.replies) == 2
    repair = chat_server.bodies[1]["messages"][3]["content"][0]["text"]
    assert "'person' cannot accompany 'dog': it may be right too" in repair


@pytest.mark.parametrize("texts", [["cat", "horse"], ["cat", "horse", "sheep", "cow"]], ids=["too few", "too many"])
def test_another_number_of_drafts_is_refused(chat_server: ChatServer, texts: list[str]) -> None:
    chat_server.behave = lambda words, attempt, handler: json.dumps({"distractors": texts})
    with pytest.raises(NotOfThatShape, match="distractors"):
        drafted_distractors(chat(chat_server), "What runs?", "dog")

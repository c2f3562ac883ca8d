"""Ambiguous items: people or strong models are divided beyond ordinary mistakes."""

from __future__ import annotations

import numpy as np
import pytest
from reply_samples import matrix_of

from benchwright.diagnostics.keys.ambiguous_items import ambiguous_items
from benchwright.diagnostics.keys.suspected_keys import PeopleAnswers
from benchwright.replies.model_replies import KeyedItem, ModelReplies, votes_of


def test_people_who_split_by_hand() -> None:
    # Nine items with 9 : 1 votes and one with 6 : 4. The second option gets 13 of 100 votes on average, and four or
    # more of ten at .13 have a probability of .0317: no sign. With 19 items of 9 : 1 it is 23 of 200, p = .0206; with
    # 5 : 5 instead, 24 of 200 and five or more of ten: p = .0037.
    nobody = np.zeros((0, 20))
    votes = np.array([[9, 1, 0, 0]] * 19 + [[6, 4, 0, 0]])
    assert ambiguous_items(matrix_of(nobody, [0] * 20), PeopleAnswers(votes)) == []
    votes[19] = [0, 5, 0, 5]
    (item,) = ambiguous_items(matrix_of(nobody, [0] * 19 + [3]), PeopleAnswers(votes))
    assert (item.item_id, item.options, item.shares, item.votes) == ("q019", (1, 3), (0.5, 0.5), (5, 5))
    assert (item.split, item.key) == ("people", 3)
    assert item.p_value == pytest.approx(0.0037, abs=2e-4)


def test_few_people_are_no_split() -> None:
    votes = np.array([[9, 1, 0, 0]] * 99 + [[2, 2, 0, 0]])
    assert ambiguous_items(matrix_of(np.zeros((0, 100)), [0] * 100), PeopleAnswers(votes)) == []


def able_models() -> np.ndarray:
    """Return letters of five models to forty items keyed A: 38, 36, 34, 32 right, and one that guesses."""
    letter = np.zeros((5, 40), dtype=int)
    for row, misses in enumerate((2, 4, 6, 8)):
        letter[row, :misses] = 2
    letter[4] = np.arange(40) % 4
    return letter


def test_able_models_on_two_sides_are_a_split_and_a_guessing_one_has_no_voice() -> None:
    letter = able_models()
    letter[:, 39] = [1, 0, 0, 1, 1]  # the best for B, the next for A
    letter[:, 38] = [0, 0, 1, 1, 1]  # the two best agree
    letter[:, 37] = [1, 0, 0, 0, 1]  # one able model and a guess for B
    items = ambiguous_items(matrix_of(letter, [0] * 40))
    assert [item.item_id for item in items] == ["q039"]
    assert items[0].split == "models"
    assert set(items[0].options) == {0, 1}
    assert dict(zip(items[0].options, items[0].models, strict=True)) == {0: ("m1", "m2"), 1: ("m0", "m3", "m4")}
    assert sum(items[0].shares) == pytest.approx(1)


def test_people_and_models_who_split_alike_count_as_both() -> None:
    letter = able_models()
    letter[:, 39] = [1, 0, 0, 1, 1]
    votes = np.array([[10, 0, 0, 0]] * 39 + [[5, 5, 0, 0]])
    (item,) = ambiguous_items(matrix_of(letter, [0] * 40), PeopleAnswers(votes))
    assert item.split == "people_and_models"


def test_votes_count_what_each_person_gave() -> None:
    items = [KeyedItem("q1", ("a", "b", "c"), 0), KeyedItem("q2", ("a", "b"), 1)]
    people = [ModelReplies("ann", {"q1": 1, "q2": 1}, {}), ModelReplies("bo", {"q1": 1, "q2": -1}, {"q2": "hm"})]
    assert votes_of(people, items).tolist() == [[0, 2, 0], [0, 1, 0]]

"""Keys of a whole task: join errors are named, proportions of wrong keys estimated, and clean tasks not accused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from reply_samples import matrix_of

from benchwright.diagnostics.keys.doubted_tasks import DoubtedTask, doubted_tasks
from benchwright.diagnostics.keys.key_joins import explain_keys
from benchwright.diagnostics.keys.suspected_keys import evidence, suspected_keys
from benchwright.diagnostics.keys.task_agreement import agreements_by_task
from benchwright.replies.model_replies import LetterMatrix

ITEMS, ABILITIES = 60, (0.9, 0.85, 0.8, 0.75)


def replies(seed: int, *, options: int = 4, abilities: tuple[float, ...] = ABILITIES) -> tuple[Any, Any]:
    """Return letters and right options; of what is wrong, half goes to an option that tempts all models."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, options, ITEMS)
    tempting = (truth + rng.integers(1, options, ITEMS)) % options
    letter = [
        np.where(
            rng.random(ITEMS) < ability,
            truth,
            np.where(rng.random(ITEMS) < 0.5, tempting, (truth + rng.integers(1, options, ITEMS)) % options),
        )
        for ability in abilities
    ]
    return np.array(letter), truth


def doubted(matrix: LetterMatrix) -> list[DoubtedTask]:
    return doubted_tasks(matrix, evidence(matrix).shares)


def swapped(key: Any) -> Any:
    return key.reshape(-1, 2)[:, ::-1].ravel()


@pytest.mark.parametrize(
    ("mix_up", "words"),
    [
        (lambda key: np.roll(key, 1), "each item has the key of the item before it"),
        (lambda key: np.roll(key, -2), "each item has the key of the item 2 rows after it"),
        (lambda key: np.concatenate([key[:20], np.roll(key[20:], 1)]), "from item 2"),
        (lambda key: (key + 1) % 4, "letters of keys are shifted by 1: A stands for D"),
        (lambda key: 3 - key, "letters of keys count from the last option"),
        (lambda key: np.array([0, 2, 1, 3])[key], "B stands for C, C stands for B"),
        (lambda key: key[::-1], "keys are in the reverse order of the items"),
        (swapped, "each two neighboring items have each other's key"),
    ],
)
def test_the_mistake_of_a_join_is_named_with_what_it_would_set_right(mix_up: Any, words: str) -> None:
    letter, truth = replies(1)
    key = mix_up(truth)
    matrix = matrix_of(letter, key)
    join = explain_keys(matrix, agreements_by_task(matrix)[0])
    assert join is not None
    assert words in join.words
    told = join.restored >= 0
    assert (join.restored[told] == truth[told]).mean() > 0.95
    assert join.sets_right > 0.8 * (key != truth)[told].sum()


@pytest.mark.slow
def test_yes_and_no_exchanged_and_the_keys_of_another_task() -> None:
    letter, truth = replies(2, options=2)
    (task,) = doubted(matrix_of(letter, 1 - truth, options=2))
    assert task.join is not None
    assert task.join.words == "the two options are exchanged in all keys"
    first, second = replies(3), replies(4)
    letter = np.concatenate([first[0], second[0]], axis=1)
    number = np.repeat([0, 1], ITEMS)
    both = doubted(matrix_of(letter, np.concatenate([second[1], first[1]]), task=number))
    assert [each.join.mistake for each in both if each.join] == ["other_task", "other_task"]


def test_shuffled_keys_are_doubted_as_a_whole_and_called_one_by_one() -> None:
    letter, truth = replies(5)
    key = np.random.default_rng(0).permutation(truth)
    matrix = matrix_of(letter, key)
    found = evidence(matrix)
    (task,) = doubted_tasks(matrix, found.shares)
    assert (task.doubt, task.join, task.is_grave) == ("far_apart", None, True)
    assert task.share is not None
    wrong = np.flatnonzero(key != truth)
    assert task.share.low <= len(wrong) / ITEMS <= task.share.high + 0.1
    called = [each.place for each in suspected_keys(matrix, found=found) if each.probability > 0.5]
    assert len(np.intersect1d(called, wrong)) > 0.7 * len(wrong)
    assert len(np.setdiff1d(called, wrong)) <= 0.1 * len(called)


def test_clean_tasks_of_able_misled_and_unable_models_raise_nothing() -> None:
    for seed in range(4):
        letter, truth = replies(seed)
        assert doubted(matrix_of(letter, truth)) == []
    letter, truth = replies(7, abilities=(0.55, 0.5, 0.5, 0.45))
    assert doubted(matrix_of(letter, truth)) == []


def test_a_task_at_chance_is_named_only_where_models_are_able_elsewhere() -> None:
    letter, truth = replies(8)
    guessed = np.random.default_rng(1).integers(0, 4, (len(ABILITIES), ITEMS))
    alone = matrix_of(guessed, truth)
    assert doubted(alone) == []
    both = matrix_of(np.concatenate([letter, guessed], axis=1), np.tile(truth, 2), task=np.repeat([0, 1], ITEMS))
    (task,) = doubted(both)
    assert (task.task, task.doubt, task.is_grave) == (1, "at_chance", False)

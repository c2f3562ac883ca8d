"""Suspected keys: evidence by hand, temptation weighs less than skill, planted wrong keys come first."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np
import pytest
from reply_samples import matrix_of

from benchwright.diagnostics.keys import reply_model
from benchwright.diagnostics.keys.reply_model import Replies, ReplyModel, fit_replies, right_options
from benchwright.diagnostics.keys.suspected_keys import PeopleAnswers, evidence, suspected_keys
from benchwright.replies.model_replies import NO_LETTER


def model_of(skill: float, *, pull: float = 1e-6, respondents: int = 2) -> ReplyModel:
    return ReplyModel(np.full(respondents, skill), np.zeros((respondents, 2)), 1e-6, pull, 0.1)


def against(model: ReplyModel, replies: list[int]) -> float:
    """Return the log odds that the key of one item is wrong: of two options, A is the key."""
    counts = np.zeros((1, len(replies), 2))
    counts[0, range(len(replies)), replies] = 1
    logs = right_options(model, Replies(counts, np.zeros((1, len(replies))), np.array([0]), np.array([2])))
    return float(logs[0, 1] - logs[0, 0])


def test_two_replies_against_a_key_by_hand() -> None:
    # Skill ln 3 gives the right one of two options with 3/4. One key in ten is wrong beforehand, so two replies for B
    # make the odds 1/9 x 3 x 3 = 1, and one for each leaves them at 1/9.
    assert against(model_of(log(3)), [1, 1]) == pytest.approx(0, abs=1e-4)
    assert against(model_of(log(3)), [0, 1]) == pytest.approx(-log(9), abs=1e-4)


def test_agreement_weighs_less_where_wrong_options_tempt_everybody() -> None:
    alike = [1, 1, 1, 1]
    plain, tempting = (against(model_of(log(3), pull=pull, respondents=4), alike) for pull in (1e-6, 3.0))
    assert plain == pytest.approx(-log(9) + 4 * log(3), abs=1e-3)
    assert tempting < plain - 1


def replies(seed: int, abilities: tuple[float, ...], items: int, wrong: int) -> tuple[Any, Any]:
    """Return letters and keys of items of four options; the first keys are wrong, errors are uniform."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, items)
    key = truth.copy()
    key[:wrong] = (truth[:wrong] + rng.integers(1, 4, wrong)) % 4
    right = rng.random((len(abilities), items)) < np.array(abilities)[:, None]
    return np.where(right, truth, (truth + rng.integers(1, 4, right.shape)) % 4), key


def told(letter: Any, key: Any) -> Replies:
    """Return replies of models to items of four options."""
    counts = np.eye(4)[letter].transpose(1, 0, 2)
    return Replies(counts, np.zeros(counts.shape[:2]), key, np.full(len(key), 4))


def test_planted_wrong_keys_come_first_with_the_option_that_is_right() -> None:
    letter, key = replies(3, (0.9, 0.85, 0.8, 0.8, 0.75), 200, 8)
    suspects = suspected_keys(matrix_of(letter, key))
    assert {suspect.place for suspect in suspects[:8]} == set(range(8))
    assert len(suspects) == 200
    assert sum(suspect.is_supported for suspect in suspects[:8]) >= 6
    assert sum(suspect.is_supported for suspect in suspects[8:]) <= 2
    for suspect in suspects[:8]:
        assert len(suspect.for_favoured) > len(suspect.for_key)
        assert len(suspect.for_key) + len(suspect.for_favoured) + suspect.others == 5
        assert (letter[:, suspect.place] == suspect.favoured).sum() == len(suspect.for_favoured)


def test_parameters_are_found_again() -> None:
    letter, key = replies(5, (0.9, 0.7, 0.4), 800, 40)
    model = fit_replies(told(letter, key))
    # Of four options, a share p of right replies is a skill of ln(3 p / (1 - p)): 3.30, 1.95, 0.69.
    assert model.skill == pytest.approx([3.3, 1.95, 0.69], abs=0.45)
    assert model.pull < 0.5  # errors were independent


def test_a_model_that_always_says_the_same_letter_is_no_witness() -> None:
    letter, key = replies(7, (0.8, 0.8), 150, 0)
    letter = np.vstack([letter, np.zeros((3, 150), dtype=int)])
    model = fit_replies(told(letter, key))
    assert (model.skill[:2] > 1.5).all()
    assert (np.abs(model.skill[2:]) < 0.7).all()
    assert (model.bias[2:, 0] > model.bias[2:, 1:].max()).all()


def test_small_tasks_are_taken_together_and_items_without_a_key_are_left_out() -> None:
    letter, key = replies(2, (0.9, 0.8, 0.8), 120, 4)
    key[10] = NO_LETTER
    matrix = matrix_of(letter, key, task=(np.arange(120) >= 90).astype(int))
    log_odds, favoured, *_ = evidence(matrix)
    assert np.isnan(log_odds[10])
    assert favoured[10] == NO_LETTER
    assert np.isfinite(np.delete(log_odds, 10)).all()
    assert "q010" not in {suspect.item_id for suspect in suspected_keys(matrix)}


def test_people_who_agree_with_the_models_make_a_key_more_suspicious() -> None:
    letter, key = replies(1, (0.7, 0.6), 100, 3)
    truth = np.where(np.arange(100) < 3, letter[0], key)
    people = 4 * np.eye(4, dtype=np.int64)[truth]
    matrix = matrix_of(letter, key)
    alone, with_people = (suspected_keys(matrix, answers)[0] for answers in (None, PeopleAnswers(people)))
    assert alone.log_odds < with_people.log_odds
    assert (with_people.votes_for_key, with_people.votes_for_favoured) == (0, 4)


def test_the_correlations_of_key_and_favoured_option_have_opposite_signs_by_hand() -> None:
    # On the other items m0 to m4 have 100, 100, 50, 0 and 0 percent right. The two best leave the key of the first
    # item for B, the others give it.
    letter = [[1, 0, 0], [1, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 1]]
    suspect = next(s for s in suspected_keys(matrix_of(letter, [0, 0, 0], options=2)) if s.item_id == "q000")
    # x = (0, 0, 1, 1, 1), y = (1, 1, .5, 0, 0): deviations (-.6, -.6, .4, .4, .4) and (.5, .5, 0, -.5, -.5);
    # sum of products -1, squares 1.2 and 1.
    assert suspect.key_discrimination == pytest.approx(-1 / np.sqrt(1.2))
    assert suspect.favoured_discrimination == pytest.approx(1 / np.sqrt(1.2))


def test_people_of_whom_only_is_known_that_they_missed_the_key_by_hand() -> None:
    # Skill ln 9 gives the right one of four options with 9/12. If the key is right, a miss has probability 3/12; if it
    # is wrong, 11/12. One key in ten is wrong beforehand: odds of 1/9 x (11/3)^2 after two misses.
    model = ReplyModel(np.array([log(9)]), np.zeros((1, 4)), 1e-6, 1e-6, 0.1)
    people = Replies(np.zeros((1, 1, 4)), np.array([[2.0]]), np.array([1]), np.array([4]))
    key, *others = (right_options(model, people)[0, k] for k in (1, 0, 2, 3))
    assert np.logaddexp.reduce(others) - key == pytest.approx(2 * log(11 / 3) - log(9), abs=1e-3)
    assert others == pytest.approx([others[0]] * 3, abs=1e-3)


def test_the_gradient_of_misses_is_that_of_the_likelihood() -> None:
    rng = np.random.default_rng(0)
    counts, misses = rng.integers(0, 2, (12, 2, 3)).astype(float), rng.integers(0, 3, (12, 2)).astype(float)
    patterns = reply_model._patterns(Replies(counts, misses, rng.integers(0, 3, 12), np.full(12, 3)), 3)
    z = reply_model._normal_draws(3, 16)
    x = np.concatenate([[1.0, 0.4], 0.3 * rng.normal(size=6), [0.2, -0.3]])

    def likelihood(x: Any) -> Any:
        model = ReplyModel(x[:2], x[2:8].reshape(2, 3), float(np.exp(x[8])), float(np.exp(x[9])), 0.1)
        return reply_model._log_likelihood(model, patterns, z)

    steps = [(likelihood(x + h)[0] - likelihood(x - h)[0]) / 2e-5 for h in 1e-5 * np.eye(10)]
    assert likelihood(x)[1] == pytest.approx(steps, abs=1e-5)


def test_a_model_that_is_below_chance_is_no_witness_and_no_voice() -> None:
    letter, key = replies(9, (0.85, 0.85), 200, 0)
    foolish = np.where(np.arange(200) < 100, (key + 1) % 4, key[::-1])  # it says of half the items that they are wrong
    alone, with_it = (evidence(matrix_of(rows, key)) for rows in (letter, np.vstack([letter, foolish])))
    assert with_it.log_odds == pytest.approx(alone.log_odds)
    assert with_it.able[:, 0].tolist() == [True, True, False]


def test_an_able_model_and_one_without_a_voice_are_one_voice() -> None:
    letter, key = replies(9, (0.95,), 200, 0)
    place = int(np.flatnonzero(letter[0] != key)[0])
    constant = np.full(200, letter[0, place])
    [suspect] = [s for s in suspected_keys(matrix_of(np.vstack([letter, constant]), key)) if s.place == place]
    assert (suspect.for_favoured, suspect.voices) == (("m0", "m1"), 1)
    assert not suspect.is_supported


def test_where_no_model_is_better_than_chance_nothing_speaks_against_a_key() -> None:
    rng = np.random.default_rng(3)
    suspects = suspected_keys(matrix_of(rng.integers(0, 4, (3, 80)), rng.integers(0, 4, 80)))
    assert len(suspects) == 80
    assert not any(suspect.is_supported for suspect in suspects)

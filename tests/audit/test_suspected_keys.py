"""Suspected keys: evidence by hand, temptation weighs less than skill, planted wrong keys come first."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np
import pytest
from reply_samples import matrix_of

from benchwright.diagnostics.keys.reply_model import ReplyModel, fit_replies, right_options
from benchwright.diagnostics.keys.suspected_keys import evidence, suspected_keys
from benchwright.replies.model_replies import NO_LETTER


def model_of(skill: float, *, pull: float = 1e-6, respondents: int = 2) -> ReplyModel:
    return ReplyModel(np.full(respondents, skill), np.zeros((respondents, 2)), 1e-6, pull, 0.1)


def against(model: ReplyModel, replies: list[int]) -> float:
    """Return the log odds that the key of one item is wrong: of two options, A is the key."""
    counts = np.zeros((1, len(replies), 2))
    counts[0, range(len(replies)), replies] = 1
    logs = right_options(model, counts, np.array([0]), np.array([2]))
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
    counts = np.eye(4)[letter].transpose(1, 0, 2)
    model = fit_replies(counts, key, np.full(800, 4))
    # Of four options, a share p of right replies is a skill of ln(3 p / (1 - p)): 3.30, 1.95, 0.69.
    assert model.skill == pytest.approx([3.3, 1.95, 0.69], abs=0.45)
    assert model.pull < 0.5  # errors were independent


def test_a_model_that_always_says_the_same_letter_is_no_witness() -> None:
    letter, key = replies(7, (0.8, 0.8), 150, 0)
    letter = np.vstack([letter, np.zeros((3, 150), dtype=int)])
    counts = np.eye(4)[letter].transpose(1, 0, 2)
    model = fit_replies(counts, key, np.full(150, 4))
    assert (model.skill[:2] > 1.5).all()
    assert (np.abs(model.skill[2:]) < 0.7).all()
    assert (model.bias[2:, 0] > model.bias[2:, 1:].max()).all()


def test_small_tasks_are_taken_together_and_items_without_a_key_are_left_out() -> None:
    letter, key = replies(2, (0.9, 0.8, 0.8), 120, 4)
    key[10] = NO_LETTER
    matrix = matrix_of(letter, key, task=(np.arange(120) >= 90).astype(int))
    log_odds, favoured = evidence(matrix)
    assert np.isnan(log_odds[10])
    assert favoured[10] == NO_LETTER
    assert np.isfinite(np.delete(log_odds, 10)).all()
    assert "q010" not in {suspect.item_id for suspect in suspected_keys(matrix)}


def test_people_who_agree_with_the_models_make_a_key_more_suspicious() -> None:
    letter, key = replies(1, (0.7, 0.6), 100, 3)
    truth = np.where(np.arange(100) < 3, letter[0], key)
    people = 4 * np.eye(4, dtype=np.int64)[truth]
    matrix = matrix_of(letter, key)
    alone, with_people = (suspected_keys(matrix, votes)[0] for votes in (None, people))
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

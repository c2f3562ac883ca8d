"""Fitted item response models recover drawn parameters as well as girth does, with valid errors, even from few
models.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from benchwright.errors import DataError
from benchwright.evaluation.item_response.fitting import ItemResponses, fit_item_responses

GIRTH_DISCRIMINATION = (
    1.14, 1.36, 1.3, 0.59, 0.94, 0.92, 0.64, 1.41, 1.02, 0.85, 1.07, 1.2, 0.79, 1.14, 0.49, 1.3, 0.83, 0.68, 0.64, 1.13,
    0.85, 0.94, 1.44, 1.0, 0.38, 0.67, 1.35, 0.26, 1.03, 1.25, 1.68, 0.48, 0.94, 1.36, 1.1, 0.93, 1.18, 0.33, 1.13, 1.07
)  # fmt: skip
GIRTH_EASINESS = (
    -1.62, -0.82, -0.25, -1.05, -0.16, 0.06, 0.06, -0.56, 0.49, 0.7, 0.1, -0.7, 0.59, -1.27, 0.61, -1.12, 0.8, -0.24,
    -1.33, -0.47, 0.06, -0.1, -1.12, -1.25, 0.11, -0.3, 0.0, 0.64, -1.98, -0.07, 1.26, -0.25, -1.04, 0.36, 0.2, 0.61,
    -0.55, -1.26, -0.1, -0.82
)  # fmt: skip
"""What girth 0.8.0 (`twopl_mml`) makes of the replies that `drawn(1, 150, 40)` gives; easiness is -difficulty x a."""


def drawn(seed: int, models: int, items: int, guessing: float = 0.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return discriminations, easinesses and replies, models x items."""
    rng = np.random.default_rng(seed)
    slope, easiness = rng.lognormal(0, 0.3, items), rng.normal(0, 1, items)
    known = expit(rng.normal(size=models)[:, None] * slope + easiness)
    return slope, easiness, rng.random((models, items)) < guessing + (1 - guessing) * known


def fit(right: np.ndarray, guessing: float = 0.0) -> ItemResponses:
    """Return the model of replies of models that were all asked all items."""
    return fit_item_responses(right, np.ones_like(right), guessing)


def rms(values: np.ndarray) -> float:
    """Return the root of the mean square."""
    return float(np.sqrt((values**2).mean()))


def test_the_fit_agrees_with_girth_and_is_about_as_near_to_the_truth() -> None:
    slope, easiness, right = drawn(1, 150, 40)
    fitted = fit(right)
    assert fitted.converged
    theirs = np.array(GIRTH_DISCRIMINATION), np.array(GIRTH_EASINESS)
    assert np.corrcoef(theirs[0], fitted.discrimination)[0, 1] > 0.97
    assert np.corrcoef(theirs[1], fitted.easiness)[0, 1] > 0.99
    assert rms(fitted.discrimination - slope) <= 1.1 * rms(theirs[0] - slope)
    assert rms(fitted.easiness - easiness) <= 1.1 * rms(theirs[1] - easiness)


@pytest.mark.parametrize("models", [8, 30])
def test_standard_errors_are_as_large_as_the_errors(models: int) -> None:
    errors = []
    for seed in range(3):
        slope, easiness, right = drawn(seed, models, 400, guessing=0.25)
        fitted = fit(right, 0.25)
        # The scale and middle of the abilities are those of the models drawn: both are taken as they came out.
        scale = fitted.discrimination.mean() / slope.mean()
        errors += [(fitted.discrimination - slope * scale) / fitted.discrimination_error]
        apart = fitted.easiness - easiness
        errors += [(apart - apart.mean()) / fitted.easiness_error]
    assert 0.7 < rms(np.concatenate(errors)) < 1.1


def test_three_models_give_a_sane_model() -> None:
    _, _, right = drawn(4, 3, 600)
    fitted = fit(right)
    assert fitted.converged
    assert np.abs(fitted.discrimination).max() < 3
    assert list(np.argsort(fitted.ability)) == list(np.argsort(right.mean(axis=1)))
    chances = np.array([fitted.chances(float(ability)).mean() for ability in fitted.ability])
    assert chances == pytest.approx(right.mean(axis=1), abs=0.03)


def test_an_item_with_a_wrong_key_discriminates_the_wrong_way_round() -> None:
    _, _, right = drawn(2, 40, 300)
    right[:, 0] = right.sum(axis=1) < np.median(right.sum(axis=1))
    fitted = fit(right)
    assert fitted.discrimination[0] == fitted.discrimination.min()
    assert fitted.discrimination[0] + 1.96 * fitted.discrimination_error[0] < 0


def test_items_that_some_models_were_not_asked_count_by_those_that_were() -> None:
    _, _, right = drawn(3, 60, 200)
    asked = np.random.default_rng(0).random(right.shape) < 0.7
    fitted = fit_item_responses(right, asked)
    whole = fit(right)
    assert np.corrcoef(fitted.easiness, whole.easiness)[0, 1] > 0.95
    assert fitted.easiness_error.mean() > whole.easiness_error.mean()


def test_an_ability_is_found_from_some_of_the_items() -> None:
    _, _, right = drawn(5, 41, 400)
    fitted = fit(right[1:])
    asked = np.arange(400) < 100
    ability, error = fitted.ability_of(right[0], asked)
    every, _ = fitted.ability_of(right[0], np.ones(400, bool))
    assert abs(ability - every) < 2.5 * error


def test_equal_replies_of_all_models_are_no_failure() -> None:
    right = np.tile(np.arange(50) % 2 == 0, (4, 1))
    fitted = fit(right, 0.25)
    assert np.isfinite(fitted.discrimination).all()
    assert np.isfinite(fitted.ability).all()


def test_one_model_and_items_that_nobody_was_asked_are_refused_in_words() -> None:
    right = np.ones((1, 5), dtype=bool)
    with pytest.raises(DataError, match="two models or more; found 1 model and 5 items"):
        fit(right)
    asked = np.ones((3, 5), dtype=bool)
    asked[:, 2] = False
    with pytest.raises(DataError, match="no model was asked 1 of 5 items"):
        fit_item_responses(np.ones((3, 5), dtype=bool), asked)

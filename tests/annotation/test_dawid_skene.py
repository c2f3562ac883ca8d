"""Error rates without a known truth: the example of Dawid and Skene's paper, and the estimate's guarantees."""

from __future__ import annotations

import random

import numpy as np
import pytest

from benchwright.annotation.agreement.dawid_skene import dawid_skene
from benchwright.annotation.agreement.ratings import Rating
from benchwright.errors import DataError

ANAESTHETISTS = """
111 1 1 1 1, 333 4 3 3 4, 112 2 1 2 2, 222 3 1 2 1, 222 3 2 2 2, 222 3 3 2 2, 122 2 1 1 1, 333 3 4 3 3, 222 2 2 2 3,
232 2 2 2 3, 444 4 4 4 4, 222 3 3 4 3, 111 1 1 1 1, 222 3 2 1 2, 121 1 1 1 1, 111 2 1 1 1, 111 1 1 1 1, 111 1 1 1 1,
222 2 2 2 1, 222 1 3 2 2, 222 2 2 2 2, 222 2 2 2 1, 222 3 2 2 2, 221 2 2 2 2, 111 1 1 1 1, 111 1 1 1 1, 232 2 2 2 2,
111 1 1 1 1, 111 1 1 1 1, 112 1 1 2 1, 111 1 1 1 1, 333 3 2 3 3, 111 1 1 1 1, 222 2 2 2 2, 222 3 2 3 2, 433 4 3 4 3,
221 2 2 3 2, 232 3 2 3 3, 333 3 4 3 2, 111 1 1 1 1, 111 1 1 1 1, 121 2 1 1 1, 232 2 2 2 2, 121 1 1 1 1, 222 2 2 2 2
"""
"""Table 1 of the paper: 45 patients, five observers, of whom the first rated each patient three times."""


def anaesthetists() -> list[Rating]:
    return [
        Rating(f"patient-{patient:02}", f"observer-{observer}", label)
        for patient, line in enumerate(ANAESTHETISTS.split(","), 1)
        for observer, labels in enumerate(line.split(), 1)
        for label in labels
    ]


def test_shares_and_error_rates_of_the_papers_example_are_as_published() -> None:
    found = dawid_skene(anaesthetists())
    assert found.shares == pytest.approx([0.40, 0.42, 0.11, 0.07], abs=5e-3)
    first = [[0.89, 0.11, 0, 0], [0.07, 0.88, 0.05, 0], [0, 0.34, 0.66, 0], [0, 0, 0.56, 0.44]]
    assert found.error_rates[0] == pytest.approx(np.array(first), abs=5.1e-3)


def test_rows_of_error_rates_and_truths_are_probabilities() -> None:
    found = dawid_skene(anaesthetists())
    assert found.error_rates.sum(axis=2) == pytest.approx(np.ones((5, 4)))
    assert found.truth.sum(axis=1) == pytest.approx(np.ones(45))


def test_the_order_of_ratings_does_not_matter() -> None:
    rows = anaesthetists()
    shuffled = random.Random(3).sample(rows, len(rows))
    one, other = dawid_skene(rows), dawid_skene(shuffled)
    assert (one.truth == other.truth).all()
    assert one.log_likelihood == other.log_likelihood


def test_simulated_raters_get_back_the_error_rates_that_they_were_given() -> None:
    rng = np.random.default_rng(8)
    right = {"careful": 0.95, "good": 0.85, "middling": 0.75, "hasty": 0.6}
    truths = rng.choice(["accept", "reject"], p=[0.7, 0.3], size=3000)
    rows = [
        Rating(f"unit-{n}", name, truth if rng.random() < share else {"accept": "reject", "reject": "accept"}[truth])
        for n, truth in enumerate(truths)
        for name, share in right.items()
    ]
    found = dawid_skene(rows)
    for name, share in right.items():
        assert found.accuracy(name) == pytest.approx(share, abs=0.03)
    assert found.shares == pytest.approx([0.7, 0.3], abs=0.03)


def test_a_truth_that_a_rater_never_met_has_no_error_rates() -> None:
    rows = [Rating("u1", "a", "x"), Rating("u1", "b", "x"), Rating("u2", "a", "y"), Rating("u2", "c", "y")]
    found = dawid_skene(rows)
    assert np.isnan(found.error_rates[found.raters.index("b"), found.labels.index("y")]).all()
    assert found.accuracy("b") == 1.0


def test_nothing_to_estimate_from_is_refused() -> None:
    with pytest.raises(DataError, match="without ratings"):
        dawid_skene([])


def test_texts_in_place_of_categories_are_refused_before_they_fill_the_memory() -> None:
    with pytest.raises(DataError, match="5,000 different labels"):
        dawid_skene(Rating(f"u{n}", "ann", f"a text about {n}") for n in range(5000))

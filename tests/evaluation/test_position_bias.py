"""Favored letters: the test agrees with statsmodels, and an accurate model is not mistaken for a biased one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.evaluation.analysis.position_bias import letter_bias, stuart_maxwell

tables = st.lists(st.lists(st.integers(1, 40), min_size=4, max_size=4), min_size=4, max_size=4)


@pytest.mark.slow
@settings(deadline=None)
@given(tables)
def test_marginal_homogeneity_agrees_with_statsmodels(rows: list[list[int]]) -> None:
    from statsmodels.stats.contingency_tables import SquareTable

    theirs = SquareTable(np.array(rows, dtype=float), shift_zeros=False).homogeneity(method="stuart_maxwell")
    statistic, df = stuart_maxwell(np.array(rows))
    assert df == theirs.df == 3
    assert statistic == pytest.approx(theirs.statistic, rel=1e-6, abs=1e-9)
    key, reply = (np.repeat(places.ravel(), np.ravel(rows)).astype(np.int8) for places in np.indices((4, 4)))
    assert letter_bias(reply, key, np.arange(len(key))).p == pytest.approx(theirs.pvalue, rel=1e-6)


def test_two_letters_are_mcnemars_statistic_by_hand() -> None:
    # (12 - 5)^2 / (12 + 5) with one degree of freedom.
    assert stuart_maxwell(np.array([[30, 12], [5, 20]])) == (pytest.approx(49 / 17), 1)


def test_letters_that_no_reply_links_are_left_out_of_the_degrees_of_freedom() -> None:
    assert stuart_maxwell(np.diag([5, 8, 9])) == (0.0, 0)
    assert stuart_maxwell(np.array([[4, 3, 0], [1, 4, 0], [0, 0, 7]]))[1] == 1


def letters(text: str) -> np.ndarray:
    return np.array(["ABCDEF".find(letter) for letter in text], dtype=np.int8)


def test_shares_count_read_letters_and_accuracy_all_that_were_asked() -> None:
    bias = letter_bias(letters("AAB.C"), letters("ABBBA"), np.arange(5))
    assert bias.n == 4
    assert [(share.letter, share.keyed, share.given, share.at_key.value, share.at_key.n) for share in bias.letters] == [
        ("A", 2, 2, 0.5, 2),
        ("B", 2, 1, pytest.approx(1 / 3), 3),
        ("C", 0, 1, None, 0),
    ]
    assert bias.moved == pytest.approx(1 / 4)


def test_items_without_a_key_are_left_out() -> None:
    assert letter_bias(letters("AB"), letters("A."), np.arange(2)).n == 1


def test_who_is_always_right_favours_nothing_however_keys_lie() -> None:
    bias = letter_bias(letters("A" * 90 + "B" * 5), letters("A" * 90 + "B" * 5), np.arange(95))
    assert (bias.p, bias.moved) == (1.0, 0.0)


def test_who_always_says_the_same_favours_it() -> None:
    bias = letter_bias(letters("A" * 40), letters("ABCD" * 10), np.arange(40))
    # Ten of each key; thirty replies of A where B, C or D is keyed: three pairs of 10 against 0.
    assert (bias.statistic, bias.df) == (pytest.approx(30.0), 3)
    assert bias.p is not None
    assert bias.p < 1e-5


def test_without_a_letter_there_is_no_test() -> None:
    bias = letter_bias(letters("..."), letters("ABA"), np.arange(3))
    assert (bias.n, bias.p, bias.moved) == (0, None, None)
    assert [share.at_key.value for share in bias.letters] == [0.0, 0.0]


def test_replies_at_random_are_rarely_called_biased() -> None:
    rng = np.random.default_rng(2)
    biases = [
        letter_bias(rng.integers(0, 4, 200).astype(np.int8), rng.integers(0, 4, 200).astype(np.int8), np.arange(200)).p
        for _ in range(300)
    ]
    assert np.mean([p is not None and p < 0.05 for p in biases]) <= 0.08

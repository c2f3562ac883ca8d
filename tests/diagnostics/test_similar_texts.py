"""Pairs of similar texts: exactly those that comparing all pairs finds."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.diagnostics.wording.item_texts import grams
from benchwright.diagnostics.wording.similar_texts import SimilarPair, similar_pairs
from benchwright.texts.normalization import normal


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


@pytest.mark.slow
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


@pytest.mark.slow
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


def test_a_similarity_out_of_range_is_refused() -> None:
    with pytest.raises(ValueError, match="at_least must be above 0"):
        similar_pairs([], at_least=0)

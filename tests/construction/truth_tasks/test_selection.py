"""The candidates that become items: each picture once, balanced answers and letters, determined by the seed alone."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.construction.item_parts.options.selection import Candidate, Selected, balanced_letters, select
from benchwright.construction.item_parts.wording.english_words import plural


def selected(candidates: list[Candidate], **settings: Any) -> Selected:
    usual: dict[str, Any] = {"seed": 1, "task": "t", "uses": 1, "items": None, "refusal": lambda number: None}
    return select(candidates, **(usual | settings))


@st.composite
def many(draw: st.DrawFn) -> list[Candidate]:
    count = draw(st.integers(1, 60))
    pictures = draw(st.integers(2, 40))
    letters = {"yes": (0,), "no": (1,), "either": (0, 1), "four": (0, 1, 2, 3)}
    candidates = []
    for number in range(count):
        answer = draw(st.sampled_from(sorted(letters)))
        shown = draw(st.lists(st.integers(0, pictures), min_size=1, max_size=3, unique=True))
        candidates.append(Candidate(f"r{number}", tuple(str(n) for n in shown), letters[answer], answer))
    return candidates


@pytest.mark.slow
@given(many(), st.integers(0, 99), st.integers(1, 3))
def test_no_picture_is_used_oftener_than_asked_and_every_other_candidate_would_break_that(
    candidates: list[Candidate], seed: int, uses: int
) -> None:
    chosen = selected(candidates, seed=seed, uses=uses).chosen
    used = Counter(image_id for number in chosen for image_id in candidates[number].image_ids)
    assert max(used.values()) <= uses
    for number in set(range(len(candidates))) - set(chosen):
        assert any(used[image_id] == uses for image_id in candidates[number].image_ids)


@pytest.mark.slow
@given(many(), st.integers(0, 99))
def test_letters_are_possible_ones_and_even(candidates: list[Candidate], seed: int) -> None:
    letters = balanced_letters(candidates, seed=seed, task="t")
    assert all(letter in candidate.letters for letter, candidate in zip(letters, candidates, strict=True))
    free = [candidate for candidate in candidates if candidate.answer == "four"]
    counts = Counter(balanced_letters(free, seed=seed, task="t"))
    assert max(counts.values(), default=0) - min((counts[n] for n in range(4)), default=0) <= 1


def test_answers_are_taken_in_turn_until_one_runs_out() -> None:
    candidates = [Candidate(f"y{n}", (f"y{n}",), (0,), "yes") for n in range(30)]
    candidates += [Candidate(f"n{n}", (f"n{n}",), (1,), "no") for n in range(10)]
    chosen = [candidates[number].answer for number in selected(candidates, items=20).chosen]
    assert Counter(chosen) == {"yes": 10, "no": 10}
    assert len(selected(candidates).chosen) == 40


def test_a_third_option_gets_a_third_of_the_turns() -> None:
    candidates = [Candidate(f"d{n}", (f"d{n}",), (0, 1), "differs") for n in range(30)]
    candidates += [Candidate(f"e{n}", (f"e{n}",), (2,), "equal") for n in range(30)]
    chosen = [candidates[number] for number in selected(candidates, items=30).chosen]
    assert Counter(balanced_letters(chosen, seed=4, task="t")) == {0: 10, 1: 10, 2: 10}


def test_a_refused_candidate_leaves_its_picture_to_others() -> None:
    candidates = [Candidate("a", ("p",), (0,), "x"), Candidate("b", ("p",), (0,), "x")]
    first = selected(candidates).chosen[0]
    result = selected(candidates, refusal=lambda number: "bad" if number == first else None)
    assert result.chosen == (1 - first,)
    assert result.refused == {first: "bad"}


def test_another_seed_chooses_others_and_a_further_candidate_moves_few_letters() -> None:
    candidates = [Candidate(f"r{n}", (f"r{n}",), (0, 1, 2, 3), "x") for n in range(100)]
    assert selected(candidates, items=10).chosen != selected(candidates, items=10, seed=2).chosen
    before = balanced_letters(candidates, seed=1, task="t")
    after = balanced_letters([*candidates, Candidate("new", ("new",), (0, 1, 2, 3), "x")], seed=1, task="t")
    assert sum(a != b for a, b in zip(before, after, strict=False)) <= 8


def test_plurals_of_what_people_call_things() -> None:
    words = ["dog", "wine glass", "slice of bread", "person", "sheep", "berry", "toy", "knife", "woman", "fire hydrant",
             "bus", "box", "bench", "man in a hat", "scissors"]  # fmt: skip
    many_of = ["dogs", "wine glasses", "slices of bread", "people", "sheep", "berries", "toys", "knives", "women",
               "fire hydrants", "buses", "boxes", "benches", "men in a hat", "scissors"]  # fmt: skip
    assert [plural(word) for word in words] == many_of

"""Choices: the right option at a random position, keys A, B, C, ..., and no repeated options."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.construction.item_parts.options.choices import PlacedChoices, image_choices, place, text_choices
from benchwright.records import LETTERS, Choice

OPTIONS = st.lists(st.text(min_size=1), min_size=2, max_size=26, unique=True)


@given(options=OPTIONS, seed=st.integers(0, 2**32))
def test_the_answer_is_the_key_of_the_right_option(options: list[str], seed: int) -> None:
    placed = place(options[0], options[1:], np.random.default_rng(seed))
    assert dict(placed.keyed)[placed.answer] == options[0]


@given(options=OPTIONS, seed=st.integers(0, 2**32))
def test_distractors_keep_their_order_around_it(options: list[str], seed: int) -> None:
    placed = place(options[0], options[1:], np.random.default_rng(seed))
    assert [option for option in placed.options if option != options[0]] == options[1:]


def test_every_place_is_about_equally_likely() -> None:
    rng = np.random.default_rng(11)
    places = Counter(place("right", ["x", "y", "z"], rng).answer for _ in range(4000))
    assert sorted(places) == ["A", "B", "C", "D"]
    assert all(880 < count < 1120 for count in places.values())


def test_equal_seeds_place_equally() -> None:
    one, other = (place(0, range(1, 20), np.random.default_rng(5)) for _ in range(2))
    assert one == other


@pytest.mark.parametrize(
    ("right", "distractors"),
    [
        pytest.param("a", ["b", "a"], id="right-among-distractors"),
        pytest.param("a", ["b", "c", "b"], id="distractor-twice"),
    ],
)
def test_an_option_given_twice_is_refused(right: str, distractors: list[str]) -> None:
    with pytest.raises(ValueError, match="hold an option twice"):
        place(right, distractors, np.random.default_rng(0))


@pytest.mark.parametrize("count", [0, 26])
def test_too_few_or_too_many_distractors_are_refused(count: int) -> None:
    with pytest.raises(ValueError, match=f"2 to 26 choices, not {count + 1}"):
        place(-1, range(count), np.random.default_rng(0))


def test_texts_become_keyed_choices() -> None:
    assert text_choices(PlacedChoices(("red", "blue"), "B")) == (
        Choice(key="A", text="red"),
        Choice(key="B", text="blue"),
    )


def test_images_become_keyed_choices() -> None:
    ids = tuple(f"{n:064x}" for n in range(3))
    assert image_choices(PlacedChoices(ids, "A")) == tuple(
        Choice(key=LETTERS[n], image_id=image_id) for n, image_id in enumerate(ids)
    )

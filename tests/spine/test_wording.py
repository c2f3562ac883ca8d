"""Texts in comparisons: texts that read the same are equal, and texts with a different meaning are not."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.texts.normalization import likeness, normal


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Yes.", "  yes "),
        ("ＹＥＳ", "yes"),
        ("a  red\ncar", "A red car!"),
        ("it’s “blue”", "It's 'blue'"),
        ("caf\u00e9", "cafe\u0301"),
        ("\u212b", "\u00e5"),
        ("½ cup", "1/2 cup"),
        ("−3 °C", "-3 °C"),
        ("ﬁne", "fine"),
    ],
)
def test_texts_that_read_the_same_are_equal(one: str, other: str) -> None:
    assert normal(one) == normal(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("3", "-3"), ("1.5", "15"), ("10 %", "10"), ("5 €", "5 $"), ("C", "C#"), ("C", "C++"), ("10²", "102"),
        ("x < y", "x > y"), ("😀", "😢"), ("कि", "का"), ("1:2", "1/2"), ("->", "<-"), ("...", "?!"), ("не", "на"),
    ],
)  # fmt: skip
def test_texts_that_say_different_things_differ(one: str, other: str) -> None:
    assert normal(one) != normal(other)


@given(st.text())
@settings(deadline=None)
def test_a_normal_text_is_its_own_normal_text(text: str) -> None:
    assert normal(normal(text)) == normal(text)


@given(st.text(st.characters(codec="utf-8"), min_size=1))
@settings(deadline=None)
def test_composing_a_text_otherwise_changes_nothing(text: str) -> None:
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert normal(composed) == normal(decomposed)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a picture of the cat", "picture of a cat"),
        ("three small gears in a box", "three small gear in a box"),
        ("the colour of grief", "the color of grief"),
    ],
)
def test_nearly_equal_texts_are_alike(one: str, other: str) -> None:
    assert likeness(one, other) > 0.8


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("6 forward gears", "7 forward gears"),
        ("looking to the right", "looking to the left"),
        ("the shares increase by the day", "the shares decrease by the day"),
        ("he did know about it all", "he did not know about it all"),
        ("he is thinking about what car to buy", "he is thinking about what to eat today"),
    ],
)
def test_texts_set_apart_by_a_word_or_a_number_are_not_alike_at_all(one: str, other: str) -> None:
    assert likeness(one, other) == 0


@given(st.text(), st.text())
@settings(deadline=None)
def test_likeness_has_no_direction_and_lies_between_0_and_1(one: str, other: str) -> None:
    found = likeness(normal(one), normal(other))
    assert found == likeness(normal(other), normal(one))
    assert 0 <= found <= 1

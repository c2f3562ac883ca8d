"""Dates, rates, scales and formulas of logic in two forms, and formulas that only look alike."""

from __future__ import annotations

import pytest

from benchwright.diagnostics.wording.formula_values import have_equal_values
from benchwright.diagnostics.wording.quantities import quantity


@pytest.mark.parametrize(
    ("first", "second"),
    [("12 May 1904", "1904-05-12"), ("14th century", "The 1300s"), ("1:100,000", "1 cm to 1 km"), ("10x", "tenfold"),
     ("Twice a day", "Every 12 hours"), ("six", "half a dozen"), ("MCMXC", "1990"), ("2 tonnes", "2,000 kg")],
)  # fmt: skip
def test_values_in_two_forms_are_equal(first: str, second: str) -> None:
    assert quantity(first) is not None
    assert quantity(first) == quantity(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [("3 March 2020", "4 March 2020"), ("19th century", "The 1900s"), ("1:100", "1:1000"), ("daily", "weekly")],
)
def test_other_values_differ(first: str, second: str) -> None:
    assert quantity(first) != quantity(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [("¬(A ∧ B)", "¬A ∨ ¬B"), ("A \\ B", "A ∩ B^c"), ("not (a and b)", "not a or not b"), ("f = 1/T", "f·T = 1"),
     ("E = mc^2", "m = E/c^2"), ("y = |x|", "y = √(x²)"), ("n*(n+1)/2", "(n**2 + n)/2"), ("-1 < x < 1", "|x| < 1"),
     ("\\int_0^1 x\\,dx", "\\int_0^1 t\\,dt"), ("sin θ / cos θ", "1/cot θ")],
)  # fmt: skip
def test_formulas_of_one_value_are_equal(first: str, second: str) -> None:
    assert have_equal_values(first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [("A ∧ B", "A ∨ B"), ("A \\ B", "B \\ A"), ("f = 1/T", "f = T"), ("y = |x|", "y = x"), ("E = mc^2", "E = mc"),
     ("\\int_0^2 x\\,dx", "\\int_2^0 x\\,dx"), ("x -= 1", "x = 1"), ("4×6×16", "4×8×12")],
)  # fmt: skip
def test_formulas_of_other_values_are_not(first: str, second: str) -> None:
    assert not have_equal_values(first, second)

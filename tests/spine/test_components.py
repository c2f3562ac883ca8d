"""Items that share a group key, directly or through others, are one component."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.statistics.components import components_of

keys = st.lists(st.one_of(st.none(), st.lists(st.sampled_from("abcdefgh"), max_size=3)), max_size=12)


def test_rows_hang_together_through_others() -> None:
    assert components_of([["a"], ["b"], None, ["a", "b"], [], ["c"]]) == [0, 0, 1, 0, 2, 3]


def test_keys_are_read_once_from_any_iterable() -> None:
    assert components_of(iter([("x",), ("y",), ("y",)])) == [0, 1, 1]


@pytest.mark.slow
@given(keys)
def test_components_are_the_closure_of_sharing_a_key(rows: list[list[str] | None]) -> None:
    linked = [
        {row, *(k for k, other in enumerate(rows) if set(other or ()) & set(rows[row] or ()))}
        for row in range(len(rows))
    ]
    for _ in rows:
        linked = [set().union(*(linked[k] for k in reached)) for reached in linked]
    found = components_of(rows)
    assert [{k for k, one in enumerate(found) if one == found[row]} for row in range(len(rows))] == linked


@given(keys)
def test_numbers_come_up_in_the_order_of_first_rows(rows: list[list[str] | None]) -> None:
    found = components_of(rows)
    assert list(dict.fromkeys(found)) == list(range(len(set(found))))

"""The sample of items contains every split and task in proportion, and is reproducible."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.evaluation.report.gathering import sample
from benchwright.statistics.stratified import shares

STRATA = st.dictionaries(
    st.tuples(st.sampled_from(["test", "val"]), st.sampled_from(["a", "b", "c"])), st.integers(1, 60), min_size=1
)


@pytest.mark.parametrize(
    ("sizes", "total", "expected"),
    [
        pytest.param([70, 20, 10], 10, [7, 2, 1], id="exact"),
        pytest.param([97, 2, 1], 10, [8, 1, 1], id="one of each"),
        pytest.param([5, 3], 9, [5, 3], id="all"),
        pytest.param([5, 3, 9], 2, [1, 0, 1], id="fewer than strata"),
        pytest.param([5, 3], 0, [0, 0], id="none"),
    ],
)
def test_shares_worked_by_hand(sizes: list[int], total: int, expected: list[int]) -> None:
    sizes_drawn = shares({("test", f"t{k}"): n for k, n in enumerate(sizes)}, total)
    assert list(sizes_drawn.values()) == expected


@given(STRATA, st.integers(0, 400))
def test_shares_add_up_and_never_take_what_is_not_there(sizes: dict[tuple[str, str], int], total: int) -> None:
    sizes_drawn = shares(sizes, total)
    assert sum(sizes_drawn.values()) == min(total, sum(sizes.values()))
    assert all(0 <= sizes_drawn[stratum] <= n for stratum, n in sizes.items())
    assert total < len(sizes) or min(sizes_drawn.values()) >= 1


def test_the_sample_does_not_depend_on_the_order_of_the_items() -> None:
    items = [(f"{k:032x}", ("test", "ab"[k % 2])) for k in range(50)]
    chosen = sample(items, at_most=11)
    assert len(chosen) == 11
    assert chosen == sample(items[::-1], at_most=11)
    assert sample(items, at_most=50) == {item_id for item_id, _ in items}

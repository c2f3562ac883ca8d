"""A gather step's outcomes for rows: each named row gets its own, other rows are kept, and invalid outcomes are
refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from odd_steps import Partner

from benchwright.pipeline.stages.gather_stage import outcome_of_row
from benchwright.steps import Gathered, Outcome
from benchwright.workspace import stages_of

(STAGE,) = stages_of("partner", Partner())


def gathered(rows: list[int], **more: Any) -> Gathered:
    return Gathered(np.array(rows, np.int64), **more)


def test_rows_spoken_of_get_their_outcome_whatever_their_order_and_the_others_are_kept() -> None:
    said = gathered(
        [4, 0], verdicts=["drop", "keep"], reasons=["twin", None], values={"next": ["a", "b"]}, evidence=[{"of": 1}, {}]
    )
    outcome_of = outcome_of_row(said, 5, STAGE)
    assert [outcome_of(row) for row in range(5)] == [
        Outcome(values={"next": "b"}),
        *[Outcome()] * 3,
        Outcome("drop", "twin", values={"next": "a"}, evidence={"of": 1}),
    ]


def test_a_step_that_says_nothing_keeps_all() -> None:
    outcome_of = outcome_of_row(gathered([]), 2, STAGE)
    assert [outcome_of(row) for row in range(2)] == [Outcome(), Outcome()]


@pytest.mark.parametrize("rows", [[1, 1], [-1], [3]], ids=["twice", "before the first", "after the last"])
def test_rows_that_cannot_be_are_refused(rows: list[int]) -> None:
    with pytest.raises(ValueError, match=r"partner\.gather names a row twice, or one that does not exist"):
        outcome_of_row(gathered(rows), 3, STAGE)


def test_columns_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match=r"partner\.gather returned 2 next for 1 row"):
        outcome_of_row(gathered([1], values={"next": ["a", "b"]}), 3, STAGE)

"""Accuracy divides by the number of items asked; the answer is right, or declining if there is no answer."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from benchwright.evaluation.metrics.base import accuracy, accuracy_macro, chance_of, is_right
from benchwright.statistics import Estimate, wilson


def judged(rows: list[tuple[str, str, bool, float]], group: list[int] | None = None) -> pa.Table:
    return pa.table(
        {
            "item_id": pa.array([f"{k:032x}" for k in range(len(rows))], pa.string()),
            "split": pa.array(["test"] * len(rows), pa.string()),
            "task": pa.array([row[0] for row in rows], pa.string()),
            "state": pa.array([row[1] for row in rows], pa.string()),
            "letter": pa.array([None] * len(rows), pa.string()),
            "right": pa.array([row[2] for row in rows], pa.bool_()),
            "chance": pa.array([row[3] for row in rows], pa.float64()),
            "group": pa.array(group or range(len(rows)), pa.int64()),
        }
    )


ROWS = [
    ("jigsaw", "answered", True, 0.5), ("jigsaw", "answered", False, 0.5), ("jigsaw", "miss", False, 0.5),
    ("naming", "answered", True, 0.25), ("naming", "error", False, 0.25),
]  # fmt: skip


def test_accuracy_counts_misses_and_errors_as_wrong() -> None:
    estimates = accuracy(judged(ROWS))
    assert estimates["accuracy"] == wilson(2, 5)
    assert estimates["accuracy/jigsaw"] == wilson(1, 3)
    assert estimates["accuracy/naming"] == wilson(1, 2)


def test_chance_is_the_mean_over_items_and_has_no_interval() -> None:
    estimates = accuracy(judged(ROWS))
    assert estimates["chance"] == Estimate(pytest.approx((3 * 0.5 + 2 * 0.25) / 5), None, 5)
    assert estimates["chance/naming"] == Estimate(0.25, None, 2)


def test_the_macro_accuracy_weighs_tasks_alike() -> None:
    assert accuracy_macro(judged(ROWS))["accuracy_macro"].value == pytest.approx((1 / 3 + 1 / 2) / 2)


def test_without_items_there_are_no_figures_but_none_is_zero() -> None:
    nothing = judged([])
    assert accuracy(nothing) == {"accuracy": Estimate(None, None, 0), "chance": Estimate(None, None, 0)}
    assert accuracy_macro(nothing) == {"accuracy_macro": Estimate(None, None, 0)}


@pytest.mark.parametrize(
    ("answer", "refusal", "right", "chance"),
    [
        pytest.param("B", None, {"B"}, 1 / 3, id="an answer"),
        pytest.param("B", "C", {"B"}, 1 / 3, id="an answer beside a way to decline"),
        pytest.param(None, "C", {"C"}, 1 / 3, id="nothing to answer, a way to decline"),
        pytest.param(None, None, set(), 0.0, id="nothing to answer and no way to decline"),
    ],
)
def test_what_is_right_follows_answer_and_refusal(
    bench: Any, answer: str | None, refusal: str | None, right: set[str], chance: float
) -> None:
    item = bench.add(answer=answer, refusal=refusal)
    assert {letter for letter in (None, "A", "B", "C", "D") if is_right(item, letter)} == right
    assert chance_of(item) == pytest.approx(chance)

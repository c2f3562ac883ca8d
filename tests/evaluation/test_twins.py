"""Accuracy on twins: both right or none."""

from __future__ import annotations

import pyarrow as pa
import pytest

from benchwright.evaluation.metrics.release.twins import twins


def rows(*judged: tuple[str, str | None, bool], variant: str | None = None) -> pa.Table:
    return pa.table(
        {
            "task": [task for task, _, _ in judged],
            "twin": pa.array([twin for _, twin, _ in judged], pa.string()),
            "right": [right for _, _, right in judged],
            "group": list(range(len(judged))),
            "variant": pa.array([variant] * len(judged), pa.string()),
        }
    )


def test_both_items_must_be_right_and_items_without_twin_do_not_count() -> None:
    judged = rows(
        ("jigsaw", "twin:1", True),
        ("jigsaw", "twin:1", True),
        ("jigsaw", "twin:2", True),
        ("jigsaw", "twin:2", False),
        ("jigsaw", None, True),
        ("relative_depth", "twin:3", True),
        ("relative_depth", "twin:3", True),
        ("relative_depth", "twin:4", True),  # its twin was not asked
    )
    found = {name: (estimate.value, estimate.n) for name, estimate in twins(judged).items()}
    assert found == {
        "twins/accuracy": (pytest.approx(2 / 3), 3),
        "twins/accuracy/jigsaw": (0.5, 2),
        "twins/accuracy/relative_depth": (1.0, 1),
    }


def test_nothing_is_given_without_twins_or_where_questions_are_repeated() -> None:
    assert twins(rows(("jigsaw", None, True))) == {}
    assert twins(rows(("jigsaw", "twin:1", True), ("jigsaw", "twin:1", True), variant="s1")) == {}

"""Within a recipe the report is written after the scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchwright.evaluation.step import Evaluate
from benchwright.steps import FinalContext


@pytest.fixture
def context(bench: Any, tmp_path: Path) -> FinalContext:
    bench.add()
    bench.release(tmp_path / "release")
    return FinalContext(7, "evaluate", tmp_path, {}, {"release": "release"})


def test_the_step_writes_a_report_and_names_it(context: FinalContext) -> None:
    made = Evaluate(models=("random",)).finish(None, context)  # type: ignore[arg-type]
    assert made == {"results": "results", "report": "results/report.html"}
    assert "by-hand" in (context.workspace / "results" / "report.html").read_text(encoding="utf-8")


def test_a_step_that_wants_no_report_takes_the_old_one_away(context: FinalContext) -> None:
    Evaluate(models=("random",)).finish(None, context)  # type: ignore[arg-type]
    assert Evaluate(models=("random",), report=False).finish(None, context) == {"results": "results"}  # type: ignore[arg-type]
    assert not (context.workspace / "results" / "report.html").exists()

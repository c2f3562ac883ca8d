"""Within a recipe the report is written after the scores, and never costs them."""

from __future__ import annotations

import json
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import pytest

from benchwright.evaluation.report import packages
from benchwright.evaluation.step import Evaluate
from benchwright.steps import FinalContext


@pytest.fixture
def context(bench: Any, tmp_path: Path) -> FinalContext:
    bench.add()
    bench.release(tmp_path / "release")
    return FinalContext(7, "evaluate", tmp_path, {}, {"release": "release"})


def nothing_installed(name: str, package: str | None = None) -> ModuleSpec | None:
    return None


def test_the_step_writes_a_report_and_names_it(context: FinalContext) -> None:
    made = Evaluate(models=("random",)).finish(None, context)  # type: ignore[arg-type]
    assert made == {"results": "results", "report": "results/report.html"}
    assert "by-hand" in (context.workspace / "results" / "report.html").read_text(encoding="utf-8")


def test_a_step_that_wants_no_report_takes_the_old_one_away(context: FinalContext) -> None:
    Evaluate(models=("random",)).finish(None, context)  # type: ignore[arg-type]
    assert Evaluate(models=("random",), report=False).finish(None, context) == {"results": "results"}  # type: ignore[arg-type]
    assert not (context.workspace / "results" / "report.html").exists()


def test_where_packages_are_missing_the_scores_stand_and_the_log_says_why_there_is_no_report(
    context: FinalContext, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(packages, "find_spec", nothing_installed)
    assert Evaluate(models=("random",)).finish(None, context) == {"results": "results"}  # type: ignore[arg-type]
    assert json.loads((context.workspace / "results" / "summary.json").read_text())["random"]["accuracy"]["n"] == 1
    assert "no report is written: it needs jinja2 and matplotlib; pip install" in caplog.text


def test_the_step_runs_again_once_the_packages_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    step = Evaluate(models=("random",))
    assert step.parameters()["report"] is True
    monkeypatch.setattr(packages, "find_spec", nothing_installed)
    assert step.parameters()["report"] is False

"""The report puts chance, the best cheat, the best specialist, the best other model and people side by side."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from homography_items import add_correspondence, sample_photographs

from benchwright.cli.main import invoke
from benchwright.errors import DataError
from benchwright.evaluation.report.content.reference_points import kind_of, read_cheats
from benchwright.evaluation.report.writing import write_report
from benchwright.evaluation.run import evaluate
from benchwright.rooms import catalogue

pytestmark = pytest.mark.slow

SOLVED = {
    "items": 6,
    "tasks": [
        {"task": "naming", "solvers": [{"solver": "larger", "items": 2, "accuracy": 0.5, "ci": [0.1, 0.9], "p": 1}]},
        {
            "task": "visual_correspondence",
            "solvers": [
                {"solver": "nearest", "items": 4, "accuracy": 0.25, "ci": [0.05, 0.7]},
                {"solver": "farthest", "items": 4, "accuracy": 0.75, "ci": None, "carries": True},
                {"solver": "lucky", "items": 4, "accuracy": 1.0, "ci": None, "carries": False},
            ],
        },
    ],
}


def scored(bench: Any, tmp_path: Path, *models: str) -> Any:
    add_correspondence(bench, sample_photographs(), np.random.default_rng(3), 4)
    for number in range(2):
        bench.add(f"name {number}", answer="B")
    release = bench.release(tmp_path / "release")
    for model in models:
        evaluate(release, model, out=tmp_path / "results")
    return release


def test_the_best_of_each_kind_stands_in_the_row_of_its_task(
    bench: Any, tmp_path: Path, predictions_file: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    release = scored(bench, tmp_path, "random", "constant:B", "constant:C", "local_features")
    replies = [{"item_id": item.item_id, "reply": f"({item.answer})"} for item, _ in bench.items]
    evaluate(release, f"predictions:{predictions_file(replies)}", out=tmp_path / "results")
    shortcuts = tmp_path / "shortcuts.json"
    shortcuts.write_text(json.dumps(SOLVED))
    command = ["evaluate", "report", str(tmp_path / "results"), "--release", str(release.path)]
    assert invoke([*command, "--shortcuts", str(shortcuts)]) == 0
    capsys.readouterr()
    stored = json.loads((tmp_path / "results" / "report-data" / "report.json").read_text())["reference_points"]
    points = {row["task"]: row for row in stored}
    naming, correspondence = points["naming"], points["visual_correspondence"]
    assert (naming["cheat"]["name"], naming["cheat"]["value"]) == ("constant:B", 1)
    assert naming["specialist"] is None
    assert naming["model"]["value"] == 1
    cheat = correspondence["cheat"]
    assert (cheat["name"], cheat["value"], cheat["carried"]) == ("farthest", 0.75, True)
    assert correspondence["specialist"]["name"] == "local_features"
    assert correspondence["specialist"]["value"] == 1
    assert correspondence["chance"]["value"] == 0.25
    assert correspondence["people"] is None
    page = (tmp_path / "results" / "report.html").read_text(encoding="utf-8")
    assert "From chance to people" in page
    assert "farthest</bdi>, n=4, <b>carried</b>" in page


def test_without_specialists_and_cheats_the_section_is_left_out(bench: Any, tmp_path: Path) -> None:
    release = scored(bench, tmp_path, "random")
    written = write_report(tmp_path / "results", release)
    assert "From chance to people" not in written.path.read_text(encoding="utf-8")


def test_a_file_of_anything_else_is_refused(tmp_path: Path) -> None:
    for text in ("[]", '{"tasks": [{"task": "x"}]}', "no JSON"):
        (tmp_path / "file.json").write_text(text)
        with pytest.raises(DataError, match="is not output of `benchwright filter shortcuts RELEASE --json`"):
            read_cheats(tmp_path / "file.json")


def test_every_backend_is_of_one_kind() -> None:
    kinds = {name: kind_of(f"{name}:more") for name in catalogue("backends")}
    assert {name for name, kind in kinds.items() if kind == "baseline"} == {
        "random", "constant", "longest", "text_classifier",
    }  # fmt: skip
    assert {name for name, kind in kinds.items() if kind == "model"} == {
        "predictions", "openai", "responses", "anthropic", "gemini", "transformers", "likelihood",
    }  # fmt: skip
    assert kinds["dift"] == "specialist"

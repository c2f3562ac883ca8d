"""Scores and human figures of version 1, which do not state how intervals were computed, are read like current ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import DataError
from benchwright.evaluation.results.human_baseline import read_human
from benchwright.evaluation.results.score import read_score

FIGURES = {
    "accuracy": {"value": 0.5, "ci": [0.15, 0.85], "n": 4},
    "accuracy/naming": {"value": None, "ci": None, "n": 0},
    "accuracy_macro": {"value": 0.5, "ci": [0.2, 0.8], "n": 4},
    "chance": {"value": 0.25, "ci": None, "n": 4},
    "of_a_stranger": {"value": 0.3, "ci": [0.1, 0.4], "n": 4},
}
SCORE = {
    "format": "benchwright/score", "version": 1, "model": "m", "protocol": "vanilla", "release": "r 1.0",
    "release_id": "1" * 64, "content_id": "2" * 64, "split": None, "settings": {"reader": 1}, "metrics": FIGURES,
    "miss": 0, "refusal": 1, "error": 0, "asked": 4, "items": 4,
}  # fmt: skip
METHODS = {
    "accuracy": "wilson", "accuracy/naming": None, "accuracy_macro": "combined", "chance": None, "of_a_stranger": None,
}  # fmt: skip


def test_a_score_of_version_one_says_how_its_intervals_were_made(tmp_path: Path) -> None:
    (tmp_path / "score.json").write_text(json.dumps(SCORE))
    score = read_score(tmp_path)
    assert score.version == 5
    assert {name: figure.method for name, figure in score.metrics.items()} == METHODS
    assert score.metrics["accuracy"].ci == (0.15, 0.85)


@pytest.mark.parametrize("version", [2, 4])
def test_a_score_of_version_two_had_no_judge_and_none_up_to_four_counts_of_filters(
    tmp_path: Path, version: int
) -> None:
    metrics = {name: {**figure, "method": METHODS[name]} for name, figure in FIGURES.items()}
    (tmp_path / "score.json").write_text(json.dumps({**SCORE, "version": version, "metrics": metrics}))
    score = read_score(tmp_path)
    assert (score.version, score.judge, score.filtered, score.causes) == (5, None, 0, ())


def test_human_figures_of_version_one_do_too(tmp_path: Path) -> None:
    campaign = {"simulated": True, "annotators": 3, "answers_per_item": 2, "metrics": FIGURES}
    document = {
        "format": "benchwright/human",
        "version": 1,
        "release": "r 1.0",
        "release_id": "1" * 64,
        "split": None,
        "campaigns": {"answer": campaign},
    }
    (tmp_path / "human.json").write_text(json.dumps(document))
    human = read_human(tmp_path)
    assert human is not None
    assert human.version == 3
    assert {name: figure.method for name, figure in human.campaigns["answer"].metrics.items()} == METHODS


@pytest.mark.parametrize("metrics", [[], {"accuracy": 1}, {"accuracy": {}}, None])
def test_a_damaged_score_of_version_one_is_refused_in_words(tmp_path: Path, metrics: Any) -> None:
    (tmp_path / "score.json").write_text(json.dumps({**SCORE, "metrics": metrics}))
    with pytest.raises(DataError, match="is not a score"):
        read_score(tmp_path)

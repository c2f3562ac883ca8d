"""Individual people, and models on exactly the items that people answered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from small_bench import Bench, small_bench

from benchwright.cli.main import invoke
from benchwright.errors import BenchwrightError
from benchwright.evaluation.analysis.same_items import figures_on_same_items
from benchwright.evaluation.results.human_baseline import human_figures
from benchwright.evaluation.run import evaluate
from benchwright.release import Release

RIGHT = {"annotator-1": "110", "annotator-2": "111", "annotator-10": "1.."}
"""By annotator, item by item of the first three: right, wrong or (a full stop) not asked."""


def baseline_of(bench: Bench, answers: dict[str, str] = RIGHT, *, named: bool = True) -> Any:
    items = {}
    for number, (item, _) in enumerate(bench.items[: len(next(iter(answers.values())))]):
        by = {name: row[number] == "1" for name, row in answers.items() if row[number] != "."}
        items[item.item_id] = {"asked": len(by), "right": sum(by.values()), **({"by": by} if named else {})}
    return {
        "answer": {"simulated": False, "annotators": len(answers), "answers_per_item": len(answers), "items": items}
    }


@pytest.fixture
def bench() -> Bench:
    return small_bench()


@pytest.fixture
def release(bench: Bench, tmp_path: Path) -> Release:
    return bench.write(tmp_path / "r", human_baseline=baseline_of(bench))


@pytest.fixture
def results(release: Release, tmp_path: Path) -> Path:
    for model in ("constant:A", "random"):
        evaluate(release, model, out=tmp_path / "results")
    return tmp_path / "results"


def test_each_annotator_has_figures_of_their_own_in_the_order_of_their_numbers(release: Release) -> None:
    human = human_figures(release)
    assert human is not None
    each = human.campaigns["answer"].each
    assert list(each) == ["annotator-1", "annotator-2", "annotator-10"]
    assert [(metrics["accuracy"].value, metrics["accuracy"].n) for metrics in each.values()] == [
        (pytest.approx(2 / 3), 3),
        (1.0, 3),
        (1.0, 1),
    ]


def test_the_best_answered_enough_of_the_items_and_stands_in_the_summary(release: Release) -> None:
    human = human_figures(release)
    assert human is not None
    assert human.campaigns["answer"].best == "annotator-2"
    assert list(human.lines()) == ["human", "human, best"]
    assert human.lines()["human, best"]["accuracy"].value == 1.0


def test_three_lucky_answers_make_nobody_the_best(bench: Bench, tmp_path: Path) -> None:
    answers = {"annotator-1": "0111111", "annotator-2": "111....", "annotator-3": "0001111"}
    human = human_figures(bench.write(tmp_path / "r", human_baseline=baseline_of(bench, answers)))
    assert human is not None
    assert human.campaigns["answer"].best == "annotator-1"


def test_nobody_is_best_alone_nor_where_an_older_release_does_not_say_who_was_right(
    bench: Bench, tmp_path: Path
) -> None:
    for number, baseline in enumerate((baseline_of(bench, {"annotator-1": "11"}), baseline_of(bench, named=False))):
        human = human_figures(bench.write(tmp_path / str(number), human_baseline=baseline))
        assert human is not None
        assert human.campaigns["answer"].best is None
        assert list(human.lines()) == ["human"]


def test_models_are_counted_on_the_items_that_people_answered_and_no_others(
    bench: Bench, release: Release, results: Path
) -> None:
    sample = figures_on_same_items(results, release).samples["answer"]
    assert sample.items == 3
    keys = [item.answer or item.refusal for item, _ in bench.items[:3]]
    constant = sample.models["constant:A"]
    assert (constant["accuracy"].value, constant["accuracy"].n) == (pytest.approx(keys.count("A") / 3), 3)
    assert set(constant) == {"accuracy", "accuracy_macro", *(f"accuracy/{item.task}" for item, _ in bench.items[:3])}


def test_the_command_shows_people_models_and_each_annotator(
    release: Release, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["evaluate", "people", str(results), "--release", str(release.path)]) == 0
    out = capsys.readouterr().out
    assert "answer: 3 annotators, 3 items" in out
    places = [out.index(name) for name in ("people, mean", "best: annotator-2", "constant:A", "random", "annotator-10")]
    assert places == sorted(places)
    assert invoke(["evaluate", "people", str(results), "--release", str(release.path), "--json"]) == 0
    campaign = json.loads(capsys.readouterr().out)["campaigns"]["answer"]
    assert (campaign["items"], campaign["best"], set(campaign["models"])) == (
        3,
        "annotator-2",
        {"constant:A", "random"},
    )


def test_a_release_that_nobody_answered_is_refused_in_words(bench: Bench, tmp_path: Path) -> None:
    release = bench.write(tmp_path / "r")
    evaluate(release, "random", out=tmp_path / "results")
    with pytest.raises(BenchwrightError, match="no human baseline"):
        figures_on_same_items(tmp_path / "results", release)

"""The human figures on a release, next to those of the models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from small_bench import Bench, reseal, small_bench

from benchwright.cli.main import invoke
from benchwright.errors import DataError
from benchwright.evaluation.results.human_baseline import HUMAN_FILE, human_figures, read_human
from benchwright.evaluation.run import evaluate
from benchwright.evaluation.step import Evaluate
from benchwright.release import Release
from benchwright.statistics import wilson
from benchwright.steps import FinalContext


def baseline_of(bench: Bench, right: dict[str, list[int]], *, answered_times: int = 2, simulated: bool = False) -> Any:
    """Return a baseline: by task, in how many of its answers each item was right; items without one were not asked."""
    items: dict[str, dict[str, int]] = {}
    for task, counts in right.items():
        ids = [item.item_id for item, _ in bench.items if item.task == task]
        items |= {item_id: {"asked": answered_times, "right": n} for item_id, n in zip(ids, counts, strict=False)}
    return {"answer": {"simulated": simulated, "annotators": 4, "answers_per_item": answered_times, "items": items}}


@pytest.fixture
def release(tmp_path: Path) -> Release:
    """Five puzzles (test: numbers 1, 2, 4) and three rings (test: 0, 1); the last ring was not asked."""
    bench = small_bench()
    baseline = baseline_of(bench, {"jigsaw": [2, 1, 2, 0, 1], "ring_colour": [2, 1]})
    return bench.write(tmp_path / "r", human_baseline=baseline)


def test_accuracies_are_means_over_items_with_intervals_of_one_draw_an_item(release: Release) -> None:
    human = human_figures(release)
    assert human is not None
    figures = human.campaigns["answer"].metrics
    # Jigsaw 1, .5, 1, 0, .5 = 3 of 5; rings 1, .5 = 1.5 of 2; together 4.5 of 7.
    assert [(name, figure.value, figure.n) for name, figure in figures.items()] == [
        ("accuracy", pytest.approx(4.5 / 7), 7),
        ("accuracy/jigsaw", pytest.approx(0.6), 5),
        ("accuracy/ring_colour", pytest.approx(0.75), 2),
        ("accuracy_macro", pytest.approx(0.675), 7),
    ]
    # z^2 = 3.84146, d = 8.84146: centre (3 + 1.92073) / d = 0.556552 and half-width
    # 1.959964 / d * sqrt(3 * 2 / 5 + 0.960365) = 0.221679 * 1.469818 = 0.325828.
    assert figures["accuracy/jigsaw"].ci == pytest.approx((0.230724, 0.882380), abs=2e-6)


def test_a_split_counts_its_own_items_only(release: Release) -> None:
    human = human_figures(release, "test")
    assert human is not None
    figures = human.campaigns["answer"].metrics
    assert (figures["accuracy/jigsaw"].value, figures["accuracy/jigsaw"].n) == (pytest.approx((0.5 + 1 + 0.5) / 3), 3)
    assert (figures["accuracy"].value, figures["accuracy"].n) == (pytest.approx(3.5 / 5), 5)


def test_all_right_and_all_wrong_reach_the_ends(tmp_path: Path) -> None:
    bench = small_bench()
    baseline = baseline_of(bench, {"jigsaw": [3] * 5, "ring_colour": [0] * 3}, answered_times=3)
    human = human_figures(bench.write(tmp_path / "r", human_baseline=baseline))
    assert human is not None
    figures = human.campaigns["answer"].metrics
    assert figures["accuracy/jigsaw"].ci == tuple(wilson(5, 5).interval or ())
    assert figures["accuracy/ring_colour"].ci == tuple(wilson(0, 3).interval or ())


def test_a_release_without_a_baseline_has_no_figures(tmp_path: Path) -> None:
    assert human_figures(small_bench().write(tmp_path / "r")) is None


def test_a_damaged_baseline_is_refused(release: Release) -> None:
    path = release.path / "human_baseline.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"right": 0', '"right": 9'), encoding="utf-8")
    with pytest.raises(DataError, match="differs from the frozen file"):
        human_figures(release)
    reseal(release.path)
    with pytest.raises(DataError, match="9 answers are right, but only 2 were asked"):
        human_figures(Release.open(release.path))


def _summary(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = invoke(["evaluate", "summary", *map(str, arguments)])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def _finish(release: Release, workspace: Path, split: str | None = None) -> Path:
    context = FinalContext(seed=1, stage="evaluate", workspace=workspace, recipe={}, artifacts={"release": "r"})
    Evaluate.model_validate({"models": ["random"], "split": split}).finish(None, context)  # type: ignore[arg-type]
    return workspace / "results"


@pytest.mark.slow
@pytest.mark.parametrize(("simulated", "name"), [(False, "human"), (True, "human (simulated)")])
def test_the_step_writes_the_figures_and_the_summary_shows_them_below_the_models(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], simulated: bool, name: str
) -> None:
    bench = small_bench()
    baseline = baseline_of(bench, {"jigsaw": [2, 1, 2, 0, 1]}, simulated=simulated)
    release = bench.write(tmp_path / "r", human_baseline=baseline)
    results = _finish(release, tmp_path)
    human = human_figures(release)
    assert read_human(results) == human
    before = (results / HUMAN_FILE).read_bytes()
    assert (_finish(release, tmp_path) / HUMAN_FILE).read_bytes() == before
    assert list(json.loads((results / "summary.json").read_text(encoding="utf-8"))) == ["random"]
    code, out, _ = _summary(capsys, results)
    assert code == 0
    [head] = [line for line in out.splitlines() if "human" in line]
    assert ("simulated" in head) == simulated
    assert name in head
    assert "0.60 [0.23, 0.88] n=5" in out
    assert json.loads(_summary(capsys, results, "--json")[1]).keys() == {"random"}


@pytest.mark.slow
def test_figures_of_people_go_when_the_release_has_none(tmp_path: Path, release: Release) -> None:
    assert (_finish(release, tmp_path) / HUMAN_FILE).exists()
    small_bench().write(tmp_path / "r", replace=True)
    assert not (_finish(release, tmp_path) / HUMAN_FILE).exists()


def test_the_summary_takes_the_baseline_from_a_release_that_is_named(
    tmp_path: Path, release: Release, capsys: pytest.CaptureFixture[str]
) -> None:
    evaluate(release, "random", out=tmp_path / "results")
    assert "human" not in _summary(capsys, tmp_path / "results")[1]
    assert "human" in _summary(capsys, tmp_path / "results", "--release", release.path)[1]


def test_people_do_not_stand_beside_models_that_were_asked_something_else(
    tmp_path: Path, release: Release, capsys: pytest.CaptureFixture[str]
) -> None:
    other_release = small_bench().write(tmp_path / "other", version="2.0")
    evaluate(other_release, "random", out=tmp_path / "results")
    code, out, err = _summary(capsys, tmp_path / "results", "--release", release.path)
    assert (code, out) == (2, "")
    assert "the human baseline is of tiny 1.0" in err
    assert "the scores belong to tiny 2.0" in err


def test_items_of_one_image_are_one_draw_for_people_too(tmp_path: Path) -> None:
    bench = small_bench()
    keys = ("image:one",)
    bench.items = [
        (item.model_copy(update={"group_keys": keys if item.task == "jigsaw" else ()}), s) for item, s in bench.items
    ]
    baseline = baseline_of(bench, {"jigsaw": [2, 1, 2, 0, 1], "ring_colour": [2, 1]})
    human = human_figures(bench.write(tmp_path / "r", human_baseline=baseline))
    assert human is not None
    figures = human.campaigns["answer"].metrics
    assert (figures["accuracy/jigsaw"].value, figures["accuracy/jigsaw"].method) == (0.6, "wilson_clustered")
    # One cluster, so one item's worth: d = 4.84146, centre (0.6 + 1.92073) / d, half z / d sqrt(0.24 + 0.960365).
    assert figures["accuracy/jigsaw"].ci == pytest.approx((0.077119, 0.964191), abs=2e-6)
    assert figures["accuracy/ring_colour"].method == "wilson"

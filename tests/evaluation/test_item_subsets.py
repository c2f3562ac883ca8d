"""Subsets of items and adaptive runs estimate the full score, are distinguished from full scores, and refuse other
items.

The release has 240 items; twenty models of known ability answer them from files.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from handmade_bench import Bench
from scipy.special import expit

from benchwright.cli.main import invoke
from benchwright.errors import BenchwrightError, DataError
from benchwright.evaluation.adaptive_run import evaluate_adaptively
from benchwright.evaluation.analysis.comparison import compare_results
from benchwright.evaluation.analysis.label_issues import find_suspects
from benchwright.evaluation.item_response.calibration import read_calibration, subset_of
from benchwright.evaluation.item_response.drawing import average_doubt, draw, inclusion_probabilities
from benchwright.evaluation.item_response.fitting import fit_item_responses
from benchwright.evaluation.item_response.item_table import calibrated_items, item_tables, notes_on
from benchwright.evaluation.item_response.subset import SUBSET_FILE, Subset, read_subset
from benchwright.evaluation.item_response.whole import whole_estimate
from benchwright.evaluation.leaderboard.board import leaderboard_of
from benchwright.evaluation.report.writing import write_report
from benchwright.evaluation.results.score import read_score, read_scores
from benchwright.evaluation.results.summary import drawn
from benchwright.evaluation.run import evaluate
from benchwright.release import Release

ITEMS, MODELS = 240, 20


class Scene:
    """A release, results of models that answered all items, and a file of one more model's answers."""

    def __init__(self, folder: Path) -> None:
        bench = Bench()
        for number in range(ITEMS):
            bench.add(f"question {number}", task="naming" if number % 3 else "counting", answer="B")
        self.release: Release = bench.release(folder / "release")
        self.ids = [released.item.item_id for released in self.release.items(pictures_of=())]
        rng = np.random.default_rng(1)
        slope, easiness = rng.lognormal(0, 0.3, ITEMS), rng.normal(0.3, 1.2, ITEMS)
        abilities = [*np.linspace(-1.5, 1.5, MODELS), 0.2]
        right = rng.random((len(abilities), ITEMS)) < 1 / 3 + 2 / 3 * expit(np.outer(abilities, slope) + easiness)
        # The first item's key is wrong: weak models have it right, and able ones miss it.
        right[:MODELS, 0] = np.arange(MODELS) < MODELS / 2
        self.out = folder / "results"
        for number, row in enumerate(right):
            path = folder / f"model-{number}.jsonl"
            answers = (
                {"item_id": i, "answer": "B" if is_right else "A"} for i, is_right in zip(self.ids, row, strict=True)
            )
            path.write_text("".join(json.dumps(answer) + "\n" for answer in answers), encoding="utf-8")
            if number < MODELS:
                evaluate(self.release, f"predictions:{path}", out=self.out)
        self.model = f"predictions:{folder / f'model-{MODELS}.jsonl'}"
        self.share = float(right[-1].mean())
        self.subset: Subset = subset_of(read_calibration([self.out], self.release), self.release, 60)
        self.path = folder / "subset.json"
        self.path.write_text(self.subset.model_dump_json(), encoding="utf-8")


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return Scene(tmp_path_factory.mktemp("scene"))


def test_a_subset_is_drawn_written_asked_and_estimates_the_whole(
    scene: Scene, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "subset.json", tmp_path / "results"
    capsys.readouterr()
    command = ["evaluate", "subset", str(scene.release.path), str(scene.out), "--items", "60", "--out", str(path)]
    assert invoke([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["items"], told["of"], told["method"], len(told["models"])) == (60, ITEMS, "doubt", MODELS)
    fields = "subset release release_id split protocol models items of method misfit digest"
    assert list(told) == fields.split()
    assert 0 < told["misfit"] < 0.12
    assert invoke(command) == 0  # equal results draw the same items: nothing is replaced
    capsys.readouterr()
    assert read_subset(path) == scene.subset
    run = ["evaluate", "run", str(scene.release.path), "--model", scene.model, "--items-from", str(path)]
    assert invoke([*run, "--out", str(out), "--json"]) == 0
    printed = capsys.readouterr()
    score = json.loads(printed.out)
    assert (score["asked"], score["limit"], score["limit_of"]) == (60, 60, ITEMS)
    figure = score["metrics"]["accuracy"]
    assert figure["method"] == "model_assisted"
    assert abs(figure["value"] - scene.share) < 0.08
    assert 0.05 < figure["ci"][1] - figure["ci"][0] < 0.22  # that of 60 items drawn at random is 0.21
    assert score["metrics"]["accuracy/naming"]["n"] + score["metrics"]["accuracy/counting"]["n"] == 60
    assert "estimated from 60 of 240 items" in printed.err
    [kept] = out.glob(f"*/{SUBSET_FILE}")
    assert read_subset(kept) == scene.subset
    assert (
        invoke(["evaluate", "score", *run[2:3], scene.model.partition(":")[2], "--items-from", str(path), "--json"])
        == 0
    )
    assert json.loads(capsys.readouterr().out)["metrics"] == score["metrics"]


def test_an_estimated_score_is_told_apart_everywhere_and_mixed_with_no_other(scene: Scene, tmp_path: Path) -> None:
    out = tmp_path / "results"
    whole = evaluate(scene.release, scene.model, out=out)
    evaluate(scene.release, "constant:B", out=out)
    estimated = evaluate(scene.release, scene.model, out=out, subset=scene.subset)
    other = evaluate(scene.release, "constant:A", out=out, subset=scene.subset)
    sampled = evaluate(scene.release, scene.model, out=out, limit=60)
    assert len({score.folder for score in (whole, estimated, sampled)}) == 3
    assert len({score.sample for score in (whole, estimated, sampled)}) == 3
    assert estimated.sample == other.sample
    title = estimated.title
    assert title.endswith("estimated from 60 of 240 items")
    board = leaderboard_of(out)
    ranked = {row.score.title: row.ranked.rank for row in board.rows}
    assert ranked[title] is None
    assert ranked[whole.title] is not None
    assert board.pairs == 2  # both of all items, and both of the subset
    with pytest.raises(BenchwrightError, match="asked different items"):
        compare_results(out, models=[whole.title, title])
    page = write_report(out, scene.release.path).path.read_text(encoding="utf-8")
    assert "estimated from 60 of 240 items" in page
    assert read_score(out / estimated.folder) == estimated
    calibrated = read_calibration([out], scene.release)
    assert calibrated.titles == ["constant:B", whole.title]  # estimates calibrate nothing


def test_an_adaptive_run_asks_until_the_score_is_exact_enough_and_goes_on_alike(
    scene: Scene, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[set[str]] = []
    for name in ("a", "b"):
        score, run = evaluate_adaptively(
            scene.release, scene.model, scene.subset, standard_error=0.035, out=tmp_path / name
        )
        assert run.is_reached
        assert run.estimate.error is not None
        assert run.estimate.error <= 0.035
        assert 60 < score.asked < ITEMS
        assert score.metrics["accuracy"].value == pytest.approx(run.estimate.share)
        asked.append(set(read_subset(tmp_path / name / score.folder / SUBSET_FILE).drawn_ids))
    assert asked[0] == asked[1]
    assert f"estimated from {len(asked[0])} of 240 items" in score.title
    command = ["evaluate", "run", str(scene.release.path), "--model", scene.model, "--items-from", str(scene.path)]
    command += ["--adaptive", "--standard-error", "0.035", "--out", str(tmp_path / "a"), "--json"]
    capsys.readouterr()
    assert invoke(command) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out) == score.document()
    assert f"{score.asked} of 240 items were asked in" in printed.err
    most, stopped = evaluate_adaptively(
        scene.release, scene.model, scene.subset, standard_error=0.001, most_items=90, out=tmp_path / "c"
    )
    assert most.asked == 90
    assert not stopped.is_reached
    assert "90 of 240 items were asked in 3 batches" in stopped.describe(0.001)


@pytest.mark.parametrize("method", ["doubt", "random"])
def test_corrected_estimates_are_unbiased_and_their_intervals_hold_the_truth_though_the_model_is_wrong(
    method: Any,
) -> None:
    rng = np.random.default_rng(5)
    right = rng.random((9, 500)) < rng.beta(1, 1, 500)
    fitted = fit_item_responses(right[1:], np.ones((8, 500), dtype=bool))
    own = ~right[0] & (rng.random(500) < 0.9)  # a model that has right what others miss
    size = average_doubt(fitted) if method == "doubt" else np.ones(500)
    found = []
    for number in range(150):
        batch = draw(size, fitted.chances(0.0), np.ones(500, dtype=bool), 60, method, number)
        assert len(batch.places) == 60
        replies = np.zeros(500, dtype=bool)
        replies[batch.places] = own[batch.places]
        estimate = whole_estimate(fitted, replies, [batch], misfit=0.05)
        assert estimate is not None
        assert estimate.interval is not None
        found.append((estimate.corrected, estimate.interval.low <= own.mean() <= estimate.interval.high))
    shares, held = np.array(found).T
    assert abs(shares.mean() - own.mean()) < 0.02
    assert held.mean() > 0.9


def test_items_are_drawn_as_often_as_their_probabilities_say() -> None:
    size = np.linspace(0.1, 1, 50)
    times = np.zeros(50)
    for number in range(2000):
        batch = draw(size, np.sin(np.arange(50.0)), np.ones(50, dtype=bool), 12, number)
        times[batch.places] += 1
    expected = inclusion_probabilities(size, 12)
    assert expected.sum() == pytest.approx(12)
    assert np.abs(times / 2000 - expected).max() < 0.05
    assert inclusion_probabilities(np.array([1.0, 1, 1, 50]), 2)[3] == 1


def test_an_adaptive_run_that_may_ask_all_items_knows_the_score(scene: Scene, tmp_path: Path) -> None:
    score, _ = evaluate_adaptively(scene.release, scene.model, scene.subset, standard_error=1e-9, out=tmp_path)
    assert score.asked == ITEMS
    assert score.metrics["accuracy"].value == pytest.approx(scene.share)


def test_what_a_subset_does_not_fit_is_refused_in_words(scene: Scene, tmp_path: Path) -> None:
    with pytest.raises(BenchwrightError, match="leave out --limit"):
        evaluate(scene.release, scene.model, limit=50, subset=scene.subset)
    with pytest.raises(BenchwrightError, match="'shuffle' gives several"):
        evaluate(scene.release, scene.model, protocol="shuffle", subset=scene.subset)
    with pytest.raises(BenchwrightError, match="give no --split"):
        evaluate(scene.release, scene.model, split="test", subset=scene.subset)
    with pytest.raises(BenchwrightError, match="cannot take 240 of them, such as"):
        evaluate(scene.release, "edge_continuity", subset=scene.subset)
    fewer = scene.subset.model_copy(update={"items": scene.subset.items[:-2]})
    with pytest.raises(BenchwrightError, match="the release has 2 more"):
        evaluate(scene.release, scene.model, subset=fewer)
    bench = Bench()
    bench.add("another", answer="B")
    with pytest.raises(BenchwrightError, match="draw one from this release"):
        evaluate(bench.release(tmp_path / "other"), "constant:B", subset=scene.subset)
    with pytest.raises(BenchwrightError, match="at least 10 items and fewer than the 240"):
        subset_of(read_calibration([scene.out], scene.release), scene.release, 240)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "is not a subset"),
        ('{"format": "benchwright/subset", "version": 2}', "subset version 2"),
        ('{"format": "benchwright/subset", "version": 1, "items": 3}', "release: Field required"),
    ],
)
def test_a_file_that_is_no_subset_is_named_with_its_fault(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "s.json").write_text(text)
    with pytest.raises(DataError, match=words):
        read_subset(tmp_path / "s.json")


def test_results_that_say_too_little_are_refused(scene: Scene, tmp_path: Path) -> None:
    evaluate(scene.release, scene.model, out=tmp_path / "one")
    with pytest.raises(DataError, match="two models or more on all items, found 1"):
        read_calibration([tmp_path / "one"], scene.release)
    evaluate(scene.release, "constant:B", protocol="blind", out=tmp_path / "one")
    with pytest.raises(BenchwrightError, match="under blind, vanilla; choose one with --protocol"):
        read_calibration([tmp_path / "one"], scene.release)
    assert len(read_calibration([tmp_path / "one", scene.out], scene.release, "vanilla").scores) == MODELS + 1


def test_items_are_listed_by_difficulty_and_the_wrong_key_is_named_as_suspects_does(
    scene: Scene, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["evaluate", "items", str(scene.out), "--release", str(scene.release.path)]
    assert invoke([*command, "--json", "--out", str(tmp_path / "items.csv")]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    rows = {row["item_id"]: row for row in document["items"]}
    assert len(rows) == len((tmp_path / "items.csv").read_text().splitlines()) - 1 == ITEMS
    difficulties = [row["difficulty"] for row in document["items"]]
    assert difficulties == sorted(difficulties, reverse=True)
    wrong = rows[scene.ids[0]]
    assert wrong["discrimination"] == min(row["discrimination"] for row in document["items"])
    assert wrong["reversed"]
    abilities = [entry["ability"] for entry in document["models"]]
    accuracies = [score.metrics["accuracy"].value for score in read_scores(scene.out)]
    assert np.corrcoef(abilities, np.array(accuracies, dtype=float))[0, 1] > 0.97
    suspects = frozenset(issue.item_id for issue in find_suspects(scene.out, scene.release).found)
    assert {row["item_id"] for row in document["items"] if row["is_suspected"]} == suspects
    found = calibrated_items(read_calibration([scene.out], scene.release), suspects)
    lines = [line for table in item_tables(found) for line in drawn(table, names=1).splitlines()] + notes_on(found)[1:]
    assert max(map(len, lines[:-1])) <= 100
    assert any("in reverse" in line for line in lines)


def test_the_report_shows_how_items_discriminate(scene: Scene, tmp_path: Path) -> None:
    page = write_report(scene.out, scene.release, out=tmp_path / "page.html").path.read_text(encoding="utf-8")
    assert "How well items tell models apart" in page
    assert "1 item lies below 0 with the whole 95 % interval" in page


def test_a_dry_run_plans_the_items_of_a_subset_and_no_adaptive_run(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["evaluate", "run", str(scene.release.path), "--model", "openai:m", "--dry-run"]
    command += ["--base-url", "http://127.0.0.1:9"]
    assert invoke([*command, "--items-from", str(scene.path), "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert (plan["items"], plan["requests"], plan["limit_of"]) == (60, 60, ITEMS)
    assert invoke([*command, "--items-from", str(scene.path), "--adaptive"]) == 2
    assert invoke([*command, "--adaptive"]) == 2
    assert "--adaptive needs --items-from" in capsys.readouterr().err

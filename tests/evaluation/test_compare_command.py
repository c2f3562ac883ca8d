"""`evaluate compare` reports which models differ, overall and per task, and refuses results that cannot be compared."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from benchwright.cli.main import invoke
from benchwright.evaluation.backends.baselines import constant
from benchwright.evaluation.backends.options import BackendOptions
from benchwright.evaluation.run import evaluate
from benchwright.release import Release

pytestmark = pytest.mark.slow

TASKS = ("counting", "naming")


@pytest.fixture
def release(bench: Any, tmp_path: Path) -> Release:
    """Sixty items of two tasks, two to an image; four in five answers are B."""
    for number in range(60):
        bench.add(
            f"q{number}",
            task=TASKS[number % 3 == 0],
            answer="A" if number % 5 == 0 else "B",
            group_keys=(f"image:{number // 2}",),
        )
    return bench.release(tmp_path / "release")


@pytest.fixture
def results(release: Release, tmp_path: Path) -> Path:
    for model in ("constant:A", "constant:B", "random"):
        evaluate(release, model, out=tmp_path / "out")
    specialist = replace(constant("C", BackendOptions()), name="one_task", tasks=frozenset({"naming"}))
    evaluate(release, specialist, out=tmp_path / "out")
    return tmp_path / "out"


def told(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    capsys.readouterr()
    assert invoke(["evaluate", "compare", *map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    capsys.readouterr()
    assert invoke(["evaluate", "compare", *map(str, arguments)]) == 2
    return capsys.readouterr().err


def test_all_pairs_are_compared_overall_and_per_task(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = told(capsys, results)
    names = [(pair["first"], pair["second"]) for pair in document["pairs"]]
    assert names == [
        ("constant:A", "constant:B"),
        ("constant:A", "one_task"),
        ("constant:A", "random"),
        ("constant:B", "one_task"),
        ("constant:B", "random"),
        ("one_task", "random"),
    ]
    assert sorted(document["tasks"]) == list(TASKS)
    first = document["pairs"][0]
    assert (first["n"], first["clusters"], first["only_first"], first["only_second"]) == (60, 30, 12, 48)
    assert first["difference"] == pytest.approx(-0.6)
    assert first["method"] == "adjusted_wald"
    assert first["ci"][0] < -0.6 < first["ci"][1] < 0
    assert first["told_apart"]
    assert first["p"] <= first["p_joint"]


def test_models_are_compared_on_items_that_both_were_asked(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = told(capsys, results, "constant:B", "one_task")
    [pair] = document["pairs"]
    assert (pair["n"], pair["only_first"], pair["only_second"]) == (20, 16, 0)
    assert document["tasks"]["counting"]["pairs"] == []


def test_who_was_asked_less_has_no_rank_but_stands_in_its_task(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = told(capsys, results)
    ranks = {ranked["model"]: ranked["rank"] for ranked in document["ranking"]}
    assert ranks["constant:B"] == [1, 1]
    assert ranks["one_task"] is None
    assert {ranked["model"] for ranked in document["tasks"]["naming"]["ranking"] if ranked["rank"]} == set(ranks)


def test_turning_two_models_round_changes_the_signs_only(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [pair] = told(capsys, results, "constant:B", "random")["pairs"]
    [turned] = told(capsys, results, "random", "constant:B")["pairs"]
    assert turned["difference"] == -pair["difference"]
    assert turned["ci"] == [-pair["ci"][1], -pair["ci"][0]]
    assert (turned["only_first"], turned["only_second"]) == (pair["only_second"], pair["only_first"])
    assert {k: turned[k] for k in ("p", "p_mcnemar", "items_needed")} == {
        k: pair[k] for k in ("p", "p_mcnemar", "items_needed")
    }


def test_items_needed_go_by_the_joint_test_as_verdicts_do(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    among_all = {(pair["first"], pair["second"]): pair for pair in told(capsys, results)["pairs"]}
    [alone] = told(capsys, results, "constant:A", "random")["pairs"]
    in_all = among_all["constant:A", "random"]
    assert alone["p_joint"] == alone["p"] <= in_all["p_joint"]
    assert 1.2 * alone["items_needed"] < in_all["items_needed"] < 2 * alone["items_needed"]


def test_samples_beside_scores_of_all_items_change_none_of_their_ranks(
    release: Release, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = told(capsys, results)
    for model in ("constant:A", "constant:B", "random"):
        evaluate(release, model, out=results, limit=20)
    after = told(capsys, results)
    ranks = {ranked["model"]: (ranked["rank"], ranked["groups"]) for ranked in after["ranking"]}
    assert {
        ranked["model"]: (ranked["rank"], ranked["groups"]) for ranked in before["ranking"]
    }.items() <= ranks.items()
    pairs = {(pair["first"], pair["second"]): pair for pair in after["pairs"]}
    assert len(pairs) == len(before["pairs"]) + 3
    assert all(pairs[pair["first"], pair["second"]] == pair for pair in before["pairs"])


def test_a_model_that_answers_as_another_changes_no_p_of_the_others(
    release: Release, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {(pair["first"], pair["second"]): pair for pair in told(capsys, results)["pairs"]}
    twin = replace(constant("B", BackendOptions()), name="a_twin")
    evaluate(release, twin, out=results)
    after = {(pair["first"], pair["second"]): pair for pair in told(capsys, results)["pairs"]}
    assert before.items() <= after.items()


def test_long_names_leave_every_figure_whole_in_a_hundred_columns(
    release: Release, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(2):
        named = replace(constant("AB"[number], BackendOptions()), name=f"an-organization/with-a-long-name-{number}" * 3)
        evaluate(release, named, out=results)
    assert invoke(["evaluate", "compare", str(results)]) == 0
    printed = capsys.readouterr().out
    whole = (results / "comparison.txt").read_text(encoding="utf-8")
    assert max(map(len, printed.splitlines()[:50] + whole.splitlines())) <= 100
    assert "\u2026" not in whole
    assert "models have their numbers of the first table" in whole
    assert "an-organization/with-a-long-name-1" in whole


def test_with_a_release_letters_are_told_and_the_rest_is_the_same(
    results: Path, release: Release, capsys: pytest.CaptureFixture[str]
) -> None:
    without, with_release = told(capsys, results), told(capsys, results, "--release", release.path)
    assert without.pop("letters") is None
    letters = with_release.pop("letters")
    assert with_release == without
    always_a = letters["constant:A"]
    assert {name: (share["given"], share["keyed"]) for name, share in always_a["letters"].items()} == {
        "A": (60, 12),
        "B": (0, 48),
    }
    assert always_a["moved"] == pytest.approx(0.8)
    assert letters["one_task"]["letters"]["C"]["accuracy"]["n"] == 0


def test_people_get_tables_and_the_rule(results: Path, release: Release, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["evaluate", "compare", str(results), "--release", str(release.path)]) == 0
    printed = capsys.readouterr().out
    assert "12:48" in printed
    assert "60/12" in printed
    assert "share no letter" in printed


def test_what_cannot_be_compared_is_refused_in_words(
    results: Path, bench: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "has constant:A, constant:B, one_task, random" in refused(capsys, results, "constant:B", "nobody")
    assert "two different models" in refused(capsys, results, "random")
    assert "two different models" in refused(capsys, results, "random", "random")
    other_release = bench.release(tmp_path / "other", version="2.0")
    assert "give the release that was scored" in refused(capsys, results, "--release", other_release.path)
    evaluate(other_release, "constant:C", out=results)
    assert "cannot be compared" in refused(capsys, results)


def rewrite(path: Path, **stamp: bytes) -> None:
    """Write predictions anew, as version 1 had them unless stated."""
    table = pq.read_table(path).drop_columns(["group"])
    metadata = {**table.schema.metadata, b"version": b"1", **{k.encode(): v for k, v in stamp.items()}}
    pq.write_table(table.replace_schema_metadata(metadata), path)


def test_predictions_of_version_one_are_compared_with_the_help_of_the_release(
    results: Path, release: Release, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = told(capsys, results, "--release", release.path)
    rewrite(results / "random" / "predictions.parquet")
    assert "--release" in refused(capsys, results)
    assert told(capsys, results, "--release", release.path) == whole


def test_predictions_that_are_not_those_of_the_score_are_refused(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (results / "random" / "predictions.parquet").write_bytes(
        (results / "constant-A" / "predictions.parquet").read_bytes()
    )
    assert "it has model 'constant:A'" in refused(capsys, results)
    (results / "random" / "predictions.parquet").unlink()
    assert "the file is missing" in refused(capsys, results)


def test_one_model_alone_is_refused(release: Release, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evaluate(release, "random", out=tmp_path / "one")
    assert "score another into the same folder" in refused(capsys, tmp_path / "one")


def test_what_is_longer_than_a_screen_goes_to_a_file(
    release: Release, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for letter in "AB":
        for number in range(4):
            evaluate(
                release, f"constant:{letter}", out=results, name=f"{letter}{number}", protocol=f"shuffle:k={number + 2}"
            )
    capsys.readouterr()
    assert invoke(["evaluate", "compare", str(results)]) == 0
    printed = capsys.readouterr().out.splitlines()
    written = (results / "comparison.txt").read_text(encoding="utf-8").splitlines()
    assert printed[:58] == written[:58]
    assert printed[59] == f"{len(written) - 58} more lines in {results / 'comparison.txt'}"

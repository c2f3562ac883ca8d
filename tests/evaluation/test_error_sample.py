"""Samples of errors: a fixed number per task or in proportion, reproducible, and only items with a reply."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchwright.cli.main import invoke
from benchwright.errors import BenchwrightError
from benchwright.evaluation.analysis.error_sample import BLINK, II_BENCH, ErrorSample, Plan, draw_errors, own_categories
from benchwright.evaluation.run import evaluate
from benchwright.release import Release
from benchwright.review_files.tasks import LONGEST_TEXT, read_review_tasks

pytestmark = pytest.mark.slow

DOMAINS = ("Life",) * 30 + ("Art",) * 20 + ("Society",) * 10


@pytest.fixture
def scored(bench: Any, predictions_file: Any, tmp_path: Path) -> tuple[Release, Path]:
    """Sixty items keyed B in three tasks and domains: one model says A, one is right on the first half or refuses."""
    for number, domain in enumerate(DOMAINS):
        bench.add(f"q{number}", task=("first", "second", "third")[number % 3], attributes={"domain": domain})
    release = bench.release(tmp_path / "release")
    long = "The cat. " * 4000 + "(A)"
    for model, reply in (
        ("wrong", lambda k: long if k == 0 else "(A)"),
        ("half", lambda k: "(B)" if k < 30 else "I cannot help with that." if k < 40 else "hm"),
    ):
        rows = [{"item_id": item.item_id, "reply": reply(k)} for k, (item, _) in enumerate(bench.items)]
        evaluate(release, f"predictions:{predictions_file(rows, f'{model}.jsonl')}", out=tmp_path / "out")
    return release, tmp_path / "out"


Scored = tuple[Release, Path]


def drawn(scored: Scored, plan: Plan, *models: str) -> ErrorSample:
    release, results = scored
    return draw_errors(results, release, plan, BLINK, models=models)


def test_ten_of_each_task_as_blink_has_it(scored: Scored) -> None:
    sample = drawn(scored, Plan(per_stratum=10), "predictions:wrong.jsonl")
    assert dict(sample.errors) == {"first": 20, "second": 20, "third": 20}
    assert Counter(task.about["task"] for task in sample.tasks) == {"first": 10, "second": 10, "third": 10}
    assert {task.about["model"] for task in sample.tasks} == {"predictions:wrong.jsonl"}


def test_in_proportion_to_the_domains_as_ii_bench_has_it(scored: Scored) -> None:
    sample = drawn(scored, Plan(total=12, by="domain"), "predictions:wrong.jsonl")
    assert Counter(task.about["stratum"] for task in sample.tasks) == {"Life": 6, "Art": 4, "Society": 2}


def test_the_seed_decides_and_nothing_else(scored: Scored) -> None:
    first, again, third = (drawn(scored, Plan(per_stratum=5, seed=seed)) for seed in (3, 3, 4))
    assert first == again
    assert {task.item_id for task in first.tasks} != {task.item_id for task in third.tasks}


def test_misses_and_refusals_are_errors_and_an_item_comes_once(scored: Scored) -> None:
    sample = drawn(scored, Plan(total=1000))
    assert sum(sample.errors.values()) == 90  # sixty of one model, thirty of the other
    assert len({task.item_id for task in sample.tasks}) == len(sample.tasks) == 60
    assert Counter(task.about["model"] for task in sample.tasks)["predictions:half.jsonl"] > 5
    read_as = {task.about["state"]: task.beside[1].text for task in sample.tasks}
    assert read_as["answered"] == "A, which is not the key"
    assert {read_as[name] for name in read_as if name != "answered"} <= {"no single letter", "a refusal"}


def test_a_long_reply_is_cut_and_says_so(scored: Scored) -> None:
    [task] = [
        task for task in drawn(scored, Plan(total=60), "predictions:wrong.jsonl").tasks if len(task.beside[0].text) > 9
    ]
    assert len(task.beside[0].text) <= LONGEST_TEXT
    assert task.beside[0].text.endswith("more characters]")


def test_what_cannot_be_drawn_is_said(scored: Scored) -> None:
    with pytest.raises(BenchwrightError, match="has a label 'mood'"):
        drawn(scored, Plan(total=5, by="mood"))
    with pytest.raises(BenchwrightError, match="no score of 'nobody'"):
        drawn(scored, Plan(), "nobody")


def test_the_papers_categories_and_own_ones() -> None:
    assert [category.words for category in II_BENCH][:2] == ["Metaphorical misunderstanding", "Detail misunderstanding"]
    assert len(BLINK) == 5
    assert [(category.code, category.words) for category in own_categories(["a=Takes = for x", "b_2=Other"])] == [
        ("a", "Takes = for x"),
        ("b_2", "Other"),
    ]
    for bad in (["A=x"], ["a"], ["a="], ["a=x", "a=y"]):
        with pytest.raises(BenchwrightError, match="category"):
            own_categories(bad)


def test_the_command_writes_a_file_of_tasks(scored: Scored, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    release, results = scored
    out = tmp_path / "errors.jsonl"
    command = ["evaluate", "errors", str(results), "--release", str(release.path), "--out", str(out)]
    assert invoke([*command, "--sample", "12", "--proportional-to", "domain", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["drawn"], document["errors"], document["strata"]["Art"]["errors"]) == (12, 90, 40)
    read = read_review_tasks(out)
    assert (read.head.kind, len(read.tasks)) == ("error_analysis", 12)
    assert [category.code for category in read.head.categories] == [category.code for category in II_BENCH]
    before = out.read_bytes()
    assert invoke([*command, "--sample", "12", "--proportional-to", "domain"]) == 0, "the same again is done"
    assert out.read_bytes() == before
    assert invoke([*command, "--sample", "11", "--proportional-to", "domain"]) == 2
    assert "errors.jsonl already exists with other content" in capsys.readouterr().err
    assert invoke([*command, "--sample", "12", "--proportional-to", "domain", "--force"]) == 0
    assert out.read_bytes() == before
    assert invoke([*command, "--force", "--category", "own=My own"]) == 0
    assert [category.code for category in read_review_tasks(out).head.categories] == ["own"]

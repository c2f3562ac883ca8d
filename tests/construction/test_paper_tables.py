"""Counts of releases in the tables of II-Bench, MM-SAP and MVP-Bench that apply to them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from handmade_bench import Bench
from walks import in_process, run_json

from benchwright.construction.paper_tables.label_counts import count_implications
from benchwright.construction.paper_tables.labelled_questions import ImplicationQuestion

KINDS = ("difficulty", "domain", "emotion", "image_type", "rhetoric")


def counted(document: dict[str, Any], unit: str) -> dict[str, dict[str, int]]:
    return {kind: {row["label"]: row[unit] for row in document["labels"][kind]} for kind in KINDS}


def test_the_published_records_give_the_published_counts(ii_bench: Path) -> None:
    expected = json.loads((ii_bench / "expected.json").read_text(encoding="utf-8"))
    document = run_json("release", "statistics", ii_bench)
    every = document["implication"]
    assert (document["awareness"], document["pairs"]) == (None, None)
    assert (every["questions"], every["images"]) == (expected["files"], expected["distinct_sha256"])
    assert counted(every, "images") == expected["label_counts_per_image_dev_and_subset"]
    test = run_json("release", "statistics", ii_bench, "--split", "test")["implication"]
    assert counted(test, "questions") == expected["label_counts_per_question_subset"]
    assert [row["split"] for row in every["splits"]] == ["dev", "test"]
    assert sum(row["share"] for row in every["labels"]["domain"]) == pytest.approx(1)
    comics = [row for row in every["domains_by_type"] if row["image_type"] == "Multi-panel Comic"]
    assert sum(row["images"] for row in comics) == counted(every, "images")["image_type"]["Multi-panel Comic"]


def question(number: int, image: str, split: str = "test", **labels: tuple[str, ...]) -> ImplicationQuestion:
    return ImplicationQuestion(f"q{number}", split, image, "What is it?", ("a", "b c"), labels, "It is two words")


def test_a_picture_counts_once_and_its_questions_each() -> None:
    statistics = count_implications(
        [
            question(1, "one", "dev", domain=("life",), image_type=("meme", "poster")),
            question(2, "one", "dev", domain=("life",), image_type=("meme", "poster")),
            question(3, "two", domain=("art",), image_type=("poster",)),
        ]
    )
    assert statistics is not None
    assert (statistics.questions, statistics.images, statistics.splits) == (3, 2, {"dev": (2, 1), "test": (1, 1)})
    assert statistics.labels["domain"]["life"] == (1, 2, 0.5)
    assert statistics.labels["image_type"]["poster"] == (2, 3, pytest.approx(2 / 3))  # of three labels
    assert statistics.domains_by_type == {("meme", "life"): 1, ("poster", "art"): 1, ("poster", "life"): 1}
    assert (statistics.question_words, statistics.option_words, statistics.explanation_words) == (3, 1.5, 4)


def test_a_folder_that_is_neither_and_a_record_of_another_form_are_named(tmp_path: Path) -> None:
    assert "neither a release nor a folder of II-Bench" in in_process("release", "statistics", tmp_path).stderr
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "dev.json").write_text('[{"local_path": "a.jpg", "questions": []}]', encoding="utf-8")
    refused = in_process("release", "statistics", tmp_path)
    assert refused.returncode == 2
    assert "data/dev.json: entry 1: questions" in refused.stderr


def test_tables_are_those_that_apply_to_the_items_of_the_split(tmp_path: Path) -> None:
    bench = Bench()
    bench.add("Which emotion does the picture convey?", attributes={"domain": "life"}, refusal="C")
    bench.add("What is behind the wall?", refusal="C")
    bench.add("Which animal?", split="dev")
    release = tmp_path / "release"
    bench.release(release)
    document = run_json("release", "statistics", release)
    assert (document["implication"]["questions"], document["awareness"]["items"]) == (1, 2)
    assert (document["awareness"]["without_refusal"], document["pairs"]) == (1, None)
    assert run_json("release", "statistics", release, "--split", "test")["awareness"]["without_refusal"] == 0
    printed = in_process("release", "statistics", release).stdout
    assert "as II-Bench counts" in printed
    assert "as MM-SAP counts" in printed
    assert "as MVP-Bench counts" not in printed


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--split", "val"], "no split 'val'; it has 'dev', 'test'"),
        (["--split", "dev"], "no table applies to its 1 item"),
        (["--plot", "pairs.svg"], "--plot pairs.svg"),
    ],
)
def test_what_cannot_be_counted_is_refused(options: list[str], named: str, tmp_path: Path) -> None:
    bench = Bench()
    bench.add("What is behind the wall?", refusal="C")
    bench.add("Which animal?", split="dev")
    bench.release(tmp_path / "release")
    refused = in_process("release", "statistics", tmp_path / "release", *options)
    assert (refused.returncode, named in refused.stderr) == (2, True)

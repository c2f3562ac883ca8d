"""II-Bench's table 1 and figure 5: on its published records, on a release, on what has no labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from walks import in_process, run_json

from benchwright.construction.implication.label_counts import count_implications
from benchwright.construction.implication.labelled_questions import ImplicationQuestion
from benchwright.errors import BenchwrightError

KINDS = ("difficulty", "domain", "emotion", "image_type", "rhetoric")


def counted(document: dict[str, Any], unit: str) -> dict[str, dict[str, int]]:
    return {kind: {row["label"]: row[unit] for row in document["labels"][kind]} for kind in KINDS}


def test_the_published_records_give_the_published_counts(ii_bench: Path) -> None:
    expected = json.loads((ii_bench / "expected.json").read_text(encoding="utf-8"))
    every = run_json("implication", "statistics", ii_bench)
    assert (every["questions"], every["images"]) == (expected["files"], expected["distinct_sha256"])
    assert counted(every, "images") == expected["label_counts_per_image_dev_and_subset"]
    test = run_json("implication", "statistics", ii_bench, "--split", "test")
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
    assert (statistics.questions, statistics.images, statistics.splits) == (3, 2, {"dev": (2, 1), "test": (1, 1)})
    assert statistics.labels["domain"]["life"] == (1, 2, 0.5)
    assert statistics.labels["image_type"]["poster"] == (2, 3, pytest.approx(2 / 3))  # of three labels
    assert statistics.domains_by_type == {("meme", "life"): 1, ("poster", "art"): 1, ("poster", "life"): 1}
    assert (statistics.question_words, statistics.option_words, statistics.explanation_words) == (3, 1.5, 4)
    with pytest.raises(BenchwrightError, match="in the split 'val'"):
        count_implications([question(1, "one", domain=("life",))], split="val")


def test_a_folder_that_is_neither_and_a_record_of_another_form_are_named(tmp_path: Path) -> None:
    assert "neither a release nor a folder of II-Bench" in in_process("implication", "statistics", tmp_path).stderr
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "dev.json").write_text('[{"local_path": "a.jpg", "questions": []}]', encoding="utf-8")
    refused = in_process("implication", "statistics", tmp_path)
    assert refused.returncode == 2
    assert "data/dev.json: entry 1: questions" in refused.stderr

"""Columns of options with unusual names, such as `response_options`, are recognized by their content."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from dataset_fixtures.pictures import save

from benchwright.question_files.item_check import read_questions

ROPE = {"id": "1", "question": "Does the rope hold? True or False?", "answer": "False", "image": "1.png"}
OAR = {"id": "2", "question": "Is the oar of wood? True or False?", "answer": "True", "image": "1.png"}


def _read(folder: Path, rows: list[dict[str, Any]], end: str = "jsonl") -> dict[str, Any]:
    """Return the options and the place of the right one of each question by its id; only those that can be asked."""
    save(folder / "1.png", 1, 40, 30)
    if end == "jsonl":
        (folder / "quiz.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    else:
        with (folder / "quiz.csv").open("w", encoding="utf-8", newline="") as handle:
            writer = csv.DictWriter(handle, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    with read_questions(folder) as read:
        entries = [entry for entry in read.index.questions() if entry.question.options]
        return {entry.question.key: (entry.question.options, entry.question.answer) for entry in entries}


@pytest.mark.parametrize(
    "name", ["response_options", "responseOptions", "MCQ choices", "options_text", "my alternatives"]
)
def test_a_list_under_a_name_with_a_word_for_options_is_the_options(name: str, tmp_path: Path) -> None:
    rows = [{**row, name: ["True", "False"]} for row in (ROPE, OAR)]
    assert _read(tmp_path, rows) == {"1": (("True", "False"), 1), "2": (("True", "False"), 0)}


@pytest.mark.parametrize(
    "listed", [{"A": "a rope", "B": "an oar"}, '["a rope", "an oar"]', '{"A": "a rope", "B": "an oar"}']
)
def test_a_mapping_and_a_text_that_holds_either_are_read_too(listed: Any, tmp_path: Path) -> None:
    rows = [{**ROPE, "question": "What lies there?", "answer": "B", "given_options": listed}]
    assert _read(tmp_path, rows) == {"1": (("a rope", "an oar"), 1)}


def test_a_cell_of_a_table_holds_a_list_as_text(tmp_path: Path) -> None:
    rows = [{**row, "response_options": json.dumps(["True", "False"])} for row in (ROPE, OAR)]
    assert _read(tmp_path, rows, "csv") == {"1": (("True", "False"), 1), "2": (("True", "False"), 0)}


@pytest.mark.parametrize(
    "more",
    [
        {"response_options": ["a rope", "an oar"]},  # the key is neither
        {"num_options": 2},
        {"image_options": ["True", "False"]},
        {"options_en": ["True", "False"], "options_de": ["True", "False"]},  # one of two, and nobody says which
    ],
)
def test_what_does_not_list_the_options_is_no_column_of_them(more: dict[str, Any], tmp_path: Path) -> None:
    assert _read(tmp_path, [{**ROPE, **more}]) == {}


def test_letters_of_which_several_are_right_make_no_items_of_one_right_option(tmp_path: Path) -> None:
    letters = ["a", "b", "c", "d"]
    rows = [{**ROPE, "answer": "d", "response_options": letters}, {**OAR, "answer": "a,c", "response_options": letters}]
    assert _read(tmp_path, rows) == {}


def test_letters_that_the_words_list_are_the_options_of_the_words(tmp_path: Path) -> None:
    asked = {**ROPE, "question": "How long is the rope? (a) one metre (b) two metres", "answer": "b"}
    assert _read(tmp_path, [{**asked, "response_options": ["a", "b"]}]) == {"1": (("one metre", "two metres"), 1)}

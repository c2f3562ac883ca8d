"""`evaluate published` prints cells for machines and for people, and reports errors in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchwright.cli.main import invoke


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "val_answers.json").write_text('{"val_Jigsaw_1": "(A)", "val_Jigsaw_2": "(B)"}', encoding="utf-8")
    (tmp_path / "saved_val_predictions").mkdir()
    (tmp_path / "saved_val_predictions" / "one.json").write_text('{"val_Jigsaw_1": "(A)"}', encoding="utf-8")
    return tmp_path


def test_it_prints_one_json_document_and_notes_beside_it(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["evaluate", "published", "blink", "--data", str(data), "--model", "one", "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out) == {
        "model": "one",
        "cells": {"val/Jigsaw": {"value": 50.0, "numerator": 1, "denominator": 2}},
        "readings": {"val/Jigsaw": {"reading": "published", "printed": [], "tried": 1, "different": 1}},
        "families": [{"family": "all cells", "reading": "published", "printed": 0, "reproduced": {"published": 0}}],
        "prompts": {},
    }
    assert "1 question without an output counted as wrong" in printed.err


def test_people_get_a_table_without_printed_values_where_none_are_known(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["evaluate", "published", "blink", "--data", str(data), "--model", "one"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["cell", "%", "counted"] in lines
    assert ["val/Jigsaw", "50.00", "1", "of", "2"] in lines


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["blink", "--model", "two"], "no files of a model named 'two'; it has one"),
        (["chess", "--model", "one"], "BENCHMARK"),
        (
            ["blink", "--model", "one", "--reading", "judge"],
            "blink has no reading 'judge'; it has published, rule, robust",
        ),
        (["blink", "--model", "one", "--vanilla", "one-pass"], "--vanilla and --by-hand are for mvp-bench"),
        (["blink", "--model", "one", "--by-hand", "7=perhaps"], "'7=perhaps' is not ID=yes or ID=no"),
        (["mvp-bench", "--model", "one"], "no files of a model named 'one'; it has no model's files"),
        (["ii-bench", "--model", "one"], "no files of a model named 'one'; it has no model's files"),
    ],
)
def test_wrong_use_exits_with_2_and_says_what_was_wrong(
    data: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert invoke(["evaluate", "published", *arguments, "--data", str(data)]) == 2
    printed = capsys.readouterr()
    assert words in printed.err
    assert printed.out == ""

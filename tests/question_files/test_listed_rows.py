"""No row is lost: every row of a source is an item, a reply or left out, in order; single rows can be explained."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from dataset_fixtures.pictures import save
from openpyxl import Workbook

from benchwright.construction.imported.command import items

ROWS: list[dict[str, Any]] = [
    {"id": "a", "image": "1.png", "question": "One?", "A": "x", "B": "y", "answer": "B", "split": "dev"},
    {"id": "b", "image": "gone.png", "question": "Two?", "A": "x", "B": "y", "answer": "A", "split": "dev"},
    {"id": "c", "image": "1.png", "question": "Three?", "A": "x", "B": "y", "answer": "E", "split": "dev"},
    {"id": "a", "image": "1.png", "question": "One?", "A": "x", "B": "y", "answer": "A", "split": "test"},
    {"id": "e", "image": "1.png", "question": "", "A": "x", "B": "y", "answer": "A", "split": "test"},
    {"id": "f", "image": "1.png", "question": "Six?", "A": "x", "B": "y", "answer": None, "split": "test"},
    {"id": "g", "image": "1.png", "question": "Seven?", "A": "x", "B": "y", "answer": "A", "split": "test"},
]  # fmt: skip
OUTCOMES = [None, "missing_picture", "key_not_an_option", "repeated", "no_question", "no_key", None]


def _text(path: Path, delimiter: str) -> None:
    lines = [delimiter.join(ROWS[0]), *(delimiter.join(str(v or "") for v in row.values()) for row in ROWS)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _xlsx(path: Path) -> None:
    book = Workbook()
    book.active.append([*ROWS[0]])
    for row in ROWS:
        book.active.append([*row.values()])
    book.save(path)


WRITERS: dict[str, Callable[[Path], Any]] = {
    "q.csv": lambda path: _text(path, ","),
    "q.tsv": lambda path: _text(path, "\t"),
    "q.xlsx": _xlsx,
    "q.jsonl": lambda path: path.write_text("".join(json.dumps(row) + "\n" for row in ROWS)),
    "q.json": lambda path: path.write_text(json.dumps(ROWS)),
    "q.parquet": lambda path: pq.write_table(pa.Table.from_pylist(ROWS), path),
}


def _listed(source: Path, *settings: str) -> list[dict[str, Any]]:
    done = CliRunner().invoke(items, [str(source), "--list", *settings])
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.output.splitlines()]


def test_rows_without_words_beside_questions_are_left_out_row_by_row(tmp_path: Path) -> None:
    save(tmp_path / "1.png", 1, 40, 30)
    row = {"id": "a", "image": "1.png", "options": ["oar", "sail"], "answer": "B"}
    for setting, rows in (("plain", [{**row, "question": "Which?"}]), ("seen", [row, {**row, "id": "z"}])):
        (tmp_path / setting).mkdir()
        (tmp_path / setting / "test.json").write_text(json.dumps(rows))
    assert [(line["file"], line["row"], line.get("left_out")) for line in _listed(tmp_path)] == [
        ("plain/test.json", 0, None), ("seen/test.json", 0, "no_question"), ("seen/test.json", 1, "no_question"),
    ]  # fmt: skip


def test_a_mark_that_may_show_several_pictures_shows_none(tmp_path: Path) -> None:
    pictures = [f"{n}.png" for n in range(4)]
    for number, name in enumerate(pictures):
        save(tmp_path / name, number, 40, 30)
    row = {"id": "a", "images": pictures, "question": "<image> Which?", "options": ["<image>", "none"], "answer": "A"}
    (tmp_path / "q.json").write_text(json.dumps([row]))
    [line] = _listed(tmp_path)
    assert line["left_out"] == "unclear_picture"
    assert "4 pictures" in line["detail"]


@pytest.mark.parametrize("is_below", [True, False])
def test_pictures_are_listed_by_their_paths_below_the_source(is_below: bool, tmp_path: Path) -> None:
    folder = tmp_path / ("bench/photos/test" if is_below else "elsewhere")
    (tmp_path / "bench").mkdir()
    (folder / "5").mkdir(parents=True)
    save(folder / "5/p.png", 1, 40, 30)
    row = {"id": "a", "image": "./5/p.png", "question": "Which?", "options": ["oar", "sail"], "answer": "B"}
    (tmp_path / "bench/q.json").write_text(json.dumps([row]))
    path = "photos/test/5/p.png" if is_below else "5/p.png"
    assert _listed(tmp_path / "bench", "--pictures", str(folder))[0]["images"] == [path]


@pytest.mark.parametrize("name", WRITERS)
def test_every_row_is_listed_in_order_and_the_sum_holds(name: str, tmp_path: Path) -> None:
    save(tmp_path / "1.png", 1, 40, 30)
    WRITERS[name](tmp_path / name)
    lines = _listed(tmp_path)
    assert [(line["file"], line["row"], line.get("left_out", line.get("no_item"))) for line in lines] == [
        (name, number, outcome) for number, outcome in enumerate(OUTCOMES)
    ]
    assert [line["source_id"] for line in lines] == [row["id"] for row in ROWS]
    assert lines[0] == {
        "file": name, "row": 0, "source_id": "a", "split": "dev", "task": "imported", "question": "One?",
        "options": [{"key": "A", "text": "x"}, {"key": "B", "text": "y"}], "answer": "B", "declines": None,
        "images": ["1.png"],
    }  # fmt: skip
    assert all(line.keys() == {"file", "row", "source_id", "left_out", "detail"} for line in lines[1:5])
    assert lines[5] == {
        **lines[0], "row": 5, "source_id": "f", "split": "test", "question": "Six?", "answer": None, "no_item": "no_key",
        "stated_answer": None,
    }  # fmt: skip
    document = json.loads(CliRunner().invoke(items, [str(tmp_path), "--json"]).output)
    assert document["rows"] == [
        {
            "file": name,
            "read": 7,
            "items": 2,
            "no_item": {"no_key": 1},
            "replies": 0,
            "left_out": {"key_not_an_option": 1, "missing_picture": 1, "no_question": 1, "repeated": 1},
        }
    ]
    assert (document["no_item"], document["left_out"]) == (
        document["rows"][0]["no_item"],
        document["rows"][0]["left_out"],
    )
    told = "7 rows read = 2 items + 1 question that is not an item (no_key 1) + 4 left out"
    assert told in CliRunner().invoke(items, [str(tmp_path)]).output


@pytest.mark.slow
def test_nested_entries_bad_lines_files_and_replies_have_their_place(tmp_path: Path) -> None:
    save(tmp_path / "1.png", 1, 40, 30)
    asked = [{"id": f"n{n}", "question": "?", "options": ["x", "y"], "answer": "A"} for n in range(3)]
    (tmp_path / "nested.json").write_text(
        json.dumps([{"image": "1.png", "questions": asked[:2]}, {"image": "1.png", "questions": asked[2:]}])
    )
    (tmp_path / "q.jsonl").write_text("\n".join([json.dumps(ROWS[0]), "{broken", "[1]", json.dumps(ROWS[6])]))
    (tmp_path / "cut.parquet").write_bytes(b"PAR1")
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "mini.jsonl").write_text(
        "".join(json.dumps({"id": i, "response": r}) + "\n" for i, r in (("a", "B"), ("none", "A"), ("g", None)))
    )
    shown = [(line["file"], line["row"], line["source_id"], line.get("left_out")) for line in _listed(tmp_path)]
    assert shown == [
        ("nested.json", 0, "n0", None), ("nested.json", 0, "n1", None), ("nested.json", 1, "n2", None),
        ("q.jsonl", 0, "a", None), ("q.jsonl", 1, None, "bad_row"), ("q.jsonl", 2, None, "bad_row"),
        ("q.jsonl", 3, "g", None),
        ("results/mini.jsonl", 0, "a", "reply"), ("results/mini.jsonl", 1, "none", "unknown_question"),
        ("results/mini.jsonl", 2, None, "no_reply"),
        ("cut.parquet", None, None, "unreadable_file"),
    ]  # fmt: skip
    rows = json.loads(CliRunner().invoke(items, [str(tmp_path), "--json"]).output)["rows"]
    assert [(row["file"], row["read"], row["items"], row["replies"]) for row in rows] == [
        ("nested.json", 3, 3, 0), ("q.jsonl", 4, 2, 0), ("results/mini.jsonl", 3, 0, 1),
    ]  # fmt: skip


@pytest.mark.parametrize("which", ["c", "q.jsonl:2", "2"])
def test_a_row_is_explained_by_place_or_id(which: str, tmp_path: Path) -> None:
    WRITERS["q.jsonl"](tmp_path / "q.jsonl")
    done = CliRunner().invoke(items, [str(tmp_path), "--explain", which, "--json"])
    [row] = json.loads(done.output)["explained"]
    assert (row["file"], row["row"], row["source_id"], row["left_out"]) == ("q.jsonl", 2, "c", "key_not_an_option")
    assert row["key"] == {"value": "E", "reading": "letters", "options": {}}
    assert {field["field"]: field["column"] for field in row["fields"]}["question"] == "question"
    [picture] = row["images"]
    assert (picture["picture"], picture["found"]) == ("1.png", False)
    assert "picture '1.png' is missing" in picture["detail"]
    text = CliRunner().invoke(items, [str(tmp_path), "--explain", which]).output
    assert "key 'E', read as letters" in text
    assert "no option under any reading" in text


def test_a_row_that_is_not_there_and_settings_that_exclude_each_other_are_errors(tmp_path: Path) -> None:
    WRITERS["q.jsonl"](tmp_path / "q.jsonl")
    assert "q.jsonl has 7" in str(CliRunner().invoke(items, [str(tmp_path), "--explain", "q.jsonl:9"]).exception)
    assert "without --json" in CliRunner().invoke(items, [str(tmp_path), "--list", "--json"]).output
    assert "keys is 'roman'" in str(CliRunner().invoke(items, [str(tmp_path), "--column", "keys=roman"]).exception)


def test_a_mapping_that_is_not_complete_is_refused_with_what_it_lacks(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text("nr,stelling,o1,o2\n1,Wat?,x,y\n")
    refused = str(CliRunner().invoke(items, [str(tmp_path / "q.csv"), "--column", "options=o1,o2"]).exception)
    assert "it lacks a column for the question (--column question=COLUMN)" in refused
    assert "options=COLUMN" not in refused


def _explained(source: Path, which: str) -> dict[str, Any]:
    done = CliRunner().invoke(items, [str(source), "--explain", which, "--json"])
    assert done.exit_code == 0, done.output
    [row] = json.loads(done.output)["explained"]
    return {**row, "fields": {field["field"]: (field["from"], field["made_by"]) for field in row["fields"]}}


def test_what_a_layout_made_is_explained_by_the_columns_of_the_file(tmp_path: Path) -> None:
    row = {"filename": "1.png", "caption": "A red cup.", "negative_caption": "A blue cup.", "bbox": [1, 2], "meta": {}}
    (tmp_path / "captions.json").write_text(json.dumps([row]))
    told = _explained(tmp_path, "0")
    by = ["layout 'a right and a wrong caption'"]
    assert told["fields"] == {
        "question": ([], by), "options": (["caption", "negative_caption"], by), "answer": (["caption"], by),
        "image": (["filename"], []),
    }  # fmt: skip
    assert "comes first and is the key" in told["layouts"][0]["reading"]
    assert (told["labels"], told["unused"]) == (["bbox"], ["meta"])
    text = CliRunner().invoke(items, [str(tmp_path)]).output
    assert "question = supplied by layout 'a right and a wrong caption'" in text
    assert "image = filename" in text
    assert "not used: meta" in text
    assert "whole pictures are shown: the rectangle in bbox" in text


def test_options_under_another_name_or_within_the_words_are_told_as_the_file_has_them(tmp_path: Path) -> None:
    rows = [
        {"pid": "p1", "img": "1.png", "question": "Which? A) 10 B) 12", "option": "", "answer": "B"},
        {"pid": "p2", "img": "1.png", "question": "Which one?", "option": "A. oar; B. sail", "answer": "A"},
    ]
    (tmp_path / "q.json").write_text(json.dumps(rows))
    assert _explained(tmp_path, "0")["fields"]["options"] == (["question"], ["layout 'options within the question'"])
    assert _explained(tmp_path, "1")["fields"]["options"] == (["option"], ["layout 'all options in one text'"])


def test_a_key_from_another_file_names_that_file(tmp_path: Path) -> None:
    (tmp_path / "questions.json").write_text(
        json.dumps([{"id": n, "image": "1.png", "question": f"Is it {n}?"} for n in range(4)])
    )
    (tmp_path / "answers.json").write_text(json.dumps([{"id": n, "answer": "yes"} for n in range(4)]))
    origin = _explained(tmp_path, "questions.json:2")["fields"]["answer"]
    assert origin == (["id"], ["a look-up by id in answers.json"])


def test_a_key_of_yes_or_no_without_options_and_an_open_key_do_not_contradict_their_row(tmp_path: Path) -> None:
    save(tmp_path / "1.png", 1, 40, 30)
    rows = [
        {"id": "a", "image": "1.png", "question": "Is it whole?", "answer": "Yes"},
        {"id": "b", "image": "1.png", "question": "What is it?", "answer": "Liver"},
        {"id": "c", "image": "1.png", "question": "Select from A-D", "answer": "A, C"},
    ]
    (tmp_path / "q.json").write_text(json.dumps(rows))
    closed, opened, drawn = (_explained(tmp_path, row["id"]) for row in rows)
    assert (closed["key"]["reading"], closed["key"]["options"]["text"], closed["answer"]) == ("text", "A", "A")
    assert (opened["left_out"], opened["no_item"], opened["stated_answer"]) == (None, "no_options", "Liver")
    assert "option under any reading" not in CliRunner().invoke(items, [str(tmp_path), "--explain", "b"]).output
    assert "drawn in the picture" in drawn["detail"]


def test_questions_that_are_no_items_are_counted_as_they_are_listed(tmp_path: Path) -> None:
    save(tmp_path / "1.png", 1, 40, 30)
    names = ["1.png", "gone.png"]
    rows = [{"id": name, "image": name, "question": "What?", "answer": "a cup"} for name in names]
    (tmp_path / "q.json").write_text(json.dumps(rows))
    assert [(line.get("no_item"), line.get("left_out")) for line in _listed(tmp_path)] == [
        ("no_options", None), (None, "no_options"),
    ]  # fmt: skip
    [counts] = json.loads(CliRunner().invoke(items, [str(tmp_path), "--json"]).output)["rows"]
    assert (counts["read"], counts["items"], counts["no_item"], counts["left_out"]) == (
        2, 0, {"no_options": 1}, {"no_options": 1},
    )  # fmt: skip


def test_white_space_around_words_and_options_is_no_part_of_them(tmp_path: Path) -> None:
    save(tmp_path / "1.png", 1, 40, 30)
    row = {"image": "1.png", "question": " Which?\n", "A": " oar", "B": "sail \t", "C": "  ", "answer": "sail"}
    (tmp_path / "q.json").write_text(json.dumps([row, {**row, "answer": " oar "}]))
    lines = _listed(tmp_path)
    assert [line["answer"] for line in lines] == ["B", "A"]
    assert [(line["question"], [option["text"] for option in line["options"]]) for line in lines] == [
        ("Which?", ["oar", "sail"])
    ] * 2


def test_a_row_whose_place_is_the_id_of_another_says_by_which_it_is_named(tmp_path: Path) -> None:
    rows = [{"id": n, "image": "1.png", "question": "Is it?", "answer": "yes"} for n in (1, 2)]
    (tmp_path / "q.json").write_text(json.dumps(rows))
    done = CliRunner().invoke(items, [str(tmp_path), "--explain", "1"]).output
    assert done.count("named by its") == 2
    assert "named by its place:\nq.json, entry 2 (row 1), id 2" in done

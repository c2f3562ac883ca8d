"""Questions of existing benchmarks: read from every kind of file, turned into items of a run, and frozen."""

from __future__ import annotations

import base64
import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from dataset_fixtures.pictures import save
from PIL import Image

from benchwright.construction.imported.command import items
from benchwright.construction.imported.items import split_names
from benchwright.errors import DataError
from benchwright.images.made_pictures import is_lossless_webp
from benchwright.pipeline import run_recipe
from benchwright.question_files.item_check import read_questions
from benchwright.question_files.mapping.columns import guessed_columns
from benchwright.question_files.pictures.picture_lookup import PICTURE_REASONS
from benchwright.question_files.question_files import question_files
from benchwright.question_files.question_source import open_source
from benchwright.recipe import load_recipe
from benchwright.release import Release
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import RefusedRow

ROWS: list[dict[str, Any]] = [
    {"id": "q1", "image": "a.png", "question": "What is it?", "A": "NA", "B": "1", "C": "a, \"b\"", "answer": "B"},
    {"id": "q2", "image": "b.png", "question": "And this?", "A": "red", "B": "None", "C": "blue", "answer": "C"},
]  # fmt: skip


def _pictures(folder: Path) -> None:
    for number, name in enumerate("abc"):
        save(folder / f"{name}.png", 20 + number, 64, 48)


def _table(path: Path, rows: list[dict[str, Any]], delimiter: str = ",") -> None:
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)


def _lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _read(folder: Path) -> tuple[list[Any], list[RefusedRow]]:
    entries = [entry for _, entry in open_source(folder).entries()]
    refused = [entry for entry in entries if isinstance(entry, RefusedRow)]
    return [entry.question for entry in entries if not isinstance(entry, RefusedRow)], refused


def _in_base64(row: dict[str, Any], folder: Path) -> dict[str, Any]:
    return row | {"image": base64.b64encode((folder / row["image"]).read_bytes()).decode()}


def _parquet(folder: Path) -> None:
    rows = [
        {"id": row["id"], "question": row["question"], "choices": [row["A"], row["B"], row["C"]],
         "answer": "ABC".index(row["answer"]), "image": {"bytes": (folder / row["image"]).read_bytes(), "path": None}}
        for row in ROWS
    ]  # fmt: skip
    pq.write_table(pa.Table.from_pylist([*rows, rows[0] | {"id": "q3", "answer": 0}]), folder / "test-0.parquet")


def _inspect(folder: Path) -> None:
    _lines(folder / "val.jsonl", [
        {"id": row["id"], "choices": [row["A"], row["B"], row["C"]], "target": row["answer"],
         "input": [{"role": "user", "content": [{"type": "image", "image": row["image"]},
                                                {"type": "text", "text": row["question"]}]}]}
        for row in ROWS
    ])  # fmt: skip


WRITERS = {
    "csv": lambda folder: _table(folder / "mine.csv", ROWS),
    "vlmevalkit": lambda folder: _table(folder / "mine.tsv", [_in_base64(row, folder) for row in ROWS], "\t"),
    "jsonl": lambda folder: _lines(folder / "mine.jsonl", ROWS),
    "json": lambda folder: (folder / "mine.json").write_text(json.dumps(ROWS), encoding="utf-8"),
    "options as text": lambda folder: _lines(folder / "mine.jsonl", [
        {"id": row["id"], "img_path": row["image"], "query": row["question"],
         "choices": repr([row["A"], row["B"], row["C"]]), "label": row["answer"]} for row in ROWS]),
    "options by letter": lambda folder: _lines(folder / "mine.jsonl", [
        {"qid": row["id"], "image": row["image"], "question": row["question"],
         "options": {letter: row[letter] for letter in "CAB"}, "answer": row[row["answer"]]} for row in ROWS]),
    "parquet": _parquet,
    "inspect": _inspect,
}  # fmt: skip


@pytest.mark.parametrize("form", WRITERS)
def test_every_form_gives_the_same_questions(form: str, tmp_path: Path) -> None:
    _pictures(tmp_path)
    WRITERS[form](tmp_path)
    questions, refused = _read(tmp_path)
    assert refused == []
    assert [(q.key, q.ask, q.options, q.answer, q.pictures) for q in questions[:2]] == [
        ("q1", "What is it?", ("NA", "1", 'a, "b"'), 1, 1),
        ("q2", "And this?", ("red", "None", "blue"), 2, 1),
    ]


def test_a_run_makes_items_of_them_that_freeze_with_their_own_splits(tmp_path: Path) -> None:
    _pictures(tmp_path)
    rows = [
        ROWS[0] | {"split": "Dev-Mini", "topic": "things"},
        ROWS[1] | {"split": "test", "topic": "colors"},
        ROWS[1] | {"id": "q3", "image": "missing.png", "split": "test", "topic": ""},
        ROWS[1] | {"id": "q4", "answer": "Z", "split": "test", "topic": ""},
    ]
    _table(tmp_path / "mine.csv", rows)
    (tmp_path / "r.yaml").write_text(
        "name: mine\nsteps:\n  - step: items\n    file: mine.csv\n  - step: freeze\n    name: mine\n    version: '1.0'\n"
    )
    run_recipe(load_recipe(tmp_path / "r.yaml"), workspace=tmp_path / "ws")
    release = Release.open(tmp_path / "ws" / "releases" / "mine-1.0")
    by_id = {entry.item.attributes["source_id"]: entry for entry in release.items()}
    assert {key: (entry.split, entry.item.answer, entry.item.category) for key, entry in by_id.items()} == {
        "q1": ("dev_mini", "B", "things"), "q2": ("test", "C", "colors"),
    }  # fmt: skip
    assert [choice.text for choice in by_id["q1"].item.choices] == ["NA", "1", 'a, "b"']
    assert by_id["q1"].item.attributes["source_split"] == "Dev-Mini"
    [picture] = by_id["q1"].images.values()
    assert picture == (tmp_path / "a.png").read_bytes()
    refused = (tmp_path / "ws" / "datasets" / "items.asked.refused.jsonl").read_text().splitlines()
    assert [(json.loads(line)["entry"], json.loads(line)["reason"]) for line in refused] == [
        ("line 4", "missing_picture"), ("line 5", "key_not_an_option"),
    ]  # fmt: skip


def test_a_photograph_on_its_side_is_turned_upright_and_stays_lossless_where_the_task_is_an_exact_one(
    tmp_path: Path,
) -> None:
    for name, shade in (("a.jpg", 60), ("b.jpg", 180)):
        exif = Image.Exif()
        exif[274] = 6
        Image.new("RGB", (64, 48), (shade, 90, 30)).save(tmp_path / name, exif=exif)
    shared = {"question": "What is it?", "A": "a tree", "B": "a dog", "answer": "A"}
    _table(
        tmp_path / "mine.csv",
        [{"image": "a.jpg", "task": "photos", **shared}, {"image": "b.jpg", "task": "forensic_detection", **shared}],
    )
    steps = "[{step: items, file: mine.csv}, {step: freeze, name: mine, version: '1.0'}]"
    (tmp_path / "r.yaml").write_text(f"name: mine\nsteps: {steps}\n")
    run_recipe(load_recipe(tmp_path / "r.yaml"), workspace=tmp_path / "ws")
    release = Release.open(tmp_path / "ws" / "releases" / "mine-1.0")
    seen = {one.item.task: (next(iter(one.images.values())), one.drawn) for one in release.items()}
    with Image.open(io.BytesIO(seen["photos"][0])) as upright:
        assert (upright.format, upright.size, 274 in upright.getexif()) == ("JPEG", (48, 64), False)
    assert seen["photos"][1] == (None,)
    [drawn] = seen["forensic_detection"][1]
    assert drawn is not None
    assert is_lossless_webp(drawn)


def test_splits_of_a_source_get_names_that_a_release_takes_and_none_gets_that_of_another() -> None:
    assert split_names(["Dev-Mini", "dev_mini", "3rd", "测试", "x" * 40]) == {
        "3rd": "split_3rd", "Dev-Mini": "dev_mini_2", "dev_mini": "dev_mini", "测试": "split", "x" * 40: "x" * 32,
    }  # fmt: skip


def test_questions_without_a_key_are_items_only_where_the_recipe_says_so(tmp_path: Path) -> None:
    _pictures(tmp_path)
    _table(tmp_path / "mine.csv", [ROWS[0], ROWS[1] | {"answer": "?"}])
    with read_questions(tmp_path / "mine.csv") as read:
        assert read.left_out == {"no_key": 1}
        assert len(list(read.index.pictures())) == 2
    steps = "steps: [{step: items, file: mine.csv, keyless: keep}, {step: freeze, name: mine, version: '1.0'}]"
    (tmp_path / "r.yaml").write_text(f"name: mine\n{steps}\n")
    run_recipe(load_recipe(tmp_path / "r.yaml"), workspace=tmp_path / "ws")
    release = Release.open(tmp_path / "ws" / "releases" / "mine-1.0")
    keys = {entry.item.attributes["source_id"]: entry.item.right_key for entry in release.items()}
    assert keys == {"q1": "B", "q2": None}


def test_several_pictures_and_options_that_are_pictures(tmp_path: Path) -> None:
    _pictures(tmp_path)
    data = {name: (tmp_path / f"{name}.png").read_bytes() for name in "abc"}
    row = {"id": "v", "question": "Which is like <image 1>?", "image_1": {"bytes": data["a"], "path": None},
           "options": [{"bytes": data["b"], "path": None}, {"bytes": data["c"], "path": None}], "answer": "A"}  # fmt: skip
    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "test.parquet")
    [question], refused = _read(tmp_path)
    assert (question.options, question.pictures, question.answer, refused) == ((1, 2), 3, 0, [])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"question": ""}, "no_question"),
        ({"B": "", "C": ""}, "too_few_options"),
        ({"B": ""}, "empty_option"),
        ({"answer": "D"}, "key_not_an_option"),
        ({"A": "1", "answer": "1"}, "ambiguous_key"),
        ({"question": "x" * 100_001}, "bad_row"),
    ],
)
def test_a_row_that_cannot_be_used_is_one_refusal_with_its_reason(
    change: dict[str, str], reason: str, tmp_path: Path
) -> None:
    _table(tmp_path / "mine.csv", [ROWS[0] | change, ROWS[1]])
    with read_questions(tmp_path) as read:
        taken = [row.source_id for row in read.index.rows() if row.reason != reason]
        refused = [(row.entry, row.reason) for row in read.refused() if row.reason not in PICTURE_REASONS]
    assert (taken, refused) == (["q2"], [("line 2", reason)])


def test_questions_of_yes_and_no_need_no_options(tmp_path: Path) -> None:
    _lines(tmp_path / "vqa.jsonl", [{"question": "Is it red?", "image": "a.png", "answer": "no"}])
    [question], _ = _read(tmp_path)
    assert (question.kind, question.options, question.answer, question.key) == ("yes_no", ("Yes", "No"), 1, "line 1")


def test_columns_are_guessed_and_can_be_said(tmp_path: Path) -> None:
    guess = guessed_columns(["Question", "option1", "option2", "Answer", "image_1", "image_2", "note"])
    assert (guess.fields, guess.options, guess.images) == (
        {"question": "Question", "answer": "Answer"}, ("option1", "option2"), ("image_1", "image_2"),
    )  # fmt: skip
    stated = guessed_columns(["was", "o1", "o2", "right"], {"question": "was", "options": ["o1", "o2"]})
    assert (stated.column("question"), stated.options, stated.column("answer")) == ("was", ("o1", "o2"), "right")
    with pytest.raises(DataError, match="column 'ask' for question is missing; the columns are was"):
        guessed_columns(["was"], {"question": "ask"})
    with pytest.raises(DataError, match="unknown field 'frage'"):
        guessed_columns(["was"], {"frage": "was"})
    (tmp_path / "notes.csv").write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match=r"contains no question file .*looked into notes.csv"):
        question_files(DatasetFiles(tmp_path))


def test_the_command_shows_guesses_and_refusals(tmp_path: Path) -> None:
    _pictures(tmp_path)
    _table(tmp_path / "mine.csv", [*ROWS, ROWS[0] | {"image": "gone.png", "id": "q9"}, ROWS[0]])
    done = CliRunner().invoke(items, [str(tmp_path / "mine.csv")])
    assert done.exit_code == 0, done.output
    assert "question = question" in done.output
    assert "2 items, 2 images" in done.output
    assert "left out, missing_picture: 1" in done.output
    assert "left out, repeated: 1" in done.output
    assert "gone.png" in done.output


def test_the_columns_are_written_changed_and_read_again(tmp_path: Path) -> None:
    _pictures(tmp_path)
    _table(tmp_path / "mine.csv", [{"right": "a", "question": "What?", "o1": "a", "o2": "b", "image": "a.png"}])
    settings = ["--column", "options=o1,o2", "--column", "answer=right", "--column", "task=o1"]
    place = str(tmp_path / "columns.yaml")
    written = CliRunner().invoke(items, [str(tmp_path / "mine.csv"), *settings, "--write-columns", place])
    assert written.exit_code == 0, written.output
    text = Path(place).read_text(encoding="utf-8")
    assert "format: benchwright/columns\nversion: 1\n" in text
    Path(place).write_text(text.replace("task: o1\n", "category: o2\n"), encoding="utf-8")
    done = CliRunner().invoke(items, [str(tmp_path / "mine.csv"), "--columns", place, "--json"])
    document = json.loads(done.output)
    [file] = document["files"]
    assert (document["items"], file["options"], file["columns"]["category"]) == (1, ["o1", "o2"], "o2")
    assert "task" not in file["columns"]
    again = CliRunner().invoke(items, [str(tmp_path / "mine.csv"), "--write-columns", place])
    assert "already exists, perhaps with your changes" in str(again.exception)
    assert "category: o2" in Path(place).read_text(encoding="utf-8")


def test_files_with_other_columns_have_a_mapping_each(tmp_path: Path) -> None:
    _pictures(tmp_path)
    for name, column in (("dev", "frage"), ("test", "was")):
        _table(tmp_path / f"{name}.csv", [{column: f"{name}?", "A": "x", "B": "y", "answer": "1", "image": "a.png"}])
    place = tmp_path / "columns.yaml"
    place.write_text(
        "format: benchwright/columns\nversion: 1\nfiles:\n  dev*: {question: frage, keys: from_1}\n  test*: {question: was, first_answer: 0}\n"
    )
    with read_questions(tmp_path, columns=place) as read:
        assert [(q.question.ask, q.question.answer) for q in read.index.questions()] == [("dev?", 0), ("test?", 1)]
    (tmp_path / "r.yaml").write_text(
        "name: mine\nsteps:\n  - step: items\n    file: .\n    mapping: columns.yaml\n  - step: freeze\n    name: mine\n    version: '1.0'\n"
    )
    run_recipe(load_recipe(tmp_path / "r.yaml"), workspace=tmp_path / "ws")
    release = Release.open(tmp_path / "ws" / "releases" / "mine-1.0")
    assert sorted((entry.split, entry.item.question) for entry in release.items()) == [
        ("dev", "dev?"),
        ("test", "test?"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1]", "names no columns"),
        ("a: [", "is not YAML"),
        ("x: &a [1]\ny: *a\n", "aliases"),
        ("format: benchwright/columns\nversion: 2\n", "has version 2; this Benchwright reads up to 1"),
        ("format: other\n", "format is 'other'"),
        ("question: {a: b}\n", "a field has one column or a list of columns"),
        ("frage: ask\n", "unknown field 'frage'"),
        ("question: gone\n", "column 'gone' for question is missing"),
        ("first_answer: 2\n", "first_answer is 2; write 0 or 1"),
    ],
)
def test_a_file_of_columns_that_is_none_is_refused(text: str, message: str, tmp_path: Path) -> None:
    _table(tmp_path / "mine.csv", ROWS)
    (tmp_path / "columns.yaml").write_text(text)
    with (
        pytest.raises(DataError, match=message),
        read_questions(tmp_path / "mine.csv", columns=tmp_path / "columns.yaml"),
    ):
        pass


def test_ids_that_several_files_use_are_told_apart_by_the_file(tmp_path: Path) -> None:
    _pictures(tmp_path)
    _table(tmp_path / "dev.csv", [ROWS[0] | {"id": "0"}, ROWS[1] | {"id": "1"}])
    _table(tmp_path / "test.csv", [ROWS[1] | {"id": "0"}, ROWS[1] | {"id": "1"}])
    with read_questions(tmp_path) as read:
        questions = [entry.question for entry in read.index.questions()]
        assert [q.key for q in questions] == ["dev.csv:0", "dev.csv:1", "test.csv:0", "test.csv:1"]
        assert [q.labels["stated_id"] for q in questions] == ["0", "1", "0", "1"]
        assert list(read.refused()) == []


def test_a_picture_that_is_named_as_another_format_is_used(tmp_path: Path) -> None:
    save(tmp_path / "a.png", 4, 64, 48, "JPEG")
    (tmp_path / "b.png").write_bytes(b"no picture at all")
    _table(tmp_path / "mine.csv", ROWS)
    recipe = "name: mine\nsteps: [{step: items, file: mine.csv}, {step: freeze, name: mine, version: '1.0'}]\n"
    (tmp_path / "r.yaml").write_text(recipe)
    run_recipe(load_recipe(tmp_path / "r.yaml"), workspace=tmp_path / "ws")
    [entry] = Release.open(tmp_path / "ws" / "releases" / "mine-1.0").items()
    assert list(entry.images.values()) == [(tmp_path / "a.png").read_bytes()]
    [refused] = (tmp_path / "ws" / "datasets" / "items.asked.refused.jsonl").read_text().splitlines()
    assert (json.loads(refused)["entry"], json.loads(refused)["reason"]) == ("line 3", "unreadable_picture")


def test_pictures_of_one_name_in_several_tables_stay_apart(tmp_path: Path) -> None:
    _pictures(tmp_path / "p")
    for name in "ab":
        cell = {"bytes": (tmp_path / "p" / f"{name}.png").read_bytes(), "path": "image.png"}
        row = {"id": name, "question": "What?", "options": ["x", "y"], "answer": 0, "image": cell}
        (tmp_path / "d" / name).mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist([row]), tmp_path / "d" / name / "test.parquet")
    with read_questions(tmp_path / "d") as read:
        uris = [picture.source.uri for picture in read.index.brought("items")]
    assert len(uris) == len(set(uris)) == 2
    assert all(uri.endswith("/image.png") for uri in uris)


def test_a_table_that_is_cut_off_or_of_another_kind_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_bytes(b"PAR1" + b"\0" * 40)
    with pytest.raises(DataError, match="cannot be read"):
        question_files(DatasetFiles(tmp_path), only=["x.parquet"])
    buffer = io.StringIO("question,answer\n")
    (tmp_path / "empty.csv").write_text(buffer.getvalue())
    with pytest.raises(DataError, match="it holds no rows"):
        question_files(DatasetFiles(tmp_path), only=["empty.csv"])


def test_what_lies_broken_beside_the_questions_is_told_and_the_questions_are_read(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text("question,answer,A,B\nIs it?,A,yes,no\n")
    (tmp_path / "old.zip").write_bytes(b"PK, and no more")
    (tmp_path / "table.parquet").write_bytes(b"PAR1, and no more")
    (tmp_path / "wide.csv").write_text("question,answer\nIs it?\n")
    (tmp_path / "other.json").write_text("[1, 2]")
    (tmp_path / "loop").symlink_to("loop")
    with zipfile.ZipFile(tmp_path / "more.zip", "w") as archive:
        archive.writestr("/x", b"")
        archive.writestr("../y.csv", b"")
        archive.writestr("./r.csv", "question,answer,A,B\nWas it?,B,yes,no\n")
    with read_questions(tmp_path) as read:
        assert [entry.question.ask for entry in read.index.questions()] == ["Is it?", "Was it?"]
        told = {row.file: row.reason for row in read.refused()}
    assert told.items() >= {
        ("old.zip", "damaged_archive"), ("more.zip", "unusable_member"), ("loop", "unusable_entry"),
        ("table.parquet", "unreadable_file"), ("wide.csv", "bad_row"),
    }  # fmt: skip

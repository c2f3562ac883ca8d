"""Files of replies: every layout yields the same letters, and an unreadable reply is reported with its row."""

from __future__ import annotations

import gzip
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchwright.errors import DataError, PrerequisiteError
from benchwright.replies.model_replies import NO_LETTER, KeyedItem, letter_matrix, read_replies

ITEMS = (
    KeyedItem("q1", ("cat", "dog", "eel"), 1, "animals", ("picture:1",)),
    KeyedItem("q2", ("red", "blue"), 0, "colors", ("picture:1",), names=("17",)),
    KeyedItem("q3", ("Yes", "No"), 1, "yes_no"),
)
LETTERS = {"q1": 1, "q2": 1, "q3": NO_LETTER}
"""A dog, blue, and nothing that can be read."""


def lines(*rows: Any) -> bytes:
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def sample(item_id: str, completion: str, epoch: int = 1, **more: Any) -> dict[str, Any]:
    return {"id": item_id, "epoch": epoch, "output": {"completion": completion}, **more}


DUNNO = "I cannot say."
INSPECT = {
    "version": 2,
    "eval": {"model": "lab/able"},
    "samples": [
        sample("q1", "no matter", scores={"choice": {"value": "C", "answer": "B"}}),
        sample("q1", "ANSWER: A", epoch=2),
        sample("q2", "ANSWER: B", choices=["red", "blue"]),
        sample("q3", DUNNO),
    ],
}
LAYOUTS: dict[str, tuple[str, bytes]] = {
    "benchwright": ("a.jsonl", lines({"item_id": "q1", "reply": "The answer is B."}, {"item_id": "q2", "reply": "blue"},
                                     {"item_id": "q3", "reply": DUNNO})),
    "letters": ("a.csv", f"item_id,answer\nq1,B\nq2,B\nq3,{DUNNO}\n".encode()),
    "vlmevalkit": ("able_Bench.tsv", ("index\tquestion\tA\tB\tC\tanswer\tprediction\n"
                   f"q1\tWhat?\tcat\tdog\teel\tB\tB. dog\nq2\tColour?\tred\tblue\t\tA\t(B)\nq3\tIs it?\tYes\tNo\t\tB\t{DUNNO}\n").encode()),
    "lmms_eval_by_id": ("samples.jsonl", lines(*(
        {"doc_id": n, "doc": {"question_id": i, "answer": "B"}, "target": "B", "resps": [["long " + r]],
         "filtered_resps": [r]} for n, (i, r) in enumerate((("q1", "B"), ("q2", "B"), ("q3", DUNNO)), start=40)))),
    "lmms_eval_by_number": ("samples.jsonl", lines(
        {"doc_id": 0, "target": "B", "filtered_resps": ["B"]}, {"doc_id": 1, "target": "A", "filtered_resps": ["B"]},
        {"doc_id": 2, "target": "No", "resps": [[DUNNO]]})),
    "inspect": ("log.json", json.dumps(INSPECT).encode()),
    "mapping": ("able.json", json.dumps({"q1": "(B)", "17": "(B) blue", "q3": DUNNO}).encode()),
    "lists_by_split": ("able.json", json.dumps({"val": [{"idx": "q1", "answer": "B", "prediction": "(B)"}], "test": [
        {"idx": "q2", "prediction": "(B)"}, {"idx": "q3", "prediction": DUNNO}]}).encode()),
    "gzipped": ("a.jsonl.gz", gzip.compress(lines({"question_id": "q1", "output": "dog"}, {"question_id": "q2", "output": "B"},
                                                  {"question_id": "q3", "output": DUNNO}))),
}  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str, bytes], Path]:
    def write(name: str, data: bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return write


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_same_letters(layout: str, file: Callable[[str, bytes], Path]) -> None:
    (replies,) = read_replies(file(*LAYOUTS[layout]), ITEMS)
    assert replies.letters == LETTERS
    assert replies.texts == {"q3": DUNNO}


def test_a_log_names_its_model_and_counts_the_first_epoch(file: Callable[[str, bytes], Path]) -> None:
    (replies,) = read_replies(file(*LAYOUTS["inspect"]), ITEMS)
    assert replies.model == "lab/able"
    assert [(row.where, row.reason) for row in replies.unread] == [
        ("log.json: sample 2", "epoch 2; only the first counts")
    ]


def test_an_inspect_archive_reads_like_its_json(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({"eval": INSPECT["eval"]}))
        for entry in INSPECT["samples"]:  # type: ignore[attr-defined]
            archive.writestr(f"samples/{entry['id']}_epoch_{entry['epoch']}.json", json.dumps(entry))
    (replies,) = read_replies(path, ITEMS)
    assert (replies.model, replies.letters) == ("lab/able", LETTERS)


def test_a_folder_counts_as_all_its_files(tmp_path: Path) -> None:
    for name, row in (("one", {"idx": "q1", "prediction": "B"}), ("two", {"idx": "q2", "prediction": "B"})):
        (tmp_path / f"{name}.json").write_text(json.dumps({"val": [row]}))
    (tmp_path / "notes.md").write_text("not replies")
    (replies,) = read_replies(tmp_path, ITEMS, model="able")
    assert replies.letters == {"q1": 1, "q2": 1}


def test_a_column_of_models_gives_each_its_own_replies(file: Callable[[str, bytes], Path]) -> None:
    path = file("all.csv", b"model,id,reply\nweak,q1,A\nable,q1,B\nable,q2,A\n")
    able, weak = read_replies(path, ITEMS)
    assert (able.model, able.letters) == ("able", {"q1": 1, "q2": 0})
    assert (weak.model, weak.letters) == ("weak", {"q1": 0})
    with pytest.raises(DataError, match="'able', 'weak'"):
        read_replies(path, ITEMS, model="able")


def test_letters_of_options_in_another_order_are_found_by_their_texts(file: Callable[[str, bytes], Path]) -> None:
    rows = "index\tA\tB\tC\tprediction\nq1\tdog\teel\tcat\tA\nq2\tgreen\tblue\t\tB\n"
    (replies,) = read_replies(file("t.tsv", rows.encode()), ITEMS)
    assert replies.letters == {"q1": 1}
    assert [(row.where, row.reason) for row in replies.unread] == [
        ("t.tsv: line 3", "the options in this row are not those of the item")
    ]


def test_what_cannot_be_read_is_told_row_by_row(file: Callable[[str, bytes], Path]) -> None:
    path = file(
        "r.jsonl",
        lines({"id": "q1", "reply": "B"}, {"id": "q1", "reply": "B"}, {"id": "q1", "reply": "A"}, {"reply": "B"},
              {"id": "q2"}, {"id": "q2", "reply": None}, {"id": "q2", "reply": ["B"]}, {"id": "elsewhere", "reply": "B"},
              [1]) + b"{broken\n",
    )  # fmt: skip
    (replies,) = read_replies(path, ITEMS)
    assert replies.letters == {"q1": 1}
    assert replies.elsewhere == 1
    assert [row.where.rpartition(" ")[2] for row in replies.unread] == ["4", "5", "6", "7", "9", "10", "3"]
    assert "has another answer earlier (r.jsonl: line 1)" in replies.unread[-1].reason
    assert "options are named by 1 of 1 reply; 1 row is of no item here; 7 rows could not be read" in str(replies)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        pytest.param("r.jsonl", lines({"id": "x9", "reply": "B"}), "of its 1 row none names an item", id="other items"),
        pytest.param("r.jsonl", lines({"id": "q1"}), r"contains no replies: r.jsonl: line 1: no reply", id="no replies"),
        pytest.param("r.txt", b"B", "reply files are", id="unknown suffix"),
        pytest.param("r.json", b"{", "no JSON", id="broken JSON"),
        pytest.param("r.json", b'{"a": {"b": 1}}', "neither a list of rows", id="other JSON"),
        pytest.param("r.jsonl.gz", b"plain", "cannot be unpacked", id="not gzipped"),
        pytest.param("r.eval", b"plain", "inspect log dump", id="no archive"),
        pytest.param("samples.jsonl", lines(*({"doc_id": n, "target": "Z", "filtered_resps": ["B"]} for n in range(2))),
                     "names an item", id="numbers whose keys are others"),
    ],
)  # fmt: skip
def test_a_file_without_replies_is_refused(
    name: str, data: bytes, message: str, file: Callable[[str, bytes], Path]
) -> None:
    with pytest.raises(DataError, match=message):
        read_replies(file(name, data), ITEMS)


def test_files_that_unpack_to_more_than_memory_holds_are_refused(
    file: Callable[[str, bytes], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchwright.replies.reply_files.MAX_FILE_CHARS", 10)
    monkeypatch.setattr("benchwright.replies.reply_files.MAX_UNPACKED_BYTES", 10)
    with pytest.raises(DataError, match="more than 10 characters of replies"):
        read_replies(file("r.jsonl", lines({"id": "q1", "reply": "B"}, {"id": "q2", "reply": "a long reply"})), ITEMS)
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as archive:
        archive.writestr("header.json", "{}" * 20)
    with pytest.raises(DataError, match="it unpacks to more than"):
        read_replies(tmp_path / "log.eval", ITEMS)


def test_a_file_of_keys_is_no_file_of_replies(file: Callable[[str, bytes], Path]) -> None:
    items = [KeyedItem(f"q{n}", ("a", "b"), n % 2) for n in range(20)]
    rows = [{"id": item.item_id, "answer": "AB"[item.key or 0]} for item in items]
    with pytest.raises(DataError, match="contains the keys of all 20 items"):
        read_replies(file("keys.jsonl", lines(*rows)), items)
    rows[0]["answer"] = "B"
    assert len(read_replies(file("keys.jsonl", lines(*rows)), items)[0].letters) == 20


def test_a_spreadsheet_says_what_reads_it(file: Callable[[str, bytes], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(PrerequisiteError, match=r"openpyxl .* save the table as \.tsv"):
        read_replies(file("r.xlsx", b"PK"), ITEMS)


def test_the_matrix_says_who_was_asked_what_and_which_items_hang_together(file: Callable[[str, bytes], Path]) -> None:
    (able,) = read_replies(file("able.csv", b"id,reply\nq1,B\nq2,B\nq3,No\n"), ITEMS)
    (weak,) = read_replies(file("weak.csv", b"id,reply\nq1,hm\n"), ITEMS)
    matrix = letter_matrix(ITEMS, [able, weak])
    assert matrix.models == ("able", "weak")
    assert matrix.letter.tolist() == [[1, 1, 1], [NO_LETTER] * 3]
    assert matrix.asked.tolist() == [[True] * 3, [True, False, False]]
    assert matrix.right.tolist() == [[True, False, True], [False] * 3]
    assert (matrix.options.tolist(), matrix.group.tolist()) == ([3, 2, 2], [0, 0, 1])
    assert [matrix.tasks[number] for number in matrix.task] == ["animals", "colors", "yes_no"]
    with pytest.raises(DataError, match="two files of replies are named 'able'"):
        letter_matrix(ITEMS, [able, able])


def test_an_item_without_a_key_is_asked_but_not_scored() -> None:
    matrix = letter_matrix([KeyedItem("q", ("a", "b"), None)], [])
    assert matrix.key.tolist() == [NO_LETTER]
    assert not np.any(matrix.scored)

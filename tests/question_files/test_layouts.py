"""Layouts in which benchmarks are published, each read without a mapping.

- MMMU: configurations as folders, options as a Python list in a text, `<image 1>`, seven columns of pictures.
- MMBench: hints, pictures of another row, rotated rows.
- VQAv2, COCO, Label Studio, WebDataset, objects of JSON, packed files, streams of Arrow.
- Hostile or damaged content is an outcome with file, row and reason.
"""

from __future__ import annotations

import base64
import csv
import gzip
import io
import json
import tarfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from dataset_fixtures.pictures import save

from benchwright.question_files.item_check import read_questions
from benchwright.question_files.questions.file_question import FileQuestion
from benchwright.source_files.refusals import RefusedRow


def _picture(folder: Path, number: int) -> bytes:
    save(folder / f"{number}.png", number, 40, 30)
    return (folder / f"{number}.png").read_bytes()


@contextmanager
def _read(source: Path, **settings: Any) -> Iterator[tuple[dict[str, FileQuestion], list[RefusedRow]]]:
    with read_questions(source, **settings) as read:
        yield {entry.question.key: entry for entry in read.index.questions()}, list(read.refused())


def _outcomes(entries: dict[str, FileQuestion]) -> dict[str, str | None]:
    return {key: entry.outcome for key, entry in entries.items()}


def test_mmmu_comes_in_by_subject_with_placed_pictures_and_options_that_are_pictures(tmp_path: Path) -> None:
    cells = {n: {"bytes": _picture(tmp_path / "p", n), "path": f"{n}.png"} for n in range(1, 4)}
    none = dict.fromkeys(f"image_{n}" for n in range(1, 8))
    shared = {"topic_difficulty": "Easy", "subfield": "Ledgers", "question_type": "multiple-choice"}
    accounting = [
        {"id": "validation_Accounting_1", "question": "What is in <image 1>?", "options": "['$6', '$7 \\'net\\'', '$8']",
         "answer": "B", **none, "image_1": cells[1], **shared},
        {"id": "validation_Accounting_2", "question": "Which is like <image 1>?", "answer": "A",
         "options": "['<image 2>', '<image 3>']", **none, "image_1": cells[1], "image_2": cells[2], "image_3": cells[3], **shared},
        {"id": "validation_Accounting_3", "question": "How many?", "options": "[]", "answer": "['12', 'twelve']",
         **none, "image_1": cells[1], **shared | {"question_type": "open"}},
    ]  # fmt: skip
    art = [{"id": "test_Art_1", "question": "Who painted <image 3>?", "options": "['Ann', 'Bob']", "answer": "?",
            **none, "image_1": cells[2], "image_3": cells[3], **shared}]  # fmt: skip
    for name, rows in (("Accounting/validation", accounting), ("Art/test", art)):
        (tmp_path / "mmmu" / name).parent.mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist(rows), tmp_path / "mmmu" / f"{name}-00000-of-00001.parquet")
    with _read(tmp_path / "mmmu") as (entries, refused):
        by_id = {key: entry.question for key, entry in entries.items()}
        assert [(q.task, q.split, q.answer, q.options, q.pictures) for q in by_id.values()] == [
            ("accounting", "validation", 1, ("$6", "$7 'net'", "$8"), 1),
            ("accounting", "validation", 0, (1, 2), 3),
            ("accounting", "validation", None, (), 1),
            ("art", "test", None, ("Ann", "Bob"), 2),
        ]
        assert by_id["test_Art_1"].ask == "Who painted <image 2>?"  # its second picture, in the third column
        assert (by_id["validation_Accounting_3"].kind, by_id["validation_Accounting_3"].stated_answer) == (
            "open", "12\ntwelve",
        )  # fmt: skip
        assert [(row.reason, row.file, row.entry) for row in refused] == [
            ("no_options", "Accounting/validation-00000-of-00001.parquet", "row 3"),
            ("no_key", "Art/test-00000-of-00001.parquet", "row 1"),
        ]
        assert {q.category for q in by_id.values()} == {"Ledgers"}


def _tsv(path: Path, rows: list[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]), delimiter="\t")
        writer.writeheader()
        writer.writerows(rows)


def test_mmbench_shares_pictures_by_index_and_knows_rotated_rows(tmp_path: Path) -> None:
    image = base64.b64encode(_picture(tmp_path / "p", 1)).decode()
    row = {"index": 241, "question": "Which is right?", "hint": "The glass fell.", "A": "one", "B": "two", "C": "",
           "D": "", "answer": "A", "category": "physics", "l2-category": "reason", "image": image, "split": "dev"}  # fmt: skip
    rows = [
        row | {"index": 7, "image": 241, "question": "And this?", "hint": ""},  # refers to a row that comes later
        row,
        row | {"index": 1_000_241, "A": "two", "B": "one", "answer": "B", "image": 241},
        row | {"index": 2_000_241, "A": "two", "B": "one", "answer": "A", "image": 241},
        row | {"index": 9, "image": 999},
    ]
    _tsv(tmp_path / "mmbench_dev.tsv", rows)
    with _read(tmp_path / "mmbench_dev.tsv") as (entries, refused):
        assert _outcomes(entries) == {
            "7": None, "241": None, "1000241": "rotated", "2000241": "rotated", "9": "missing_picture",
        }  # fmt: skip
        assert entries["7"].image_ids == entries["241"].image_ids == entries["1000241"].image_ids
        question = entries["241"].question
        assert (question.ask, question.options, question.category, question.split) == (
            "The glass fell.\nWhich is right?", ("one", "two"), "physics", "dev",
        )  # fmt: skip
        assert entries["7"].question.ask == "And this?"
        details = {row.entry: row.detail for row in refused}
        assert "its key is" not in details["line 4"]
        assert "its key is 'two', there 'one'" in details["line 5"]


def _json(path: Path, document: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), encoding="utf-8")


def test_vqa_joins_questions_with_the_answer_that_most_people_gave(tmp_path: Path) -> None:
    save(tmp_path / "val2014" / "COCO_val2014_000000000042.jpg", 3, 40, 30)
    head = {"info": {"year": 2017}, "task_type": "Open-Ended", "data_subtype": "val2014"}
    asked = ["Is it red?", "How many?", "What is it?", "Where?"]
    questions = [{"image_id": 42, "question": words, "question_id": 42000 + n} for n, words in enumerate(asked)]
    answers = [["yes"] * 7 + ["no"] * 3, ["2"] * 5 + ["3"] * 5, ["cup"] * 10]
    annotations = [
        {"question_id": 42000 + n, "image_id": 42, "answer_type": "other", "question_type": "what",
         "answers": [{"answer": answer, "answer_id": k} for k, answer in enumerate(given)],
         **({"multiple_choice_answer": given[0]} if n != 1 else {})}
        for n, given in enumerate(answers)
    ]  # fmt: skip
    _json(tmp_path / "v2_OpenEnded_mscoco_val2014_questions.json", {**head, "questions": questions})
    _json(tmp_path / "v2_mscoco_val2014_annotations.json", {**head, "annotations": annotations})
    with _read(tmp_path) as (entries, refused):
        assert _outcomes(entries) == {
            "42000": None,
            "42001": "no_options",
            "42002": "no_options",
            "42003": "no_options",
        }
        keys = [(e.question.answer, e.question.stated_answer) for e in entries.values()]
        assert keys == [(0, None), (None, "2"), (None, "cup"), (None, None)]
        assert entries["42000"].question.split == "val"
        assert entries["42001"].question.labels["answers_agreeing"] == 5
        assert all(entry.image_ids[0] for entry in entries.values())
        assert Counter(row.reason for row in refused) == {"no_options": 3}


def test_pictures_of_coco_are_named_by_number(tmp_path: Path) -> None:
    save(tmp_path / "images" / "7.png", 7, 40, 30)
    entry = {"question": "Which?", "options": {"A": "x", "B": "y"}, "answer": "B", "image_id": 3}
    _json(tmp_path / "test.json", {"images": [{"id": 3, "file_name": "7.png"}], "items": [entry | {"id": "a"}]})
    with _read(tmp_path) as (entries, refused):
        assert _outcomes(entries) == {"a": None}
        assert (entries["a"].question.answer, refused) == (1, [])


def _vote(*choices: str, **more: Any) -> dict[str, Any]:
    results = [{"from_name": "answer", "to_name": "q", "type": "choices", "value": {"choices": [c]}} for c in choices]
    return {"completed_by": 1, "was_cancelled": False, "result": results, **more}


def test_label_studio_takes_the_key_from_what_most_annotators_chose(tmp_path: Path) -> None:
    save(tmp_path / "upload" / "1" / "ab-x.png", 5, 40, 30)
    data = {
        "image": "/data/upload/1/ab-x.png",
        "question": "What is it?",
        "options": [{"value": "cup"}, {"value": "pot"}],
    }
    tasks = [
        {"id": 1, "data": data, "annotations": [_vote("pot"), _vote("cup"), _vote("pot"), _vote("cup", was_cancelled=True)]},
        {"id": 2, "data": data, "annotations": [_vote("pot"), _vote("cup", ground_truth=True), _vote("pot")]},
        {"id": 3, "data": data, "annotations": [_vote("pot"), _vote("cup")]},
        {"id": 4, "data": data, "annotations": []},
        {"id": 5, "data": data | {"options": ["cup", "pot"]}, "annotations": [_vote("jug")]},
        {"id": 6, "data": data | {"answer": "cup"}, "annotations": [_vote("pot")]},
    ]  # fmt: skip
    _json(tmp_path / "project-1.json", tasks)
    with _read(tmp_path) as (entries, refused):
        keys = {key: entry.question.answer for key, entry in entries.items()}
        assert keys == {"1": 1, "2": 0, "4": None, "5": None, "6": 0}
        labels = entries["1"].question.labels
        assert (labels["annotators"], labels["annotators_agreeing"]) == (3, 2)
        assert [(row.entry, row.reason) for row in refused] == [
            ("entry 3", "ambiguous_key"), ("entry 4", "no_key"), ("entry 5", "key_not_an_option"),
        ]  # fmt: skip
        assert "'pot' and 'cup' were chosen by 1 each" in refused[0].detail


def test_label_studio_without_a_question_asks_what_the_labeling_configuration_says(tmp_path: Path) -> None:
    save(tmp_path / "x.png", 5, 40, 30)
    (tmp_path / "label_config.xml").write_text(
        '<View><Image name="i" value="$image"/><Header value="Which domain?"/><Choices name="domain" toName="i">'
        '<Choice value="life"/><Choice value="art"/><Choice value="other"/></Choices>'
        '<Choices name="mood" toName="i"/></View>'
    )
    vote = {"result": [
        {"from_name": name, "type": "choices", "value": {"choices": [choice]}}
        for name, choice in (("domain", "art"), ("mood", "glad"))
    ]}  # fmt: skip
    _json(tmp_path / "project.json", [{"id": 1, "data": {"image": "x.png"}, "annotations": [vote]}])
    with _read(tmp_path) as (entries, refused):
        question = entries["1-domain"].question
        assert (question.ask, question.options, question.answer) == ("Which domain?", ("life", "art", "other"), 1)
        assert question.task == "domain"
        assert [(row.entry, row.reason) for row in refused] == [("entry 1, mood", "too_few_options")]


def _tar(path: Path, members: list[tuple[str, bytes]]) -> None:
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in members:
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))


def _sample(name: str, number: int, data: bytes, **more: Any) -> list[tuple[str, bytes]]:
    row = {"question": f"Q{number}?", "options": ["x", "y"], "answer": "A", **more}
    return [(f"{name}.json", json.dumps(row).encode()), (f"{name}.10.png", data), (f"{name}.2.png", data)]


def test_webdataset_keeps_order_and_splits_and_lists_what_is_no_sample(tmp_path: Path) -> None:
    data = [_picture(tmp_path / "p", n) for n in range(2)]
    good = _sample("a/s1", 1, data[0])
    good[1] = (good[1][0], data[1])
    (tmp_path / "d").mkdir()
    _tar(
        tmp_path / "d" / "val-000000.tar", [*good, ("a/s2.json", b"[1]"), ("a/s2.png", data[0]), ("a/s3.png", data[0])]
    )
    _tar(tmp_path / "d" / "test-000000.tar", [*_sample("t1", 2, data[0]), *_sample("t2", 3, data[1])])
    whole = (tmp_path / "d" / "test-000000.tar").read_bytes()
    (tmp_path / "d" / "train-000000.tar").write_bytes(whole[: len(whole) // 2 + 600])
    with _read(tmp_path / "d") as (entries, refused):
        assert {key: (entry.question.split, len(entry.image_ids)) for key, entry in entries.items()} == {
            "t1": ("test", 2), "t2": ("test", 2), "a/s1": ("val", 2),
        }  # fmt: skip
        first, second = entries["a/s1"].image_ids
        assert (first, second) == (entries["t1"].image_ids[0], entries["t2"].image_ids[0])  # 2.png before 10.png
        reasons = {(row.file, row.reason) for row in refused}
        assert reasons == {("train-000000.tar", "repeated"), ("train-000000.tar", "damaged_archive"),
                           ("val-000000.tar", "bad_row")}  # fmt: skip
    with _read(tmp_path / "d" / "test-000000.tar") as (entries, _):
        assert list(entries) == ["t1", "t2"]


def test_a_hostile_archive_writes_nothing_and_reads_nothing_outside(tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(_picture(tmp_path / "p", 1))
    path = tmp_path / "d" / "x.tar"
    path.parent.mkdir()
    row = json.dumps({"question": "Q?", "options": ["x", "y"], "answer": "A"}).encode()
    with tarfile.open(path, "w") as archive:
        for name in ("../../up", "/abs"):
            for member, data in ((f"{name}.json", row), (f"{name}.png", (tmp_path / "secret.png").read_bytes())):
                entry = tarfile.TarInfo(member)
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))
        entry = tarfile.TarInfo("link.json")
        entry.size = len(row)
        archive.addfile(entry, io.BytesIO(row))
        for name, kind in (("link.png", tarfile.SYMTYPE), ("link.2.png", tarfile.LNKTYPE)):
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = kind, "../secret.png"
            archive.addfile(entry)
        archive.addfile(entry := tarfile.TarInfo("huge.json"), io.BytesIO(b""))
    before = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*"))
    with _read(path) as (entries, refused):
        assert all(entry.image_ids for entry in entries.values())
        assert [(row.entry, row.reason) for row in refused] == [
            ("sample 'link'", "bad_row"), ("sample 'huge'", "bad_row"),
        ]  # fmt: skip
        assert "a link or a device" in refused[0].detail
    assert sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*")) == before
    _json(
        tmp_path / "d" / "q.json",
        [{"id": 1, "question": "Q?", "options": ["x", "y"], "answer": "A", "image": "../secret.png"}],
    )
    path.unlink()
    (tmp_path / "d" / "out.png").symlink_to(tmp_path / "secret.png")
    _json(
        tmp_path / "d" / "r.json",
        [{"id": 2, "question": "Q?", "options": ["x", "y"], "answer": "A", "image": "out.png"}],
    )
    with _read(tmp_path / "d") as (entries, _):
        assert _outcomes(entries) == {"1": "missing_picture", "2": "unreadable_picture"}


ROW = {"question": "Which?", "options": ["x", "y"], "answer": "B", "image": "1.png"}
SHAPES: dict[str, tuple[str, Any]] = {
    "lists by split": ("all.json", {"version": 3, "val": [ROW | {"id": "a"}], "test": [ROW | {"id": "b"}]}),
    "objects by id": ("all.json", {"a": ROW, "b": ROW}),
    "lists under a name": ("all.json", {"info": {"x": 1}, "data": [ROW | {"id": "a"}, ROW | {"id": "b"}]}),
}


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
@pytest.mark.parametrize("shape", [*SHAPES, "lines called json"])
def test_a_json_file_of_any_shape_is_read(shape: str, packed: bool, tmp_path: Path) -> None:
    _picture(tmp_path, 1)
    rows = [ROW | {"id": "a"}, ROW | {"id": "b"}]
    name, document = SHAPES.get(shape, ("all.json", None))
    text = json.dumps(document) if document else "".join(json.dumps(row) + "\n" for row in rows)
    if packed:
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    else:
        (tmp_path / name).write_text(text)
    with _read(tmp_path) as (entries, refused):
        assert ({key: e.question.answer for key, e in entries.items()}, refused) == ({"a": 1, "b": 1}, [])
        splits = [entry.question.split for entry in entries.values()]
        assert splits == (["val", "test"] if shape == "lists by split" else [None, None])


def test_a_packed_file_that_is_damaged_is_named(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl.gz").write_bytes(gzip.compress(json.dumps(ROW).encode() * 500)[:-20])
    with pytest.raises(Exception, match=r"q\.jsonl\.gz cannot be unpacked"), _read(tmp_path / "q.jsonl.gz"):
        pass


def test_a_dataset_saved_to_disk_and_the_configs_of_its_card_are_read(tmp_path: Path) -> None:
    _picture(tmp_path, 1)
    table = pa.Table.from_pylist([ROW | {"id": "a"}])
    with (
        pa.OSFile(str(tmp_path / "data-00000-of-00001.arrow"), "wb") as sink,
        pa.ipc.new_stream(sink, table.schema) as out,
    ):
        out.write_table(table)
    _json(tmp_path / "more.json", [ROW | {"id": "b"}])
    (tmp_path / "README.md").write_text(
        "---\nconfigs:\n- config_name: Sea Life\n  data_files:\n  - split: validation\n    path: data-*\n"
        "- config_name: default\n  data_files: more.json\n---\n# Card\n"
    )
    with _read(tmp_path) as (entries, _):
        assert {key: (e.question.task, e.question.split) for key, e in entries.items()} == {
            "a": ("sea_life", "validation"), "b": ("imported", None),
        }  # fmt: skip


@pytest.mark.parametrize(
    ("change", "answer"),
    [
        pytest.param({"options": {"1": "x", "2": "y", "10": "z"}, "answer": 10}, 2, id="number of a mapping"),
        pytest.param({"options": {"text": ["x", "y"], "label": ["1", "2"]}, "answer": "1"}, 0, id="label"),
        pytest.param({"options": [{"label": "P", "text": "x"}, {"label": "Q", "text": "y"}], "answer": "Q"}, 1, id="labels"),
        pytest.param({"options": "A. x\nB. y", "answer": "(B)."}, 1, id="lines with letters"),
        pytest.param({"options": '["x", "y"]', "answer": "['y']"}, 1, id="list of one as text"),
        pytest.param({"answer": 1.0}, 1, id="number of pandas"),
        pytest.param({"options": ["None", "y"], "answer": "None"}, 0, id="an option called None"),
        pytest.param({"answer": None}, None, id="no key"),
        pytest.param({"answer": float("nan")}, None, id="nan"),
        pytest.param({"options": None, "question": "Which?\nA. x\nB. y\nAnswer with the letter.", "answer": "B"}, 1, id="in the words"),
    ],
)  # fmt: skip
def test_keys_and_options_of_every_kind(change: dict[str, Any], answer: int | None, tmp_path: Path) -> None:
    _picture(tmp_path, 1)
    first = [ROW | {"id": "first", "answer": 0}] if isinstance(change.get("answer"), float) else []  # tells the base
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(row) + "\n" for row in (*first, ROW | change | {"id": "a"})))
    with _read(tmp_path) as (entries, refused):
        question = entries["a"].question
        assert (question.answer, question.ask) == (answer, "Which?")
        assert [row.reason for row in refused] == (["no_key"] if answer is None else [])


def test_several_right_options_are_a_reason(tmp_path: Path) -> None:
    _json(tmp_path / "q.json", [ROW | {"answer": ["x", "y"]}])
    with _read(tmp_path) as (entries, [refused]):
        assert (_outcomes(entries), refused.reason) == ({"entry 1": "several_keys"}, "several_keys")


def test_questions_without_pictures_are_there_as_texts_and_keys(tmp_path: Path) -> None:
    _picture(tmp_path, 1)
    rows = [ROW | {"id": "a"}, ROW | {"id": "b", "image": "gone.png"}, ROW | {"id": "c", "image": None}]
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with read_questions(tmp_path) as read:
        entries = {entry.question.key: entry for entry in read.index.questions()}
        assert _outcomes(entries) == {"a": None, "b": "missing_picture", "c": "no_picture"}
        counts = read.index.counts()
        assert (counts.items, counts.as_texts) == (1, {"missing_picture": 1, "no_picture": 1})
        items = [entry.item_for_texts() for entry in entries.values()]
        assert [(item.question, [c.text for c in item.choices], item.answer) for item in items if item] == [
            ("Which?", ["x", "y"], "B")
        ] * 3
        assert len({item.item_id for item in items if item}) == 3


def test_replies_come_along_by_model_whatever_their_columns(tmp_path: Path) -> None:
    _picture(tmp_path, 1)
    _json(tmp_path / "data" / "q.json", [ROW | {"id": "a"}, ROW | {"id": "b"}])
    said = [{"id": "a", "output": "B, I think", "model_id": "ant"}, {"id": "b", "output": "A", "model_id": "ant"},
            {"id": "b", "output": "A", "model_id": "ant"}, {"id": "b", "output": "other", "model_id": "ant"},
            {"id": "z", "output": "A", "model_id": "ant"}]  # fmt: skip
    (tmp_path / "out.jsonl").write_text("".join(json.dumps(row) + "\n" for row in said))
    _json(
        tmp_path / "predictions" / "bee" / "part one.json",
        [{"id": "a", "prediction": "(A)", "full_prediction": "Surely (A)"}],
    )
    _json(tmp_path / "predictions" / "cow.json", {"a": "B", "b": "A"})
    with read_questions(tmp_path) as read:
        assert [tuple(reply) for reply in read.index.replies()] == [
            ("ant", "a", "B, I think", None), ("ant", "b", "A", None), ("bee", "a", "Surely (A)", "(A)"),
            ("cow", "a", "", "B"), ("cow", "b", "", "A"),
        ]  # fmt: skip
        assert read.left_out == {"other_reply": 1, "unknown_question": 1}
        assert read.index.counts().items == 2


def test_a_file_of_results_alone_gives_questions_and_replies(tmp_path: Path) -> None:
    _picture(tmp_path, 1)
    rows = [{**ROW, "index": n, "prediction": "x"} for n in range(3)]
    (tmp_path / "gpt_results.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with read_questions(tmp_path) as read:
        counts = read.index.counts()
        assert (counts.items, counts.replies) == (3, {"gpt_results": 3})


OTHERS: dict[str, tuple[str, str, list[tuple[str, tuple[str, ...], int | None, str | None]]]] = {
    "HallusionBench": ("HallusionBench.json", json.dumps([
        {"category": "VD", "set_id": "0", "figure_id": str(n), "question_id": "0", "question": "Is it larger?",
         "gt_answer": str(n % 2), "filename": "./1.png"} for n in range(12)]),
        [("Is it larger?", ("Yes", "No"), 1 - n % 2, None) for n in range(12)]),
    "POPE": ("coco_pope_random.json", "".join(json.dumps(
        {"question_id": n, "image": "1.png", "text": "Is there a cup?", "label": ("yes", "no")[n]}) + "\n" for n in range(2)),
        [("Is there a cup?", ("Yes", "No"), 0, None), ("Is there a cup?", ("Yes", "No"), 1, None)]),
    "SEED-Bench": ("SEED-Bench.json", json.dumps({"questions": [
        {"answer": "B", "choice_a": "One", "choice_b": "Two", "data_id": "1", "question": "How many?", "question_id": "0_0"}],
        "question_type": {"Scene": 1}}), [("How many?", ("One", "Two"), 1, None)]),
    "MMVP": ("Questions.csv", "Index,Question,Options,Correct Answer,image\n1,Open?,(a) Open (b) Closed,(b),1.png\n",
             [("Open?", ("Open", "Closed"), 1, None)]),
    "MathVista": ("testmini.json", json.dumps({"7": {
        "question": "How long?", "image": "1.png", "choices": None, "answer": "1.2", "pid": "7",
        "metadata": {"context": "synthetic scene", "task": "geometry"}}}), [("How long?", (), None, "1.2")]),
    "TextVQA": ("val.json", json.dumps({"data": [
        {"question": "Which word?", "question_id": 1, "image_id": "1", "answers": ["stop"] * 6 + ["shop"] * 4}]}),
        [("Which word?", (), None, "stop")]),
    "VizWiz": ("val.json", json.dumps([{"question": "What?", "image": "1.png", "answers": [
        {"answer": answer, "answer_confidence": "yes"} for answer in ("soup", "soup", "can")]}]),
        [("What?", (), None, "soup")]),
    "A-OKVQA": ("aokvqa_val.json", json.dumps([
        {"question": "Who?", "choices": ["a", "b"], "correct_choice_idx": n, "image_id": 1, "question_id": f"q{n}",
         "direct_answers": ["b"]} for n in range(2)]), [("Who?", ("a", "b"), 0, None), ("Who?", ("a", "b"), 1, None)]),
}  # fmt: skip
"""Layouts with the names that their publishers use, and the questions in them: words, options, key, open answer."""


@pytest.mark.parametrize("name", OTHERS)
def test_layouts_of_other_benchmarks(name: str, tmp_path: Path) -> None:
    _picture(tmp_path, 1)
    file, text, expected = OTHERS[name]
    (tmp_path / file).write_text(text, encoding="utf-8")
    with _read(tmp_path) as (entries, refused):
        questions = [entry.question for entry in entries.values()]
        assert [(q.ask, q.options, q.answer, q.stated_answer) for q in questions] == expected
        assert all(entry.image_ids and entry.image_ids[0] for entry in entries.values())
        assert {row.reason for row in refused} == ({"no_options"} if expected[0][3] else set())

"""TallyQA: questions about pictures from two sources, ids that must not be joined, and a field that may be missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from dataset_fixtures.tally_files import questions, write_tally
from dataset_reading import checked, read_all, reasons

from benchwright.construction.ground_truth.truths import CountQuestion
from benchwright.construction.readers.tallyqa import TallyQa
from benchwright.errors import DataError


def test_every_question_is_a_record_with_its_number(tmp_path: Path) -> None:
    rows = write_tally(tmp_path)
    records, refused = read_all(TallyQa(), tmp_path)
    assert (len(records), refused) == (41, [])
    for record, row in zip(records, rows, strict=True):
        [truth], [picture] = record.truths, record.pictures
        assert isinstance(truth, CountQuestion)
        assert (truth.question, truth.count, truth.is_simple) == (row["question"], row["answer"], row.get("issimple"))
        assert (truth.collected, picture.path) == (row["data_source"], row["image"])
    assert records[0].pictures[0].canonical_id == "vg:2410408"
    assert records[3].pictures[0].canonical_id == "coco:3"
    assert records[0].pictures[0].licence == "CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/)"
    assert checked(TallyQa(), tmp_path)["truths"] == {"counts": 41}


def test_of_the_files_that_are_there_those_asked_for_are_read(tmp_path: Path) -> None:
    rows = write_tally(tmp_path)
    (tmp_path / "tallyqa" / "train.json").write_text(json.dumps(rows[:3]), encoding="utf-8")
    assert len(read_all(TallyQa(parts=("train",)), tmp_path)[0]) == 3
    assert len(read_all(TallyQa(), tmp_path)[0]) == 44


def test_complex_questions_only_are_those_known_to_be_complex(tmp_path: Path) -> None:
    rows = write_tally(tmp_path)
    records, _ = read_all(TallyQa(complex_only=True), tmp_path)
    assert len(records) == sum(row.get("issimple") is False for row in rows) > 3


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        ({"answer": "4"}, "answer"),
        ({"answer": -1}, "answer"),
        ({"image": "../VG_100K/1.jpg"}, "expected a name such as VG_100K_2"),
        ({"image": "COCO_val2014_000000000003.jpg"}, "expected a name such as"),
        ({"question": ""}, "question"),
    ],
)
def test_a_wrong_question_is_one_refusal(tmp_path: Path, change: dict[str, object], detail: str) -> None:
    write_tally(tmp_path)
    rows = questions()
    rows[2] |= change
    (tmp_path / "tallyqa" / "test.json").write_text(json.dumps(rows), encoding="utf-8")
    records, [refusal] = read_all(TallyQa(), tmp_path)
    assert reasons([refusal]) == [("tallyqa/test.json", "entry 3", "bad_row")]
    assert detail in refusal.detail
    assert len(records) == 40


@pytest.mark.parametrize(("text", "detail"), [('[{"answer": 4', "the file ends"), ('{"a": []}', "a JSON list")])
def test_a_cut_file_or_one_of_another_shape_is_an_error_that_names_it(tmp_path: Path, text: str, detail: str) -> None:
    write_tally(tmp_path)
    (tmp_path / "tallyqa" / "test.json").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=rf"tallyqa/test\.json.*{detail}"):
        read_all(TallyQa(), tmp_path)


def test_a_missing_picture_is_a_refusal(tmp_path: Path) -> None:
    write_tally(tmp_path)
    (tmp_path / "VG_100K_2" / "2410408.jpg").unlink()
    _, [refusal] = read_all(TallyQa(), tmp_path)
    assert reasons([refusal]) == [("tallyqa/test.json", "entry 1", "missing_picture")]

"""VQAv2: questions and answers in two files, joined by their id; ten answers, one of which is accepted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from dataset_fixtures.vqa_files import ANSWERS, QUESTIONS, write_vqa, write_vqa_documents
from dataset_reading import checked, read_all, reasons

from benchwright.construction.ground_truth.truths import VisualQuestion
from benchwright.construction.readers.vqa import VqaV2
from benchwright.errors import DataError


def test_every_question_is_a_record_with_its_ten_answers_and_the_one_that_counts(tmp_path: Path) -> None:
    questions, _ = write_vqa(tmp_path)
    records, refused = read_all(VqaV2(), tmp_path)
    assert (len(records), refused) == (24, [])
    for record, question in zip(records, questions, strict=True):
        [truth], [picture] = record.truths, record.pictures
        assert isinstance(truth, VisualQuestion)
        assert truth.question == question["question"]
        assert len(truth.answers) == 10
        assert picture.canonical_id == f"coco:{question['image_id']}"
    assert records[0].record_id == "vqa:val2014:262148000"
    assert records[0].truths[0].agreement == pytest.approx(0.8)  # seven, and one with a space behind it
    assert [record.truths[0].agreement for record in records[1:7]] == pytest.approx([0.9, 0.8, 0.7, 0.6, 0.5, 1.0])
    assert checked(VqaV2(), tmp_path)["truths"] == {"visual_questions": 24}


def test_questions_on_which_people_do_not_agree_can_be_left_out(tmp_path: Path) -> None:
    write_vqa(tmp_path)
    records, _ = read_all(VqaV2(min_agreement=0.75), tmp_path)
    assert len(records) == 1 + sum(number % 6 <= 2 for number in range(1, 24))


def test_of_the_parts_that_are_there_those_asked_for_are_read(tmp_path: Path) -> None:
    write_vqa(tmp_path)
    for name in (QUESTIONS, ANSWERS):
        (tmp_path / name.replace("val2014", "train2014")).write_bytes((tmp_path / name).read_bytes())
    read = {record.record_id.split(":")[1] for record in read_all(VqaV2(parts=("val2014",)), tmp_path)[0]}
    assert read == {"val2014"}
    (tmp_path / QUESTIONS.replace("val2014", "train2014")).unlink()
    with pytest.raises(DataError, match="train2014"):
        read_all(VqaV2(parts=("train2014",)), tmp_path)


@pytest.mark.parametrize(
    ("stated", "given", "right", "agreement"),
    [
        ("maybe", ["yes"] * 9 + ["maybe"], "yes", 0.9),
        ("blue", ["red", "blue"] * 5, "blue", 0.5),
        ("green", ["red"] * 5 + ["blue"] * 5, "red", 0.5),
        ("", ["Red.", "red", "red"], "red", 1.0),
        ("red", ["blue", None, 3, "red ", "Red"], "red", 2 / 3),
    ],
    ids=["the odd one", "a tie", "a tie of others", "spellings", "answers that cannot be read"],
)
def test_the_answer_that_most_people_gave_counts(
    tmp_path: Path, stated: str, given: list[str], right: str, agreement: float
) -> None:
    questions, annotations = write_vqa(tmp_path, 1)
    answers = [{"answer_id": number, "answer": answer} for number, answer in enumerate(given)]
    annotations[0] |= {"multiple_choice_answer": stated, "answers": answers}
    write_vqa_documents(tmp_path, questions, annotations)
    [record], refused = read_all(VqaV2(), tmp_path)
    [truth] = record.truths
    assert isinstance(truth, VisualQuestion)
    assert truth.answer == right
    assert truth.agreement == pytest.approx(agreement)
    unreadable = [f"annotation 1, answer {n}" for n, answer in enumerate(given, 1) if not isinstance(answer, str)]
    contradicted = ["annotation 1"] if stated and stated != right else []
    assert [row.entry for row in refused] == [*unreadable, *contradicted]
    assert {row.reason for row in refused} - {"bad_row"} == ({"contradicted_answer"} if contradicted else set())
    assert sum(row.rows for row in refused) == len(unreadable)


def test_questions_without_answers_of_another_picture_and_answered_twice_are_refused_one_by_one(tmp_path: Path) -> None:
    questions, annotations = write_vqa(tmp_path)
    annotations[3]["image_id"] = 77
    del annotations[4]["answers"]
    questions[5]["question_id"] = "5000"
    write_vqa_documents(tmp_path, questions, [*annotations, annotations[1]])
    records, refused = read_all(VqaV2(), tmp_path)
    assert len(records) == 21
    assert reasons(refused) == [
        (ANSWERS, "annotation 5", "bad_row"), (ANSWERS, "annotation 25", "repeated"),
        (QUESTIONS, "question 4", "bad_row"), (QUESTIONS, "question 5", "bad_row"), (QUESTIONS, "question 6", "bad_row"),
        (ANSWERS, "annotation 6", "no_question"),
    ]  # fmt: skip
    assert "is about picture 3, its answers about 77" in refused[2].detail
    assert "has no usable answers" in refused[3].detail


def test_a_part_without_its_answers_and_a_document_of_another_shape_are_errors_that_name_the_file(
    tmp_path: Path,
) -> None:
    write_vqa(tmp_path)
    (tmp_path / QUESTIONS).write_text(json.dumps({"questoins": []}), encoding="utf-8")
    with pytest.raises(DataError, match=rf"{QUESTIONS}: a file of VQAv2 has the list `questions`"):
        read_all(VqaV2(), tmp_path)
    (tmp_path / ANSWERS).unlink()
    with pytest.raises(DataError, match=rf"{ANSWERS} is missing"):
        read_all(VqaV2(), tmp_path)

"""Open questions in an audit: it checks copies, repeats, words and contradictions, but not options."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from dataset_fixtures.pictures import save

from benchwright.audit import AuditSettings, audit, verdict_of
from benchwright.audit.checks.meaning import QuestionsAskedAgain
from benchwright.audit.checks.questions import MissingKeys
from benchwright.audit.findings.report import AuditReport

ROWS: list[dict[str, Any]] = [
    {"id": "o0", "image": "0.png", "question": "What is the name of this bridge?", "answer": "Tower Bridge"},
    {"id": "o1", "image": "copy.png", "question": "What is the name of this bridge?", "answer": "London Bridge"},
    {"id": "o2", "image": "1.png", "question": "How many swans swim here?", "answer": ["3", "three"]},
    {"id": "o3", "image": "1.png", "question": "How many swans swim here?", "answer": "Three."},
    {"id": "o4", "image": "2.png", "question": "What is the the color of the car?", "answer": "red"},
    {"id": "o5", "image": "3.png", "question": "What is the color of the van?", "answer": "blue"},
    {"id": "o6", "image": "gone.png", "question": "Which month does the calendar show?", "answer": "May"},
]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> AuditReport:
    folder = tmp_path_factory.mktemp("open")
    for number in range(4):
        save(folder / f"{number}.png", number, 300, 200)
    (folder / "copy.png").write_bytes((folder / "0.png").read_bytes())
    (folder / "q.json").write_text(json.dumps(ROWS), encoding="utf-8")
    return audit(folder / "q.json", folder / "out", AuditSettings(workers=1))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "items"),
    [
        ("contradicting_keys", ("o0", "o1")),
        ("repeated_question", ("o2", "o3")),
        ("duplicate_picture", ("o0", "o1")),
        ("doubled_word", ("o4",)),
        ("missing_picture", ("o6",)),
    ],
)
def test_what_is_wrong_with_an_open_question_is_found(kind: str, items: tuple[str, ...], report: AuditReport) -> None:
    assert [finding.items for finding in report.findings if finding.kind == kind] == [items]


def test_open_questions_are_counted_and_nothing_is_said_of_keys_they_do_not_lack(report: AuditReport) -> None:
    assert report.to_json()["items"] == len(ROWS)
    assert report.audited.unreadable == (("gone.png", report.audited.absent["gone.png"].detail),)
    assert not {"missing_key", "row_is_no_item", "key_letters_uneven"} & {finding.kind for finding in report.findings}
    assert any("7 questions are open" in reason for reason in verdict_of(report).reasons)
    assert report.page is not None
    assert "London Bridge" in report.page.read_text(encoding="utf-8")


def _answered(folder: Path, answers: list[str], **more: Any) -> AuditReport:
    rows = [{"id": f"o{n}", "question": f"What is on shelf {n}?", "answer": a, **more} for n, a in enumerate(answers)]
    (folder / "q.json").write_text(json.dumps(rows), encoding="utf-8")
    return audit(folder / "q.json", folder / "out", AuditSettings(workers=1), checks=[MissingKeys()])


@pytest.mark.parametrize("word", ["None", "-1"])
def test_a_word_that_answers_among_other_answers_is_a_key(word: str, tmp_path: Path) -> None:
    report = _answered(tmp_path, [word, "a jug", word, "two cups"])
    assert [each.answer for each in report.audited.open_items] == [word, "a jug", word, "two cups"]
    assert report.findings == ()


@pytest.mark.parametrize("answers", [["None"] * 10, ["None"] * 9 + ["a jug"], ["hidden", "a jug", "two cups"]])
def test_a_word_that_nearly_all_rows_say_seals_their_keys(answers: list[str], tmp_path: Path) -> None:
    report = _answered(tmp_path, answers)
    stated = [each.answer for each in report.audited.open_items]
    assert stated == [None if answer in ("None", "hidden") else answer for answer in answers]


def test_keys_are_sealed_split_by_split(tmp_path: Path) -> None:
    rows = [
        {"question": f"What is on shelf {n}?", "answer": "None" if n % 3 else "a jug", "split": "dev"} for n in range(9)
    ]
    rows += [{"question": f"What is on desk {n}?", "answer": "None", "split": "test"} for n in range(9)]
    (tmp_path / "q.json").write_text(json.dumps(rows), encoding="utf-8")
    report = audit(tmp_path / "q.json", tmp_path / "out", AuditSettings(workers=1), checks=[MissingKeys()])
    known = {
        split: {each.answer for each in report.audited.open_items if each.split == split} for split in ("dev", "test")
    }
    assert known == {"dev": {"None", "a jug"}, "test": {None}}


def test_open_questions_beside_choices_end_no_check(tmp_path: Path) -> None:
    options = {"A": "a jug", "B": "a cup"}
    rows = [
        {"id": "c", "question": "What is on it?", "image": "1.png", **options, "answer": "A"},
        {**ROWS[0], "image": "1.png"},
    ]
    (tmp_path / "q.json").write_text(json.dumps(rows), encoding="utf-8")
    save(tmp_path / "1.png", 1, 300, 200)
    report = audit(tmp_path / "q.json", tmp_path / "out", AuditSettings(workers=1), checks=[QuestionsAskedAgain()])
    assert [check.state for check in report.checks] == ["done"]


def test_short_answers_among_keys_of_which_there_are_no_words_are_keys(tmp_path: Path) -> None:
    keys = {
        f"v_{number}": {"question_type": "multiple-choice", "ground_truth": "AABAC"[number % 5]} for number in range(40)
    }
    keys |= {f"s_{number}": {"question_type": "short-answer", "ground_truth": ["24/7", "3.4"]} for number in range(4)}
    (tmp_path / "answers.json").write_text(json.dumps(keys), encoding="utf-8")
    report = audit(tmp_path / "answers.json", tmp_path / "out", AuditSettings(workers=1))
    assert report.to_json()["items"] == 44
    assert not {"missing_key", "row_is_no_item"} & {finding.kind for finding in report.findings}
    assert [each.answer for each in report.audited.open_items] == ["24/7\n3.4"] * 4


def test_the_number_of_options_of_another_item_is_no_chance(tmp_path: Path) -> None:
    letters = "AABB" * 20 + "ABCD" * 15  # half of the items have two options, as nobody says
    keys = {f"v_{number}": {"ground_truth": letter} for number, letter in enumerate(letters)}
    (tmp_path / "answers.json").write_text(json.dumps(keys), encoding="utf-8")
    report = audit(tmp_path / "answers.json", tmp_path / "out", AuditSettings(workers=1))
    assert "key_letters_uneven" not in {finding.kind for finding in report.findings}

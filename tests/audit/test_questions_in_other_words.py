"""Repeated questions in other words, and questions in another language than their options."""

from __future__ import annotations

from pathlib import Path

import pytest
from audited_benches import Row, clean_rows, write_rows

from benchwright.audit import AuditSettings, audit
from benchwright.audit.checks.questions import RepeatedQuestions
from benchwright.audit.checks.wording import Wording
from benchwright.audit.findings.finding import Finding
from benchwright.audit.findings.report import AuditReport

ITEMS = 12


def _findings(folder: Path, rows: list[Row], check: type[RepeatedQuestions] | type[Wording]) -> list[Finding]:
    file = write_rows(folder / "questions.csv", rows)
    report: AuditReport = audit(file, folder / "out", AuditSettings(workers=1), checks=[check()])
    return list(report.findings)


def _asked_again(**changes: str) -> list[Row]:
    """Return rows in which the second shows the first's picture, with its options in another order and other words."""
    rows = clean_rows(ITEMS)
    for row in rows:
        row["split"] = "test"
    first = rows[0]
    order = {"A": "B", "B": "C", "C": "D", "D": "A"}
    rows[1] |= {place: first[letter] for letter, place in order.items()}
    rows[1] |= {
        "answer": order[first["answer"]],
        "image": first["image"],
        "question": "What can you see standing there?",
    }
    rows[1] |= changes
    return rows


def test_the_same_options_and_key_about_one_picture_are_perhaps_the_same_question(tmp_path: Path) -> None:
    (finding,) = _findings(tmp_path, _asked_again(), RepeatedQuestions)
    assert (finding.kind, finding.severity, finding.certainty) == ("nearly_repeated_question", "low", "possible")
    assert finding.items == ("q0", "q1")


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"image": "images/1.jpg"}, id="another picture"),
        pytest.param({"D": "the tall lamp", "A": "the wet stone"}, id="other options"),
    ],
)
def test_another_picture_or_other_options_are_another_question(changes: Row, tmp_path: Path) -> None:
    assert _findings(tmp_path, _asked_again(**changes), RepeatedQuestions) == []


def test_another_right_option_is_another_question(tmp_path: Path) -> None:
    rows = _asked_again()
    rows[1]["answer"] = next(letter for letter in "ABCD" if letter != rows[1]["answer"])
    assert _findings(tmp_path, rows, RepeatedQuestions) == []


@pytest.mark.parametrize("options", [("Yes", "No", "", ""), ("1", "2", "3", "4"), ("A", "B", "C", "D")])
def test_options_that_any_question_may_have_say_nothing(options: tuple[str, ...], tmp_path: Path) -> None:
    rows = _asked_again()
    for row in rows[:2]:
        row |= {**dict(zip("ABCD", options, strict=True)), "answer": "A"}
    assert _findings(tmp_path, rows, RepeatedQuestions) == []


def test_questions_in_the_same_words_are_named_once(tmp_path: Path) -> None:
    rows = _asked_again()
    rows[1]["question"] = rows[0]["question"]
    assert [finding.kind for finding in _findings(tmp_path, rows, RepeatedQuestions)] == ["repeated_question"]


def test_a_question_in_other_letters_is_found_though_its_options_are_english(tmp_path: Path) -> None:
    rows = clean_rows(ITEMS)
    rows[5]["question"] = "Что изображено на этой картинке?"
    found = [finding for finding in _findings(tmp_path, rows, Wording) if finding.kind == "other_language"]
    assert [finding.items for finding in found] == [("q5",)]

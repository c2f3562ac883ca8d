"""Refusals that the questions of a file reveal: the audit and the shortcut battery report the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchwright.audit import AuditSettings, audit
from benchwright.audit.checks.refusals import RefusalsFromQuestions
from benchwright.diagnostics import find_shortcuts

THINGS = [
    "cat",
    "dog",
    "car",
    "house",
    "tree",
    "lamp",
    "chair",
    "man",
    "woman",
    "boy",
    "bus",
    "bike",
    "book",
    "cup",
    "plate",
]
DECLINES = "Sorry, I can't help with it"


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    rows = []
    for n in range(60):
        thing, is_unanswerable = THINGS[n % 15], n % 2
        rows.append(
            {
                "id": f"q{n}",
                "question": f"What is the {thing} thinking of?" if is_unanswerable else f"What color has the {thing}?",
                "options": ["red", "blue", f"green {n}", DECLINES],
                "answer": DECLINES if is_unanswerable else ["red", "blue"][n // 2 % 2],
                "image": f"{n}.jpg",
            }
        )
    file = tmp_path / "questions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def test_the_audit_names_the_set_and_the_templates_with_their_items(questions: Path, tmp_path: Path) -> None:
    report = audit(questions, tmp_path / "out", AuditSettings(workers=1), checks=[RefusalsFromQuestions()])
    unanswerable = tuple(f"q{n}" for n in range(1, 60, 2))
    whole, *templates = report.findings
    assert (whole.kind, whole.severity, whole.items) == ("refusal_guessable_from_question", "high", unanswerable)
    assert (whole.evidence["chance"], whole.evidence["accuracy"]) == (0.5, 1.0)
    assert {(each.kind, each.evidence["tells"], len(each.items)) for each in templates} == {
        ("template_tells_refusal", "answerable", 30),
        ("template_tells_refusal", "unanswerable", 30),
    }


def test_the_battery_reports_it_beside_its_solvers(questions: Path) -> None:
    refusals = find_shortcuts(questions, workers=1).document()["refusals"]
    assert refusals["tells"]
    assert {template["tells"]: {int(own[1:]) % 2 for own in template["items"]} for template in refusals["templates"]} == {
        "answerable": {0}, "unanswerable": {1},
    }  # fmt: skip


def test_a_set_without_declining_options_is_passed_over(tmp_path: Path) -> None:
    rows = [{"question": f"Is it {thing}?", "A": "Yes", "B": "No", "answer": "A", "image": "1.jpg"} for thing in THINGS]
    file = tmp_path / "questions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    report = audit(file, tmp_path / "out", AuditSettings(workers=1), checks=[RefusalsFromQuestions()])
    (run,) = report.checks
    assert (run.state, report.findings) == ("skipped", ())
    assert "0 items with a refusal choice" in run.why

"""Keys without words are audited as keys: by letter, by replies, by task; checks of words are skipped with a reason."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchwright.audit import AuditSettings, audit
from benchwright.audit.findings.finding import Finding
from benchwright.audit.findings.report import AuditReport
from benchwright.audit.findings.texts import terminal_lines

TASKS = {"Counting": 4, "Jigsaw": 2}
OF_TASK = 60
WRONG = ("val_Jigsaw_1", "val_Jigsaw_2")
MODELS = {"first": 0.95, "second": 0.9, "third": 0.9}


def write_keys(folder: Path) -> Path:
    """Write keys of two tasks, two of them wrong and those of one task mostly A; models also reply to sealed items."""
    rng = np.random.default_rng(5)
    truth = {
        f"{split}_{task}_{n}": int(rng.integers(0, options)) if task == "Counting" else int(n % 6 == 0)
        for split in ("val", "test")
        for task, options in TASKS.items()
        for n in range(1, OF_TASK + 1)
    }
    keys = {own: 1 - place if own in WRONG else place for own, place in truth.items() if own.startswith("val")}
    folder.mkdir()
    (folder / "val_answers.json").write_text(json.dumps({own: f"({'ABCD'[place]})" for own, place in keys.items()}))
    (folder / "saved_predictions").mkdir()
    for model, ability in MODELS.items():
        given = [
            {
                "idx": own,
                "answer": f"({'ABCD'[keys[own]]})" if own in keys else "hidden",
                "prediction": f"({'ABCD'[place if rng.random() < ability else 1 - place % 2]})",
            }
            for own, place in truth.items()
        ]
        document = {split: [row for row in given if row["idx"].startswith(split)] for split in ("val", "test")}
        (folder / "saved_predictions" / f"{model}.json").write_text(json.dumps(document))
        (folder / "later_predictions").mkdir(exist_ok=True)
        (folder / "later_predictions" / f"{model}.json").write_text(json.dumps({"val_Sorting_1": "(A)"}))
    return folder


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> AuditReport:
    folder = tmp_path_factory.mktemp("keys")
    return audit(write_keys(folder / "blinkish"), folder / "out", AuditSettings(workers=1))


def found(report: AuditReport, kind: str) -> list[Finding]:
    return [finding for finding in report.findings if finding.kind == kind]


@pytest.mark.slow
def test_keys_without_words_are_items_with_as_many_options_as_their_task_names(report: AuditReport) -> None:
    assert not report.audited.items
    assert report.audited.unreadable == ()
    assert {each.task: len(each.options) for each in report.audited.wordless} == {"counting": 4, "jigsaw": 2}
    assert report.to_json()["items"] == 2 * len(report.audited.all_keyed) == 4 * OF_TASK


def test_a_reply_to_no_question_is_an_unread_reply_and_no_unreadable_item(report: AuditReport) -> None:
    notes = {finding.evidence["model"]: finding.evidence["rows"] for finding in found(report, "unread_replies")}
    assert set(notes) == set(MODELS)
    (row,) = notes["first"]
    assert row["where"] == "later_predictions/first.json, entry val_Sorting_1"


def test_models_speak_against_keys_of_which_nobody_has_the_words(report: AuditReport) -> None:
    suspects = found(report, "suspected_key")
    assert set(WRONG) <= {finding.items[0] for finding in suspects[:3]}
    assert "options" not in suspects[0].evidence


def test_letters_and_power_are_by_task(report: AuditReport) -> None:
    (letters,) = found(report, "key_letters_uneven")
    assert (letters.evidence["task"], letters.evidence["always"]) == ("jigsaw", "A")
    (power,) = found(report, "statistical_power")
    assert set(power.evidence["tasks"]) == {"counting", "jigsaw"}
    assert power.evidence["all"]["pairs_of_models"] == 3


def test_checks_of_words_and_pictures_say_that_there_are_none(report: AuditReport) -> None:
    why = {check.name: check.why for check in report.checks if check.state == "skipped"}
    for name in ("wording", "options", "given_away", "guessed_from_words", "copies", "shortcuts"):
        assert "no words of its questions" in why[name], name


def test_the_page_has_the_keys_and_says_that_there_are_no_words(report: AuditReport) -> None:
    assert report.page is not None
    page = report.page.read_text(encoding="utf-8")
    assert "The source lacks its words." in page
    assert "val_Jigsaw_1" in page
    assert any("the audit checked only keys and replies" in line for line in terminal_lines(report))


@pytest.mark.slow
def test_blink_is_audited_as_keys_and_predictions(published_data: Path, tmp_path: Path) -> None:
    report = audit(published_data / "blink", tmp_path, AuditSettings(workers=1))
    assert len(report.audited.all_items) == 3807
    assert len(report.audited.all_keyed) == 1901
    (power,) = found(report, "statistical_power")
    assert len(power.evidence["tasks"]) == 14
    assert {replies.model for replies in report.audited.replies} == {"GPT4V", "GeminiProVision", "llava_v1.5_13b"}

"""Keys that words reveal are found without pictures, and named once."""

from __future__ import annotations

from pathlib import Path

import pytest
from audited_benches import Row, clean_rows, write_rows

from benchwright.audit import AuditSettings, audit
from benchwright.audit.checks.guessing import GuessedFromWords, KeyLetters, ShortcutBattery

ITEMS = 24


def _told(folder: Path) -> Path:
    """Write questions in which the right option alone is a sentence with two more words."""
    rows: list[Row] = clean_rows(ITEMS)
    for row in rows:
        row[row["answer"]] += " over there"
    return write_rows(folder / "quiz.csv", rows)


def test_the_battery_tries_words_where_no_picture_is_there(tmp_path: Path) -> None:
    report = audit(_told(tmp_path), tmp_path / "out", AuditSettings(workers=1), checks=[ShortcutBattery()])
    [check] = report.checks
    assert check.state == "done"
    [finding] = [each for each in report.findings if each.kind == "shortcut_text"]
    assert finding.items == tuple(f"q{number}" for number in range(ITEMS))


def test_a_cue_that_a_rule_over_words_named_is_not_named_again(tmp_path: Path) -> None:
    checks = [GuessedFromWords(), ShortcutBattery()]
    report = audit(_told(tmp_path), tmp_path / "out", AuditSettings(workers=1), checks=checks)
    kinds = [each.kind for each in report.findings]
    assert "longest_option_is_right" in kinds
    assert all("text.length" not in str(each.evidence.get("solver")) for each in report.findings)
    assert all(each.evidence.get("solver") != "words" for each in report.findings)


@pytest.mark.slow
def test_keys_that_are_all_the_first_option_are_a_matter_of_letters_and_not_of_words(tmp_path: Path) -> None:
    rows = [{**row, "answer": "A"} for row in clean_rows(60)]
    checks = [KeyLetters(), GuessedFromWords(), ShortcutBattery()]
    report = audit(write_rows(tmp_path / "quiz.csv", rows), tmp_path / "out", AuditSettings(workers=1), checks=checks)
    assert [each.kind for each in report.findings] == ["key_letters_uneven"]


def test_that_no_is_shorter_than_yes_is_no_cue_of_its_own(tmp_path: Path) -> None:
    asked = [row["question"] for row in clean_rows(60)]
    rows = [{"id": f"q{n}", "question": q, "answer": "Yes" if n % 4 else "No"} for n, q in enumerate(asked)]
    checks = [KeyLetters(), GuessedFromWords(), ShortcutBattery()]
    report = audit(write_rows(tmp_path / "quiz.csv", rows), tmp_path / "out", AuditSettings(workers=1), checks=checks)
    assert "key_letters_uneven" in {each.kind for each in report.findings}
    assert not {"longest_option_is_right", "shortest_option_is_right", "shortcut_text"} & {
        each.kind for each in report.findings
    }


def test_words_of_the_question_that_all_items_ask_are_no_cue(tmp_path: Path) -> None:
    rows = [{**row, "question": "Which thing stands here?"} for row in clean_rows(60)]
    for row in rows:
        row[row["answer"]] = "this thing here"
    checks = [GuessedFromWords()]
    report = audit(write_rows(tmp_path / "quiz.csv", rows), tmp_path / "out", AuditSettings(workers=1), checks=checks)
    assert "option_in_words_of_question_is_right" not in {each.kind for each in report.findings}


def test_a_key_that_follows_from_the_id_is_learned(tmp_path: Path) -> None:
    rows = clean_rows(2 * ITEMS)
    for number, row in enumerate(rows):
        row["id"] = f"q{number * 7 * 4 + 'ABCD'.index(row['answer'])}"
    file = write_rows(tmp_path / "quiz.csv", rows)
    report = audit(file, tmp_path / "out", AuditSettings(workers=1), checks=[ShortcutBattery()])
    [finding] = [each for each in report.findings if each.kind == "learned_cue"]
    assert finding.evidence["solver"] == "learned id"
    assert len(finding.items) > ITEMS

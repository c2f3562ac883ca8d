"""The audit with a user's WordNet and sentence model, and the fewest changes that remove a cue."""

from __future__ import annotations

from pathlib import Path

import pytest
from audited_benches import Row, clean_rows, write_rows
from click.testing import CliRunner
from tiny_sentences import tiny_sentences
from tiny_wordnet import tiny_wordnet

from benchwright.audit import AuditSettings, audit
from benchwright.audit.checks.guessing import GuessedFromWords, KeyLetters
from benchwright.audit.checks.meaning import QuestionsAskedAgain, RelatedOptions
from benchwright.audit.checks.wording import Wording
from benchwright.audit.cli.command import audit as command
from benchwright.audit.fewest_changes import changes_to_chance
from benchwright.audit.findings.finding import Finding


def _findings(folder: Path, rows: list[Row], check: object, **settings: Path) -> list[Finding]:
    file = write_rows(folder / "questions.csv", rows)
    report = audit(file, folder / "out", AuditSettings(workers=1, **settings), checks=[check])  # type: ignore[arg-type, list-item]
    assert [run.state for run in report.checks] == ["done"]
    return list(report.findings)


def _row(number: int, question: str, options: tuple[str, str, str, str], answer: str = "A", image: str = "") -> Row:
    return {
        "id": f"q{number}", "question": question, **dict(zip("ABCD", options, strict=True)), "answer": answer,
        "image": image or f"images/{number}.jpg", "split": "test", "group": f"g{number}",
    }  # fmt: skip


def test_words_that_relate_options_are_named_once_with_all_their_items(tmp_path: Path) -> None:
    rows = [_row(n, f"What is shown in part {n}?", ("poodle", "dog", "hammer", "car")) for n in range(3)]
    rows += [_row(3, "What is it?", ("car", "automobile", "dog", "cat"))]
    wordnet = tiny_wordnet(tmp_path / "wordnet")
    found = {finding.items: finding for finding in _findings(tmp_path, rows, RelatedOptions(), wordnet=wordnet)}
    general, same = found["q0", "q1", "q2"], found["q3",]
    assert (general.severity, general.certainty, general.evidence["relation"]) == ("medium", "possible", "more_general")
    assert (same.severity, same.evidence["relation"]) == ("medium", "same")


@pytest.mark.slow
def test_a_sentence_model_finds_a_question_in_another_language(tmp_path: Path) -> None:
    rows = [_row(n, question, (f"a {n}", f"b {n}", f"c {n}", f"d {n}")) for n, question in enumerate(
        ["how many dogs", "where man", "what color car", "what house", "where tree"])]  # fmt: skip
    rows += [
        _row(7, "what man holding", ("umbrella", "hat", "car", "tree"), image="images/9.jpg"),
        _row(8, "was mann hält", ("Hut", "Schirm", "Auto", "Baum"), "B", image="images/9.jpg"),
        _row(9, "was mann trägt", ("Schirm", "Hut", "Auto", "Baum"), "B", image="images/9.jpg"),
    ]
    sentences = tiny_sentences(tmp_path / "model")
    (finding,) = _findings(tmp_path, rows, QuestionsAskedAgain(), sentences=sentences)
    assert (finding.kind, finding.severity, finding.items) == ("question_asked_again", "low", ("q7", "q8"))
    assert finding.evidence["way"] == "sentences"


@pytest.mark.slow
def test_a_question_in_another_language_than_most_is_named_with_it(tmp_path: Path) -> None:
    rows = clean_rows(12)
    rows[5]["question"] = "Was steht auf diesem Bild neben dem Haus?"
    (finding,) = [each for each in _findings(tmp_path, rows, Wording()) if each.kind == "other_language"]
    assert (finding.items, finding.evidence["languages"]) == (("q5",), {"q5": "de"})


def test_checks_of_meaning_say_what_to_give(tmp_path: Path) -> None:
    file = write_rows(tmp_path / "questions.csv", clean_rows(3))
    (run,) = audit(file, tmp_path / "out", AuditSettings(workers=1), checks=[RelatedOptions()]).checks
    assert run.state == "skipped"
    assert "--wordnet" in run.why


@pytest.mark.parametrize("option", ["--wordnet", "--sentences"])
def test_a_folder_that_holds_none_ends_the_command(option: str, tmp_path: Path) -> None:
    file = write_rows(tmp_path / "questions.csv", clean_rows(3))
    empty = tmp_path / "empty"
    empty.mkdir()
    ran = CliRunner().invoke(command, [str(file), "--out", str(tmp_path / "out"), option, str(empty)])
    assert ran.exit_code != 0
    assert f"{empty} contains no" in str(ran.exception)


def test_the_fewest_changes_bring_the_longest_option_back_to_chance(tmp_path: Path) -> None:
    rows = clean_rows(60)
    for number, row in enumerate(rows):
        row[row["answer"]] += " of the old town" + " and more" * (number % 5)
    (finding,) = [f for f in _findings(tmp_path, rows, GuessedFromWords()) if f.kind == "longest_option_is_right"]
    changes = finding.evidence["fewest_changes"]
    assert changes["of"] == len(finding.items) == 60
    assert changes["number"] == len(changes["items"]) == changes_to_chance(60, 60, 0.25) < 40
    assert {int(item[1:]) % 5 for item in changes["items"][:12]} == {0}  # the smallest changes come first
    assert f"Changing {changes['number']} items" in finding.summary


def test_letters_are_level_after_the_fewest_moves(tmp_path: Path) -> None:
    rows = clean_rows(60)
    for row in rows[:45]:
        row[row["answer"]], row["B"] = row["B"], row[row["answer"]]
        row["answer"] = "B"
    finding = _findings(tmp_path, rows, KeyLetters())[0]
    changes = finding.evidence["fewest_changes"]
    with_b = {row["id"] for row in rows if row["answer"] == "B"}
    assert set(changes["items"]) < with_b
    assert changes["what"] == "move the right option away from B"


def test_a_rule_at_chance_needs_no_change() -> None:
    assert [changes_to_chance(right, 140, 0.25) for right in (140, 86, 42, 35)] == [96, 42, 0, 0]

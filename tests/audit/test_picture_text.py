"""Text in pictures that gives the answer, read by rapidocr from pictures in which options are drawn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from audited_benches import Row, clean_rows, picture, write_rows
from PIL import ImageDraw, ImageFont

from benchwright.audit import AuditSettings, audit
from benchwright.audit.checks.picture_text import TextInPictures, at_least, occurs_in
from benchwright.audit.findings.report import AuditReport
from benchwright.audit.setting_right.annotator_questions import questions_of
from benchwright.cli.main import invoke

pytestmark = pytest.mark.slow

pytest.importorskip("rapidocr")


def write_signed(folder: Path, rows: list[Row], letters: dict[int, str]) -> Path:
    """Write a bench whose pictures show the options with these letters as signs, by number of the row."""
    for number, row in enumerate(rows):
        shown = picture(number).resize((416, 320))
        draw = ImageDraw.Draw(shown)
        for place, letter in enumerate(letters.get(number, "")):
            words = row[letter].removeprefix("the ").upper()
            draw.rectangle((20, 20 + 70 * place, 400, 75 + 70 * place), fill="white")
            draw.text((30, 25 + 70 * place), words, fill="black", font=ImageFont.load_default(36))
        path = folder / row["image"]
        path.parent.mkdir(parents=True, exist_ok=True)
        shown.save(path, quality=92)
    return write_rows(folder / "quiz.csv", rows)


def wrong(row: Row) -> str:
    return next(letter for letter in "ABCD" if letter != row["answer"])


def read(file: Path) -> AuditReport:
    return audit(file, file.parent / "out", AuditSettings(ocr=True, workers=1), checks=[TextInPictures()])


def test_a_key_drawn_into_a_picture_is_found_and_no_wrong_option_and_no_question_about_words(tmp_path: Path) -> None:
    rows = clean_rows(5)
    rows[4]["question"] = "What does the sign say?"
    drawn = {0: rows[0]["answer"], 1: wrong(rows[1]), 2: "ABCD", 4: rows[4]["answer"]}
    report = read(write_signed(tmp_path, rows, drawn))
    (finding,) = report.findings
    assert (finding.kind, finding.items) == ("answer_in_picture", ("q0",))
    right = rows[0][rows[0]["answer"]]
    assert finding.evidence["answer"] == right
    assert any(right.removeprefix("the ").upper().replace(" ", "") in line for line in spaceless(finding.evidence))
    counted = (finding.evidence["items"], finding.evidence["with_an_option"], finding.evidence["with_the_key"])
    assert counted == (4, 2, 1)
    assert (finding.severity, finding.certainty) == ("low", "possible"), "one key of two options drawn says little"


def spaceless(evidence: Any) -> list[str]:
    return [line.replace(" ", "") for line in evidence["text_read"]]


def test_a_task_whose_pictures_hold_keys_is_severe_and_goes_to_people(tmp_path: Path) -> None:
    rows = clean_rows(12)
    report = read(write_signed(tmp_path, rows, {number: rows[number]["answer"] for number in range(8)}))
    assert {finding.items[0] for finding in report.findings} == {f"q{number}" for number in range(8)}
    assert {finding.severity for finding in report.findings} == {"high"}
    assert questions_of(report).items.keys() == {f"q{number}" for number in range(8)}


def test_where_wrong_options_stand_in_pictures_as_often_the_task_is_one_of_reading(tmp_path: Path) -> None:
    rows = clean_rows(8)
    letters = {number: row["answer"] if number % 4 == 0 else wrong(row) for number, row in enumerate(rows)}
    assert read(write_signed(tmp_path, rows, letters)).findings == ()


def test_by_the_command_text_is_read_only_with_ocr_and_each_picture_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from benchwright.audit import read_texts

    rows = clean_rows(2)
    file = write_signed(tmp_path, rows, {0: rows[0]["answer"]})
    command = ["audit", str(file), "--out", str(tmp_path / "out"), "--workers", "1", "--json"]

    def audited(*options: str) -> tuple[dict[str, str], list[str], str]:
        assert invoke([*command, *options]) == 0
        document = json.loads(capsys.readouterr().out)
        (check,) = [each for each in document["checks"] if each["name"] == "text_in_pictures"]
        return check, [each["kind"] for each in document["findings"]], document["page"]

    check, kinds, _ = audited()
    assert (check["state"], "--ocr" in check["why"]) == ("skipped", True)
    check, kinds, page = audited("--ocr")
    assert check["state"] == "done"
    assert "answer_in_picture" in kinds
    assert "occurs in the picture" in Path(page).read_text(encoding="utf-8")
    monkeypatch.setattr(read_texts, "ReadTexts", lambda *_: pytest.fail("a picture is read again"))
    assert audited("--ocr")[1] == kinds
    monkeypatch.setattr("benchwright.diagnostics.picture_text.rapid.find_spec", lambda package: None)
    from benchwright.diagnostics.picture_text.rapid import model_files, models_hash

    for kept in (model_files, models_hash):
        kept.cache_clear()
    assert "pip install 'benchwright[filters]'" in audited("--ocr")[0]["why"]


@pytest.mark.parametrize(
    ("option", "lines", "stands"),
    [
        ("the red chair", ["RED", "CHAIR!"], True),
        ("a red chair", ["REDCHAIR"], True),
        ("red chair", ["red chairs"], False),
        ("cat", ["caterpillar", "vacation"], False),
        ("7", ["Gate 7"], True),
        ("7", ["1974", "7.5"], False),
        ("A", ["Avenue"], False),
        ("A", ["Platform A"], True),
        ("椅子", ["椅子"], True),
        ("chair", [], False),
    ],
)
def test_options_stand_in_text_as_whole_words(option: str, lines: list[str], *, stands: bool) -> None:
    assert occurs_in(option, lines) is stands


def test_the_probability_of_keys_by_chance_is_that_of_independent_draws() -> None:
    from scipy.stats import binom

    assert at_least(3, [0.25] * 8) == pytest.approx(binom.sf(2, 8, 0.25))
    assert at_least(2, [0.5, 0.25]) == pytest.approx(0.125)  # both happen
    assert at_least(1, [0.5, 0.25]) == pytest.approx(0.625)  # not neither
    assert at_least(0, []) == 1

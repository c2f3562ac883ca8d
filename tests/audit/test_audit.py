"""The audit finds each kind of planted fault, accuses no clean benchmark, and states which checks it skipped."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from audited_benches import clean_rows, plant_faults, write_pictures, write_rows

from benchwright.audit import AuditSettings, audit, verdict_of
from benchwright.audit.findings.finding import Finding
from benchwright.audit.findings.report import AuditReport
from benchwright.cli.main import invoke

pytestmark = pytest.mark.slow
ITEMS = 48
_ALONE = AuditSettings(workers=1)


def cued_rows() -> list[dict[str, str]]:
    """Return questions of which the longest option is right, mostly under B."""
    rows = clean_rows(160)
    for number, row in enumerate(rows):
        row["answer"] = "B" if number % 4 else "C"
        row[row["answer"]] += " that everybody can see from here"
    return rows


class Bench:
    """A bench in a folder, with the report of its audit."""

    def __init__(self, folder: Path, rows: list[dict[str, str]]) -> None:
        self.file = write_rows(folder / "questions.csv", rows)
        self.out = folder / "out"
        self.report: AuditReport = audit(self.file, self.out, _ALONE)

    def found(self, kind: str) -> list[Finding]:
        return [finding for finding in self.report.findings if finding.kind == kind]


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder = tmp_path_factory.mktemp("clean")
    rows = clean_rows(ITEMS)
    write_pictures(folder, rows)
    return Bench(folder, rows)


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder = tmp_path_factory.mktemp("faulty")
    rows = clean_rows(ITEMS)
    write_pictures(folder, rows)
    return Bench(folder, plant_faults(folder, rows))


@pytest.fixture(scope="module")
def cued(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """Texts without pictures, of which the longest option is right, mostly under B."""
    return Bench(tmp_path_factory.mktemp("cued"), cued_rows())


def test_a_clean_bench_has_no_finding_of_high_or_medium_severity(clean: Bench) -> None:
    assert [finding for finding in clean.report.findings if finding.severity != "low"] == []


def test_a_clean_bench_has_no_copies(clean: Bench) -> None:
    assert [finding for finding in clean.report.findings if "duplicate" in finding.kind] == []


@pytest.mark.parametrize(
    ("kind", "severity", "items"),
    [
        ("duplicate_picture_across_splits", "high", {("q0", "q1")}),
        ("duplicate_picture", "medium", {("q2", "q3")}),
        ("repeated_question", "medium", {("q4", "q5")}),
        ("contradicting_keys", "high", {("q6", "q7")}),
        ("repeated_option", "high", {("q8",)}),
        ("missing_value_as_option", "medium", {("q20",)}),
        ("question_names_answer", "medium", {("q9",)}),
        ("misspelled_words", "low", {("q10",)}),
        ("blank_picture", "high", {("q11",)}),
        ("broken_picture", "high", {("q12",)}),
        ("missing_picture", "high", {("q13",)}),
        ("gps_position", "medium", {("q14",)}),
        ("group_across_splits", "high", {("q15", "q16")}),
        ("missing_key", "medium", {("q17",)}),
        ("repeated_id", "medium", {("q18", "q18 (2)")}),
    ],
)
def test_each_planted_fault_is_found_and_no_other_item_is_blamed(
    faulty: Bench, kind: str, severity: str, items: set[tuple[str, ...]]
) -> None:
    findings = faulty.found(kind)
    assert {finding.items for finding in findings} == items
    assert {finding.severity for finding in findings} == {severity}


def test_untouched_items_of_a_faulty_bench_are_blamed_for_nothing_serious(faulty: Bench) -> None:
    touched = {f"q{number}" for number in range(21)} | {"q18 (2)", f"questions.csv, line {ITEMS + 2}"}
    assert faulty.report.items_of("high", "medium") - touched == set()


def test_a_row_without_a_question_is_unreadable_and_not_the_end(faulty: Bench) -> None:
    assert any(row.where == f"questions.csv, line {ITEMS + 2}" for row in faulty.report.audited.unreadable)
    assert len(faulty.report.audited.items) == ITEMS


@pytest.mark.parametrize(
    ("kind", "severity"),
    [("longest_option_is_right", "high"), ("key_letters_uneven", "medium"), ("guessable_from_text", "high")],
)
def test_cues_of_the_whole_set_are_found_without_pictures(cued: Bench, kind: str, severity: str) -> None:
    assert [finding.severity for finding in cued.found(kind)] == [severity]


def test_an_instruction_that_ends_most_questions_makes_them_no_more_alike(tmp_path: Path) -> None:
    ending = "\nLook closely at the picture, think about it, and please answer with yes or no."
    asked = ("Is the cup on the table?", "Does a dog run?", "Are there nine lamps?")
    rows = [
        {"id": f"p{n}", "question": question + ending, "answer": "yes", "image": "nowhere.png"}
        for n, question in enumerate(asked)
    ]
    report = audit(write_rows(tmp_path / "q.csv", rows), tmp_path / "out", _ALONE)
    assert "nearly_repeated_question" not in {finding.kind for finding in report.findings}


def test_a_source_of_which_much_is_unreadable_gets_no_good_verdict(tmp_path: Path) -> None:
    rows = clean_rows(6)
    rows[0]["question"] = ""
    report = audit(write_rows(tmp_path / "q.csv", rows), tmp_path / "out", _ALONE)
    assert verdict_of(report).headline == "Much of it cannot be read: begin there."


def test_checks_that_need_pictures_say_what_to_give(cued: Bench) -> None:
    why = {check.name: check.why for check in cued.report.checks if check.state == "skipped"}
    assert "--pictures" in why["copies"]
    assert "rapidocr" in why["text_in_pictures"]


def test_a_cue_of_pictures_is_found_from_what_was_measured(clean: Bench, tmp_path: Path) -> None:
    """Light decides between Yes and No; the pictures are those of the clean bench."""
    from PIL import Image, ImageStat

    folder = clean.file.parent
    light = {
        row["image"]: ImageStat.Stat(Image.open(folder / row["image"]).convert("L")).mean[0]
        for row in clean_rows(ITEMS)
    }
    median = sorted(light.values())[ITEMS // 2]
    rows = [
        {
            "id": f"y{number}",
            "question": "Is it day?",
            "answer": "yes" if light[image] >= median else "no",
            "image": image,
        }
        for number, image in enumerate(light)
    ]
    file = write_rows(folder / "days" / "days.csv", rows)
    report = audit(file, clean.out, AuditSettings(pictures=folder, workers=1))
    assert "shortcut_pixels" in {finding.kind for finding in report.findings}


def test_the_second_audit_measures_nothing_again(faulty: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    from benchwright.audit import picture_measures

    def refuse(*_: object) -> None:
        raise AssertionError("a picture was measured again")

    monkeypatch.setattr(picture_measures, "MeasurePictures", refuse)
    again = audit(faulty.file, faulty.out, _ALONE)
    assert again.to_json() == faulty.report.to_json()


def test_the_page_is_one_file_that_fetches_nothing_and_escapes_data(clean: Bench, tmp_path: Path) -> None:
    rows = clean_rows(3)
    rows[1]["question"] = "<script>alert(1)</script> <img src=x onerror=alert(1)>?"
    rows[1]["C"] = rows[1]["A"]
    rows[1]["id"] = "<b>id</b>"
    report = audit(write_rows(tmp_path / "q.csv", rows), tmp_path / "out", _ALONE)
    page = Path(str(report.page)).read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "<b>id</b>" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert re.findall(r"(?:src|href)=\"(?!data:image/jpeg;base64,|#)", page) == []


def test_the_json_document_is_the_contract(faulty: Bench) -> None:
    document = json.loads((faulty.out / "audit.json").read_text(encoding="utf-8"))
    assert set(document) == {
        "source", "items", "images", "unreadable", "checks", "blind_strategy", "learned_cues", "findings", "page",
    }  # fmt: skip
    assert {frozenset(check) for check in document["checks"]} == {frozenset({"name", "state", "why", "failed_on"})}
    assert {frozenset(each) for each in document["findings"]} == {
        frozenset({"kind", "severity", "items", "evidence", "mend"})
    }
    assert {frozenset(row) for row in document["unreadable"]} == {frozenset({"where", "reason"})}
    assert any(row["where"] == "images/12.jpg" for row in document["unreadable"])


def test_a_release_is_audited_like_any_source(tmp_path: Path) -> None:
    from nasty_release import nasty_release

    release = nasty_release(tmp_path / "release")
    report = audit(release.path, tmp_path / "out", _ALONE)
    assert len(report.audited.items) == len(release)
    assert "no_canary" not in {finding.kind for finding in report.findings}


def test_pictures_of_another_folder_are_found_in_it(clean: Bench, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    from PIL import Image

    Image.open(clean.file.parent / "images" / "5.jpg").resize((156, 120)).save(other / "small.jpg", quality=80)
    (other / "same.jpg").write_bytes((clean.file.parent / "images" / "6.jpg").read_bytes())
    report = audit(clean.file, clean.out, AuditSettings(against=(other,), workers=1))
    found = {
        finding.items: finding.certainty
        for finding in report.findings
        if finding.kind == "duplicate_in_other_collection"
    }
    assert found == {("q5",): "likely", ("q6",): "certain"}


def _run(*arguments: str | Path) -> int:
    return invoke(["audit", *map(str, arguments), "--workers", "1"])


def test_the_command_fails_by_severity_and_passes_with_a_baseline(faulty: Bench, tmp_path: Path) -> None:
    baseline = tmp_path / "accepted.json"
    assert _run(faulty.file, "--out", faulty.out, "--fail-on", "high", "--write-baseline", baseline) == 1
    assert _run(faulty.file, "--out", faulty.out, "--fail-on", "low", "--baseline", baseline) == 0
    assert json.loads((faulty.out / "audit.json").read_text(encoding="utf-8"))["findings"] == []


def test_a_fault_beyond_the_baseline_fails_and_is_all_that_is_named(
    cued: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    baseline = tmp_path / "accepted.json"
    _run(cued.file, "--out", cued.out, "--write-baseline", baseline)
    capsys.readouterr()
    rows = cued_rows()
    rows[7]["A"] = rows[7]["D"]
    file = write_rows(tmp_path / "questions.csv", rows)
    assert _run(file, "--out", tmp_path / "out", "--fail-on", "medium", "--baseline", baseline, "--json") == 1
    document = json.loads(capsys.readouterr().out)
    assert [(each["kind"], each["items"]) for each in document["findings"]] == [("repeated_option", ["q7"])]


def test_notes_of_a_baseline_stay_when_it_is_written_again(cued: Bench, tmp_path: Path) -> None:
    baseline = tmp_path / "accepted.json"
    _run(cued.file, "--out", cued.out, "--write-baseline", baseline)
    document = json.loads(baseline.read_text(encoding="utf-8"))
    document["accepted"][0]["note"] = "on purpose"
    baseline.write_text(json.dumps(document), encoding="utf-8")
    _run(cued.file, "--out", cued.out, "--write-baseline", baseline)
    assert json.loads(baseline.read_text(encoding="utf-8")) == document


def test_the_short_text_is_a_table_in_markdown(cued: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(cued.file, "--out", cued.out, "--text") == 0
    printed = capsys.readouterr().out
    assert printed.startswith("### Audit of questions.csv: ")
    assert "| 🔴 high | longest option is right | 1 |" in printed


def test_guesses_are_shown_before_they_are_used(cued: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(cued.file, "--out", cued.out) == 0
    assert "read as questions.csv: id: id; question: question; answer: answer" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        ("numbers.csv", "x,y\n1,2\n", (), "it lacks a column for the question"),
        ("b.json", '{"format": "else"}', ("--baseline", "b.json"), "is not a baseline of an audit"),
        ("b.json", '{"format": "benchwright/audit-baseline", "version": 9}', ("--baseline", "b.json"), "has version 9"),
    ],
)
def test_what_cannot_be_read_is_refused_in_words(
    name: str,
    content: str,
    options: tuple[str, ...],
    message: str,
    cued: Bench,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(content, encoding="utf-8")
    assert _run(cued.file if options else name, "--out", "out", *options) == 2
    assert message in capsys.readouterr().err

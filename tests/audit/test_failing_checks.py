"""A check that raises is one record of the audit: it names items, exception, file and line, and the others continue."""

from __future__ import annotations

import gzip
import importlib
import json
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from audited_benches import clean_rows, write_rows
from PIL import Image

from benchwright.audit import AuditSettings, audit, verdict_of
from benchwright.audit.check import AuditCheck, AuditContext
from benchwright.audit.checks.copies import CopiedPictures
from benchwright.audit.checks.guessing import KeyLetters, ShortcutBattery
from benchwright.audit.checks.item_faults import AnswersGivenAway, ExplainedKeys, HiddenCharacters, Options
from benchwright.audit.checks.leaks import Canary
from benchwright.audit.checks.pictures import BrokenPictures, PictureFaults
from benchwright.audit.checks.questions import RepeatedIds, RepeatedQuestions
from benchwright.audit.checks.rights import PersonalMetadata
from benchwright.audit.findings.finding import Finding
from benchwright.audit.findings.report import AuditReport
from benchwright.audit.picture_measures import MeasurePictures, PictureFile, kept_documents
from benchwright.audit.source.audited_items import AuditedItem, AuditedItems
from benchwright.cli.main import invoke
from benchwright.errors import RequestFailed, StorageError

ITEMS = 21


class OddIds:
    """Finds nothing, and fails on two of the items."""

    name: ClassVar[str] = "odd_ids"
    title: ClassVar[str] = "Ids that are odd"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        for each, number in context.check_each(audited.items, self._number):
            if number == 7:
                yield Finding("seven", "low", (each.item_id,), "It is the seventh.")

    @staticmethod
    def _number(each: AuditedItem) -> int:
        return {"q3": [], "q5": []}.get(each.item_id, [int(each.item_id[1:])])[0]


class Broken:
    """Finds one fault, and then raises."""

    name: ClassVar[str] = "broken"
    title: ClassVar[str] = "What is broken"

    def __init__(self, error: Exception) -> None:
        self._error = error

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        yield Finding("before", "low", ("q1",), "This was found before.")
        raise self._error


def _audited(folder: Path, *checks: AuditCheck) -> AuditReport:
    file = write_rows(folder / "questions.csv", clean_rows(ITEMS))
    return audit(file, folder / "out", AuditSettings(workers=1), checks=checks)


def test_items_on_which_a_check_raises_are_named_and_all_else_is_checked(tmp_path: Path) -> None:
    report = _audited(tmp_path, OddIds(), Options())
    odd, options = report.checks
    assert (odd.state, odd.failed_on, odd.exit_code, odd.findings) == ("failed", ("q3", "q5"), 3, 1)
    assert odd.why.startswith("IndexError: list index out of range (")
    assert "test_failing_checks.py:" in odd.why
    assert options.state == "done"
    page = (tmp_path / "out" / "audit.html").read_text(encoding="utf-8")
    assert "IndexError: list index out of range" in page
    assert "q3, q5" in page
    document = json.loads((tmp_path / "out" / "audit.json").read_text(encoding="utf-8"))
    assert document["checks"][0]["failed_on"] == ["q3", "q5"]


@pytest.mark.parametrize(
    ("error", "exit_code"),
    [(KeyError("odd"), 3), (RequestFailed("timeout", "no reply in 5 s"), 2)],
    ids=["ours", "theirs"],
)
def test_a_check_that_breaks_off_keeps_what_it_found_and_ends_no_other(
    tmp_path: Path, error: Exception, exit_code: int
) -> None:
    report = _audited(tmp_path, Broken(error), OddIds())
    assert [(check.state, check.exit_code) for check in report.checks] == [("failed", exit_code), ("failed", 3)]
    assert {finding.kind for finding in report.findings} == {"before", "seven"}
    assert "failed" in verdict_of(report).headline


@pytest.mark.parametrize(
    ("function", "check"),
    [
        ("benchwright.diagnostics.item_faults.given_away.names_answer", AnswersGivenAway()),
        ("benchwright.diagnostics.item_faults.rules.faults_of_item", HiddenCharacters()),
        ("benchwright.diagnostics.item_faults.fault_rules.stated_key", ExplainedKeys()),
        ("benchwright.diagnostics.item_faults.options.repeated_pairs", Options()),
        ("benchwright.diagnostics.wording.repeated_questions.identity_of", RepeatedQuestions()),
    ],
    ids=lambda value: getattr(value, "name", None) or str(value).rpartition(".")[2],
)
def test_one_item_that_a_check_cannot_bear_loses_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str, check: AuditCheck
) -> None:
    module, _, name = function.rpartition(".")
    real = getattr(importlib.import_module(module), name)

    def raising(each: Any, *more: Any) -> Any:
        if "number 4?" in str(each):
            raise ZeroDivisionError("an odd item")
        return real(each, *more)

    monkeypatch.setattr(importlib.import_module(module), name, raising)
    rows = [
        row | {"question": f"What is number {number}?", "explanation": f"What is number {number}? So the answer is A."}
        for number, row in enumerate(clean_rows(ITEMS))
    ]
    file = tmp_path / "questions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    report = audit(file, tmp_path / "out", AuditSettings(workers=1), checks=[check])
    [run] = report.checks
    assert (run.state, run.failed_on, run.exit_code) == ("failed", ("q4",), 3)
    assert "an odd item" in run.why


def test_every_check_that_shares_what_failed_on_an_item_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = importlib.import_module("benchwright.diagnostics.wording.repeated_options").repeated_pairs
    seen: list[Any] = []

    def raising(item: Any) -> Any:
        seen.append(item.item_id)
        if item.item_id == seen[0]:
            raise ZeroDivisionError("an odd item")
        return real(item)

    monkeypatch.setattr("benchwright.diagnostics.wording.repeated_options.repeated_pairs", raising)
    report = _audited(tmp_path, Options(), KeyLetters(), RepeatedIds())
    options, letters, ids = report.checks
    assert (options.state, letters.state, ids.state) == ("failed", "failed", "done")
    assert options.failed_on == letters.failed_on
    assert len(options.failed_on) == 1


@dataclass(frozen=True)
class SourMeasures(MeasurePictures):
    """Measures pictures, and raises on one."""

    def document_of(self, picture: PictureFile) -> dict[str, Any]:
        if picture.file.endswith("4.png"):
            raise ZeroDivisionError("an odd picture")
        return {"file": picture.file}


def test_one_picture_that_raises_loses_no_other_and_names_its_items(tmp_path: Path) -> None:
    class Pictures:
        name: ClassVar[str] = "pictures"
        title: ClassVar[str] = "Pictures"

        def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
            pictures = list(audited.pictures.values())
            documents = kept_documents(pictures, context, kind="sour", phase="sour", job=SourMeasures)
            assert len(documents) == len(pictures) - 1
            yield Finding("looked", "low", (), f"{len(documents)}")

    write_pictures(tmp_path)
    report = audit(tmp_path / "questions.csv", tmp_path / "out", AuditSettings(workers=1), checks=[Pictures()])
    [run] = report.checks
    assert (run.state, run.failed_on, run.findings) == ("failed", ("q4",), 1)
    assert run.why.startswith("ZeroDivisionError: an odd picture (")


def write_pictures(folder: Path) -> None:
    """Write eight questions about a picture each."""
    rows = clean_rows(8)
    for number, row in enumerate(rows):
        pixels = np.random.default_rng(number).integers(0, 255, (40, 60, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(folder / f"{number}.png")
        row |= {"id": f"q{number}", "image": f"{number}.png"}
    write_rows(folder / "questions.csv", rows)


def test_where_no_picture_can_be_decoded_checks_of_pictures_say_that_they_looked_at_none(tmp_path: Path) -> None:
    rows = clean_rows(4)
    for number, row in enumerate(rows):
        file = tmp_path / f"{number}.png"
        file.write_bytes(_png_without_pixels(number))
        row |= {"image": file.name}
    write_rows(tmp_path / "questions.csv", rows)
    checks: list[AuditCheck] = [BrokenPictures(), PictureFaults(), CopiedPictures(), PersonalMetadata()]
    report = audit(tmp_path / "questions.csv", tmp_path / "out", AuditSettings(workers=1), checks=checks)
    assert [check.state for check in report.checks] == ["done", "skipped", "skipped", "skipped"]
    assert len(report.findings) == 4
    assert {check.why for check in report.checks[1:]} == {"none of 4 pictures can be decoded"}


def _png_without_pixels(number: int) -> bytes:
    """Return a PNG that only decoding reveals as broken: its chunks are sound, its pixels are not packed."""
    head = struct.pack(">IIBBBBB", 200, 160, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", bytes([number]) * 99), (b"IEND", b"")]
    parts = [
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


@pytest.mark.parametrize(("name", "state"), [("questions.csv", "done"), ("questions.csv.gz", "skipped")])
def test_a_canary_is_missed_only_where_files_were_looked_into(tmp_path: Path, name: str, state: str) -> None:
    file = write_rows(tmp_path / "plain.csv", clean_rows(4))
    data = file.read_bytes()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    report = audit(tmp_path / name, tmp_path / "out", AuditSettings(workers=1), checks=[Canary()])
    assert [check.state for check in report.checks] == [state]
    assert len(report.findings) == (state == "done")


def test_a_disk_that_fails_ends_the_audit(tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        _audited(tmp_path, Broken(StorageError("the disk is full")), KeyLetters())


def test_the_command_says_so_last_and_exits_with_another_code_than_0(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("benchwright.audit.auditing.all_checks", lambda: [OddIds(), KeyLetters()])
    file = write_rows(tmp_path / "questions.csv", clean_rows(ITEMS))
    arguments = ["audit", str(file), "--out", str(tmp_path / "out"), "--workers", "1", "--json"]
    assert invoke(arguments) == 3
    printed = capsys.readouterr()
    states: list[Any] = [(check["name"], check["state"]) for check in json.loads(printed.out)["checks"]]
    assert states == [("odd_ids", "failed"), ("key_letters", "done")]
    assert "odd_ids failed on 2 items: IndexError" in printed.err.splitlines()[-1]


def test_a_file_of_replies_that_is_of_no_use_is_known_before_any_check_runs(tmp_path: Path) -> None:
    file = write_rows(tmp_path / "questions.csv", clean_rows(ITEMS))
    (tmp_path / "replies.csv").write_text("id,reply\nnobody,A\n")
    assert invoke(["audit", str(file), "--out", str(tmp_path / "out"), "--replies", f"m={tmp_path}/replies.csv"]) == 2
    assert not (tmp_path / "out" / "audit.json").exists()


@pytest.mark.slow
def test_items_whose_key_is_the_option_that_declines_are_checked_like_all_others(tmp_path: Path) -> None:
    rows = [row | {"refusal": "D"} for row in clean_rows(24)]
    assert sum(row["answer"] == "D" for row in rows) == 6
    file = tmp_path / "questions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    report = audit(file, tmp_path / "out", AuditSettings(workers=1), checks=[KeyLetters(), ShortcutBattery()])
    assert [(check.state, check.failed_on) for check in report.failed] == []
    declining = [each.item for each in report.audited.items if each.item.right_key == "D"]
    assert [(item.answer, item.refusal) for item in declining] == [(None, "D")] * 6


def test_what_the_adversary_cannot_see_of_an_item_is_a_failure_of_every_audit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from benchwright.diagnostics.shortcuts import measuring

    whole = measuring.evidence_of_answers

    def evidence_of_answers(*arguments: Any, own_id: str, **named: Any) -> Any:
        if own_id == "q4":
            raise RuntimeError("no evidence")
        return whole(*arguments, own_id=own_id, **named)

    monkeypatch.setattr(measuring, "evidence_of_answers", evidence_of_answers)
    source = write_rows(tmp_path / "q.csv", clean_rows(ITEMS))
    for _ in range(2):  # at first, and with what is kept
        report = audit(source, tmp_path / "out", AuditSettings(workers=1), checks=[ShortcutBattery()])
        (run,) = report.checks
        assert run.state == "failed"
        assert run.failed_on == ("q4",)
        assert "no evidence" in run.why
        assert [power.learned_items for power in report.cue_powers] == [ITEMS - 1]

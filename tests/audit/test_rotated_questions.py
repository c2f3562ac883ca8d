"""Questions that repeat another with rotated options are not items, not unreadable, and must rotate the key as well."""

from __future__ import annotations

import csv

import pytest

from benchwright.audit import AuditSettings, audit, verdict_of
from benchwright.audit.checks.questions import RotatedOptions
from benchwright.audit.findings.report import AuditReport
from benchwright.audit.findings.texts import terminal_lines

MILLION = 1_000_000


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> AuditReport:
    """Return the audit of ten questions, each repeated in a second order; one key did not rotate."""
    folder = tmp_path_factory.mktemp("rotated")
    rows: list[list[str | int]] = [["index", "question", "A", "B", "answer"]]
    for n in range(10):
        rows.append([n, f"Which tree is number {n}?", "an oak", "a pine", "A"])
    for n in range(10):
        rows.append([n + MILLION, f"Which tree is number {n}?", "a pine", "an oak", "A" if n == 4 else "B"])
    with (folder / "trees.tsv").open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle, delimiter="\t").writerows(rows)
    settings = AuditSettings(workers=1)
    return audit(folder / "trees.tsv", folder / "out", settings, checks=[RotatedOptions()])


def test_a_rotation_whose_key_stayed_behind_is_a_finding_of_the_question(report: AuditReport) -> None:
    (finding,) = report.findings
    assert (finding.kind, finding.items, finding.severity) == ("contradicting_keys", ("4",), "high")
    assert "'a pine'" in finding.summary


def test_rotations_are_counted_apart_and_make_nothing_unreadable(report: AuditReport) -> None:
    assert len(report.audited.items) == len(report.audited.rotations) == 10
    assert report.audited.unreadable == ()
    assert not any("cannot be read" in reason for reason in verdict_of(report).reasons if "picture" not in reason)
    assert any(line.startswith("rotated") and "10 questions" in line for line in terminal_lines(report))

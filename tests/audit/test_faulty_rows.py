"""Rows that no run takes because of their key or options are findings that name them, so that `--fail-on` applies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from dataset_fixtures.pictures import save

from benchwright.audit import AuditSettings, audit
from benchwright.audit.checks.pictures import BrokenPictures
from benchwright.audit.setting_right.annotator_questions import questions_of
from benchwright.cli.main import invoke

OPTIONS = ["fox", "hen", "owl", "bee"]
SOUND = [
    {"id": f"s{number}", "image": "1.png", "question": f"What is on sign {number}?", "options": OPTIONS, "answer": key}
    for number, key in enumerate("ABCDABCD")
]


def _bench(folder: Path, **faulty: Any) -> Path:
    save(folder / "1.png", 1, 300, 200)
    row = {"id": "x", "image": "1.png", "question": "What is on the last one?", "options": OPTIONS, "answer": "A"}
    source = folder / "q.json"
    source.write_text(json.dumps([*SOUND, {**row, **faulty}]))
    return source


@pytest.mark.parametrize(
    ("faulty", "kind", "severity"),
    [
        ({"answer": "J"}, "key_not_an_option", "high"),
        ({"answer": "3"}, "key_not_an_option", "high"),
        ({"answer": ["A", "B"]}, "several_keys", "high"),
        ({"answer": "18", "options": ["9", "12", "18", "18"]}, "repeated_option", "high"),
        ({"options": ["fox", "", "owl"]}, "empty_option", "medium"),
        ({"options": ["fox"]}, "too_few_options", "medium"),
    ],
)
def test_a_faulty_row_is_a_finding_that_names_it(
    faulty: dict[str, Any], kind: str, severity: str, tmp_path: Path
) -> None:
    report = audit(_bench(tmp_path, **faulty), tmp_path / "out", AuditSettings())
    found = [finding for finding in report.findings if finding.items and finding.kind == kind]
    assert [(finding.severity, finding.items, finding.certainty) for finding in found] == [
        (severity, ("x",), "certain")
    ]
    assert "missing_key" not in {finding.kind for finding in report.findings}
    assert (tmp_path / "out" / "index.html").exists() or list((tmp_path / "out").glob("*.html"))
    asked = questions_of(report)  # people can be asked, or are told that they are not
    assert "x" in asked.items or kind in asked.not_asked


def test_a_key_that_is_no_option_fails_the_command(tmp_path: Path) -> None:
    source = _bench(tmp_path, answer="J")
    assert invoke(["audit", str(source), "--out", str(tmp_path / "out"), "--fail-on", "high"]) != 0
    sound = tmp_path / "sound"
    sound.mkdir()
    assert invoke(["audit", str(_bench(sound)), "--out", str(tmp_path / "out2"), "--fail-on", "high"]) == 0


def test_a_name_of_several_pictures_is_not_called_missing(tmp_path: Path) -> None:
    save(tmp_path / "a/1.png", 1, 300, 200)
    save(tmp_path / "b/1.png", 2, 300, 200)
    save(tmp_path / "2.png", 3, 300, 200)
    (tmp_path / "q.json").write_text(json.dumps([SOUND[0], {**SOUND[1], "image": "2.png"}]))
    settings = AuditSettings(workers=1)
    found = audit(tmp_path / "q.json", tmp_path / "out", settings, checks=(BrokenPictures(),)).findings
    assert [each.summary for each in found] == [
        "The picture 1.png may be any of several files, so the question cannot be answered."
    ]
    assert "a/1.png or b/1.png" in found[0].evidence["reason"]

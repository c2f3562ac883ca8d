"""Repeated ids, in one file or in several, and rows without ids; one name in two files does not identify a picture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchwright.audit import AuditSettings, audit
from benchwright.audit.checks.questions import RepeatedIds, RepeatedQuestions
from benchwright.audit.findings.finding import Finding

ROW = {"image": "1.png", "A": "a jug", "B": "a cup", "answer": "A"}


def _found(folder: Path, check: Any, **files: list[dict[str, Any]]) -> list[Finding]:
    for name, rows in files.items():
        lines = [json.dumps({**ROW, "question": f"What is on shelf {name} {n}?", **row}) for n, row in enumerate(rows)]
        (folder / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return list(audit(folder, folder / "out", AuditSettings(workers=1), checks=[check]).findings)


def test_rows_without_ids_have_no_ids_that_stand_twice(tmp_path: Path) -> None:
    assert _found(tmp_path, RepeatedIds(), dev=[{}, {}], test=[{}, {}]) == []


def test_ids_that_begin_anew_in_each_file_are_worth_a_look(tmp_path: Path) -> None:
    rows = [{"id": f"{number}"} for number in range(12)]
    (finding,) = _found(tmp_path, RepeatedIds(), color=rows, shape=rows)
    assert (finding.severity, len(finding.items)) == ("low", 24)
    assert "name the file" in finding.summary


def test_an_id_that_a_file_states_twice_is_a_fault(tmp_path: Path) -> None:
    rows = [{"id": f"{number}"} for number in range(20)]
    (finding,) = _found(tmp_path, RepeatedIds(), color=[*rows, {"id": "3"}])
    assert (finding.severity, finding.items) == ("medium", ("3", "3 (2)"))


def test_pictures_of_one_name_in_two_files_are_surely_the_same_only_where_they_are_there(tmp_path: Path) -> None:
    same = [{"question": "What is on it?"}]
    across = _found(tmp_path, RepeatedQuestions(), color=same, shape=[{**same[0], "answer": "B"}])
    assert [(each.kind, each.certainty) for each in across] == [("contradicting_keys", "likely")]

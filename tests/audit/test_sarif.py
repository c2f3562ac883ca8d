"""Findings in SARIF are at the lines of their questions, and a baseline suppresses those it accepts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from audited_benches import COLUMNS, clean_rows, write_rows

from benchwright.audit import AuditSettings, audit
from benchwright.audit.findings.places import SourcePlaces
from benchwright.audit.findings.report import AuditReport
from benchwright.audit.findings.sarif import sarif
from benchwright.cli.main import invoke

_TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
_LOCATION = {
    "type": "object",
    "required": ["physicalLocation"],
    "properties": {
        "id": {"type": "integer", "minimum": -1},
        "message": _TEXT,
        "physicalLocation": {
            "type": "object",
            "required": ["artifactLocation"],
            "additionalProperties": False,
            "properties": {
                "artifactLocation": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "uri": {"type": "string", "format": "uri-reference", "pattern": "^[^ ]+$"},
                        "uriBaseId": {"type": "string"},
                    },
                },
                "region": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "startLine": {"type": "integer", "minimum": 1},
                        "endLine": {"type": "integer", "minimum": 1},
                    },
                },
            },
        },
        "logicalLocations": {"type": "array", "items": {"type": "object"}},
    },
    "additionalProperties": False,
}
_NOTIFICATION = {"type": "object", "required": ["message"], "properties": {"message": _TEXT}}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"enum": ["2.1.0"]},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool"],
                "additionalProperties": False,
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "properties": {
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {
                                            "type": "object",
                                            "required": ["id"],
                                            "additionalProperties": False,
                                            "properties": {
                                                "id": {"type": "string"},
                                                "name": {"type": "string"},
                                                "shortDescription": _TEXT,
                                                "help": _TEXT,
                                                "defaultConfiguration": {
                                                    "type": "object",
                                                    "properties": {
                                                        "level": {"enum": ["none", "note", "warning", "error"]}
                                                    },
                                                },
                                            },
                                        },
                                    }
                                },
                            }
                        },
                    },
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["message"],
                            "additionalProperties": False,
                            "properties": {
                                "ruleId": {"type": "string"},
                                "level": {"enum": ["none", "note", "warning", "error"]},
                                "message": _TEXT,
                                "locations": {"type": "array", "items": _LOCATION},
                                "relatedLocations": {"type": "array", "uniqueItems": True, "items": _LOCATION},
                                "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
                                "properties": {"type": "object"},
                                "suppressions": {
                                    "type": "array",
                                    "uniqueItems": True,
                                    "items": {
                                        "type": "object",
                                        "required": ["kind"],
                                        "properties": {
                                            "kind": {"enum": ["inSource", "external"]},
                                            "justification": {"type": "string"},
                                        },
                                    },
                                },
                            },
                        },
                    },
                    "invocations": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["executionSuccessful"],
                            "properties": {"toolExecutionNotifications": {"type": "array", "items": _NOTIFICATION}},
                        },
                    },
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                },
            },
        },
    },
}
"""What of the schema of SARIF 2.1.0 the document uses; members that it does not use are forbidden here."""


def faulty(count: int = 6) -> list[dict[str, str]]:
    """Return rows of which q2 has an equal option and words over two lines, and q4 no question."""
    rows = clean_rows(count)
    rows[2] |= {"question": f"{rows[2]['question']}\nLook at it closely.", "C": rows[2]["A"], "answer": "A"}
    rows[4]["question"] = ""
    return [{name: row[name] for name in COLUMNS if name != "image"} for row in rows]


def results_of(report: AuditReport, root: Path) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = sarif(report, root=root)["runs"][0]["results"]
    return results


def lines_of(results: list[dict[str, Any]], kind: str) -> list[tuple[str, dict[str, int]]]:
    places = [each["locations"][0]["physicalLocation"] for each in results if each["ruleId"] == kind]
    return [(place["artifactLocation"]["uri"], place["region"]) for place in places]


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> tuple[AuditReport, Path]:
    folder = tmp_path_factory.mktemp("with a space")
    rows = [row | {"image": ""} for row in faulty()]
    return audit(write_rows(folder / "my quiz.csv", rows), folder / "out", AuditSettings(workers=1)), folder


@pytest.mark.slow
def test_a_finding_stands_at_the_lines_of_its_row(audited: tuple[AuditReport, Path]) -> None:
    report, folder = audited
    results = results_of(report, folder)
    assert lines_of(results, "repeated_option") == [("my%20quiz.csv", {"startLine": 4, "endLine": 5})]
    assert lines_of(results, "row_is_no_item") == [("my%20quiz.csv", {"startLine": 7, "endLine": 7})]
    assert lines_of(results, "no_canary") == [("my%20quiz.csv", {"startLine": 1})]
    assert {each["ruleId"]: each["level"] for each in results}["row_is_no_item"] == "error"


def test_the_document_is_what_the_schema_of_sarif_allows(audited: tuple[AuditReport, Path]) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(sarif(audited[0], root=audited[1]), SCHEMA)
    jsonschema.validate(sarif(audited[0], root=audited[1] / "elsewhere"), SCHEMA)


def test_each_rule_says_what_mends_it(audited: tuple[AuditReport, Path]) -> None:
    rules = {each["id"]: each for each in sarif(audited[0])["runs"][0]["tool"]["driver"]["rules"]}
    assert rules.keys() == {finding.kind for finding in audited[0].findings}
    assert "--set-right" in rules["repeated_option"]["help"]["text"]
    assert "`repeated_options`" in rules["repeated_option"]["help"]["text"]
    page = Path(str(audited[0].page)).read_text(encoding="utf-8")
    assert "To fix: <code>benchwright audit SOURCE --set-right" in page


@pytest.mark.parametrize("form", ["list", "by id", "in lists", "lines"])
def test_entries_of_json_are_found_by_their_line(form: str, tmp_path: Path) -> None:
    rows = faulty()
    name = "q.json"
    if form == "list":
        text = json.dumps(rows, indent=1, ensure_ascii=False)
    elif form == "by id":
        text = json.dumps({row["id"]: row for row in rows}, indent=1)
    elif form == "in lists":
        text = json.dumps({"train": rows[:2], "test": rows[2:]}, indent=1)
    else:
        name, text = "q.jsonl", "\n".join(map(json.dumps, rows))
    (tmp_path / name).write_text(text, encoding="utf-8")
    report = audit(tmp_path / name, tmp_path / "out", AuditSettings(workers=1), checks=[])
    lines = text.splitlines()
    places = SourcePlaces(report.audited)
    for row in rows:
        place = places.of(row["id"] if row["question"] else report.audited.left_out[0].item_id)
        assert place.first is not None
        assert f'"id": "{row["id"]}"' in "".join(lines[place.first - 1 : place.first + 1])


@pytest.mark.slow
def test_rows_that_are_no_items_stop_a_change_until_a_baseline_accepts_them(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "q.csv", [row | {"image": ""} for row in faulty()])
    known = tmp_path / "known.json"
    words = ["audit", str(source), "--out", str(tmp_path / "out"), "--workers", "1", "--fail-on", "high"]
    words += ["--sarif", str(tmp_path / "q.sarif")]
    assert invoke([*words, "--write-baseline", str(known)]) == 1
    assert invoke([*words, "--baseline", str(known)]) == 0
    results = json.loads((tmp_path / "q.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
    assert {each["ruleId"] for each in results if "suppressions" in each} >= {"row_is_no_item", "repeated_option"}
    rows = [row | {"image": ""} for row in faulty(8)]
    write_rows(source, [*rows[:6], rows[6] | {"question": ""}, rows[7]])
    assert invoke([*words, "--baseline", str(known)]) == 1

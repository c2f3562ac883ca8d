"""An audit in SARIF 2.1.0, which lets code hosts and editors show each finding at the line of its question.

Each result is a finding about one item, so that a reviewer of a change sees it at the changed row. Findings that a
baseline accepts are suppressed results, which code hosts do not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

from benchwright import __version__
from benchwright.canonical import digest
from benchwright.texts.normalization import printable
from benchwright.workspace.atomic import write_json

from .finding import Finding, Severity
from .places import SourcePlace, SourcePlaces
from .remedies import remedy_of
from .report import AuditReport

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS: Mapping[Severity, str] = {"high": "error", "medium": "warning", "low": "note"}
_MOST_RESULTS = 20_000
"""Largest number of results in a run; GitHub refuses files with more than 25,000."""
_OTHER_ITEMS = 10
"""Largest number of other items of a finding to which a result refers."""
_LONGEST = 1000


def write_sarif(report: AuditReport, path: Path, *, root: Path | None = None) -> None:
    """Write an audit as SARIF; an existing file is replaced.

    Args:
        report: The audit.
        path: File to write.
        root: Folder to which file names are relative, such as a checkout; by default, the working directory.
    """
    write_json(path, sarif(report, root=root))


def sarif(report: AuditReport, *, root: Path | None = None) -> dict[str, Any]:
    """Return an audit as a SARIF document, in the form of `write_sarif`."""
    places, top = SourcePlaces(report.audited), (root or Path.cwd()).resolve()
    told = (
        _result(each, places, top, is_accepted=is_accepted)
        for findings, is_accepted in ((report.findings, False), (report.accepted, True))
        for finding in findings
        for each in _by_item(finding)
    )
    results = list(islice(told, _MOST_RESULTS))
    total = sum(max(1, len(finding.items)) for finding in (*report.findings, *report.accepted))
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "Benchwright audit",
                "semanticVersion": __version__,
                "rules": list(_rules((*report.findings, *report.accepted))),
            }
        },
        "results": results,
        "invocations": [
            {
                "executionSuccessful": not report.failed,
                "toolExecutionNotifications": list(_notifications(report, total - len(results))),
            }
        ],
        "columnKind": "unicodeCodePoints",
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _notifications(report: AuditReport, left_out: int) -> Iterator[dict[str, Any]]:
    """Yield notifications of failures, and of the number of omitted results, which are the mildest."""
    for check in report.failed:
        yield {"level": "error", "message": {"text": f"{check.name} failed {check.where}: {_text(check.why)}"}}
    if left_out:
        yield {"level": "warning", "message": {"text": f"{left_out:,} results left out; audit.json has all"}}


def _by_item(finding: Finding) -> Iterator[Finding]:
    """Yield a finding once for each of its items, with that item first, or just once if it is about the whole set."""
    if not finding.items:
        yield finding
    for item in finding.items:
        others = islice((other for other in finding.items if other != item), _OTHER_ITEMS)
        yield replace(finding, items=(item, *others))


def _result(finding: Finding, places: SourcePlaces, root: Path, *, is_accepted: bool) -> dict[str, Any]:
    item = finding.items[0] if finding.items else ""
    where = places.of(item) if item else places.whole
    about = [f"Item {_text(item)}: {_text(finding.summary)}" if item else _text(finding.summary)]
    about += _words_on(finding, item)
    result: dict[str, Any] = {
        "ruleId": finding.kind,
        "level": _LEVELS[finding.severity],
        "message": {"text": " ".join([*about, remedy_of(finding).words])},
        "locations": [_location(where, root, item)],
        "partialFingerprints": {"benchwrightFinding/v1": digest([finding.kind, item])[:16]},
        "properties": {"severity": finding.severity, "certainty": finding.certainty},
    }
    if len(finding.items) > 1:
        result["relatedLocations"] = [
            {**_location(places.of(other), root, other), "id": number, "message": {"text": _text(other)}}
            for number, other in enumerate(finding.items[1:], start=1)
        ]
    if is_accepted:
        result["suppressions"] = [{"kind": "external", "justification": "accepted by the baseline"}]
    return result


def _words_on(finding: Finding, item: str) -> list[str]:
    """Return the part of a finding about many items that concerns a given item."""
    told = {**finding.evidence.get("words", {}), **finding.evidence.get("texts", {})}
    start = f"{item}, "
    of_item = [f"{place.removeprefix(start)}: {words}" for place, words in told.items() if place.startswith(start)]
    rows = [row["detail"] for row in finding.evidence.get("rows", ()) if _is_row_of(row, item)]
    return [f"({_text('; '.join(map(str, (*of_item, *rows))))})"] if item and (of_item or rows) else []


def _is_row_of(row: Any, item: str) -> bool:
    return isinstance(row, Mapping) and row.get("item_id") == item and "detail" in row


def _location(place: SourcePlace, root: Path, item: str) -> dict[str, Any]:
    path = place.file.resolve()
    inside = path.is_relative_to(root)
    below = quote(path.relative_to(root).as_posix()) if inside else ""
    artifact = {"uri": below, "uriBaseId": "%SRCROOT%"} if inside else {"uri": path.as_uri()}
    # Code hosts show nothing without a line: a result without one is placed at the first.
    physical: dict[str, Any] = {"artifactLocation": artifact, "region": {"startLine": place.first or 1}}
    if place.last is not None:
        physical["region"]["endLine"] = place.last
    logical = {"logicalLocations": [{"name": _text(item), "kind": "item"}]} if item else {}
    return {"physicalLocation": physical, **logical}


def _rules(findings: Sequence[Finding]) -> Iterable[dict[str, Any]]:
    """Yield a rule for each kind, in the order of first occurrence."""
    first: dict[str, Finding] = {}
    for finding in findings:
        first.setdefault(finding.kind, finding)
    for kind, finding in first.items():
        remedy = remedy_of(finding)
        name = kind.replace("_", " ")
        yield {
            "id": kind,
            "name": "".join(word.capitalize() for word in kind.split("_")),
            "shortDescription": {"text": f"{name[:1].upper()}{name[1:]}"},
            "help": {"text": f"{remedy.words} See docs/{remedy.page}."},
            "defaultConfiguration": {"level": _LEVELS[finding.severity]},
        }


def _text(text: str) -> str:
    """Return a text on one line, without terminal control characters, truncated if it is long."""
    text = printable(text)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"

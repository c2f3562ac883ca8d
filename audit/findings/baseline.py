"""Findings that a team accepts, so that a check in continuous integration fails only on new ones.

The file is JSON, to be stored next to the benchmark and reviewed:

    {"format": "benchwright/audit-baseline", "version": 1,
     "accepted": [{"kind": "duplicate_picture", "about": "", "items": ["q1", "q2"], "note": "asked about on purpose"}]}

An entry accepts a finding of its kind about the same subject (task, split, collection, license) if it lists all of its
items. Notes belong to the team and are kept.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field, ValidationError

from benchwright.errors import DataError
from benchwright.records import Record
from benchwright.workspace.atomic import write_json

from .finding import Finding

FORMAT = "benchwright/audit-baseline"
VERSION = 1
_MOST_BYTES = 256 << 20
_ABOUT = ("task", "rule", "solver", "of", "split", "collection", "licence", "group", "reason")
"""Keys of a finding's evidence that name its subject in addition to its items."""


class AcceptedFinding(Record):
    """An entry of a baseline; `note` states why the finding is accepted."""

    kind: str
    about: str = ""
    items: tuple[str, ...] = ()
    note: str = ""


class _BaselineFile(Record):
    format: str
    version: int
    accepted: tuple[AcceptedFinding, ...] = Field(default_factory=tuple)


class Baseline(NamedTuple):
    """The entries of a baseline."""

    accepted: tuple[AcceptedFinding, ...] = ()

    def divide(self, findings: Iterable[Finding]) -> tuple[list[Finding], list[Finding]]:
        """Return the new findings and the accepted findings, each in their original order."""
        known: defaultdict[tuple[str, str], list[frozenset[str]]] = defaultdict(list)
        for entry in self.accepted:
            known[entry.kind, entry.about].append(frozenset(entry.items))
        new: list[Finding] = []
        accepted: list[Finding] = []
        for finding in findings:
            items = frozenset(finding.items)
            entries = known[finding.kind, about(finding)]
            is_known = any(items <= entry and bool(items) == bool(entry) for entry in entries)
            (accepted if is_known else new).append(finding)
        return new, accepted

    def with_findings(self, findings: Iterable[Finding]) -> Baseline:
        """Return the baseline with an entry added for each finding that it does not yet accept."""
        new, _ = self.divide(findings)
        entries = [AcceptedFinding(kind=each.kind, about=about(each), items=each.items) for each in new]
        return Baseline((*self.accepted, *entries))


def about(finding: Finding) -> str:
    """Return the subject of a finding beyond its items, such as `task counting`."""
    return ", ".join(f"{key} {finding.evidence[key]}" for key in _ABOUT if finding.evidence.get(key) is not None)


def read_baseline(path: Path) -> Baseline:
    """Return the baseline read from a file.

    Raises:
        DataError: The file cannot be read, is not a baseline, or has a newer version.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise DataError(
                f"baseline {path} is larger than {_MOST_BYTES:,} bytes, and a baseline lists only accepted findings; "
                "write one with --write-baseline"
            )
        document: Any = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"baseline {path} cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"baseline {path} is not JSON ({error}); write one with --write-baseline") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise DataError(f"{path} is not a baseline of an audit; write one with --write-baseline")
    if not isinstance(document.get("version"), int) or document["version"] > VERSION:
        raise DataError(
            f"baseline {path} has version {document.get('version')!r}, but this program reads {VERSION}; upgrade "
            "benchwright"
        )
    try:
        return Baseline(_BaselineFile.model_validate(document).accepted)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise DataError(
            f"baseline {path}: {place}: {first['msg']}; fix it, or write a new one with --write-baseline"
        ) from error


def write_baseline(path: Path, baseline: Baseline) -> None:
    """Write a baseline; entries keep their order."""
    entries: Sequence[dict[str, Any]] = [entry.model_dump(mode="json") for entry in baseline.accepted]
    write_json(path, {"format": FORMAT, "version": VERSION, "accepted": list(entries)})

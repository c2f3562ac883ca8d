"""The report of an audit: the result of each check, and the findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from benchwright.release.format.blind_strategy import BlindStrategy
from benchwright.texts.normalization import counted

from ..source.audited_items import AuditedItems
from .cue_power import CuePower, power_document
from .finding import Finding, Severity
from .remedies import remedy_of

DOCUMENT = "audit.json"


class CheckRun(NamedTuple):
    """The result of a check: completed, skipped with the reason, or failed with the reason.

    Args:
        name: Name of the check.
        title: The faults for which it searches.
        state: `failed` if it raised an exception, either on the items in `failed_on` or, if that is empty, as a whole.
            Its other findings remain valid.
        why: Reason it was skipped, or the exception with its file and line.
        findings: Number of findings.
        seconds: Time it took, in seconds.
        failed_on: Own ids of the items on which it failed.
        exit_code: Exit code of the command that ran it: 0 unless it failed.
    """

    name: str
    title: str
    state: Literal["done", "skipped", "failed"]
    why: str = ""
    findings: int = 0
    seconds: float = 0.0
    failed_on: tuple[str, ...] = ()
    exit_code: int = 0

    @property
    def where(self) -> str:
        """Return, as text, on how many items the check failed; empty if it did not fail."""
        if self.state != "failed":
            return ""
        return f"on {counted(len(self.failed_on), 'item', 'items')}" if self.failed_on else "as a whole"

    def to_json(self) -> dict[str, Any]:
        """Return the check as JSON values."""
        return {"name": self.name, "state": self.state, "why": self.why, "failed_on": list(self.failed_on)}


@dataclass(frozen=True)
class AuditReport:
    """The result of an audit.

    Args:
        audited: The audited source.
        checks: Result of each check, in order.
        findings: Findings, worst first.
        accepted: Findings that a baseline accepts, worst first; they are not included in any count.
        page: Path of the page; None if none was written.
        blind: Accuracy of the best strategy without pictures; None if it could not be measured.
        cue_powers: Size of the cue that the adversary could have found, by task and over the set; empty if the
            adversary did not run.
    """

    audited: AuditedItems
    checks: tuple[CheckRun, ...]
    findings: tuple[Finding, ...]
    accepted: tuple[Finding, ...] = ()
    page: Path | None = field(default=None, compare=False)
    blind: BlindStrategy | None = None
    cue_powers: tuple[CuePower, ...] = ()

    def of(self, severity: Severity) -> tuple[Finding, ...]:
        """Return the findings of a given severity."""
        return tuple(finding for finding in self.findings if finding.severity == severity)

    @property
    def failed(self) -> tuple[CheckRun, ...]:
        """Return the checks that failed, in order."""
        return tuple(check for check in self.checks if check.state == "failed")

    @property
    def counts(self) -> Mapping[Severity, int]:
        """Return the number of findings of each severity."""
        counted = Counter(finding.severity for finding in self.findings)
        return {"high": counted["high"], "medium": counted["medium"], "low": counted["low"]}

    def items_of(self, *severities: Severity) -> set[str]:
        """Return the own ids of the items to which findings of these severities refer."""
        return {item for finding in self.findings if finding.severity in severities for item in finding.items}

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON values, in the form that `benchwright audit --json` prints."""
        return {
            "source": str(self.audited.source),
            "items": len(self.audited.all_items),
            "images": len(self.audited.pictures),
            "unreadable": [row._asdict() for row in self.audited.unreadable],
            "checks": [check.to_json() for check in self.checks],
            "blind_strategy": None if self.blind is None else self.blind.document(),
            "learned_cues": power_document(self.cue_powers),
            "findings": [finding.to_json() | {"mend": remedy_of(finding).to_json()} for finding in self.findings],
            "page": None if self.page is None else str(self.page),
        }

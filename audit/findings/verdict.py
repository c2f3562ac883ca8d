"""The verdict of an audit in a few sentences, worded identically on the page, in the terminal and in a pull request."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Literal, NamedTuple

from benchwright.texts.normalization import counted

from .cue_power import power_sentence
from .finding import LEFT_OUT, SEVERITIES, Finding, Severity
from .report import AuditReport

_MUCH_UNREADABLE = 0.05
"""Proportion of unreadable rows and pictures, 0-1, from which an audit of the rest does not represent the benchmark."""
Level = Literal["high", "medium", "low", "clean"]
_HEADLINES: dict[Level, str] = {
    "high": "Fix this before you report scores.",
    "medium": "Scores are usable with care.",
    "low": "Only small faults to fix.",
    "clean": "No faults found.",
}
_UNCHECKED = "Incomplete: a check failed."


class KindCount(NamedTuple):
    """The findings of one kind with the same severity.

    Args:
        kind: The kind.
        severity: The severity.
        findings: The findings, in their original order.
        items: Number of items concerned.
        share: Proportion of all items, 0-1.
    """

    kind: str
    severity: Severity
    findings: tuple[Finding, ...]
    items: int
    share: float

    @property
    def words(self) -> str:
        """Return the name of the kind in words."""
        return self.kind.replace("_", " ")

    @property
    def anchor(self) -> str:
        """Return the name of the anchor of the kind on a page."""
        return f"{self.severity}-{self.kind}"


class Verdict(NamedTuple):
    """The verdict of an audit.

    Args:
        level: Worst severity of a finding; `clean` without findings.
        headline: One short sentence.
        reasons: Sentences with numbers.
    """

    level: Level
    headline: str
    reasons: tuple[str, ...]


def kinds_of(findings: Iterable[Finding], items: int) -> list[KindCount]:
    """Return the findings by kind and severity: worst first, then by the number of items concerned.

    Args:
        findings: Findings.
        items: Number of all items.
    """
    by_kind: defaultdict[tuple[str, Severity], list[Finding]] = defaultdict(list)
    for finding in findings:
        by_kind[finding.kind, finding.severity].append(finding)
    counts = []
    for (kind, severity), of_kind in by_kind.items():
        concerned = len({item for finding in of_kind for item in finding.items})
        counts.append(KindCount(kind, severity, tuple(of_kind), concerned, concerned / items if items else 0.0))
    return sorted(counts, key=lambda count: (SEVERITIES.index(count.severity), -count.items, count.kind))


def verdict_of(report: AuditReport) -> Verdict:
    """Return the verdict of an audit."""
    items = len(report.audited.all_items)
    counts = report.counts
    level: Level = next((severity for severity in SEVERITIES if counts[severity]), "clean")
    headline = _UNCHECKED if report.failed and level in {"low", "clean"} else _HEADLINES[level]
    has_no_picture = bool(report.audited.absent) and not report.audited.pictures
    # The entry for pictures that are all missing has a separate sentence.
    unreadable = len(report.audited.unreadable) - has_no_picture
    is_worse = any(finding.kind != LEFT_OUT for finding in report.of("high"))
    if not is_worse and unreadable and unreadable >= _MUCH_UNREADABLE * (items + unreadable):
        level, headline = "high" if level == "high" else "medium", "Much of it cannot be read: begin there."
    reasons = []
    for severity in SEVERITIES:
        kinds = [kind for kind in kinds_of(report.findings, items) if kind.severity == severity]
        if kinds and severity != "low":
            named = ", ".join(f"{kind.words} ({concerned(kind)})" for kind in kinds[:5])
            more = f" and {len(kinds) - 5} more kinds" if len(kinds) > 5 else ""
            reasons.append(f"{severity.capitalize()}: {named}{more}.")
    known = {each.item_id for each in report.audited.all_items}
    touched = len(report.items_of("high", "medium") & known)
    if touched:
        reasons.append(
            f"{touched:,} of {counted(items, 'item')} ({touched / items:.1%}) {'has' if touched == 1 else 'have'} a "
            "finding of high or medium severity."
        )
    if words := power_sentence(report.cue_powers):
        reasons.append(words)
    if unreadable:
        reasons.append(f"{counted(unreadable, 'row or picture', 'rows and pictures')} cannot be read.")
    if report.audited.open_items:
        of = counted(len(report.audited.open_items), "question is open", "questions are open")
        reasons.append(f"{of}: the audit checked words, pictures and repeats, but nothing that needs options.")
    if report.audited.wordless and not report.audited.worded:
        reasons.append("The source has no words of its questions: the audit checked only keys and replies.")
    elif report.audited.wordless:
        wordless = counted(len(report.audited.wordless), "item", "items")
        reasons.append(f"The source has no words of {wordless}: the audit checked only their keys and replies.")
    if has_no_picture:
        named = counted(len(report.audited.absent), "picture that items name is", "pictures that items name are")
        reasons.append(f"The {named} missing or unreadable: the audit checked only texts and keys.")
    elif report.audited.worded and not report.audited.pictures:
        reasons.append("No picture could be read: the audit checked only texts and keys.")
    reasons += _skipped(report)
    if report.accepted:
        reasons.append(f"{counted(len(report.accepted), 'finding is', 'findings are')} accepted by the baseline.")
    return Verdict(level, headline, (*reasons, *_failures(report)))


def _skipped(report: AuditReport) -> list[str]:
    skipped = sum(check.state == "skipped" for check in report.checks)
    checks = counted(len(report.checks), "check")
    return [f"{skipped} of {checks} could not run; this verdict lacks their findings."] if skipped else []


def _failures(report: AuditReport) -> list[str]:
    if not report.failed:
        return []
    names = ", ".join(f"{check.name} ({check.where})" for check in report.failed)
    return [f"{counted(len(report.failed), 'check', 'checks')} failed, so the audit is incomplete: {names}."]


def concerned(kind: KindCount) -> str:
    """Return, as text, how many items the findings of a kind concern."""
    return "the whole set" if not kind.items else counted(kind.items, "item", "items")

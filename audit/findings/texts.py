"""An audit as text: for a terminal, and as Markdown for a pull request."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from benchwright.texts.normalization import counted, printable

from ..source.audited_items import UnreadableRow
from .report import AuditReport
from .verdict import concerned, kinds_of, verdict_of

_IDS = 5
_MARKDOWN_IDS = 3
_MARKS = {"high": "🔴 high", "medium": "🟡 medium", "low": "⚪ low"}
_SPECIAL = str.maketrans({character: f"\\{character}" for character in "\\`*_{}[]<>|#@"})


def terminal_lines(report: AuditReport) -> Iterator[str]:
    """Yield the lines for a terminal."""
    verdict = verdict_of(report)
    yield verdict.headline
    yield from (f"  {reason}" for reason in verdict.reasons)
    for kind in kinds_of(report.findings, len(report.audited.all_items)):
        first = kind.findings[0]
        yield f"{kind.severity:<7} {kind.kind}: {len(kind.findings):,} found, {concerned(kind)}"
        yield f"        {printable(first.summary)}"
        ids = [item for finding in kind.findings for item in finding.items]
        if ids:
            more = f" and {len(dict.fromkeys(ids)) - _IDS:,} more" if len(dict.fromkeys(ids)) > _IDS else ""
            yield f"        {', '.join(map(printable, list(dict.fromkeys(ids))[:_IDS]))}{more}"
    by_reason: defaultdict[str, list[UnreadableRow]] = defaultdict(list)
    for row in report.audited.unreadable:
        by_reason[row.reason.partition(":")[0]].append(row)
    for rows in by_reason.values():
        such_as = f"{len(rows):,} such as " if len(rows) > 1 else ""
        yield f"unreadable  {such_as}{printable(rows[0].where)}: {printable(rows[0].reason)}"
    if report.audited.rotations:
        yield (
            f"rotated  {counted(len(report.audited.rotations), 'question is', 'questions are')} another with its "
            "options in another order"
        )
    for check in report.checks:
        if check.state == "skipped":
            yield f"skipped {check.name}: {printable(check.why)}"
        elif check.state == "failed":
            such_as = f", such as {printable(', '.join(check.failed_on[:_IDS]))}" if check.failed_on else ""
            yield f"failed  {check.name}, {check.where}{such_as}: {printable(check.why)}"
    yield f"items {len(report.audited.all_items):,}, pictures {len(report.audited.pictures):,}, " + ", ".join(
        f"{severity} {number:,}" for severity, number in report.counts.items()
    )
    if report.page is not None:
        yield f"page: {report.page}"


def markdown(report: AuditReport) -> str:
    """Return the audit as a short text in Markdown, for a comment on a pull request."""
    verdict = verdict_of(report)
    name = _escaped(report.audited.source.resolve().name)
    lines = [f"### Audit of {name}: {verdict.headline}", ""]
    lines += [f"- {_escaped(reason)}" for reason in verdict.reasons]
    kinds = kinds_of(report.findings, len(report.audited.all_items))
    if kinds:
        lines += ["", "| severity | what | found | items | such as |", "|---|---|---:|---:|---|"]
    for kind in kinds:
        ids = list(dict.fromkeys(item for finding in kind.findings for item in finding.items))
        shown = ", ".join(_escaped(item) for item in ids[:_MARKDOWN_IDS]) + (", …" if len(ids) > _MARKDOWN_IDS else "")
        lines.append(
            f"| {_MARKS[kind.severity]} | {kind.words} | {len(kind.findings):,} | {concerned(kind)} | {shown} |"
        )
    done = sum(check.state == "done" for check in report.checks)
    lines += [
        "",
        f"{counted(len(report.audited.all_items), 'item')}, {counted(len(report.audited.pictures), 'picture')}, "
        f"{counted(done, 'check')}.",
    ]
    return "\n".join(lines)


def _escaped(text: str) -> str:
    """Return a text on one line with its Markdown syntax escaped."""
    return printable(text).translate(_SPECIAL)

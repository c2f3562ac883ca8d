"""The result of an audit: one record per fault, with its evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from benchwright.canonical import digest

Severity = Literal["high", "medium", "low"]
Certainty = Literal["certain", "likely", "possible"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""Severities, from the worst to the mildest."""

LEFT_OUT = "row_is_no_item"
"""Kind of the finding about rows that no check covers."""

_OF_EVIDENCE = ("summary", "certainty")
"""Keys of a finding's evidence that the finding's own fields provide in the JSON document."""


@dataclass(frozen=True)
class Finding:
    """A fault of a benchmark, or a possible one.

    Args:
        kind: Name of the fault, in lowercase with underscores, such as `duplicate_picture`; kinds of copies contain
            `duplicate`.
        severity: `high`: scores are wrong or unreliable until it is fixed. `medium`: scores are biased or items are of
            doubtful use. `low`: worth fixing, but scores hardly change.
        items: Own ids of the items concerned (`AuditedItem.item_id`), in order; empty if the finding is about the whole
            set.
        summary: One sentence for display, without the ids; plain text that is escaped wherever it is shown.
        evidence: Measured values, as JSON values; the keys `summary` and `certainty` are reserved.
        certainty: `certain`: a fact, such as equal bytes. `likely`: measured, with a known error rate. `possible`: a
            curator must check it.
        pictures: Ids of the pictures to show side by side, in order, as in `AuditedItems.pictures`; if empty, those of
            the items are shown.
    """

    kind: str
    severity: Severity
    items: tuple[str, ...]
    summary: str
    evidence: Mapping[str, Any] = field(default_factory=dict)
    certainty: Certainty = "likely"
    pictures: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.severity not in SEVERITIES or self.certainty not in get_args(Certainty):
            raise ValueError(f"finding {self.kind!r}: no severity {self.severity!r} or certainty {self.certainty!r}")
        if taken := self.evidence.keys() & set(_OF_EVIDENCE):
            raise ValueError(f"finding {self.kind!r}: evidence must not state {sorted(taken)[0]!r} itself")

    @property
    def fingerprint(self) -> str:
        """Return the id that identifies the finding in a baseline: its kind and items, regardless of the measured
        values.
        """
        return digest([self.kind, sorted(self.items)])[:16]

    def to_json(self) -> dict[str, Any]:
        """Return the finding as JSON values: `kind`, `severity`, `items` and `evidence`."""
        return {
            "kind": self.kind,
            "severity": self.severity,
            "items": list(self.items),
            "evidence": {"summary": self.summary, "certainty": self.certainty, **self.evidence},
        }


def by_weight(finding: Finding) -> tuple[int, int, str, int, int, tuple[str, ...]]:
    """Return the sort key of a finding: worst first, certain before possible, then kind, number of items, rank, ids."""
    return (
        SEVERITIES.index(finding.severity),
        get_args(Certainty).index(finding.certainty),
        finding.kind,
        -len(finding.items),
        finding.evidence.get("rank", 0),
        finding.items,
    )

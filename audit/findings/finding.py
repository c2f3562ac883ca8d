"""What an audit finds: one record for each thing that is wrong, with its evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from benchwright.canonical import digest

Severity = Literal["high", "medium", "low"]
Certainty = Literal["certain", "likely", "possible"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""Severities, the worst first."""

LEFT_OUT = "row_is_no_item"
"""Kind of the finding about rows of which nothing can be checked."""

_OF_EVIDENCE = ("summary", "certainty")
"""Keys of a finding's evidence in the JSON document that the finding's own fields fill."""


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with a benchmark, or may be.

    Args:
        kind: What is wrong, in small letters with `_`, such as `duplicate_picture`; kinds of copies contain
            `duplicate`.
        severity: `high`: scores are wrong or cannot be trusted until it is mended. `medium`: scores are biased or
            items are of doubtful use. `low`: worth mending, scores hardly change.
        items: Own ids of the items concerned (`AuditedItem.item_id`), in order; empty where it is about the whole set.
        summary: One sentence for people, without the ids; plain text, escaped wherever it is shown.
        evidence: What was measured, as JSON values; the keys `summary` and `certainty` are taken.
        certainty: `certain`: a fact, such as equal bytes. `likely`: measured, with a known rate of error.
            `possible`: a person has to look.
        pictures: Ids of the pictures to show side by side, in order, as in `AuditedItems.pictures`; where empty, those
            of the items are shown.
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
        """Return the id by which a baseline knows the finding: its kind and items, whatever was measured."""
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

"""A decision on a task, in the form in which all sources pass decisions to the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Submission:
    """A decision by an annotator or adjudicator on a task, with reasons, note, edits and fields.

    Every source creates submissions: the task card, a row of a table, an annotation in Label Studio, or a simulated
    annotator. The review store checks them against the campaign's form.

    Attributes:
        decision: One of the form's decisions; a typed form ignores this value and derives the decision from its first
            field.
        reasons: Codes of reasons from the form.
        note: Text of the annotator, or None if there is none.
        edits: Edits of the item, as JSON values, or None if there is none.
        fields: Value of each field of a typed form, by name; None if the campaign has no such form.
        active_s: Seconds spent on the task, excluding pauses; None if not measured.
    """

    decision: str = ""
    reasons: tuple[str, ...] = ()
    note: str | None = None
    edits: Mapping[str, Any] | None = None
    fields: Mapping[str, Any] | None = None
    active_s: float | None = None

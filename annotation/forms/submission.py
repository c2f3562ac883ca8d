"""What somebody says of a task, in the one form in which it goes from every entrance to the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Submission:
    """What an annotator, or an adjudicator, says of a task.

    Every entrance makes one: the task card, a row of a table, an annotation in Label Studio, a simulated annotator. The
    review store checks it against the campaign's form.

    Attributes:
        decision: One of the form's decisions; a typed form derives it from its first field, whatever is here.
        reasons: Codes, some of the form's reasons.
        note: In the annotator's words; None without any.
        edits: Revision of the item, as JSON values; None without any.
        fields: Value of each field of a typed form, by name; None where the campaign has no such form.
        active_s: Seconds spent on the task without pauses; None where nobody counted.
    """

    decision: str = ""
    reasons: tuple[str, ...] = ()
    note: str | None = None
    edits: Mapping[str, Any] | None = None
    fields: Mapping[str, Any] | None = None
    active_s: float | None = None

"""The step `repeated_options`: items that repeat an option."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from benchwright.diagnostics.wording.repeated_options import MAX_LIKENESS, alike_pairs, repeated_pairs
from benchwright.records import Item
from benchwright.steps import Context, Filter, Measured, Outcome, Stream

_REPEATED, _SIMILAR = "repeated_option", "similar_options"


class RepeatedOptions(Filter):
    """Drop items that repeat an option, and ask about those with two nearly equal options.

    Ignores case, white space, width and punctuation, but not numbers and signs.

    Args:
        max_likeness: Largest similarity, 0-1, of two different options; more is `similar_options`. None asks about no
            items. Options that each have a different number or word are not similar, however long they are.

    Reasons:
        repeated_option (drop): Two options are equal.
        similar_options (ask): Two options are nearly equal.
    """

    name: ClassVar[str] = "repeated_options"
    consumes: ClassVar[Stream] = "items"
    values: ClassVar[Mapping[str, str]] = {"repeated": "int64", "likeness": "float64"}
    thresholds: ClassVar[frozenset[str]] = frozenset({"max_likeness"})

    max_likeness: float | None = Field(MAX_LIKENESS, ge=0, le=1)

    def measure(self, record: Item, ctx: Context) -> Measured:
        """Compare all pairs of options."""
        del ctx
        repeated = repeated_pairs(record)
        closest = max(alike_pairs(record), key=lambda pair: (pair.likeness, pair.options), default=None)
        evidence: dict[str, Any] = {"repeated": [list(pair) for pair in repeated]} if repeated else {}
        if closest is not None:
            evidence["closest"] = list(closest.options)
        return Measured({"repeated": len(repeated), "likeness": closest.likeness if closest else 0.0}, evidence)

    def judge(self, measured: Mapping[str, Any]) -> Outcome:
        """Drop an item with repeated options, and compare the similarity with the threshold."""
        if measured["repeated"]:
            return Outcome("drop", _REPEATED, evidence={"pairs": measured["repeated"]})
        if self.max_likeness is not None and measured["likeness"] > self.max_likeness:
            evidence = {"likeness": measured["likeness"], "max_likeness": self.max_likeness}
            return Outcome("ask", _SIMILAR, evidence=evidence)
        return Outcome()

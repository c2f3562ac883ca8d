"""Options that occur twice in one question: then two answers are right, or a wrong answer can be excluded.

Five of II-Bench's 35 dev questions have two equal options. Two options are equal where their texts differ at most in
case, white space, width and punctuation, or where they are the same picture.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any, ClassVar

from pydantic import Field

from benchwright.diagnostics.wording.item_texts import option_key
from benchwright.records import Choice, Item
from benchwright.steps import Context, Filter, Measured, Outcome, Stream
from benchwright.text_normalization import likeness, normal

REPEATED, SIMILAR = "repeated_option", "similar_options"


class RepeatedOptions(Filter):
    """Drop items in which an option stands twice, ask about those in which two are nearly equal.

    Case, white space, width and punctuation make no difference, numbers and signs do.

    Args:
        max_likeness: Likeness, 0-1, up to which two different options may resemble each other; more is
            `similar_options`. None asks about none. Options that differ in a number or in a word of their own are
            not alike, however long they are.

    Reasons:
        repeated_option (drop): An option stands twice.
        similar_options (ask): Two options are nearly equal.
    """

    name: ClassVar[str] = "repeated_options"
    consumes: ClassVar[Stream] = "items"
    values: ClassVar[Mapping[str, str]] = {"repeated": "int64", "likeness": "float64"}
    thresholds: ClassVar[frozenset[str]] = frozenset({"max_likeness"})

    max_likeness: float | None = Field(0.85, ge=0, le=1)

    def measure(self, record: Item, ctx: Context) -> Measured:
        """Compare each two options."""
        del ctx
        repeated = repeated_pairs(record)
        closest = max(
            (
                (_likeness(first, second), first.key, second.key)
                for first, second in combinations(record.choices, 2)
                if option_key(first) != option_key(second)
            ),
            default=(0.0, "", ""),
        )
        evidence: dict[str, Any] = {"repeated": [list(pair) for pair in repeated]} if repeated else {}
        if closest[0] > 0:
            evidence["closest"] = list(closest[1:])
        return Measured({"repeated": len(repeated), "likeness": round(closest[0], 4)}, evidence)

    def judge(self, measured: Mapping[str, Any]) -> Outcome:
        """Drop items with repeated options, and compare the likeness with the threshold."""
        if measured["repeated"]:
            return Outcome("drop", REPEATED, evidence={"pairs": measured["repeated"]})
        if self.max_likeness is not None and measured["likeness"] > self.max_likeness:
            evidence = {"likeness": measured["likeness"], "max_likeness": self.max_likeness}
            return Outcome("ask", SIMILAR, evidence=evidence)
        return Outcome()


def repeated_pairs(item: Item) -> list[tuple[str, str]]:
    """Return the keys of each pair of equal options, in order."""
    return [
        (first.key, second.key)
        for first, second in combinations(item.choices, 2)
        if option_key(first) == option_key(second)
    ]


def _likeness(first: Choice, second: Choice) -> float:
    return 0.0 if first.text is None or second.text is None else likeness(normal(first.text), normal(second.text))

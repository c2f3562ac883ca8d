"""Two ways to make a task's items: by the paper's rule, or so that only the compared content reveals the key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from benchwright.texts.normalization import counted

Mode = Literal["hardened", "paper"]
"""`hardened`: one rule draws the key and the distractors, so that exchanging them changes nothing observable without
the comparison that the task asks for. `paper`: the paper's rule as printed.
"""
_FEW_ITEMS = 100
"""Number of items below which a task counts as small."""


class Hardening(NamedTuple):
    """The demands of mode `hardened` on a task's pictures, and the cost of mode `paper`.

    Args:
        remedies: For each reason specific to mode `hardened`, a clause that states what is missing and how to get more
            items.
        paper_cue: Cue that reveals the right option in mode `paper`, as a noun phrase.
    """

    remedies: Mapping[str, str]
    paper_cue: str

    def advice(self, mode: Mode, made: int, dropped: Mapping[str, int]) -> str | None:
        """Return one line on why a task has few items, with advice; None if hardening is not the cause.

        Args:
            mode: The task's mode.
            made: Number of its items.
            dropped: Number of pictures without an item, by reason.
        """
        left_out = {reason: number for reason in self.remedies if (number := dropped.get(reason, 0))}
        if mode == "paper" or made >= _FEW_ITEMS or sum(left_out.values()) <= made:
            return None
        reasons = sorted(left_out, key=lambda reason: -left_out[reason])
        counts = ", ".join(f"{reason} {left_out[reason]}" for reason in reasons)
        return (
            f"{counted(made, 'item')}, and {counts}: {self.remedies[reasons[0]]}. `mode: paper` needs less, but its "
            f"items reveal answers by {self.paper_cue}"
        )

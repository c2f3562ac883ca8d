"""Two ways to make a task's items: as its paper says, or so that the key shows in nothing but what is compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from benchwright.texts.normalization import counted

Mode = Literal["hardened", "paper"]
"""`hardened`: key and distractors are drawn by one rule, so that exchanging them changes nothing that can be known
without the comparison that the task asks for. `paper`: the paper's rule as it is printed."""
_FEW_ITEMS = 100
"""Number of items from which a task is not said to have few."""


class Hardening(NamedTuple):
    """What mode `hardened` asks of a task's pictures, and what mode `paper` costs.

    Args:
        remedies: For each reason for which mode `hardened` alone makes no item of a picture, what is wanting and what
            gives more items, as a clause.
        paper_cue: What tells the right option in mode `paper`, as a noun phrase.
    """

    remedies: Mapping[str, str]
    paper_cue: str

    def advice(self, mode: Mode, made: int, dropped: Mapping[str, int]) -> str | None:
        """Return in one line why a task has few items, and what to do; None where hardening is not why.

        Args:
            mode: The task's mode.
            made: Number of its items.
            dropped: Number of pictures of which it made none, by reason.
        """
        left_out = {reason: number for reason in self.remedies if (number := dropped.get(reason, 0))}
        if mode == "paper" or made >= _FEW_ITEMS or sum(left_out.values()) <= made:
            return None
        reasons = sorted(left_out, key=lambda reason: -left_out[reason])
        counts = ", ".join(f"{reason} {left_out[reason]}" for reason in reasons)
        return (
            f"{counted(made, 'item')}, and {counts}: {self.remedies[reasons[0]]}. `mode: paper` needs less, and its "
            f"items tell by {self.paper_cue}"
        )

"""Two ways to make a task's items: as its paper says, or so that the key shows in nothing but what is compared."""

from __future__ import annotations

from typing import Literal

Mode = Literal["hardened", "paper"]
"""`hardened`: key and distractors are drawn by one rule, so that exchanging them changes nothing that can be known
without the comparison that the task asks for. `paper`: the paper's rule as it is printed."""

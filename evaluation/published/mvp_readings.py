"""How MVP-Bench's published cells read the answers, as data.

The paper did not read every model alike. What it did was found by recounting its tables from the released outputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Vanilla = Literal["one-pass", "rotation-0"]

CATEGORIES: Mapping[str, tuple[int, int]] = {
    "B1": (1, 50), "B2": (101, 150), "B3": (51, 100), "B4": (151, 199), "R1": (200, 247), "R2": (248, 299),
    "R3": (300, 346), "I1": (347, 396), "I2": (397, 446), "E1": (447, 500), "E2": (501, 548), "S1": (549, 596),
    "S2": (597, 646),
}  # fmt: skip
"""First and last image pair of each category of table 5.

No file names the category; that it follows from the pair's number was found by recounting that table."""


@dataclass(frozen=True)
class Reading:
    """How answers are read.

    Attributes:
        judged: Yes/no answers that the rule does not read take the judge's stored verdict; otherwise they are wrong.
        robust: Answers are read by `evaluation.answers` instead of the paper's rules.
        substring: Table 5's cells count an answer as right where the gold word occurs anywhere in it.
        vanilla: What VanillaEval counts: the pass over all questions, or the first rotation.
        by_hand: Yes/no answers that are taken as read by a person, by question.
    """

    judged: bool = True
    robust: bool = False
    substring: bool = False
    vanilla: Vanilla = "one-pass"
    by_hand: Mapping[str, str] = field(default_factory=dict)


READINGS: Mapping[str, Reading] = {
    "published": Reading(substring=True),
    "judge": Reading(),
    "rule": Reading(judged=False),
    "robust": Reading(judged=False, robust=True),
}
"""Readings by name; `published` is the one of a model that `PUBLISHED` does not list."""

PUBLISHED: Mapping[str, Reading] = {
    # One judged answer was left out: the stored verdict would make it right.
    "GPT4o": Reading(substring=True, judged=False),
    # One answer that the rule does not read was taken as no, though the stored verdict is Unknown.
    "deepseek_vl_7b": Reading(substring=True, by_hand={"1718": "no"}),
    "MiniGPT-4-v1-7B": Reading(substring=True, vanilla="rotation-0"),
}
"""Where the paper departs from its own way, by the name that a model's files carry."""


def category_of(pair: int) -> str | None:
    """Return the category of an image pair, or None for a number in no range."""
    return next((name for name, (first, last) in CATEGORIES.items() if first <= pair <= last), None)

"""Possible readings of the answers behind MVP-Bench's published cells, represented as data.

The paper did not read every model's answers in the same way, and its repository's `evaluate.py` computes some cells in
more than one way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Vanilla = Literal["one-pass", "rotation-0", "first-in-file"]

CATEGORIES: Mapping[str, tuple[int, int]] = {
    "B1": (1, 50), "B2": (101, 150), "B3": (51, 100), "B4": (151, 199), "R1": (200, 247), "R2": (248, 299),
    "R3": (300, 346), "I1": (347, 396), "I2": (397, 446), "E1": (447, 500), "E2": (501, 548), "S1": (549, 596),
    "S2": (597, 646),
}  # fmt: skip
"""First and last image pair of each category in table 5.

No file names the category; recounting that table showed that it follows from the pair's number.
"""


@dataclass(frozen=True)
class AnswerReading:
    """Rules for reading answers.

    Attributes:
        judged: Whether the judge's stored verdict is used for yes/no answers that the rule cannot read; otherwise they
            are wrong.
        unread_is_no: Whether yes/no answers that neither the rule nor the judge reads are taken as no instead of as
            wrong.
        robust: Whether `benchwright.replies.answers` reads answers instead of the paper's rules.
        substring: Whether, in table 5's cells, an answer is right if the gold word occurs anywhere in it.
        in_order: Whether table 5's pairs are every two consecutive answers in the model's file, in the category of the
            first; otherwise they are the two answers to one question.
        vanilla: Pass for VanillaEval: the pass over all questions, the first rotation, or the rotation that comes first
            in the file.
        bare_letters: Whether VanillaEval's letters are accepted in either case and without their parentheses.
        by_hand: Yes/no answers that a person read, by question; they are used unchanged.
    """

    judged: bool = True
    unread_is_no: bool = False
    robust: bool = False
    substring: bool = False
    in_order: bool = False
    vanilla: Vanilla = "one-pass"
    bare_letters: bool = False
    by_hand: Mapping[str, str] = field(default_factory=dict)


READINGS: Mapping[str, AnswerReading] = {
    "judge": AnswerReading(),
    "rule": AnswerReading(judged=False),
    "robust": AnswerReading(judged=False, robust=True),
}
"""Readings that can be used for all cells, by name."""

YES_NO_READINGS: Mapping[str, AnswerReading] = {
    "rule, then judge": AnswerReading(),
    "rule": AnswerReading(judged=False),
    "rule, then judge, else no": AnswerReading(unread_is_no=True),
    "rule, else no": AnswerReading(judged=False, unread_is_no=True),
}
"""Readings of tables 2 and 3. `evaluate.py` asks a judge if the rule cannot read an answer; GPT4o's cells omit the
judge's verdict.

No code has "else no": it was inferred from the printed cells of deepseek_vl_7b, and rests on one answer.
"""

CATEGORY_READINGS: Mapping[str, AnswerReading] = {
    "gold word, pairs as in the file": AnswerReading(substring=True, in_order=True),
    "gold word, pairs by question": AnswerReading(substring=True),
    "rule, then judge, pairs by question": AnswerReading(),
    "rule, pairs by question": AnswerReading(judged=False),
}
"""Readings of table 5, for which the repository has no code. The first gives all 52 printed cells of the four available
models.

It was inferred from GPT4o's printed cells; no other available file is out of order and could distinguish it from the
second.
"""

VANILLA_READINGS: Mapping[str, AnswerReading] = {
    "one pass": AnswerReading(),
    "one pass, bare letters": AnswerReading(bare_letters=True),
    "first rotation": AnswerReading(vanilla="rotation-0"),
    "first rotation in the file": AnswerReading(vanilla="first-in-file"),
}
"""Readings of VanillaEval. `evaluate.py` prints the second, from the one pass, and the last, from the rotations."""


def category_of(pair: int) -> str | None:
    """Return the category of an image pair, or None if its number is outside all ranges."""
    return next((name for name, (first, last) in CATEGORIES.items() if first <= pair <= last), None)

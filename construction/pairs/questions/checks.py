"""What is left of written questions once those are out that could not be scored."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

from benchwright.wording import normal

from .asked import LEVELS, Options, Written
from .distractors import says_the_same

SAME_QUESTION, SAME_OPTIONS, FEW_DISTRACTORS = "same_question", "same_options", "too_few_distractors"


class Checked(NamedTuple):
    """Questions that can be scored, and reasons by what was left out."""

    written: Written
    left_out: Mapping[str, str]


def checked(written: Written) -> Checked:
    """Leave out questions that ask the same with opposite keys, and options of which two say the same."""
    left_out: dict[str, str] = {}
    asked: set[str] = set()
    yes_no = []
    for level in LEVELS:
        pair = [one for one in written.yes_no if one.level == level]
        texts = {normal(one.text) for one in pair}
        if len(texts) < len(pair) or texts & asked:
            left_out[f"yes_no_{level}"] = SAME_QUESTION
            continue
        asked |= texts
        yes_no += pair
    single = written.single_image
    if single is None:
        left_out["single_image"] = FEW_DISTRACTORS
    elif _repeat(single):
        single = None
        left_out["single_image"] = SAME_OPTIONS
    return Checked(written._replace(yes_no=tuple(yes_no), single_image=single), left_out)


def _repeat(options: Options) -> bool:
    return any(says_the_same(one, other) for one, other in combinations((options.right, *options.wrong), 2))

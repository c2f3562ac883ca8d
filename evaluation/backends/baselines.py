"""Baselines that use no information or only the words, all of which every model should beat."""

from __future__ import annotations

import re

from benchwright.errors import BenchwrightError
from benchwright.seeds import seed_for

from ..prompting.question import Question
from .base import Backend, PerQuestion, without_argument
from .options import BackendOptions


def random(argument: str, options: BackendOptions) -> Backend:
    """Return the baseline that draws a letter uniformly.

    The draw depends only on the release's content and the item, so it is the same on every machine and independent
    between items and between releases. A single draw may be lucky; its exact expected accuracy is given in the same
    score as `chance`.
    """
    del options
    without_argument("random", argument)
    return PerQuestion("random", _draw, settings={"draws": 1, "expected_accuracy": "chance"}, looks=False)


def constant(argument: str, options: BackendOptions) -> Backend:
    """Return the baseline that always answers with one letter, such as `constant:A`.

    An item without such an option gets the same letter and is counted as wrong.
    """
    del options
    if not re.fullmatch("[A-Z]", argument):
        raise BenchwrightError(
            f"model 'constant:{argument}' needs one capital letter after the colon, such as 'constant:A'"
        )
    return PerQuestion(f"constant:{argument}", lambda *_: f"({argument})", looks=False)


def longest(argument: str, options: BackendOptions) -> Backend:
    """Return the baseline that picks the option with the most characters, or the first of several equally long ones.

    Right options are often worded more carefully than wrong ones. If this baseline beats chance, their length reveals
    them.
    """
    del options
    without_argument("longest", argument)
    return PerQuestion("longest", _longest)


def _draw(question: Question, content_id: str) -> str:
    seed = seed_for(0, "evaluate.random", question.item_id, content_id)
    # 64 even bits over at most 26 options: no option is favored by more than 2^-59.
    return f"({question.choices[seed % len(question.choices)].key})"


def _longest(question: Question, content_id: str) -> str:
    del content_id
    return f"({max(question.choices, key=lambda choice: len((choice.text or '').strip())).key})"

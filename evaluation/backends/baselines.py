"""Baselines that look at nothing: what any model must beat."""

from __future__ import annotations

import re

from benchwright.errors import BenchwrightError
from benchwright.seeds import seed_for

from ..questions import Question
from .base import Backend, Options, PerQuestion, without_argument


def random(argument: str, options: Options) -> Backend:
    """Return the baseline that draws a letter evenly.

    The draw depends on the release's content and the item only, so it repeats on every machine and is independent
    between items and between releases.
    """
    del options
    without_argument("random", argument)
    return PerQuestion("random", _draw, looks=False)


def constant(argument: str, options: Options) -> Backend:
    """Return the baseline that always says one letter, such as `constant:A`.

    An item without such an option gets the letter all the same, and is answered wrong.
    """
    del options
    if not re.fullmatch("[A-Z]", argument):
        raise BenchwrightError(
            f"model 'constant:{argument}' needs one capital letter after the colon, such as 'constant:A'"
        )
    return PerQuestion(f"constant:{argument}", lambda *_: f"({argument})", looks=False)


def _draw(question: Question, content_id: str) -> str:
    seed = seed_for(0, "evaluate.random", question.item_id, content_id)
    # 64 even bits over at most 26 options: no option is favoured by more than 2^-59.
    return f"({question.choices[seed % len(question.choices)].key})"

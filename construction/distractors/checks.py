"""Faults of a wrong option compared with the right one: being right too, having another form, being a repetition, not
being an answer.

The checks compare words only. They cannot detect that two options are both true of the picture; for that, the filter
`second_answers` asks a model, and annotators check the options.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from .sameness import core_of, may_both_be_right, says_the_same

Fault = Literal["empty", "no_answer", "repeated", "second_right", "other_form", "other_length"]
"""Why an option cannot accompany the right one.

- `empty`: It contains no word.
- `no_answer`: It refers to the other options, or declines: *all of the above*, *none of these*, *cannot tell*.
- `repeated`: It means the same as an earlier option.
- `second_right`: It may also be right: it means the same as the right option or another right text, contains one of
  these, or is contained in one.
- `other_form`: It or the right option, but not both, is a number, a yes or no, a sentence or a plural.
- `other_length`: It has many more words or characters than the right option, or many fewer.
"""

FAULTS_IN_WORDS: Mapping[Fault, str] = {
    "empty": "it holds no word",
    "no_answer": "it answers nothing",
    "repeated": "it says the same as another option",
    "second_right": "it may be right too",
    "other_form": "it has another form",
    "other_length": "it is much longer or much shorter",
}
"""Descriptions of the faults, for a model that has to rewrite the option."""

_NO_ANSWER = re.compile(
    r"\b(?:all|none|both|neither|any|some|two|three) of (?:the|these|those|them)\b"
    r"|^(?:all|none|both|neither|either|nothing|others?|unknown|unsure|not sure|n/?a|idk)$"
    r"|\b(?:a and b|b and c|a or b|the above|the other options?)\b"
    r"|\b(?:can(?:no|'|’)?t|could ?n[o'’]t|do ?n[o'’]t|impossible to|not possible to) (?:be )?"
    r"(?:tell|told|know|say|see|help|determined?)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[-+]?\d+(?:[.,:/]\d+)*")
_NUMBER_WORDS = frozenset(
    {"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
)
_YES_NO = frozenset({"yes", "no"})
_SENTENCE = re.compile(r"[.!?]\s*$")
_LONGER, _SPARE_WORDS, _SPARE_CHARACTERS = 2.0, 2, 12


def fault_of(
    option: str, right: str, *, standing: Iterable[str] = (), also_right: Iterable[str] = (), is_form_free: bool = False
) -> Fault | None:
    """Return the fault of a wrong option when it is offered with the right one, or None if no fault is found.

    Args:
        option: The option.
        right: The right option.
        standing: Options chosen earlier.
        also_right: Other texts that are true of the picture, such as further answers of annotators.
        is_form_free: Whether form and length may differ from those of the right option.
    """
    if all(unicodedata.category(sign)[0] in "PZC" for sign in option):
        return "empty"
    if _NO_ANSWER.search(" ".join(option.split()).rstrip(".")):
        return "no_answer"
    if any(says_the_same(option, other) for other in standing):
        return "repeated"
    if any(may_both_be_right(option, truth) for truth in (right, *also_right)):
        return "second_right"
    return None if is_form_free else _fault_of_form(option, right)


def _fault_of_form(option: str, right: str) -> Fault | None:
    if not same_form(option, right):
        return "other_form"
    return None if _same_length(option, right) else "other_length"


def faults_among(
    right: str, wrong: Sequence[str], *, also_right: Iterable[str] = (), is_form_free: bool = False
) -> dict[str, Fault]:
    """Return the faults of a question's distractors, by the text of the distractor; empty if all are accepted.

    If two distractors mean the same, the later one is faulty.
    """
    true = tuple(also_right)
    faults: dict[str, Fault] = {}
    for number, option in enumerate(wrong):
        fault = fault_of(option, right, standing=wrong[:number], also_right=true, is_form_free=is_form_free)
        if fault is not None:
            faults[option] = fault
    return faults


def same_form(first: str, second: str) -> bool:
    """Return whether two options look like answers to the same question: both or neither are numbers, yes or no,
    sentences, in capitals, single words in `ing`, or plurals.
    """
    return _form(first) == _form(second)


def _form(text: str) -> tuple[bool, ...]:
    words = core_of(text)
    letters = [sign for sign in text if sign.isalpha()]
    last = words[-1] if words else ""
    return (
        bool(words) and all(_NUMBER.fullmatch(word) or word in _NUMBER_WORDS for word in words[:1]),
        " ".join(words) in _YES_NO,
        bool(_SENTENCE.search(text)),
        len(letters) > 1 and all(sign.isupper() for sign in letters),
        bool(words) and words[0].endswith("ing") and len(words[0]) > 4,
        len(words) == 1 and last.endswith("s") and not last.endswith(("ss", "us", "is")),
    )


def _same_length(first: str, second: str) -> bool:
    words = sorted((len(core_of(first)), len(core_of(second))))
    characters = sorted((len(first), len(second)))
    return words[1] <= max(words[0] * _LONGER, words[0] + _SPARE_WORDS) and characters[1] <= max(
        characters[0] * _LONGER, characters[0] + _SPARE_CHARACTERS
    )

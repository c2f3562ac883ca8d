"""Whether the order of an item's options is free.

It is, unless the words of the item depend on it: `Yes` before `No`, ascending numbers, options that name a letter or
stand for all the others, questions and explanations that name an option by its letter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from benchwright.records import Item
from benchwright.texts.normalization import counted, normal

_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)*")
_NAMES_A_LETTER = re.compile(
    r"\([A-Z]\)|\b(?i:option|choice|answer)s?\s+[A-Z]\b|^[A-Z][.)]?$|\s[A-Z]\.?$",
)
_NAMES_LETTERS = re.compile(
    r"^(?:(?i:both|either|neither|only|options?|choices?|answers?)\s+)*(?:\(?[A-J]\)?)"
    r"(?:\s*(?:,|/|&|\b(?i:and|or|nor|but not)\b)\s*\(?[A-J]\)?)+(?:\s+(?i:only|are (?:correct|right|true)))?\.?$"
    r"|^(?i:only|options?|choices?|answers?)\s+\(?[A-J]\)?(?:\s+(?i:only|is (?:correct|right)))?\.?$"
)
"""Options that are other options by their letters: `both A and B`, `A or C only`, `option B`."""
_LETTER = re.compile(r"\b[A-J]\b")
_ABOVE, _BELOW = re.compile(r"\b(?:above|previous|former|preceding)\b"), re.compile(r"\b(?:below|following|latter)\b")
_NAMES_A_PLACE = re.compile(
    r"\b(?:of|all|both|none|neither|any) (?:the |these |those )?(?:above|below|other option|other options|others)\b"
    r"|\b(?:none|all|both|neither|either) of (?:the above|these|those|them)\b"
    r"|\b(?:first|second|third|fourth|fifth|sixth|last|former|latter|previous|following|next)"
    r" (?:option|choice|answer)\b"
)
_STANDS_FOR_OTHERS = re.compile(
    r"(?:it is |they are )?(?:all|both|none|neither|either|any|each|every one|one|two) (?:of )?(?:the |these |those )?"
    r"(?:options? |choices? |answers? |ones? |two )*(?:listed |given |mentioned )?"
    r"(?:above|below|previous|preceding|following|former|latter)(?: options?| choices?| answers?| ones?)?(?: are \w+)?"
)


def may_reorder(item: Item) -> bool:
    """Return whether the order of an item's options is free."""
    texts = [choice.text for choice in item.choices if choice.text is not None]
    if item.kind == "yes_no" or (texts and len(texts) < len(item.choices)):
        return False
    sentences = [item.question, item.explanation or ""]
    if any(_names_an_option(text) for text in (*texts, *sentences)):
        return False
    return not _is_number_sequence(texts)


class PointingOption(NamedTuple):
    """An option that points at others.

    Args:
        key: Its letter.
        fault: What is wrong where it stands, in words; empty where it makes sense there, and nowhere else.
        by_letter: Whether it names them by letter, so that it makes sense in this one order only.
    """

    key: str
    fault: str
    by_letter: bool


def pointing_options(item: Item) -> list[PointingOption]:
    """Return the options that point at others by their letters or places (`both A and B`, `none of the above`).

    Not where the letters are names in the picture or of what is asked about, which wrong and right options alike are:
    there most options are letters.
    """
    pointing: list[PointingOption] = []
    keys = [choice.key for choice in item.choices]
    texts = [(choice.key, (choice.text or "").strip()) for choice in item.choices]
    by_letter = [key for key, text in texts if _NAMES_LETTERS.match(text)]
    are_labels = any(re.fullmatch(r"(?:\w+ )?\(?[A-J]\)?\.?", text) for _, text in texts if text) or (
        2 * len(by_letter) > len(texts)
    )
    for place, (key, text) in enumerate(texts):
        if key in by_letter and not are_labels:
            named = _LETTER.findall(text)
            absent = [letter for letter in named if letter not in keys]
            fault = (
                f"it names {' and '.join(absent)}, and there is no such option" if absent
                else f"it names {key}, which it is itself" if key in named else ""
            )  # fmt: skip
            pointing.append(PointingOption(key, fault, by_letter=True))
        elif _STANDS_FOR_OTHERS.fullmatch(words := normal(text)):
            before, after = place, len(texts) - 1 - place
            fault = ""
            if _ABOVE.search(words) and after:
                fault = (
                    "no option stands above it" if not before
                    else f"{counted(after, 'option stands', 'options stand')} below it"
                )  # fmt: skip
            elif _BELOW.search(words) and before:
                fault = f"{counted(before, 'option stands', 'options stand')} above it"
            if _ABOVE.search(words) or _BELOW.search(words):
                pointing.append(PointingOption(key, fault, by_letter=False))
    return pointing


def _names_an_option(text: str) -> bool:
    return bool(_NAMES_A_LETTER.search(text.strip()) or _NAMES_A_PLACE.search(normal(text)))


def _is_number_sequence(texts: Sequence[str]) -> bool:
    """Return whether every option begins with a number and the numbers ascend or descend."""
    matches = [_NUMBER.match(text.strip()) for text in texts]
    if len(matches) < 3 or not all(matches):
        return False
    numbers = [float(re.sub(r"[,.](?=\d{3}\b)", "", match.group()).replace(",", ".")) for match in matches if match]
    return numbers in (sorted(numbers), sorted(numbers, reverse=True))

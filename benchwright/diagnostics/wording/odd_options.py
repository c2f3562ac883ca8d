"""Options that are of another kind or in another script than all the others, by their form alone."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from benchwright.texts.normalization import normal

from .quantities import NUMERALS

_NUMBER = re.compile(r"\W{0,2}\d[\d.,:/]*\s*(?:[^\W\d_]{1,4}[²³]?|[%°€$]\S?)?")
_FORMULA = re.compile(r"[\\$^=<>{}|]|\d")
_LEAST_OTHERS = 2
_SAYS_NOTHING_ELSE = re.compile(
    r"\b(?:none?|no|not|all|any|both|neither|cannot|can't|unknown|unclear|undefined|other|others|equal|same|infinit\w*|"
    r"more|less|fewer|over|under|about|half|once|twice|answers?|options?|enough|impossible|above|below|many|few|several|"
    r"zero|dozens?|hundreds?|thousands?|millions?|keine?r?s?|nichts|aucune?|rien|ningun[ao]|nada|nessun[ao]?|nenhum[a]?)\b"
    r"|没|無|无|不|都|以上",
    re.IGNORECASE,
)


def option_of_another_kind(texts: Sequence[str]) -> int | None:
    """Return the place of the one option that is words among numbers, or a number among words; None where none is.

    Example:
        >>> option_of_another_kind(["4", "a bicycle", "7", "9"]), option_of_another_kind(["4", "None", "7"])
        (1, None)
    """
    kinds = [_kind(text) for text in texts]
    if None in kinds:
        return None
    return _odd_one([kind or "" for kind in kinds])


def option_in_another_script(texts: Sequence[str]) -> int | None:
    """Return the place of the one option of words whose script the others do not have; None where none is so.

    Example:
        >>> option_in_another_script(["bell", "颜色", "anchor"]), option_in_another_script(["bell", "3", "anchor"])
        (1, None)
    """
    scripts = [_script(text) for text in texts]
    return None if "" in scripts else _odd_one(scripts)


def _odd_one(kinds: Sequence[str]) -> int | None:
    counts = Counter(kinds)
    if len(counts) != 2 or len(kinds) <= _LEAST_OTHERS:
        return None
    (_, most), (odd, few) = counts.most_common()
    return kinds.index(odd) if few == 1 and most >= _LEAST_OTHERS else None


def _kind(text: str) -> str | None:
    words = normal(text).split()
    if _NUMBER.fullmatch(text.strip()) or (
        words and all(each in NUMERALS for word in words for each in word.split("-"))
    ):
        return "number"
    is_plain = _FORMULA.search(text) is None and any(len(word) > 2 for word in words)
    return "words" if is_plain and _SAYS_NOTHING_ELSE.search(text) is None else None


def _script(text: str) -> str:
    """Return the script of an option of words; empty for numbers, formulas and Greek letters, which are symbols."""
    scripts = Counter(unicodedata.name(sign, "?").split()[0] for sign in text if sign.isalpha())
    if not scripts or _FORMULA.search(text) or "GREEK" in scripts or sum(scripts.values()) == 1:
        return ""
    return scripts.most_common(1)[0][0]

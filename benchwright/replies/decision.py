"""What follows from the candidates of a reply: one option, or none."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .candidates import Candidate, Polarity, Strength
from .polarity_phrases import Grammar


def decided(candidates: Sequence[Candidate], keys: Sequence[str], text: str, grammar: Grammar) -> str | None:
    """Return the option that the candidates come to, or None.

    1. The last conclusion counts, unless something else is claimed after it.
    2. Otherwise the strongest statements count, if they are of one option that is not denied later.
    3. Otherwise the one option that is left counts, where all others are put aside and the reply says that one is left.
    """
    last_denied = {c.key: c.place for c in candidates if c.polarity in {Polarity.DENIED, Polarity.RETRACTED}}
    stated = [c for c in candidates if c.polarity is Polarity.STATED and last_denied.get(c.key, -1) < c.place]
    several = [c for c in candidates if c.polarity is Polarity.SEVERAL]
    if (key := _concluded(stated, several)) is not None:
        return key
    if _NONE.search(text) or _several_last(stated, several):
        return None
    for level in (Strength.BEST, Strength.CLAIM, Strength.MENTION):
        named = {c.key for c in stated if c.strength >= level}
        if named:
            considered = {c.key for c in candidates if c.polarity in {Polarity.CONSIDERED, Polarity.SEVERAL}}
            if len(named) == 1 and (level > Strength.MENTION or (considered <= named and len(text) <= _SHORT)):
                return min(named)
            return None
    denied = {c.key for c in candidates if c.polarity in {Polarity.DENIED, Polarity.CONTRASTED}}
    left = [key for key in keys if key not in denied]
    if len(left) == 1 and not several and len(keys) > 1 and grammar["leaves"].search(text):
        return left[0]
    return None


_SHORT = 500
"""Characters of a reply in which it says something that it names one option and no other."""

_NONE = re.compile(
    r"\bnone\s+of\s+(?:(?:the|these|those)\s+(?:\w+\s+)?(?:options?|choices?|answers?|images?|candidates?|above|"
    r"descriptions?)|them|the\s+above)\b|\bneither\s+(?:of|one|option|image|choice)\b",
    re.I,
)
"""With such words a reply calls no option right, or says that it does not look at one more closely."""


def _several_last(stated: Sequence[Candidate], several: Sequence[Candidate]) -> bool:
    """Return whether the last claim is of several options."""
    claimed = [c.place for c in several if c.strength >= Strength.CLAIM]
    return bool(claimed) and max(claimed) > max((c.place for c in stated), default=-1)


def _concluded(stated: Sequence[Candidate], several: Sequence[Candidate]) -> str | None:
    """Return the option of the last sentence that draws a conclusion; None where it has none, or more follows it."""
    conclusions = [c for c in stated if c.concludes]
    if not conclusions:
        return None
    last = conclusions[-1].sentence
    within = [c for c in conclusions if c.sentence == last]
    firmest = max(c.strength for c in within)
    keys = {c.key for c in within if c.strength == firmest}
    later = {c.key for c in (*stated, *several) if c.sentence > last}
    return min(keys) if len(keys) == 1 and later <= keys and firmest > Strength.ASIDE else None

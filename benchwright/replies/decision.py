"""The decision made from the candidates in a reply: one option, or none.

A reply must conclude with, claim or close with an option. A mere mention is decisive only in a reply of a sentence or
two that names no other option.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .candidates import NamedPlace, Polarity, Sentences, Strength
from .option_places import sentence_ends
from .polarity_phrases import Grammar

_PUT_ASIDE = frozenset({Polarity.DENIED, Polarity.RETRACTED, Polarity.CONTRASTED})
_ARTICLE = 5
"""Largest length, in characters, of an article before the first words of a reply."""
_SHORT = 3
"""Largest number of sentences in a reply in which merely mentioning one option, in the last one, is an answer."""

_NONE = re.compile(
    r"\bnone\s+of\s+(?:(?:the|these|those)\s+(?:\w+\s+)?(?:options?|choices?|answers?|images?|candidates?|above|"
    r"descriptions?)|them\s+(?:is|are|match|fit|show|correspond)\w*|the\s+above)\b|"
    r"\bneither\s+(?:of|one|option|image|choice)\b",
    re.I,
)
"""Words with which a reply says that no option is right, or that it no longer considers one."""

NOT_OFFERED = re.compile(
    r"\bnot\s+(?:available|listed|included|given|present|one\s+of)?\s*(?:in|among|one\s+of)?\s*(?:the|these|your)\s+"
    r"(?:\w+\s+)?(?:choices|options)\b|\bmistake\s+in\s+the\s+(?:question|problem|options|choices)\b|"
    r"\bnone\s+of\s+(?:the|these)\s+(?:\w+\s+)?(?:options|choices)\s+match",
    re.I,
)
"""Words with which a reply says that its result is not among the options."""


def decided(
    candidates: Sequence[NamedPlace], keys: Sequence[str], sentences: Sentences, prose: str, grammar: Grammar
) -> str | None:
    """Return the option that the candidates support, or None.

    1. The last conclusion decides, unless another option is claimed after it.
    2. Otherwise the only option in a closing line decides.
    3. Otherwise the only claimed option decides, if the claim opens or closes the reply and no conclusion follows it.
    4. Otherwise the only option named in a short reply decides.
    5. Otherwise the remaining option decides, if the reply rejects all others and says that one is left.
    6. Otherwise the option that the last sentence affirms, or else the first sentence, decides, if no other option
    rivals
       it.

    Args:
        candidates: Passages that name options, in order.
        keys: Letters of all options.
        sentences: Sentences of the reply.
        prose: The reply as returned by `prose_of`.
        grammar: Phrases of its language.
    """
    if not candidates or NOT_OFFERED.search(prose):
        return None
    stated = _stated(candidates)
    several = [c for c in candidates if c.polarity is Polarity.SEVERAL]
    key = _concluded(stated, several, sentences)
    if key is not None or _NONE.search(prose):
        return key
    claims = [c for c in stated if c.strength >= Strength.CLAIM]
    end = candidates[-1].place
    if len({c.key for c in candidates if c.concludes and c.place == end}) > 1:
        return None  # the reply ends in a choice between options
    if sentences.closes and not sentences.breaks_off:
        key = _closing(candidates, stated, sentences)
    if key is None and claims:
        key = _claimed(claims, candidates[0].sentence, sentences)
    elif key is None:
        key = _mentioned(candidates, stated, sentences, prose) or _left_over(candidates, keys, prose, grammar)
    return key or _affirmed(candidates, stated, sentences, prose, grammar)


def _stated(candidates: Sequence[NamedPlace]) -> list[NamedPlace]:
    """Return the statements; once an option has been rejected, only a claim counts as a statement of it."""
    denied = {c.key: c.place for c in candidates if c.polarity in {Polarity.DENIED, Polarity.RETRACTED}}
    return [
        c
        for c in candidates
        if c.polarity is Polarity.STATED
        and (c.key not in denied or (c.strength >= Strength.CLAIM and denied[c.key] < c.place))
    ]


def _concluded(stated: Sequence[NamedPlace], several: Sequence[NamedPlace], sentences: Sentences) -> str | None:
    """Return the option of the last concluding sentence; None if there is none, or if more text follows."""
    said = [c for c in stated if c.strength > Strength.ASIDE]
    conclusions = [c for c in said if c.concludes]
    if not conclusions:
        return None
    last = conclusions[-1].sentence
    if any(number > last for number in sentences.concluding):
        return None
    within = [c for c in conclusions if c.sentence == last]
    firmest = max(c.strength for c in within)
    if firmest < Strength.CLAIM and last not in {*sentences.concluding, sentences.last}:
        return None
    keys = {c.key for c in within if c.strength == firmest}
    least = min(Strength.CLAIM, firmest)
    later = {c.key for c in (*said, *several) if c.sentence > last and c.strength >= least}
    return min(keys) if len(keys) == 1 and later <= keys else None


def _closing(candidates: Sequence[NamedPlace], stated: Sequence[NamedPlace], sentences: Sentences) -> str | None:
    """Return the option of an isolated last line, if the line names other options only to reject them."""
    line = [c for c in candidates if c.sentence == sentences.last and c.strength > Strength.ASIDE]
    keys = {c.key for c in line if c in stated}
    alone = len(keys) == 1 and all(c.key in keys or c.polarity in _PUT_ASIDE for c in line)
    return min(keys) if alone else None


def _claimed(claims: Sequence[NamedPlace], first: int, sentences: Sentences) -> str | None:
    """Return the only option that is called best, or else claimed, in the first or last sentence that names any.

    A later conclusion that names no option may contradict the claim.
    """
    for level in (Strength.BEST,) if sentences.breaks_off else (Strength.BEST, Strength.CLAIM):
        firm = [c for c in claims if c.strength >= level]
        placed = [c for c in firm if c.sentence in {first, sentences.last}]
        if placed and len({c.key for c in firm}) == 1 and placed[-1].sentence >= max(sentences.concluding, default=-1):
            return placed[0].key
    return None


_TOO_MUCH = re.compile(r"\b(?:too|zu(?!\s+\w+(?:en|eln|ern)\b)|trop|troppo|demasiado|слишком)\s+\w+\W*\Z", re.I)
"""Text at the end of a reply that explains why something is not the case."""


def _mentioned(
    candidates: Sequence[NamedPlace], stated: Sequence[NamedPlace], sentences: Sentences, prose: str
) -> str | None:
    """Return the only option named in a short reply; a hedged mention of a single option is an answer."""
    said = [c for c in candidates if c in stated or c.polarity is Polarity.HEDGED]
    named = {c.key for c in said if c.strength > Strength.ASIDE or not c.is_label}
    if len(named) != 1 or sentences.breaks_off:
        return None
    if all(c.strength < Strength.CLAIM for c in said) and _TOO_MUCH.search(prose):
        return None
    if sentences.last == 0:
        return min(named) if all(c.key in named or c.polarity in _PUT_ASIDE for c in candidates) else None
    by_words = all(c.key in named and not c.is_label for c in candidates)
    in_last = any(c.sentence == sentences.last for c in candidates)
    return min(named) if by_words and in_last and sentences.last < _SHORT else None


def _affirmed(
    candidates: Sequence[NamedPlace], stated: Sequence[NamedPlace], sentences: Sentences, prose: str, grammar: Grammar
) -> str | None:
    """Return the one option that the last sentence affirms, or else the first, if no other option rivals it.

    A mere mention affirms an option only in a complete sentence that denies and supposes nothing: if it ends the last
    sentence, if no other option is stated, or, in the first sentence, if no other option is named and no conclusion
    follows.
    """
    ends = [0, *(end for end in sentence_ends(prose) if end < len(prose)), len(prose)]
    for number in (sentences.last, 0):
        line = [c for c in candidates if c.sentence == number and c.strength > Strength.ASIDE]
        said = [c for c in line if c in stated]
        if len({c.key for c in said}) != 1 or any(c.key != said[0].key and c.polarity not in _PUT_ASIDE for c in line):
            continue
        firmest = max(c.strength for c in said)
        others = [c for c in candidates if c.key != said[0].key]
        rivals = [c for c in others if c.strength >= firmest and c.polarity not in _PUT_ASIDE]
        if sentences.breaks_off and number and firmest < Strength.BEST:
            continue
        concluded = 0 if number else max(sentences.concluding, default=0)
        if firmest < Strength.CLAIM:
            sentence = prose[ends[number] : ends[number + 1]]
            if sentences.breaks_off or grammar["turns"].search(sentence) or not _ENDED.search(sentence):
                continue
            if number == sentences.last and any(c.ends for c in said):
                rivals = [c for c in rivals if c.strength >= Strength.CLAIM or c.polarity is Polarity.SEVERAL]
            elif number < sentences.last:
                concluded = sentences.last_therefore
                rivals = [*others, *(c for c in said if c.place < _ARTICLE and not c.is_label)]
        if not rivals and number >= concluded:
            return said[0].key
    return None


_ENDED = re.compile(r"[.!;:)\"']\s*\Z")


def _left_over(candidates: Sequence[NamedPlace], keys: Sequence[str], prose: str, grammar: Grammar) -> str | None:
    """Return the only option that the reply does not reject, if the reply states that one is left."""
    if any(c.polarity is Polarity.SEVERAL for c in candidates) or not grammar["leaves"].search(prose):
        return None
    left = set(keys) - {c.key for c in candidates if c.polarity in {Polarity.DENIED, Polarity.CONTRASTED}}
    return min(left) if len(left) == 1 and len(keys) > 1 else None

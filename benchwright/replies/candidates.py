"""The options that a reply names, each with the reply's stance on it and its firmness.

A candidate is a passage of a reply that names an option, by its label or its words. Its polarity is whether the reply
states the option there or names it for another reason; its strength is how firm the statement is. The words that
indicate polarity are data (`polarity_phrases`); `decision` draws the conclusion from the candidates.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from enum import Enum, IntEnum
from typing import NamedTuple

from .option_places import NOUN, NamedOption, grouped, named_options, names_a_stranger, sentence_ends
from .option_words import ReadableOption
from .polarity_phrases import TOTAL, Grammar
from .reply_text import finished, without_closing_aside


class Polarity(Enum):
    """The stance of a reply toward an option in the passage that names it."""

    STATED = "stated"
    SEVERAL = "named together with others"
    CONTRASTED = "another one is compared with it, or it is conceded"
    DENIED = "denied or eliminated"
    RETRACTED = "a first thought that is taken back"
    CONSIDERED = "asked about, or supposed"
    HEDGED = "called possible"


class Strength(IntEnum):
    """The firmness of the statement in a passage."""

    ASIDE = 0
    MENTION = 1
    CLAIM = 2
    BEST = 3


class NamedPlace(NamedTuple):
    """A passage of a reply that names an option.

    Args:
        place: Index of the first character.
        key: Letter of the option.
        polarity: Stance of the reply toward the option.
        strength: Firmness of the statement, if stated.
        concludes: Whether the sentence draws a conclusion from earlier ones.
        sentence: Index of the sentence in the text.
        is_label: Whether the reply names the option by its label.
        ends: Whether the sentence ends with the passage.
    """

    place: int
    key: str
    polarity: Polarity
    strength: Strength
    concludes: bool
    sentence: int
    is_label: bool
    ends: bool


class Sentences(NamedTuple):
    """The sentences of a reply.

    Args:
        last: Index of the last sentence.
        concluding: Indices of the sentences that begin with a word such as "therefore".
        last_therefore: Index of the last sentence with such a word; -1 if there is none.
        closes: Whether the last sentence is a separate paragraph after others.
        breaks_off: Whether the reply was truncated in the last sentence.
    """

    last: int
    concluding: tuple[int, ...]
    last_therefore: int
    closes: bool
    breaks_off: bool = False


_PARENTHETIC = re.compile(
    r",\s*(?:however|though|of\s+course|in\s+fact|indeed|clearly|(?:i|we)\s+(?:think|believe)|actually|"
    r"in\s+turn|(then|thus|therefore|hence|por\s+(?:lo\s+)?tanto|donc|quindi|portanto|daher|also|следовательно)),",
    re.I,
)
_CUT_OFF = 100
"""Smallest length, in characters, of a reply whose last sentence is considered truncated if it has no end."""


def prose_of(text: str, grammar: Grammar) -> str:
    """Return a plain text ready for reading its sentences: without asides between commas or a truncated end.

    A last sentence without a full stop is dropped, unless it draws a conclusion.
    """
    text = _PARENTHETIC.sub(lambda match: f" {match[1] or ''} ", without_closing_aside(finished(text))).rstrip()
    ends = sentence_ends(text)
    is_cut = ends and len(text) > _CUT_OFF and text[-1].isalpha() and not grammar["so"].match(text[ends[-1] :].lstrip())
    return text[: ends[-1]].rstrip() if is_cut else text


def sentences_of(prose: str, grammar: Grammar) -> Sentences:
    """Return the sentences of a text from `prose_of`."""
    ends = [end for end in sentence_ends(prose) if end < len(prose)]
    parts = [prose[start:end].lstrip() for start, end in zip([0, *ends], [*ends, len(prose)], strict=True)]
    return Sentences(
        len(ends),
        tuple(number for number, part in enumerate(parts) if grammar["so"].match(part)),
        max((number for number, part in enumerate(parts) if grammar["so"].search(part)), default=-1),
        len(ends) > 1 and prose[: ends[-1]].endswith("\n\n"),
    )


def candidates_of(prose: str, options: tuple[ReadableOption, ...], grammar: Grammar) -> list[NamedPlace]:
    """Return the candidates in a text from `prose_of`, in order of position."""
    if names_a_stranger(prose, options):
        return []
    ends = sentence_ends(prose)
    span = _span_of_entries(prose)
    found = grouped(prose, named_options(prose, options), ends)
    candidates = [
        _among_entries(candidate, span) if span else candidate
        for named in found
        for candidate in _judged(prose, named, ends, grammar)
    ]
    return list(_without_conceded(candidates, prose, grammar))


def _without_conceded(candidates: Sequence[NamedPlace], prose: str, grammar: Grammar) -> Iterator[NamedPlace]:
    """Yield the candidates; a claim is conceded if its sentence continues to another option with "but".

    Labels listed in a sentence that contains an option's words are also conceded: "A and B are about the same".
    """
    by_words = {c.sentence for c in candidates if c.polarity is Polarity.STATED and not c.is_label}
    for candidate, following in zip(candidates, [*candidates[1:], None], strict=False):
        turned = (
            following is not None
            and following.sentence == candidate.sentence
            and following.key != candidate.key
            and following.strength is candidate.strength is Strength.CLAIM
            and following.polarity is not Polarity.DENIED
            and grammar["but"].search(prose, candidate.place, following.place) is not None
        )
        is_reason = any(
            c.sentence == candidate.sentence
            and c.key != candidate.key
            and c.polarity is Polarity.STATED
            and (reason := grammar["because"].search(prose, c.place, candidate.place)) is not None
            and not grammar["so"].search(prose, reason.end(), candidate.place)
            for c in candidates
            if c.place < candidate.place
        )
        split = (
            following is not None
            and following.sentence == candidate.sentence
            and following.key != candidate.key
            and _REST_DO_NOT.match(prose, following.place) is not None
        )
        told = candidate.polarity is Polarity.SEVERAL and candidate.is_label and candidate.sentence in by_words
        conceded = turned or told or is_reason
        polarity = Polarity.CONTRASTED if conceded else Polarity.SEVERAL if split else candidate.polarity
        yield candidate._replace(polarity=polarity)


_REST_DO_NOT = re.compile(
    r"\w{1,9}\s+(?:of\s+(?:them|these|which)\s+)?(?:do|does|did|are|is|were|was|have|has|can|could|will)(?:\s*n[o']t)?\b\s*(?:not)?\s*(?=[.;,]|\Z)|"
    r"\w{1,9}\s+(?:no|nicht|non|pas|не|нет|não)\s*(?=[.;,]|\Z)",
    re.I,
)
"""A count in a sentence that only states how many do or do not: "three look up, and two do not"."""
_ENTRY = re.compile(
    r"^[-*•\s]*(?:\d[.)]\s*)?(?:(?i:option|choice|image|picture|point|candidate|box|"
    r"tile)\s+)?[(\[]?([A-Z])(?:[)\].:]|\s+-)\s",
    re.M,
)


def _span_of_entries(prose: str) -> range | None:
    """Return the span in which a reply discusses the options one by one; None if there is none."""
    entries = list(_ENTRY.finditer(prose))
    if len({entry[1] for entry in entries}) < 2:
        return None
    end = prose.find("\n", entries[-1].start(1))
    return range(entries[0].start(1), (len(prose) if end < 0 else end) + 1)


def _among_entries(candidate: NamedPlace, span: range) -> NamedPlace:
    """Return a weakened candidate: an entry, or a mention in one, states no option unless it calls the option best."""
    if candidate.place in span:
        sure = candidate.is_label and candidate.strength is Strength.BEST
        return candidate if sure else candidate._replace(strength=Strength.ASIDE, concludes=False)
    is_mention = candidate.strength is Strength.MENTION and not candidate.concludes
    return candidate._replace(strength=Strength.ASIDE) if is_mention else candidate


_BACK, _AHEAD = 200, 160
"""Numbers of characters before and after an option that are examined within its sentence."""
_BOUNDARY = re.compile(r"[,:](?![\d])|(?<!\d)\s-\s|\((?!\Z)|\n|(?<!\bi\.e)(?<!\be\.g)[.!?;]\s")
_BRACKET = re.compile(r"\A[)\]\"']+(?:\s*\([^()\n]{1,60}\))?|\A\s*\([^()\n]{1,60}\)")


def _judged(prose: str, named: NamedOption, ends: Sequence[int], grammar: Grammar) -> Iterator[NamedPlace]:
    sentence = bisect_right(ends, named.start)
    opens = max(ends[sentence - 1] if sentence else 0, named.start - _BACK)
    closes = min(ends[sentence] if sentence < len(ends) else len(prose), named.end + _AHEAD)
    so_far, ahead = prose[opens : named.start], _BRACKET.sub(" ", prose[named.end : closes])
    before, after = _clause_before(so_far, grammar), _clause_after(ahead, grammar)
    is_asked = re.match(r"[)\]\"'\s]*\?", prose[named.end : named.end + 6]) is not None
    polarity = _polarity(before, after, named, grammar, is_asked=is_asked)
    if named.is_partial:
        polarity = Polarity.CONSIDERED
    elif polarity is Polarity.STATED:
        polarity = _in_sentence(so_far, ahead, prose[named.start : named.end], named, grammar)
    strength = _strength(before, after, named, grammar)
    left_over = grammar["leaves_it"].search(so_far) is not None or grammar["is_left"].match(after.lstrip()) is not None
    if left_over:
        polarity = Polarity.STATED if len(named.keys) == 1 else Polarity.SEVERAL
        strength = max(strength, Strength.CLAIM)
    if polarity is Polarity.STATED and strength is Strength.MENTION and _GRANTED.search(so_far):
        polarity = Polarity.CONTRASTED
    concludes = left_over or grammar["so"].search(so_far) is not None
    ends_it = re.search(r"\w", ahead) is None
    for key in named.keys:
        yield NamedPlace(named.start, key, polarity, strength, concludes, sentence, named.is_label, ends_it)


def _clause_before(text: str, grammar: Grammar) -> str:
    cut = max((match.end() for match in _BOUNDARY.finditer(text)), default=0)
    turn = max((match.end() for match in grammar["but"].finditer(text)), default=0)
    return text[max(cut, turn) :]


def _clause_after(text: str, grammar: Grammar) -> str:
    for pattern in (_BOUNDARY, grammar["but"]):
        match = pattern.search(text, 3)
        if match is not None:
            text = text[: match.start()]
    return text


_ASIDE_OPENS = re.compile(r"\A,\s*(?:which|that|who|however)\s*,?\s*")
_OF_WHAT_IS_NOT = re.compile(
    r"\b(?:that|which|who|what|que|qui|che)\s+(?:[^\W\d_]+\s+){0,3}?(?:not|\w+n't|no|pas|não|non)\s[^.,;:]*?\b(?:is|are|was|es|est|é|"
    r"è)\s+(?:\w+\s+)?\Z|"
    r"\b(?:the|der|die|das|el|la|le)\s+\w+\s+(?:not|nicht|no|pas|n'est\s+pas)\s+\w+\s+(?:\w+\s+)?(?:is|ist|es|est)\s+(?:\w+\s+)?\Z",
    re.I,
)
"""Text before an option of which the reply says that something is not true: "the one that is not shown is the cat"."""
_HEDGE = re.compile(
    r"\b(?:might|may|could)\s+(?:well\s+)?be\s+(?:an?\s+|the\s+)?\Z|"
    r"\b(?:perhaps|maybe|possibly)\W+(?:an?\s+|the\s+)?\Z",
    re.I,
)


def _polarity(before: str, after: str, named: NamedOption, grammar: Grammar, *, is_asked: bool) -> Polarity:
    """Return the stance toward an option in the clause around it."""
    tail = _ASIDE_OPENS.sub("", after.lstrip(" \t.:-"))
    if grammar["at_first"].search(before):
        return Polarity.RETRACTED
    if grammar["beside"].search(before) or grammar["conceded"].match(tail):
        return Polarity.CONTRASTED
    denied = grammar["put_aside"].search(before) is not None and not _OF_WHAT_IS_NOT.search(before)
    if denied or grammar["is_put_aside"].match(tail):
        return Polarity.DENIED
    if len(named.keys) > 1:
        return Polarity.SEVERAL
    if not is_asked and not grammar["may"].search(before):
        return Polarity.STATED
    return Polarity.HEDGED if not is_asked and _HEDGE.search(before) else Polarity.CONSIDERED


_SUBORDINATE = re.compile(
    r"\s*(?:(?:so|and|but)\s+)?(?:while|although|though|even\s+though|whereas|despite|aunque|mientras|embora|"
    r"enquanto|bien\s+que|alors\s+que|obwohl|während|хотя|رغم)(?![^\W\d_])|\s*(?:虽然|尽管|雖然)",
    re.I,
)
_GRANTED = re.compile(
    r"[,;(]\s*(?:although|though|even\s+though|whereas|aunque|mientras\s+que|embora|obwohl|wohingegen|auch\s+wenn|bien\s+que|alors\s+que|"
    r"tandis\s+que|anche\s+se|sebbene|mentre|хотя|тогда\s+как|unlike)\s[^,;.]*\Z",
    re.I,
)
"""Text before an option that a later clause concedes or contrasts."""
_NONE_OF = re.compile(r"\b(?:neither|none\s+of|nor)\b(?!.*\bbut\b)[^.;]*\Z", re.I)
_AGAINST = re.compile(r"(?:\b(?:not|never|no|without|or)\b|n't\b)(?!.*\b(?:but|rather)\b)[^.;]*\Z", re.I)
_IN_IF_CLAUSE = re.compile(
    r"\bif\b(?!\s+(?:we|you|i|one)\s+(?:use|consider|look|had|have|must|need|disregard|ignore|were|are|"
    r"want\w*)\b)[^.;,]*\Z",
    re.I,
)
_IF_ONE_IS_RIGHT = re.compile(
    r"\bif\b[^.;]*(?:[(\[][A-Z][)\]]|\b[B-HJ]\b|\b(?:answer|option|choice|question|correct|right)\b)[^.;]*,"
    r"|\bif\b(?!\s+(?:i|we|you)\b)[^.;]*\b(?:answer|option|choice)\s+(?=would\b)",
    re.I,
)
_WOULD = re.compile(r"\s*(?:would|could|might)\b", re.I)
_IF_LATER = re.compile(r"\bif\b(?!\s+(?:i|we|you)\b)", re.I)


def _in_sentence(so_far: str, ahead: str, words: str, named: NamedOption, grammar: Grammar) -> Polarity:
    """Return the sentence's stance toward an option that its clause states.

    Inflected or shortened words of an option may have a negation among them.
    """
    against = named.is_close and grammar.language == "en" and (_AGAINST.search(so_far) or _AGAINST.search(words))
    if _NONE_OF.search(so_far) or against:
        return Polarity.DENIED
    would = _WOULD.match(ahead)
    supposed = _IF_ONE_IS_RIGHT.search(so_far) and (would or _WOULD.search(so_far))
    if _IN_IF_CLAUSE.search(so_far) or supposed or (would and _IF_LATER.search(ahead)):
        return Polarity.CONSIDERED
    if _SUBORDINATE.match(so_far) and "," not in so_far and "," in ahead:
        return Polarity.CONTRASTED
    return Polarity.STATED


_OPERAND_BEFORE = re.compile(r"[\d)]\s*[-+×*/÷]\s*\Z")
_OPERAND_AFTER = re.compile(r"[-+×*/÷=]\s*[\d(]|minus\b|plus\b|times\b")
_ONLY = re.compile(
    r"(?<![^\W\d_])(?:only|just|solo|sólo|solamente|apenas|só|nur|lediglich|seul(?:e|ement)?|только|лишь|केवल|"
    rf"सिर्फ)\s+(?:(?:the|la|el|le|die|der|das|o|a|in|im|en)\s+)*(?:{NOUN}\s+)?[(\[\"']*\Z|(?:只有|仅有|仅)\Z",
    re.I,
)
_ASKED_ABOUT = re.compile(r"\b(?:asked\s+(?:about|for)|in\s+question|question\s+(?:is|asks)\s+(?:about|for))\b", re.I)
_GLOSS = re.compile(r"(?:\b[^\W\d_]+\s+){1,2}\(\Z")
"""Words that are explained by the option in parentheses after them: "the second (Q2)"."""
_ONE_WORD = 16
"""Length, in characters, up to which an inflected option is one word, which is accepted only in a claim."""


def _strength(before: str, after: str, named: NamedOption, grammar: Grammar) -> Strength:
    """Return how firm the statement in the clause around an option is."""
    tail = after.lstrip(" \t")
    if _OPERAND_BEFORE.search(before) or _OPERAND_AFTER.match(tail):
        return Strength.ASIDE
    named_by = grammar["names"].search(before) or grammar["names"].search(_GLOSS.sub("", before))
    is_result = before.rstrip().endswith("=") or TOTAL.match(tail)
    if is_result or grammar["fits_best"].match(tail) or (named_by and _ASKED_ABOUT.search(before)):
        return Strength.BEST
    if named.is_clause or named_by or _ONLY.search(before) or grammar["so_it_is"].search(before):
        return Strength.CLAIM
    if grammar["fits"].match(tail) or grammar["is_named"].match(tail):
        return Strength.CLAIM
    is_word = named.is_close and named.end - named.start <= _ONE_WORD
    return Strength.ASIDE if is_word else Strength.MENTION

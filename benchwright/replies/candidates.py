"""The options that a reply names, each with what the reply says of it there, and how firmly.

A candidate is one place where a reply names an option, by its label or its words. Its polarity says whether the reply
states it there, or names it for another reason; its strength says how much of a statement it is. Which words tell that
is data (`polarity_phrases`); what follows from the candidates is decided in `decision`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from enum import Enum, IntEnum
from functools import lru_cache
from typing import NamedTuple

from benchwright.records import LETTERS

from .option_words import LATIN, ReadableOption, is_everyday, is_particle
from .polarity_phrases import TOTAL, Grammar
from .reply_text import end_of, finished, start_of
from .word_stems import StemmedWord, number_words, stems_of, tokens_of


class Polarity(Enum):
    """What a reply says about an option where it names it."""

    STATED = "stated"
    SEVERAL = "named together with others"
    CONTRASTED = "another one is compared with it"
    DENIED = "denied or eliminated"
    RETRACTED = "a first thought that is taken back"
    CONSIDERED = "asked about, or a possibility"


class Strength(IntEnum):
    """How much of a statement the place is."""

    ASIDE = 0
    MENTION = 1
    CLAIM = 2
    BEST = 3


class NamedPlace(NamedTuple):
    """A place where a reply names an option.

    Args:
        place: First character.
        key: Letter of the option.
        polarity: What is said of it.
        strength: How firmly, if it is stated.
        concludes: Whether the sentence draws a conclusion from what was said before.
        sentence: Number of the sentence in the text.
    """

    place: int
    key: str
    polarity: Polarity
    strength: Strength
    concludes: bool
    sentence: int


class _NamedOption(NamedTuple):
    start: int
    end: int
    keys: tuple[str, ...]
    is_label: bool
    is_close: bool = False


_NOUN = (
    r"(?:options?|choices?|answers?|images?|pictures?|photos?|tiles?|points?|patch(?:es)?|candidates?|"
    r"figures?|box(?:es)?|letter|piece|label(?:l?ed)?)"
)
_LABEL = re.compile(
    rf"(?<![{LATIN}])[(\[]([A-Z])[)\]]|(?<![A-Za-z])(?i:{_NOUN})\s+[\"']?([A-Z])(?![{LATIN}'-])"
    rf"|(?<![{LATIN}'./&-])([A-Z])(?![{LATIN}'/&-]|\.\w)"
)
_NO_LABEL = re.compile(
    r"(?:\b(?:vitamin|plan|type|size|note|class|grade|group|hepatitis|(?:is|was|as|got|get|gets|with|into|like|"
    r"has|have|for|of|earned)\s+a|section|series|appendix|mr|mrs|dr|st|exhibit|key|model|terminal|gate|platform|"
    r"line)\.?|[0-9°☐⬜□❌✗✘×🚫]|\[ \])\s*\Z",
    re.I,
)
_AFTER_ARTICLE = re.compile(
    r"[ \t]+(?!(?:is|was|has|had|and|or|but|as|because|looks?|shows?|match(?:es)?|fits?|does|can|could|cannot|"
    r"seems?|appears?|keeps?|breaks?|continues?|passes|"
    r"shares?|agrees?|corresponds?|aligns?|lies|sits|stands?|would|will|should|must|may|might|it|also|since|in|"
    r"on|at|with|of|by|not|no|yes|fails?|lacks?|contains?|"
    r"displays?|depicts?|features?|too|over|to|for|y|es|está|o|ou|et|und|oder|e|é|ist|est|passt|scheidet|hat|"
    r"muestra|tiene|coincide|corresponde|corresponds?|"
    r"being|remains|wins|differs?|satisf(?:y|ies)|meets?|than|rather|instead|so|then|out|works?|belongs?|bends?|"
    r"goes|leads?|ends?|starts?|begins?|comes?|gets?|makes?|"
    r"gives?|takes?|points?|faces?|right|correct|wrong|incorrect|true|false|clearly|closely|best|better|most|"
    r"more|less|only|alone|either|neither|both|if|when|while|where|which|that)\b)[a-zà-ÿ]"
)
_SENTENCE_END = re.compile(r"(?<![.\s(][A-Za-z])(?<!\A[A-Za-z])[.!?;](?=\s|\Z)[)\"']*|\n+")
_JOINER = re.compile(
    r"[)\]\"']*\s*(?:(?:,|/|&|\+|;)\s*)?(?:(?:(?:and|or|nor|y|o|e|ou|et|und|oder|sowie|и|или|और|या|أو|و|"
    r"и)(?![^\W\d_])|和|与|與|或者?|还是|還是|及|と|や|か|와|과|나|또는)\s*)?"
    r"(?:(?:both|also|the|a|la|le|die|the\s+other)\s+)?[(\[\"']*",
    re.I,
)
_OR = re.compile(r"[)\]\"']*,?\s+(?:or|oder|ou|или|या|أو)\s+(?:[^\W\d_]+\s+){0,2}[(\[\"']*", re.I)
_LOCATIVE = re.compile(
    r"(?<![^\W\d_])(?:in|from|of|for|im|en|em|dans|de|von|bei|на|в|في)\s+(?:(?:the|el|la|der|dem|"
    r"das)\s+)?(?:[^\W\d_]+\s+)?[(\[]?\Z",
    re.I,
)
_BOUNDARY = re.compile(r"[,:](?![\d])|(?<!\d)\s-\s|\((?!\Z)|\n|[.!?;]\s")
_SUBORDINATE = re.compile(
    r"\s*(?:while|although|though|even\s+though|whereas|despite|aunque|mientras|embora|enquanto|bien\s+que|"
    r"alors\s+que|obwohl|während|хотя|رغم)(?![^\W\d_])|\s*(?:虽然|尽管|雖然)",
    re.I,
)
_NONE_OF = re.compile(r"\b(?:neither|none\s+of|nor)\b(?!.*\bbut\b)[^.;]*\Z", re.I)
_AGAINST = re.compile(r"(?:\b(?:not|never|no|without|or)\b|n't\b)(?!.*\b(?:but|rather)\b)[^.;]*\Z", re.I)
_SUPPOSED = re.compile(r"\bif\b[^.;]*\b(?:would|could|might)\b[^.;]*\Z", re.I)
_OPERAND_BEFORE = re.compile(r"[\d)]\s*[-+×*/÷]\s*\Z")
_OPERAND_AFTER = re.compile(r"[-+×*/÷=]\s*[\d(]|minus\b|plus\b|times\b")
_ASIDE_OPENS = re.compile(r"\A,\s*(?:which|that|who|however)\s*,?\s*")
_ASKED_ABOUT = re.compile(r"\b(?:asked\s+(?:about|for)|in\s+question|question\s+(?:is|asks)\s+(?:about|for))\b", re.I)
_IF = re.compile(r"\bif\b", re.I)
_WOULD = re.compile(r"\s*(?:would|could|might)\b", re.I)


@lru_cache(maxsize=1 << 10)
def _patterns(options: tuple[ReadableOption, ...]) -> tuple[re.Pattern[str] | None, dict[str, str]]:
    """Return the pattern of all exact forms, the longest first, and the key of each form."""
    key_of: dict[str, str] = {}
    for option in options:
        for form in option.forms:
            key_of.setdefault(form, option.key)
    forms = sorted((form for form in key_of if not is_particle(form)), key=lambda form: (-len(form), form))
    if not forms:
        return None, key_of
    parts = [_spelled(form) for form in forms]
    return re.compile("|".join(parts)), key_of


def _spelled(form: str) -> str:
    """Return the pattern of a form; a single character of Chinese or Japanese counts only beside what sets it off."""
    if (goes_on := _GOES_ON.match(form)) is not None:
        return re.escape(goes_on[1])
    if len(form) == 1 and _HAN.match(form) and form not in _HAN_OFTEN:
        return (
            rf"(?<=[\s\"'(,.是为為像]){form}(?![\u4e00-\u9fff])|{form}(?=[\s\"'),.色]|的[.,]|です|では|"
            rf"である|でしょう|だ|が|は|を|\Z)"
        )
    return start_of(form) + re.escape(form).replace(r"\ ", r"\s+") + end_of(form)


_GOES_ON = re.compile(r"(.{2,}[てで])い(?:る|ます)\Z")
"""A Japanese verb in its continuous form, plain or polite."""
_HAN = re.compile("[\u4e00-\u9fff]")
_HAN_OFTEN = frozenset("一二三四五六七八九十上中下左右是否有無无不大小多少")


@lru_cache(maxsize=1 << 10)
def _telling_stems(options: tuple[ReadableOption, ...]) -> dict[str, frozenset[str]]:
    """Return the stems by which an option is told from all others; options whose stems another one has are left out."""
    stems = {
        option.key: frozenset(stems_of(option.words))
        for option in options
        if option.words and not is_everyday(option.words) and not is_particle(option.words)
    }
    return {
        key: its
        for key, its in stems.items()
        if its and not any(its <= others for other, others in stems.items() if other != key)
    }


_PARENTHETIC = re.compile(
    r",\s*(?:however|though|of\s+course|in\s+fact|indeed|clearly|(?:i|we)\s+(?:think|believe)|actually|"
    r"in\s+turn|(then|thus|therefore|hence)),",
    re.I,
)
_OPENED_ENTRY = re.compile(r"(?:\A|\n)[-*\s]*[(\[]?[A-Z][)\].:]*\s*\Z")


def candidates_of(text: str, options: tuple[ReadableOption, ...], grammar: Grammar) -> list[NamedPlace]:
    """Return the candidates of a plain text, by place."""
    text = _PARENTHETIC.sub(lambda match: f" {match[1] or ''} ", _OPENED_ENTRY.sub("", finished(text)))
    if _names_a_stranger(text, options):
        return []
    ends = sentence_ends(text)
    entries = _entries(text)
    found = _grouped(text, sorted({*_labels(text, options), *_words(text, options)}), ends)
    candidates: list[NamedPlace] = []
    for named in found:
        sentence = bisect_right(ends, named.start)
        opens = ends[sentence - 1] if sentence else 0
        closes = ends[sentence] if sentence < len(ends) else len(text)
        opens, closes = max(opens, named.start - 200), min(closes, named.end + 160)
        judged = _judged(text, named, opens, closes, sentence, grammar)
        candidates += [_within_entries(candidate, named, entries, text) for candidate in judged]
    return candidates


_ENTRY = re.compile(
    r"^[-*•\s]*(?:\d[.)]\s*)?(?:(?i:option|choice|image|picture|point|candidate|box|"
    r"tile)\s+)?[(\[]?([A-Z])(?:[)\].:]|\s+-)\s",
    re.M,
)


def _within_entries(
    candidate: NamedPlace, named: _NamedOption, entries: Sequence[tuple[int, str]], text: str
) -> NamedPlace:
    """Return a candidate weighed down where the reply goes through the options one by one."""
    if not entries:
        return candidate
    if entries[0][0] <= candidate.place <= entries[-1][0] + _line_of(text, entries[-1][0]):
        sure = named.is_label and candidate.strength is Strength.BEST
        return candidate if sure else candidate._replace(strength=Strength.ASIDE, concludes=False)
    is_mention = candidate.strength is Strength.MENTION
    return candidate._replace(strength=Strength.ASIDE) if is_mention else candidate


def _line_of(text: str, place: int) -> int:
    """Return how many characters of the line are behind a place."""
    end = text.find("\n", place)
    return (len(text) if end < 0 else end) - place


def _entries(text: str) -> list[tuple[int, str]]:
    """Return place and letter of lines that go through the options; they state none unless one is called best."""
    entries = [(match.start(1), match[1]) for match in _ENTRY.finditer(text)]
    return entries if len({letter for _, letter in entries}) > 1 else []


def _names_a_stranger(text: str, options: Sequence[ReadableOption]) -> bool:
    """Return whether a text names an option that was not offered, so that its labels have another meaning."""
    keys = {option.key for option in options}
    return any(
        match.lastindex != 3 and (match[1] or match[2]) in LETTERS[:8] and (match[1] or match[2]) not in keys
        for match in _LABEL.finditer(text)
    )


def sentence_ends(text: str) -> list[int]:
    """Return where the sentences of a text end."""
    return [match.end() for match in _SENTENCE_END.finditer(text)]


def named_options(text: str, options: tuple[ReadableOption, ...]) -> list[tuple[int, str]]:
    """Return the places at which a text names options, by labels or words, and the options' letters."""
    return [(named.start, named.keys[0]) for named in sorted({*_labels(text, options), *_words(text, options)})]


def _labels(text: str, options: Sequence[ReadableOption]) -> Iterator[_NamedOption]:
    keys = {option.key for option in options}
    for match in _LABEL.finditer(text):
        number = match.lastindex or 1
        letter, start, end = match[number], match.start(number), match.end(number)
        if letter not in keys or (letter in "I" and number == 3):
            continue
        if number == 3:
            before = text[max(0, start - 14) : start]
            if _NO_LABEL.search(before) or (letter in "AEO" and _is_article(text, start, end)):
                continue
        yield _NamedOption(start, end, (letter,), is_label=True)


def _is_article(text: str, start: int, end: int) -> bool:
    """Return whether a capital that opens a sentence is the first word of it, such as an article."""
    opens = re.search(r"(?:\A|[.!?:;\n\"(])\s*\Z", text[max(0, start - 4) : start]) is not None
    return opens and _AFTER_ARTICLE.match(text, end) is not None


def _words(text: str, options: tuple[ReadableOption, ...]) -> list[_NamedOption]:
    """Return the places of options' words; a longer match covers the shorter ones inside."""
    exact: list[_NamedOption] = []
    pattern, key_of = _patterns(options)
    lowered = text.lower() if len(text.lower()) == len(text) else text
    if pattern is not None:
        for match in pattern.finditer(lowered):
            words = " ".join(match[0].split())
            words = words if words in key_of else next((form for form in key_of if form.startswith(words)), words)
            if words in key_of and (not is_everyday(words) or _is_place(lowered, match)):
                exact.append(_NamedOption(match.start(), match.end(), (key_of[words],), is_label=False))
    telling = _telling_stems(options)
    close = [*_by_stems(tokens_of(lowered), telling), *_counted(lowered, options)] if telling else []
    close.sort(key=lambda named: (named.start - named.end, named.start))
    return _apart([*exact, *close][:_MOST])


_MOST = 2_000
"""Places of a reply that are looked at."""


def _apart(found: Sequence[_NamedOption]) -> list[_NamedOption]:
    """Return the places without those that overlap an earlier one of the sequence."""
    kept: list[_NamedOption] = []
    taken: set[int] = set()
    for named in found:
        if taken.isdisjoint(range(named.start, named.end)):
            taken.update(range(named.start, named.end))
            kept.append(named)
    return kept


def _is_place(text: str, match: re.Match[str]) -> bool:
    """Return whether an everyday word such as "left" is meant as the place or thing that an option is."""
    before = text[max(0, match.start() - 12) : match.start()]
    after = text[match.end() : match.end() + 8]
    return (
        re.search(r"\b(?:the|its|is|are|'s|to|answer)\s+\Z", before) is not None
        and re.match(r"\s*(?:[.,;!\n]|\Z|side|one|of)", after) is not None
    )


_WITHIN = 3
"""How many words may stand among those of an option, beyond their own number."""


def _by_stems(tokens: list[StemmedWord], telling: dict[str, frozenset[str]]) -> Iterator[_NamedOption]:
    """Yield stretches that hold all the stems of an option close together."""
    places: dict[str, list[int]] = {}
    for number, token in enumerate(tokens):
        places.setdefault(token.stem, []).append(number)
    for key, stems in telling.items():
        if any(stem not in places for stem in stems):
            continue
        width = len(stems) if len(stems) == 1 else len(stems) + _WITHIN
        rarest = min(stems, key=lambda stem: len(places[stem]))
        for number in places[rarest][:200]:
            nearest = [min(places[stem], key=lambda place: abs(place - number)) for stem in stems]
            first, last = min(nearest), max(nearest)
            if last - first < width:
                yield _NamedOption(
                    tokens[first].start, tokens[last].end, (key,), is_label=False, is_close=len(stems) > 1
                )


_COUNTERS = "(?=[个只張张本条辆人朵把头匹位棵座台名块件盏根つ匹冊枚頭羽脚台個杯개명마리대송권])"


def _counted(text: str, options: Sequence[ReadableOption]) -> Iterator[_NamedOption]:
    """Yield numbers in words of scripts without spaces, which count only before a counter."""
    for option in options:
        for word in number_words(option.words) if option.words.isdigit() else ():
            if word[0] > "\u3000":
                for match in re.finditer(rf"(?<![十百第]){word}\s?{_COUNTERS}", text):
                    yield _NamedOption(match.start(), match.end(), (option.key,), is_label=False)


def _grouped(text: str, found: list[_NamedOption], ends: list[int]) -> list[_NamedOption]:
    """Return the places with lists such as "A, B and D" joined, and a label with its own option's words."""
    groups: list[_NamedOption] = []
    for named in found:
        if groups:
            last = groups[-1]
            between = text[last.end : named.start]
            if len(between) < 40 and "\n" not in between:
                own = last.keys == named.keys and re.fullmatch(
                    r"[)\].:,\"'\s(\[-]{1,5}(?:(?:the|an?|which|is|it|i\.e\.|option)\s+)*[(\[\"']*", between
                )
                noun = re.sub(rf"(?i:\b{_NOUN})\s*", "", between)
                if (
                    own
                    or (last.keys != named.keys and _OR.fullmatch(between))
                    or (
                        (named.is_label == last.is_label and _JOINER.fullmatch(noun))
                        and bisect_right(ends, last.start) == bisect_right(ends, named.start)
                    )
                ):
                    keys = tuple(dict.fromkeys((*last.keys, *named.keys)))
                    groups[-1] = _NamedOption(last.start, named.end, keys, last.is_label or named.is_label)
                    continue
        groups.append(named)
    return groups


def _judged(
    text: str, named: _NamedOption, opens: int, closes: int, sentence: int, grammar: Grammar
) -> Iterator[NamedPlace]:
    so_far, ahead = text[opens : named.start], text[named.end : closes]
    before = _clause_before(so_far, grammar)
    after = re.sub(r"\A[)\]\"']+", "", _clause_after(ahead, grammar))
    polarity = _polarity(before, after, text, named, grammar)
    if polarity is Polarity.STATED and (_NONE_OF.search(so_far) or (named.is_close and _AGAINST.search(so_far))):
        polarity = Polarity.DENIED
    if polarity is Polarity.STATED and (_SUPPOSED.search(so_far) or (_IF.search(so_far) and _WOULD.match(after))):
        polarity = Polarity.CONSIDERED
    strength = _strength(before, after, named, grammar)
    if polarity is Polarity.STATED and _SUBORDINATE.match(so_far) and "," not in so_far and "," in ahead:
        polarity = Polarity.CONTRASTED
    left_over = grammar["leaves_it"].search(so_far) is not None or grammar["is_left"].match(after.lstrip()) is not None
    concludes = left_over or any(True for _ in grammar["so"].finditer(so_far))
    if left_over:
        polarity = Polarity.STATED if len(named.keys) == 1 else Polarity.SEVERAL
        strength = max(strength, Strength.CLAIM)
    concludes = concludes and (named.is_label or strength > Strength.MENTION)
    for key in named.keys:
        yield NamedPlace(named.start, key, polarity, strength, concludes, sentence)


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


def _polarity(before: str, after: str, text: str, named: _NamedOption, grammar: Grammar) -> Polarity:
    tail = _ASIDE_OPENS.sub("", after.lstrip(" \t.:-"))
    if grammar["at_first"].search(before):
        return Polarity.RETRACTED
    if grammar["beside"].search(before):
        return Polarity.CONTRASTED
    if grammar["put_aside"].search(before) or grammar["is_put_aside"].match(tail):
        return Polarity.DENIED
    if len(named.keys) > 1:
        return Polarity.SEVERAL
    if re.match(r"[)\]\"'\s]*\?", text[named.end : named.end + 6]) or grammar["may"].search(before):
        return Polarity.CONSIDERED
    return Polarity.STATED


def _strength(before: str, after: str, named: _NamedOption, grammar: Grammar) -> Strength:
    tail = after.lstrip(" \t")
    if _OPERAND_BEFORE.search(before) or _OPERAND_AFTER.match(tail):
        return Strength.ASIDE
    named_by = grammar["names"].search(before)
    is_result = before.rstrip().endswith("=") or TOTAL.match(tail)
    if is_result or grammar["fits_best"].match(tail) or (named_by and _ASKED_ABOUT.search(before)):
        return Strength.BEST
    if named_by or grammar["fits"].match(tail) or grammar["is_named"].match(tail):
        return Strength.CLAIM
    if named.is_label and _LOCATIVE.search(before):
        return Strength.ASIDE
    return Strength.MENTION

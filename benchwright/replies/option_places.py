"""The passages of a reply that name options: by labels, or by exact, inflected or shortened words."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from benchwright.records import LETTERS

from .option_words import COUNTED_PICTURE, LATIN, PLACE_HEAD, ReadableOption, is_everyday, is_particle
from .reply_text import end_of, start_of
from .word_stems import StemmedWord, number_words, pieces_of, stems_of, tokens_of


class NamedOption(NamedTuple):
    """A passage that names one option, or several in a list.

    Args:
        start: Index of the first character.
        end: Index of the first character after the passage.
        keys: Letters of the options.
        is_label: Whether a label names the option, alone or with the option's words.
        is_close: Whether the words are inflected or shortened.
        is_clause: Whether the option's words are a whole sentence, and so a statement by themselves.
        is_partial: Whether the words may be part of another option's words.
    """

    start: int
    end: int
    keys: tuple[str, ...]
    is_label: bool
    is_close: bool = False
    is_clause: bool = False
    is_partial: bool = False


_MOST = 600
"""Largest number of passages of a reply to examine, half of them at each end."""

NOUN = (
    r"(?:options?|choices?|answers?|images?|pictures?|photos?|tiles?|points?|patch(?:es)?|candidates?|"
    r"figures?|box(?:es)?|letter|piece|label(?:l?ed)?)"
)
_LABEL = re.compile(
    rf"(?<![{LATIN}])[(\[]([A-Z])[)\]]|(?<![A-Za-z])(?i:{NOUN})\s+[\"']?([A-Z])(?![{LATIN}'-])"
    rf"|(?<![{LATIN}'./&-])([A-Z])(?![{LATIN}'/&-]|\.\w)"
)
_BARE = 3
"""Group of `_LABEL` that contains a capital letter without brackets or noun, which may be a word."""
_NO_LABEL = re.compile(
    r"(?:\b(?:vitamin|plan|type|size|note|class|grade|group|hepatitis|(?:is|was|as|got|get|gets|with|into|like|"
    r"has|have|for|of|earned)\s+a|section|series|appendix|mr|mrs|dr|st|exhibit|key|model|terminal|gate|platform|"
    r"line)\.?|[0-9°☐⬜□❌✗✘×🚫]|\[ \])\s*\Z",
    re.I,
)
_AFTER_ARTICLE = re.compile(
    r"[ \t]+(?!(?:is|was|has|had|and|or|but|as|because|looks?|shows?|match(?:es)?|fits?|does|can|could|cannot|"
    r"seems?|appears?|keeps?|breaks?|continues?|passes|shares?|agrees?|corresponds?|aligns?|lies|sits|stands?|would|"
    r"will|should|must|may|might|it|also|since|in|on|at|with|of|by|not|no|yes|fails?|lacks?|contains?|displays?|"
    r"depicts?|features?|too|over|to|for|y|es|está|o|ou|et|und|oder|e|é|ist|est|passt|scheidet|hat|muestra|tiene|"
    r"coincide|corresponde|being|remains|wins|differs?|satisf(?:y|ies)|meets?|than|rather|instead|so|then|out|"
    r"works?|belongs?|bends?|goes|leads?|ends?|starts?|begins?|comes?|gets?|makes?|gives?|takes?|points?|faces?|"
    r"right|correct|wrong|incorrect|true|false|clearly|closely|best|better|most|more|less|only|alone|either|"
    r"neither|both|if|when|while|where|which|that)\b)[a-zà-ÿ]"
)
_OPENS_SENTENCE = re.compile(r"(?:\A|[.!?:;\n\"(])\s*\Z")
_SENTENCE_END = re.compile(r"(?<![.\s(][A-Za-z])(?<!\A[A-Za-z])[.!?;](?=\s|\Z)[)\"']*|\n+")


def sentence_ends(text: str) -> list[int]:
    """Return the ends of the sentences of a text."""
    return [match.end() for match in _SENTENCE_END.finditer(text)]


def named_options(text: str, options: tuple[ReadableOption, ...]) -> list[NamedOption]:
    """Return the passages that name an option, in order; a label inside an option's words is not a separate passage."""
    words = _words(text, options)
    inside = {place for named in words for place in range(named.start, named.end)}
    found = sorted({*words, *(label for label in _labels(text, options) if label.start not in inside)})
    return found if len(found) <= _MOST else found[: _MOST // 2] + found[-_MOST // 2 :]


def names_a_stranger(text: str, options: Sequence[ReadableOption]) -> bool:
    """Return whether a text names an option that the item lacks, so that its labels have a different meaning."""
    keys = {option.key for option in options}
    labels = (match[1] or match[2] for match in _LABEL.finditer(text) if match.lastindex != _BARE)
    return any(label in LETTERS[:8] and label not in keys for label in labels)


def _labels(text: str, options: tuple[ReadableOption, ...]) -> Iterator[NamedOption]:
    keys = {option.key for option in options}
    points_apart = _names_no_point(options)
    for match in _LABEL.finditer(text):
        group = match.lastindex or 1
        letter, start, end = match[group], match.start(group), match.end(group)
        if letter not in keys or (group == _BARE and (letter == "I" or _is_word(letter, text, start, end))):
            continue
        if points_apart and _POINT.match(text[max(0, start - 6) : end + 2]):
            continue
        yield NamedOption(start, end, (letter,), is_label=True)


_POINT = re.compile(r"(?i:.*\bpoints?\s)[A-Z]|.{0,6}(?<![A-Za-z])[A-Z]\s?[点點]", re.S)
"""A point in the picture named by its letter: "point A"."""
_OF_POINT = re.compile(r"(?<![^\W_])[a-z](?![^\W_])|point|点|點|punto|punkt|ponto|точк|نقطة|बिंदु")


@lru_cache(maxsize=1 << 10)
def _names_no_point(options: tuple[ReadableOption, ...]) -> bool:
    """Return whether all options are in words that mention no point, so that "point A" is not option A."""
    return all(option.words and not _OF_POINT.search(option.words) for option in options)


def _is_word(letter: str, text: str, start: int, end: int) -> bool:
    """Return whether a capital letter is part of a name, such as "vitamin C", or an article that opens a sentence."""
    if _NO_LABEL.search(text[max(0, start - 14) : start]):
        return True
    opens = letter in "AEO" and _OPENS_SENTENCE.search(text[max(0, start - 4) : start])
    return bool(opens) and _AFTER_ARTICLE.match(text, end) is not None


def _words(text: str, options: tuple[ReadableOption, ...]) -> list[NamedOption]:
    """Return the passages that contain options' words; exact words precede inflected and shortened ones."""
    lowered = text.lower() if len(text.lower()) == len(text) else text
    tokens = tokens_of(lowered)
    longer = _rest_of_longer(options)
    rest_at = {key: [t.start for t in tokens if t.stem in rest] for key, rest in longer.items()} if longer else {}
    ends = sentence_ends(text) if any(rest_at.values()) else []
    clauses = {option.key for option in options if VERB.search(option.words)}
    close = [*_inflected(tokens, options), *_counted(lowered, options)]
    close.sort(key=lambda named: (named.start - named.end, named.start))
    marked = [
        named._replace(
            is_clause=named.keys[0] in clauses,
            is_partial=any(
                bisect_right(ends, place) == bisect_right(ends, named.start) for place in rest_at.get(named.keys[0], ())
            ),
        )
        for named in (*_exact(lowered, options), *close)
    ]
    return _apart([*marked, *_shortened(lowered, options)])


VERB = re.compile(r"\w\s+(?:is|are|was|were|has|have|should|must|can|will|do|does|ist|sind|es|son|est|sont|é|são)\s+\w")
"""Matches the words of an option that is a whole sentence."""


def _apart(found: Sequence[NamedOption]) -> list[NamedOption]:
    """Return the passages that do not overlap an earlier one in the sequence."""
    kept: list[NamedOption] = []
    taken: set[int] = set()
    for named in found:
        if taken.isdisjoint(range(named.start, named.end)):
            taken.update(range(named.start, named.end))
            kept.append(named)
    return kept


# Exact words


def _exact(text: str, options: tuple[ReadableOption, ...]) -> Iterator[NamedOption]:
    pattern, key_of = _patterns(options)
    for match in pattern.finditer(text):
        words = _spaced(match[0]).replace("ß", "ss")
        words = words if words in key_of else next((form for form in key_of if form.startswith(words)), words)
        if words in key_of and (not is_everyday(words) or _is_place(text, match)):
            yield NamedOption(match.start(), match.end(), (key_of[words],), is_label=False)


@lru_cache(maxsize=1 << 10)
def _patterns(options: tuple[ReadableOption, ...]) -> tuple[re.Pattern[str], dict[str, str]]:
    """Return the pattern of all exact forms, longest first, and the key of each form."""
    key_of: dict[str, str] = {}
    for option in options:
        for form in option.forms:
            key_of.setdefault(_spaced(form), option.key)
    forms = {form for option in options for form in option.forms if not is_particle(form)}
    heads = tuple(match[1] for option in options if (match := PLACE_HEAD.match(option.words)))
    parts = [
        _spelled(form) + (_NOT_OF if heads and any(head.endswith(form) for head in heads) else "")
        for form in sorted(forms, key=lambda form: (-len(form), form))
    ]
    return re.compile("|".join(parts) or "(?!)"), key_of


_NOT_OF = r"(?!\s+(?:side|corner|half|edge|of|from|vom|von|de|del|du|da|do|di|от)(?!\w)|-)"
"""Text after a word for a side that does not mean the side of an object."""
_BETWEEN = r"[\s=:,\"'()]+"
"""Characters between the words of an option in a reply: "x = 2" for "x 2"."""
_COUNTER = "[个只張张本条辆人朵把头匹位棵座台名块件盏根つ匹冊枚頭羽脚台個杯개명마리대송권인]"
_GOES_ON = re.compile(r"(.+[てで])い(?:る|ます)\Z")
"""A Japanese verb in its continuous form, plain or polite."""
_HAN = re.compile("[\u4e00-\u9fff]")
_SIDES = frozenset("左右上下")
_HAN_OFTEN = frozenset("一二三四五六七八九十上中下左右是否有無无不大小多少")


def _spaced(words: str) -> str:
    return " ".join(re.split(_BETWEEN, words))


def _spelled(form: str) -> str:
    """Return the pattern of a form; a single Chinese or Japanese character is accepted only next to a delimiter."""
    if form.isdecimal():
        return rf"(?<![\dA-Za-z])(?<!\d[.,]){form}(?:(?=\s?{_COUNTER})|{end_of(form)})"
    if form[0].isdecimal() and form[-1] > "\u3000":
        return rf"(?<![\d.,]){re.escape(form)}"
    if (goes_on := _GOES_ON.match(form)) is not None:
        return re.escape(goes_on[1])
    if form in _SIDES:
        return (
            rf"{start_of(form)}{form}{end_of(form)}|(?<=[向往朝]){form}(?=移|转|轉|平|方|拍|运)|"
            rf"{form}(?=(?:に|へ|方向|側)[^,.\s]{{0,6}}(?:移動|動い|動き|回|パン|向))"
        )
    if len(form) == 1 and _HAN.match(form) and form not in _HAN_OFTEN:
        return (
            rf"(?<=[\s\"'(,.是为為像]){form}(?![\u4e00-\u9fff])|{form}(?=[\s\"'),.色]|的[.,]|です|では|"
            rf"である|でしょう|だ|が|は|を|\Z)"
        )
    return start_of(form) + re.escape(form).replace(r"\ ", _BETWEEN).replace("ss", "(?:ss|ß)") + end_of(form)


_DIRECTION = re.compile(
    r"(?:\b(?:mov|turn|rotat|pann?|shift|fac|point|head|go|travel)\w*\s+(?:\w+ly\s+)?"
    r"(?:(?:from\s+(?:the\s+)?\w+\s+)?to(?:wards?)?\s+)?(?:the\s+|its\s+)?"
    r"|\b(?:direction|answer|answer\s+would\s+be)\s+(?:is\s+)?(?:to\s+)?(?:the\s+)?)\Z",
    re.I,
)
_IN_BRACKETS = re.compile(r"\b(?:counter-?\s?|anti-?\s?)?clockwise\s+\(\Z", re.I)
"""Text before a direction that explains a sense of rotation."""
_POSITION = re.compile(
    r"\b(?:is|are|was|'s|located|positioned|placed|sits?|stands?|lies?)\s+(?:\w+\s+)?(?:(?:on|to|at|in)\s+)?"
    r"(?:(?:the|its)\s+)?\Z",
    re.I,
)
_PART = re.compile(r"\s+(?:side|edge|half|part|corner|hand)\b")
_PLACE_ENDS = re.compile(r"\s*(?:[.,;!\n]|\Z|(?:hand\s+)?side\b|of\b)")


def _is_place(text: str, match: re.Match[str]) -> bool:
    """Return whether an everyday word such as "left" means the direction or position that an option states."""
    before = text[max(0, match.start() - 40) : match.start()]
    after = text[match.end() : match.end() + 12]
    if _IN_BRACKETS.search(before) and after.startswith(")"):
        return True
    if _DIRECTION.search(before):
        return _PART.match(after) is None
    return _POSITION.search(before) is not None and _PLACE_ENDS.match(after) is not None


# Inflected, counted and shortened words


def _telling(option: ReadableOption) -> tuple[str, ...]:
    """Return the stems of an option's words, excluding single Latin letters, which are names: "Point A"."""
    stems = dict.fromkeys(stems_of(option.words))
    return tuple(stem for stem in stems if len(stem) > 1 or not stem.isalpha() or stem > "z")


@lru_cache(maxsize=1 << 10)
def _rest_of_longer(options: tuple[ReadableOption, ...]) -> dict[str, frozenset[str]]:
    """Return, for each option whose words are part of another option's, the remaining words of that other option.

    A text that contains some of the remaining words may mean the longer option: "a cake" and "a cake and a knife".
    """
    stems = {option.key: frozenset(_telling(option)) for option in options if option.words}
    rest = {
        key: frozenset(stem for others in stems.values() if its < others for stem in others - its)
        for key, its in stems.items()
        if its
    }
    return {key: its for key, its in rest.items() if its}


_RELATIONS = frozenset(stems_of("behind under above below inside outside left right front next between over"))
"""Stems after which the order of an option's words matters: "behind the adult" is not "the adult is behind"."""
_PLACES = frozenset(stems_of("left right same one first second third fourth fifth last"))
"""Stems so common that they do not identify an option by themselves."""
PLACE_WORDS = _RELATIONS | _PLACES | frozenset(stems_of("both neither all none of side"))
"""Stems that mean an option only in the order of its words or by themselves."""
_WITHIN = 3
"""Largest number of other words among the words of an option."""
_TRIED = 200
"""Largest number of occurrences of an option's rarest word to try."""


@lru_cache(maxsize=1 << 10)
def _telling_stems(options: tuple[ReadableOption, ...]) -> dict[str, tuple[str, ...]]:
    """Return the stems that distinguish each option from all others, omitting options that have none."""
    worded = [
        o
        for o in options
        if o.words and not is_everyday(o.words) and not is_particle(o.words) and not COUNTED_PICTURE.fullmatch(o.words)
    ]
    stems = {option.key: _telling(option) for option in worded}
    shared = frozenset.intersection(*map(frozenset, stems.values())) if len(stems) > 1 else frozenset()
    own = {key: tuple(stem for stem in its if stem not in shared) for key, its in stems.items()}
    if all(own.values()):  # otherwise one option's words are part of all the others
        for key, its in stems.items():
            stems[key] = own[key] if not _PLACES.issuperset(own[key]) and _RELATIONS.isdisjoint(its) else its
    return {
        key: its
        for key, its in stems.items()
        if its and not any(set(its) <= set(others) for other, others in stems.items() if other != key)
    }


def _inflected(tokens: Sequence[StemmedWord], options: tuple[ReadableOption, ...]) -> Iterator[NamedOption]:
    """Yield spans in which all the stems of an option are close together."""
    places: dict[str, list[int]] = {}
    for number, token in enumerate(tokens):
        places.setdefault(token.stem, []).append(number)
    for key, stems in _telling_stems(options).items():
        if any(stem not in places for stem in stems):
            continue
        width = len(stems) if len(stems) == 1 else len(stems) + _WITHIN
        rarest = min(stems, key=lambda stem: len(places[stem]))
        for number in places[rarest][:_TRIED]:
            nearest = [min(places[stem], key=lambda place: abs(place - number)) for stem in stems]
            first, last = min(nearest), max(nearest)
            if last - first < width and (stems[0] not in _RELATIONS or nearest == sorted(nearest)):
                yield NamedOption(tokens[first].start, tokens[last].end, (key,), is_label=False, is_close=True)


def _counted(text: str, options: Sequence[ReadableOption]) -> Iterator[NamedOption]:
    """Yield number words of scripts without spaces, which are accepted only before a counter."""
    for option in options:
        for word in number_words(option.words) if option.words.isdigit() else ():
            if word[0] > "\u3000":
                for match in re.finditer(rf"(?<![十百第]){word}\s?(?={_COUNTER})", text):
                    yield NamedOption(match.start(), match.end(), (option.key,), is_label=False)


_LEAST_PIECES, _LEAST_SHARE, _MOST_OF_NEXT = 4, 0.6, 0.5
_LONG = 400
"""Largest length, in characters, of a sentence that is searched for a shortened option."""


def _shortened(text: str, options: tuple[ReadableOption, ...]) -> Iterator[NamedOption]:
    """Yield sentences with most of a long option's words and far fewer words of any other option."""
    pieces = {option.key: pieces_of(option.words) for option in options if option.words}
    if max(map(len, pieces.values()), default=0) < _LEAST_PIECES:
        return
    for start, end in pairwise([0, *sentence_ends(text), len(text)]):
        said = pieces_of(text[start:end][:_LONG])
        shares = sorted(((len(its & said) / len(its), key) for key, its in pieces.items() if its), reverse=True)
        (best, key), next_best = shares[0], shares[1][0] if len(shares) > 1 else 0.0
        if len(pieces[key]) >= _LEAST_PIECES and best >= _LEAST_SHARE and next_best <= _MOST_OF_NEXT * best:
            yield NamedOption(start, end, (key,), is_label=False, is_close=True, is_clause=True)


# Lists

_JOINER = re.compile(
    r"[)\]\"']*\s*(?:(?:,|/|&|\+|;)\s*)?(?:(?:(?:and|or|nor|y|o|e|ou|et|und|oder|sowie|и|или|और|या|أو|و|"
    r"и)(?![^\W\d_])|和|与|與|或者?|还是|還是|及|と|や|か|와|과|나|또는)\s*)?"
    r"(?:(?:both|also|the|a|la|le|die|the\s+other)\s+)?[(\[\"']*",
    re.I,
)
_OR = re.compile(r"[)\]\"']*,?\s+(?:or|oder|ou|или|या|أو)\s+(?:[^\W\d_]+\s+){0,2}[(\[\"']*", re.I)
_AND_ANOTHER = re.compile(r"[^.;:,\n]{0,40}\s(?:and|or)\s+[(\[]")
_OWN_WORDS = re.compile(r"[)\].:,\"'\s(\[-]{1,5}(?:(?:the|an?|which|is|it|i\.e\.|option)\s+)*[(\[\"']*")
_UNLIKE = re.compile(
    r"\b(?:unlike|(?:in\s+)?contrast\s+to|a\s+diferencia\s+de|contrairement\s+à|a\s+differenza\s+di|anders\s+als)"
    r"\s+(?:[^\W\d_]+\s+){0,2}\Z",
    re.I,
)
"""Text before an option that a comma separates from the one with which it is compared: "unlike B, A has ..."."""
_NEAR = 40
"""Largest number of characters between two options of one list."""


def grouped(text: str, found: Sequence[NamedOption], ends: Sequence[int]) -> list[NamedOption]:
    """Return the passages with lists such as "A, B and D" joined, and with labels joined to their option's words."""
    groups: list[NamedOption] = []
    for named in found:
        if groups and _belongs(text, groups[-1], named, ends):
            last = groups[-1]
            keys = tuple(dict.fromkeys((*last.keys, *named.keys)))
            groups[-1] = NamedOption(last.start, named.end, keys, last.is_label or named.is_label)
        else:
            groups.append(named)
    return groups


def _belongs(text: str, last: NamedOption, named: NamedOption, ends: Sequence[int]) -> bool:
    between = text[last.end : named.start]
    if len(between) >= _NEAR or "\n" in between or _UNLIKE.search(text, max(0, last.start - 24), last.start):
        return False
    if last.keys == named.keys and _OWN_WORDS.fullmatch(between):
        return last.is_label != named.is_label or "." not in between
    if last.keys != named.keys and (_OR.fullmatch(between) or (named.is_label and _AND_ANOTHER.fullmatch(between))):
        return True
    joined = named.is_label == last.is_label and _JOINER.fullmatch(re.sub(rf"(?i:\b{NOUN})\s*", "", between))
    return bool(joined) and bisect_right(ends, last.start) == bisect_right(ends, named.start)

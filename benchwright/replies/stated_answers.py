"""The answers that a reply states in a fixed form, in order of position.

A commitment is a passage in which a reply says "this is my answer": a boxed or tagged value, a JSON field, a phrase
such as "the answer is", a line with only a letter, or a label that opens the whole reply. Its letter is None if it
names no single option: a list, a choice between two, a letter not among the options.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .answer_lines import answer_lines, opens_list
from .answer_values import ANOTHER, AnswerValue, known, value_of
from .cue_languages import CONDITION, DENIED_AFTER, FIRM, SOFT, cues_in
from .marked_answers import marked
from .option_places import sentence_ends
from .option_words import NO, YES, LeadingOption, ReadableOption, is_particle, option_at_start
from .polarity_phrases import grammar_of
from .refusal_phrases import REFUSAL
from .reply_text import without_closing_aside
from .verdict_lists import Marking, listed

_FORMULAS = frozenset({"boxed", "json", "phrase", "table", "tag"})
"""Rules that state the answer, which makes lists of verdicts redundant."""
_PROSE = frozenset({"phrase", "held_true"})
"""Rules that read sentences, in which other words may make the match invalid."""


def stated_answers(text: str, options: Sequence[ReadableOption]) -> list[Marking]:
    """Return every commitment in a plain text, in order of position."""
    answers = [
        *_tagged(text, options),
        *_after_phrases(text, options),
        *answer_lines(text, options),
        *_lead(text, options),
        *_end(text, options),
        *_held_true(text, options),
        *(Marking(*marking) for marking in marked(text, options)),
    ]
    if not REFUSAL.search(text) and not any(answer.letter and answer.rule in _FORMULAS for answer in answers):
        answers += listed(text, options)
    standing = (answer for answer in answers if answer.rule not in _PROSE or _stands(answer.place, text))
    return sorted(standing, key=lambda answer: answer.place)


_BACK, _AHEAD = 160, 120
"""Numbers of characters before and after a passage that may make it invalid."""
_SENTENCE_END = re.compile(r"(?<=[^\W_]{2})[.!?;](?=\s)|\n")
_WOULD_BE = re.compile(r"\b(?:would|sería|seria|serait|wäre)\b", re.I)
_IF = re.compile(r"\b(?:if(?!\s+(?:i|we|you)\b)|in\s+case|assuming|provided\s+that|had)\b[^.!?\n]*\Z", re.I)


def _stands(place: int, text: str) -> bool:
    """Return whether a passage is a valid statement in its sentence, not a first thought or a supposition."""
    grammar = grammar_of(text)
    before = _SENTENCE_END.split(text[max(0, place - _BACK) : place])[-1]
    after, *later = re.split(r"[.!?]\s+", text[place : place + _AHEAD], maxsplit=1)
    turn = max((match.end() for match in grammar["but"].finditer(before)), default=0)
    if grammar["at_first"].search(before[turn:]):
        return False
    turns = any(grammar["but"].match(sentence) for sentence in later)
    return not (_WOULD_BE.search(before) and (turns or _IF.search(before) or _IF.search(after.strip(".!? "))))


# Tags, boxes and fields

_TAG = re.compile(
    r"[<\[](answer|final_answer|final|choice|option|response|result|output|solution|conclusion|verdict|"
    r"ans)[>\]](.{0,400}?)(?:[<\[]/\1[>\]]|\Z)"
    r"|\\boxed\s*\{([^{}]{0,200}(?:\{[^{}]{0,200}\}[^{}]{0,200})?)\}"
    r"|[\"'](?:final_?answer|answer|correct_?answer|choice|option|letter|label|prediction|selection|selected|"
    r"output)[\"']"
    r"\s*:\s*(\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'|\[[^\]\n]{0,300}\]|[^\s,{}\n]{1,40})",
    re.I | re.S,
)
_GOES_ON = re.compile(r"\s*[-+*/^=]\s*[\w(\\]")
"""Text after a number that is only the first part of a formula."""
_NAMES = re.compile(r"[\"'](?:label|option|letter|choice)[\"']", re.I)
"""Fields that every object in a list has."""


def _tagged(text: str, options: Sequence[ReadableOption]) -> Iterator[Marking]:
    names: set[str] = set()
    for match in _TAG.finditer(text):
        content = next(group for group in match.groups()[1:] if group is not None)
        value = value_of(content, options, whole=True)
        letter = value.letter if value and not _GOES_ON.match(value.rest) else None
        if _NAMES.match(match[0]):
            names.add(content)
            letter = letter if len(names) == 1 else None
        rule = "tag" if match[2] is not None else "boxed" if match[3] is not None else "json"
        yield Marking(match.start(), letter, rule)


# Phrases

_REACH = 400
"""Number of characters after a phrase in which its answer is searched for."""


def _after_phrases(text: str, options: Sequence[ReadableOption]) -> Iterator[Marking]:
    for phrases in (FIRM, *cues_in(text), SOFT):
        for match in phrases.finditer(text):
            ahead = text[match.end() : match.end() + _REACH]
            if match.end() == match.start() or CONDITION.search(text[max(0, match.start() - 60) : match.start()]):
                continue
            if phrases is SOFT and ahead.startswith("\n"):
                continue
            ahead = ahead.lstrip()
            sentence = re.split(r"\n\s*\n|(?<=[^\W_]{2})[.!?;](?=\s)", ahead, maxsplit=1)[0]
            value = None if ahead[len(sentence) :].startswith("?") else value_of(sentence, options, whole=False)
            if value is None or _is_denied(value, options) or opens_list(ahead[_line_of(value, sentence) :]):
                continue
            if _A_SHARE.match(value.rest) and sentence.count("%") > 1:
                continue
            if phrases is not SOFT or (value.letter and not value.words and _is_all(value, options)):
                yield Marking(match.end(), value.letter, "phrase")


_A_SHARE = re.compile(r"[\s:(=-]*\d{1,3}(?:[.,]\d+)?\s*%")


def _line_of(value: AnswerValue, sentence: str) -> int:
    """Return the start of the line that contains a value."""
    return sentence.rfind("\n", 0, max(0, len(sentence) - len(value.rest) - 1)) + 1


def _is_denied(value: AnswerValue, options: Sequence[ReadableOption]) -> bool:
    """Return whether the text after a label denies it; the option's own words ("false") or a new sentence do not."""
    own = option_at_start(value.rest.lstrip(")]\"'.: "), options)
    if own is not None and own.key == value.letter:
        return False
    return DENIED_AFTER.match(re.split(r"[.!?;]\s", value.rest, maxsplit=1)[0]) is not None


def _is_all(value: AnswerValue, options: Sequence[ReadableOption]) -> bool:
    """Return whether a label ends its clause or is followed by a reason or by the option's words."""
    if re.match(r"[)\]\"']*\s*(?:[.,;:!]|\Z|\n|because\b|since\b)", value.rest):
        return True
    named = option_at_start(value.rest.lstrip(")]\"'.:- "), options)
    return named is not None and named.key == value.letter


# Beginnings and ends

_LEAD = re.compile(
    r"\A[\s\"']*(?:[(\[]([A-Za-z])[)\]]|([A-Z])(?:[).:,;!]|\s*\n|\s+[-]\s|\s+(?:because|since)\b)|"
    r"([a-z])[).](?=\s|\Z))"
)
_LISTED = re.compile(r"(?:\A|\n|[.,;!?]\s)\s*[(\[]?([A-Z])(?:[)\]]|[.:]\s)|\s([A-Z])[.)]\s")
_END = re.compile(r"(?:[.?!:;][ \t]+|(?:→|->|=>|⇒)[ \t]*|(?<=[a-z]{2}),\s+)[(\[]?([A-Z])[)\]]?[.!]?\Z")
_PARTICLE_AT_END = re.compile(
    r"(?:[.,:;!?…-]|(?<![^\W\d_])(?:so|is|be|thus|therefore|hence|also|donc|es|ist|est))\s+([^\W\d_]+)[.!\"']*\s*\Z",
    re.I,
)
_ARROW_AT_END = re.compile(r"(?:→|->|=>|⇒)[ \t]*([^\n→>]{1,60}?)[.!]?\s*\Z")
_LABEL_ALONE = re.compile(r"\s*[(\[]?[A-Z][)\]]?\.\s+")
_NUMBER = re.compile(r"(?:\A|\n)\s*\d{1,2}\Z")
_TAIL = 240
"""Number of characters at the end of a reply that may contain its last sentence."""


def _lead(text: str, options: Sequence[ReadableOption]) -> Iterator[Marking]:
    """Yield the option with which the reply opens; a label that opens a list of the options is ignored."""
    match = _LEAD.match(text)
    if match is None:
        named = option_at_start(text[:_REACH], options)
        if named is not None and _closes(named):
            yield Marking(0, named.key, "lead")
        return
    letter = next(group for group in match.groups() if group).upper()
    rest = text[match.end() :]
    if DENIED_AFTER.match(rest):
        return
    if _echoes(rest, letter, options):
        return
    own_line = _OWN_PARAGRAPH.match(text, match.end())
    if own_line and (named := option_at_start(own_line[1], options)) and named.key == letter and not named.rest:
        following = _LISTED.match(text, own_line.end())
        if following is None or ord(following[1] or following[2]) != ord(letter) + 1:
            yield Marking(0, letter, "lead")
            return
    lists = opens_list(text) or (letter == "A" and any((m[1] or m[2]) != "A" for m in _LISTED.finditer(rest)))
    if lists or ANOTHER.match(text[match.end() - 1 :]) or ANOTHER.match(rest):
        yield Marking(0, None, "several")
    else:
        yield Marking(0, known(letter, options), "lead")


_OWN_PARAGRAPH = re.compile(r"[ \t]*([^\n]{1,200})\n[ \t]*\n\s*")
_NEXT_LABEL = re.compile(r"\W{0,3}\s*[(\[]([A-Z])[)\]]|\W{0,3}\s*([A-Z])[).]\s")


def _echoes(rest: str, letter: str, options: Sequence[ReadableOption]) -> bool:
    """Return whether the words of a label at the start of a text lead to another label, repeating the options."""
    words = next((option.words for option in options if option.key == letter), "")
    start = re.match(rf"[\s:.)]*{re.escape(words)}", rest, re.I) if words else None
    following = _NEXT_LABEL.match(rest, start.end()) if start else None
    return following is not None and (following[1] or following[2]) != letter


def _closes(named: LeadingOption) -> bool:
    """Return whether an option's words are a separate clause; yes and no are, because of their form."""
    return (
        is_particle(named.words)
        or re.match(r"\Z|\.|\s-|,?\s(?:because|since|as|weil|denn|porque|car)\b", named.rest) is not None
    )


def _end(text: str, options: Sequence[ReadableOption]) -> Iterator[Marking]:
    """Yield the letter, yes or no that makes up the last sentence or clause.

    Text after a lone label is that option's words.
    """
    text = without_closing_aside(text)
    tail = text[-_TAIL:]
    start = len(text) - len(tail)
    if match := _END.search(tail):
        is_words = _LABEL_ALONE.fullmatch(text[: start + match.start(1)].rstrip("(["))
        if not is_words and not REFUSAL.search(text) and not _NUMBER.search(tail[: match.start()]):
            yield Marking(start + match.start(1), known(match[1], options), "end")
    elif match := _ARROW_AT_END.search(tail):
        value = value_of(match[1], options, whole=True)
        if value and value.letter and not re.search(r"\w", value.rest):
            yield Marking(start + match.start(1), value.letter, "end")
    elif match := _PARTICLE_AT_END.search(tail):
        for option in options:
            if match[1].casefold() in option.forms and is_particle(option.words):
                yield Marking(start + match.start(1), option.key, "end")


# True and false

_SO_ABROAD = (
    r"daher|also|somit|folglich|por\s+(?:lo\s+)?tanto|por\s+eso|entonces|así\s+que|de\s+modo\s+que|donc|alors|então|assim|dunque|perciò|"
    r"portanto|logo|quindi|pertanto|dus|więc|zatem|"
    r"поэтому|следовательно|значит|لذلك|إذن|لذا|इसलिए|अतः|因此|所以|故|したがって|よって|そのため|따라서|그러므로|vì\s+vậy|jadi"
)
"""Words that draw a conclusion in languages other than English."""
_OF_ENGLISH = frozenset(
    {"yes", "no", "yeah", "yep", "yup", "nope", "nah", "so", "on", "is", "o", "e", "有", "对", "不"}
)
_STATEMENT = re.compile(
    r"\b(?:statement|claim|description|sentence|caption|assertion|proposition|hypothesis|it|this|that|"
    r"which)\s+(?:is|must\s+be|would\s+be|appears\s+to\s+be)\s+"
    r"(?:(?:therefore|thus|indeed|clearly|actually|definitely|hence)\s+)?(?P<no>not\s+)?(?:(?P<true>true|"
    r"correct|right|accurate)|(?P<false>false|incorrect|wrong|inaccurate|untrue))\b(?!\s*\?|\s+to\s)",
    re.I,
)
_YES_OR_NO_ABROAD = re.compile(
    rf"(?:[:.]\s+|(?<![^\W\d_])(?:{_SO_ABROAD})[,:]?\s*)"
    rf"({'|'.join(sorted((YES | NO) - _OF_ENGLISH, key=len, reverse=True))})"
    r"(?=[,.!]|\s-\s|\s*\Z)",
    re.I,
)
_YES_OR_NO = re.compile(
    r"(?:(?:\bcan\s+(?:tell|see),|[:.])\s+(?:(?:so|thus|therefore|hence),?\s+)?|\bso,?\s+)(yes|no)(?=[,.!]|\s-\s|\s*\Z)",
    re.I,
)


_IS_NOT = re.compile(
    r"\bthere\s+(?:is|are|was|were)(?:n't|\s+(?:no|not))\b(?!\s+one)|\b(?:it|he|she|they|this|that|\w+s?)\s+(?:(?:is|are|was|were|does|do)\s+not|"
    r"(?:is|are|was|were|does|do)n't)\s+(?!clear|certain|sure|possible|only|just|enough|known|easy|one\b)|\Ano\s+(?:\w+\s+){1,4}(?:is|are|can|"
    r"appears?)\b|\bist\s+(?:\w+\s+){0,2}(?:kein\w*|nicht)\s|\bno\s+(?:hay|se\s+ve|está|aparece)\b|\bil\s+n'y\s+a\s+(?:pas|aucun)|"
    r"\bn[ãa]o\s+(?:h[áa]|est[áa]|aparece|tem|existe|se\s+v[êe])\b|\b(?:нет|не\s+видно)\b|\bes\s+gibt\s+(?:hier\s+)?kein\w*\s|"
    r"\b(?:no\s+(?:tiene|existe|se\s+(?:aprecia|observa))|n'y\s+a\s+(?:pas|aucun)|non\s+(?:si\s+vede|compare))\b|لا\s+(?:يوجد|توجد|يظهر|تظهر)|नहीं\s+(?:है|हैं|दिख)|없(?:습니다|다|어요)|보이지\s*않|찾을\s*수\s*없|"
    r"\bnon\s+(?:c'è|ci\s+sono)\b|(?:没有|不是|并未|并没有)|(?:ていません|ではありません|写っていない|いません)",
    re.I,
)
_SO = re.compile(rf"(?:so|therefore|thus|hence|consequently|{_SO_ABROAD})", re.I)


_OF_PICTURE = re.compile(
    r"\b(?:image|picture|photo\w*|scene|bild|foto\w*|imagen|imagem|immagine|фото\w*|снимк\w*|картин\w*|изображени\w*|afbeelding|zdjęci\w*|gambar|resim\w*|"
    r"ảnh)\b|图|圖|画像|写真|사진|이미지|صورة|الصورة|चित्र|तस्वीर",
    re.I,
)


_IN_THE_NEGATIVE = re.compile(
    r"\b(?:answer|respuesta|réponse|antwort|resposta|risposta|ответ)\s+(?:\S+\s+){0,6}?(?:is|es|est|ist|é|è)\s+(?:\w+\s+){0,2}?"
    r"(?:(?P<no>negati[vf]\w*|négative)|(?:affirmati[vf]\w*|afirmati[vf]\w*|affermativ\w*|positiv[ea]?)\b)|"
    r"(?:答案|回答)(?:应该|應該)?是?(?:否定|肯定)的?|答えは(?:否定|肯定)的",
    re.I,
)
"""A yes or no that states the answer: "the answer is negative"."""


_OPENS_DENIED = re.compile(
    r"(?:n[ãa]o\s+(?:h[áa]|est[áa]|tem|existe|aparece)|no\s+(?:hay|tiene|se\s+ve|aparece)|il\s+n'y\s+a\s+(?:pas|aucun)|non\s+(?:c'è|ci\s+sono)|"
    r"es\s+gibt\s+kein\w*|нет)\s",
    re.I,
)
"""The beginning of a sole sentence stating, without a yes or no, that something is absent."""


def _last_sentence(text: str) -> str | None:
    """Return the last sentence, if it draws a conclusion or is the only sentence and states what the picture shows."""
    ends = [end for end in sentence_ends(text) if end < len(text.rstrip())]
    last = text[ends[-1] if ends else 0 :].lstrip()
    return last if _SO.match(last) or (not ends and (_OF_PICTURE.search(last) or _OPENS_DENIED.match(last))) else None


def _held_true(text: str, options: Sequence[ReadableOption]) -> Iterator[Marking]:
    """Yield yes or no if these are the options and the reply states whether the statement is true or false."""
    if len(options) != 2 or not all(is_particle(option.words) and option.words for option in options):
        return
    by_words = {word: option.key for option in options for word in option.forms}
    yes, no = by_words.get("true"), by_words.get("false")
    for match in _STATEMENT.finditer(text):
        if yes and no and not CONDITION.search(text[max(0, match.start() - 60) : match.start()]):
            holds = (match["no"] is None) != (match["true"] is None)
            yield Marking(match.start(), yes if holds else no, "held_true")
    if (sentence := _last_sentence(text)) is not None and no and _IS_NOT.search(sentence) and not REFUSAL.search(text):
        yield Marking(len(text) - len(sentence), no, "held_true")
    last = (sentence_ends(text[:-1]) or [0])[-1]
    for match in _IN_THE_NEGATIVE.finditer(text):
        if key := by_words.get("no" if match["no"] or "否定" in match[0] else "yes"):
            yield Marking(match.start(), key, "held_true")
    for match in (*_YES_OR_NO.finditer(text), *_YES_OR_NO_ABROAD.finditer(text, max(0, last - 2))):
        if key := by_words.get(match[1].lower()):
            yield Marking(match.start(), key, "held_true")

"""Letters and numbers of options in an item's own words that contradict its list of options.

The rules report options with a letter in their text (`(B) a fox` as option A), a question that lists options other than
the item's, and a question that states another number of options. A model that sees `A. (B) a fox` may answer with
either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from benchwright.records import LETTERS
from benchwright.texts.normalization import counted, normal

from ..wording.item_texts import text_key
from ..wording.number_words import NUMERALS
from ..wording.quantities import FOREIGN_NUMERALS
from .fault_rules import FaultRule, ItemFacts, ItemFault, excerpt

_CARRIED = re.compile(
    r"\s*(?:(?:option|choice|answer)\s+)?(?:[(\[]\s*(?P<inside>[A-Za-z]|\d{1,2})\s*[)\]][.:]?"
    r"|(?P<before>[A-Za-z]|\d{1,2})\s*(?:[).:、．）：]|\s-(?=\s)))\s*(?P<text>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_CARRIED_BARE = re.compile(r"\s*(?P<before>[A-Z])\s+(?P<text>\S.*)", re.DOTALL)
_LISTED = re.compile(
    r"(?:(?<=\s)|(?<=[\[(;,])|^)(?:\((?P<inside>[A-J])\)|(?P<before>[A-J])\s*[).:、．）：])\s*(?=\S)"
    r"|(?:(?<=\n)|^)[ \t]*(?P<line>[A-J])[ \t]+(?=\S)"
)
_LEAST_LISTED = 2
_NUMBERS = {
    word: number for word, number in (NUMERALS | FOREIGN_NUMERALS).items() if 2 <= number <= 10 and " " not in word
}
_NUMBER = rf"(?P<number>{'|'.join(sorted(_NUMBERS, key=len, reverse=True))}|[2-9]|10)"
_OPTIONS = r"(?:possible |given |listed |answer )?(?:options|choices|answers|alternatives|possibilities)"
_TEXTS = r"(?:statements|sentences|captions|descriptions|titles|phrases|words|explanations)"
_FOREIGN = r"(?:antworten|antwortmöglichkeiten|möglichkeiten|réponses|respuestas|opciones|alternativen|alternativas)"
_ELSEWHERE = r"(?!\s+(?:on|in|at|of|from|to|for)\s+(?:the|an?|this|that|his|her|their|its|each|every)\b)"
"""Not on a ballot, in a quiz or of a menu that the picture shows."""
_BELOW = r"(?:(?:given|listed|offered|shown|printed)\s+)?(?:below|above|here)"


def _number(name: str) -> str:
    return _NUMBER.replace("number", name)


_COUNTED = re.compile(
    rf"\b(?<!how many )(?:of|from|among|between|out of)\s+(?:the |these |those )?(?:following )?{_NUMBER}\s+"
    rf"{_OPTIONS}\b{_ELSEWHERE}"
    rf"|\bthese\s+{_number('these')}\s+(?:{_OPTIONS}|{_TEXTS})\b"
    rf"|\b(?<!how many )(?:of|from|among|between)\s+(?:the )?following\s+{_number('following')}\s+{_TEXTS}\b"
    rf"|\b(?<!how many )(?:of|from|among|between)\s+(?:the )?{_number('below')}\s+{_TEXTS}\s+{_BELOW}\b"
    rf"|\b{_number('given')}\s+{_OPTIONS}\s+(?:are|is)\s+(?:given|listed|shown below|below|offered)\b"
    rf"|\b(?:there are|you have|you are given|you get)\s+{_number('there')}\s+{_OPTIONS}\b{_ELSEWHERE}"
    rf"|\b(?:der|diesen|des|les|ces|de las|las|estas)\s+(?:folgenden )?{_number('foreign')}\s+"
    rf"{_FOREIGN}\b"
    rf"|{_number('chinese')}个?选项",
    re.IGNORECASE,
)
_OF_SENTENCES = re.compile(
    rf"\bwhich (?:one )?of the {_NUMBER} (?:statements|sentences|captions|descriptions)\b{_ELSEWHERE}", re.IGNORECASE
)
"""Counts options only if all of these are sentences."""
_SENTENCE = re.compile(r"\S+(?: \S+){2,}|.*[.!]\s*", re.DOTALL)
_OR = r"(?:or|oder|ou|o|u|或|to|bis|–|-)"
_LETTER = r"\(?[A-J]\)?"
_LETTER_LIST = rf"\(?A\)?(?:\s*[,、/]\s*{_LETTER})*(?:\s*,?\s*(?:and|und|et|y|或|{_OR})\s*{_LETTER})?"
_ANSWER_WITH = r"(?:answers?|reply|respond|enter|type|write)\b"
_NAMED_LETTERS = re.compile(
    rf"\b(?:options?|choices?|{_ANSWER_WITH}(?: (?:only|just|please))*(?: with| by)?|choose(?: from| among| between)?|"
    r"select(?: from| among| between)?|pick(?: from)?|antwort(?:en|e)?(?: sie)?(?: mit)?|"
    rf"wähle?n?(?: aus)?|réponses?|choisissez|letters?|"
    rf"respuestas?|opci(?:ón|ones)|elige)[:\s]+(?:one of |from |among |between |entre |"
    rf"zwischen |(?:a |one |the )?(?:single |capital )?letters? (?:from |of |among |between )?)?"
    rf"(?P<named>{_LETTER_LIST})(?!\w)"
    rf"|\((?:\w+ )?(?P<aside>A(?:\s*,\s*[B-J])*\s*,?\s+(?:or|oder|ou|o)\s+[B-J])\)"
    r"|\b(?:letter|answer|option|choice)\s+\((?P<after>A(?:\s*[,/]\s*[B-J])+)\)"
    r"|[.?!]\s*[(\[](?P<last>A\s*[-–]\s*[B-J])[)\]]\W*$"
    r"|从\s*(?P<chinese>A(?:\s*[、,，]\s*[B-J])+)\s*中",
    re.IGNORECASE,
)
_PICTURED_LETTERS = re.compile(
    r"\b(?:word|spell\w*|alphabet|points?|vertex|vertices|labell?ed|marked)\b", re.IGNORECASE
)
_NAMED_NUMBERS = re.compile(
    rf"\b{_ANSWER_WITH}(?: (?:only|just|please))*(?: with| by)?(?: (?:a|one|the|its|single))*(?: (?:number|digit))?s?"
    r"(?: from| between| of)?[:\s]+1(?P<listed>(?:\s*,\s*\d)*\s*,?)\s*(?:to|and|or|-|–)\s*(?P<to>\d)(?![\d.,]\d|\d)"
    r"|\b(?:options?|answers?|choices?|statements?|captions?|descriptions?)\s*\(1\s*(?:to|-|–)\s*(?P<aside>\d)\)",
    re.IGNORECASE,
)
"""Numbers of options: `answer with a number from 1 to 5`, `enter 1, 2 or 3`, `which caption (1 to 3)`."""
_ALL_OR_NONE = re.compile(r"\b(?:none|all|both|neither|cannot|can't|unknown|not sure|unanswerable)\b", re.IGNORECASE)


def carried_letters(texts: Sequence[str]) -> list[tuple[int, str]] | None:
    """Return the index that each option states, from 0, with the text after it; None if any option states none.

    A letter or number counts if all options have one in the same form, and together these are the positions in the
    list. A bare letter counts only if the following texts differ: `A minor` and `B minor` are musical keys.
    """
    for pattern in (_CARRIED, _CARRIED_BARE):
        matches = [match for text in texts if (match := pattern.fullmatch(text)) is not None]
        if len(matches) < len(texts):
            continue
        marks = [str(match.groupdict().get("inside") or match["before"]) for match in matches]
        rests = [match["text"] for match in matches]
        if len({mark.isdigit() for mark in marks}) > 1 or len({normal(rest) for rest in rests}) < len(rests):
            continue
        places = [int(mark) - 1 if mark.isdigit() else LETTERS.find(mark.upper()) for mark in marks]
        if sorted(places) == list(range(len(texts))):
            return list(zip(places, rests, strict=True))
    return None


def _carried(facts: ItemFacts) -> Iterator[ItemFault]:
    """Yield a fault if options carry letters other than their own."""
    carried = carried_letters([str(choice.text) for choice in facts.worded])
    if carried is None or len(facts.worded) < len(facts.item.choices):
        return
    wrong = [
        (choice, LETTERS[place])
        for (n, choice), (place, _) in zip(enumerate(facts.worded), carried, strict=True)
        if place != n
    ]
    if wrong:
        choice, letter = wrong[0]
        of_key = next((letter for choice, letter in wrong if choice is facts.right), None)
        yield ItemFault(
            f"Option {choice.key} calls itself {letter}: {excerpt(str(choice.text))!r}"
            + (f"; the right one, {facts.item.right_key}, calls itself {of_key}." if of_key else "."),
            {"options": {each.key: each.text for each, _ in wrong}},
            "high" if of_key else "medium",
        )


def listed_options(question: str) -> list[str]:
    """Return the options that a question itself lists under A, B, C, ..., in order; empty if it lists none.

    Example:
        >>> listed_options("Which is it? (A) a fox (B) a hen")
        ['a fox', 'a hen']
    """
    found: list[re.Match[str]] = []
    for match in _LISTED.finditer(question):
        letter = match["inside"] or match["before"] or match["line"]
        if letter == LETTERS[len(found)]:
            found.append(match)
        elif letter == "A":
            found = [match]
    ends = [*(match.start() for match in found[1:]), len(question)]
    texts = [question[match.end() : end].strip(" \t\n;,[(") for match, end in zip(found, ends, strict=False)]
    if texts:
        texts[-1] = texts[-1].split("\n")[0].rstrip(" ])" if texts[-1].count(")") > texts[-1].count("(") else " ]")
    return texts


def _listed(facts: ItemFacts) -> Iterator[ItemFault]:
    """Yield a fault if a question lists its options under other letters, or lists others than the item has."""
    listed = [text_key(text.rstrip(".")) for text in listed_options(facts.item.question)]
    own = [text_key((choice.text or "").rstrip(".")) for choice in facts.item.choices]
    if len(listed) < _LEAST_LISTED or len(listed) != len(own) or 2 * sum(text in own for text in listed) < len(own):
        return
    differing = [n for n, (text, other) in enumerate(zip(listed, own, strict=True)) if text != other]
    if not differing:
        return
    n = differing[0]
    of_key = any(LETTERS[place] == facts.item.right_key for place in differing)
    yield ItemFault(
        f"The question lists {listed[n][1]!r} as {LETTERS[n]}, but option {LETTERS[n]} is "
        f"{facts.item.choices[n].text!r}.",
        {"letters": [LETTERS[place] for place in differing], "question": excerpt(facts.item.question, around=120)},
        "high" if of_key else "medium",
    )


def _miscounted(facts: ItemFacts) -> Iterator[ItemFault]:
    """Yield a fault if a question states a number of options other than the item's."""
    number, words = _stated_number(facts.item.question, [str(choice.text or "") for choice in facts.item.choices])
    has = len(facts.item.choices)
    if number is None or number == has:
        return
    besides = sum(_ALL_OR_NONE.search(choice.text or "") is not None for choice in facts.item.choices)
    if has - besides <= number < has:
        return  # `none of these` is in addition to the options that the question counts
    yield ItemFault(
        f"The question mentions {counted(number, 'option')} ({words!r}), but the item has {has}: an option is "
        "missing, superfluous, or the question was not updated.",
        {"question": excerpt(facts.item.question), "stated": number, "options": has},
    )


def _stated_number(question: str, texts: Sequence[str]) -> tuple[int | None, str]:
    """Return the number of options that a question states, and its words for the number; None if there are none."""
    counts = _COUNTED.search(question) or (_OF_SENTENCES.search(question) if all(map(_is_sentence, texts)) else None)
    if counts is not None:
        number = next(group for group in counts.groups() if group)
        return _NUMBERS.get(number.casefold()) or int(number), counts.group()
    if (match := _NAMED_LETTERS.search(question)) is not None:
        names = str(next(group for group in match.groups() if group))
        if (last := _last_of(names)) is not None and not _are_pictured(match, question):
            return last, match.group()
    if (match := _NAMED_NUMBERS.search(question)) is not None and not any(map(_has_number, texts)):
        return int(match["to"] or match["aside"]), match.group()
    return None, ""


def _are_pictured(match: re.Match[str], question: str) -> bool:
    """Return whether letters may denote words or points in the picture rather than options."""
    is_vague = match["last"] is not None or match.group().lower().startswith("letters")
    return is_vague and _PICTURED_LETTERS.search(question) is not None


def _last_of(names: str) -> int | None:
    """Return the position, from 1, of the last letter of a list or range that begins at A; None if it is neither."""
    letters = re.findall(r"(?<![A-Za-z])[A-J](?![A-Za-z])", names.upper())
    is_range = len(letters) == _LEAST_LISTED and re.search(r"(?:\bto\b|\bbis\b|–|-)", names) is not None
    if len(letters) > 1 and (letters == list(LETTERS[: len(letters)]) or (is_range and letters[0] < letters[1])):
        return LETTERS.index(letters[-1]) + 1
    return None


def _is_sentence(text: str) -> bool:
    return _SENTENCE.fullmatch(text) is not None


def _has_number(text: str) -> bool:
    return any(sign.isdigit() for sign in text) or any(word in NUMERALS for word in normal(text).split())


RULES = (
    FaultRule(
        "option_carries_other_letter",
        "options",
        "medium",
        "options carry letters or numbers (`(B) a fox`) that differ from their places; high if the right one does",
        _carried,
        ("options",),
        certainty="certain",
    ),
    FaultRule(
        "question_lists_other_options",
        "options",
        "medium",
        "the question lists options by letter, and one differs from the item's option; high if it is the key's letter",
        _listed,
        ("options",),
    ),
    FaultRule(
        "options_miscounted",
        "options",
        "medium",
        "the question states a wrong number of options: `one of the five answers`, `answer with A, B or C` or `enter a "
        "number from 1 to 5` for an item with four",
        _miscounted,
        certainty="possible",
    ),
)

"""Requirements of the gap in an unfinished English sentence, from the words before it, and options that violate them.

`The patient was diagnosed ___` takes `with …`, `By 1900 the population had ___` a participle, `a pair of ___` a noun
phrase. A gap is described only if the words before it are unambiguous. An option is excluded only if no reading of its
words fits the gap.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Literal, NamedTuple

from ..wording.blanks import BLANK
from ..wording.word_forms import forms_of
from .phrase_forms import (
    DETERMINERS,
    MODALS,
    OF_ONE_VERB,
    OF_SEVERAL_VERB,
    PREPOSITIONS,
    VERBAL,
    phrase_forms,
)

Clue = Literal["number", "tense", "words"]
"""What a gap's requirement is based on: the number of a noun, the form of a verb, or the kind of phrase."""


class Gap(NamedTuple):
    """The requirement of a gap.

    Args:
        words: The words before the gap that show the requirement.
        clue: What the requirement is based on.
        takes: Function from a phrase's forms and words to whether it fits.
    """

    words: str
    clue: Clue
    takes: Callable[[frozenset[str], str], bool]


_NOUN = frozenset(["one", "several"])
_FINITE_ONE = frozenset(["third", "past", "modal", "auxiliary one", "auxiliary past"])
_FINITE_SEVERAL = frozenset(["base", "past", "modal", "auxiliary several", "auxiliary past"])
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W_]+)*|\d+")
_ADVERBS = frozenset(["not", "just", "already", "never", "now", "still", "also", "often", "usually", "always", "mostly",
                      "recently", "currently", "soon", "then", "only", "both", "all", "probably", "clearly",
                      "about"])  # fmt: skip
_GOVERNS = {
    word: frozenset(prepositions.split())
    for words, prepositions in (
        ("depend depends depended depending relies rely relied insist insists insisted concentrate concentrates "
         "concentrated focus focuses focused based", "on upon"),
        ("consist consists consisted made full afraid proud aware tired capable fond accused short composed", "of"),
        ("interested involved specializes specialized succeeds succeeded resulted results engaged located", "in"),
        ("diagnosed covered filled equipped decorated associated compared satisfied pleased", "with"),
        ("belong belongs belonged similar addicted allergic attached opposed related devoted", "to"),
        ("differ differs differed suffers suffer suffered derived protected separated escaped", "from"),
        ("waits waiting wait famous responsible apologizes apologized searching looking known", "for"),
        ("arrives arrived arriving staring stares laughing laughs aimed", "at in by on from"),
        ("divided turned transformed converts converted", "into in by"),
    )
    for word in words.split()
}  # fmt: skip
"""Words, each with the prepositions that can follow it."""
_ALSO_WITHOUT = frozenset(["turned", "located", "known", "compared", "looking", "arrives", "arrived", "arriving",
                           "made",
                           "covered", "filled", "results", "resulted", "aimed", "protected", "searching", "full",
                           "tired",
                           "focused", "converted", "converts", "transformed", "separated", "escaped"])  # fmt: skip
"""Those of these words after which another preposition, or none, may also follow."""
_TO_AND_NOUN = re.compile(
    r"\b(?:forward|accustomed|addicted|devoted|opposed|objects?|objected|similar|next|close|due|according|thanks|belongs?"
    r"|leads?|led|refers?|compared|in addition|with regard) to$"
)
_TO_AND_VERB = re.compile(
    r"\b(?:(?:is|are|was|were|be) (?:about|going|able|ready|supposed|allowed|meant|expected|seen|said|likely|set|due|"
    r"designed|trying|beginning|starting|unable|made|known|forced)|wants?|wanted|tries|tried|begins?|began|starts?|needs?|"
    r"hopes?|plans?|decides?|decided|has|have|had|seems?|appears?|helps?|in order|learn(?:s|ed|t)?|refuses?|refused|"
    r"manages?|managed|able|about|ready|going) to$"
)
_NAMED = re.compile(r"\b(?:called|named|termed|known as|referred to as|the name of)$")
_IF = re.compile(r"^if\b[^,]*\b(?:were|had|did|[a-z]+ed)\b[^,]*,")
_RELATIVE = re.compile(r"\b(?:that|which|who)\b")
_BEGINNING = re.compile(
    r"[:;.?!]\s+|\b(?:shows?|says?|means?|reveals?|indicates?|suggests?|proves?|tells? us|see|seen) that "
)
_CLAUSE = re.compile(
    r"[,;:.?!]\s+|\b(?:shows?|says?|means|because|when|while|and|but|so|reveals?|indicates?) (?:that )?|\bthat "
)
_NUMBERS = "two|three|four|five|six|seven|eight|nine|ten|both|these|those|several|many|few|all|most|some|twins?"
_SUBJECT_OF_SEVERAL = re.compile(
    rf"^(?:(?:the |these |those |her |his |its |their )?(?:{_NUMBERS}|\d+)(?: of (?:the|these|its|their|his|her|"
    rf"them|us))?"
    r"(?: [a-z-]+){0,3}|they|we)(?: (?:both|all|now|usually|often|also|never))?$"
)
_SUBJECT = re.compile(
    r"^(?P<determiner>the|this|that|each|every|a|an|his|her|its|their|these|those|one)(?: of the (?:[a-z]+ )?[a-z]+s)?"
    r"(?P<words>(?: [a-z'-]+){0,5})$|^(?P<pronoun>he|she|it)$"
)
_ADVERB_OF_TIME = re.compile(r"^(?:by|in|on|at|yesterday|today|tomorrow|last|every|after|before|during|as) [^,]*,\s*")


def gap_of(question: str) -> Gap | None:
    """Return the requirement of a question's gap, written `___`; None if the words before it do not show it.

    Example:
        >>> gap = gap_of("By 1900 the population had ___.")
        >>> gap.words, gap.takes(phrase_forms("doubled"), "doubled"), gap.takes(phrase_forms("halve"), "halve")
        ('had', True, False)
    """
    before, blank, after = question.partition(BLANK)
    if not blank or BLANK in after:
        return None
    left = " ".join(before.replace("’", "'").casefold().split()).rstrip("\"'“” :")
    words = _WORD.findall(left)
    while len(words) > 1 and words[-1] in _ADVERBS and words[-1] not in ("about", "both", "all"):
        words.pop()
    if not words:
        return None
    is_last = re.search(r"\w", after) is None
    if not is_last and (special := _by_agent(question) or _than(question)) is not None:
        return special
    return next((gap for way in _WAYS if (gap := way(left, words, is_last)) is not None), None)


def _is_one_of(forms: frozenset[str], _: str, *, wanted: tuple[str, ...]) -> bool:
    return _has(forms, *wanted)


def _has(forms: frozenset[str], *any_of: str) -> bool:
    return not forms.isdisjoint(any_of)


def _after_determiner(_: str, words: list[str], is_last: bool) -> Gap | None:
    last = words[-1]
    if last not in DETERMINERS or last in ("that", "all", "both", "any", "no", "much", "more", "most"):
        return None
    if last == "her" and _OWNED.search(" ".join(words)) is None:
        return None  # `gave her ___`
    of_several = last in ("these", "those", "many", "several", "few", "both")
    number = "several" if of_several else "one" if last in ("a", "an", "this", "each", "every", "another") else ""
    if last in ("the", "his", "her", "its", "their") and words[-2:-1] and words[-2] in _BE:
        number = _BE[words[-2]]

    def takes(forms: frozenset[str], _: str) -> bool:
        if "determined" in forms:
            return False
        return _has(forms, *([number] if number and is_last else _NOUN), "adjective")

    return Gap(" ".join(words[-2:]), "number" if number else "words", takes)


def _than(question: str) -> Gap | None:
    """Return a gap before `than`, which takes a comparative."""
    if re.search(rf"\b(?:is|are|was|were|looks?|seems?)(?: much| a (?:bit|little))? {BLANK} than\b", question) is None:
        return None
    return Gap(
        "… than", "words", lambda _, text: re.match(r"(?:\w+er|more|less|better|worse|farther)\b", text) is not None
    )


def _after_object(left: str, _: list[str], __: bool) -> Gap | None:
    """Return the form of a verb that follows a verb with its object: `asked her son to`, `saw the man …ing`."""
    for pattern, forms in _WITH_OBJECT:
        if (match := pattern.search(left)) is not None:
            return Gap(match.group(), "tense", partial(_is_one_of, wanted=forms))
    return None


_OBJECT = r" (?:him|them|me|us|(?:the|his|her|their|a|an|its) (?:[a-z]+ )?[a-z]+)$"
_WITH_OBJECT = (
    (re.compile(r"\b(?:ask(?:s|ed)?|told|tells?|wants?|wanted|allow(?:s|ed)?|order(?:s|ed)|taught|forc(?:es|ed)"
                r"|invit(?:es|ed)"
                r"|persuad(?:es|ed)|encourag(?:es|ed)|advis(?:es|ed)|remind(?:s|ed)|enabl(?:es|ed))" + _OBJECT),
     ("to",)),
    (re.compile(r"\b(?:lets?|makes)" + _OBJECT), ("base",)),
)  # fmt: skip
_OWNED = re.compile(
    r"\b(?:on|off|of|in|with|from|into|lost|holding|wearing|washing|washes|brush\w*|open\w*|clos\w*|is|are|combing|using|"
    r"under|behind|raises|raising|points?|pointing|broke|broken|feeding|feeds|walking) her$"
)
_AIMS = re.compile(r"\b(?:aim|goal|purpose|job|task|idea|plan|function|role|way|wish|rule|intention|dream|duty)\b")


def _after_one(_: str, words: list[str], is_last: bool) -> Gap | None:
    if (
        words[-1] not in ("one", "single")
        or not is_last
        or words[-2:-1] not in (["only"], ["just"], ["a"], ["exactly"])
    ):
        return None
    return Gap(" ".join(words[-2:]), "number", lambda forms, _: "determined" not in forms and _has(forms, "one"))


def _after_transitive(left: str, words: list[str], is_last: bool) -> Gap | None:
    if words[-1] not in _TRANSITIVE or not is_last:
        return None
    return Gap(_excerpt(left), "words", lambda forms, _: _has(forms, "one", "several", "adjective"))


def _by_agent(question: str) -> Gap | None:
    """Return a gap before `by …`, which takes a passive if a subject precedes it."""
    match = re.match(rf"(?:.*[.:;,?!] )?(?:the|a|an|this|these|those|his|her) [a-z -]+ {BLANK} by (?:the|a|an|two|"
        rf"three|his|her) ",
                     question.casefold())  # fmt: skip
    if match is None:
        return None
    return Gap("by …", "tense", lambda _, text: _PASSIVE.search(text.casefold()) is not None)


_PASSIVE = re.compile(r"\b(?:is|are|was|were|be|been|being|gets?|got)\b(?: \w+ly)? \w+|^\w+(?:ed|en|wn)$")
_BE = {"is": "one", "was": "one", "are": "several", "were": "several"}
_TRANSITIVE = frozenset(["laid", "holding", "wearing", "carrying", "caught", "holds", "wears", "carries", "contains",
                         "resembles", "represents", "depicts", "uses", "lacks", "needs", "bought", "carried",
                         "wore"])  # fmt: skip
"""Verbs that require an object."""


def _after_to(left: str, words: list[str], _: bool) -> Gap | None:
    if words[-1] != "to":
        return None
    if _TO_AND_NOUN.search(left):
        return Gap(_excerpt(left), "tense", lambda forms, _: _has(forms, "one", "several", "ing"))
    if _TO_AND_VERB.search(left):
        return Gap(_excerpt(left), "tense", lambda forms, _: _has(forms, "base"))
    return None


def _after_preposition(_: str, words: list[str], __: bool) -> Gap | None:
    last = words[-1]
    if last not in PREPOSITIONS - {"as", "like", "out", "up", "down", "off", "over", "after", "before", "since",
    "until",
                                   "past", "next", "below", "above", "about"}:  # fmt: skip
        return None
    if len(words) > 1 and words[-2:] == ["used", "for"]:
        return Gap("used for", "words", lambda forms, _: _has(forms, "one", "several", "ing") and "base" not in forms)
    return Gap(
        " ".join(words[-2:]),
        "words",
        lambda forms, _: _has(forms, "one", "several", "ing") or (forms <= {"adjective", "adverb"} and bool(forms)),
    )


def _after_modal(_: str, words: list[str], __: bool) -> Gap | None:
    if words[-1] in MODALS | {"did", "didn't", "doesn't", "don't"}:
        return Gap(words[-1], "tense", lambda forms, _: _has(forms, "base"))
    return None


def _after_perfect(left: str, words: list[str], is_last: bool) -> Gap | None:
    last = words[-1]
    if last not in ("has", "have", "had"):
        return None
    of_verb = is_last is False or re.search(r"\b(?:just|already|never|recently|since|by \d{4})\b", left) is not None
    allowed = {"participle"} if of_verb else {"participle", "determined", "one", "several"}
    return Gap(last, "tense", lambda forms, _: _has(forms, *allowed))


def _after_be(left: str, words: list[str], _: bool) -> Gap | None:
    """Return the requirement after `is` or `are`: a noun phrase must have the verb's number."""
    last = words[-1]
    if last not in ("is", "are", "was", "were"):
        return None
    number = "one" if last in ("is", "was") else "several"
    others = ("ing", "participle", "adjective", "adverb", *(["to"] if _AIMS.search(left) else []))
    noun_only = len(words) > 1 and words[-2] == "there"

    def takes(forms: frozenset[str], text: str) -> bool:
        if any(form.startswith("preposition") for form in forms) or (_has(forms, *others) and not noun_only):
            return True
        return number in forms and not (noun_only and number == "several" and re.match(r"an? |one\b", text.casefold()))

    return Gap(last, "number", takes)


def _named(left: str, _: list[str], __: bool) -> Gap | None:
    if not _NAMED.search(left):
        return None
    return Gap(
        _excerpt(left), "words", lambda forms, _: _has(forms, "one", "several", "adjective") and "clause" not in forms
    )


def _governed(_: str, words: list[str], __: bool) -> Gap | None:
    """Return the preposition that a word requires: `depends` requires `on`."""
    last = words[-1]
    if last not in _GOVERNS or last in _ALSO_WITHOUT:
        return None
    wanted = [f"preposition {preposition}" for preposition in _GOVERNS[last]]
    return Gap(last, "words", lambda forms, _: _has(forms, *wanted))


def _after_subject(left: str, words: list[str], _: bool) -> Gap | None:
    """Return the verb that a subject requires, if the words before the gap are a subject without a verb."""
    condition = _IF.match(left)
    if condition is not None and not _verbs(left[condition.end() :].strip()):
        return Gap(
            f"{condition.group()[:30]}…",
            "tense",
            lambda _, text: re.match(r"(?:would|could|might|should)\b", text.casefold()) is not None,
        )
    left = _BEGINNING.split(left)[-1].strip()
    clause = _ADVERB_OF_TIME.sub("", left if _RELATIVE.search(left) else _CLAUSE.split(left)[-1].strip()).strip()
    number = _number_of_subject(clause) or _bare_number(clause)
    if number is None and _RELATIVE.search(left):
        number = _number_before_relative(left)
    if number is None:
        return None
    fits = _FINITE_ONE if number == "one" else _FINITE_SEVERAL
    words_of = clause if len(clause) < _LONGEST_SHOWN else f"…{clause[-36:]}"
    return Gap(words_of or words[-1], "number", lambda forms, _: _has(forms, *fits))


_LONGEST_SHOWN = 40


def _number_before_relative(left: str) -> str | None:
    """Return the number of a subject with a relative clause, `the lava that flows down`; or of the noun in
    `that profits`.
    """
    head, relative = _RELATIVE.split(left, maxsplit=1)
    head, relative = re.split(r"[.?!;:]\s+", head)[-1].strip(" ,"), relative.strip()
    is_whole = relative.endswith(",") or len(_verbs(relative)) == 1
    if is_whole and re.match(r"(?:the|this|these|those|a|an)\b", head) and (of := _number_of_subject(head)) is not None:
        return of
    return _number_of_subject(relative.strip(" ,")) or _bare_number(relative.strip(" ,"))


def _number_of_subject(clause: str) -> str | None:
    if _SUBJECT_OF_SEVERAL.match(clause) and not _verbs(clause):
        return "several"
    if (match := _SUBJECT.match(clause)) is None:
        return None
    if match["pronoun"]:
        return "one"
    rest = match["words"].split()
    if match["determiner"] in ("each", "every", "one"):
        return "one" if not _verbs(" ".join(rest[1:])) else None
    is_whole = bool(rest) and not _verbs(" ".join(rest[1:])) and not ("third" in forms_of(rest[-1]) and len(rest) > 1)
    return _number_of_noun(rest) if is_whole else None  # `stands` may be a verb in `the oldest house stands`


def _number_of_noun(words: list[str]) -> str | None:
    head = next((words[at - 1] for at, word in enumerate(words) if at and word in PREPOSITIONS), words[-1])
    forms = forms_of(head.replace("'s", ""))
    if "singular" in forms and not forms & {"past", "participle", "ing"}:
        return "one"
    return "several" if "plural" in forms else None


def _bare_number(clause: str) -> str | None:
    """Return `several` for a bare plural noun, as in `it shows that profits`."""
    forms = forms_of(clause) if clause.isalpha() else frozenset[str]()
    return "several" if "plural" in forms else None


def _verbs(clause: str) -> list[str]:
    """Return the words of a clause that can only be verbs, or that occur where nouns do not."""
    found = []
    for word in _WORD.findall(clause):
        forms = forms_of(word)
        if (
            word in OF_ONE_VERB | OF_SEVERAL_VERB | MODALS
            or (forms & (VERBAL - {"ing"}) and not forms - VERBAL)
            or ("third" in forms and not forms & {"singular"} and word not in ("s",) and "plural" not in forms)
        ):
            found.append(word)
    if not found:  # of a relative clause the first word is its verb: `that flows down the slope`
        first = _WORD.findall(clause)[:1]
        found += [word for word in first if forms_of(word) & {"third", "past"}]
    return found


def _excerpt(left: str) -> str:
    return " ".join(left.split()[-3:])


_WAYS: tuple[Callable[[str, list[str], bool], Gap | None], ...] = (
    _named, _after_to, _after_one, _after_determiner, _after_transitive, _governed, _after_preposition, _after_modal,
    _after_perfect, _after_be, _after_object, _after_subject,
)  # fmt: skip


@lru_cache(maxsize=1 << 10)
def fitting(question: str, texts: tuple[str, ...]) -> tuple[Gap, list[int]] | None:
    """Return the gap of a question and the indices of the options that fit; None if the gap is unknown.

    Also None if the form of an option is unknown.
    """
    if (gap := gap_of(question)) is None:
        return None
    forms = [phrase_forms(text) for text in texts]
    if not all(forms):
        return None
    return gap, [place for place, (of, text) in enumerate(zip(forms, texts, strict=True)) if gap.takes(of, text)]

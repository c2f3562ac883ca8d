"""Rules that need a WordNet: options that mean the same, include the right one, or differ in kind from the others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial

from benchwright.records import Choice

from ..answer_kinds.asked_kinds import asks_for_a_word, kinds_asked_for
from ..answer_kinds.mismatches import odd_option
from ..answer_kinds.option_kinds import kinds_of
from ..item_faults.fault_rules import FaultRule, ItemFacts, ItemFault
from ..item_faults.unanswerable import some_fault, unanswerable_faults
from ..wording.formulas import formula_key
from ..wording.odd_options import says_nothing_else
from ..wording.quantities import quantity
from .common_kinds import OWN_FIELDS, far_from_asked, option_apart
from .noun_kinds import wider_kinds_of
from .phrases import Phrase, are_contrasted, is_open, phrase_of, relation
from .wordnet import Synset, WordNet

_LEAST_OF_KIND = 3
_MAIN_SENSES = 2
_MANY = 16
"""Number of kinds for which a question asks, above which it is too vague to be judged."""
_LONGEST = 4
"""Largest number of words of an option whose main word determines its kind."""
_ROMAN = re.compile(r"[IVXLCDM]+")
_ASKS_SMALLEST = re.compile(
    r"\b(?:smallest|narrowest|lowest|most (?:specific|precise|exact))\b(?: \w+)? (?:group|taxon|categor|class|rank|set|"
    r"name|term|descri|kind|type)",
    re.IGNORECASE,
)
"""Questions that ask for the most specific of several right options."""
_NAMED_KIND = re.compile(r"\b(?:what|which)(?: (?:kind|type|sort) of)? ((?:[a-z-]+ )?[a-z-]+)\b", re.IGNORECASE)


def _pairs(facts: ItemFacts, wordnet: WordNet) -> Iterator[ItemFault]:
    right = facts.right
    by_value = {each.key for each in facts.worded if _has_value(each.text or "")}
    phrases = {choice.key: phrase_of(choice.text or "", wordnet) for choice in facts.worded}
    told: set[frozenset[str]] = set()
    for first in facts.worded:
        for second in facts.worded:
            pair = frozenset((first.key, second.key))
            if first is second or pair in told or pair & by_value:
                continue
            if are_contrasted(phrases[first.key], phrases[second.key]):
                continue
            related = relation(phrases[first.key], phrases[second.key], wordnet)
            if related is None or (related[0] != "same" and first is not right):
                continue
            if related[0] != "same" and _ASKS_SMALLEST.search(facts.item.question):
                continue
            if _is_plain_kind(phrases, (first.key, second.key)):
                continue
            if related[0] == "more_general" and _is_one_of_several(phrases, second.key, first.key):
                continue
            told.add(pair)
            yield _related(related, (first, second), facts)


def _is_one_of_several(phrases: Mapping[str, Phrase], general: str, right: str) -> bool:
    """Return whether a wrong option of several words has the noun of another: `cherry tree` and `apple tree`."""
    words = " ".join(phrases[general].words).split()
    ends = [" ".join(each.words).split()[-1:] for key, each in phrases.items() if key not in (general, right)]
    return len(words) > 1 and words[-1:] in ends


def _is_plain_kind(phrases: Mapping[str, Phrase], pair: tuple[str, str]) -> bool:
    """Return whether one of two options is a noun with which all options, at least four, end, such as `football`.

    Next to `American football`, `Gaelic football` and `Australian football`, `football` names a separate kind.
    """
    words = {key: " ".join(phrase.words).split() for key, phrase in phrases.items()}
    return len(words) > _LEAST_OF_KIND and any(
        len(words[key]) == 1 and all(other[-1:] == words[key] for other in words.values()) for key in pair
    )


def _has_value(text: str) -> bool:
    """Return whether an option is a number, possibly a Roman one, or a formula, to be compared by value."""
    if _ROMAN.fullmatch(text.strip()):
        return True
    return re.search(r"[\d/]", text) is not None or quantity(text) is not None or formula_key(text) is not None


def _related(related: tuple[str, str, str], pair: tuple[Choice, Choice], facts: ItemFacts) -> ItemFault:
    kind, word, other = related
    first, second = pair
    evidence = {"options": {choice.key: choice.text for choice in pair}, "words": [word, other]}
    if kind == "more_general":
        return ItemFault(
            f"Option {second.key}, {second.text!r}, may be right as well: by the WordNet {word!r} of the right one, "
            f"{first.text!r}, is a kind of {other!r}.",
            evidence | {"relation": "more_general"},
        )
    if kind == "narrower":
        return ItemFault(
            f"Option {second.key}, {second.text!r}, may be right as well: {word!r} is a kind of the right one, "
            f"{first.text!r}.",
            evidence | {"relation": "narrower"},
        )
    has_right = facts.right in pair
    return ItemFault(
        f"The options {first.key} and {second.key} may mean the same: {word!r} and {other!r} are synonyms"
        + (", and the right one is among them." if has_right else ", so that neither can be the right one."),
        evidence | {"relation": "same"},
        "medium" if has_right else "low",
    )


def _off_kind(facts: ItemFacts, wordnet: WordNet) -> Iterator[ItemFault]:
    """Yield the only wrong option of another kind than all others, which can be ruled out without the picture."""
    yield from list(_not_as_asked(facts, wordnet)) or _far_kind(facts, wordnet)


def _not_as_asked(facts: ItemFacts, wordnet: WordNet) -> Iterator[ItemFault]:
    """Yield the wrong option that is not of the kind that the question names, if all others are of that kind."""
    texts = [str(choice.text) for choice in facts.worded]
    options = [_KindedOption(choice, wordnet) for choice in facts.worded]
    if any(says_nothing_else(text) for text in texts) or frozenset.intersection(*map(kinds_of, texts)):
        return
    if len(options) <= _LEAST_OF_KIND or not all(option.kinds for option in options):
        return
    for option in options:
        others = [other for other in options if other is not option]
        asked = _kind_asked_for(facts.item.question, option, others, wordnet)
        if asked is not None and option.choice is not facts.right:
            yield ItemFault(
                f"Option {option.choice.key}, {option.choice.text!r}, is of another kind than all others, and the "
                f"question asks for {asked!r}: it can be excluded without the picture.",
                {"option": option.choice.key, "text": option.choice.text, "asked": asked},
                certainty="likely",
            )


def _unanswerable(facts: ItemFacts, wordnet: WordNet) -> Iterator[ItemFault]:
    """Yield a fault if, by the word lists and the WordNet, no option can answer the question."""
    found = list(unanswerable_faults(facts, partial(wider_kinds_of, wordnet=wordnet)))
    yield from found or _not_of_asked_noun(facts, wordnet)


def _not_of_asked_noun(facts: ItemFacts, wordnet: WordNet) -> Iterator[ItemFault]:
    """Yield a fault if two or more wrong options are far in meaning from the noun that the question asks for."""
    if facts.right is None or len(facts.worded) < len(facts.item.choices):
        return
    texts = [str(choice.text) for choice in facts.worded]
    if (found := far_from_asked(facts.item.question, texts, facts.worded.index(facts.right), wordnet)) is not None:
        yield some_fault(facts, *found)


def _far_kind(facts: ItemFacts, wordnet: WordNet) -> Iterator[ItemFault]:
    """Yield the wrong option whose kind, by the WordNet, is far from the one asked for or from that of all others."""
    texts = [str(choice.text) for choice in facts.worded]
    question = facts.item.question
    if len(texts) < len(facts.item.choices) or asks_for_a_word(question):
        return
    odd = odd_option(question, texts, partial(wider_kinds_of, wordnet=wordnet))
    if odd is None and (apart := option_apart(texts, wordnet)) is not None:
        asked = kinds_asked_for(question)
        may_fit = (
            asked is not None
            and len(asked.fits) < _MANY
            and (
                asked.words.startswith("who")
                or asked.fits == {"verdict"}
                or not asked.fits.isdisjoint(wider_kinds_of(texts[apart[0]], wordnet) - {"thing"})
            )
        )
        odd = None if may_fit else apart[0]
    if odd is not None and facts.worded[odd] is not facts.right:
        option = facts.worded[odd]
        yield ItemFault(
            f"Option {option.key}, {option.text!r}, is of another kind than all others: it can be excluded "
            "without the picture.",
            {"option": option.key, "text": option.text, "asked": None},
        )


class _KindedOption:
    """An option with its main word and its kinds; it has no kinds if it is longer than a few words."""

    def __init__(self, choice: Choice, wordnet: WordNet) -> None:
        self.choice = choice
        text = choice.text or ""
        phrase = phrase_of(text, wordnet)
        self.word = phrase.words[phrase.head] if phrase.words else ""
        is_short = len(phrase.words) <= _LONGEST and is_open(self.word) and len(self.word) > 1
        self.senses = wordnet.senses(self.word, "noun") if is_short else ()
        self.kinds: tuple[str, ...] = ()
        if (value := quantity(text)) is not None:
            self.kinds = ("time of day" if value.of == "time of day" else "number",)
        elif is_short and any(_is_color(sense, wordnet) for sense in wordnet.senses(self.word, "adj")[:1]):
            self.kinds = ("color",)
        elif is_short:
            self.kinds = tuple(dict.fromkeys(f"noun {sense.field}" for sense in self.senses[:_MAIN_SENSES]))


def _is_color(sense: Synset, wordnet: WordNet) -> bool:
    heads = (sense, *wordnet.more_general(sense, steps=1))
    return any(word in ("chromatic", "achromatic") for head in heads for word in head.words)


def _kind_asked_for(question: str, option: _KindedOption, others: list[_KindedOption], wordnet: WordNet) -> str | None:
    """Return the kind that a question names, such as `animal`, if all options are of that kind except this one."""
    if (match := _NAMED_KIND.search(question)) is None:
        return None
    for name in dict.fromkeys((match[1].casefold(), match[1].casefold().split()[-1], match[1].casefold().split()[0])):
        asked = wordnet.senses(name, "noun")
        if any(all(_is_a(other, sense, wordnet) for other in others) for sense in asked[:_MAIN_SENSES]):
            near = {sense.field for sense in asked[:_MAIN_SENSES]} - OWN_FIELDS
            is_near = any(sense.field in near for sense in option.senses)
            return None if is_near or any(_is_a(option, sense, wordnet) for sense in asked) else name
    return None


def _is_a(option: _KindedOption, asked: Synset, wordnet: WordNet) -> bool:
    if option.kinds == ("color",):
        return "color" in asked.words
    return any(sense == asked or asked in wordnet.more_general(sense) for sense in option.senses)


def meaning_rules(wordnet: WordNet) -> tuple[FaultRule, ...]:
    """Return the rules, which look up words in a WordNet."""
    return (
        FaultRule(
            "options_related_in_meaning",
            "options",
            "medium",
            "according to a WordNet, two options are synonyms, or a wrong one is more general than the right "
            "one (`dog` where "
            "`poodle` is right); low if both are wrong",
            partial(_pairs, wordnet=wordnet),
            ("key", "options"),
            "possible",
        ),
        FaultRule(
            "options_answer_another_question",
            "options",
            "medium",
            "according to a WordNet, all options are of kinds that the question does not ask for",
            partial(_unanswerable, wordnet=wordnet),
            ("options",),
            "possible",
        ),
        FaultRule(
            "option_of_another_kind",
            "options",
            "low",
            "according to a WordNet, a wrong option is of another kind than all others (`a hammer` among animals)",
            partial(_off_kind, wordnet=wordnet),
            ("key", "options"),
            "possible",
        ),
    )

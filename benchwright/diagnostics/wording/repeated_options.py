"""Options that occur twice, or nearly twice, in a question: then two answers are right, or a wrong one can be excluded.

Five of II-Bench's 35 dev questions have two equal options. Two options are equal if their texts differ only in case,
white space, width, punctuation and invisible characters, if their letters look the same (Latin `a` and Cyrillic `а`),
or if they are the same picture. Formulas are compared as formulas, in which each sign and bracket matters. Options that
mean the same in different spellings (`the dog`, `a dog`; `Two`, `2`; `1 km`, `1000 m`) are a separate kind.
"""

from __future__ import annotations

import re
from itertools import combinations
from typing import Literal, NamedTuple

from benchwright.records import Choice, Item
from benchwright.texts.normalization import likeness, normal

from .formula_values import have_equal_values
from .item_texts import option_key, text_key, visible, without_articles
from .number_ranges import number_range
from .number_words import NUMERALS
from .quantities import DIMENSIONS, foreign_numeral, quantity

MAX_LIKENESS = 0.85
"""Similarity up to which two different options may resemble each other."""
_DECIMALS = 4
_LOOK_ALIKE = str.maketrans(
    "аеорсухіјѕһԁԛԝАВЕКМНОРСТХІЈЅΑΒΕΖΗΙΚΜΝΟΡΤΥΧο", "aeopcyxijshdqwABEKMHOPCTXIJSABEZHIKMNOPTYXo"
)
"""Letters of Cyrillic and Greek with the shapes of Latin ones."""
_WITH_LETTERS, _I_AS_L = re.compile(r"\b(?=\w*[A-Za-z])\w*0\w*"), re.compile(r"(?<=[a-z])I(?=[a-z])|\bI(?=[a-z]{3})")
_ASKS_FORM = re.compile(
    r"\b(?:capitali[sz]\w*|punctuat\w*|(?:upper|lower)[ -]?case|spell(?:ed|ing|t)?|comma|apostrophe|quotation marks?|"
    r"correctly (?:shows?|written|formatted)|hyphen\w*|italics?)\b",
    re.IGNORECASE,
)
_ASKS_FORM_OF_FORMULA = re.compile(
    r"\b(?:factor\w*|expand\w*|simpl\w+|standard|vertex|intercept|lowest terms|form|equivalent|written as|"
    r"rewrit\w+|law|"
    r"property|step|commut\w+|order|arrang\w+)\b",
    re.IGNORECASE,
)
"""Questions whose options may be one formula in several forms, of which only one is right."""
_DEFINITE = ("the", "der", "die", "das", "den", "dem", "le", "la", "les", "el", "los", "las", "il", "lo", "gli", "het")
_INDEFINITE = ("a", "an", "ein", "eine", "einen", "einem", "einer", "un", "une", "des", "una", "unos", "unas", "uno",
               "um", "uma", "een")  # fmt: skip
_LEADING_ARTICLE = re.compile(
    rf"(?:({'|'.join(sorted(_DEFINITE + _INDEFINITE, key=len, reverse=True))})\s+|(l)['’])(?=\w)", re.IGNORECASE
)
"""Articles of German, French, Spanish, Italian, Portuguese and Dutch at the beginning of a text."""
_ASKS_ARTICLE = re.compile(r"\b(?:articles?|artikel|artículo|articolo)\b", re.IGNORECASE)
_ASKS_UNIT = re.compile(r"\bhow many ([a-z]+)", re.IGNORECASE)
_PLAIN_FRACTION = re.compile(r"\s*[-+]?\d+\s*/\s*\d+\s*")


class OptionPair(NamedTuple):
    """Two options of an item, by their letters, with their similarity, 0-1, rounded; 1 for equal options."""

    item_id: str
    options: tuple[str, str]
    likeness: float


Spelling = Literal["articles", "numerals", "values", "formulas"]
"""The difference between two options that mean the same: articles, numbers in words or digits, units or forms of
numbers, or the order and form of a formula."""


class SpelledPair(NamedTuple):
    """Two options of an item that mean the same but are spelled differently, by their letters."""

    options: tuple[str, str]
    differ_in: Spelling


def repeated_pairs(item: Item) -> list[tuple[str, str]]:
    """Return the keys of each pair of equal options, in order.

    If all options are the same words with different case or punctuation, or the question asks about these, then case
    and punctuation are the subject and are compared.
    """
    compared = [(choice.key, option_key(choice), _look(choice)) for choice in item.choices]
    pairs = [
        (first, second)
        for (first, key, look), (second, other_key, other_look) in combinations(compared, 2)
        if key == other_key or look == other_look
    ]
    if not pairs:
        return []
    are_all_alike = 2 * len(pairs) == len(item.choices) * (len(item.choices) - 1)
    if not are_all_alike and not _ASKS_FORM.search(item.question):
        return pairs
    written = {choice.key: _as_written(choice) for choice in item.choices}
    return [(first, second) for first, second in pairs if written[first] == written[second]]


def _as_written(choice: Choice) -> tuple[str, ...]:
    if choice.text is None:
        return option_key(choice)
    return tuple(visible(choice.text).translate(_LOOK_ALIKE).split())


def spelled_pairs(item: Item) -> list[SpelledPair]:
    """Return the pairs of options that are not equal but mean the same in different spellings, in order."""
    repeated = set(repeated_pairs(item))
    texts = [(choice.key, visible(choice.text)) for choice in item.choices if choice.text is not None]
    found = []
    for (first, text), (second, other) in combinations(texts, 2):
        differ_in = _differ_only_in(text, other) or _equal_in_unit(text, other, item.question)
        if (first, second) not in repeated and differ_in is not None:
            found.append(SpelledPair((first, second), differ_in))
    are_all_alike = 2 * len(found) == len(texts) * (len(texts) - 1) and len(texts) > 2
    asks_form = _ASKS_FORM_OF_FORMULA.search(item.question) is not None
    return [
        pair
        for pair in found
        if not (pair.differ_in == "articles" and (are_all_alike or _ASKS_ARTICLE.search(item.question)))
        and not (pair.differ_in == "formulas" and (are_all_alike or asks_form))
    ]


def _equal_in_unit(first: str, second: str, question: str) -> Spelling | None:
    """Return whether a number without a unit equals an amount in the unit asked for, or two ranges are equal.

    Examples are `15` and `a quarter of an hour` if the question is `How many minutes …?`, and `10-20` and `between ten
    and twenty`.
    """
    ranges = number_range(first), number_range(second)
    if ranges[0] is not None and ranges[0] == ranges[1] and ranges[0].low != ranges[0].high:
        return "numerals" if first[-1:].isalpha() != second[-1:].isalpha() else None
    unit = _ASKS_UNIT.search(question)
    values = quantity(first), quantity(second)
    if unit is None or None in values or values[0] == values[1]:
        return None
    in_unit = [quantity(f"{text} {unit[1]}") if value and not value.of else value
               for text, value in zip((first, second), values, strict=True)]  # fmt: skip
    return "values" if in_unit[0] == in_unit[1] and in_unit[0] is not None and in_unit[0].of in DIMENSIONS else None


def _look(choice: Choice) -> tuple[str, str]:
    """Return a key that options share if they look the same, with other scripts' letters, or a 0, made Latin."""
    if choice.text is None:
        return option_key(choice)
    drawn = _WITH_LETTERS.sub(lambda match: match.group().replace("0", "O"), choice.text.translate(_LOOK_ALIKE))
    return text_key(_I_AS_L.sub("l", drawn))


def _differ_only_in(first: str, second: str) -> Spelling | None:
    value, other = quantity(first), quantity(second)
    if value is not None and value == other:
        if _PLAIN_FRACTION.fullmatch(first) and _PLAIN_FRACTION.fullmatch(second):
            return None  # the one in lowest terms may be the right answer
        return "numerals" if first[:1].isalpha() or second[:1].isalpha() else "values"
    return "formulas" if have_equal_values(first, second) else _differ_in_words(first, second)


def _differ_in_words(first: str, second: str) -> Spelling | None:
    if not text_key(first)[0] == text_key(second)[0] == "text":
        return None
    words, others = normal(first).split(), normal(second).split()
    if words == others:
        return None  # in symbols and alleles case counts
    if _in_digits(words) == _in_digits(others):
        return "numerals"
    core, other_core = (normal(without_articles(text)) for text in (first, second))
    are_equal = core == other_core != "" or _differ_in_foreign_article(first, second)
    return "articles" if are_equal else None


def _differ_in_foreign_article(first: str, second: str) -> bool:
    """Return whether two texts differ only in their first word: different articles, or an article in only one.

    Two definite articles, or two indefinite ones, distinguish genders: `der See` is a lake, and `die See` the sea.
    """
    cut = [_LEADING_ARTICLE.match(text.strip()) for text in (first, second)]
    articles = [(match[1] or match[2]).casefold() if match else "" for match in cut]
    rest, other = (
        normal(text.strip()[match.end() :] if match else text) for text, match in zip((first, second), cut, strict=True)
    )
    sorts = [article in _DEFINITE or article == "l" for article in articles]
    return rest == other != "" and articles[0] != articles[1] and (not all(articles) or sorts[0] != sorts[1])


def _in_digits(words: list[str]) -> list[str]:
    numbers = [NUMERALS.get(word, foreign_numeral(word)) for word in words]
    return [word if number is None else str(number) for word, number in zip(words, numbers, strict=True)]


def alike_pairs(item: Item) -> list[OptionPair]:
    """Return each pair of different options with a similarity above 0, in order."""
    pairs = []
    for first, second in combinations(item.choices, 2):
        if option_key(first) != option_key(second) and (alike := round(_likeness(first, second), _DECIMALS)):
            pairs.append(OptionPair(item.item_id, (first.key, second.key), alike))
    return pairs


def similar_options(item: Item, *, above: float = MAX_LIKENESS) -> list[OptionPair]:
    """Return the pairs of nearly equal options of an item: those whose similarity, 0-1, is above `above`."""
    return [pair for pair in alike_pairs(item) if pair.likeness > above]


def are_nearly_equal(first: str, second: str) -> bool:
    """Return whether two normalized texts are equal, or so similar that they are two spellings of one text."""
    return first == second or round(likeness(first, second), _DECIMALS) > MAX_LIKENESS


def _likeness(first: Choice, second: Choice) -> float:
    return 0.0 if first.text is None or second.text is None else likeness(normal(first.text), normal(second.text))

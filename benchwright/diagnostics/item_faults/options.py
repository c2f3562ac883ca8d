"""Options that are equal, refer to others, or say nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from benchwright.records import Item
from benchwright.texts.normalization import normal

from ..answer_kinds.asked_kinds import asks_for_a_word
from ..answer_kinds.mismatches import odd_option
from ..wording.asked_number import asks_for_several
from ..wording.authors_notes import texts_without_words
from ..wording.number_ranges import number_range
from ..wording.odd_options import option_of_another_kind, says_nothing_else
from ..wording.pointing_options import pointing_options
from ..wording.quantities import DIMENSIONS, quantity
from ..wording.repeated_options import repeated_pairs, spelled_pairs
from ..wording.text_checks import missing_values
from .fault_rules import FaultRule, ItemFacts, ItemFault, excerpt
from .pictures import is_color
from .question_faults import sort_of_answer

_DIFFER_IN = {
    "articles": "except for an article",
    "numerals": "except for a number in words and in digits",
    "values": "in value: one number in two forms or units",
    "formulas": "in value: one formula in two forms",
}

_CLOSED_SORTS = frozenset({"color", "weekday"})
_LEAST_OF_SORT = 2
_OF_COLOR = re.compile(
    r"colou?r|transparent|clear|strip|pattern|spott|mixed|rainbow|dark|light|pale|bright|tone|shade|tint|day|farb|bunt|gestreift"
)
"""Phrases with the word color or day that are not colors or weekdays."""
_NOT_APPLICABLE = frozenset({"n/a", "n.a.", "#n/a"})


def _text_of(item: Item, key: str) -> str | None:
    return next(choice.text for choice in item.choices if choice.key == key)


def _has_right(facts: ItemFacts, pairs: Sequence[tuple[str, str]]) -> bool:
    return facts.key_is_ambiguous or any(facts.item.right_key in pair for pair in pairs)


def _repeated(facts: ItemFacts) -> Iterator[ItemFault]:
    if not (pairs := repeated_pairs(facts.item)):
        return
    has_right = _has_right(facts, pairs)
    named = ", ".join(f"{first} and {second}" for first, second in pairs)
    yield ItemFault(
        f"The options {named} are the same" + (", and the right one is among them." if has_right else "."),
        {"options": [list(pair) for pair in pairs], "text": _text_of(facts.item, pairs[0][0]) or "a picture"},
        "high" if has_right else "medium",
    )


def _spelled(facts: ItemFacts) -> Iterator[ItemFault]:
    for options, differ_in in spelled_pairs(facts.item):
        has_right = _has_right(facts, [options])
        texts = {key: _text_of(facts.item, key) for key in options}
        named = " and ".join(f"{key} ({text!r})" for key, text in texts.items())
        yield ItemFault(
            f"The options {named} are equal {_DIFFER_IN[differ_in]}"
            + (", and the right one is among them." if has_right else "."),
            {"options": texts, "differ_in": differ_in},
            "high" if has_right and differ_in != "articles" else "medium",
        )


def _in_range(facts: ItemFacts) -> Iterator[ItemFault]:
    right = facts.right
    numbers = {choice.key: number_range(choice.text or "") for choice in facts.worded}
    if right is None or (answer := numbers.get(right.key)) is None:
        return
    for choice in facts.worded:
        other = numbers[choice.key]
        if other is not None and other.holds(answer) and not answer.holds(other):
            yield ItemFault(
                f"Option {choice.key}, {choice.text!r}, contains the right one, {right.text!r}: both are right.",
                {"option": choice.key, "text": choice.text, "answer": right.text},
            )


def _pointing(facts: ItemFacts) -> Iterator[ItemFault]:
    for option in pointing_options(facts.item):
        if option.fault or option.by_letter:
            text = _text_of(facts.item, option.key)
            why = option.fault or "it is right only in this order of the options, and any shuffle breaks it"
            yield ItemFault(
                f"Option {option.key}, {text!r}, refers to others: {why}.",
                {"option": option.key, "text": text},
                "low" if option.is_vague else None,
            )


def _bound(facts: ItemFacts) -> Iterator[ItemFault]:
    for option in pointing_options(facts.item):
        if not option.fault and not option.by_letter:
            text = _text_of(facts.item, option.key)
            yield ItemFault(f"Option {option.key}, {text!r}, must stay where it is.", {"option": option.key})


def _asks_for_several(facts: ItemFacts) -> Iterator[ItemFault]:
    words = asks_for_several(facts.item.question, facts.right_text or "")
    if words is not None:
        yield ItemFault(
            f"The question asks for several answers ({words!r}), but only one option is right, {facts.item.right_key}.",
            {"question": excerpt(facts.item.question), "words": words, "key": facts.item.right_key},
        )


def _of_another_sort(texts: Sequence[str]) -> int | None:
    """Return the index of the only option that is not a color or weekday, or of the only one that is."""
    sorts = [sort_of_answer(text) or ("words" if _is_of_no_sort(text) else "") for text in texts]
    for place, sort in enumerate(sorts):
        others = {other for n, other in enumerate(sorts) if n != place}
        if len(sorts) <= _LEAST_OF_SORT or len(others) > 1 or not sort or sort in others:
            continue
        other = others.pop()
        if other in _CLOSED_SORTS or (other == "words" and sort == "weekday"):
            return place
    return None


def _of_another_dimension(texts: Sequence[str]) -> int | None:
    """Return the index of the only amount whose dimension differs from all others': a mass among times."""
    values = [quantity(text) for text in texts]
    of = [value.of if value is not None and value.of in DIMENSIONS else "" for value in values]
    systems = [dimension.removeprefix("imperial ").replace("calendar", "time") for dimension in of]
    odd = [place for place, one in enumerate(systems) if systems.count(one) == 1]
    is_clear = "" not in systems and len(systems) > _LEAST_OF_SORT and len(set(systems)) == 2 and len(odd) == 1
    return odd[0] if is_clear else None


def _is_of_no_sort(text: str) -> bool:
    words = normal(text).split()
    return len(words) > 1 and not says_nothing_else(text) and not any(
        is_color(word) or _OF_COLOR.search(word) for word in words
    )  # fmt: skip


def _of_another_kind(facts: ItemFacts) -> Iterator[ItemFault]:
    texts = [choice.text or "" for choice in facts.worded]
    if asks_for_a_word(facts.item.question):
        return
    odd = option_of_another_kind(texts)
    odd = _of_another_sort(texts) if odd is None else odd
    odd = _of_another_dimension(texts) if odd is None else odd
    if odd is None and len(texts) == len(facts.item.choices):
        odd = odd_option(facts.item.question, texts)
    if odd is not None and facts.worded[odd] is not facts.right:
        option = facts.worded[odd]
        yield ItemFault(
            f"Option {option.key}, {option.text!r}, is of another kind than the others and easy to exclude.",
            {"option": option.key, "text": option.text},
        )


def _missing(facts: ItemFacts) -> Iterator[ItemFault]:
    if keys := missing_values(facts.item):
        text = _text_of(facts.item, keys[0])
        yield ItemFault(
            f"The option {' and '.join(keys)} says {text!r}, which programs write for a missing value: either the "
            "option does not exist, or its text was lost.",
            {"options": keys, "text": text},
        )
    elif keys := [choice.key for choice in facts.worded if str(choice.text).strip().casefold() in _NOT_APPLICABLE]:
        yield ItemFault(
            f"The option {' and '.join(keys)} says {_text_of(facts.item, keys[0])!r}: either no other option "
            "applies, which it should say in words, or its text is missing.",
            {"options": keys, "text": _text_of(facts.item, keys[0])},
            "low",
            "possible",
        )


def _wordless(facts: ItemFacts) -> Iterator[ItemFault]:
    places = texts_without_words([str(choice.text) for choice in facts.worded])
    if places and len(facts.worded) == len(facts.item.choices):
        keys = [facts.worded[place].key for place in places]
        text = _text_of(facts.item, keys[0])
        yield ItemFault(
            f"The option {' and '.join(keys)} has no content: {text!r}; it is easy to exclude without the picture.",
            {"options": keys, "text": text},
            "high" if facts.item.right_key in keys else "medium",
        )


RULES = (
    FaultRule(
        "repeated_option",
        "options",
        "medium",
        "two options differ only in case, width, punctuation, invisible characters or letters that look alike; high "
        "if one of them is the right one. Formulas are compared as formulas: signs and brackets count",
        _repeated,
        certainty="certain",
    ),
    FaultRule(
        "options_equal_but_for_spelling",
        "options",
        "medium",
        "two options differ only in an article, a number in words or digits, or its unit or form (`1 km`, `1000 m`; "
        "`2x + 3`, `3 + 2x`); high if one of them is the right one, except for articles",
        _spelled,
        ("options",),
    ),
    FaultRule(
        "range_holds_right_option",
        "options",
        "medium",
        "the right option is a number or range, and a wrong one is a range that contains it (`7` and `more than 5`)",
        _in_range,
        ("key", "options"),
    ),
    FaultRule(
        "option_points_at_others",
        "options",
        "medium",
        "`both A and B`, `the opposite of C`, `the previous option`, and `none of the above` above other options, "
        "in nine languages: it names itself, no option, or others by letters that a shuffle breaks; low for `all of "
        "these` before other options",
        _pointing,
        ("options",),
    ),
    FaultRule(
        "options_bound_to_their_order",
        "options",
        "low",
        "`none of the above` in the last place: correct in this order, wrong after any shuffle of the options",
        _bound,
        ("options",),
        certainty="certain",
        together=True,
    ),
    FaultRule(
        "option_without_words",
        "options",
        "medium",
        "an option is a mark such as `-` or `?`, or empty, and the others have content; high if it is the right one",
        _wordless,
        ("options",),
    ),
    FaultRule(
        "option_of_another_kind",
        "options",
        "low",
        "a wrong option is of another kind than all others and easy to exclude: words among numbers, a reason, a "
        "purpose or a manner among things (`because it rains`, `quickly`), a number among sentences, no color among "
        "colors",
        _of_another_kind,
        ("key", "options"),
        certainty="possible",
    ),
    FaultRule(
        "asks_for_several",
        "options",
        "medium",
        "`Select all that apply`, `Name both`, in eight languages, two questions in one (`Who sits there, and "
        "why?`) or a question for several things (`Which two birds …?`), but only one option is right",
        _asks_for_several,
        ("key", "options"),
    ),
    FaultRule(
        "missing_value_as_option",
        "options",
        "medium",
        "an option is `nan`, `null`, `#N/A` or another text that programs write for a missing value; low for `N/A`; "
        "`None` and `NA` are words",
        _missing,
        ("options",),
    ),
)

"""Faults of options that cannot answer their question: all of them, or most of the wrong ones."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..answer_kinds.mismatches import CannotAnswer, KindsOf, none_can_answer, some_cannot_answer
from ..answer_kinds.option_kinds import kinds_of
from .fault_rules import ItemFacts, ItemFault, excerpt


def unanswerable_faults(facts: ItemFacts, kinds: KindsOf = kinds_of) -> Iterator[ItemFault]:
    """Yield a fault if no option can answer the question, or two or more wrong ones cannot.

    Args:
        facts: An item; one with a picture as an option has no such fault.
        kinds: Function from an option to its kinds.
    """
    texts = [str(choice.text) for choice in facts.worded]
    question = facts.item.question
    if len(texts) < len(facts.item.choices) or _are_names(question, texts, kinds):
        return
    if (why := none_can_answer(question, texts, kinds)) is not None:
        yield ItemFault(
            f"No option can answer the question {excerpt(question)!r}, which asks {why.asked!r}: they "
            f"are of the kind {why.kind!r}, such as {texts[0]!r}.",
            {"question": excerpt(question), "options": texts[:8], "sort": why.kind},
        )
    elif facts.right is not None:
        some = some_cannot_answer(question, texts, facts.worded.index(facts.right), kinds)
        if some is not None:
            yield some_fault(facts, *some)


_ASKS_PLACE = re.compile(r"\b(?:what|which) (?:town|village|hamlet|city|street|station|pub|ship|boat)\b", re.IGNORECASE)


def _are_names(question: str, texts: list[str], kinds: KindsOf) -> bool:
    """Return whether options are place names that a question asks for, such as `Hope` and `Nowhere Else`."""
    is_asked = _ASKS_PLACE.search(question) is not None
    return is_asked and all(text[:1].isupper() for text in texts) and not all(map(kinds, texts))


def some_fault(facts: ItemFacts, why: CannotAnswer, places: list[int]) -> ItemFault:
    """Return the fault of wrong options that cannot answer the question, from their indices."""
    options = [facts.worded[place] for place in places]
    letters = ", ".join(choice.key for choice in options)
    return ItemFault(
        f"The options {letters} cannot answer the question {excerpt(facts.item.question)!r}, which asks "
        f"{why.asked!r}: they are of the kind {why.kind!r}, such as {options[0].text!r}, and can be excluded without "
        "the picture.",
        {"question": excerpt(facts.item.question), "options": [choice.text for choice in options], "sort": why.kind},
    )

"""Pairs of questions without pictures that are worth comparing because they share a rare word and the right option."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from benchwright.records import Item
from benchwright.texts.normalization import normal

from ..wording.quantities import quantity
from ..wording.repeated_questions import right_option
from .same_question import question_of
from .wordnet import WordNet

_MOST_OF_WORD = 60
"""Largest number of questions that contain a word for these to be compared with each other."""
_MOST_REPEATED = 0.05
_FEWEST_ITEMS = 20


def likely_pairs(items: Sequence[Item], wordnet: WordNet) -> Iterator[tuple[Item, Item]]:
    """Yield, once each, the pairs of items that share a question word or a right option found in few others.

    No pairs are yielded if more than one in twenty questions occurs with several keys: such a set asks about pictures
    that the source lacks.

    Args:
        items: Items with a key.
        wordnet: A WordNet, which unites words with one main sense.
    """
    if _ask_of_pictures(items):
        return
    having: defaultdict[str, list[int]] = defaultdict(list)
    for place, item in enumerate(items):
        for word in _handles(item, wordnet):
            having[word].append(place)
    seen: set[tuple[int, int]] = set()
    for places in having.values():
        if len(places) > _MOST_OF_WORD:
            continue
        for pair in combinations(places, 2):
            if pair not in seen:
                seen.add(pair)
                first, second = items[pair[0]], items[pair[1]]
                if normal(first.question) != normal(second.question):
                    yield first, second


def _handles(item: Item, wordnet: WordNet) -> set[str]:
    """Return the terms by which an item can be found: the subjects of its question, and its right option."""
    asked = question_of(item.question)
    key = next((choice.text or "" for choice in item.choices if choice.key == item.right_key), "")
    value = quantity(key)
    words = (
        {f"key {value.value}"}
        if value is not None
        else {f"key {word[:5]}" for word in normal(key).split() if len(word) > 2}
    )
    senses = {f"sense {sense.offset}" for word in asked.things for sense in wordnet.senses(word, "noun")[:2]}
    return {word[:5] for word in asked.things | asked.deeds} | senses | words


def _ask_of_pictures(items: Sequence[Item]) -> bool:
    keys: defaultdict[str, list[object]] = defaultdict(list)
    for item in items:
        keys[normal(item.question)].append(right_option(item))
    repeated = sum(len(of) for of in keys.values() if len(set(of)) > 1)
    return len(items) >= _FEWEST_ITEMS and repeated > _MOST_REPEATED * len(items)

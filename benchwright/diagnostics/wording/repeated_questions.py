"""Questions that are asked twice: the same pictures, the same words, the same options in any order.

Equal questions are certain repetitions. Curators decide on nearly equal questions, because only they can judge whether
a question in other words is a different question. Among II-Bench's 48 pairs of questions about one picture, the highest
similarity is 0.51, so the threshold of 0.6 reports none of them.

An instruction on a separate line at the end of most questions, such as `Please answer yes or no.`, is not compared: it
is not specific to a question and would make different questions look alike.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from benchwright.records import Item
from benchwright.texts.normalization import normal

from ..copies.clusters import components
from .item_texts import grams, option_key
from .similar_texts import similar_pairs

Scope = Literal["same_image", "all"]
Reason = Literal["duplicate_question", "contradicting_keys", "near_duplicate_question"]
DUPLICATE: Reason = "duplicate_question"
CONTRADICTING: Reason = "contradicting_keys"
NEAR: Reason = "near_duplicate_question"
MIN_SIMILARITY = 0.6
"""Jaccard similarity of character trigrams at which two questions are nearly the same."""
LISTED_PARTNERS = 8
_FEWEST_OPTIONS = 3
"""Number of options at which equal options suggest the same question; Yes and No may be the options of any question."""
_WORD = re.compile(r"[^\W\d_]{3}")


class NearQuestion(NamedTuple):
    """A question that nearly repeats another.

    Args:
        item_id: Id of the question's item.
        similarity: Jaccard similarity, 0-1, of the trigrams of both questions.
        same_options: Whether both have the same options, and the same one is right.
    """

    item_id: str
    similarity: float
    same_options: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the partner as JSON values; `same_options` is present only if it is true."""
        similarity = {"item_id": self.item_id, "similarity": round(self.similarity, 4)}
        return {**similarity, "same_options": True} if self.same_options else similarity


class Repetition(NamedTuple):
    """An item whose question other items repeat, exactly or nearly.

    Args:
        item_id: Id of the item.
        reason: Whether the questions are equal, equal with different keys, or nearly equal.
        of: Ids of those items: the representative of equal items, or up to 8 nearly equal items, the most similar
            first.
        group: Smallest id of the items that repeat each other, directly or through others.
        partners: Similarities of nearly equal items to this one, at most 8; empty for equal items.
        partners_total: Number of items that are nearly equal to it.
    """

    item_id: str
    reason: Reason
    of: tuple[str, ...]
    group: str
    partners: tuple[NearQuestion, ...] = ()
    partners_total: int = 0


def repeated_questions(
    items: Sequence[Item], *, scope: Scope = "same_image", min_similarity: float | None = MIN_SIMILARITY
) -> list[Repetition]:
    """Return the items that repeat others, by id; the order of the items does not matter.

    The representative of equal items, which is the one with the smallest id among those with a key, if any, is not
    included. If equal items have different right options, all of them are `contradicting_keys`; an item without a key
    contradicts none. Nearly equal questions are searched for only among questions not made from a template, because
    questions from one template resemble one another by design, and not within a declared pair.

    Args:
        items: The items; ids differ.
        scope: `same_image` compares the questions of items that show the same pictures with the same marks. `all`
            compares question and options of all items with any pictures.
        min_similarity: Jaccard similarity of character trigrams, above 0 and at most 1, at which two questions are
            nearly equal; None finds only equal questions.
    """
    ending = _shared_ending([item.question for item in items])
    bare = [_without_ending(item, ending) for item in items]
    found = {each.item_id: each for each in _equal(bare)}
    if min_similarity is not None:
        live = [item for item in bare if item.item_id not in found]
        found |= {each.item_id: each for each in _nearly_equal(live, scope, min_similarity)}
    return [found[item_id] for item_id in sorted(found)]


def _shared_ending(questions: Sequence[str]) -> str:
    """Return the common last line, such as `Please answer yes or no.`, of most questions with several lines.

    The result is empty if there is none.
    """
    endings = Counter(question.rpartition("\n")[2] for question in questions if "\n" in question.strip())
    if not endings:
        return ""
    ending, count = endings.most_common(1)[0]
    return ending if count > 1 and 2 * count >= len(questions) else ""


def _without_ending(item: Item, ending: str) -> Item:
    """Return an item whose question lacks the instruction on a separate line."""
    if not ending or not item.question.endswith(f"\n{ending}"):
        return item
    question = item.question.removesuffix(f"\n{ending}").strip()
    return item.model_copy(update={"question": question}) if question else item


def is_half_of_pair(item: Item) -> bool:
    """Return whether an item belongs to a declared pair and is of no use without the other half."""
    return any(key.startswith("pair:") for key in item.group_keys)


def pictures_shown(item: Item) -> tuple[str, ...]:
    """Return the pictures and marks of an item in a canonical order, so that items that show the same compare equal."""
    return tuple(
        sorted(f"{image.image_id} {[mark.model_dump_json() for mark in image.prompts]}" for image in item.images)
    )


def identity_of(item: Item) -> tuple[object, ...]:
    """Return a key that is equal for items that ask the same: pictures, question, and options in any order."""
    return pictures_shown(item), normal(item.question), tuple(sorted(map(option_key, item.choices)))


def right_option(item: Item) -> tuple[str, str] | None:
    """Return a key that is equal for equal right options; None if the item has no key."""
    key = item.right_key
    return next((option_key(choice) for choice in item.choices if choice.key == key), None)


def _equal(items: Sequence[Item]) -> Iterator[Repetition]:
    groups: dict[Any, list[Item]] = defaultdict(list)
    for item in items:
        groups[identity_of(item)].append(item)
    for equal in groups.values():
        equal.sort(key=lambda item: (item.right_key is None, item.item_id))
        ids = [item.item_id for item in equal]
        if len({right_option(item) for item in equal} - {None}) > 1:
            for item_id in ids:
                others = sorted(other for other in ids if other != item_id)
                yield Repetition(item_id, CONTRADICTING, tuple(others[:LISTED_PARTNERS]), min(ids))
        else:
            yield from (Repetition(item_id, DUPLICATE, (ids[0],), min(ids)) for item_id in ids[1:])


def _nearly_equal(items: Sequence[Item], scope: Scope, min_similarity: float) -> list[Repetition]:
    written = [item for item in items if item.written_by.get("question") != "template"]
    partners: dict[str, dict[str, NearQuestion]] = defaultdict(dict)
    for first, second, similarity, same_options in _near_pairs(written, scope, min_similarity):
        if not _apart_by_design(first, second):
            partners[first.item_id].setdefault(second.item_id, NearQuestion(second.item_id, similarity, same_options))
            partners[second.item_id].setdefault(first.item_id, NearQuestion(first.item_id, similarity, same_options))
    group = _groups(partners)
    found = []
    for item_id, near in partners.items():
        nearest = tuple(sorted(near.values(), key=lambda each: (-each.similarity, each.item_id))[:LISTED_PARTNERS])
        of = tuple(each.item_id for each in nearest)
        found.append(Repetition(item_id, NEAR, of, group[item_id], nearest, len(near)))
    return found


def _groups(partners: dict[str, dict[str, NearQuestion]]) -> dict[str, str]:
    """Return, for each item, the smallest id in its group."""
    ids = sorted(partners)
    place = {item_id: at for at, item_id in enumerate(ids)}
    links = [(place[item_id], place[other]) for item_id, near in partners.items() for other in near]
    ends = np.array(links, np.int64).reshape(-1, 2)
    smallest: dict[int, str] = {}
    cluster = components(len(ids), ends[:, 0], ends[:, 1]).tolist()
    return {item_id: smallest.setdefault(of, item_id) for item_id, of in zip(ids, cluster, strict=True)}


def _near_pairs(
    written: Sequence[Item], scope: Scope, min_similarity: float
) -> Iterator[tuple[Item, Item, float, bool]]:
    """Yield pairs of items that are nearly equal, with their similarity and whether their options are the same."""
    for items, sets in _compared(written, scope):
        for first, second, similarity in similar_pairs(sets, at_least=min_similarity):
            answers = _answers(items[first])
            yield items[first], items[second], similarity, answers is not None and answers == _answers(items[second])
    for same in _grouped(written, _answers_about).values():
        for at, first_item in enumerate(same):
            for second_item in same[at + 1 : at + 1 + LISTED_PARTNERS]:  # enough to link them all
                yield first_item, second_item, _similarity(first_item, second_item), True


def _compared(written: Sequence[Item], scope: Scope) -> Iterator[tuple[Sequence[Item], Iterable[frozenset[str]]]]:
    """Yield the groups of items to be compared, and the n-grams of each item."""
    if scope == "all":
        yield written, (grams(_whole_text(item)) for item in written)
        return
    for items in _grouped(written, pictures_shown).values():
        if len(items) > 1:
            yield items, (grams(normal(item.question)) for item in items)


def _grouped(items: Sequence[Item], key_of: Any) -> dict[Any, list[Item]]:
    """Return the items by key, without those whose key is None."""
    groups: dict[Any, list[Item]] = defaultdict(list)
    for item in items:
        if (key := key_of(item)) is not None:
            groups[key].append(item)
    return groups


def _answers_about(item: Item) -> tuple[object, ...] | None:
    """Return a key that is equal for items with the same pictures, the same options and the same right one.

    Return None for items without a key, and for items whose options could belong to many questions: fewer than three
    options, pictures, and options without a word, such as numbers and letters.
    """
    answers = _answers(item)
    if answers is None or len(item.choices) < _FEWEST_OPTIONS or not item.images:
        return None
    if not all(_WORD.search(normal(choice.text or "")) for choice in item.choices):
        return None
    return pictures_shown(item), answers


def _answers(item: Item) -> tuple[object, ...] | None:
    right = right_option(item)
    return None if right is None else (tuple(sorted(map(option_key, item.choices))), right)


def _similarity(first: Item, second: Item) -> float:
    one, other = grams(normal(first.question)), grams(normal(second.question))
    return len(one & other) / len(one | other)


def _whole_text(item: Item) -> str:
    return " ".join(
        [normal(item.question), *sorted(normal(choice.text) for choice in item.choices if choice.text is not None)]
    )


def _apart_by_design(first: Item, second: Item) -> bool:
    """Return whether two items belong to one declared pair, whose questions are intentionally similar."""
    shared = set(first.group_keys) & set(second.group_keys)
    return any(key.startswith("pair:") for key in shared)

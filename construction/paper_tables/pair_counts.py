"""Figure 3 of MVP-Bench, computed from items about pairs: categories, levels, types, images with both levels, and
words.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from benchwright.facts import CATEGORIES
from benchwright.records import Item

from ..manipulation.pair_questions.kinds_of_change import ASPECTS
from .caption_words import CaptionWords, count_words

_SIDES = ("natural", "manipulated")
TYPES = ("yes_no", "single_image", "cross_image")
_TOP_WORDS = 5


class PublishedCategory(NamedTuple):
    """The number of pairs of a category in MVP-Bench's published questions, and the number of questions about them by
    level.
    """

    pairs: int
    low: int
    high: int


PUBLISHED: Mapping[str, PublishedCategory] = {
    "B1": PublishedCategory(46, 85, 129),
    "B2": PublishedCategory(45, 85, 100),
    "B3": PublishedCategory(36, 62, 90),
    "B4": PublishedCategory(35, 59, 83),
    "R1": PublishedCategory(46, 55, 90),
    "R2": PublishedCategory(46, 85, 103),
    "R3": PublishedCategory(38, 42, 65),
    "I1": PublishedCategory(36, 47, 64),
    "I2": PublishedCategory(35, 42, 59),
    "E1": PublishedCategory(40, 64, 69),
    "E2": PublishedCategory(38, 62, 101),
    "S1": PublishedCategory(45, 28, 74),
    "S2": PublishedCategory(44, 51, 78),
}
"""Counts of the repository's 530 pairs and 1,872 questions; categories are table 5's ranges of pairs."""
PUBLISHED_TYPES: Mapping[tuple[str, str], int] = {
    ("yes_no", "high"): 460,
    ("yes_no", "low"): 540,
    ("single_image", "high"): 418,
    ("cross_image", "high"): 227,
    ("cross_image", "low"): 227,
}
"""Questions of the repository by type and level; a yes/no question is counted for each of the two pictures."""


class CountedShare(NamedTuple):
    """A proportion with its counts; the value is None if the total is 0."""

    numerator: int
    denominator: int

    def to_json(self) -> dict[str, Any]:
        """Return the share as JSON values."""
        value = self.numerator / self.denominator if self.denominator else None
        return {"value": value, "numerator": self.numerator, "denominator": self.denominator}


class PairStatistics(NamedTuple):
    """Statistics of items about pairs.

    Args:
        items: Number of items that belong to a pair.
        pairs: Number of pairs.
        images: Number of pictures of pairs shown by items.
        by_category: Category to its pairs.
        by_type: (type of question, level) to its items.
        by_category_level: (category, level) to its items.
        by_way: Method of making, such as `partial`, to its pairs.
        images_with_both_levels: Proportion of pictures with questions at both levels; a question that shows both
            pictures counts for both.
        pairs_with_both_levels: Number of pairs with questions of both levels.
        words: Words of the captions of each side, counted once per pair.
        editors: Editor to its pairs.
        asked_aspects: High-level categories with questions at the high level.
        whole_picture: Pairs whose whole picture was altered.
    """

    items: int
    pairs: int
    images: int
    by_category: Mapping[str, int]
    by_type: Mapping[tuple[str, str], int]
    by_category_level: Mapping[tuple[str, str], int]
    by_way: Mapping[str, int]
    images_with_both_levels: CountedShare
    pairs_with_both_levels: CountedShare
    words: Mapping[str, CaptionWords]
    editors: Mapping[str, int]
    asked_aspects: frozenset[str]
    whole_picture: CountedShare

    @property
    def missing_categories(self) -> tuple[str, ...]:
        """Return the MVP-Bench categories that have no pair."""
        return tuple(code for code in CATEGORIES if code not in self.by_category)

    @property
    def missing_aspects(self) -> tuple[str, ...]:
        """Return MVP-Bench's high-level categories that have no question at the high level."""
        return tuple(name for name in ASPECTS.values() if name not in self.asked_aspects)

    def to_json(self, *, top: int = _TOP_WORDS) -> dict[str, Any]:
        """Return all statistics as JSON values, with the most frequent words of each kind."""
        return {
            "items": self.items,
            "pairs": self.pairs,
            "images": self.images,
            "categories": [
                {
                    "category": name,
                    "aspect": ASPECTS.get(name[:1]),
                    "pairs": count,
                    **{level: self.by_category_level.get((name, level), 0) for level in ("low", "high")},
                    "published": PUBLISHED[name]._asdict() if name in PUBLISHED else None,
                }
                for name, count in self.by_category.items()
            ],
            "ways": [{"way": way, "pairs": count} for way, count in self.by_way.items()],
            "gaps": {"categories": list(self.missing_categories), "aspects": list(self.missing_aspects)},
            "types": [
                {"type": kind, "level": level, "items": count, "published": PUBLISHED_TYPES.get((kind, level))}
                for (kind, level), count in self.by_type.items()
            ],
            "images_with_both_levels": self.images_with_both_levels.to_json(),
            "pairs_with_both_levels": self.pairs_with_both_levels.to_json(),
            "whole_picture": self.whole_picture.to_json(),
            "words": {side: _top(words, top) for side, words in self.words.items()},
            "editors": dict(self.editors),
        }


def _top(words: CaptionWords, most: int) -> dict[str, Any]:
    return {
        "adjectives": [{"word": word, "captions": count} for word, count in words.top("adjective", most)],
        "nouns": [{"word": word, "captions": count} for word, count in words.top("noun", most)],
    }


class _PairCount:
    """Counts of one pair, collected over its items."""

    def __init__(self, item: Item) -> None:
        self.category = item.category or "none"
        self.editor = item.evidence.get("editor")
        self.way = item.evidence.get("way")
        self.captions = {side: item.evidence.get(f"{side}_caption") for side in _SIDES}
        self.levels: dict[str, set[str]] = defaultdict(set)
        """Levels of questions, by picture."""

    def add(self, item: Item) -> None:
        """Record the level and the pictures of an item; one composed picture represents both."""
        shown = [str(item.evidence[side]) for side in item.evidence.get("shows", ()) if side in _SIDES]
        for image_id in shown or [image.image_id for image in item.images]:
            self.levels[image_id].add(item.level or "none")

    def asks(self, level: str) -> bool:
        """Return whether there is a question at a level."""
        return any(level in levels for levels in self.levels.values())

    @property
    def has_both(self) -> bool:
        """Return whether there is a question at each of the two levels."""
        return set().union(*self.levels.values()) >= {"low", "high"}


def count_pairs(items: Iterable[Item]) -> PairStatistics | None:
    """Return the counts of items about pairs, ignoring other items; None if no item belongs to a pair."""
    pairs: dict[str, _PairCount] = {}
    by_type: Counter[tuple[str, str]] = Counter()
    by_category_level: Counter[tuple[str, str]] = Counter()
    for item in items:
        name = item.evidence.get("pair")
        if not isinstance(name, str) or any(not isinstance(item.evidence.get(side), str) for side in _SIDES):
            continue
        pairs.setdefault(name, _PairCount(item)).add(item)
        by_type[_type_of(item), item.level or "none"] += 1
        by_category_level[item.category or "none", item.level or "none"] += 1
    if not pairs:
        return None
    levels: dict[str, set[str]] = defaultdict(set)  # a natural picture may belong to several pairs
    for pair in pairs.values():
        for image_id, levels_of_image in pair.levels.items():
            levels[image_id] |= levels_of_image
    both = sum(levels_of_image >= {"low", "high"} for levels_of_image in levels.values())
    return PairStatistics(
        items=sum(by_type.values()),
        pairs=len(pairs),
        images=len(levels),
        by_category=_sorted(Counter(pair.category for pair in pairs.values())),
        by_category_level=dict(sorted(by_category_level.items())),
        by_way=_sorted(Counter(str(pair.way) for pair in pairs.values() if pair.way is not None)),
        by_type=dict(sorted(by_type.items(), key=lambda count: _place(count[0]))),
        images_with_both_levels=CountedShare(both, len(levels)),
        pairs_with_both_levels=CountedShare(sum(pair.has_both for pair in pairs.values()), len(pairs)),
        words={side: _words(pairs.values(), side) for side in _SIDES},
        asked_aspects=frozenset(
            ASPECTS[pair.category[:1]] for pair in pairs.values() if pair.asks("high") and pair.category[:1] in ASPECTS
        ),
        whole_picture=CountedShare(sum(pair.way == "direct" for pair in pairs.values()), len(pairs)),
        editors=_sorted(Counter(str(pair.editor) for pair in pairs.values() if pair.editor is not None)),
    )


def _type_of(item: Item) -> str:
    """Return the type of an item, one of three, regardless of how the item was made."""
    if item.kind == "yes_no":
        return "yes_no"
    return "cross_image" if len(item.evidence.get("shows", item.images)) > 1 else "single_image"


def _place(of: tuple[str, str]) -> tuple[int, str]:
    return TYPES.index(of[0]), of[1]


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items()))


def _words(pairs: Iterable[_PairCount], side: str) -> CaptionWords:
    return count_words(caption for pair in pairs if isinstance(caption := pair.captions[side], str))

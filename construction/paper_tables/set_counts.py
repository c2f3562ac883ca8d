"""Tables 5 and 6 and figure 3 of MM-SAP, computed from items with an option that declines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from benchwright.questions.self_awareness import NAMES, PARTS, Part, part_of
from benchwright.records import LETTERS, Item


class PartCounts(NamedTuple):
    """Counts of one of the three sets.

    Args:
        items: Number of its items.
        images: Number of pictures that they show.
        categories: Number of items by category, the most frequent first; items without a category are counted under an
            empty name.
    """

    items: int
    images: int
    categories: Mapping[str, int]


class AwarenessStatistics(NamedTuple):
    """Statistics of items with an option that declines.

    Args:
        parts: The three sets (figure 3).
        query_words: Mean number of words of a question (table 5).
        option_words: Mean number of words of an option, including those that decline (table 5).
        correct: Number of items by the letter of the right option, among items that have one (table 6).
        refusal: Number of items by the letter of the option that declines (table 6).
        options: Number of items by their number of options.
        without_refusal: Number of items without an option that declines, which are not counted.
    """

    parts: Mapping[Part, PartCounts]
    query_words: float
    option_words: float
    correct: Mapping[str, int]
    refusal: Mapping[str, int]
    options: Mapping[int, int]
    without_refusal: int

    def to_json(self) -> dict[str, Any]:
        """Return all statistics as JSON values; proportions are from 0 to 1."""
        return {
            "items": sum(part.items for part in self.parts.values()),
            "parts": [
                {
                    "part": name,
                    "name": NAMES[name],
                    "items": part.items,
                    "images": part.images,
                    "categories": [
                        {"category": category, "items": count, "share": count / part.items}
                        for category, count in part.categories.items()
                    ],
                }
                for name, part in self.parts.items()
            ],
            "words": {"queries": self.query_words, "options": self.option_words},
            "letters": {"correct": _shares(self.correct), "refusal": _shares(self.refusal)},
            "options": {str(number): count for number, count in self.options.items()},
            "without_refusal": self.without_refusal,
        }


def _shares(counts: Mapping[str, int]) -> list[dict[str, Any]]:
    total = sum(counts.values())
    return [{"letter": letter, "items": count, "share": count / total} for letter, count in counts.items()]


def count_awareness(items: Iterable[Item]) -> AwarenessStatistics | None:
    """Return the statistics of items, or None if no item has an option that declines.

    Words are separated by white space.
    """
    by_part: dict[Part, list[Item]] = {name: [] for name in PARTS}
    without = 0
    for item in items:
        if item.refusal is None:
            without += 1
        else:
            by_part[part_of(item.answered_key, item.level)].append(item)
    every = [item for some in by_part.values() for item in some]
    if not every:
        return None
    texts = [choice.text for item in every for choice in item.choices if choice.text is not None]
    letters = LETTERS[: max(len(item.choices) for item in every)]
    correct, refusal = Counter(item.answered_key for item in every), Counter(item.refusal for item in every)
    return AwarenessStatistics(
        parts={name: _counts(some) for name, some in by_part.items() if some},
        query_words=sum(len(item.question.split()) for item in every) / len(every),
        option_words=sum(len(text.split()) for text in texts) / len(texts) if texts else 0.0,
        correct={letter: correct[letter] for letter in letters} if correct.keys() - {None} else {},
        refusal={letter: refusal[letter] for letter in letters},
        options=dict(sorted(Counter(len(item.choices) for item in every).items())),
        without_refusal=without,
    )


def _counts(items: list[Item]) -> PartCounts:
    categories = Counter(item.category or "" for item in items)
    images = {image.image_id for item in items for image in item.images}
    return PartCounts(len(items), len(images), dict(sorted(categories.items(), key=lambda row: (-row[1], row[0]))))

"""Questions that are asked twice: the same pictures, the same words, the same options in whatever order.

Equal ones are dropped but for one. Near ones are asked about, since only a person can say whether a question in other
words is another question. On II-Bench's 48 pairs of questions about one picture the highest similarity is 0.51, so the
threshold of 0.6 asks about none of them.

All pairs of sets that overlap enough are found exactly, without comparing each with each. Two sets of Jaccard
similarity `t` or more share one of their rarest members: of a set with n members, one of the first n - ceil(t n) + 1 in
an order that puts rare ones first (prefix filtering: Chaudhuri, Ganti and Kaushik, ICDE 2006).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field

from benchwright.records import Item
from benchwright.steps import GatherContext, Gathered, GatherStep, Stream, Verdict
from benchwright.text_normalization import normal

from ..clusters import components
from .item_texts import grams, option_key, right_key

if TYPE_CHECKING:
    import pyarrow as pa


class Similar(NamedTuple):
    """Two sets by their place, the smaller place first, and their Jaccard similarity."""

    one: int
    other: int
    similarity: float


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the size of the intersection over that of the union; 0 where both are empty."""
    shared = len(one & other)
    union = len(one) + len(other) - shared
    return shared / union if union else 0.0


def similar_pairs(sets: Sequence[frozenset[str]], *, at_least: float) -> list[Similar]:
    """Return every pair of sets whose Jaccard similarity is `at_least` that, sorted. Empty sets are like none.

    Args:
        sets: In any order; the order decides only which place is named.
        at_least: Above 0, at most 1.

    Raises:
        ValueError: `at_least` is not in that range.
    """
    if not 0 < at_least <= 1:
        raise ValueError(f"at_least must be above 0 and at most 1, not {at_least}")
    often = Counter(member for members in sets for member in members)
    found: list[Similar] = []
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for place in sorted((at for at, members in enumerate(sets) if members), key=lambda at: (len(sets[at]), at)):
        members = sets[place]
        prefix = sorted(members, key=lambda member: (often[member], member))
        del prefix[len(members) - _least(at_least, len(members)) + 1 :]
        candidates = {other for member in prefix for other in holders[member]}
        for other in candidates:
            if len(sets[other]) >= _least(at_least, len(members)):
                similarity = jaccard(members, sets[other])
                if similarity >= at_least:
                    found.append(Similar(min(place, other), max(place, other), similarity))
        for member in prefix:
            holders[member].append(place)
    return sorted(found)


def _least(share: float, size: int) -> int:
    """Return the least number of members that is this share of `size`, safe against the last bit of a product."""
    return max(1, math.ceil(share * size - 1e-9))


DUPLICATE, CONTRADICTING, NEAR = "duplicate_question", "contradicting_keys", "near_duplicate_question"
LISTED_PARTNERS = 8


class ItemText(NamedTuple):
    """What is said of one item."""

    verdict: Verdict
    reason: str
    evidence: Mapping[str, Any]
    group: str | None = None


class DuplicateQuestions(GatherStep):
    """Drop questions that are asked twice, ask about those that nearly are.

    Of equal items the one with the smallest id is kept. Items of a declared pair are asked about instead of dropped,
    since half a pair is none. Where equal items name different options as right, none is dropped and all are
    `contradicting_keys`. Near ones are looked for among questions that no template wrote: those of a template resemble
    one another by design.

    Args:
        min_similarity: Jaccard similarity of character trigrams, above 0 and at most 1, from which two questions are
            `near_duplicate_question`; None asks about none.
        scope: `same_image` compares the questions of items that show the same pictures with the same marks. `all`
            compares question and options of all items, whatever they show, save within a declared pair.
    """

    name: ClassVar[str] = "duplicate_questions"
    consumes: ClassVar[Stream] = "items"
    values: ClassVar[Mapping[str, str]] = {"group": "string"}
    columns: ClassVar[tuple[str, ...]] = ("record",)

    min_similarity: float | None = Field(0.6, gt=0, le=1)
    scope: Literal["same_image", "all"] = "same_image"

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Compare all items."""
        del ctx
        items = [Item.model_validate_json(record) for record in columns["record"].to_pylist()]
        said = self.about(items)
        rows = sorted(said)
        return Gathered(
            rows=np.array(rows, np.int64),
            verdicts=[said[row].verdict for row in rows],
            reasons=[said[row].reason for row in rows],
            values={"group": [said[row].group for row in rows]},
            evidence=[said[row].evidence for row in rows],
        )

    def about(self, items: Sequence[Item]) -> dict[int, ItemText]:
        """Return what is said of items, by place; of most nothing."""
        said = _equal(items)
        live = [row for row in range(len(items)) if row not in said]
        for row, near in self._near(items, live).items():
            said.setdefault(row, near)
        return said

    def _near(self, items: Sequence[Item], live: Sequence[int]) -> dict[int, ItemText]:
        if self.min_similarity is None:
            return {}
        partners: dict[int, list[tuple[float, int]]] = defaultdict(list)
        for rows, texts in self._compared(items, live):
            for one, other, similarity in similar_pairs(texts, at_least=self.min_similarity):
                left, right = rows[one], rows[other]
                if not _apart_by_design(items[left], items[right]):
                    partners[left].append((similarity, right))
                    partners[right].append((similarity, left))
        return _asked(items, partners)

    def _compared(self, items: Sequence[Item], live: Sequence[int]) -> list[tuple[list[int], list[frozenset[str]]]]:
        """Return groups of items to compare within: their places, and what is compared of each."""
        written = [row for row in live if items[row].written_by.get("question") != "template"]
        if self.scope == "all":
            return [(written, [grams(_whole_text(items[row])) for row in written])]
        groups: dict[Any, list[int]] = defaultdict(list)
        for row in written:
            groups[_shown(items[row])].append(row)
        return [
            (rows, [grams(normal(items[row].question)) for row in rows]) for rows in groups.values() if len(rows) > 1
        ]


def _equal(items: Sequence[Item]) -> dict[int, ItemText]:
    """Return what is said of items that equal another."""
    groups: dict[Any, list[int]] = defaultdict(list)
    for row, item in enumerate(items):
        groups[(_shown(item), normal(item.question), tuple(sorted(map(option_key, item.choices))))].append(row)
    said: dict[int, ItemText] = {}
    for rows in groups.values():
        rows.sort(key=lambda row: items[row].item_id)
        if len({_right_option(items[row]) for row in rows}) > 1:
            ids = [items[row].item_id for row in rows]
            said |= {row: ItemText("ask", CONTRADICTING, {"equal_items": ids[:LISTED_PARTNERS]}) for row in rows}
        else:
            kept = items[rows[0]].item_id
            said |= {row: ItemText(_verdict(items[row]), DUPLICATE, {"of": kept}) for row in rows[1:]}
    return said


def _verdict(item: Item) -> Verdict:
    """Return `ask` for half of a declared pair, which without it would be no pair."""
    return "ask" if any(key.startswith("pair:") for key in item.group_keys) else "drop"


def _shown(item: Item) -> tuple[str, ...]:
    """Return what decides whether two items show the same: pictures and marks, in whatever order."""
    return tuple(sorted(f"{one.image_id} {[mark.model_dump_json() for mark in one.prompts]}" for one in item.images))


def _right_option(item: Item) -> tuple[str, str] | None:
    key = right_key(item)
    return next((option_key(choice) for choice in item.choices if choice.key == key), None)


def _whole_text(item: Item) -> str:
    return " ".join([normal(item.question), *sorted(normal(one.text) for one in item.choices if one.text is not None)])


def _apart_by_design(one: Item, other: Item) -> bool:
    """Return whether two items belong to one declared pair, whose questions are alike on purpose."""
    shared = set(one.group_keys) & set(other.group_keys)
    return any(key.startswith("pair:") for key in shared)


def _asked(items: Sequence[Item], partners: Mapping[int, list[tuple[float, int]]]) -> dict[int, ItemText]:
    links = [(row, other) for row, found in partners.items() for _, other in found]
    ends = np.array(links, np.int64).reshape(-1, 2)
    cluster = components(len(items), ends[:, 0], ends[:, 1])
    smallest: dict[int, str] = {}
    for row in partners:
        smallest[int(cluster[row])] = min(items[row].item_id, smallest.get(int(cluster[row]), items[row].item_id))
    said: dict[int, ItemText] = {}
    for row, found in partners.items():
        nearest = sorted((-similarity, items[other].item_id) for similarity, other in found)[:LISTED_PARTNERS]
        evidence = {
            "partners": [{"item_id": item_id, "similarity": round(-minus, 4)} for minus, item_id in nearest],
            "partners_total": len(found),
        }
        said[row] = ItemText("ask", NEAR, evidence, f"questions:{smallest[int(cluster[row])][:16]}")
    return said

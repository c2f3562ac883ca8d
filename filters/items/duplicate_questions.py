"""Questions that are asked twice: the same pictures, the same words, the same options in whatever order.

Of equal questions all but one are dropped. Near-equal questions are asked about, since only a person can decide whether
a question in other words is another question. On II-Bench's 48 pairs of questions about one picture the highest
similarity is 0.51, so the threshold of 0.6 asks about none of them.

All pairs of sets that overlap enough are found exactly. Members that two sets share are counted for blocks of sets at
once, as a product of sparse matrices, and only among sets of sizes that can be similar enough.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field

from benchwright.records import Item
from benchwright.steps import GatherContext, Gathered, GatherStep, Stream, Verdict
from benchwright.text_normalization import normal

from ..clusters import components
from .item_texts import grams, option_key

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

_BLOCK = 1_000_000
"""Pairs of sets whose members are counted at once."""


class SimilarPair(NamedTuple):
    """Two sets by position, the smaller position first, and their Jaccard similarity."""

    left: int
    right: int
    similarity: float


def similar_pairs(sets: Sequence[frozenset[str]], *, at_least: float) -> list[SimilarPair]:
    """Return every pair of sets with a Jaccard similarity of `at_least`, sorted. Empty sets are in no pair.

    Args:
        sets: Sets, in any order.
        at_least: Least similarity, above 0 and at most 1.

    Raises:
        ValueError: `at_least` is not in that range.
    """
    if not 0 < at_least <= 1:
        raise ValueError(f"at_least must be above 0 and at most 1, not {at_least}")
    order = sorted((at for at, members in enumerate(sets) if members), key=lambda at: len(sets[at]))
    if not order:
        return []
    places, sizes = np.array(order), np.array([len(sets[at]) for at in order])
    holds = _holdings([sets[at] for at in order], sizes)
    pairs: list[SimilarPair] = []
    step = max(1, _BLOCK // len(order))
    for start in range(0, len(order), step):
        end = min(start + step, len(order))
        first = int(np.searchsorted(sizes, _least(at_least, int(sizes[start]))))
        shared = (holds[start:end] @ holds[first:end].T).tocoo()
        later, earlier = shared.row + start, shared.col + first
        similarity = shared.data / (sizes[later] + sizes[earlier] - shared.data)
        is_pair = (similarity >= at_least) & (earlier < later)
        ends = np.sort(np.stack([places[later[is_pair]], places[earlier[is_pair]]], axis=1), axis=1)
        pairs += map(SimilarPair, *ends.T.tolist(), similarity[is_pair].tolist())
    return sorted(pairs)


def _holdings(sets: Sequence[frozenset[str]], sizes: NDArray[np.int64]) -> csr_array:
    """Return a sparse (sets, members) matrix of ones where a set holds a member."""
    from scipy.sparse import csr_array

    columns: dict[str, int] = {}
    indices = [columns.setdefault(member, len(columns)) for members in sets for member in members]
    starts = np.concatenate(([0], np.cumsum(sizes)))
    return csr_array((np.ones(len(indices), np.int32), indices, starts), shape=(len(sets), len(columns)))


def _least(share: float, size: int) -> int:
    """Return the least number of members that is this share of `size`, safe against rounding of the product."""
    return max(1, math.ceil(share * size - 1e-9))


DUPLICATE, CONTRADICTING, NEAR = "duplicate_question", "contradicting_keys", "near_duplicate_question"
LISTED_PARTNERS = 8


class RepetitionVerdict(NamedTuple):
    """The verdict on an item that repeats another item, or nearly."""

    verdict: Verdict
    reason: str
    evidence: Mapping[str, Any]
    group: str | None = None


class DuplicateQuestions(GatherStep):
    """Drop questions that are asked twice, ask about those that nearly are.

    Of equal items the one with the smallest id is kept. Items of a declared pair are asked about instead of dropped,
    since half a pair is useless. Where equal items name different options as right, none is dropped and all are
    `contradicting_keys`. Near-equal questions are searched among those that no template wrote, because questions of one
    template resemble one another by design.

    Args:
        min_similarity: Jaccard similarity of character trigrams, above 0 and at most 1, from which two questions are
            `near_duplicate_question`; None asks about none.
        scope: `same_image` compares the questions of items that show the same pictures with the same marks. `all`
            compares question and options of all items, whatever they show, save within a declared pair.

    Reasons:
        duplicate_question (drop or ask): Same pictures, same words, same options as the item named in evidence; asked
            about within a declared pair.
        contradicting_keys (ask): The same, with another key.
        near_duplicate_question (ask): Nearly the same words.
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
        decisions = self.verdicts(items)
        rows = sorted(decisions)
        return Gathered(
            rows=np.array(rows, np.int64),
            verdicts=[decisions[row].verdict for row in rows],
            reasons=[decisions[row].reason for row in rows],
            values={"group": [decisions[row].group for row in rows]},
            evidence=[decisions[row].evidence for row in rows],
        )

    def verdicts(self, items: Sequence[Item]) -> dict[int, RepetitionVerdict]:
        """Return the verdicts on items that repeat others, by row."""
        decisions = _equal_verdicts(items)
        live = [row for row in range(len(items)) if row not in decisions]
        for row, near in self._near(items, live).items():
            decisions.setdefault(row, near)
        return decisions

    def _near(self, items: Sequence[Item], live: Sequence[int]) -> dict[int, RepetitionVerdict]:
        if self.min_similarity is None:
            return {}
        partners: dict[int, list[tuple[float, int]]] = defaultdict(list)
        for rows, texts in self._compared(items, live):
            for first, second, similarity in similar_pairs(texts, at_least=self.min_similarity):
                left, right = rows[first], rows[second]
                if not _apart_by_design(items[left], items[right]):
                    partners[left].append((similarity, right))
                    partners[right].append((similarity, left))
        return _near_verdicts(items, partners)

    def _compared(self, items: Sequence[Item], live: Sequence[int]) -> list[tuple[list[int], list[frozenset[str]]]]:
        """Return the groups of items to compare: their rows, and the n-grams of each item."""
        written = [row for row in live if items[row].written_by.get("question") != "template"]
        if self.scope == "all":
            return [(written, [grams(_whole_text(items[row])) for row in written])]
        groups: dict[Any, list[int]] = defaultdict(list)
        for row in written:
            groups[pictures_shown(items[row])].append(row)
        return [
            (rows, [grams(normal(items[row].question)) for row in rows]) for rows in groups.values() if len(rows) > 1
        ]


def _equal_verdicts(items: Sequence[Item]) -> dict[int, RepetitionVerdict]:
    """Return the verdicts on items that are equal to others."""
    groups: dict[Any, list[int]] = defaultdict(list)
    for row, item in enumerate(items):
        groups[(pictures_shown(item), normal(item.question), tuple(sorted(map(option_key, item.choices))))].append(row)
    decisions: dict[int, RepetitionVerdict] = {}
    for rows in groups.values():
        rows.sort(key=lambda row: items[row].item_id)
        if len({_right_option(items[row]) for row in rows}) > 1:
            ids = [items[row].item_id for row in rows]
            decisions |= {
                row: RepetitionVerdict("ask", CONTRADICTING, {"equal_items": ids[:LISTED_PARTNERS]}) for row in rows
            }
        else:
            kept = items[rows[0]].item_id
            decisions |= {row: RepetitionVerdict(_verdict(items[row]), DUPLICATE, {"of": kept}) for row in rows[1:]}
    return decisions


def _verdict(item: Item) -> Verdict:
    """Return `ask` for half of a declared pair, else `drop`."""
    return "ask" if any(key.startswith("pair:") for key in item.group_keys) else "drop"


def pictures_shown(item: Item) -> tuple[str, ...]:
    """Return the pictures and marks of an item in a fixed order: equal for items that show the same."""
    return tuple(
        sorted(f"{image.image_id} {[mark.model_dump_json() for mark in image.prompts]}" for image in item.images)
    )


def _right_option(item: Item) -> tuple[str, str] | None:
    key = item.right_key
    return next((option_key(choice) for choice in item.choices if choice.key == key), None)


def _whole_text(item: Item) -> str:
    return " ".join(
        [normal(item.question), *sorted(normal(choice.text) for choice in item.choices if choice.text is not None)]
    )


def _apart_by_design(first: Item, second: Item) -> bool:
    """Return whether two items belong to one declared pair, whose questions are alike by design."""
    shared = set(first.group_keys) & set(second.group_keys)
    return any(key.startswith("pair:") for key in shared)


def _near_verdicts(
    items: Sequence[Item], partners: Mapping[int, list[tuple[float, int]]]
) -> dict[int, RepetitionVerdict]:
    links = [(row, partner) for row, similar in partners.items() for _, partner in similar]
    ends = np.array(links, np.int64).reshape(-1, 2)
    cluster = components(len(items), ends[:, 0], ends[:, 1])
    smallest: dict[int, str] = {}
    for row in partners:
        smallest[int(cluster[row])] = min(items[row].item_id, smallest.get(int(cluster[row]), items[row].item_id))
    decisions: dict[int, RepetitionVerdict] = {}
    for row, similar in partners.items():
        nearest = sorted((-similarity, items[partner].item_id) for similarity, partner in similar)[:LISTED_PARTNERS]
        evidence = {
            "partners": [{"item_id": item_id, "similarity": round(-minus, 4)} for minus, item_id in nearest],
            "partners_total": len(similar),
        }
        decisions[row] = RepetitionVerdict("ask", NEAR, evidence, f"questions:{smallest[int(cluster[row])][:16]}")
    return decisions

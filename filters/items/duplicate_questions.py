"""Questions that are asked twice: the same pictures, the same words, the same options in whatever order.

Of equal questions all but one are dropped. Near-equal questions are asked about, since only a person can decide whether
a question in other words is another question. On II-Bench's 48 pairs of questions about one picture the highest
similarity is 0.51, so the threshold of 0.6 asks about none of them.

All pairs of sets that overlap enough are found exactly. Each set has a signature in which every member flips one bit.
Two signatures differ in no more bits than their sets differ in members, so only sets with near signatures are compared
member by member (the bitmap filter of Sandes, Teodoro and Melo, "Bitmap Filter: Speeding up Exact Set Similarity Joins
with Bitwise Operations", 2020).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field

from benchwright.diagnostics.copies.clusters import components
from benchwright.diagnostics.wording.item_texts import grams, option_key
from benchwright.records import Item
from benchwright.steps import GatherContext, Gathered, GatherStep, Stream, Verdict
from benchwright.text_normalization import normal

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    _Members = NDArray[np.int32]

_FEW = 32
"""Sets of which each is compared with each, since signatures would not pay."""
_BITS_A_MEMBER = 8
_FOLD = 4
"""Words of a signature of which one is made for a first look."""
_MOST_FOLDS = 64
"""So that signatures of very long texts stay small: they let more pairs through."""
_ROWS = 4096
"""Signatures that are made at once."""
_ROUNDING = 1e-6


class SimilarPair(NamedTuple):
    """Two sets by position, the smaller position first, and their Jaccard similarity."""

    left: int
    right: int
    similarity: float


def similar_pairs(sets: Iterable[frozenset[str]], *, at_least: float) -> list[SimilarPair]:
    """Return every pair of sets with a Jaccard similarity of `at_least`, sorted. Empty sets are in no pair.

    Args:
        sets: Sets, in any order.
        at_least: Least similarity, above 0 and at most 1.

    Raises:
        ValueError: `at_least` is not in that range.
    """
    if not 0 < at_least <= 1:
        raise ValueError(f"at_least must be above 0 and at most 1, not {at_least}")
    numbers: dict[str, int] = {}
    numbered = [
        np.array([numbers.setdefault(member, len(numbers)) for member in members], np.int32) for members in sets
    ]
    by_size = sorted(
        (place for place, members in enumerate(numbered) if len(members)), key=lambda at: len(numbered[at])
    )
    pairs: list[SimilarPair] = []
    for later, earlier in _candidates([numbered[place] for place in by_size], at_least):
        left, right = sorted((by_size[later], by_size[earlier]))
        shared = len(np.intersect1d(numbered[left], numbered[right], assume_unique=True))
        similarity = shared / (len(numbered[left]) + len(numbered[right]) - shared)
        if similarity >= at_least:
            pairs.append(SimilarPair(left, right, similarity))
    return sorted(pairs)


def _candidates(ordered: Sequence[_Members], at_least: float) -> Iterator[tuple[int, int]]:
    """Yield the pairs of sets, ordered by size, that sizes and signatures let be similar; the larger set comes first.

    Sets of similarity s differ in (1 - s) / (1 + s) of the members of both, and their signatures in no more bits.
    """
    if len(ordered) <= _FEW:
        yield from ((later, earlier) for later in range(len(ordered)) for earlier in range(later))
        return
    sizes = np.array([len(members) for members in ordered])
    signatures = _signatures(ordered, sizes)
    folded = np.bitwise_xor.reduce(signatures.reshape(_FOLD, -1, len(ordered)))
    firsts = np.searchsorted(sizes, np.ceil(at_least * sizes - _ROUNDING))
    reach = (1 - at_least) / (1 + at_least)
    for later, first in enumerate(firsts.tolist()):
        most = (reach * (sizes[later] + sizes[first:later]) + _ROUNDING).astype(np.uint32)
        near = first + np.flatnonzero(_differing(folded[:, first:later], folded[:, later]) <= most)
        if len(near):
            is_near = _differing(signatures[:, near], signatures[:, later]) <= most[near - first]
            yield from ((later, earlier) for earlier in near[is_near].tolist())


def _signatures(sets: Sequence[_Members], sizes: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return (words, sets): each bit says whether a set holds an odd number of the members that share the bit."""
    from scipy.sparse import csr_array

    bits = 64 * _FOLD * min(_MOST_FOLDS, math.ceil(_BITS_A_MEMBER * sizes.mean() / (64 * _FOLD)))
    held = np.concatenate(sets) % bits
    starts = np.concatenate(([0], np.cumsum(sizes)))
    counts = csr_array((np.ones(len(held), np.uint8), held, starts), shape=(len(sets), bits))
    rows = (np.packbits(counts[at : at + _ROWS].toarray() & 1, axis=1) for at in range(0, len(sets), _ROWS))
    return np.ascontiguousarray(np.concatenate(list(rows)).view(np.uint64).T)


def _differing(signatures: NDArray[np.uint64], other: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """Return in how many bits each of (words, sets) signatures differs from another."""
    differing = np.zeros(signatures.shape[1], np.uint32)
    for words, word in zip(signatures, other, strict=True):
        differing += np.bitwise_count(words ^ word)
    return differing


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

    def _compared(
        self, items: Sequence[Item], live: Sequence[int]
    ) -> Iterator[tuple[list[int], Iterable[frozenset[str]]]]:
        """Yield the groups of items to compare: their rows, and the n-grams of each item."""
        written = [row for row in live if items[row].written_by.get("question") != "template"]
        if self.scope == "all":
            yield written, (grams(_whole_text(items[row])) for row in written)
            return
        groups: dict[Any, list[int]] = defaultdict(list)
        for row in written:
            groups[pictures_shown(items[row])].append(row)
        for rows in groups.values():
            if len(rows) > 1:
                yield rows, (grams(normal(items[row].question)) for row in rows)


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

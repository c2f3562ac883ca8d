"""Pairs of texts that share most of their n-grams, all found without comparing every text with every other.

Each set has a signature in which every member flips one bit. Two signatures differ in at most as many bits as their
sets differ in members, so only sets with near signatures are compared by members (the bitmap filter of Sandes, Teodoro
and Melo, "Bitmap Filter: Speeding up Exact Set Similarity Joins with Bitwise Operations", 2020).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    _Members = NDArray[np.int32]

_FEW = 32
"""Number of sets up to which all are compared directly, because signatures would not pay off."""
_BITS_A_MEMBER = 8
_FOLD = 4
"""Number of words of a signature that are folded into one word for a first comparison."""
_MOST_FOLDS = 64
"""Limit on the size of signatures of very long texts; shorter signatures let more pairs through."""
_ROWS = 4096
"""Number of signatures made at a time."""
_ROUNDING = 1e-6


class SimilarPair(NamedTuple):
    """Two sets by index, the smaller index first, and their Jaccard similarity."""

    left: int
    right: int
    similarity: float


def similar_pairs(sets: Iterable[frozenset[str]], *, at_least: float) -> list[SimilarPair]:
    """Return every pair of sets with a Jaccard similarity of at least `at_least`, sorted; empty sets are in no pair.

    Args:
        sets: Sets, in any order.
        at_least: Smallest similarity, above 0 and at most 1.

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
    """Yield pairs of sets, sorted by size, whose sizes and signatures allow the similarity; the larger set is first.

    Sets with similarity s differ in (1 - s) / (1 + s) of their members taken together, and their signatures differ in
    at most that many bits.
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
    """Return signatures, (words, sets): a bit is set if a set has an odd number of members assigned to the bit."""
    from scipy.sparse import csr_array

    bits = 64 * _FOLD * min(_MOST_FOLDS, math.ceil(_BITS_A_MEMBER * sizes.mean() / (64 * _FOLD)))
    held = np.concatenate(sets) % bits
    starts = np.concatenate(([0], np.cumsum(sizes)))
    counts = csr_array((np.ones(len(held), np.uint8), held, starts), shape=(len(sets), bits))
    rows = (np.packbits(counts[at : at + _ROWS].toarray() & 1, axis=1) for at in range(0, len(sets), _ROWS))
    return np.ascontiguousarray(np.concatenate(list(rows)).view(np.uint64).T)


def _differing(signatures: NDArray[np.uint64], other: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """Return the number of bits in which each signature, (words, sets), differs from a given one."""
    differing = np.zeros(signatures.shape[1], np.uint32)
    for words, word in zip(signatures, other, strict=True):
        differing += np.bitwise_count(words ^ word)
    return differing

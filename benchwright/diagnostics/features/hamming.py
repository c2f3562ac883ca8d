"""All pairs of 64-bit codes within a Hamming distance, exactly, without comparing all codes with each other.

Multi-index hashing (Norouzi, Punjani and Fleet, CVPR 2012, section 3): cut the codes into m chunks. If two codes differ
in at most `d = m * r + a` bits (`0 <= a < m`), then one of the first `a + 1` chunks differs in at most `r` bits or one
of the others in at most `r - 1`, because otherwise the differences add up to more than `d`. Each chunk is therefore a
table of buckets. Only codes in buckets with similar keys are compared bit for bit.

Codes of real images are skewed. Bits are therefore distributed over the chunks by how balanced they are, so that no
chunk consists of constant bits only. Buckets of any size are compared in parts that use bounded memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_BITS = 64
MAX_DISTANCE = 16
"""Largest distance allowed: beyond a quarter of the bits, unrelated images are within reach of each other."""

_AT_A_TIME = 1 << 16
"""Number of codes that are compared with all codes within reach before the next batch."""
_PIECE = 1 << 16
"""Number of candidate pairs compared at a time: half a MB, which fits into a processor's cache."""
_MOST_SLOTS = 1 << 10
"""Largest number of rows with which a code is compared at once."""
_MAX_CHUNK_BITS = 24

_Positions = NDArray[np.int64]
_Rows = NDArray[np.signedinteger[Any]]
_Codes = NDArray[np.uint64]


class Pairs(NamedTuple):
    """Pairs of indices with `left < right`, and their distances in bits."""

    left: _Positions
    right: _Positions
    distance: NDArray[np.uint8]

    @classmethod
    def joined(cls, parts: Sequence[Pairs]) -> Pairs:
        """Return all parts concatenated."""
        if not parts:
            return cls(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.uint8))
        return cls(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


class _Chunk(NamedTuple):
    offset: int
    width: int
    radius: int

    @property
    def mask(self) -> np.uint64:
        return np.uint64(((1 << self.width) - 1) << self.offset)

    def keys(self, codes: _Codes) -> _Positions:
        """Return the chunk's bits of each code."""
        return ((codes & self.mask) >> np.uint64(self.offset)).astype(np.int64)


def pairs_within(codes: _Codes, *, distance: int) -> Pairs:
    """Return every pair of `codes` that differs in at most `distance` of 64 bits, sorted by (left, right).

    The arguments and errors are those of `iter_pairs`.
    """
    pairs = Pairs.joined(list(iter_pairs(codes, distance=distance)))
    order = np.lexsort((pairs.right, pairs.left))
    return Pairs(pairs.left[order], pairs.right[order], pairs.distance[order])


def iter_pairs(codes: _Codes, *, distance: int) -> Iterator[Pairs]:
    """Yield every pair of `codes` that differs in at most `distance` of 64 bits, once, in no particular order.

    Equal codes are pairs too: n equal codes give n * (n - 1) / 2 pairs. Pass distinct codes if that is too many.

    Args:
        codes: Shape (n,), unsigned 64-bit, in any order.
        distance: Number of bits, 0 to `MAX_DISTANCE`.

    Raises:
        ValueError: The distance is out of range.
    """
    if not 0 <= distance <= MAX_DISTANCE:
        raise ValueError(f"distance must be 0 to {MAX_DISTANCE} bits, not {distance}")
    pieces = _chunk_count(len(codes), distance)
    dealt = _deal_bits(np.ascontiguousarray(codes, dtype=np.uint64), pieces)
    chunks = _chunks(pieces, distance)
    for number in range(len(chunks)):
        yield from _search_chunk(dealt, chunks, number, distance)


def _chunk_count(count: int, distance: int) -> int:
    """Return the number of chunks that minimizes the cost of search and comparison for random codes."""

    def cost(chunk: _Chunk) -> float:
        buckets = 1 << chunk.width
        return _keys_in_reach(chunk) * (10_000 + count * (1 + count / buckets / 2)) + 4 * buckets

    fewest = -(-_BITS // _MAX_CHUNK_BITS)
    return min(range(fewest, 17), key=lambda pieces: sum(map(cost, _chunks(pieces, distance))))


def _chunks(pieces: int, distance: int) -> list[_Chunk]:
    radius, extra = divmod(distance, pieces)
    chunks, offset = [], 0
    for number in range(pieces):
        width = _BITS // pieces + (number < _BITS % pieces)
        chunks.append(_Chunk(offset, width, radius if number <= extra else radius - 1))
        offset += width
    return [chunk for chunk in chunks if chunk.radius >= 0]


def _deal_bits(codes: _Codes, pieces: int) -> _Codes:
    """Permute the bits of all codes in the same way, so that every chunk gets its share of evenly distributed bits."""
    ones_of_bit = np.array([np.count_nonzero(codes & np.uint64(1 << bit)) for bit in range(_BITS)])
    most_even_first = np.argsort(np.abs(2 * ones_of_bit - len(codes)), kind="stable")
    dealt = np.zeros_like(codes)
    for place, bit in enumerate(np.concatenate([most_even_first[chunk::pieces] for chunk in range(pieces)]).tolist()):
        dealt |= ((codes >> np.uint64(bit)) & np.uint64(1)) << np.uint64(place)
    return dealt


def _keys_in_reach(chunk: _Chunk) -> int:
    return sum(comb(chunk.width, flips) for flips in range(chunk.radius + 1))


class _SortedCodes(NamedTuple):
    """Codes sorted by their keys in a chunk: `codes[first[key] : first[key + 1]]` are those with a key.

    Args:
        codes: Shape (n + _MOST_SLOTS,), the codes in this order, and zeros.
        position: Shape (n,), the index of each of them in the order given.
        first: Shape (keys + 1,).
    """

    codes: _Codes
    position: _Rows
    first: _Rows

    @classmethod
    def of(cls, codes: _Codes, chunk: _Chunk) -> _SortedCodes:
        keys = chunk.keys(codes)
        is_small = len(codes) < np.iinfo(np.int32).max
        of_rows: np.dtype[np.signedinteger[Any]] = np.dtype(np.int32 if is_small else np.int64)
        first = np.zeros((1 << chunk.width) + 1, of_rows)
        np.cumsum(np.bincount(keys, minlength=1 << chunk.width), out=first[1:])
        position = np.argsort(keys, kind="stable").astype(of_rows)
        return cls(np.concatenate([codes[position], np.zeros(_MOST_SLOTS, np.uint64)]), position, first)


class _Meetings(NamedTuple):
    """Sorted codes, by row, each with the first row to compare with it and the number of those rows."""

    rows: _Rows
    first: _Rows
    counts: _Rows

    def taken(self, which: _Positions | slice) -> _Meetings:
        return _Meetings(*(column[which] for column in self))


def _search_chunk(codes: _Codes, chunks: list[_Chunk], number: int, distance: int) -> Iterator[Pairs]:
    """Yield the pairs within `distance` that this chunk finds and no earlier chunk has found."""
    table = _SortedCodes.of(codes, chunks[number])
    for meetings in _meetings(table, chunks[number]):
        for left, right in _near(table.codes, meetings, distance):
            differing = table.codes[left] ^ table.codes[right]
            is_first = np.ones(len(left), np.bool_)
            for earlier in chunks[:number]:
                is_first &= np.bitwise_count(differing & earlier.mask) > earlier.radius
            if is_first.any():
                ends = [table.position[rows[is_first]].astype(np.int64) for rows in (left, right)]
                yield Pairs(np.minimum(*ends), np.maximum(*ends), np.bitwise_count(differing[is_first]))


def _meetings(table: _SortedCodes, chunk: _Chunk) -> Iterator[_Meetings]:
    """Yield the comparisons, each pair of codes once, of codes whose keys differ in at most the chunk's radius.

    Codes of successive buckets are compared with all codes within reach before the next batch is: their own buckets and
    the others involved are a small part of all, which stays in a processor's cache.
    """
    for start in range(0, len(table.position), _AT_A_TIME):
        rows = np.arange(start, min(start + _AT_A_TIME, len(table.position)))
        keys = chunk.keys(table.codes[rows])
        yield _Meetings(rows, rows + 1, table.first[keys + 1] - rows - 1)
        for highest in range(chunk.width if chunk.radius else 0):
            # Each pair comes once: from the code whose key lacks the highest flipped bit.
            lacking = np.flatnonzero((keys & (1 << highest)) == 0)
            those, their_keys = rows[lacking], keys[lacking]
            for more in range(chunk.radius if len(those) else 0):
                for lower in combinations(range(highest), more):
                    met = their_keys ^ sum((1 << bit for bit in lower), 1 << highest)
                    first = table.first[met]
                    yield _Meetings(those, first, table.first[met + 1] - first)


def _near(codes: _Codes, meetings: _Meetings, distance: int) -> Iterator[tuple[_Rows, _Rows]]:
    """Yield the rows of pairs within `distance`.

    Each code is first compared with the number of rows that suffices for most codes. Codes that need more are then
    compared with twice as many, and so on. Comparisons beyond a code's last row are wasted, but cost less than
    numbering pairs one by one.
    """
    meetings = meetings.taken(np.flatnonzero(meetings.counts > 0))
    slots = 1
    while slots < _MOST_SLOTS and 2 * slots * len(meetings.counts) < int(meetings.counts.sum()):
        slots *= 2
    while len(meetings.rows):
        ahead = np.lib.stride_tricks.sliding_window_view(codes, slots)
        step = max(1, _PIECE // slots)
        for start in range(0, len(meetings.rows), step):
            rows, first, counts = meetings.taken(slice(start, start + step))
            differing = ahead[first]
            differing ^= codes[rows][:, None]
            near, slot = np.divmod(np.flatnonzero(np.bitwise_count(differing) <= distance), slots)
            if len(met := np.flatnonzero(slot < counts[near])):
                near = near[met]
                yield rows[near], first[near] + slot[met]
        more = meetings.taken(np.flatnonzero(meetings.counts > slots))
        meetings = _Meetings(more.rows, more.first + slots, more.counts - slots)
        slots = min(2 * slots, _MOST_SLOTS)

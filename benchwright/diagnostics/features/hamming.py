"""All pairs of 64-bit codes within a Hamming distance, exactly, without comparing each code with each.

Multi-index hashing (Norouzi, Punjani and Fleet, CVPR 2012, section 3): cut the codes into m chunks. If two
codes differ in at most `d = m * r + a` bits (`0 <= a < m`), then one of the first `a + 1` chunks differs in
at most `r` bits or one of the others in at most `r - 1`, because otherwise the differences add up to more
than `d`. Each chunk is therefore a table of buckets, and only codes in buckets with keys that close are compared bit
for bit.

Codes of real images are skewed. Bits are therefore distributed over the chunks by how evenly they are spread, so that
no chunk holds constant bits only, and buckets of any size are compared in pieces of bounded memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_BITS = 64
MAX_DISTANCE = 16
"""Beyond a quarter of the bits, unrelated images are within reach of each other."""

_PIECE = 1 << 16
"""Candidate pairs compared at a time: some 3 MB, which fit into a processor's cache."""
_MAX_CHUNK_BITS = 24
_NO_BUCKET = -1

_Positions = NDArray[np.int64]
_Codes = NDArray[np.uint64]


class Pairs(NamedTuple):
    """Pairs of positions with `left < right`, and their distance in bits."""

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


def pairs_within(codes: _Codes, *, distance: int) -> Pairs:
    """Return every pair of `codes` that differs in at most `distance` of 64 bits, sorted by (left, right).

    Arguments and errors are those of `iter_pairs`.
    """
    pairs = Pairs.joined(list(iter_pairs(codes, distance=distance)))
    order = np.lexsort((pairs.right, pairs.left))
    return Pairs(pairs.left[order], pairs.right[order], pairs.distance[order])


def iter_pairs(codes: _Codes, *, distance: int) -> Iterator[Pairs]:
    """Yield every pair of `codes` that differs in at most `distance` of 64 bits, once, in no useful order.

    Equal codes are pairs too: n equal codes give n * (n - 1) / 2. Pass distinct codes where that is too many.

    Args:
        codes: Shape (n,), unsigned 64-bit, in any order.
        distance: Bits, 0 to `MAX_DISTANCE`.

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
    """Return the number of chunks at which search and comparison cost least for random codes."""

    def cost(chunk: _Chunk) -> float:
        buckets = 1 << chunk.width
        return _keys_in_reach(chunk) * (5_000 + count * (1 + 2 * count / buckets)) + buckets

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
    """Permute the bits of all codes in one way, so that every chunk gets its share of evenly spread bits."""
    ones_of_bit = np.array([np.count_nonzero(codes & np.uint64(1 << bit)) for bit in range(_BITS)])
    most_even_first = np.argsort(np.abs(2 * ones_of_bit - len(codes)), kind="stable")
    dealt = np.zeros_like(codes)
    for place, bit in enumerate(np.concatenate([most_even_first[chunk::pieces] for chunk in range(pieces)]).tolist()):
        dealt |= ((codes >> np.uint64(bit)) & np.uint64(1)) << np.uint64(place)
    return dealt


def _keys_in_reach(chunk: _Chunk) -> int:
    return sum(comb(chunk.width, flips) for flips in range(chunk.radius + 1))


def _search_chunk(codes: _Codes, chunks: list[_Chunk], number: int, distance: int) -> Iterator[Pairs]:
    """Yield the pairs within `distance` that this chunk finds and no earlier chunk does."""
    chunk = chunks[number]
    keys = ((codes & chunk.mask) >> np.uint64(chunk.offset)).astype(np.int64)
    order = np.argsort(keys, kind="stable")
    bucket_keys, starts, sizes = np.unique(keys[order], return_index=True, return_counts=True)
    in_order = codes[order]
    for first, second in _candidates(bucket_keys, starts, sizes, chunk):
        differing = in_order[first] ^ in_order[second]
        bits = np.bitwise_count(differing)
        near = np.flatnonzero(bits <= distance)
        differing = differing[near]
        for earlier in chunks[:number]:
            near = near[beyond := np.bitwise_count(differing & earlier.mask) > earlier.radius]
            differing = differing[beyond]
        if len(near):
            left, right = order[first[near]], order[second[near]]
            yield Pairs(np.minimum(left, right), np.maximum(left, right), bits[near])


def _candidates(
    bucket_keys: _Positions, starts: _Positions, sizes: _Positions, chunk: _Chunk
) -> Iterator[tuple[_Positions, _Positions]]:
    """Yield positions of codes, each pair once, whose keys differ in at most the chunk's radius."""
    ends = starts + sizes
    members = np.arange(int(sizes.sum()), dtype=np.int64)
    yield from _expand(members, members + 1, np.repeat(ends, sizes))
    if not chunk.radius:
        return
    for left_bucket, right_bucket in _close_buckets(bucket_keys, chunk):
        alone = sizes[left_bucket] + sizes[right_bucket] == 2
        left, right = starts[left_bucket[alone]], starts[right_bucket[alone]]
        for begin in range(0, len(left), _PIECE):
            yield left[begin : begin + _PIECE], right[begin : begin + _PIECE]
        crowded, met = left_bucket[~alone], right_bucket[~alone]
        repeats = sizes[crowded]
        rows = _ranges(starts[crowded], repeats)
        yield from _expand(rows, np.repeat(starts[met], repeats), np.repeat(ends[met], repeats))


def _close_buckets(bucket_keys: _Positions, chunk: _Chunk) -> Iterator[tuple[_Positions, _Positions]]:
    """Yield positions of buckets, each pair once, whose keys differ in at least one bit and at most the radius."""
    bucket_of = np.full(1 << chunk.width, _NO_BUCKET, np.int32)
    bucket_of[bucket_keys] = np.arange(len(bucket_keys))
    for highest in range(chunk.width):
        # Each pair of buckets comes once: from the bucket that lacks the highest flipped bit.
        lacking = np.flatnonzero((bucket_keys & (1 << highest)) == 0)
        keys = bucket_keys[lacking].astype(np.int32)
        for more in range(chunk.radius):
            for lower in combinations(range(highest), more):
                mask = sum((1 << bit for bit in lower), 1 << highest)
                partner = bucket_of[keys ^ np.int32(mask)]
                met = np.flatnonzero(partner != _NO_BUCKET)
                yield lacking[met], partner[met]


def _expand(rows: _Positions, low: _Positions, high: _Positions) -> Iterator[tuple[_Positions, _Positions]]:
    """Yield each row with every position of `low[i]:high[i]`, in pieces of about `_PIECE` pairs."""
    counts = high - low
    total = np.cumsum(counts)
    begin = 0
    while begin < len(rows):
        done = int(total[begin - 1]) if begin else 0
        end = max(begin + 1, int(np.searchsorted(total, done + _PIECE, side="right")))
        piece = counts[begin:end]
        if piece.any():
            yield np.repeat(rows[begin:end], piece), _ranges(low[begin:end], piece)
        begin = end


def _ranges(starts: _Positions, lengths: _Positions) -> _Positions:
    """Return `starts[0], starts[0] + 1, ...` for each start and length, one after the other."""
    before = np.cumsum(lengths) - lengths
    ranges: _Positions = np.arange(int(lengths.sum()), dtype=np.int64)
    ranges += np.repeat(starts - before, lengths)
    return ranges

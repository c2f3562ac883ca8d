"""Pairs of 64-bit codes: exactly those that comparing everything to everything finds, each once, in order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from benchwright.diagnostics.features import hamming
from benchwright.diagnostics.features.hamming import MAX_DISTANCE, pairs_within


def by_brute_force(codes: np.ndarray, distance: int) -> list[tuple[int, int, int]]:
    bits = np.bitwise_count(codes[:, None] ^ codes[None, :])
    left, right = np.nonzero(np.triu(bits <= distance, 1))
    return [(int(i), int(j), int(bits[i, j])) for i, j in zip(left, right, strict=True)]


def found(codes: np.ndarray, distance: int) -> list[tuple[int, int, int]]:
    pairs = pairs_within(codes, distance=distance)
    return list(zip(pairs.left.tolist(), pairs.right.tolist(), pairs.distance.tolist(), strict=True))


def near(centre: int, flips: list[int]) -> int:
    for bit in flips:
        centre ^= 1 << bit
    return centre


BIT = st.integers(0, 63)
CODE = st.integers(0, 2**64 - 1)
CLOSE = st.builds(near, st.sampled_from([0, 2**64 - 1, 0x5555_5555_0000_FFFF]), st.lists(BIT, max_size=12))


@given(codes=st.lists(CODE | CLOSE, max_size=60), distance=st.integers(0, MAX_DISTANCE))
def test_exactly_the_pairs_within_the_distance_are_found(codes: list[int], distance: int) -> None:
    as_array = np.array(codes, np.uint64)
    assert found(as_array, distance) == by_brute_force(as_array, distance)


@given(
    varying=st.lists(BIT, min_size=1, max_size=7, unique=True),
    rows=npst.arrays(np.bool_, st.tuples(st.integers(0, 70), st.just(7))),
    distance=st.integers(0, 5),
)
def test_codes_that_share_all_but_a_few_bits_are_searched_exactly(
    varying: list[int], rows: np.ndarray, distance: int
) -> None:
    codes = np.full(len(rows), 0xF0F0_1234_5678_9ABC, np.uint64)
    for column, bit in enumerate(varying):
        codes ^= rows[:, column].astype(np.uint64) << np.uint64(bit)
    assert found(codes, distance) == by_brute_force(codes, distance)


# Few pieces at a large distance mean tens of thousands of neighbours a code, which no plan takes.
@pytest.mark.parametrize(
    ("pieces", "distance"),
    [(3, 0), (3, 8), (3, 11), (4, 8), (4, 11), *((m, d) for m in (5, 7, 16) for d in (0, 3, 8, 16))],
)
def test_every_way_of_cutting_the_codes_finds_the_same_pairs(
    monkeypatch: pytest.MonkeyPatch, pieces: int, distance: int
) -> None:
    rng = np.random.default_rng(pieces)
    codes = rng.integers(0, 2**64, 90, dtype=np.uint64)
    codes = np.concatenate([codes, codes[:40] ^ (np.uint64(1) << rng.integers(0, 64, 40, dtype=np.uint64)), codes[:7]])
    flips = rng.integers(0, 2**64, (30, 3), dtype=np.uint64)
    codes = np.concatenate([codes, codes[:30] ^ (flips[:, 0] & flips[:, 1] & flips[:, 2])])
    monkeypatch.setattr(hamming, "_chunk_count", lambda count, distance: pieces)
    assert found(codes, distance) == by_brute_force(codes, distance)


@settings(max_examples=20)
@given(codes=st.lists(CLOSE, min_size=20, max_size=60))
def test_small_pieces_of_candidates_change_nothing(codes: list[int]) -> None:
    as_array = np.array(codes, np.uint64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hamming, "_PIECE", 5)
        patch.setattr(hamming, "_AT_A_TIME", 7)
        patch.setattr(hamming, "_MOST_SLOTS", 4)
        assert found(as_array, 6) == by_brute_force(as_array, 6)


def test_thousands_of_codes_are_searched_exactly() -> None:
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 2**64, 3001, dtype=np.uint64)
    codes[1000:1400] = codes[:400] ^ (rng.integers(0, 2**64, 400, dtype=np.uint64) & np.uint64(0x0101_0101_0000_0101))
    assert found(codes, 8) == by_brute_force(codes, 8)


def test_no_codes_have_no_pairs() -> None:
    assert found(np.zeros(0, np.uint64), 4) == []


@pytest.mark.parametrize("distance", [-1, MAX_DISTANCE + 1])
def test_a_distance_out_of_range_is_refused_with_the_value(distance: int) -> None:
    with pytest.raises(ValueError, match=f"0 to 16 bits, not {distance}"):
        pairs_within(np.zeros(2, np.uint64), distance=distance)

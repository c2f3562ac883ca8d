"""Kept images: an image is dropped only for a directly confirmed copy that is kept, whatever the order of images."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from benchwright.filters.duplicates.kept_copies import Decisions, Links, decide

NONE: frozenset[str] = frozenset()
COUNT = 7
PAIRS = st.lists(
    st.tuples(st.integers(0, COUNT - 1), st.integers(0, COUNT - 1)).filter(lambda pair: pair[0] != pair[1]),
    max_size=12,
    unique_by=frozenset,
)


def decided(
    confirmed: list[tuple[int, int]],
    unsure: list[tuple[int, int]] | None = None,
    *,
    exempt: dict[int, set[str]] | None = None,
    kept: frozenset[int] = frozenset(),
    rank: list[int] | None = None,
) -> Decisions:
    groups = [frozenset((exempt or {}).get(n, NONE)) for n in range(COUNT)]
    return decide(Links(confirmed, unsure or []), rank=rank or list(range(COUNT)), exempt=groups, kept=kept)


def test_the_worse_of_two_copies_is_dropped_for_the_better() -> None:
    assert decided([(3, 1)]).dropped == {3: 1}


def test_of_a_chain_a_stranger_to_the_kept_one_stays() -> None:
    assert decided([(0, 1), (1, 2)]) == Decisions({1: 0}, {}, {0: 0, 1: 0, 2: 0})


def test_the_best_of_a_chain_takes_both_neighbours_away() -> None:
    assert decided([(0, 1), (1, 2)], rank=[1, 0, 2, 3, 4, 5, 6]).dropped == {0: 1, 2: 1}


def test_an_unsure_pair_is_asked_about_under_the_worse() -> None:
    assert decided([], [(5, 2)]).to_ask == {5: (2,)}


def test_nobody_is_asked_about_what_is_dropped_anyway() -> None:
    assert decided([(0, 1)], [(1, 2), (0, 3)]).to_ask == {3: (0,)}


def test_images_of_one_declared_group_are_exempt_and_others_are_not() -> None:
    found = decided([(0, 1), (0, 2)], [(1, 3)], exempt={0: {"pair"}, 1: {"pair", "scene"}, 3: {"scene"}})
    assert found == Decisions({2: 0}, {}, {0: 0, 2: 0})


def test_a_protected_image_is_asked_about_rather_than_dropped() -> None:
    assert decided([(0, 1), (1, 2)], kept=frozenset({0, 1})) == Decisions({2: 1}, {1: (0,)}, {0: 0, 1: 0, 2: 0})


def test_images_without_links_are_not_spoken_of() -> None:
    assert decided([]) == Decisions({}, {}, {})


@given(PAIRS, PAIRS, st.permutations(range(COUNT)), st.frozensets(st.integers(0, COUNT - 1), max_size=2))
def test_what_holds_for_any_links(
    confirmed: list[tuple[int, int]], unsure: list[tuple[int, int]], rank: list[int], kept: frozenset[int]
) -> None:
    found = decided(confirmed, unsure, rank=rank, kept=kept)
    direct = {frozenset(pair) for pair in confirmed}
    for image, best in found.dropped.items():
        assert best not in found.dropped
        assert frozenset((image, best)) in direct
        assert rank[best] < rank[image]
        assert image not in kept
    for one, other in confirmed:
        assert one in found.dropped or other in found.dropped or kept & {one, other}
    for image, others in found.to_ask.items():
        assert not {image, *others} & found.dropped.keys()


@given(PAIRS, PAIRS, st.permutations(range(COUNT)), st.integers(0, 99))
def test_the_order_of_links_and_their_ends_changes_nothing(
    confirmed: list[tuple[int, int]], unsure: list[tuple[int, int]], rank: list[int], seed: int
) -> None:
    shuffle = random.Random(seed)

    def shuffled(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
        turned = [(other, one) if shuffle.random() < 0.5 else (one, other) for one, other in pairs]
        shuffle.shuffle(turned)
        return turned

    assert decided(shuffled(confirmed), shuffled(unsure), rank=rank) == decided(confirmed, unsure, rank=rank)


@given(PAIRS, st.permutations(range(COUNT)))
def test_a_second_round_drops_nobody(confirmed: list[tuple[int, int]], rank: list[int]) -> None:
    dropped = decided(confirmed, rank=rank).dropped
    left = [pair for pair in confirmed if not set(pair) & dropped.keys()]
    assert decided(left, rank=rank).dropped == {}

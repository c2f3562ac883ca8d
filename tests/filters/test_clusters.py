"""Connected components: the smallest node reached, as a plain search finds it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from benchwright.diagnostics.copies.clusters import components


def searched(count: int, links: list[tuple[int, int]]) -> list[int]:
    beside: dict[int, set[int]] = {node: {node} for node in range(count)}
    for one, other in links:
        beside[one].add(other)
        beside[other].add(one)
    smallest = []
    for node in range(count):
        seen, edge = {node}, [node]
        while edge:
            edge = [other for other in set().union(*(beside[one] for one in edge)) if other not in seen]
            seen.update(edge)
        smallest.append(min(seen))
    return smallest


@given(st.data())
def test_components_are_what_a_search_reaches(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 25))
    node = st.integers(0, count - 1)
    links = data.draw(st.lists(st.tuples(node, node), max_size=30))
    ends = np.array(links, np.int64).reshape(-1, 2)
    assert components(count, ends[:, 0], ends[:, 1]).tolist() == searched(count, links)


def test_a_long_chain_is_one_component() -> None:
    shuffled = np.random.default_rng(2).permutation(5000)
    assert set(components(5000, shuffled[1:], shuffled[:-1]).tolist()) == {0}


def test_without_links_every_node_is_alone() -> None:
    nothing = np.zeros(0, np.int64)
    assert components(3, nothing, nothing).tolist() == [0, 1, 2]

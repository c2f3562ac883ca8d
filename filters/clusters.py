"""Connected components of pairs: what splits and people see together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def components(count: int, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each of `count` nodes the smallest node that it is linked to, through others or directly.

    A chain A-B-C is one component although A and C may be strangers: good for keeping things together, not
    for dropping any of them.

    Args:
        count: Nodes are 0 to count - 1.
        left: Shape (links,): one end of each link, in any order.
        right: Shape (links,): the other end.
    """
    root = np.arange(count, dtype=np.int64)
    while True:
        one, other = root[left], root[right]
        apart = np.flatnonzero(one != other)
        if not len(apart):
            return root
        one, other = one[apart], other[apart]
        np.minimum.at(root, np.maximum(one, other), np.minimum(one, other))
        while not np.array_equal(root, above := root[root]):
            root = above

"""Connected components of pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def components(count: int, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return, for each of `count` nodes, the smallest node of its connected component.

    A chain A-B-C is one component even if A and C have nothing in common. All members of a component must stay in one
    split; but not all members may be dropped.

    Args:
        count: Nodes are 0 to count - 1.
        left: Shape (links,), one end of each link, in any order.
        right: Shape (links,), the other end.
    """
    root = np.arange(count, dtype=np.int64)
    while True:
        left_root, right_root = root[left], root[right]
        apart = np.flatnonzero(left_root != right_root)
        if not len(apart):
            return root
        left_root, right_root = left_root[apart], right_root[apart]
        np.minimum.at(root, np.maximum(left_root, right_root), np.minimum(left_root, right_root))
        while not np.array_equal(root, above := root[root]):
            root = above

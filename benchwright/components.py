"""Items that belong together: those that share a group key, directly or through others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def components_of(group_keys: Iterable[Sequence[str] | None]) -> list[int]:
    """Return the component of each row, numbered from 0 in the order of their first rows.

    Rows that share a key are in one component, and so are those that hang together through others. A row without
    keys is alone. Union-find with path halving; memory grows with the rows and the different keys, which are read once.

    Example:
        >>> components_of([["a"], ["b"], None, ["a", "b"]])
        [0, 0, 1, 0]
    """
    parent: list[int] = []

    def find(row: int) -> int:
        while parent[row] != row:
            parent[row] = parent[parent[row]]
            row = parent[row]
        return row

    first_with: dict[str, int] = {}
    for row, keys in enumerate(group_keys):
        parent.append(row)
        for key in keys or ():
            one, other = find(row), find(first_with.setdefault(key, row))
            # The earlier row stays the root, so that roots come up in the order of first rows.
            parent[max(one, other)] = min(one, other)
    number: dict[int, int] = {}
    return [number.setdefault(find(row), len(number)) for row in range(len(parent))]

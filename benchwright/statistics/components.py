"""Rows that share group keys: their connected components, and keys that occur in several splits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


def components_of(group_keys: Iterable[Sequence[str] | None]) -> list[int]:
    """Return the component of each row, numbered from 0 in the order of their first rows.

    Rows that share a key are in one component, and so are rows connected through other rows. A row without keys is a
    separate component.

    Example:
        >>> components_of([["a"], ["b"], None, ["a", "b"]])
        [0, 0, 1, 0]
    """
    import pyarrow as pa

    from benchwright.workspace.arrow_arrays import arrow_array

    return components_of_column([arrow_array(list(group_keys), pa.list_(pa.string()))])


def components_of_column(group_keys: Sequence[pa.ListArray]) -> list[int]:
    """Return the components of a chunked column of key lists, as a list (see `component_numbers`)."""
    numbers: list[int] = component_numbers(group_keys).tolist()
    return numbers


def component_numbers(group_keys: Sequence[pa.ListArray]) -> NDArray[np.int64]:
    """Return the components of a chunked column of key lists, without a Python object per row.

    The components are those of a bipartite graph: rows on one side, keys on the other, and an edge for each key of a
    row.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    from benchwright.workspace.arrow_arrays import integers_of

    lists = pa.chunked_array(group_keys, pa.list_(pa.string())).combine_chunks()
    count = len(lists)
    row = integers_of(pc.list_parent_indices(lists))
    keys = lists.flatten().dictionary_encode()
    key = integers_of(keys.indices) + count
    if (np.diff(row) > 0).all():  # no row has two keys to connect others
        component = np.arange(count)
        component[row] = key
    else:
        component = _connected(row, key, count, len(keys.dictionary))
    _, first, place = np.unique(component, return_index=True, return_inverse=True)
    number = np.empty(len(first), np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    return number[place]


def _connected(row: NDArray[Any], key: NDArray[Any], rows: int, keys: int) -> NDArray[Any]:
    """Return the index of each row's component, in no fixed order; the graph's nodes are the rows, then the keys."""
    import numpy as np
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    edges = coo_array((np.ones(len(row), np.int8), (row, key)), shape=(rows + keys, rows + keys))
    components: NDArray[Any] = connected_components(edges, directed=False)[1][:rows]
    return components


class SplitsOfKeys:
    """The splits in which each group key occurs."""

    def __init__(self) -> None:
        self._splits: dict[str, set[str]] = {}

    def __bool__(self) -> bool:
        """Return whether any key was counted."""
        return bool(self._splits)

    def add(self, group_keys: Iterable[str] | None, split: str) -> None:
        """Count a row's keys."""
        for key in group_keys or ():
            self._splits.setdefault(key, set()).add(split)

    def torn(self) -> Mapping[str, tuple[str, ...]]:
        """Return the keys that occur in several splits, each with the names of its splits; both are sorted."""
        return {key: tuple(sorted(splits)) for key, splits in sorted(self._splits.items()) if len(splits) > 1}

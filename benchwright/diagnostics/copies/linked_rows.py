"""Rows of pictures that name other pictures or are named by them, so that a step that decides on pairs builds objects
only for these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchwright.workspace.arrow_arrays import integers_of

if TYPE_CHECKING:
    import pyarrow as pa


def linked_rows(columns: pa.Table, names: Sequence[str]) -> NDArray[np.int64]:
    """Return, in order, the rows of pictures that name a picture of the table in a column, and of the pictures so
    named.

    Args:
        columns: Table with `image_id`.
        names: Columns that list the ids of other pictures; an id outside the table is ignored.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    naming, named = [], []
    for name in names:
        lists = columns.column(name).combine_chunks().cast(pa.list_(pa.string()))
        naming.append(integers_of(pc.list_parent_indices(lists)))
        named.append(pc.list_flatten(lists))
    every = pa.chunked_array(named, pa.string())
    target = integers_of(pc.index_in(every, value_set=columns.column("image_id").combine_chunks()))
    is_there = target >= 0
    return np.unique(np.concatenate([np.concatenate(naming)[is_there], target[is_there]]))

"""Accuracy by the labels of items: level, category and attributes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from benchwright.statistics.clustered import share_right
from benchwright.statistics.proportions import Estimate, mean_of_proportions

from ...prompting.item_index import labels_in
from .units import has

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

MOST_VALUES = 64
"""Largest number of values for an attribute to define groups; file names, for example, have more."""


def accuracy_by(judged: pa.Table) -> Mapping[str, Estimate]:
    """Return the accuracy for each value of a label, and the unweighted mean across the values.

    The names are `accuracy_by/level/low`, `accuracy_by/category/...`, `accuracy_by/<attribute>/<value>`, and for each
    label its mean such as `accuracy_macro_by/level`. Each divides by the number of items with the value. Labels are
    level, category, and attributes that are texts or yes/no, with 2 to 64 values; an item whose text lists several
    values, separated by commas, is included in each. An attribute named like a column is called `attribute.level`.
    """
    if not has(judged, "level", "category", "attributes"):
        return {}
    right, group = (judged.column(name).to_numpy() for name in ("right", "group"))
    estimates: dict[str, Estimate] = {}
    for label, held in _labels(judged).items():
        if 2 <= len(held) <= MOST_VALUES:
            shares = {}
            for value, rows in sorted(held.items()):
                name = f"accuracy_by/{label}/{value}"
                shares[name] = share_right(right[rows], group[rows])
            estimates |= shares
            estimates[f"accuracy_macro_by/{label}"] = mean_of_proportions(list(shares.values()))
    return estimates


def _labels(judged: pa.Table) -> dict[str, dict[str, NDArray[np.bool_]]]:
    """Return, for each label, the rows that have each of its values."""
    import numpy as np

    rows_by_label: dict[str, dict[str, NDArray[np.bool_]]] = {}
    for column in ("level", "category", "attributes"):
        texts, codes = _codes(judged.column(column))
        if column == "attributes":
            named = [_of_attributes(json.loads(text or "{}")) for text in texts]
        else:
            named = [[(column, text)] for text in texts]
        codes_by_pair: dict[tuple[str, str], list[int]] = {}
        for code, pairs in enumerate(named):
            for pair in pairs:
                codes_by_pair.setdefault(pair, []).append(code)
        most = {label for label, count in Counter(label for label, _ in codes_by_pair).items() if count > MOST_VALUES}
        for (label, value), having in codes_by_pair.items():
            if label not in most:
                rows_by_label.setdefault(label, {})[value] = np.isin(codes, having)
    return dict(sorted(rows_by_label.items()))


def _codes(column: pa.ChunkedArray) -> tuple[list[str], NDArray[np.int64]]:
    """Return the distinct strings in a column, and the index of each row's string among them; -1 for null."""
    import numpy as np
    import pyarrow.compute as pc

    texts = pc.unique(column).drop_null()
    return texts.to_pylist(), pc.fill_null(pc.index_in(column, value_set=texts), -1).to_numpy().astype(np.int64)


def _of_attributes(attributes: dict[str, Any]) -> list[tuple[str, str]]:
    named = []
    for name, value in attributes.items():
        label = f"attribute.{name}" if name in {"level", "category"} else name
        if isinstance(value, bool):
            named.append((label, "yes" if value else "no"))
        elif isinstance(value, str):
            named += [(label, text) for text in labels_in(value)]
    return named

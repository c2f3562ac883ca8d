"""Accuracy by what items are labelled with: level, category and attributes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..labels import labels_in
from ..statistics import Estimate, mean_of_proportions
from .units import has, share_of, singly

if TYPE_CHECKING:
    import pyarrow as pa

MOST_VALUES = 64
"""Attributes with more values, such as file names, tell no groups."""


def accuracy_by(judged: pa.Table) -> Mapping[str, Estimate]:
    """Return accuracy within each value of a label, and the unweighted mean over the values.

    `accuracy_by/level/low`, `accuracy_by/category/...`, `accuracy_by/<attribute>/<value>`, and for each label its mean
    such as `accuracy_macro_by/level`. Each divides by the items that have the value. Labels are level, category, and
    attributes that are texts or yes/no, with 2 to 64 values; a text with commas between several values counts in each.
    An attribute named like a column stands as `attribute.level`.
    """
    if not has(judged, "level", "category", "attributes"):
        return {}
    found: dict[str, Estimate] = {}
    for label, groups in _labels(judged).items():
        if 2 <= len(groups) <= MOST_VALUES:
            shares = {}
            for value, places in sorted(groups.items()):
                name = f"accuracy_by/{label}/{value}"
                shares[name] = share_of(singly(judged.select(["right", "group"]).take(places).to_pylist()), name)
            found |= shares
            found[f"accuracy_macro_by/{label}"] = mean_of_proportions(list(shares.values()))
    return found


def _labels(judged: pa.Table) -> dict[str, dict[str, list[int]]]:
    """Return the rows that have each value, by label."""
    found: dict[str, dict[str, list[int]]] = {}
    kept: dict[str, list[tuple[str, str]]] = {}
    columns = (judged.column(name).to_pylist() for name in ("level", "category", "attributes"))
    for place, (level, category, attributes) in enumerate(zip(*columns, strict=True)):
        named = [(name, text) for name, text in (("level", level), ("category", category)) if text is not None]
        if attributes not in kept:
            kept[attributes] = _of_attributes(json.loads(attributes or "{}"))
        for label, value in (*named, *kept[attributes]):
            found.setdefault(label, {}).setdefault(value, []).append(place)
    return dict(sorted(found.items()))


def _of_attributes(attributes: dict[str, Any]) -> list[tuple[str, str]]:
    named = []
    for name, value in attributes.items():
        label = f"attribute.{name}" if name in {"level", "category"} else name
        if isinstance(value, bool):
            named.append((label, "yes" if value else "no"))
        elif isinstance(value, str):
            named += [(label, one) for one in labels_in(value)]
    return named

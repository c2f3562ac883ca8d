"""II-Bench's metrics on releases whose items have its labels (paper, appendix E.2, tables 3, 7 and 8)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from benchwright.statistics.proportions import Estimate

from ...prompting.item_index import labels_in
from .units import Row, by_value, has, rows_with, share_of, singly

if TYPE_CHECKING:
    import pyarrow as pa

LABELS = ("domain", "emotion", "image_type", "difficulty", "rhetoric")
NEEDED = frozenset({"domain", "emotion", "rhetoric"})


def ii_bench(judged: pa.Table) -> Mapping[str, Estimate]:
    """Return accuracy, error rate and miss rate of the items that have a domain, an emotion and a rhetoric label.

    These are attributes; the domain may be the category instead, as in imported releases. `ii_bench/accuracy`, `/error`
    and `/miss` divide by all such items. An error is a failed request; a miss is any other reply that names no letter,
    including refusals. `ii_bench/<rate>/<label>/<value>` divides by the items with that value of domain, emotion,
    image_type, difficulty or rhetoric; an item with two figures of rhetoric, `"Metaphor,Contrast"`, is included in
    both.
    """
    if not has(judged, "attributes", "category", "state"):
        return {}
    read = cache(_labels)
    rows = rows_with(_labelled(judged), "attributes", "category", "state")
    rows = [row for row in rows if read(row["attributes"], row["category"]).keys() >= NEEDED]
    if not rows:
        return {}
    estimates = _rates("ii_bench/{}", rows)
    for label in LABELS:
        groups = by_value(rows, lambda row: read(row["attributes"], row["category"]).get(label, ()))  # noqa: B023
        for value, group in groups.items():
            estimates |= _rates(f"ii_bench/{{}}/{label}/{value}", group)
    return estimates


def _rates(name: str, rows: Sequence[Row]) -> dict[str, Estimate]:
    units = {
        "accuracy": singly(rows),
        "error": singly(rows, lambda row: row["state"] == "error"),
        "miss": singly(rows, lambda row: row["state"] in {"miss", "refusal", "cut_off"}),
    }
    named = {name.replace("{}", rate, 1): some for rate, some in units.items()}
    return {full: share_of(some) for full, some in named.items()}


def _labelled(judged: pa.Table) -> pa.Table:
    """Return the rows whose attributes mention emotion; no other row is converted to Python values."""
    import pyarrow.compute as pc

    return judged.filter(pc.match_substring(judged.column("attributes"), '"emotion"'))


def _labels(attributes: str, category: str | None) -> dict[str, tuple[str, ...]]:
    labels = {"domain": category, **json.loads(attributes or "{}")}
    return {name: values for name in LABELS if (values := labels_in(labels.get(name)))}

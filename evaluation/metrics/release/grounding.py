"""Measures of how well models point at the regions that people marked as the reason for the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from benchwright.statistics.clustered import share_right
from benchwright.statistics.proportions import Estimate

from .units import Row, has, rows_with, share_of, singly

if TYPE_CHECKING:
    import pyarrow as pa

LEAST_IOU = 0.5
"""Smallest intersection over union at which a region is considered found, as in PASCAL VOC
(doi:10.1007/s11263-009-0275-4, section 4.2)."""
_PARTS = 1000


def grounding(judged: pa.Table) -> Mapping[str, Estimate]:
    """Return how well models locate the evidence for their answers; only under the protocol `grounded`.

    All divide by the number of items for which a region was requested; a failed reply or one without a box is counted
    as an overlap of 0.

    - `grounding/mean_iou`: mean intersection over union with the regions that people marked, 0 to 1, to a thousandth.
    - `grounding/found`: proportion with an overlap of at least `LEAST_IOU`.
    - `grounding/right_and_found`: proportion that is also answered correctly.
    - `grounding/found_if_right`: proportion of correctly answered items for which the region was found: how often a
      right answer is based on the evidence that people use.
    """
    if not has(judged, "region_iou"):
        return {}
    import numpy as np

    rows = rows_with(judged, "region_iou", where="region_iou")
    if not rows:
        return {}

    def is_found(row: Row) -> bool:
        return bool(row["region_iou"] >= LEAST_IOU)

    overlaps = np.array([round(_PARTS * row["region_iou"]) for row in rows], np.int64)
    groups = np.array([row["group"] for row in rows], np.int64)
    answered = [row for row in rows if row["right"]]
    return {
        "grounding/mean_iou": share_right(overlaps, groups, parts=_PARTS),
        "grounding/found": share_of(singly(rows, is_found)),
        "grounding/right_and_found": share_of(singly(rows, lambda row: row["right"] and is_found(row))),
        "grounding/found_if_right": share_of(singly(answered, is_found)),
    }

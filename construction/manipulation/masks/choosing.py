"""Choice of the subject's mask among a picture's masks: by MVP-Bench's equation (1), or by IoU, which avoids large
masks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from ...item_parts.cutting_out import Mask, rectangle
from ...item_parts.marks.boxes import Box

Overlap = Literal["iou", "paper"]


def choose(masks: Sequence[Mask], box: Box, *, overlap: Overlap, max_area: float) -> int | None:
    """Return the index of the mask that overlaps most with a box, the first among equals, or None if none overlaps.

    Args:
        masks: Masks of one picture, each of the picture's size.
        box: Box of the subject.
        overlap: `paper`: number of pixels that mask and box share (equation 1). The larger of two masks around the
            subject then wins, and a mask of the whole picture beats all. `iou`: the shared area over the area of both
            together, among masks that cover at most `max_area`.
        max_area: Largest area, as a fraction of the picture.
    """
    best, number = 0.0, None
    for place, mask in enumerate(masks):
        wanted = rectangle(box, mask.shape)
        shared = float(np.count_nonzero(mask & wanted))
        if overlap == "iou":
            if mask.mean() > max_area:
                continue
            shared /= max(1, int(np.count_nonzero(mask | wanted)))
        if shared > best:
            best, number = shared, place
    return number

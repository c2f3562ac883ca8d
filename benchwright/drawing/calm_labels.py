"""Label positions that keep lettering and other fine detail of the pictures visible.

All marks of an item use the same label position: the one that covers the least detail in all their pictures together.
If each label took the position with the least detail around its own mark, marks of the same object in two pictures
would have their labels on the same side, which would give the right one away.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchwright.drawing import lay_out
from benchwright.drawing.areas import Rect
from benchwright.drawing.clear_colors import Grounds
from benchwright.drawing.marks import PromptError
from benchwright.drawing.painting import Pixels
from benchwright.records import VisualPrompt

_EDGE_LEVELS = 48
"""Smallest difference between neighboring pixels, in any channel, that counts as an edge."""
_LETTERING = 0.15
"""Smallest proportion of edges at which a position counts as lettering or similar detail; grass and cloth have less."""
_TRIED = 16
"""Number of positions to try, starting with those nearest to a mark."""


def with_calm_labels(grounds: Grounds) -> list[tuple[VisualPrompt, ...]]:
    """Return each picture's marks with the label position that covers the least detail.

    Marks are unchanged if no label covers detail, or if no position covers less.

    Args:
        grounds: Pictures of an item, each with its marks, all of which fit into it.
    """
    first = [tuple(prompt.model_copy(update={"label_place": None}) for prompt in prompts) for _, prompts in grounds]
    best, least = first, _covered(grounds, first)
    for place in range(_TRIED):
        if not least:
            break
        named = [tuple(each.model_copy(update={"label_place": place}) for each in prompts) for prompts in first]
        covered = _covered(grounds, named)
        if covered is not None and covered < least:
            best, least = named, covered
    return best


def _covered(grounds: Grounds, marks: Sequence[Sequence[VisualPrompt]]) -> int | None:
    """Return how many labels cover lettering or similar detail; None if a label has no room."""
    shares: list[float] = []
    for (pixels, _), prompts in zip(grounds, marks, strict=True):
        try:
            drawn = lay_out(prompts, width=pixels.shape[1], height=pixels.shape[0])
        except PromptError:
            return None
        shares += [_edges(pixels, one.label_box) for one in drawn if one.label_box is not None]
    return sum(share > _LETTERING for share in shares)


def _edges(pixels: Pixels, rect: Rect) -> float:
    """Return the proportion of edges in a rectangle of a picture, 0-1."""
    top, left = max(0, int(rect.top)), max(0, int(rect.left))
    part = pixels[top : int(np.ceil(rect.bottom)), left : int(np.ceil(rect.right))].astype(np.int16)
    if min(part.shape[:2]) < 2:
        return 0.0
    across = np.abs(np.diff(part, axis=1))[:-1].max(axis=2)
    down = np.abs(np.diff(part, axis=0))[:, :-1].max(axis=2)
    return float((np.maximum(across, down) >= _EDGE_LEVELS).mean())

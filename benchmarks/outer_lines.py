"""A cheat for jigsaws that ignores the join: it compares the outer lines of the pieces with the picture's.

The right and lower lines of the right piece continue those of the picture with the hole. If these lines are the border
of the photographed or drawn scene, margins and frames reveal the piece. The same comparison along lines through the
middle of the pieces measures how far similarity within a row or column reveals the piece without a border; that much
belongs to the task of a jigsaw.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from made_items import MadeItems
from numpy.typing import NDArray

from benchwright.images import decode_rgb
from benchwright.records import Item
from benchwright.statistics.proportions import wilson

Line = NDArray[np.float64]
INNER = (0.25, 0.5, 0.75)
"""Places of lines within a piece, as a share of its side, in addition to those at its end."""
_OFF_THE_JOIN = 4
"""Share of a piece's side from which its lines count: parts nearer to the join are excluded."""


class _Lines(NamedTuple):
    """The looks of two lines: one vertical and one horizontal."""

    down: Line
    across: Line


def outer_lines(made: Sequence[MadeItems]) -> dict[str, Any]:
    """Return the share of jigsaws in which the lines reveal the right piece: the outer ones, then those within."""
    shown = [
        (item, [decode_rgb(part.files[image.image_id]) for image in item.images])
        for part in made
        for item in part.items
    ]
    return {f"{place:g}": _told(shown, place) for place in (1.0, *INNER)}


def _told(shown: Sequence[tuple[Item, list[NDArray[np.uint8]]]], place: float) -> dict[str, Any]:
    right = sum(_piece_by_lines(pictures, place) == item.answer for item, pictures in shown)
    share = wilson(right, len(shown))
    return {"right": round(share.value, 3), "interval": [round(end, 3) for end in share.interval]}


def _piece_by_lines(pictures: Sequence[NDArray[np.uint8]], place: float) -> str:
    """Return the key of the piece whose lines at a place are most like the picture's lines that they continue."""
    picture, *pieces = pictures
    height, width = pieces[0].shape[:2]
    x, y = min(int(place * width), width - 1), min(int(place * height), height - 1)
    wanted = _Lines(_looks(picture[:height, width + x]), _looks(picture[height + y, :width]))
    found = [
        _Lines(_looks(piece[height // _OFF_THE_JOIN :, x]), _looks(piece[y, width // _OFF_THE_JOIN :]))
        for piece in pieces
    ]
    away = [np.abs(lines.down - wanted.down).sum() + np.abs(lines.across - wanted.across).sum() for lines in found]
    return "AB"[int(np.argmin(away))]


def _looks(line: NDArray[np.uint8]) -> Line:
    """Return mean color, gray levels, spread and unrest of a line, scaled to equal weight."""
    grey = line.mean(axis=1)
    unrest = np.log(0.5 + np.abs(np.diff(grey)).mean())
    spread = np.log(1 + line.std(axis=0).mean())
    return np.concatenate([line.mean(axis=0) / 40, np.quantile(grey, (0.1, 0.5, 0.9)) / 40, [unrest, spread]])

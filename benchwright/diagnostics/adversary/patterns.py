"""Patterns that recur in many pictures: a dictionary of the patches that stand out, learned without any key.

A mark drawn by a program looks alike everywhere; a detail of a scene stands out in one picture. The dictionary
therefore consists of those outstanding patches that have the most similar patches in other pictures. Patches are
compared by the cosine of their residuals after subtracting the border color, so that the background of a faint mark has
no influence.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .item_evidence import PictureEvidence

Floats = NDArray[np.float32]

PATTERNS = 24
"""Largest number of patterns in a dictionary."""
OF_PATTERN = ("likeness to", "presence of", "column of", "row of", "distance from the middle of",
              "red of", "green of", "blue of")  # fmt: skip
"""Measures of a picture for each pattern, in this order."""
_MOST_PATCHES = 3000
_ALIKE = 0.75
_LEAST_SHARE, _LEAST_PICTURES = 0.04, 5
_INNER = slice(1, 10)


def dictionary(pictures: Sequence[PictureEvidence], rng: np.random.Generator) -> Floats:
    """Return patterns of patches that recur in other pictures, most frequent first; shape (patterns, values).

    Args:
        pictures: The pictures.
        rng: Random generator for choosing among patches if there are very many.
    """
    count = max(1, min(len(pictures), _MOST_PATCHES // max(1, pictures[0].patches.shape[0])))
    chosen = np.sort(rng.permutation(len(pictures))[:count])
    units = np.concatenate([_units(pictures[at]) for at in chosen])
    owner = np.repeat(np.arange(count), pictures[0].patches.shape[0])
    alike = units @ units.T > _ALIKE
    needed = max(_LEAST_PICTURES, _LEAST_SHARE * count)
    free = np.abs(units).max(axis=1) > 0
    found: list[Floats] = []
    by_picture = (owner[:, None] == np.arange(count)).astype(np.float32)
    near_in = alike[:, free].astype(np.float32) @ by_picture[free]  # free patches of each picture that are similar
    while len(found) < PATTERNS and free.any():
        support = (near_in > 0).sum(axis=1) * free
        best = int(support.argmax())
        if support[best] < needed:
            break
        members = alike[best] & free
        mean = units[members].mean(axis=0)
        found.append(np.asarray(mean / max(1e-6, float(np.linalg.norm(mean))), np.float32))
        taken = free & ((units @ found[-1] > _ALIKE) | members)
        near_in -= alike[:, taken].astype(np.float32) @ by_picture[taken]
        free &= ~taken
    return np.stack(found) if found else np.zeros((0, units.shape[1]), np.float32)


def occurrences(picture: PictureEvidence, patterns: Floats) -> Floats:
    """Return how a picture shows each pattern, in the order of `OF_PATTERN`, in the shape (patterns, measures).

    A missing pattern gets the center as its position and gray as its color, which reveal nothing.

    Args:
        picture: The picture.
        patterns: The result of `dictionary`.
    """
    likeness = _units(picture) @ patterns.T
    best = likeness.argmax(axis=0)
    most = likeness[best, np.arange(len(patterns))]
    there = most > _ALIKE
    column, row = picture.spots[best, 0], picture.spots[best, 1]
    color = picture.patches[best][:, 4:7, 4:7].reshape(len(patterns), -1, 3).mean(axis=1, dtype=np.float32)
    found = np.column_stack(
        [
            most, there, np.where(there, column, 0.5), np.where(there, row, 0.5),
            np.where(there, np.hypot(column - 0.5, row - 0.5), 0.38), np.where(there[:, None], color, 128),
        ]
    )  # fmt: skip
    return np.asarray(found, np.float32)


def _units(picture: PictureEvidence) -> Floats:
    """Return the inner pixels of patches minus their border color, scaled to length 1; shape (patches, values)."""
    patches = picture.patches.astype(np.float32)
    border = np.concatenate([patches[:, 0], patches[:, -1], patches[:, :, 0], patches[:, :, -1]], axis=1)
    rest = patches[:, _INNER, _INNER] - np.median(border, axis=1)[:, None, None]
    flat = rest.reshape(len(rest), -1)
    size = np.linalg.norm(flat, axis=1, keepdims=True)
    return np.asarray(np.where((size > 1) & (picture.spots[:, 2:3] > 0), flat / np.maximum(size, 1e-6), 0), np.float32)

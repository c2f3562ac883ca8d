"""Probes of marks drawn into pictures: where something stands out, in which color, and which patterns recur."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from benchwright.seeds import generator_for

from .item_evidence import PictureEvidence, measure_names
from .measured_blocks import Block, LearnedItems, classed, of_item, of_option_values
from .patterns import OF_PATTERN, dictionary, occurrences
from .probes import centred
from .relief import HUES, LEVELS, RELIEF_CELLS, STROKE_CELLS

_COARSE = 2
_RELIEF = (RELIEF_CELLS, RELIEF_CELLS, 3)
_COARSE_RELIEF = (RELIEF_CELLS // _COARSE, RELIEF_CELLS // _COARSE, 3)
_STROKES = (LEVELS, len(HUES), STROKE_CELLS, STROKE_CELLS)
_OF_PATCH = ("column of", "row of", "distance from the middle of", "red of", "green of", "blue of", "spread inside",
             "spread around", "step at", "evenness of the step at")  # fmt: skip


def marks_in_options(items: LearnedItems, seed: int) -> Iterator[Block]:
    """Yield the probes of marks in the pictures of options.

    Args:
        items: The items; all options are pictures.
        seed: Seed of the dictionary.
    """
    exists = items.keyed.exists
    pictures = [picture for each in items.evidence for picture in each.options]
    names, peaks = _peaks(pictures)
    yield from of_option_values(items, "peaks", "pixels", _spread(peaks, exists), names, with_odd=True)
    relief = np.zeros((*exists.shape, int(np.prod(_RELIEF) + np.prod(_COARSE_RELIEF))), np.int8)
    relief[exists] = np.stack([_flat_relief(picture) for picture in pictures])
    yield Block(
        "learned relief",
        "pixels",
        centred(relief, items.keyed, by_place=True),
        _names_at((("relief", _RELIEF), ("coarse relief", _COARSE_RELIEF))),
    )
    strokes = np.zeros((*exists.shape, int(np.prod(_STROKES))), np.float32)
    strokes[exists] = np.stack([np.log1p(picture.strokes.ravel(), dtype=np.float32) for picture in pictures])
    yield Block(
        "learned strokes", "pixels", centred(strokes, items.keyed, by_place=True), _names_at((("strokes", _STROKES),))
    )
    names, values = _patterns(pictures, seed)
    if names:
        yield from of_option_values(items, "patterns", "pixels", _spread(values, exists), names)


def marks_in_shown(items: LearnedItems, seed: int, *, beside_options: bool) -> Iterator[Block]:
    """Yield the probes of marks in the first pictures other than options, and of the letters or texts they imply.

    Each picture has separate probes, since what distinguishes one picture from another may be the task.

    Args:
        items: The items; each shows a picture.
        seed: Seed of the dictionary.
        beside_options: Whether options are pictures, for which the picture shown is the reference.
    """
    most = 1 if beside_options else min(len(each.shown) for each in items.evidence)
    for number in range(most):
        pictures = [each.shown[number] for each in items.evidence]
        title = "the reference" if beside_options else "pictures" if most == 1 else f"picture {number + 1}"
        (peak_names, peaks), (pattern_names, patterns) = _peaks(pictures), _patterns(pictures, seed)
        suffix = f" of picture {number + 1}" if most > 1 else ""
        named = [f"{name}{suffix}" for name in (*peak_names, *pattern_names)]
        rows = [dict(zip(named, row, strict=True)) for row in np.concatenate([peaks, patterns], axis=1).tolist()]
        yield from of_item(items, f"marks in {title}", "pixels", rows)
        relief = _coarse(np.stack([picture.relief for picture in pictures]))
        strokes = np.log1p(np.stack([picture.strokes for picture in pictures]), dtype=np.float32)
        for kind, maps in (("relief", relief), ("strokes", strokes)):
            flat = maps.reshape(len(maps), -1).astype(np.float32)
            yield classed(items, f"{kind} of {title}", "pixels", flat, _names_at(((kind, maps.shape[1:]),)))


Measured = tuple[list[str], NDArray[np.float32]]
"""Names of measures, and the measures of pictures as an array of shape (pictures, measures)."""


def _peaks(pictures: Sequence[PictureEvidence]) -> Measured:
    """Return the peaks of pictures, and the positions and appearance of the most prominent patch in each color."""
    names = list(measure_names()[2])
    patches = np.stack([picture.patches for picture in pictures])
    spots = np.stack([picture.spots for picture in pictures])
    there = spots[:, :, 2] > 0
    column, row = (np.where(there, spots[:, :, axis], 0.5) for axis in (0, 1))
    inside, around, further = (_part(patches, reach) for reach in (1, 3, 5))
    color = inside.mean(axis=2)
    step = np.abs(color[:, :, None] - further).max(axis=3)
    of_patches = np.stack(
        [
            column, row, np.hypot(column - 0.5, row - 0.5), *np.moveaxis(color, 2, 0), inside.std(axis=2).sum(axis=2),
            further.std(axis=2).sum(axis=2), step.mean(axis=2),
            np.abs(color[:, :, None] - around).max(axis=3).std(axis=2),
        ],
        axis=2,
    )  # fmt: skip
    # For each scale the color that stands out most counts again, whichever it is.
    by_level = spots[:, :, 2].reshape(len(pictures), LEVELS, len(HUES))
    strongest = by_level.argmax(axis=2) + np.arange(LEVELS) * len(HUES)
    of_strongest = np.take_along_axis(of_patches, strongest[:, :, None], axis=1)
    titles = [f"{what} {hue} at scale {level + 1}" for level in range(LEVELS) for hue in HUES for what in _OF_PATCH]
    titles += [f"{what} the strongest color at scale {level + 1}" for level in range(LEVELS) for what in _OF_PATCH]
    titles += [f"isolated strength of the strongest color at scale {level + 1}" for level in range(LEVELS)]
    parts = [
        np.stack([picture.peaks for picture in pictures]), of_patches.reshape(len(pictures), -1),
        of_strongest.reshape(len(pictures), -1), by_level.max(axis=2),
    ]  # fmt: skip
    return [*names, *titles], np.concatenate(parts, axis=1).astype(np.float32)


def _part(patches: NDArray[np.uint8], reach: int) -> NDArray[np.float32]:
    """Return the pixels of patches at a given distance from the center, or within a distance of 1.

    Shape (pictures, patches, pixels, 3).
    """
    middle = patches.shape[2] // 2
    away = np.abs(np.arange(patches.shape[2]) - middle)
    at = np.maximum(away[:, None], away[None, :])
    return np.asarray(patches[:, :, at <= 1 if reach == 1 else at == reach], np.float32)


def _patterns(pictures: Sequence[PictureEvidence], seed: int) -> Measured:
    patterns = dictionary(pictures, generator_for(seed, "adversary", "patterns"))
    names = [f"{what} pattern {number + 1}" for number in range(len(patterns)) for what in OF_PATTERN]
    if not names:
        return [], np.zeros((len(pictures), 0), np.float32)
    return names, np.stack([occurrences(picture, patterns).ravel() for picture in pictures])


def _spread(values: NDArray[np.float32], exists: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Return measures of pictures by item and option, shape (items, largest number of options, measures)."""
    spread = np.zeros((*exists.shape, values.shape[1]), np.float32)
    spread[exists] = values
    return spread


def _flat_relief(picture: PictureEvidence) -> NDArray[np.int8]:
    return np.concatenate([picture.relief.ravel(), _coarse(picture.relief[None])[0].ravel()])


def _coarse(maps: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return, for each block of 2 by 2 cells, the value with the largest magnitude, to tolerate small shifts."""
    count, cells = len(maps), maps.shape[1] // _COARSE
    parts = maps.reshape(count, cells, _COARSE, cells, _COARSE, 3)
    most, least = parts.max(axis=(2, 4)), parts.min(axis=(2, 4))
    return np.asarray(np.where(most >= -least.astype(np.int16), most, least), np.int8)


def _names_at(kinds: Iterable[tuple[str, tuple[int, ...]]]) -> tuple[str, ...]:
    return tuple(f"{kind} {'.'.join(map(str, place))}" for kind, shape in kinds for place in np.ndindex(*shape))

"""Fit the weights with which the step `jigsaw` measures how far similarity away from the join reveals the right piece.

    .venv/bin/python benchmarks/jigsaw_likeness.py --folder DIR --images DIR [--pictures 900] [--seed 7711]

measures the similarity of all pieces of crops of the demo's photographs, and of the pictures of `--images` and
composites of them, fits a logistic regression that predicts the right piece, chooses a part of each picture
as the step does, and fits again on those, so that the residue of the first weights is also included (a few rounds). It
prints the deviation of each measure, the weights, and how often the last fit is right on held-out pictures, before and
after.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from items_of_pictures import Pixels, pictures_of
from measuring import show
from numpy.typing import NDArray
from shortcut_free_tasks import crops_of, pictures_in

from benchwright.cli.demo import prepare_photographs
from benchwright.construction.item_parts.pictures.inner_pictures import sized_parts_of, within_frames
from benchwright.construction.item_parts.pictures.piece_likeness import ReducedPicture, even_ways, measured_margins
from benchwright.construction.tasks.jigsaw import Jigsaw

ROUNDS, SHARE = 4, 0.7
"""Rounds of fits, and the share of each later fit that is added."""

Floats = NDArray[np.float64]
Measured = tuple[Sequence[float], Floats]
"""Sizes of a picture's parts and the margins of each, (parts, 2, measures)."""


def main() -> None:
    """Fit and print one document."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="folder to work in")
    parser.add_argument("--images", type=Path, required=True, help="further pictures")
    parser.add_argument("--pictures", type=int, default=900, help="pictures of each kind")
    parser.add_argument("--seed", type=int, default=7711)
    options = parser.parse_args()
    prepare_photographs(options.folder / "photographs")
    crops = crops_of(list(pictures_in([options.folder / "photographs"])), options.pictures, options.seed)
    further = pictures_of(list(pictures_in([options.images])), options.seed, options.pictures)
    measured = [found for pixels in (*crops, *further) if (found := measured_parts(pixels)) is not None]
    values = np.concatenate([margins.reshape(-1, margins.shape[2]) for _, margins in measured])
    scales = values.std(axis=0)
    weights = _fitted(values, scales)
    for _ in range(ROUNDS - 1):
        weights = weights + SHARE * _fitted(np.concatenate(_chosen(measured, scales, weights)), scales)
    first = [margins[0] for _, margins in measured]
    chosen = _chosen(measured, scales, weights)
    show({
        "pictures": len(measured),
        "scales": [round(float(scale), 2) for scale in scales],
        "weights": [round(float(weight), 2) for weight in weights],
        "right on pictures held out": {
            "whole pictures": _held_out(first, scales), "chosen ways": _held_out(chosen, scales),
        },
    })  # fmt: skip


def measured_parts(pixels: Pixels) -> Measured | None:
    """Return the parts of a picture as the step tries them; None if the picture is too small."""
    step = Jigsaw()
    sized = [
        (size, part)
        for size, part in sized_parts_of(within_frames(pixels, step.margin), np.random.default_rng(0))
        if step._too_small(*part.size_wh) is None
    ]
    if not sized:
        return None
    measured = measured_margins(ReducedPicture.of(pixels), [part for _, part in sized])
    return [size for size, _ in sized], measured.astype(float)


def _chosen(measured: Sequence[Measured], scales: Floats, weights: Floats) -> list[Floats]:
    """Return the margins of the two ways that the step takes for each picture, (2, measures)."""
    found = []
    for sizes, margins in measured:
        told = np.tanh(margins / scales) @ weights
        pair = next(even_ways(told.astype(np.float32), sizes), None)
        if pair is not None:
            found.append(np.stack([margins[way.part, way.missing] for way in pair]))
    return found


def _fitted(values: Floats, scales: Floats) -> Floats:
    """Return the weights of a logistic regression that separates right from wrong."""
    from sklearn.linear_model import LogisticRegression

    sign = np.where(np.random.default_rng(1).random(len(values)) < 0.5, -1, 1)
    fit = LogisticRegression(C=0.01, fit_intercept=False, max_iter=1000)
    return np.asarray(fit.fit(np.tanh(values / scales) * sign[:, None], sign).coef_[0], np.float64)


def _held_out(rows: Sequence[Floats], scales: Floats) -> float:
    """Return how often such a fit is right on every other picture, fitted to the rest."""
    weights = _fitted(np.concatenate(rows[::2]), scales)
    return round(float((np.tanh(np.concatenate(rows[1::2]) / scales) @ weights > 0).mean()), 3)


if __name__ == "__main__":
    main()

"""HPatches: sequences whose pictures are actually warped by the matrices next to them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from dataset_fixtures.pictures import pixels

QUOTED = """\
 1.02000000e+00  1.00000000e-02 -3.50000000e+00
-1.00000000e-02  9.90000000e-01  2.25000000e+00
 1.00000000e-05 -2.00000000e-06  1.00000000e+00
"""
WIDTH, HEIGHT = 64, 48


def matrix(sequence: int, target: int) -> np.ndarray:
    """Return a homography that moves, turns and tilts a little; near the identity where only the light changes."""
    if sequence == 0 and target == 2:
        return np.array([[float(word) for word in line.split()] for line in QUOTED.splitlines()])
    if sequence % 2:
        return np.eye(3) + 1e-9 * target
    angle = 0.02 * target * (1 + sequence % 3)
    turn = np.array([[np.cos(angle), -np.sin(angle), target], [np.sin(angle), np.cos(angle), -2.0], [0, 0, 1]])
    turn[2, :2] = 1e-4 * target, -5e-5
    return turn


def warped(picture: np.ndarray, homography: np.ndarray) -> np.ndarray:
    """Return the picture that shows at H p what the first shows at p, nearest pixel, by whole-number pixels."""
    height, width = picture.shape[:2]
    ys, xs = np.mgrid[0:height, 0:width]
    points = np.linalg.inv(homography) @ np.stack([xs.ravel(), ys.ravel(), np.ones(xs.size)])
    sources = np.rint(points[:2] / points[2]).astype(int)
    inside = (sources[0] >= 0) & (sources[0] < width) & (sources[1] >= 0) & (sources[1] < height)
    made = np.zeros_like(picture)
    made.reshape(-1, 3)[inside] = picture[sources[1][inside], sources[0][inside]]
    return made


def name_of(number: int) -> str:
    """Return a sequence's name: even ones change the viewpoint, odd ones the light."""
    return f"{'vi'[number % 2]}_tiny{number}"


def write_hpatches(
    root: Path, count: int = 40, *, first_pictures: Sequence[np.ndarray] = ()
) -> dict[str, list[np.ndarray]]:
    """Write sequences of six binary pixmaps; return the matrices to each, the identity first.

    First pictures of sequences are those given, as far as they go, and small ones that nothing else has.
    """
    matrices: dict[str, list[np.ndarray]] = {}
    for number in range(count):
        folder = root / "hpatches-sequences-release" / name_of(number)
        folder.mkdir(parents=True)
        first = first_pictures[number] if number < len(first_pictures) else pixels(7000 + number, WIDTH, HEIGHT)
        matrices[folder.name] = [np.eye(3)]
        for target in range(1, 7):
            shown = first
            if target > 1:
                homography = matrix(number, target)
                matrices[folder.name].append(homography)
                text = "\n".join(" ".join(f"{value:.17g}" for value in row) for row in homography)
                (folder / f"H_1_{target}").write_text(text + "\n", encoding="ascii")
                shown = warped(first, homography)
                if number % 2:
                    shown = (shown * (1 - 0.1 * target)).astype(np.uint8)
            Image.fromarray(shown).save(folder / f"{target}.ppm")
    (root / "hpatches-sequences-release" / "references.txt").write_text("to be cited", encoding="utf-8")
    return matrices

"""Recall of the gate of pairs on planted faults, and its false alarms on clean edits.

Faults are halos, smears, seams, tears and floating subjects. Subjects are cut out of real photographs with blobs whose
outline is known to the pixel, so that clean edits and faults are certain. `python benchmarks/pair_seams.py FOLDER
[ROUNDS]`; FOLDER contains photographs.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from benchwright.construction.item_parts.cutting_out import composite, largest_part
from benchwright.construction.item_parts.matting import matted
from benchwright.construction.manipulation.editors.harmony import contact_shadow, in_the_light_of, shaded
from benchwright.diagnostics.pictures.outline_tears import outline_tear
from benchwright.filters.pairs.pair_gates import PairGates
from benchwright.filters.pairs.seams import Joint, halo, seam, smear
from benchwright.filters.pairs.standing import contact

Pixels = NDArray[np.uint8]
Mask = NDArray[np.bool_]
SIDE_PX = 400
BOUNDS = {"halo": "max_halo", "smear": "max_smear", "seam": "max_seam", "tear": "max_tear", "float": "min_contact"}


def photographs(folder: Path) -> list[Pixels]:
    """Return the lower part of each photograph, where captions are rarer, as squares of one size."""
    squares = []
    for path in sorted(folder.iterdir()):
        bgr = cv2.imread(str(path), cv2.IMREAD_COLOR)
        if bgr is None:
            continue
        part = bgr[int(0.3 * bgr.shape[0]) :]
        side = min(part.shape[:2])
        top, left = (part.shape[0] - side) // 2, (part.shape[1] - side) // 2
        square = cv2.resize(
            part[top : top + side, left : left + side], (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_AREA
        )
        squares.append(np.ascontiguousarray(square[..., ::-1], np.uint8))
    return squares


def blob(rng: np.random.Generator) -> Mask:
    """Return a smooth random shape around the middle."""
    angles = np.arctan2(*np.mgrid[-SIDE_PX // 2 : SIDE_PX // 2, -SIDE_PX // 2 : SIDE_PX // 2].astype(float))
    away = np.hypot(*np.mgrid[-SIDE_PX // 2 : SIDE_PX // 2, -SIDE_PX // 2 : SIDE_PX // 2].astype(float))
    reach = SIDE_PX * rng.uniform(0.16, 0.3) * np.ones_like(angles)
    for wave in range(2, 6):
        reach *= 1 + rng.uniform(0, 0.35 / wave) * np.cos(wave * angles + rng.uniform(0, 6.28))
    return np.asarray(away < reach, np.bool_)


def grown(mask: Mask, by_px: int) -> Mask:
    """Return a mask that lies this many pixels outside."""
    return np.asarray(cv2.dilate(mask.astype(np.uint8), np.ones((2 * by_px + 1,) * 2, np.uint8)), np.bool_)


def bitten(mask: Mask, rng: np.random.Generator) -> Mask:
    """Return a mask with a side missing, 15 to 40 % of its area, along a wavy line."""
    rows, columns = np.nonzero(mask)
    angle, wave = rng.uniform(0, 2 * np.pi, 2)
    across = (columns - columns.mean()) * np.cos(angle) + (rows - rows.mean()) * np.sin(angle)
    along = (rows - rows.mean()) * np.cos(angle) - (columns - columns.mean()) * np.sin(angle)
    gone = across > np.quantile(across, 1 - rng.uniform(0.15, 0.4)) + 6 * np.sin(along / 25 + wave)
    left = mask.copy()
    left[rows[gone], columns[gone]] = False
    return largest_part(left.astype(np.uint8))


def with_patch(mask: Mask, rng: np.random.Generator) -> Mask:
    """Return a mask with a disc of background at its rim, 10 to 30 % of its area."""
    rim = mask & ~np.asarray(cv2.erode(mask.astype(np.uint8), np.ones((3, 3), np.uint8)), np.bool_)
    rows, columns = np.nonzero(rim)
    at, radius = rng.integers(len(rows)), np.sqrt(mask.sum() * rng.uniform(0.1, 0.3) / np.pi)
    y, x = np.mgrid[: mask.shape[0], : mask.shape[1]]
    return mask | np.asarray(np.hypot(y - rows[at], x - columns[at]) < radius, np.bool_)


def edits(photos: list[Pixels], rng: np.random.Generator) -> Iterator[tuple[str, str, float | None]]:
    """Yield (kind of fault, edit, measured value) of one round of edits of three photographs."""
    old, subject, new = (photos[number] for number in rng.permutation(len(photos))[:3])
    shape = blob(rng)
    soft = np.asarray(cv2.GaussianBlur(shape.astype(np.float32), (0, 0), 0.7), np.float32)
    natural = composite(subject, soft, old)
    yield from cut_outs(natural, shape, new)
    yield from fillings(natural, old, grown(shape, 4), rng)
    yield "tear", "clean", torn(natural, shape)
    yield "tear", "bitten", torn(natural, bitten(shape, rng))
    yield "tear", "patch", torn(natural, with_patch(shape, rng))
    yield from standing(natural, shape, new)


def torn(natural: Pixels, mask: Mask) -> float | None:
    """Return the tear of an outline without a stated box."""
    found = outline_tear(natural, mask)
    return None if found is None else found.tear


def cut_outs(natural: Pixels, shape: Mask, new: Pixels) -> Iterator[tuple[str, str, float | None]]:
    """Yield halos of a subject cut out unchanged, and too wide without a matte."""
    matte = matted(natural, shape, band=2.0)
    yield "halo", "clean", halo(Joint(composite(matte.pixels, matte.alpha, new), natural, matte.alpha >= 1))
    for px in (3, 5):
        cut = grown(shape, px).astype(np.float32)
        yield "halo", f"{px} px", halo(Joint(composite(natural, cut, new), natural, cut > 0))


def fillings(
    natural: Pixels, old: Pixels, wide: Mask, rng: np.random.Generator
) -> Iterator[tuple[str, str, float | None]]:
    """Yield smears and seams of a part filled with the true pixels, by two methods, and in another light."""
    cells = wide.astype(np.uint8) * 255
    for done, picture in (
        ("clean", old),
        ("telea", cv2.inpaint(natural, cells, 5, cv2.INPAINT_TELEA)),
        ("navier", cv2.inpaint(natural, cells, 5, cv2.INPAINT_NS)),
    ):
        yield "smear", done, smear(np.asarray(picture, np.uint8), wide)
    paler = np.asarray(np.clip(old.astype(np.int16) + rng.choice([-16, 16]), 0, 255), np.uint8)
    yield "seam", "clean", seam(old, wide)
    yield "seam", "16 levels", seam(np.where(wide[..., None], paler, old).astype(np.uint8), wide)
    blurred = cv2.GaussianBlur(wide.astype(np.float32), (0, 0), 1.2)
    yield "seam", "16 softened", seam(composite(paler, np.asarray(blurred, np.float32), old), wide)


def standing(natural: Pixels, shape: Mask, new: Pixels) -> Iterator[tuple[str, str, float | None]]:
    """Yield contacts of a subject with its shadow, without one, and lifted above one."""
    lit = in_the_light_of(new, new.reshape(-1, 3), natural[~shape], share=0.5)
    matte = matted(natural, shape, band=2.0)
    shade = contact_shadow(matte.alpha, darkness=0.45)
    assert shade is not None, "blobs stand free"
    lifted = np.roll(shade, round(0.12 * SIDE_PX), axis=0)
    for done, behind in (("clean", shaded(lit, shade)), ("no shadow", lit), ("lifted", shaded(lit, lifted))):
        yield "float", done, contact(composite(matte.pixels, matte.alpha, behind), new, shape)


def main(folder: str, rounds: int = 200) -> None:
    """Print recall and false alarms at the gate's own bounds, and the quantiles behind them."""
    photos, rng, gates = photographs(Path(folder)), np.random.default_rng(20), PairGates()
    rows: dict[tuple[str, str], list[float | None]] = {}
    for _ in range(rounds):
        for kind, done, value in edits(photos, rng):
            rows.setdefault((kind, done), []).append(value)
    print(f"{len(photos)} photographs, {rounds} rounds")
    for (kind, done), values in sorted(rows.items()):
        told = np.array([value for value in values if value is not None] or [0.0])
        bound = getattr(gates, BOUNDS[kind])
        found = np.count_nonzero(told < bound if BOUNDS[kind].startswith("min") else told > bound)
        quantiles = " ".join(f"{value:.2f}" for value in np.quantile(told, [0.05, 0.25, 0.5, 0.75, 0.95]))
        print(f"{kind:6} {done:11} found {found:4} of {len(values):4} ({len(told)} told)  5-25-50-75-95 %: {quantiles}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    main(sys.argv[1], *map(int, sys.argv[2:3]))

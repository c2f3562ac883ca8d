"""How many planted halos, smears and seams the gate of pairs finds, and how often it cries over clean edits.

Subjects are cut out of real photographs by blobs whose outline is known to the pixel, so that a clean edit is clean and
a fault is one for certain. `python benchmarks/pair_seams.py FOLDER [ROUNDS]`; FOLDER holds photographs.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from benchwright.construction.item_parts.cutting_out import composite, opacity
from benchwright.filters.pairs.pair_gates import PairGates
from benchwright.filters.pairs.seams import Joint, halo, seam, smear

Pixels = NDArray[np.uint8]
Mask = NDArray[np.bool_]
SIDE_PX = 400
KINDS = {"halo": halo, "smear": smear, "seam": seam}


def photographs(folder: Path) -> list[Pixels]:
    """Return the lower part of each photograph, on which captions are rarer, as squares of one size."""
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
        squares.append(np.ascontiguousarray(square[..., ::-1]))
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


def edits(photos: list[Pixels], rng: np.random.Generator) -> Iterator[tuple[str, str, float | None]]:
    """Yield (kind of fault, what was done, measured share) of one round of edits of three photographs."""
    old, subject, new = (photos[number] for number in rng.permutation(len(photos))[:3])
    shape = blob(rng)
    soft = cv2.GaussianBlur(shape.astype(np.float32), (0, 0), 0.7)
    natural = composite(subject, soft, old)
    for done, cut in (("clean", shape), *((f"{px} px", grown(shape, px)) for px in (3, 5))):
        shows = opacity(cut, feather_px=1.0)
        yield "halo", done, halo(Joint(composite(natural, shows, new), natural, shows >= 0.5))
    wide = grown(shape, 4)
    telea = cv2.inpaint(natural, wide.astype(np.uint8) * 255, 5, cv2.INPAINT_TELEA)
    paler = np.clip(old.astype(np.int16) + rng.choice([-16, 16]), 0, 255).astype(np.uint8)
    for kind, done, filling in (
        ("smear", "clean", old),
        ("smear", "filled", telea),
        ("seam", "clean", old),
        ("seam", "16 levels", paler),
    ):
        picture = np.where(wide[..., None], filling, old).astype(np.uint8)
        yield kind, done, KINDS[kind](picture, wide)


def main(folder: str, rounds: int = 200) -> None:
    """Print recall and false alarms at the gate's own bounds, and the quantiles that they rest on."""
    photos, rng = photographs(Path(folder)), np.random.default_rng(20)
    bounds = {kind: getattr(PairGates(), f"max_{kind}") for kind in KINDS}
    rows: dict[tuple[str, str], list[float | None]] = {}
    for _ in range(rounds):
        for kind, done, share in edits(photos, rng):
            rows.setdefault((kind, done), []).append(share)
    print(f"{len(photos)} photographs, {rounds} rounds")
    for (kind, done), shares in sorted(rows.items()):
        told = [share for share in shares if share is not None]
        found = sum(share > bounds[kind] for share in told)
        quantiles = " ".join(f"{value:.2f}" for value in np.quantile(told or [0.0], [0.05, 0.25, 0.5, 0.75, 0.95]))
        print(f"{kind:6} {done:10} found {found:4} of {len(shares):4} ({len(told)} told)  5-25-50-75-95 %: {quantiles}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    main(sys.argv[1], *map(int, sys.argv[2:3]))

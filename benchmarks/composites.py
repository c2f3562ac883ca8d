"""Any number of distinct pictures, composed from real photographs: each has the same bytes in every run.

Composite k takes a random cut of one photograph, turned or mirrored and recolored, and pastes cuts of two others into
it; all choices depend on k alone. Most are JPEGs, some WebP and PNG, of 320 to 640 pixels.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]

SIDES = (320, 640)
"""Shortest and longest side of a composite in pixels."""

_PER_FOLDER = 1000
_KEPT_PX = 800


def photographs(folder: Path) -> list[Pixels]:
    """Return the readable pictures of a folder, by path, BGR, the longer side at most 800 pixels."""
    found = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        pixels = cv2.imdecode(np.frombuffer(path.read_bytes(), np.uint8), cv2.IMREAD_COLOR)
        if pixels is not None:
            scale = min(1.0, _KEPT_PX / max(pixels.shape[:2]))
            found.append(cv2.resize(pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA))
    return found


def composite(
    photos: Sequence[Pixels], number: int, *, size: tuple[int, int] | None = None, sides: tuple[int, int] = SIDES
) -> Pixels:
    """Return composite `number`, BGR; of the size (width, height) given, or of a random one between two sides."""
    rng = random.Random(number)
    low, high = sides
    width, height = size or (rng.randrange(low, high + 1, 4), rng.randrange(low, high + 1, 4))
    made = cut(photos, rng, width, height)
    made = np.ascontiguousarray(np.rot90(made, 2) if rng.random() < 0.2 else made)
    for _ in range(2):
        wide, high = (int(side * rng.uniform(0.25, 0.6)) for side in (width, height))
        left, top = rng.randrange(width - wide + 1), rng.randrange(height - high + 1)
        made[top : top + high, left : left + wide] = cut(photos, rng, wide, high)
    shift = np.array([rng.uniform(-25, 25) for _ in range(3)])
    return np.clip(made * rng.uniform(0.8, 1.2) + shift, 0, 255).astype(np.uint8)


def cut(photos: Sequence[Pixels], rng: random.Random, width: int, height: int) -> Pixels:
    """Return a random piece of a random photograph, mirrored or not, scaled to a size."""
    return cut_of(photos[rng.randrange(len(photos))], rng, width, height)


def cut_of(photo: Pixels, rng: random.Random, width: int, height: int) -> Pixels:
    """Return a random piece of a photograph, mirrored or not, scaled to a size."""
    share = rng.uniform(0.35, 0.9)
    high, wide = (max(8, int(side * share)) for side in photo.shape[:2])
    top, left = rng.randrange(max(1, photo.shape[0] - high)), rng.randrange(max(1, photo.shape[1] - wide))
    cut = photo[top : top + high, left : left + wide]
    return cv2.resize(cut[:, ::-1] if rng.random() < 0.5 else cut, (width, height), interpolation=cv2.INTER_LINEAR)


def write_composites(
    source: Path, folder: Path, count: int, *, workers: int = 2, sides: tuple[int, int] = SIDES
) -> None:
    """Write composites 0 to `count` - 1 of a folder's photographs, a thousand per folder; existing ones stay."""
    blocks = range(0, count, _PER_FOLDER)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        list(pool.map(partial(_write_block, source, folder, count, sides), blocks))


def _write_block(source: Path, folder: Path, count: int, sides: tuple[int, int], first: int) -> None:
    cv2.setNumThreads(1)
    block = folder / f"{first // _PER_FOLDER:04d}"
    names = {number: _name(number) for number in range(first, min(count, first + _PER_FOLDER))}
    missing = {number: name for number, name in names.items() if not (block / name).exists()}
    if not missing:
        return
    block.mkdir(parents=True, exist_ok=True)
    photos = photographs(source)
    for number, name in missing.items():
        end = Path(name).suffix
        options = [cv2.IMWRITE_JPEG_QUALITY, 88] if end == ".jpg" else []
        options = [cv2.IMWRITE_WEBP_QUALITY, 80] if end == ".webp" else options
        done, data = cv2.imencode(end, composite(photos, number, sides=sides), options)
        assert done
        draft = block / f"{name}.part"
        draft.write_bytes(data.tobytes())
        draft.replace(block / name)


def _name(number: int) -> str:
    end = {0: "png", 20: "webp", 40: "webp"}.get(number % 50, "jpg")
    return f"{number:07d}.{end}"

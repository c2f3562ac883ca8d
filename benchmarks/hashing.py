"""Decode and hash: our perceptual hash and `imagehash.phash(Image.open(path))`, in images per CPU second.

Four sets: a folder of images, its JPEGs alone, and 12-megapixel JPEGs composed from them, smooth and grainy. Both sides
read the same file in turn in one process, alternating in order, on one thread. Then the candidate pairs of both at
radius 8 are compared. With `--engine`, whole processes are compared: the pipeline's hashing step with two workers
(which also imports, hashes and checks the files and writes tables) and a bare ImageHash loop.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cv2
import imagehash
import numpy as np
from composites import composite, photographs
from measuring import cost_of, show
from PIL import Image

from benchwright.diagnostics.features.hamming import pairs_within
from benchwright.errors import UnreadableImage
from benchwright.images.decode import decode_luma
from benchwright.images.perceptual_hash import HASHED_AT_LEAST_PX, phash

RADIUS = 8
GRAINS = {"smooth": 0.0, "grainy": 4.0}
"""Standard deviation in levels. Enlarged photographs lack a camera's grain, which takes time to decode."""
LOOP = """
import sys
from pathlib import Path
import imagehash
from PIL import Image
for path in sorted(Path(sys.argv[1]).rglob('*')):
    if path.is_file():
        imagehash.phash(Image.open(path))
"""
ENGINE = """
import sys
from pathlib import Path
from benchwright.filters.duplicates.near_duplicates import NearDuplicates
from benchwright.pipeline import run_steps
if __name__ == '__main__':
    hashes = NearDuplicates().parts()[0]
    run_steps([hashes], images=Path(sys.argv[1]), workspace=Path(sys.argv[2]), workers=2)
"""


def by_imagehash(path: Path) -> int:
    """Hash in the naive way."""
    return int(str(imagehash.phash(Image.open(path))), 16)


def by_us(path: Path) -> int:
    """Hash as the near-duplicate step does, without the engine."""
    return phash(decode_luma(path, at_least_px=HASHED_AT_LEAST_PX))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=Path, required=True)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--large", type=int, default=12, help="12-megapixel JPEGs to make")
    parser.add_argument("--engine", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = _sound(given.images, Path(folder) / "images")
        jpegs = [path for path in paths if path.read_bytes()[:2] == b"\xff\xd8"]
        smooth, grainy = (
            _large(given.images, Path(folder) / name, given.large, grain) for name, grain in GRAINS.items()
        )
        sets = {"all": (paths, 1.6), "JPEG": (jpegs, 3.3), "12 megapixels, smooth": (smooth, 8.0)}
        sets["12 megapixels, grainy"] = grainy, 8.0
        found: dict[str, Any] = {
            name: {**_compared(chosen, given.repeats), "wanted": wanted}
            for name, (chosen, wanted) in sets.items()
            if chosen
        }
        for name, chosen in (("smooth", smooth), ("grainy", grainy)):
            if chosen:
                row = found[f"12 megapixels, {name}"]
                row["decoder_alone_ms"] = _decoder_alone_ms(chosen, given.repeats)
                row["ratio_if_all_else_were_free"] = round(row["imagehash_ms"] / row["decoder_alone_ms"], 2)
        if given.engine:
            found["engine, 2 workers"] = _engine(Path(folder) / "images", Path(folder), given.repeats)
    show(found)


def _sound(images: Path, folder: Path) -> list[Path]:
    """Copy the files that both sides can read."""
    folder.mkdir()
    for number, path in enumerate(sorted(path for path in images.rglob("*") if path.is_file())):
        try:
            Image.open(path).load()
            by_us(path)
        except (OSError, UnreadableImage):
            continue
        shutil.copyfile(path, folder / f"{number:06d}{path.suffix}")
    return sorted(folder.iterdir())


def _large(source: Path, folder: Path, count: int, grain_levels: float) -> list[Path]:
    folder.mkdir()
    photos = photographs(source)
    for number in range(count):
        made = composite(photos, number, size=(4000, 3000))
        grain = np.random.default_rng(number).normal(0, grain_levels, made.shape[:2])[..., None]
        noisy = np.clip(made + grain, 0, 255).astype(np.uint8)
        cv2.imwrite(str(folder / f"{number}.jpg"), noisy, [cv2.IMWRITE_JPEG_QUALITY, 90])
    return sorted(folder.iterdir())


def _compared(paths: Sequence[Path], repeats: int) -> dict[str, Any]:
    by_imagehash(paths[0])
    by_us(paths[0])
    ways: tuple[Callable[[Path], int], ...] = (by_imagehash, by_us)
    seconds: dict[Any, list[float]] = {way: [0.0] * repeats for way in ways}
    hashes: dict[Any, list[int]] = {way: [] for way in ways}
    for repeat in range(repeats):
        for number, path in enumerate(paths):
            for way in ways[:: 1 if (number + repeat) % 2 else -1]:
                started = time.process_time()
                code = way(path)
                seconds[way][repeat] += time.process_time() - started
                if not repeat:
                    hashes[way].append(code)
    apart = [(one ^ other).bit_count() for one, other in zip(*hashes.values(), strict=True)]
    theirs, ours = (_pairs(codes) for codes in hashes.values())
    ratios = [theirs_s / ours_s for theirs_s, ours_s in zip(*seconds.values(), strict=True)]
    return {
        "images": len(paths),
        "imagehash_ms": round(1000 * min(seconds[by_imagehash]) / len(paths), 3),
        "ours_ms": round(1000 * min(seconds[by_us]) / len(paths), 3),
        "ratio": round(statistics.median(ratios), 2),
        "ratios": [round(ratio, 2) for ratio in ratios],
        "bits_apart": {"mean": round(statistics.mean(apart), 2), "most": max(apart)},
        "pairs_at_8": {"imagehash": len(theirs), "ours": len(ours), "the_same": theirs == ours},
    }


def _decoder_alone_ms(paths: Sequence[Path], repeats: int) -> float:
    """Return libjpeg-turbo's time for an eighth of each side in gray, the smallest size that it can decode.

    It then computes neither a transform nor colors: the remaining work is reading the compressed data symbol by symbol.
    Of two callers (Pillow's draft mode, OpenCV) the faster counts.
    """

    def by_pillow(path: Path) -> None:
        with Image.open(path) as image:
            image.draft("L", (HASHED_AT_LEAST_PX, HASHED_AT_LEAST_PX))
            image.load()

    def by_opencv(path: Path) -> None:
        cv2.imread(str(path), cv2.IMREAD_REDUCED_GRAYSCALE_8)

    best = []
    for way in (by_pillow, by_opencv):
        for _ in range(repeats):
            started = time.process_time()
            for path in paths:
                way(path)
            best.append(time.process_time() - started)
    return round(1000 * min(best) / len(paths), 3)


def _pairs(codes: Sequence[int]) -> set[tuple[int, int]]:
    found = pairs_within(np.array(codes, np.uint64), distance=RADIUS)
    return set(zip(found.left.tolist(), found.right.tolist(), strict=True))


def _engine(images: Path, folder: Path, repeats: int) -> dict[str, Any]:
    script = folder / "engine.py"
    script.write_text(ENGINE, encoding="utf-8")
    loop, engine = [], []
    for number in range(repeats):
        loop.append(cost_of([sys.executable, "-c", LOOP, str(images)]))
        engine.append(cost_of([sys.executable, str(script), str(images), str(folder / f"w{number}")]))
        assert loop[-1].exit_code == engine[-1].exit_code == 0
    return {
        "imagehash_loop": loop[-1].to_json(),
        "ours": engine[-1].to_json(),
        "cpu_ratio": round(statistics.median(a.cpu_s / b.cpu_s for a, b in zip(loop, engine, strict=True)), 2),
        "wall_ratio": round(statistics.median(a.wall_s / b.wall_s for a, b in zip(loop, engine, strict=True)), 2),
        "wanted": 1.6,
    }


if __name__ == "__main__":
    if os.environ.get("OPENBLAS_NUM_THREADS") != "1":  # the library reads it on import, which has happened by now
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    main()

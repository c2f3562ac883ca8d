"""Real copies found among hard negatives, compared with ImageHash's pHash at distances 4, 8 and 10, in one run.

Changes are measured five at a time: a collection is the originals, their copies under five changes, and all negatives.
Our pairs are those that the step `near_duplicates` drops or asks about; ImageHash's are all pairs within the distance,
as used by its users and by imagededup. Recall is the share of copies paired with their original. Precision is the share
of right pairs, for ours among those confirmed and therefore dropped.

    .venv/bin/python benchmarks/near_duplicates.py --images DIR [--images DIR] --originals 200 --negatives 10000
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
import time
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import imagehash
import numpy as np
import pyarrow as pa
from measuring import show
from picture_changes import CHANGES, hard_negative, real_pictures
from PIL import Image

from benchwright.diagnostics.copies.pairing import ProposedPairs
from benchwright.diagnostics.copies.verification import DECODED_AT_LEAST_PX, PreparedPicture, compare_pictures
from benchwright.diagnostics.features.hamming import iter_pairs
from benchwright.diagnostics.features.local_features import describe, detector, shrunk
from benchwright.diagnostics.features.visual_words import (
    CORNERS,
    SIDE_PX,
    encode_miniature,
    encode_words,
    miniature,
    words_of,
)
from benchwright.images.decode import decode_luma
from benchwright.images.perceptual_hash import HASHED_AT_LEAST_PX, hashes
from benchwright.steps import GatherContext

DISTANCES = (4, 8, 10)
CHANGES_AT_A_TIME = 5
SAME_PICTURE = {"test-993", "test-199", "test-678"}
"""Second pictures of true pairs in II-Bench (expected.json): an original must have no copy among the others."""


class Described(NamedTuple):
    """The description of one picture: its identity, size, hashes, words and miniature, and ImageHash's own pHash."""

    image_id: str
    path: str
    original: str
    width: int
    height: int
    hashes: dict[str, int]
    words: str
    miniature: str
    theirs: int


def save(image: Image.Image, path: Path, quality: int = 92) -> Path:
    image.save(path, quality=quality) if path.suffix == ".jpg" else image.save(path, compress_level=1)
    return path


def write_copies(job: tuple[str, Path, Path]) -> list[tuple[Path, str, str]]:
    """Write an original and its copies; return path, change and original's name of each."""
    name, source, folder = job
    written = [(source, "original", name)]
    image = Image.open(source).convert("RGB")
    for number, (change, apply) in enumerate(CHANGES.items()):
        copy = apply(image, random.Random(f"{name} {change}"))
        # Compressed results stay unchanged; everything else is saved as a website would save it.
        path = folder / f"{name}-{number:02}.{'png' if change.startswith('JPEG') else 'jpg'}"
        written.append((save(copy, path), change, name))
    return written


_PICTURES: list[Image.Image] = []


def write_negatives(job: tuple[int, int, list[Path], Path]) -> list[tuple[Path, str, str]]:
    first, last, sources, folder = job
    if not _PICTURES:
        for source in sources:
            image = Image.open(source).convert("RGB")
            image.thumbnail((400, 400))
            _PICTURES.append(image)
    return [
        (save(hard_negative(_PICTURES, random.Random(f"negative {n}")), folder / f"n{n:06}.jpg"), "negative", f"n{n}")
        for n in range(first, last)
    ]


def describe_file(job: tuple[Path, str, str]) -> Described:
    """Compute the parts `hashes` and `features`, and an ImageHash user's hash."""
    path, _, original = job
    luma = decode_luma(path, at_least_px=192)
    words = words_of(describe(shrunk(luma, side_px=SIDE_PX), detector(500), most=CORNERS))
    small = encode_miniature(miniature(luma))
    with Image.open(path) as image:
        theirs = int(str(imagehash.phash(image)), 16)
        width, height = image.size
    content = hashlib.sha256(path.read_bytes()).hexdigest()
    known = hashes(decode_luma(path, at_least_px=HASHED_AT_LEAST_PX))._asdict()
    return Described(content, str(path), original, width, height, known, encode_words(words), small, theirs)


def proposed(pictures: list[Described]) -> dict[tuple[str, str], bool]:
    """Return the pairs that the part `pairs` proposes, by id, and whether mirrored."""
    names = ("phash", "dhash", "mirrored")
    columns: dict[str, Any] = {
        name: [getattr(one, name) for one in pictures] for name in ("image_id", "width", "height")
    }
    columns |= {f"hashes.{name}": pa.array([one.hashes[name] for one in pictures], pa.uint64()) for name in names}
    columns["features.words"] = [one.words for one in pictures]
    columns["features.miniature"] = [one.miniature for one in pictures]
    found = ProposedPairs(distance=8).gather(pa.table(columns), GatherContext(0, "benchmark"))
    pairs: dict[tuple[str, str], bool] = {}
    for row, partners, mirrored in zip(
        found.rows.tolist(), found.values["partners"], found.values["mirrored"], strict=True
    ):
        for partner in partners or ():
            one, other = sorted((pictures[row].image_id, partner))
            pairs[one, other] = partner in mirrored
    return pairs


def looked(job: tuple[Described, Described, bool]) -> str:
    """Compute the part `looks`."""
    fixed, moving = sorted(job[:2], key=lambda one: (-one.width * one.height, one.image_id))
    return compare_pictures(_look(fixed.path), _look(moving.path), mirrored=job[2]).verdict


@lru_cache(maxsize=300)
def _look(path: str) -> PreparedPicture:
    return PreparedPicture(decode_luma(Path(path), at_least_px=DECODED_AT_LEAST_PX))


def by_imagehash(pictures: list[Described], right: int) -> dict[str, dict[str, float | None]]:
    codes = np.array([one.theirs for one in pictures], np.uint64)
    true: dict[int, int] = defaultdict(int)
    every: dict[int, int] = defaultdict(int)
    for pairs in iter_pairs(codes, distance=max(DISTANCES)):
        for left, other, bits in zip(pairs.left.tolist(), pairs.right.tolist(), pairs.distance.tolist(), strict=True):
            for distance in DISTANCES:
                if bits <= distance:
                    every[distance] += 1
                    true[distance] += pictures[left].original == pictures[other].original
    return {str(d): {"recall": _share(true[d], right), "precision": _share(true[d], every[d])} for d in DISTANCES}


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def row_of(
    pictures: list[Described], pairs: dict[tuple[str, str], bool], verdicts: dict[tuple[str, str], str], right: int
) -> dict[str, Any]:
    """Return a row of the table: our recall by dropping and by dropping or asking, precision, and ImageHash's."""
    original = {one.image_id: one.original for one in pictures}
    counts: dict[tuple[str, bool], int] = defaultdict(int)
    for one, other in pairs:
        counts[verdicts[one, other], original[one] == original[other]] += 1
    dropped, asked = counts["confirmed", True], counts["unsure", True]
    return {
        "proposed": _share(sum(n for (_, same), n in counts.items() if same), right),
        "dropped": _share(dropped, right),
        "found": _share(dropped + asked, right),
        "precision_of_dropped": _share(dropped, dropped + counts["confirmed", False]),
        "wrongly_dropped": counts["confirmed", False],
        "asked": asked + counts["unsure", False],
        "looks": len(pairs),
        "imagehash": by_imagehash(pictures, right),
    }


def main() -> None:
    """Make the pictures, describe them, and fill the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=Path, action="append", default=[], help="folder of real pictures; repeatable")
    parser.add_argument("--originals", type=int, default=200)
    parser.add_argument("--negatives", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    cpu: dict[str, float] = {}
    with (
        TemporaryDirectory() as name,
        ProcessPoolExecutor(options.workers, mp_context=get_context("spawn"), initializer=_alone) as pool,
    ):
        folder = Path(name)
        sources = [
            (key, save(image, folder / f"{key}.jpg", quality=95))
            for key, image in real_pictures(options.images)
            if key not in SAME_PICTURE
        ]
        chosen = [sources[n] for n in np.random.default_rng(0).permutation(len(sources))[: options.originals]]
        files = [one for made in pool.map(write_copies, [(key, path, folder) for key, path in chosen]) for one in made]
        paths, step = [path for _, path in sources], 250
        jobs = [(n, min(n + step, options.negatives), paths, folder) for n in range(0, options.negatives, step)]
        files += [one for made in pool.map(write_negatives, jobs) for one in made]
        started = time.perf_counter()
        described = list(pool.map(describe_file, files, chunksize=32))
        cpu["describe"] = time.perf_counter() - started
        kinds: dict[str, list[Described]] = defaultdict(list)
        for (_, kind, _), one in zip(files, described, strict=True):
            kinds[kind].append(one)
        base = kinds["original"] + kinds["negative"]
        changes = list(CHANGES)
        together = [changes[n : n + CHANGES_AT_A_TIME] for n in range(0, len(changes), CHANGES_AT_A_TIME)]
        started = time.perf_counter()
        found_of = [proposed(_distinct(base + [one for c in some for one in kinds[c]])) for some in together]
        pairs = {
            change: _within(found, _distinct(base + kinds[change]))
            for some, found in zip(together, found_of, strict=True)
            for change in some
        }
        cpu["propose"] = time.perf_counter() - started
        by_id = {one.image_id: one for one in described}
        wanted: dict[tuple[str, str], bool] = {}
        for found in pairs.values():
            for pair, mirrored in found.items():
                wanted[pair] = wanted.get(pair, False) or mirrored
        started = time.perf_counter()
        print(f"{len(files)} pictures, {len(wanted)} second looks", file=sys.stderr, flush=True)
        wanted = dict(sorted(wanted.items()))
        jobs_to_look = [(by_id[one], by_id[other], mirrored) for (one, other), mirrored in wanted.items()]
        verdicts = dict(zip(wanted, pool.map(looked, jobs_to_look, chunksize=32), strict=True))
        cpu["look"] = time.perf_counter() - started
    rows = {change: row_of(_distinct(base + kinds[change]), pairs[change], verdicts, len(chosen)) for change in CHANGES}
    show(
        {
            "originals": len(chosen),
            "negatives": options.negatives,
            "pictures_a_collection": len(base) + len(chosen),
            "second_looks_in_all": len(wanted),
            "wall_s": {key: round(value, 1) for key, value in cpu.items()},
            "rows": rows,
            "misses": {
                change: sorted({one.original for one in kinds[change]} - _found(pairs[change], verdicts, by_id))
                for change in CHANGES
            },
        }
    )


def _within(pairs: dict[tuple[str, str], bool], pictures: list[Described]) -> dict[tuple[str, str], bool]:
    ids = {one.image_id for one in pictures}
    return {pair: mirrored for pair, mirrored in pairs.items() if ids.issuperset(pair)}


def _alone() -> None:
    import cv2

    cv2.setNumThreads(1)


def _distinct(pictures: list[Described]) -> list[Described]:
    """Remove files whose bytes equal another's."""
    return list({one.image_id: one for one in pictures}.values())


def _found(
    pairs: dict[tuple[str, str], bool], verdicts: dict[tuple[str, str], str], by_id: dict[str, Described]
) -> set[str]:
    return {
        by_id[one].original
        for one, other in pairs
        if verdicts[one, other] != "different" and by_id[one].original == by_id[other].original
    }


if __name__ == "__main__":
    main()

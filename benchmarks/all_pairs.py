"""All pairs of 64-bit codes within 8 bits, exactly: our search at growing sizes, compared with faiss's MultiHash.

Codes are random, or skewed like those of real pictures: pHashes of 4,000 cuts of the photographs in a folder, each
drawn repeatedly with every bit flipped with probability 0.22 (except the first, which is 0 for no photograph). One of
every thousand codes is planted: a copy of another with at most 8 flipped bits, which the search has to find. Each
measurement is a separate process on one thread; processor time is compared, because other programs may use the machine.
With `--plot`, the growth is drawn. Only the peer needs faiss (`pip install faiss-cpu`).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from measuring import show
from numpy.typing import NDArray

RADIUS = 8
CUTS = 4000
TURNED = 0.22
CHUNKS, CHUNK_BITS, FLIPS = 3, 21, 2
"""faiss: of 3 x 21 bits (one is left over), one chunk differs in at most 2 if the whole differs in at most 8."""
QUERIES = 20_000
PLANTED = 1000
"""One code in so many is a copy of another with a few flipped bits."""

Codes = NDArray[np.uint64]
Pairs = NDArray[np.int64]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=Path, required=True, help="photographs that skewed codes come from")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 30_000, 100_000, 300_000, 1_000_000])
    parser.add_argument("--peer-size", type=int, default=1_000_000, help="how many codes faiss gets too; 0 for none")
    parser.add_argument("--plot", type=Path)
    given = parser.parse_args()
    hashes = _hashes_of_cuts(given.images)
    found: dict[str, Any] = {"radius": RADIUS, "wanted": {"seconds": 40, "peak_mb": 1024, "ratio_to_faiss": 3}}
    for kind in ("random", "skewed"):
        found[kind] = [_in_a_process("ours", codes_of(kind, size, hashes))[0] for size in given.sizes]
    if given.peer_size and find_spec("faiss") is None:
        found["faiss"] = "not installed (pip install faiss-cpu): nothing to compare with"
    elif given.peer_size:
        found["faiss"] = {kind: _beside_faiss(codes_of(kind, given.peer_size, hashes)) for kind in ("random", "skewed")}
    if given.plot:
        _plot(found, given.plot)
    show(found)


def codes_of(kind: str, count: int, hashes: Codes) -> Codes:
    """Return codes, distinct except by chance, the same each time."""
    rng = np.random.default_rng(count)
    if kind == "random":
        codes = rng.integers(0, 2**64, count, dtype=np.uint64)
    else:
        codes = hashes[rng.integers(0, len(hashes), count)]
        for bit in range(63):
            codes ^= (rng.random(count) < TURNED).astype(np.uint64) << np.uint64(bit)
    left, right = planted(count).T
    turned = np.uint64(1) << rng.integers(0, 64, (RADIUS, len(left)), dtype=np.uint64)
    codes[right] = codes[left] ^ np.bitwise_or.reduce(turned, axis=0)
    return codes


def planted(count: int) -> Pairs:
    """Return the pairs that `codes_of` plants among this many codes, as (left, right)."""
    rng, half = np.random.default_rng(count + 1), count // 2
    pairs = count // PLANTED
    return np.stack([rng.permutation(half)[:pairs], half + rng.permutation(half)[:pairs]], axis=1)


def _hashes_of_cuts(images: Path) -> Codes:
    from composites import cut, photographs
    from PIL import Image

    from benchwright.images.perceptual_hash import phash

    photos, rng = photographs(images), random.Random(0)
    pieces = (Image.fromarray(np.ascontiguousarray(cut(photos, rng, 160, 160)[..., ::-1])) for _ in range(CUTS))
    return np.array([phash(piece.convert("L")) for piece in pieces], np.uint64)


def by_us(codes: Codes) -> Pairs:
    """The search of the near-duplicate step; pairs as (left, right), sorted."""
    from benchwright.diagnostics.features.hamming import pairs_within

    found = pairs_within(codes, distance=RADIUS)
    return np.stack([found.left, found.right], axis=1)


def by_faiss(codes: Codes) -> Pairs:
    """faiss's multi-index hashing with the settings that make it exact."""
    import faiss

    faiss.omp_set_num_threads(1)
    rows = codes.view(np.uint8).reshape(-1, 8)
    index = faiss.IndexBinaryMultiHash(64, CHUNKS, CHUNK_BITS)
    index.nflip = FLIPS
    index.add(rows)
    found = []
    for start in range(0, len(rows), QUERIES):
        limits, _, near = index.range_search(rows[start : start + QUERIES], RADIUS + 1)  # finds what is below
        left = start + np.repeat(np.arange(len(limits) - 1), np.diff(limits.astype(np.int64)))
        pairs = np.stack([left, near.astype(np.int64)], axis=1)
        found.append(pairs[pairs[:, 0] < pairs[:, 1]])
    whole = np.concatenate(found)
    return whole[np.lexsort((whole[:, 1], whole[:, 0]))]


WAYS: dict[str, Callable[[Codes], Pairs]] = {"ours": by_us, "faiss": by_faiss}


def measure(way: Callable[[Codes], Pairs], codes: Codes, out: Path) -> None:
    """Search once, write the pairs and print the cost."""
    way(codes[:100])
    cpu, wall = time.process_time(), time.perf_counter()
    pairs = way(codes)
    row = {
        "codes": len(codes),
        "cpu_s": round(time.process_time() - cpu, 2),
        "wall_s": round(time.perf_counter() - wall, 2),
        "peak_mb": _peak_kb() >> 10,
        "pairs": len(pairs),
        "planted": len(planted(len(codes))),
        "planted_found": int(np.isin(planted(len(codes)) @ [len(codes), 1], pairs @ [len(codes), 1]).sum()),
    }
    np.save(out, pairs)
    print(json.dumps(row))


def _peak_kb() -> int:
    """Return the peak memory of this program, without that of an earlier program in the process."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


def _in_a_process(way: str, codes: Codes) -> tuple[dict[str, Any], Pairs]:
    with tempfile.TemporaryDirectory() as folder:
        given, out = Path(folder) / "codes.npy", Path(folder) / "pairs.npy"
        np.save(given, codes)
        arguments = [sys.executable, __file__, "--measure", way, str(given), str(out)]
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
        printed = subprocess.run(arguments, check=True, capture_output=True, env=environment).stdout
        row = json.loads(printed)
        print(f"{way}: {row}", file=sys.stderr, flush=True)  # the wait is long otherwise
        return row, np.load(out)


def _beside_faiss(codes: Codes) -> dict[str, Any]:
    (ours, our_pairs), (theirs, their_pairs) = (_in_a_process(way, codes) for way in ("ours", "faiss"))
    return {
        "ours": ours,
        "faiss": theirs,
        "ratio": round(theirs["cpu_s"] / ours["cpu_s"], 2),
        "the_same_pairs": np.array_equal(our_pairs, their_pairs),
    }


def _plot(found: dict[str, Any], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams |= {"svg.hashsalt": "benchwright", "svg.fonttype": "path", "font.size": 11}
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6.4, 4))
    for kind, style in (("random", "o-"), ("skewed", "s--")):
        rows = found[kind]
        axes.loglog([row["codes"] for row in rows], [row["cpu_s"] for row in rows], style, label=f"{kind} codes")
    first = found["random"][0]
    sizes = [row["codes"] for row in found["random"]]
    axes.loglog(sizes, [first["cpu_s"] * size / sizes[0] for size in sizes], ":", color="grey", label="linear")
    axes.set(xlabel="codes", ylabel="processor seconds, one thread", title="All pairs within 8 of 64 bits")
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(WAYS[sys.argv[2]], np.load(sys.argv[3]), Path(sys.argv[4]))
    else:
        main()

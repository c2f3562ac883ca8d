"""Memory and time of proposing near-duplicate pairs over artificial pictures: the main process's need per image.

Pictures have random hashes, words of 128 corners and a miniature, as text in Arrow's memory; every tenth is a copy of
another with its words moved by one shift. Each size runs in a separate process.

    .venv/bin/python benchmarks/gathered_pairs.py --sizes 3000 30000 100000
"""

from __future__ import annotations

import argparse
import base64
import json
import subprocess
import sys
import time
from hashlib import sha256
from typing import Any

import numpy as np
import pyarrow as pa
from measuring import peak_mb, show

from benchwright.diagnostics.features.visual_words import CORNERS, TURNS, WORD_BITS, Words, decode_words, encode_words

WORDS_DTYPE = decode_words("").dtype
COPIES = 10
"""One picture in so many is a copy."""
SIDES = (30, 40)
"""Rows and columns of a miniature."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[3_000, 30_000, 100_000])
    parser.add_argument("--measure", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure is not None:
        print(json.dumps(measured(given.measure)))
        return
    rows = []
    for size in given.sizes:
        command = [sys.executable, __file__, "--measure", str(size)]
        rows.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
        print(rows[-1], file=sys.stderr, flush=True)
    show({"copies": f"one in {COPIES}", "runs": rows})


def measured(size: int) -> dict[str, Any]:
    """Propose the pairs of this many pictures, and return the cost beyond the columns."""
    from benchwright.diagnostics.copies.pairing import ProposedPairs

    step = ProposedPairs(distance=8, cosine=None)
    step.proposed(columns_of(50))
    columns = columns_of(size)
    before, cpu = peak_mb(), time.process_time()
    gathered, known = step.proposed(columns)
    told = json.dumps([gathered.rows.tolist(), {name: list(column) for name, column in gathered.values.items()}])
    return {
        "images": size,
        "cpu_s": round(time.process_time() - cpu, 2),
        "columns_mb": round(columns.nbytes / 1e6, 1),
        "before_mb": round(before, 1),
        "peak_mb": round(peak_mb(), 1),
        "kb_an_image_beyond_columns": round((peak_mb() - before) * 1024 / size, 2),
        "with_partners": len(gathered.rows),
        "sha256": sha256((told + json.dumps(known.to_json())).encode()).hexdigest()[:16],
    }


def columns_of(size: int) -> pa.Table:
    """Return the columns of artificial pictures, the same each time."""
    rng = np.random.default_rng(size)
    words, miniatures = _Texts(), _Texts()
    corners, small = _made_words(rng), b""
    for number in range(size):
        if number % COPIES == COPIES - 1:
            corners["x"] += 5
        else:
            corners, small = _made_words(rng), bytes([SIDES[1]]) + rng.bytes(SIDES[0] * SIDES[1])
        words.add(encode_words(corners))
        miniatures.add(base64.b64encode(small).decode("ascii"))
    codes = [pa.array(rng.integers(0, 2**64, size, dtype=np.uint64)) for _ in range(3)]
    return pa.table(
        {
            "image_id": pa.array([sha256(str(number).encode()).hexdigest() for number in range(size)]),
            "width": pa.array(np.full(size, 640)),
            "height": pa.array(rng.integers(400, 500, size)),
            **dict(zip(("hashes.phash", "hashes.dhash", "hashes.mirrored"), codes, strict=True)),
            "features.words": words.column(),
            "features.miniature": miniatures.column(),
        }
    )


class _Texts:
    """A column of texts built piece by piece, so that building needs little more memory than the column."""

    def __init__(self) -> None:
        self._chunks: list[pa.Array] = []
        self._waiting: list[str] = []

    def add(self, text: str) -> None:
        self._waiting.append(text)
        if len(self._waiting) == 1_000:
            self._close()

    def _close(self) -> None:
        self._chunks.append(pa.array(self._waiting, pa.string()))
        self._waiting = []

    def column(self) -> pa.ChunkedArray:
        self._close()
        return pa.chunked_array(self._chunks, pa.string())


def _made_words(rng: np.random.Generator) -> Words:
    words = np.zeros(CORNERS, WORDS_DTYPE)
    words["bits"] = rng.integers(0, 1 << WORD_BITS, CORNERS, dtype=np.uint64) << np.uint64(64 - WORD_BITS)
    for name, most in (("x", 250), ("y", 190), ("turn", TURNS), ("octave", 8)):
        words[name] = rng.integers(0, most, CORNERS)
    return words


if __name__ == "__main__":
    main()

"""Time of the choice of triplets by `similar_pictures`, of features that are given: how it grows with the pictures.

Features are those of random clusters, 384 numbers each as DINOv2 small has them. `spread` says how far pictures lie
from the middle of their cluster: at 0.8 most find a triplet, at 1.6 most find none, which takes longest.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import pyarrow as pa
from measuring import peak_mb, show

from benchwright.construction.estimated.similar_pictures import SimilarPictures
from benchwright.models import encode_vector
from benchwright.steps import GatherContext

_NUMBERS = 384
_CLUSTERS = 200


def main() -> None:
    """Choose triplets of each number of pictures and each spread, and print one document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=int, nargs="+", default=[1000, 10_000])
    parser.add_argument("--spread", type=float, nargs="+", default=[0.8, 1.6])
    arguments = parser.parse_args()
    rows = []
    for pictures in arguments.pictures:
        for spread in arguments.spread:
            columns = _columns(pictures, spread)
            step = SimilarPictures(weights=f"sha256:{'a' * 64}")
            started, used = time.perf_counter(), time.process_time()
            gathered = step.gather(columns, GatherContext(1, "similar_pictures"))
            triplets = sum(text is not None for text in gathered.values["similarity"])
            rows.append(
                {
                    "pictures": pictures,
                    "spread": spread,
                    "triplets": triplets,
                    "seconds": round(time.perf_counter() - started, 2),
                    "cpu_s": round(time.process_time() - used, 2),
                    "peak_mb": round(peak_mb(), 1),
                }
            )
    show({"similar_pictures": rows})


def _columns(pictures: int, spread: float) -> pa.Table:
    rng = np.random.default_rng(1)
    centres = rng.normal(size=(_CLUSTERS, _NUMBERS))
    vectors = centres[rng.integers(0, _CLUSTERS, pictures)] + rng.normal(size=(pictures, _NUMBERS)) * spread
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    names = [f"{number:064x}" for number in range(pictures)]
    return pa.table(
        {"image_id": names, "features.features": [encode_vector(vector) for vector in vectors.astype(np.float32)]}
    )


if __name__ == "__main__":
    main()

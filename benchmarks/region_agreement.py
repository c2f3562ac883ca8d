"""The cost of agreement on regions: 10,000 pictures, three annotators, five regions each, one a mask of a megapixel.

    .venv/bin/python benchmarks/region_agreement.py --pictures 10000

Every annotator marks a box, a polygon of 40 corners, a point, five ordered points and a mask on every picture, each
slightly off the truth; one in twenty forgets the polygon, one in twenty labels the box differently. They are written in
the form of the review store, one JSON document per line. A separate process then does the whole job: it reads and
checks them, finds the consensus of each picture, writes it, and computes the agreement with its intervals. `parts`
shows the time of each part, in a second process.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from measuring import cost_of, show

from benchwright.annotation.agreement.region_agreement import PictureAgreement, picture_agreement, region_agreement
from benchwright.annotation.agreement.region_consensus import consensus_of
from benchwright.regions import Region, mask_of_outline, read_region

SIZE_WH = (1_224, 820)
"""A megapixel."""


def main() -> None:
    """Measure and print, or do the measured job."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=int, default=10_000)
    parser.add_argument("--annotators", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--agree", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.agree:
        json.dump(agree(options.agree), sys.stdout)
        return
    with tempfile.TemporaryDirectory() as folder:
        marks, out = Path(folder) / "marks.jsonl", Path(folder) / "result.json"
        with marks.open("w", encoding="utf-8") as lines:
            for row in written(options.pictures, options.annotators, options.seed):
                lines.write(json.dumps(row, separators=(",", ":")) + "\n")
        cost = cost_of([sys.executable, __file__, "--agree", str(marks)], output=out)
        if cost.exit_code:
            raise SystemExit(f"the measured process ended with {cost.exit_code}")
        show(
            {
                "pictures": options.pictures,
                "annotators": options.annotators,
                "marks_mb": round(marks.stat().st_size / 1e6, 1),
                "cost": cost.to_json(),
                **json.loads(out.read_text(encoding="utf-8")),
            }
        )


def agree(path: Path) -> dict[str, Any]:
    """Do the whole job, one picture after another, and return the result and the seconds of each part."""
    seconds = dict.fromkeys(("read", "consensus", "agreement", "intervals"), 0.0)
    is_agreed = regions = disputed = 0

    def sums() -> Iterator[PictureAgreement]:
        nonlocal is_agreed, regions, disputed
        with path.open(encoding="utf-8") as lines, path.with_suffix(".consensus").open("w", encoding="utf-8") as out:
            for line in lines:
                start = time.perf_counter()
                row = json.loads(line)
                sizes_wh = [tuple(row["size_wh"])]
                marks = {
                    name: {
                        field: [read_region(document, sizes_wh) for document in documents]
                        for field, documents in fields.items()
                    }
                    for name, fields in row["marks"].items()
                }
                read = time.perf_counter()
                consensus = consensus_of(marks, sizes_wh=sizes_wh, need=2)
                out.write(json.dumps(consensus.document(SIZE_WH)) + "\n")
                settled = time.perf_counter()
                is_agreed += consensus.is_agreed
                regions += len(consensus.agreed)
                disputed += len(consensus.disputed)
                picture = picture_agreement(row["id"], marks, sizes_wh=sizes_wh)
                seconds["read"] += read - start
                seconds["consensus"] += settled - read
                seconds["agreement"] += time.perf_counter() - settled
                yield picture

    start = time.perf_counter()
    agreement = region_agreement(sums())
    total = time.perf_counter() - start
    seconds["intervals"] = total - sum(seconds.values())
    return {
        "parts_s": {name: round(value, 2) for name, value in seconds.items()},
        "agreed_pictures": is_agreed,
        "agreed_regions": regions,
        "disputed_regions": disputed,
        "agreement": {name: agreement.to_json()[name] for name in (*agreement.figures, "ci")},
    }


def written(pictures: int, annotators: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the marks of annotators on each picture."""
    rng = np.random.default_rng(seed)
    for number in range(pictures):
        centre = rng.uniform((420, 300), (800, 520))
        radius = rng.uniform(120, 280)
        waves = rng.normal(0, 0.08, 8)
        marks = {f"annotator {name}": marked(rng, centre, radius, waves) for name in range(annotators)}
        yield {"id": f"{number:06}", "size_wh": SIZE_WH, "marks": marks}


def marked(rng: np.random.Generator, centre: Any, radius: float, waves: Any) -> dict[str, list[dict[str, Any]]]:
    """Return the marks of one annotator, slightly off the truth."""
    centre = centre + rng.normal(0, 4, 2)
    radius *= rng.normal(1, 0.02)
    x, y = centre
    label = "cat" if rng.random() < 0.05 else "dog"
    mask = mask_of_outline(outline(rng, centre, radius, waves, 400, 1.5), SIZE_WH)
    regions = {
        "box": [Region(shape="box", points=((x - radius, y - radius), (x + radius, y + radius)), label=label)],
        "polygon": [Region(shape="polygon", points=tuple(outline(rng, centre, radius, waves, 40, 1)), label="dog")],
        "point": [Region(shape="point", points=((x, y),), label="dog")],
        "line": [Region(shape="points", points=tuple((x + 20 * n, y) for n in range(5)))],
        "mask": [Region(shape="mask", mask=mask, label="dog")],
    }
    if rng.random() < 0.05:
        regions["polygon"] = []
    return {name: [region.model_dump(mode="json") for region in rows] for name, rows in regions.items()}


def outline(
    rng: np.random.Generator, centre: Any, radius: float, waves: Any, corners: int, rough_px: float
) -> list[tuple[float, float]]:
    """Return a wavy outline around a center, as rough as drawn by hand."""
    angles = np.linspace(0, 2 * np.pi, corners, endpoint=False)
    bend = sum(height * np.sin((n + 2) * angles + n) for n, height in enumerate(waves))
    length = radius * (1 + bend) + rng.normal(0, rough_px, corners)
    x = np.clip(centre[0] + length * np.cos(angles), 0, SIZE_WH[0])
    y = np.clip(centre[1] + length * np.sin(angles), 0, SIZE_WH[1])
    return list(zip(x.tolist(), y.tolist(), strict=True))


if __name__ == "__main__":
    main()

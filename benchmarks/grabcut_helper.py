"""GrabCut for annotators who draw: time to the first and to the refined answer, and overlap with GrabCut at full size.

Times are processor seconds of all threads, so that other programs on the machine matter less; the refined answer uses
two threads for most of its work.

Question: does the first answer arrive within 400 ms, and the refined one within 2 s, on a photograph of 12 megapixels,
and how far are both from GrabCut's result at full size with the same hints? The photographs are those of the demo with
the boxes and points of its facts file, at their own size, and photographs in a folder (`--images`) with a box around
their middle. For timing, all are enlarged to 12 megapixels, like a camera's pictures.

    python benchmarks/grabcut_helper.py [--images DIR] [--most N] [--json]
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from benchwright.cli.demo import prepare_photographs
from benchwright.construction.helpers.grabcut import GrabCutHelper, classes_of
from benchwright.construction.item_parts.cutting_out import ITERATIONS, largest_part
from benchwright.images.decode import decode_rgb
from benchwright.regions import HelperPicture, Region, RegionHints, grid_of

MEGAPIXELS = 12_000_000


class Case(NamedTuple):
    name: str
    pixels: NDArray[np.uint8]
    hints: RegionHints


def scaled(case: Case, pixels_wanted: int) -> Case:
    height, width = case.pixels.shape[:2]
    factor = (pixels_wanted / (height * width)) ** 0.5
    size_wh = round(width * factor), round(height * factor)
    across, down = size_wh[0] / width, size_wh[1] / height
    box = case.hints.box
    hints = RegionHints(
        shape="mask",
        box=box and (box[0] * across, box[1] * down, box[2] * across, box[3] * down),
        inside=tuple(tuple((x * across, y * down) for x, y in stroke) for stroke in case.hints.inside),
        outside=tuple(tuple((x * across, y * down) for x, y in stroke) for stroke in case.hints.outside),
    )
    return Case(case.name, np.asarray(cv2.resize(case.pixels, size_wh, interpolation=cv2.INTER_CUBIC), np.uint8), hints)


def read(path: Path) -> NDArray[np.uint8]:
    return decode_rgb(path.read_bytes())


def demo_cases(folder: Path) -> Iterator[Case]:
    import yaml

    from benchwright import recipes

    prepare_photographs(folder)
    facts = yaml.safe_load((Path(recipes.__file__).parent / "demo.facts.yaml").read_text(encoding="utf-8"))
    for name, stated in sorted(facts["images"].items()):
        for subject in stated.get("subjects", []):
            if "cut_out" not in subject:
                continue
            pixels = read(folder / name)
            places = {
                side: tuple((tuple(p),) for p in subject["cut_out"].get(side, [])) for side in ("inside", "outside")
            }
            yield Case(
                f"{name} {subject['name']}", pixels, RegionHints(shape="mask", box=tuple(subject["box"]), **places)
            )


def folder_cases(folder: Path, most: int) -> Iterator[Case]:
    paths = sorted(path for path in folder.rglob("*") if path.suffix.lower() in {".jpg", ".jpeg", ".png"})
    step = max(1, len(paths) // most)
    for path in paths[::step][:most]:
        pixels = read(path)
        height, width = pixels.shape[:2]
        box = width * 0.15, height * 0.15, width * 0.85, height * 0.85
        yield Case(path.name, pixels, RegionHints(shape="mask", box=box))


def full_size(case: Case) -> NDArray[np.bool_]:
    """Return GrabCut's result at full size."""
    classes = classes_of(case.hints, 1.0, case.pixels.shape[:2])
    cv2.setRNGSeed(1)
    cv2.grabCut(case.pixels[..., ::-1].copy(), classes, (0, 0, 1, 1), np.zeros((1, 65)), np.zeros((1, 65)), ITERATIONS,
                cv2.GC_INIT_WITH_MASK)  # fmt: skip
    grabbed = np.isin(classes, (1, 3)).astype(np.uint8)
    if not case.hints.inside:
        return largest_part(grabbed)
    _, labels = cv2.connectedComponents(grabbed)
    touched = np.unique(labels[classes == 1])
    return np.isin(labels, touched[touched > 0])


def proposed(helper: GrabCutHelper, case: Case, *, refine: bool) -> tuple[NDArray[np.bool_], float]:
    picture = HelperPicture(case.name, case.pixels.shape[1::-1], lambda: case.pixels)
    begun = time.process_time()
    regions: list[Region] = helper.propose(picture, case.hints.model_copy(update={"refine": refine})).regions
    seconds = time.process_time() - begun
    empty = np.zeros(case.pixels.shape[:2], np.bool_)
    return (grid_of(regions[0].mask) if regions and regions[0].mask else empty), seconds


def iou(mask: NDArray[np.bool_], other: NDArray[np.bool_]) -> float:
    union = int((mask | other).sum())
    return float((mask & other).sum() / union) if union else 1.0


def measure(case: Case) -> dict[str, Any]:
    row: dict[str, Any] = {"photograph": case.name}
    large = scaled(case, MEGAPIXELS)
    helper = GrabCutHelper()
    helper.reduce(HelperPicture(case.name, large.pixels.shape[1::-1], lambda: large.pixels))
    _, row["first_s"] = proposed(helper, large, refine=False)
    _, row["refined_s"] = proposed(helper, large, refine=True)
    begun = time.process_time()
    truth = full_size(case)
    row["full_size_s"] = time.process_time() - begun
    row["pixels"] = int(truth.size)
    helper = GrabCutHelper()
    row["first_iou"] = iou(proposed(helper, case, refine=False)[0], truth)
    row["refined_iou"] = iou(proposed(helper, case, refine=True)[0], truth)
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=Path, help="folder of photographs of your own")
    parser.add_argument("--most", type=int, default=12, help="photographs of the folder that are taken")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cases = list(demo_cases(Path(folder)))
    if args.images:
        cases += folder_cases(args.images, args.most)
    rows = []
    for case in cases:
        rows.append(measure(case))
        if not args.json:
            sys.stdout.write("  ".join(f"{k} {v:.3f}" if isinstance(v, float) else f"{v}" for k, v in rows[-1].items()))
            sys.stdout.write("\n")
            sys.stdout.flush()
    figures = {
        name: {
            "median": statistics.median(row[name] for row in rows),
            "worst": (min if name.endswith("iou") else max)(row[name] for row in rows),
        }
        for name in ("first_s", "refined_s", "first_iou", "refined_iou")
    }
    if args.json:
        json.dump({"photographs": rows, "figures": figures}, sys.stdout, indent=1)
        return
    for name, figure in figures.items():
        sys.stdout.write(f"{name}: median {figure['median']:.3f}, worst {figure['worst']:.3f}\n")


if __name__ == "__main__":
    main()

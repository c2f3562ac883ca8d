"""Draw a contact sheet of each of BLINK's tasks: items of the real steps, from photographs that ship in wheels.

    python examples/task_sheets.py FOLDER [WEIGHTS]

writes `FOLDER/<task>.jpg`; docs/images/tasks contains its results. The photographs are copies of those of `benchwright
demo` and a few more of scikit-image's, and some made from them by classical image processing. Their truths are in
task_sheets.jsonl next to this script, measured by hand and inspected; the script reads it like any user's dataset.

Forensic detection reads the weights of SDXL from a folder. Without one, it uses a tiny model made by
`tests/tiny_diffusion.py`, whose pictures are noise; the sheet then shows only the form of the items.

A task of ground truth needs a line in TASKS, and rows in the table. A task of plain photographs needs a line in
PICTURE_TASKS, and one that reads a program's output a line in GENERATED_TASKS.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import skimage
from item_sheet import draw_sheets
from numpy.typing import NDArray
from PIL import Image

from benchwright.cli import prepare_photographs
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.recipes import bundled_recipes

Pixels = NDArray[np.uint8]
TABLE = Path(__file__).with_suffix(".jsonl")
ITEMS_PER_TASK = 4
MOST_BYTES = 120_000

TASKS: dict[str, dict[str, Any]] = {
    "relative_depth": {"mode": "paper"},
    "relative_reflectance": {"mode": "paper"},
    "spatial_relation": {"mode": "paper", "inverted": 0.5},
    "counting": {"mode": "paper", "max_count": 30},
    "multi_view_reasoning": {"uses": None, "min_turn_deg": 3, "max_tilt_deg": 5},
    "art_style": {"mode": "paper"},
    "visual_similarity": {"min_votes": 1},
    "semantic_correspondence": {"mode": "paper", "uses": None, "min_distance": 0.06},
    "functional_correspondence": {"uses": None, "min_distance": 0.06},
}
"""Settings of the tasks that the table feeds. It has too few rows for the matching of hardened items."""
PICTURE_TASKS: dict[str, dict[str, Any]] = {
    "jigsaw": {},
    "visual_correspondence": {},
    "object_localization": {},
}
"""Settings of the tasks that photographs feed, with the demo's facts about them."""
GENERATED_TASKS: dict[str, dict[str, Any]] = {"iq_test": {"dataset": "pattern_puzzles"}}
"""Settings of the tasks that generated puzzles feed."""
FORENSIC: dict[str, Any] = {"side_px": 224, "model_side_px": 256}
"""Settings of forensic detection, with pictures small enough for the tiny model."""
TINY: dict[str, Any] = {"steps": 2}
CAPTIONS = {
    "chelsea.png": "A cat looks to the side, seen from near.",
    "coffee.png": "A white cup of coffee with a spoon on a red saucer.",
    "rocket.jpg": "A rocket stands between masts in the evening.",
    "flower.jpg": "An orange dahlia in front of dark leaves.",
}
"""Captions of photographs, for the model that makes the other pictures of an item."""
MORE_PHOTOGRAPHS = ("horse.png",)
NO_PHOTOGRAPHS = ("hubble_deep_field.jpg", "ihc.png", "retina.jpg", "coffee (1).png", "chelsea.bmp", "china-small.jpg")
"""Files of the demo that are not photographs of everyday things."""


def pencil(pixels: Pixels) -> Pixels:
    """Return a drawing in pencil: grays divided by the inverse of their own blurred negative."""
    import cv2

    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    blurred = cv2.GaussianBlur(255 - grey, (0, 0), 6)
    drawn = cv2.divide(grey, 255 - blurred, scale=256)
    return np.repeat(np.asarray(drawn, np.uint8)[..., None], 3, axis=2)


def dots(pixels: Pixels, spacing_px: int = 6) -> Pixels:
    """Return a painting in dots of pure colors on paper, one every few pixels."""
    import cv2

    rng = np.random.default_rng(1)
    vivid = cv2.cvtColor(pixels, cv2.COLOR_RGB2HSV).astype(int)
    vivid[..., 1] = np.minimum(255, vivid[..., 1] * 1.5)
    colors = cv2.cvtColor(vivid.astype(np.uint8), cv2.COLOR_HSV2RGB)
    painted = np.full_like(pixels, 240)
    for y in range(0, pixels.shape[0], spacing_px):
        for x in range(0, pixels.shape[1], spacing_px):
            color = np.clip(colors[y, x].astype(int) + rng.integers(-35, 36, 3), 0, 255)
            place = (x + int(rng.integers(-2, 3)), y + int(rng.integers(-2, 3)))
            cv2.circle(painted, place, spacing_px // 2, color.tolist(), -1, cv2.LINE_AA)
    return painted


def flat(pixels: Pixels, levels: int = 4) -> Pixels:
    """Return a poster in few flat colors with black outlines."""
    import cv2

    smooth = cv2.pyrMeanShiftFiltering(pixels, 12, 40)
    step = 256 // levels
    poster = np.asarray(smooth // step * step + step // 2, np.uint8)
    grey = cv2.medianBlur(cv2.cvtColor(smooth, cv2.COLOR_RGB2GRAY), 7)
    outline = cv2.adaptiveThreshold(grey, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, 11, 3)
    poster[outline == 0] = 20
    return poster


def mirrored(pixels: Pixels) -> Pixels:
    """Return the picture with left and right exchanged."""
    return np.ascontiguousarray(pixels[:, ::-1])


def cropped(pixels: Pixels) -> Pixels:
    """Return the picture without a strip at each side."""
    high, wide = pixels.shape[0] // 16, pixels.shape[1] // 16
    return np.ascontiguousarray(pixels[high:-high, wide:-wide])


def front(pixels: Pixels) -> Pixels:
    """Return the right part of the picture, with the front of the motorcycle."""
    return np.ascontiguousarray(pixels[60:, pixels.shape[1] * 2 // 5 :])


def rear(pixels: Pixels) -> Pixels:
    """Return the left part of the picture, with the rear of the motorcycle."""
    return np.ascontiguousarray(pixels[60:, : pixels.shape[1] * 3 // 5])


def blue(pixels: Pixels) -> Pixels:
    """Return the picture with red and blue exchanged."""
    return np.ascontiguousarray(pixels[..., ::-1])


MADE: tuple[tuple[Callable[[Pixels], Pixels], tuple[str, ...]], ...] = (
    (dots, ("china.jpg", "coffee.png", "chelsea.png", "motorcycle_left.png")),
    (pencil, ("astronaut.png", "rocket.jpg", "camera.png", "flower.jpg", "chelsea.png", "coffee.png")),
    (flat, ("chelsea.png", "flower.jpg", "astronaut.png", "coffee.png")),
    (mirrored, ("motorcycle_right.png", "coffee.png", "pencil-chelsea.png", "pencil-coffee.png")),
    (cropped, ("flower.jpg", "coffee.png", "chelsea.png")),
    (blue, ("flower.jpg", "chelsea.png")),
    (front, ("motorcycle_left.png", "motorcycle_right.png")),
    (rear, ("motorcycle_left.png", "motorcycle_right.png")),
)
"""Pictures made from photographs; `<effect>-<photograph>.png`."""


def prepare(folder: Path) -> None:
    """Write photographs, made pictures and the table into a folder."""
    prepare_photographs(folder)
    for name in MORE_PHOTOGRAPHS:
        shutil.copyfile(Path(skimage.__file__).parent / "data" / name, folder / name)
    for name in NO_PHOTOGRAPHS:
        (folder / name).unlink()
    for effect, names in MADE:
        for name in names:
            pixels = np.asarray(Image.open(folder / name).convert("RGB"))
            Image.fromarray(effect(pixels)).save(folder / f"{effect.__name__}-{Path(name).stem}.png")
    shutil.copyfile(TABLE, folder / TABLE.name)


def write_captions(folder: Path) -> None:
    """Write the photographs that have captions, and the captions, into a folder."""
    rows = [{"image": name, "truths": [{"kind": "captions", "texts": [caption]}]} for name, caption in CAPTIONS.items()]
    for name in CAPTIONS:
        shutil.copyfile(folder.parent / "pictures" / name, folder / name)
    (folder / "captions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def tiny_weights(folder: Path) -> Path:
    """Return the folder of a tiny SDXL with random weights, the same as in the tests."""
    sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
    from tiny_diffusion import make_pipeline

    return make_pipeline("sdxl", folder)


def release_of(name: str, steps: list[Any], workspace: Path, *, folder: Path, images: Path | None = None) -> Path:
    """Run steps and freeze their items; return the release."""
    import yaml

    freeze = {"step": "freeze", "name": name, "description": "Items for contact sheets."}
    text = yaml.safe_dump({"name": name, "seed": 5, "steps": [*steps, freeze]}, sort_keys=False)
    finished = run_recipe(parse_recipe(text, f"{name}.yaml", folder), images=images, workspace=workspace, workers=1)
    return finished.workspace / finished.artifacts["release"]


def main(folder: Path, weights: Path | None = None) -> None:
    """Write the sheets.

    Args:
        folder: Output folder.
        weights: Folder of SDXL's weights; None for those of a tiny model.
    """
    with tempfile.TemporaryDirectory() as below:
        work = Path(below)
        prepare(work / "pictures")
        prepare_photographs(work / "photographs")
        for name in NO_PHOTOGRAPHS:
            (work / "photographs" / name).unlink()
        (work / "captioned").mkdir()
        write_captions(work / "captioned")
        dataset = {"step": "dataset", "reader": "folder", "folder": "pictures", "options": {"dataset": "sheets"}}
        model = {"weights": str((weights or tiny_weights(work / "sdxl")).resolve()), **({} if weights else TINY)}
        releases = [
            release_of(
                "truths",
                [dataset, *({"step": task, **settings} for task, settings in TASKS.items())],
                work / "truths",
                folder=work,
            ),
            release_of(
                "photographs",
                [
                    {"step": "facts", "file": "demo.facts.yaml"},
                    *({"step": task, **settings} for task, settings in PICTURE_TASKS.items()),
                ],
                work / "made",
                folder=bundled_recipes()["demo"].parent,
                images=work / "photographs",
            ),
            release_of(
                "puzzles",
                [
                    {"step": "pattern_puzzles", "puzzles": ITEMS_PER_TASK},
                    *({"step": task, **settings} for task, settings in GENERATED_TASKS.items()),
                ],
                work / "puzzles",
                folder=work,
            ),
            release_of(
                "forensic",
                [
                    {"step": "dataset", "reader": "folder", "folder": "captioned", "options": {"dataset": "sheets"}},
                    {"step": "forensic_detection", **FORENSIC, **model},
                ],
                work / "forensic",
                folder=work,
            ),
        ]
        for release in releases:
            draw_sheets(release, folder, per_task=ITEMS_PER_TASK, most_bytes=MOST_BYTES)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    main(*map(Path, sys.argv[1:]))

"""Marks drawn by `benchwright.drawing` and by the annotators of `supervision`: time, and error of placement.

Four marks of a kind, with and without labels, on a photograph of one megapixel; both sides draw the same coordinates in
turn. The error is the distance between the middle of the requested coordinates and the centroid of the drawing on gray;
masks consist of whole pixels on both sides. Ours is anti-aliased at float coordinates, has a halo, and keeps labels off
all marks; theirs draws at whole pixels.

`supervision` is not a dependency. Install it into a separate folder, so that nothing else changes:

    pip install --no-deps --target DIR supervision pyDeprecate defusedxml
    PYTHONPATH=DIR python benchmarks/overlays.py
"""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from composites import composite, photographs
from measuring import show
from numpy.typing import NDArray

from benchwright.cli.demo import prepare_photographs
from benchwright.drawing import draw_prompts, mask_of
from benchwright.records import PromptKind, VisualPrompt

Pixels = NDArray[np.uint8]
Draw = Callable[[Pixels, list[NDArray[np.float64]], bool], Pixels]

SIZE_WH = (1152, 864)
RADIUS_PX = 10.0
GREY = 120


def main() -> None:
    """Measure every kind and print one document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=Path, help="folder of photographs; the demo's by default")
    parser.add_argument("--times", type=int, default=30, help="drawings of each kind by each side")
    parser.add_argument("--places", type=int, default=40, help="places at which the error is measured")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory() as name:
        if arguments.images is None:
            prepare_photographs(Path(name))
        photograph = composite(photographs(arguments.images or Path(name)), 1, size=SIZE_WH)
    theirs = _supervision()
    rows = {}
    for kind in ("ring", "dot", "box", "polygon", "mask"):
        sides = {"ours": _ours(kind), **({"supervision": theirs(kind)} if theirs else {})}
        for labelled in (False, True):
            row = _times(sides, photograph, _four(kind), labelled=labelled, times=arguments.times)
            if not labelled:
                row |= {f"{side}_error_px": _errors(draw, kind, arguments.places) for side, draw in sides.items()}
            rows[f"{kind}, labelled" if labelled else kind] = row
    document: dict[str, Any] = {"megapixels": round(SIZE_WH[0] * SIZE_WH[1] / 1e6, 2), "marks": 4, "kinds": rows}
    document["supervision"] = sys.modules["supervision"].__version__ if theirs else "not installed"
    show(document)


def _four(kind: str) -> list[NDArray[np.float64]]:
    return [_coordinates(kind, 180.3 + 255.6 * number, 330.7 + 40.25 * number) for number in range(4)]


def _coordinates(kind: str, x: float, y: float) -> NDArray[np.float64]:
    """Return the coordinates of a mark around a point, (n, 2)."""
    if kind == "box":
        return np.array([(x - 80, y - 120), (x + 80, y + 120)])
    if kind in ("polygon", "mask"):
        angles = np.arange(12) * np.pi / 6
        return np.column_stack([x + 80 * np.cos(angles), y + 120 * np.sin(angles)])
    return np.array([(x, y)])


def _grid(corners: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return the pixels of an outline."""
    grid = np.zeros(SIZE_WH[::-1], np.uint8)
    cv2.fillPoly(grid, [np.round((corners - 0.5) * 256).astype(np.int32)], 1, shift=8)
    return grid.astype(bool)


def _prompt(kind: PromptKind, points: NDArray[np.float64], label: str | None) -> VisualPrompt:
    mask = mask_of(_grid(points)) if kind == "mask" else None
    placed = np.array([(0, 0), SIZE_WH]) if kind == "mask" else points
    return VisualPrompt(
        kind=kind, image_id="0" * 64, points=tuple((float(x), float(y)) for x, y in placed), label=label, mask=mask
    )


def _ours(kind: PromptKind) -> Draw:
    kept: dict[bytes, VisualPrompt] = {}

    def draw(pixels: Pixels, marks: list[NDArray[np.float64]], labelled: bool) -> Pixels:
        prompts = []
        for points, letter in zip(marks, "ABCD", strict=False):
            key = points.tobytes() + bytes([labelled])
            if key not in kept:
                kept[key] = _prompt(kind, points, letter if labelled else None)
            prompts.append(kept[key])
        return draw_prompts(pixels, prompts)

    return draw


def _supervision() -> Callable[[str], Draw] | None:
    """Return the other side's function for a kind; None if it is not installed."""
    try:
        with warnings.catch_warnings(action="ignore"):
            sv = importlib.import_module("supervision")
    except ImportError as error:
        print(f"supervision is not measured: {error}; see the head of this file", file=sys.stderr)
        return None
    color = sv.Color(255, 0, 0)
    lookup = sv.ColorLookup.INDEX
    half = RADIUS_PX / np.sqrt(2)
    annotators: Mapping[str, Any] = {
        "ring": sv.CircleAnnotator(color=color, thickness=3, color_lookup=lookup),
        "dot": sv.DotAnnotator(color=color, radius=round(RADIUS_PX), color_lookup=lookup),
        "box": sv.BoxAnnotator(color=color, thickness=3, color_lookup=lookup),
        "polygon": sv.PolygonAnnotator(color=color, thickness=3, color_lookup=lookup),
        "mask": sv.MaskAnnotator(color=color, opacity=0.35, color_lookup=lookup),
    }
    label = sv.LabelAnnotator(color=color, color_lookup=lookup, smart_position=True)

    def of_kind(kind: str) -> Draw:
        kept: dict[bytes, Any] = {}

        def draw(pixels: Pixels, marks: list[NDArray[np.float64]], labelled: bool) -> Pixels:
            key = b"".join(points.tobytes() for points in marks)
            if key not in kept:
                bounds = np.array([[*points.min(axis=0), *points.max(axis=0)] for points in marks])
                grown = bounds + half * np.array([-1, -1, 1, 1]) if kind in ("ring", "dot") else bounds
                masks = np.array([_grid(points) for points in marks]) if kind in ("polygon", "mask") else None
                kept[key] = sv.Detections(xyxy=grown, mask=masks, class_id=np.arange(len(marks)))
            scene = annotators[kind].annotate(pixels.copy(), kept[key])
            return label.annotate(scene, kept[key], labels=list("ABCD")[: len(marks)]) if labelled else scene

        return draw

    return of_kind


def _times(
    sides: Mapping[str, Draw], photograph: Pixels, marks: list[NDArray[np.float64]], *, labelled: bool, times: int
) -> dict[str, float]:
    """Return the median CPU milliseconds of each side, which draw by turns."""
    spent: dict[str, list[float]] = {side: [] for side in sides}
    for turn in range(times + 1):
        for side, draw in sides.items():
            started = time.process_time()
            draw(photograph, marks, labelled)
            if turn:
                spent[side].append(time.process_time() - started)
    return {f"{side}_ms": round(1000 * float(np.median(seconds)), 2) for side, seconds in spent.items()}


def _errors(draw: Draw, kind: str, places: int) -> dict[str, float]:
    """Return the distance of drawn centroids from the requested places, in pixels: mean and largest."""
    rng = np.random.default_rng(5)
    away = []
    for x, y in rng.uniform(250, 500, (places, 2)):
        drawn = draw(np.full((*SIZE_WH[::-1], 3), GREY, np.uint8), [_coordinates(kind, x, y)], False)
        # Red alone counts, and not the halo; ours is RGB, theirs BGR.
        channels = drawn.astype(int)
        red = np.maximum(channels[..., 0] - channels[..., 1], 0) + np.maximum(channels[..., 2] - channels[..., 1], 0)
        columns, rows = np.arange(SIZE_WH[0]) + 0.5, np.arange(SIZE_WH[1]) + 0.5
        middle = (red.sum(axis=0) @ columns, red.sum(axis=1) @ rows) / red.sum()
        away.append(float(np.hypot(*(middle - (x, y)))))
    return {"mean": round(float(np.mean(away)), 3), "largest": round(max(away), 3)}


if __name__ == "__main__":
    main()

"""Items of the tasks of views, pieces, boxes and pictures, from photographs or from annotations with real biases.

Things are central, cut off at borders and of usual proportions; paintings of a style are of similar sizes, and some
styles are frequent; similar pictures have similar sizes; camera operators mostly walk one way, while it gets darker.
Cues that a task does not remove therefore become measurable. `ITEMS` names the makers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import cos, radians, sin
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from composites import composite
from made_items import MadeItems
from numpy.typing import NDArray
from step_context import StepContext
from truth_runs import TruthRun

from benchwright.canonical import canonical_json
from benchwright.construction.ground_truth.truths import (
    ArtStyle,
    CameraPose,
    CameraPoses,
    Homographies,
    SimilarityTriplet,
)
from benchwright.construction.item_parts.pictures.views import ViewLimits, random_homography, warp
from benchwright.construction.tasks.art_style import ArtStyleTask
from benchwright.construction.tasks.correspondence_of_views import CorrespondenceOfViews
from benchwright.construction.tasks.jigsaw import Jigsaw
from benchwright.construction.tasks.multi_view_reasoning import MultiViewReasoning
from benchwright.construction.tasks.object_localization import ObjectLocalization
from benchwright.construction.tasks.visual_correspondence import VisualCorrespondence
from benchwright.construction.tasks.visual_similarity import VisualSimilarity
from benchwright.records import Item
from benchwright.steps import MapStep

Pixels = NDArray[np.uint8]
Maker = Callable[[Path, Sequence[Pixels], int, int, str], MadeItems]
"""Takes a folder to write to, photographs as RGB, a seed, the number of records and the mode."""
STYLES = {"Baroque": 0.45, "Ukiyo_e": 0.25, "Pop_Art": 0.15, "Cubism": 0.1, "Impressionism": 0.05}


def pictures_of(photographs: Sequence[Pixels], seed: int, count: int) -> list[Pixels]:
    """Return the photographs, with composites of them up to the requested number."""
    pictures = list(photographs[:count])
    for number in range(count - len(pictures)):
        pictures.append(np.ascontiguousarray(composite(photographs, seed * 1_000_000 + number)))
    return pictures


def _made(folder: Path, step: MapStep, pictures: Sequence[Pixels], seed: int, values: Any = None) -> MadeItems:
    """Run a step on each picture, with the values that a function of number and picture gives it."""
    folder.mkdir(parents=True, exist_ok=True)
    context = StepContext(folder, seed=seed)
    context.opened = step.open(context)
    items: list[Item] = []
    numbers: dict[str, int] = {}
    for number, pixels in enumerate(pictures):
        record = context.add(pixels, f"{number}.png")
        if values is not None:
            context._values = {(record.image_id, name): text for name, text in values(number, pixels).items()}
        of_picture = step.one(record, context).items
        items += of_picture
        numbers |= {item.item_id: number for item in of_picture}
    return MadeItems.of_context(context, items)._replace(numbers=numbers)


def views(folder: Path, photographs: Sequence[Pixels], seed: int, records: int, mode: str) -> MadeItems:
    """Return items of views of photographs."""
    return _made(folder, VisualCorrespondence(mode=mode), pictures_of(photographs, seed, records), seed)


def pieces(folder: Path, photographs: Sequence[Pixels], seed: int, records: int, mode: str) -> MadeItems:
    """Return jigsaws of photographs."""
    return _made(folder, Jigsaw(mode=mode), pictures_of(photographs, seed, records), seed)


def boxes(folder: Path, photographs: Sequence[Pixels], seed: int, records: int, mode: str) -> MadeItems:
    """Return items of boxes near the middle of pictures, cut off at the border, in whole pixels."""
    rng = np.random.default_rng(seed)

    def stated(number: int, pixels: Pixels) -> Mapping[str, str]:
        size = np.array(pixels.shape[1::-1])
        while True:
            area, proportion = np.exp(rng.normal(np.log(0.3), 0.5)), np.exp(rng.normal(0, 0.4))
            half = area * min(size) * np.array([proportion, 1 / proportion]) / 2
            middle = rng.normal((0.5, 0.55), 0.18) * size
            box = [*np.maximum(middle - half, 0).round().tolist(), *np.minimum(middle + half, size).round().tolist()]
            if min(box[2] - box[0], box[3] - box[1]) >= 30:
                break
        subject = {"name": f"thing_{number}", "phrase": "the thing", "box": box}
        return {"facts.subjects": canonical_json([subject])}

    return _made(folder, ObjectLocalization(mode=mode), pictures_of(photographs, seed, records), seed, stated)


def sequences(folder: Path, photographs: Sequence[Pixels], seed: int, records: int, mode: str) -> MadeItems:
    """Return items of pairs as in HPatches: every other one only in another light."""
    folder.mkdir(parents=True, exist_ok=True)
    run, rng = TruthRun(folder, seed=seed), np.random.default_rng(seed)
    limits = ViewLimits(20.0, 0.1, 1.1, 1.4)
    for number, first in enumerate(pictures_of(photographs, seed, records)):
        size_wh = (first.shape[1], first.shape[0])
        is_light = bool(number % 2)
        matrix = np.eye(3) if is_light else random_homography(size_wh, limits, rng)
        second = np.clip(warp(first, matrix, size_wh) * (rng.uniform(0.5, 0.9) if is_light else 1.0), 0, 255)
        shown = [run.add(first, f"{number}-0.png"), run.add(second.astype(np.uint8), f"{number}-1.png")]
        truth = Homographies(
            change="illumination" if is_light else "viewpoint",
            matrices=(tuple(map(tuple, np.eye(3).tolist())), tuple(map(tuple, matrix.tolist()))),
        )
        run.state(f"hpatches:{number}", shown, truth)
    return MadeItems.of_run(run, run.run(CorrespondenceOfViews(mode=mode, uses=None)))


def styles(folder: Path, photographs: Sequence[Pixels], seed: int, records: int, mode: str) -> MadeItems:
    """Return items of paintings whose sizes, light and frequencies depend on their style; no painting occurs in two
    items, so items are independent.
    """
    del photographs
    folder.mkdir(parents=True, exist_ok=True)
    run, rng = TruthRun(folder, seed=seed), np.random.default_rng(seed)
    for number in range(records):
        style = str(rng.choice(list(STYLES), p=list(STYLES.values())))
        place = list(STYLES).index(style)
        width, height = 80 + 8 * place + int(rng.integers(10)), 120 - 8 * place + int(rng.integers(10))
        image_id = run.add(_noise(rng, width, height, 90 + 10 * place), f"{number}.png")
        run.state(f"wikiart:{number}", [image_id], ArtStyle(style=style, artist=f"painter {rng.integers(records)}"))
    return MadeItems.of_run(run, run.run(ArtStyleTask(mode=mode, min_side_px=64)))


def triplets(folder: Path, photographs: Sequence[Pixels], seed: int, records: int, mode: str) -> MadeItems:
    """Return items of triplets: chance picks the one of two pictures that the reference is a version of.

    All three are versions of their pictures by one rule, so either candidate could have been the closer one. But
    versions of a picture have about its size, as in datasets whose pictures were searched by size.
    """
    folder.mkdir(parents=True, exist_ok=True)
    run, rng = TruthRun(folder, seed=seed), np.random.default_rng(seed)
    for number in range(records):
        pair = [photographs[place] for place in rng.choice(len(photographs), 2, replace=False)]
        sizes = [rng.integers(150, 260, 2) for _ in pair]
        closer = int(rng.integers(2))
        versions = [_version(rng, pair[place], sizes[place]) for place in (closer, 0, 1)]
        shown = [run.add(pixels, f"{number}-{place}.png") for place, pixels in enumerate(versions)]
        run.state(f"nights:{number}", shown, SimilarityTriplet(closer=("left", "right")[closer], votes=7))
    return MadeItems.of_run(run, run.run(VisualSimilarity(mode=mode, uses=None)))


def films(folder: Path, photographs: Sequence[Pixels], seed: int, records: int, mode: str) -> MadeItems:
    """Return items of films in which four of five operators walk to the right while it gets darker."""
    del photographs
    folder.mkdir(parents=True, exist_ok=True)
    run, rng = TruthRun(folder, seed=seed), np.random.default_rng(seed)
    for number in range(records):
        way = 1 if rng.random() < 0.8 else -1
        start = float(rng.uniform(0, 360))
        poses = tuple(_pose(start + way * 14.0 * frame, frame) for frame in range(4))
        frames = [
            run.add(_noise(rng, 160, 130, 150 - 12 * frame), f"{number}-{frame}.png") for frame in range(len(poses))
        ]
        run.state(f"wild6d:{number}", frames, CameraPoses(category="mug", up=(0.0, 1.0, 0.0), poses=poses))
    return MadeItems.of_run(run, run.run(MultiViewReasoning(mode=mode, uses=None)))


def _noise(rng: np.random.Generator, width: int, height: int, grey: int) -> Pixels:
    """Return a unique coarse pattern of about that gray."""
    cells = rng.normal(grey, 40, (height // 10 + 1, width // 10 + 1, 3)).clip(0, 255).astype(np.uint8)
    return np.asarray(cv2.resize(cells, (width, height), interpolation=cv2.INTER_LINEAR), np.uint8)


def _version(rng: np.random.Generator, pixels: Pixels, size_wh: NDArray[np.int64]) -> Pixels:
    """Return a part of a picture in another light, of about that size."""
    width, height = (size_wh + rng.integers(0, 4, 2)).tolist()
    share = rng.uniform(0.7, 0.95)
    part_wh = np.maximum(1, (share * np.array(pixels.shape[1::-1])).astype(int))
    left, top = rng.integers(0, np.array(pixels.shape[1::-1]) - part_wh + 1).tolist()
    part = pixels[top : top + part_wh[1], left : left + part_wh[0]]
    shown = cv2.resize(part, (width, height), interpolation=cv2.INTER_AREA)
    return np.clip(shown * rng.uniform(0.85, 1.15) + rng.uniform(-12, 12, 3), 0, 255).astype(np.uint8)


def _pose(angle_deg: float, frame: int) -> CameraPose:
    """Return the pose of a camera that looks at the object from that angle around its upright axis."""
    turned = radians(angle_deg)
    centre = 2.0 * np.array([sin(turned), 0.2, cos(turned)])
    ahead = -centre / np.linalg.norm(centre)
    right = np.cross(ahead, [0.0, 1.0, 0.0])
    right /= np.linalg.norm(right)
    rotation = np.array([right, np.cross(ahead, right), ahead])
    return CameraPose(frame=frame, rotation=rotation.tolist(), translation=(-rotation @ centre).tolist())


ITEMS: dict[str, Maker] = {
    "visual_correspondence": views,
    "visual_correspondence of sequences": sequences,
    "jigsaw": pieces,
    "object_localization": boxes,
    "art_style": styles,
    "visual_similarity": triplets,
    "multi_view_reasoning": films,
}

"""The cost of BLINK's tasks compared with the library calls that they must make, in one run.

Each task makes items from photographs of 1.8 megapixels, composed of pieces of real ones. It is compared with the
processor time of the libraries' own calls on the same pictures: Pillow's decoding and encoding, OpenCV's scaling and
warping. The step's time includes planning, choosing, checking, drawing and storing. Step and calls run in turn; the
ratio is that of their medians. Each task runs in a separate process, so that its peak memory is measured separately.

A task is one entry of `CASES`: the step, the number of pictures in a record, and the truths of record number n.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import cos, radians, sin
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
import pyarrow as pa
from composites import composite, photographs
from measuring import peak_mb, show
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from step_context import StepContext

from benchwright.canonical import canonical_json
from benchwright.cli.demo import prepare_photographs
from benchwright.construction.ground_truth.truths import (
    ArtStyle,
    CameraPose,
    CameraPoses,
    CountQuestion,
    DepthComparison,
    FunctionalPoints,
    GroundTruth,
    KeypointPair,
    ReflectanceComparison,
    SimilarityTriplet,
    SpatialClaim,
)
from benchwright.construction.ground_truth.values import RecordTruth, write_truths
from benchwright.construction.tasks.art_style import ArtStyleTask
from benchwright.construction.tasks.counting import Counting
from benchwright.construction.tasks.functional_correspondence import FunctionalCorrespondence
from benchwright.construction.tasks.jigsaw import Jigsaw
from benchwright.construction.tasks.multi_view_reasoning import MultiViewReasoning
from benchwright.construction.tasks.object_localization import ObjectLocalization
from benchwright.construction.tasks.relative_depth import RelativeDepth
from benchwright.construction.tasks.relative_reflectance import RelativeReflectance
from benchwright.construction.tasks.semantic_correspondence import SemanticCorrespondence
from benchwright.construction.tasks.spatial_relation import SpatialRelation
from benchwright.construction.tasks.visual_correspondence import VisualCorrespondence
from benchwright.construction.tasks.visual_similarity import VisualSimilarity
from benchwright.images import encode_png, pixel_hash
from benchwright.records import ImageRecord
from benchwright.steps import GatherContext, GatherStep, MapStep
from benchwright.workspace.objects import ObjectStore

WIDTH, HEIGHT = 1536, 1152
SMALLEST_PX = 10_000
"""Pixels from which on a scaled or warped picture counts as a call that the task must make."""
SEED = 3


class Case(NamedTuple):
    """A task to be measured.

    Args:
        step: The step.
        pictures: Number of pictures of a record.
        truth: What is true of a record by its number: a truth, or values by the name under which the step reads them;
            None where the step needs no more than pictures.
    """

    step: MapStep
    pictures: int = 1
    truth: Callable[[int], GroundTruth | Mapping[str, Any]] | None = None


def _point(share_x: float, share_y: float, number: int = 0) -> tuple[float, float]:
    return share_x * WIDTH + number % 20, share_y * HEIGHT


def _points(number: int) -> tuple[tuple[float, float], ...]:
    return tuple(_point(x, y, number) for x, y in ((0.2, 0.2), (0.7, 0.2), (0.2, 0.7), (0.7, 0.7), (0.45, 0.45)))


def _film(number: int) -> CameraPoses:
    poses = []
    for frame, angle in enumerate((number, number + 30.0)):
        turned = radians(angle)
        centre = 2.0 * np.array([sin(turned), 0.2, cos(turned)])
        ahead = -centre / np.linalg.norm(centre)
        right = np.cross(ahead, [0.0, 1.0, 0.0])
        right /= np.linalg.norm(right)
        rotation = np.array([right, np.cross(ahead, right), ahead])
        poses.append(CameraPose(frame=frame, rotation=rotation.tolist(), translation=(-rotation @ centre).tolist()))
    return CameraPoses(category="mug", up=(0.0, 1.0, 0.0), poses=tuple(poses))


def _subject(number: int) -> Mapping[str, Any]:
    box = [*_point(0.3, 0.3, number), *_point(0.6, 0.7, number)]
    return {"facts.subjects": [{"name": "thing", "phrase": "the thing", "box": box}]}


STYLES = ("Baroque", "Pop_Art", "Ukiyo_e")
NAMES = ("nose", "ear", "tail", "paw", "eye")
CASES: dict[str, Case] = {
    "visual_correspondence": Case(VisualCorrespondence()),
    "jigsaw": Case(Jigsaw()),
    "object_localization": Case(ObjectLocalization(), 1, _subject),
    "relative_depth": Case(
        RelativeDepth(),
        1,
        lambda n: DepthComparison(first=_point(0.2, 0.45, n), second=_point(0.7, 0.48), closer="first"),
    ),
    "relative_reflectance": Case(
        RelativeReflectance(mode="paper"),
        1,
        lambda n: ReflectanceComparison(first=_point(0.2, 0.3, n), second=_point(0.7, 0.6), darker="first", weight=2.0),
    ),
    "spatial_relation": Case(
        SpatialRelation(mode="paper"),
        1,
        lambda n: SpatialClaim(claim=f"The cat {n} is under the table.", relation="under", is_true=True, votes_true=5),
    ),
    "counting": Case(
        Counting(mode="paper"), 1, lambda n: CountQuestion(question="How many cups are there?", count=n % 9)
    ),
    "semantic_correspondence": Case(
        SemanticCorrespondence(),
        2,
        lambda n: KeypointPair(category="cat", first=_points(n), second=_points(n + 7), names=NAMES),
    ),
    "functional_correspondence": Case(
        FunctionalCorrespondence(),
        1,
        lambda n: FunctionalPoints(action=f"pour {n // 2}", category=("pot", "cup")[n % 2], points=_points(n)),
    ),
    "visual_similarity": Case(
        VisualSimilarity(), 3, lambda n: SimilarityTriplet(closer=("left", "right")[n % 2], votes=7)
    ),
    "art_style": Case(ArtStyleTask(), 1, lambda n: ArtStyle(style=STYLES[n % 3], artist=f"painter {n}")),
    "multi_view_reasoning": Case(MultiViewReasoning(), 2, _film),
}


def main() -> None:
    """Measure every task in a process of its own and print one document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=Path, help="folder of photographs; the demo's by default")
    parser.add_argument("--tasks", nargs="+", choices=sorted(CASES), default=list(CASES))
    parser.add_argument("--pictures", type=int, default=12)
    parser.add_argument("--times", type=int, default=3, help="turns of step and calls")
    parser.add_argument("--task", choices=sorted(CASES), help="measure one, on the pictures in --images as they are")
    arguments = parser.parse_args()
    if arguments.task:
        print(json.dumps(_measured(CASES[arguments.task], arguments.images, arguments.times)))
        return
    with tempfile.TemporaryDirectory() as name:
        _make_photographs(arguments.images, Path(name), arguments.pictures)
        measured = {}
        for task in arguments.tasks:
            command = [sys.executable, __file__, "--task", task, "--images", str(Path(name) / "made")]
            done = subprocess.run([*command, "--times", str(arguments.times)], check=True, stdout=subprocess.PIPE)
            measured[task] = json.loads(done.stdout)
            print(task, done.stdout.decode().strip(), file=sys.stderr)
    show({"megapixels": round(WIDTH * HEIGHT / 1e6, 2), "pictures": arguments.pictures, "tasks": measured})


def _make_photographs(images: Path | None, folder: Path, count: int) -> None:
    if images is None:
        prepare_photographs(images := folder / "photographs")
    sources = photographs(images)
    (folder / "made").mkdir()
    for number in range(count):
        size = (WIDTH // 2, HEIGHT // 2)
        parts = [composite(sources, 4 * number + place, size=size) for place in range(4)]
        whole = np.vstack([np.hstack(parts[:2]), np.hstack(parts[2:])])
        cv2.imwrite(str(folder / "made" / f"{number:04}.jpg"), whole, [cv2.IMWRITE_JPEG_QUALITY, 92])


def _measured(case: Case, folder: Path, times: int) -> dict[str, Any]:
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory() as name:
        calls: list[Callable[[], Any]] = []
        items = _made(case, folder, Path(name) / "first")
        peak = peak_mb()  # before pictures are kept for the calls
        with _recorded(calls):
            _made(case, folder, Path(name) / "noted", calls)
        step_s, calls_s = [], []
        for turn in range(times):
            started = time.process_time()
            _made(case, folder, Path(name) / str(turn))
            between = time.process_time()
            for call in calls:
                call()
            step_s.append(between - started)
            calls_s.append(time.process_time() - between)
    step, least = float(np.median(step_s)), float(np.median(calls_s))
    return {
        "items": items,
        "ms_an_item": round(1000 * step / items, 1),
        "calls_ms_an_item": round(1000 * least / items, 1),
        "ratio": round(step / least, 2),
        "peak_mb": round(peak),
    }


def _made(case: Case, folder: Path, store: Path, calls: list[Callable[[], Any]] | None = None) -> int:
    """Run a task on all pictures of a folder; return the number of its items."""
    context = _Context(folder, store, calls)
    records = [context.add_file(path) for path in sorted(folder.iterdir())]
    groups = [records[at : at + case.pictures] for at in range(0, len(records) - case.pictures + 1, case.pictures)]
    values: dict[tuple[str, str], Any] = {}
    for number, group in enumerate(groups):
        image_ids = tuple(record.image_id for record in group)
        truth = case.truth(number) if case.truth else {}
        if isinstance(truth, GroundTruth):
            stated = RecordTruth(f"record:{number}", image_ids, truth)
            values[image_ids[0], f"dataset.{truth.kind}"] = write_truths([stated])
        else:
            values |= {(image_ids[0], key): canonical_json(value) for key, value in truth.items()}
    items = 0
    for part in case.step.parts():
        if isinstance(part, GatherStep):
            values |= _gathered(part, case.step.name, records, values)
        elif isinstance(part, MapStep):
            context.given = values
            context.opened = part.open(context)
            items += sum(len(part.one(record, context).items) for record in records)
    return items


def _gathered(
    part: GatherStep, task: str, records: Sequence[ImageRecord], values: Mapping[tuple[str, str], Any]
) -> dict[tuple[str, str], Any]:
    fields = ImageRecord.model_fields
    columns = {
        name: [getattr(record, name) if name in fields else values.get((record.image_id, name)) for record in records]
        for name in part.columns
    }
    gathered = part.gather(pa.table(columns), GatherContext(SEED, f"{task}.{part.name}"))
    return {
        (records[row].image_id, f"{part.name}.{name}"): column[place]
        for name, column in gathered.values.items()
        for place, row in enumerate(gathered.rows.tolist())
    }


class _Context(StepContext):
    """The tests' context with pictures stored as a run stores them; notes decodings and encodings where asked."""

    def __init__(self, folder: Path, store: Path, calls: list[Callable[[], Any]] | None) -> None:
        super().__init__(folder, seed=SEED)
        self._objects = ObjectStore(store, tmp=store)
        self._calls = calls
        self.given: Mapping[tuple[str, str], Any] = {}
        store.mkdir()
        if calls is not None:
            self.images = _NotedReader(self.images, self.path, calls)

    def value(self, record_id: str, name: str) -> Any:
        return self.given.get((record_id, name))

    def store_image(self, pixels: np.ndarray, *, parents: Sequence[ImageRecord]) -> ImageRecord:
        if self._calls is not None:
            kept = np.array(pixels)
            self._calls.append(lambda: _encode(kept))
        data = encode_png(pixels)
        return ImageRecord(
            image_id=self._objects.put(data),
            width=pixels.shape[1],
            height=pixels.shape[0],
            media_type="image/png",
            size_bytes=len(data),
            derived_from=tuple(parent.image_id for parent in parents),
            operation_id=self.operation_id,
            pixel_hash=pixel_hash(pixels),
            root_image_id=parents[0].root_image_id,
        )


class _NotedReader:
    def __init__(self, reader: Any, path: Callable[[ImageRecord], Path], calls: list[Callable[[], Any]]) -> None:
        self._reader, self._path, self._calls = reader, path, calls
        self._seen: set[str] = set()

    def rgb(self, record: ImageRecord) -> Any:
        if record.image_id not in self._seen:  # each picture has to be decoded once
            self._seen.add(record.image_id)
            path = self._path(record)
            self._calls.append(lambda: np.asarray(Image.open(path).convert("RGB")))
        return self._reader.rgb(record)


def _encode(pixels: np.ndarray) -> None:
    with tempfile.TemporaryFile() as handle:
        Image.fromarray(pixels).save(handle, "PNG", optimize=False, compress_level=3)


@contextmanager
def _recorded(calls: list[Callable[[], Any]]) -> Iterator[None]:
    """Note OpenCV's scaling and warping of pictures, to be called again."""

    def noted(function: Any) -> Any:
        def call(pixels: np.ndarray, *arguments: Any, **more: Any) -> Any:
            result = function(pixels, *arguments, **more)
            if result.shape[0] * result.shape[1] >= SMALLEST_PX:
                calls.append(lambda: function(pixels, *arguments, **more))
            return result

        return call

    functions = {name: getattr(cv2, name) for name in ("resize", "warpPerspective")}
    try:
        for name, function in functions.items():
            setattr(cv2, name, noted(function))
        yield
    finally:
        for name, function in functions.items():
            setattr(cv2, name, function)


if __name__ == "__main__":
    main()

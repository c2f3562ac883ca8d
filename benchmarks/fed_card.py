"""The speed at which GPUs are fed: each step that shares its model, run by the engine, compared with a plain loop.

Part `fed` of `model_stack.py`. Weights are random, and of the real size on a GPU. Workers of the engine decode, and the
process of each GPU computes; the clock starts after opening and the first batches. The loop decodes and resizes with
Pillow and gives the model one picture at a time, in float32. SAM finds one mask in each picture, as for `manipulate`.
The share of the peak refers to a product of large matrices in bfloat16, measured in the same run, on as many GPUs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from planned_ideas import idea
from step_context import StepContext

from benchwright.construction.item_parts.idea import GroundedSubject, packed
from benchwright.construction.manipulation.masks.sam_architecture import load_sam
from benchwright.construction.manipulation.masks.sam_import import segment_anything
from benchwright.engines import Attempt, LocalEngine
from benchwright.engines.card_client import CardClient
from benchwright.engines.cards import CPU
from benchwright.engines.gpus import visible_gpus
from benchwright.engines.local import processors
from benchwright.models import find_device
from benchwright.models.picture_batches import SharedPictures
from benchwright.models.picture_vectors import Preprocessing, embed
from benchwright.records import ImageRecord
from benchwright.steps import MapStep
from benchwright.workspace.stages import Stage

_RECORDS_A_JOB = 32
"""Number of records that an engine gives a step at a time."""


@dataclass(frozen=True)
class SharedSteps:
    """A worker context: steps whose models workers share."""

    steps: Mapping[str, MapStep]
    address: str = ""
    opened: dict[str, Any] = field(default_factory=dict)

    def opened_at_card(self, name: str) -> Any:
        """Return what a step has opened in this worker."""
        if name not in self.opened:
            client = CardClient(self.address)
            shared: SharedPictures[Any] = SharedPictures(client, name, client.open(name))
            self.opened[name] = self.steps[name].open_with(shared, None)  # type: ignore[arg-type]
        return self.opened[name]

    def at_card(self, address: str) -> SharedSteps:
        """Return the context of a worker at a card."""
        return replace(self, address=address)

    def shared_model(self, name: str) -> Any:
        """Return the model of a step."""
        return self.steps[name].open_shared(None)  # type: ignore[arg-type]

    def keep_only(self, names: Sequence[str]) -> None:
        """Do nothing: each engine has only one step."""


@dataclass(frozen=True)
class Feed:
    """A pass of a step over some pictures, as over a shard; returns the number of failures."""

    paths: tuple[Path, ...]
    step: str
    name: str = "feed"

    @property
    def size(self) -> int:
        """Return the number of pictures."""
        return len(self.paths)

    def run(self, worker: SharedSteps, attempt: Attempt) -> int:
        """Run the step."""
        attempt.at((self.step, self.paths[0].name))
        context = StepContext(self.paths[0].parent)
        step, context.opened = worker.steps[self.step], worker.opened_at_card(self.step)
        records = [context.add_file(path) for path in self.paths]
        context._values = {(record.image_id, "ideas.planned"): _one_mask(record) for record in records}
        together = step.together() or len(records)
        chunks = [records[first : first + together] for first in range(0, len(records), together)]
        return sum(outcome.verdict == "failed" for chunk in chunks for outcome in step.many(chunk, context))


def _one_mask(record: ImageRecord) -> str:
    """Return an idea for which `manipulate` finds a mask, and then lacks a donor."""
    width, height = record.width, record.height
    middle = GroundedSubject(phrase="it", box=(width * 0.3, height * 0.3, width * 0.7, height * 0.7))
    return packed([idea("partial", subject=middle, target=middle)])


def fed(
    name: str, step: MapStep, weights: Path, pictures: Sequence[Path], *, work: Path, pictures_in_all: int
) -> dict[str, Any]:
    """Return the pictures per second that a step's model processes, fed and in the loop, and the share of the peak.

    Args:
        name: Kind of model: `depth`, `dinov2`, `clip`, `classifier` or `sam`.
        step: The step.
        weights: Folder of the model, or SAM's checkpoint.
        pictures: JPEG files; they are read repeatedly.
        work: Folder for logs.
        pictures_in_all: Number of timed pictures.
    """
    gpus = visible_gpus() or [CPU]
    tflop, naive_per_s = _in_loop(name, weights, pictures)
    many = [pictures[number % len(pictures)] for number in range(pictures_in_all)]
    jobs = [Feed(tuple(many[first : first + _RECORDS_A_JOB]), name) for first in range(0, len(many), _RECORDS_A_JOB)]
    workers = processors()
    needs = Stage(name, name, step).needs
    with LocalEngine(SharedSteps({name: step}), workers=workers, log_folder=work, gpus=gpus) as engine:
        warm = [Feed(tuple(pictures[:_RECORDS_A_JOB]), name) for _ in range(4 * workers)]
        list(engine.run(warm if gpus != [CPU] else warm[:workers], needs))
        started = time.perf_counter()
        failed = sum(done.result for done in engine.run(jobs, needs))
        per_s = len(many) / (time.perf_counter() - started)
    peak_tflops = peak() * len(gpus)
    return {
        "workers": workers,
        "gpus": len(gpus),
        "failed": failed,
        "loop_per_s": round(naive_per_s, 1),
        "fed_per_s": round(per_s, 1),
        "ratio": round(per_s / naive_per_s, 2),
        "gflop_a_picture": round(1000 * tflop, 1),
        "peak_tflops": round(peak_tflops, 2),
        "loop_share_of_peak": round(naive_per_s * tflop / peak_tflops, 4),
        "fed_share_of_peak": round(per_s * tflop / peak_tflops, 4),
    }


def _in_loop(name: str, weights: Path, pictures: Sequence[Path]) -> tuple[float, float]:
    """Return the teraflops of a picture, and the pictures per second of a plain loop."""
    from torch.utils.flop_counter import FlopCounterMode

    look = _looker(name, weights)
    with FlopCounterMode(display=False) as counter:
        look(pictures[0])
    some = pictures[:64]
    started = time.perf_counter()
    for path in some:
        look(path)
    return counter.get_total_flops() / 1e12, len(some) / (time.perf_counter() - started)


def _looker(name: str, weights: Path) -> Callable[[Path], Any]:
    import torch
    import transformers

    if name == "sam":
        return _sam(weights)
    kinds = {"depth": "AutoModelForDepthEstimation", "classifier": "AutoModelForImageClassification"}
    model = getattr(transformers, kinds.get(name, "AutoModel")).from_pretrained(weights, local_files_only=True)
    model = model.float().to(find_device(None).place).eval()
    if name in kinds:
        processor = transformers.AutoImageProcessor.from_pretrained(weights, local_files_only=True)

        def outputs(path: Path) -> Any:
            ready = processor(images=[Image.open(path).convert("RGB")], return_tensors="pt").to(model.device)
            with torch.inference_mode():
                return model(**ready)[0].cpu()

        return outputs
    prepare = Preprocessing.of(weights)
    prepare = prepare._replace(side_px=224) if name == "dinov2" else prepare
    return lambda path: embed(model, prepare(np.asarray(Image.open(path).convert("RGB")))[None])


def _sam(checkpoint: Path) -> Callable[[Path], Any]:
    import torch

    predictor = segment_anything().SamPredictor(load_sam(checkpoint).to(find_device(None).place))

    def mask(path: Path) -> Any:
        pixels = np.asarray(Image.open(path).convert("RGB"))
        height, width = pixels.shape[:2]
        with torch.inference_mode():
            predictor.set_image(pixels)
            return predictor.predict(box=np.array([width, height, width, height]) * [0.3, 0.3, 0.7, 0.7])[0]

    return mask


def peak() -> float:
    """Return the teraflops per second of the product of two large matrices in bfloat16 on the device."""
    import torch

    place = find_device(None).place
    side = 8192 if place != "cpu" else 1024
    factors = torch.randn(side, side, device=place, dtype=torch.bfloat16)
    best = 0.0
    for _ in range(5):
        started = time.perf_counter()
        product = factors
        for _ in range(5):
            product = factors @ factors
        float(product[0, 0])  # waits for the device
        best = max(best, 5 * 2 * side**3 / (time.perf_counter() - started) / 1e12)
    return best

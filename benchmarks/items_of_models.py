"""Items of the tasks that use a model, from photographs: `forensic_detection` and triplets of `similar_pictures`.

The models are tiny ones with random weights, made in the same run from the classes of diffusers and transformers. Their
drawings are noise and their similarities crude, but the steps are the real ones: sizes, files, encoding and the choice
of pictures are those of any weights. `ITEMS` names the makers.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from composites import composite
from items_of_pictures import Maker, Pixels, pictures_of
from made_items import MadeItems
from step_context import StepContext
from tiny_diffusion import make_pipeline
from tiny_dinov2 import make_dinov2
from truth_runs import TruthRun

from benchwright.construction.estimated.similar_pictures import PictureFeatures, SimilarPictures
from benchwright.construction.ground_truth.truths import Captions, SimilarityTriplet
from benchwright.construction.ground_truth.values import read_truths
from benchwright.construction.manipulation.manipulation_settings import Hardware
from benchwright.construction.tasks.forensic_detection import ForensicDetection
from benchwright.construction.tasks.visual_similarity import VisualSimilarity
from benchwright.steps import GatherContext


def forensics(folder: Path, photographs: Sequence[Pixels], seed: int, records: int, mode: str) -> MadeItems:
    """Return items of photographs next to pictures of a tiny SDXL; the task has one mode."""
    del mode
    folder.mkdir(parents=True, exist_ok=True)
    weights = make_pipeline("sdxl", folder / "sdxl", seed=seed)
    run = TruthRun(folder, seed=seed)
    for number, pixels in enumerate(pictures_of(photographs, seed, records)):
        image_id = run.add(pixels, f"{number}.jpg")
        run.state(f"coco:{number}", [image_id], Captions(texts=(f"Thing number {number} on a table.",)))
    task = ForensicDetection(
        weights=str(weights), side_px=64, model_side_px=64, steps=1, min_side_px=16,
        hardware=Hardware(batch_size=64, images_together=64),
    )  # fmt: skip
    return MadeItems.of_run(run, run.run(task))


def similar(folder: Path, photographs: Sequence[Pixels], seed: int, records: int, mode: str) -> MadeItems:
    """Return items of triplets that the step chooses among photographs by the features of a tiny DINOv2."""
    folder.mkdir(parents=True, exist_ok=True)
    model = make_dinov2(folder / "dinov2")
    step = SimilarPictures(
        mode=mode, weights=str(model), side_px=56, copies=0.995, least=0.3, margin=0.05, device="cpu"
    )
    run, context = TruthRun(folder, seed=seed), StepContext(folder, seed=seed)
    rng = np.random.default_rng(seed)
    for number in range(5 * records):
        width, height = rng.integers(100, 220, 2).tolist()
        pixels = composite(photographs, seed * 1_000_000 + number, size=(width, height))
        image_id = run.add(pixels, f"{number}.jpg")
        context.add_file(run.path(image_id))
    part = PictureFeatures.of(step)
    context.opened = part.open(None)  # type: ignore[arg-type]  # opens weights, of no context
    image_ids = sorted(run.records)
    outcomes = part.many([run.records[image_id] for image_id in image_ids], context)
    features = [outcome.values["features"] for outcome in outcomes]
    table = pa.table({"image_id": image_ids, "features.features": features})
    chosen = step.gather(table, GatherContext(seed, step.name))
    for text in chosen.values[SimilarityTriplet.kind]:
        for truth in read_truths(text, SimilarityTriplet) if text else ():
            run.state(truth.record, list(truth.image_ids), truth.truth)
    return MadeItems.of_run(run, run.run(VisualSimilarity(min_votes=1, uses=None)))


ITEMS: dict[str, Maker] = {"forensic_detection": forensics, "visual_similarity of similar_pictures": similar}
"""Makers of items by task."""

"""Tasks run on hand-made truths: the real selection over all pictures, then the real step on each, on real files."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from dataset_fixtures.pictures import pixels
from PIL import Image
from step_context import StepContext

from benchwright.construction.ground_truth.truths import GroundTruth
from benchwright.construction.ground_truth.values import RecordTruth, write_truths
from benchwright.records import ImageRecord, Item
from benchwright.steps import GatherContext, Gathered, Outcome


class TruthRun:
    """Pictures and what is true of them, and what a task makes of it."""

    def __init__(self, folder: Path, *, seed: int = 3) -> None:
        self.folder, self.seed = folder, seed
        self.records: dict[str, ImageRecord] = {}
        self.outcomes: dict[str, Outcome] = {}
        self.made: dict[str, ImageRecord] = {}
        self._names: dict[str, str] = {}
        self._pixels: dict[str, np.ndarray] = {}
        self._truths: dict[tuple[str, str], list[RecordTruth[Any]]] = defaultdict(list)
        self._marks: dict[tuple[str, str], str] = {}

    def picture(self, number: int, width: int = 320, height: int = 240) -> str:
        """Add a picture that nothing else has; return its id."""
        return self.add(pixels(number, width, height), f"{number}.png")

    def add(self, picture: np.ndarray, name: str) -> str:
        record = StepContext(self.folder).add(picture, name)
        self.records[record.image_id] = record
        self._names[record.image_id] = name
        return record.image_id

    def path(self, image_id: str) -> Path:
        return self.folder / self._names[image_id]

    def pixels_of(self, image_id: str) -> np.ndarray:
        if image_id not in self._pixels:
            self._pixels[image_id] = np.asarray(Image.open(self.path(image_id)))
        return self._pixels[image_id]

    def state(self, record: str, image_ids: list[str], truth: GroundTruth, dataset: str = "dataset") -> None:
        """State a truth, as the step `dataset` would."""
        self._truths[image_ids[0], f"{dataset}.{truth.kind}"].append(RecordTruth(record, tuple(image_ids), truth))

    def mark(
        self, image_id: str, regions: list[dict[str, Any]], *, other: str | None = None, by: str = "people"
    ) -> None:
        """State what people marked, as the campaign `mark` would."""
        record = self.records[image_id]
        document: dict[str, Any] = {
            "size_wh": [record.width, record.height],
            "regions": regions,
            "nothing": not regions,
        }
        self._marks[image_id, f"{by}.regions"] = json.dumps(document if other is None else {**document, "other": other})

    def say(self, image_id: str, value: str, text: str) -> None:
        """State a value of a picture, as another campaign would."""
        self._marks[image_id, value] = text

    def values(self) -> dict[tuple[str, str], str]:
        return {key: write_truths(truths) for key, truths in self._truths.items()} | self._marks

    def selected(self, task: Any) -> list[dict[str, Any]]:
        """Return the records of which a task would make items."""
        gathered, _ = self._gathered(task.parts()[0], task.name, without=())
        return [entry for text in gathered.values["chosen"] for entry in json.loads(text or "[]")]

    def run(self, task: Any, *, without: tuple[str, ...] = ()) -> list[Item]:
        """Return the items, without some pictures where these have left the run."""
        selection, step = task.parts()
        gathered, image_ids = self._gathered(selection, task.name, without=without)
        given = {
            (image_ids[row], f"selection.{name}"): column[place]
            for name, column in gathered.values.items()
            for place, row in enumerate(gathered.rows.tolist())
        }
        context = StepContext(self.folder, seed=self.seed, values=given)
        for image_id in image_ids:
            context.add_file(self.folder / self._names[image_id])
        context.opened = step.open(context)
        self.outcomes = {}
        together = step.together() or 1
        for start in range(0, len(image_ids), together):
            batch = image_ids[start : start + together]
            outcomes = step.many([self.records[image_id] for image_id in batch], context)
            self.outcomes |= dict(zip(batch, outcomes, strict=True))
        self.made = {image.image_id: image for outcome in self.outcomes.values() for image in outcome.images}
        self.stored = context.stored
        return [item for outcome in self.outcomes.values() for item in outcome.items]

    def _gathered(self, selection: Any, task: str, *, without: tuple[str, ...]) -> tuple[Gathered, list[str]]:
        """Return what the selection says of the pictures, and their ids."""
        values = self.values()
        image_ids = sorted(image_id for image_id in self.records if image_id not in without)
        columns: dict[str, Any] = {"image_id": image_ids}
        for side in ("width", "height"):
            columns[side] = [getattr(self.records[image_id], side) for image_id in image_ids]
        for name in selection.columns[3:]:
            columns[name] = pa.array([values.get((image_id, name)) for image_id in image_ids], pa.string())
        return selection.gather(pa.table(columns), GatherContext(self.seed, f"{task}.selection")), image_ids

    def reason(self, image_id: str) -> str | None:
        return self.outcomes[image_id].reason


def rings(item: Item, image: int = 0) -> dict[str, tuple[float, float]]:
    """Return the points marked on a picture of an item, by label."""
    return {prompt.label or "": prompt.points[0] for prompt in item.images[image].prompts}


def right_text(item: Item) -> str | None:
    """Return the text of the right option."""
    return next(choice.text for choice in item.choices if choice.key == item.answer)


def right_image(item: Item) -> str | None:
    """Return the picture that is the right option."""
    return next(choice.image_id for choice in item.choices if choice.key == item.answer)

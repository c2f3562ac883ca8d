"""Steps that give images the values of the campaigns `mark` and `state`, for tests; a separate module for workers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from benchwright.canonical import canonical_json
from benchwright.drawing import mask_of
from benchwright.facts import PictureFacts
from benchwright.records import ImageRecord, Item
from benchwright.steps import Context, MapStep, Outcome
from benchwright.workspace.run_results import FinishedRun
from benchwright.workspace.shards import StageTable
from benchwright.workspace.tables import items_of
from benchwright.workspace.workspace import Workspace


class GivenValues(MapStep):
    """Gives each image the text that stands under its URI, if any."""

    consumes: ClassVar[Any] = "images"
    value: ClassVar[str]

    texts: Mapping[str, str] = {}

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        text = (
            self.texts.get(record.source.uri) if record.source is not None and record.source.uri is not None else None
        )
        return Outcome(values={} if text is None else {self.value: text})


class GivenMarks(GivenValues):
    """Stands for the campaign `mark`."""

    name: ClassVar[str] = "mark"
    value: ClassVar[str] = "regions"
    values: ClassVar[Mapping[str, str]] = {"regions": "string"}


class GivenStatements(GivenValues):
    """Stands for the campaign `state`."""

    name: ClassVar[str] = "state"
    value: ClassVar[str] = "statements"
    values: ClassVar[Mapping[str, str]] = {"statements": "string"}


def marks_of(picture: PictureFacts, **more: Any) -> str:
    """Return what people mark who mark exactly what a facts file states."""
    regions: list[dict[str, Any]] = []
    for subject in picture.subjects:
        x0, y0, x1, y1 = subject.box
        label = subject.name.replace("_", " ")
        regions.append({"field": "subjects", "shape": "box", "points": [[x0, y0], [x1, y1]], "label": label, "by": 3})
        if (cut := subject.cut_out) is not None:
            for field, points in (("inside", cut.inside), ("outside", cut.outside)):
                regions += [{"field": field, "shape": "point", "points": [point], "label": label} for point in points]
            if cut.mask is not None:
                mask = cut.mask.model_dump(mode="json")
                regions.append({"field": "outlines", "shape": "mask", "mask": mask, "label": label})
    return canonical_json({"size_wh": picture.size_wh, "regions": regions, "nothing": not regions, **more})


def statements_of(picture: PictureFacts, **more: Any) -> str:
    """Return what people state who state exactly what a facts file does."""
    document = picture.model_dump(mode="json", exclude={"also", "size_wh", "source", "subjects"})
    document["subjects"] = [
        {"name": subject.name, "phrase": subject.phrase, "onto": subject.cut_out.onto if subject.cut_out else ()}
        for subject in picture.subjects
    ]
    return canonical_json({**document, **more})


def region(shape: str, points: Any, label: str = "", field: str = "subjects") -> dict[str, Any]:
    """Return a region as the value of a campaign has it."""
    return {"field": field, "shape": shape, "points": points, "label": label, "by": 2, "spread": {"iou": 0.9}}


def mask_region(grid: Any, label: str = "") -> dict[str, Any]:
    """Return a mask as the value of a campaign has it."""
    return {"field": "outlines", "shape": "mask", "mask": mask_of(grid).model_dump(mode="json"), "label": label}


def marked(size_wh: tuple[int, int], *regions: dict[str, Any], **more: Any) -> str:
    """Return the value that `mark` gives a picture with these regions."""
    return canonical_json({"size_wh": size_wh, "regions": regions, "nothing": not regions, **more})


def items_of_run(finished: FinishedRun) -> list[Item]:
    """Return what a run made; a view of it would ask for steps that tests alone know."""
    made: list[Item] = []
    for step in finished.steps[1:]:
        table = StageTable(Workspace(finished.workspace), step.name)
        shards = [table.read(marker, "items") for marker in table.current()]
        made += [item for shard in shards if shard is not None for item in items_of(shard)]
    return made

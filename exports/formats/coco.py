"""COCO: marks and answer regions as annotations on unmarked pictures.

There is one file for each split. COCO has no field for questions; they are stored under `items`, which COCO tools
ignore.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, ClassVar

import numpy as np
from pydantic import ValidationError

from benchwright.drawing import mask_of
from benchwright.errors import DataError
from benchwright.records import MaskRuns, VisualPrompt
from benchwright.regions import Region, RegionError, answer_regions_of, grid_of
from benchwright.regions.formats.coco_writer import coco_category, coco_geometry
from benchwright.regions.formats.streamed_json import JsonLists

from ..exporting.base import ExportFormat, NotCarried, ReadItem
from ..exporting.exported import ExportedItem, ExportedPicture, ExportHeader
from ..exporting.files import PictureFolder, PictureReader

_LISTS = ("images", "annotations", "items")
MARK, ANSWER_REGION = "mark", "answer_region"
"""Supercategories: marks of a question, and regions that annotators marked as the reason for its answer."""


class CocoDetection(ExportFormat):
    """A file `SPLIT.json` in the format of COCO object detection, and pictures in `images/`."""

    name: ClassVar[str] = "coco"
    leaves_out: ClassVar[tuple[str, ...]] = (
        "attributes", "category", "explanation", "group_keys", "level", "operation_id", "written_by",
    )  # fmt: skip
    question_as_stated: ClassVar[bool] = True
    shows_marks: ClassVar[bool] = False
    canary_in: ClassVar[str] = "the `info` of each file"

    def __init__(self, folder: Path, header: ExportHeader) -> None:
        super().__init__(folder, header)
        self._pictures = PictureFolder(folder)
        self._file: _SplitFile | None = None

    def add(self, exported: ExportedItem) -> None:
        """Write the item's pictures and annotations."""
        if self._file is None or self._file.split != exported.split:
            self._close()
            self._file = _SplitFile(self.folder, self.header, exported.split)
        item = exported.item
        images = [self._file.image(picture, self._pictures.path_of(picture)) for picture in exported.pictures]
        for number, (image_id, picture) in enumerate(zip(images, exported.pictures, strict=True), start=1):
            place = {"image_id": image_id, "item_id": exported.item_id, "picture": number}
            for prompt in picture.image.prompts:
                if (region := region_of(prompt, (picture.width, picture.height))) is not None:
                    self._file.annotate(region, MARK, {**place, "mark_kind": prompt.kind})
        for campaign, stated in sorted(answer_regions_of(item).items()):
            for region in stated.regions if stated.image <= len(images) else ():
                if region.shape != "correspondence":
                    place = {"image_id": images[stated.image - 1], "item_id": exported.item_id, "picture": stated.image}
                    self._file.annotate(region, ANSWER_REGION, {**place, "campaign": campaign})
        self._file.write(
            "items",
            {
                "id": exported.item_id,
                "split": exported.split,
                "task": item.task,
                "question": item.question,
                "options": exported.options,
                "target": exported.target,
                "image_ids": images,
            },
        )

    def _close(self) -> None:
        if self._file is not None:
            self._file.finish()
            self._file = None

    def finish(self) -> None:
        """Assemble the file of the last split."""
        self._close()

    def read(self) -> Iterator[ReadItem]:
        """Yield the items of each file, with the pictures listed in its `images`."""
        files = PictureReader(self.folder)
        for split in self.header.splits:
            paths: dict[int, str] = {}
            for key, _, _, element in JsonLists(self.folder / f"{split}.json").elements():
                if key == "images":
                    paths[element["id"]] = element["file_name"]
                elif key == "items":
                    yield ReadItem(
                        item_id=element["id"],
                        split=element["split"],
                        question=element["question"],
                        options=element["options"],
                        answer=element["target"],
                        pictures=[files.read(paths[number]) for number in element["image_ids"]],
                    )

    def not_carried(self, exported: ExportedItem) -> Iterator[NotCarried]:
        """Yield the parts of an item that COCO cannot represent."""
        yield from super().not_carried(exported)
        yield NotCarried("question, options and key", "COCO has no place for them; its tools leave `items` alone")
        if any(region_of(*pair) is None for pair in _marks(exported)):
            yield NotCarried("marks without an extent", "a box or an outline without an area is no annotation")
        if any(
            region.shape == "correspondence"
            for stated in answer_regions_of(exported.item).values()
            for region in stated.regions
        ):
            yield NotCarried("correspondences", "a correspondence has two pictures, an annotation one")

        if any(stated.image > len(exported.pictures) for stated in answer_regions_of(exported.item).values()):
            yield NotCarried("regions of a picture that the item does not have", "there is nothing to annotate")

    def usage(self) -> str:
        """Return instructions for reading the files."""
        return f"""\
```python
from pycocotools.coco import COCO

coco = COCO("path/to/this/folder/{self.header.splits[0]}.json")
```

Pictures are upright and have no marks: these are the annotations, in pixels of the picture. A box has `bbox`, an
outline or a mask `segmentation`; rings, dots, letters and arrows are `keypoints`, an arrow from its tail to its tip.
Categories are named by the marks' labels, else by their kinds, with the supercategory `{MARK}`; what people marked as
the reason of an answer has `{ANSWER_REGION}`. `item_id` and `picture` say where an annotation belongs."""


class _SplitFile:
    """The file of one split; its parallel lists are stored in separate files until it is assembled."""

    def __init__(self, folder: Path, header: ExportHeader, split: str) -> None:
        self.split = split
        self._folder, self._header = folder, header
        self._numbers: dict[str, int] = {}
        self._licences: dict[str, int] = {}
        self._categories: dict[tuple[str, str], tuple[int, int]] = {}
        self._annotations = 0
        self._lists: dict[str, IO[str]] = {name: self._path(name).open("x+", encoding="utf-8") for name in _LISTS}

    def _path(self, name: str) -> Path:
        return self._folder / f".{self.split}-{name}"

    def write(self, name: str, row: Mapping[str, Any]) -> None:
        """Append an element to a list."""
        self._lists[name].write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")

    def image(self, picture: ExportedPicture, path: str) -> int:
        """Return the number of a picture, adding the picture if it is new."""
        if (number := self._numbers.get(picture.sha256)) is None:
            number = self._numbers[picture.sha256] = len(self._numbers) + 1
            licences = sorted({credit.licence for credit in picture.credits if credit.licence is not None})
            row: dict[str, Any] = {"id": number, "file_name": path, "width": picture.width, "height": picture.height}
            if licences:
                name = "; ".join(licences)
                row["license"] = self._licences.setdefault(name, len(self._licences) + 1)
            row["sources"] = [credit.document() for credit in picture.credits]
            self.write("images", row)
        return number

    def annotate(self, region: Region, supercategory: str, place: Mapping[str, Any]) -> None:
        """Add an annotation."""
        category = (supercategory, region.label)
        number, keypoints = self._categories.get(category, (len(self._categories) + 1, 0))
        is_points = region.shape in ("point", "points")
        self._categories[category] = (number, max(keypoints, len(region.points)) if is_points else keypoints)
        self._annotations += 1
        row = {"id": self._annotations, "category": category, "place": place, "region": region.model_dump(mode="json")}
        self.write("annotations", row)

    def finish(self) -> None:
        """Assemble the file, and remove the files of the lists."""
        header = self._header.document()
        info = {"description": f"{self._header.title}. For testing; leave it out of training sets.", **header}
        licences = [{"id": number, "name": name, "url": ""} for name, number in self._licences.items()]
        categories = [
            {**coco_category(number, label, keypoints), "supercategory": supercategory}
            for (supercategory, label), (number, keypoints) in self._categories.items()
        ]
        with (self._folder / f"{self.split}.json").open("x", encoding="utf-8", newline="\n") as out:
            out.write(f'{{"info":{json.dumps(info, ensure_ascii=False)},\n')
            out.write(f'"licenses":{json.dumps(licences, ensure_ascii=False)},\n')
            out.write(f'"categories":{json.dumps(categories, ensure_ascii=False)}')
            for name in _LISTS:
                out.write(f',\n"{name}":[')
                for place, line in enumerate(self._lines(name)):
                    row = self._annotation(json.loads(line)) if name == "annotations" else line
                    out.write((",\n" if place else "\n") + row)
                out.write("]")
            out.write("}\n")
        for name in _LISTS:
            self._lists[name].close()
            self._path(name).unlink()

    def _lines(self, name: str) -> Iterator[str]:
        handle = self._lists[name]
        handle.seek(0)
        for line in handle:
            yield line.rstrip("\n")

    def _annotation(self, row: Mapping[str, Any]) -> str:
        region = Region.model_validate(row["region"])
        number, keypoints = self._categories[row["category"][0], row["category"][1]]
        document = {"id": row["id"], "category_id": number, **coco_geometry(region, keypoints), **row["place"]}
        return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def _marks(exported: ExportedItem) -> Iterator[tuple[VisualPrompt, tuple[int, int]]]:
    for picture in exported.pictures:
        for prompt in picture.image.prompts:
            yield prompt, (picture.width, picture.height)


def region_of(prompt: VisualPrompt, size_wh: tuple[int, int]) -> Region | None:
    """Return a mark as a region, or None if it has no extent.

    Args:
        prompt: The mark.
        size_wh: Width and height of the upright picture in pixels.
    """
    label = prompt.label or prompt.kind
    try:
        match prompt.kind:
            case "box":
                (ax, ay), (bx, by) = prompt.points
                corners = ((min(ax, bx), min(ay, by)), (max(ax, bx), max(ay, by)))
                return Region(shape="box", points=corners, label=label)
            case "polygon":
                return Region(shape="polygon", points=prompt.points, label=label)
            case "mask":
                mask = _mask_on_picture(prompt, size_wh)
                return None if mask is None else Region(shape="mask", mask=mask, label=label)
            case "arrow":
                return Region(shape="points", points=prompt.points, label=label)
            case _:
                return Region(shape="point", points=prompt.points, label=label)
    except (ValidationError, RegionError):
        return None


def _mask_on_picture(prompt: VisualPrompt, size_wh: tuple[int, int]) -> MaskRuns | None:
    """Return a mask with one cell per pixel of the picture, or None if it covers no pixel center."""
    if prompt.mask is None:
        raise DataError("a mark of kind mask has no mask data")
    (ax, ay), (bx, by) = prompt.points
    left, right, top, bottom = min(ax, bx), max(ax, bx), min(ay, by), max(ay, by)
    grid = grid_of(prompt.mask)
    rows, columns = grid.shape
    width, height = size_wh
    x, y = np.arange(width) + 0.5, np.arange(height) + 0.5
    column = np.floor((x - left) / (right - left) * columns).astype(int)
    row = np.floor((y - top) / (bottom - top) * rows).astype(int)
    inside = ((row >= 0) & (row < rows))[:, None] & ((column >= 0) & (column < columns))[None, :]
    cells = grid[np.clip(row, 0, rows - 1)[:, None], np.clip(column, 0, columns - 1)[None, :]] & inside
    return mask_of(cells) if cells.any() else None

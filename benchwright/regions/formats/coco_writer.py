"""Writer of COCO: one JSON file with pictures, categories and annotations.

Boxes become `bbox`, polygons `segmentation`, and masks compressed run lengths. A point or ordered points become
`keypoints`, all visible and named 1, 2, 3. Annotations also contain `shape` and, if known, `field`, which other tools
ignore and `coco_reader` reads. COCO cannot represent a correspondence, which has two pictures.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

from benchwright.regions import Region, mask_area
from benchwright.workspace.atomic import replacing

from .picture_marks import PictureMarks, SkippedRegion, WrittenMarks, labels_in


def write_coco(path: Path, pictures: Sequence[PictureMarks]) -> WrittenMarks:
    """Write one COCO file; ids count from 1 in the given order, and categories are sorted by label.

    Args:
        path: Path of the file.
        pictures: Pictures with their regions.

    Raises:
        StorageError: The file cannot be written.
    """
    labels = labels_in(pictures)
    category_of = {label: number for number, label in enumerate(labels, start=1)}
    keypoints = {
        label: max((len(region.points) for region in _with_label(pictures, label)), default=0) for label in labels
    }
    written = WrittenMarks([path], len(pictures))
    with replacing(path) as draft, draft.open("w", encoding="utf-8") as out:
        out.write('{"info":{"description":"Written by Benchwright"},"licenses":[],\n')
        images = (
            {"id": number, "file_name": picture.name, "width": picture.size_wh[0], "height": picture.size_wh[1]}
            for number, picture in enumerate(pictures, start=1)
        )
        _write_list(out, "images", images)
        _write_list(out, "annotations", _annotations(pictures, category_of, keypoints, written))
        categories = (coco_category(category_of[label], label, keypoints[label]) for label in labels)
        _write_list(out, "categories", categories, end="}\n")
    return written


def _with_label(pictures: Iterable[PictureMarks], label: str) -> Iterator[Region]:
    return (
        region
        for picture in pictures
        for region in picture.regions
        if region.label == label and region.shape in ("point", "points")
    )


def coco_category(number: int, label: str, keypoints: int) -> dict[str, Any]:
    """Return a category, whose keypoints, if any, are named 1, 2, 3."""
    category: dict[str, Any] = {"id": number, "name": label, "supercategory": ""}
    if keypoints:
        category |= {"keypoints": [str(place) for place in range(1, keypoints + 1)], "skeleton": []}
    return category


def _annotations(
    pictures: Sequence[PictureMarks],
    category_of: Mapping[str, int],
    keypoints: Mapping[str, int],
    written: WrittenMarks,
) -> Iterator[dict[str, Any]]:
    for image_id, picture in enumerate(pictures, start=1):
        for place, region in enumerate(picture.regions):
            if region.shape == "correspondence":
                written.skipped.append(
                    SkippedRegion(picture.name, place, "a correspondence has two pictures, a COCO annotation one")
                )
                continue
            written.regions += 1
            row: dict[str, Any] = {
                "id": written.regions,
                "image_id": image_id,
                "category_id": category_of[region.label],
                **coco_geometry(region, keypoints[region.label]),
            }
            if picture.fields:
                row["field"] = picture.fields[place]
            yield row


def coco_geometry(region: Region, keypoints: int) -> dict[str, Any]:
    """Return the keys that describe a region, and the number of keypoints of its category."""
    x0, y0, x1, y1 = region.bounds
    box = [x0, y0, x1 - x0, y1 - y0]
    return {"bbox": box, "iscrowd": 0, "shape": region.shape, **_segmentation(region, keypoints)}


def _segmentation(region: Region, keypoints: int) -> dict[str, Any]:
    if region.mask is not None:
        runs = {"size": list(region.mask.size), "counts": region.mask.counts}
        return {"segmentation": runs, "area": mask_area(region.mask)}
    if region.shape == "box":
        x0, y0, x1, y1 = region.bounds
        return {"segmentation": [], "area": (x1 - x0) * (y1 - y0)}
    if region.shape == "polygon":
        corners = [*region.points, region.points[0]]
        twice = sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in pairwise(corners))
        return {"segmentation": [[number for point in region.points for number in point]], "area": abs(twice) / 2}
    missing = [0, 0, 0] * (keypoints - len(region.points))
    numbers = [*(number for x, y in region.points for number in (x, y, 2)), *missing]
    return {"segmentation": [], "area": 0, "keypoints": numbers, "num_keypoints": len(region.points)}


def _write_list(out: IO[str], key: str, rows: Iterable[Mapping[str, Any]], *, end: str = ",\n") -> None:
    out.write(f'"{key}":[')
    for number, row in enumerate(rows):
        out.write((",\n" if number else "\n") + json.dumps(row, ensure_ascii=False, separators=(",", ":")))
    out.write(f"]{end}")

"""COCO and LVIS: the quoted entries, and others, with gaps among the categories' ids and licenses of all kinds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dataset_fixtures.pictures import save

LICENCES = [
    {"id": 3, "name": "Attribution-NonCommercial-NoDerivs License",
     "url": "http://creativecommons.org/licenses/by-nc-nd/2.0/"},
    {"id": 4, "name": "Attribution License", "url": "http://creativecommons.org/licenses/by/2.0/"},
]  # fmt: skip
IMAGE = {
    "id": 42, "file_name": "COCO_val2014_000000000042.jpg", "width": 640, "height": 478, "license": 3,
    "coco_url": "http://images.cocodataset.org/val2014/COCO_val2014_000000000042.jpg",
    "flickr_url": "http://farm1.staticflickr.com/x_z.jpg", "date_captured": "2013-11-18 09:57:54",
}  # fmt: skip
CATEGORIES = [{"id": 1, "name": "person", "supercategory": "p"}, {"id": 18, "name": "dog", "supercategory": "a"},
              {"id": 90, "name": "toothbrush", "supercategory": "i"}]  # fmt: skip
LVIS_IMAGE = {
    "id": 266409, "width": 640, "height": 480, "coco_url": "http://images.cocodataset.org/val2017/000000266409.jpg",
    "flickr_url": "http://farm9.staticflickr.com/8081/x_z.jpg", "license": 3, "date_captured": "2013-11-19 20:30:17",
    "neg_category_ids": [2], "not_exhaustive_category_ids": [],
}  # fmt: skip
LVIS_ANNOTATION = {
    "id": 1, "image_id": 266409, "category_id": 1, "bbox": [12.08, 245.03, 32.49, 37.45], "area": 959.73,
    "segmentation": [[12.67, 249.44, 35.21, 246.69, 44.57, 245.03]],
}  # fmt: skip
LVIS_CATEGORIES = [
    {"id": number, "name": name, "synset": f"{name}.n.01", "synonyms": [name], "def": "x", "frequency": "r",
     "image_count": 1, "instance_count": 1}
    for number, name in enumerate(("acorn", "aerosol_can", "air_conditioner"), start=1)
]  # fmt: skip


def images(count: int) -> list[dict[str, Any]]:
    """Return the quoted picture and others of unequal sizes."""
    made = [dict(IMAGE)]
    for number in range(1, count):
        name = f"COCO_val2014_{number:012}.jpg"
        made.append(
            {**IMAGE, "id": number, "file_name": name, "width": 60 + number % 500, "height": 50, "license": 3 + number % 3,
             "coco_url": f"http://images.cocodataset.org/val2014/{name}"}
        )  # fmt: skip
    return made


def write_coco(root: Path, count: int = 40) -> dict[str, dict[str, Any]]:
    """Write captions and instances of 2014; return both documents by name."""
    shown = images(count)
    captions = [{"id": 641613, "image_id": 42, "caption": "A dog on a shoe rack."}]
    boxes: list[dict[str, Any]] = []
    for image in shown:
        number = image["id"]
        captions += [
            {"id": 10 * number + k, "image_id": number, "caption": f"Sentence {k} on {number}. "} for k in range(2)
        ]
        for k in range(number % 3 + 1):
            box = [1.5 + k, 2.25, 20 + k, 30]
            boxes.append(
                {"id": len(boxes) + 1, "image_id": number, "category_id": (1, 18, 90)[k], "bbox": box, "area": 1,
                 "iscrowd": 0, "segmentation": [[2, 3, 20, 3, 20, 30]]}
            )  # fmt: skip
        if number % 7 == 0:
            runs = {"counts": [0, image["width"] * image["height"]], "size": [image["height"], image["width"]]}
            boxes.append(
                {"id": len(boxes) + 1, "image_id": number, "category_id": 1, "bbox": [0, 0, 40, 40], "area": 1,
                 "iscrowd": 1, "segmentation": runs}
            )  # fmt: skip
        save(root / "val2014" / image["file_name"], 2000 + number, image["width"], image["height"])
    common = {"info": {}, "licenses": LICENCES, "images": shown}
    documents = {
        "captions_val2014": {**common, "annotations": captions},
        "instances_val2014": {**common, "annotations": boxes, "categories": CATEGORIES},
    }
    for name, document in documents.items():
        path = root / "annotations" / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document), encoding="utf-8")
    return documents


def write_lvis(root: Path, count: int = 40) -> dict[str, Any]:
    """Write a validation file of LVIS v1, with pictures of both splits of 2017; return the document."""
    shown: list[dict[str, Any]] = [dict(LVIS_IMAGE)]
    annotations: list[dict[str, Any]] = [dict(LVIS_ANNOTATION)]
    for number in range(1, count):
        part = "train2017" if number % 2 else "val2017"
        shown.append(
            {**LVIS_IMAGE, "id": number, "width": 70, "height": 40 + number % 500,
             "coco_url": f"http://images.cocodataset.org/{part}/{number:012}.jpg",
             "neg_category_ids": [3] if number % 4 else [], "not_exhaustive_category_ids": [1] if number % 3 == 0 else []}
        )  # fmt: skip
        annotations += [
            {"id": 100 * number + k, "image_id": number, "category_id": 1 + k % 2, "bbox": [3.5 + k, 4, 30, 20.5],
             "area": 1.0, "segmentation": [[4, 5, 30, 5, 30, 20]]}
            for k in range(1 + number % 3)
        ]  # fmt: skip
    for image in shown:
        part, name = image["coco_url"].split("/")[-2:]
        save(root / part / name, 4000 + image["id"], image["width"], image["height"])
    document = {
        "info": {"year": 2020, "version": "1.0"}, "licenses": [{"id": 3, "name": "x", "url": "x"}], "images": shown,
        "annotations": annotations, "categories": LVIS_CATEGORIES,
    }  # fmt: skip
    path = root / "annotations" / "lvis_v1_val.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), encoding="utf-8")
    return document

"""Visual Genome: the quoted entries, and others, with the names of both versions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dataset_fixtures.pictures import save

PICTURE = {
    "image_id": 61512, "url": "https://cs.stanford.edu/people/rak248/VG_100K/61512.jpg", "width": 64, "height": 48,
    "coco_id": 248774, "flickr_id": 6273011878,
}  # fmt: skip
QUESTION = {"qa_id": 991154, "image_id": 61512, "question": "What color is the keyboard?", "answer": "Black.",
            "q_objects": [], "a_objects": []}  # fmt: skip
THING = {"object_id": 1, "x": 21, "y": 9, "w": 19, "h": 30, "names": ["clock"], "synsets": ["clock.n.01"]}
REGION = {"region_id": 1, "image_id": 61512, "x": 11, "y": 4, "width": 20, "height": 32,
          "phrase": "A brown, sleek horse with a bridle"}  # fmt: skip


def write_genome(root: Path, count: int = 12) -> dict[str, list[dict[str, Any]]]:
    """Write pictures, questions, things and regions; every second entry in the names of the older version."""
    pictures: list[dict[str, Any]] = []
    lists: dict[str, list[dict[str, Any]]] = {"question_answers": [], "objects": [], "region_descriptions": []}
    for number in range(count):
        image_id = 61512 if number == 0 else number
        folder = "VG_100K" if number % 2 == 0 else "VG_100K_2"
        key = "image_id" if number % 2 == 0 else "id"
        picture = {**PICTURE, "url": f"https://cs.stanford.edu/people/rak248/{folder}/{image_id}.jpg"}
        del picture["image_id"]
        picture[key] = image_id
        picture["coco_id"] = 248774 if number == 0 else None
        pictures.append(picture)
        question = {**QUESTION, "qa_id": 991154 + number, "image_id": image_id}
        if number % 2:
            del question["q_objects"], question["a_objects"]
            question["answer"] = f"Thing {number}"
        lists["question_answers"].append({"id": image_id, "qas": [question]})
        names = ["clock"] if number == 0 else ["cup", "mug"]
        lists["objects"].append({key: image_id, "objects": [{**THING, "object_id": number, "names": names}]})
        regions = [{**REGION, "region_id": n, "phrase": f"{REGION['phrase']} {number}"} for n in range(2)]
        lists["region_descriptions"].append({"id": image_id, "regions": regions})
        save(root / folder / f"{image_id}.jpg", 7000 + number, 64, 48)
    for name, document in {"image_data": pictures, **lists}.items():
        (root / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
    return {"image_data": pictures, **lists}

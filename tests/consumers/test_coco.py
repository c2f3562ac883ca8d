"""pycocotools reads an export: pictures without marks, boxes, outlines, masks and keypoints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from consumer_runs import fingerprint, run_consumer

from benchwright.images import decode_rgb
from benchwright.release import Release

FORMAT = "coco"


def test_pictures_and_annotations_equal_the_release(
    consumer_python: Path, export: Path, release: Release, tmp_path: Path
) -> None:
    read = run_consumer(consumer_python, "read_coco.py", export, *release.splits, folder=tmp_path)
    shown = {
        (split, image.image_id): fingerprint(decode_rgb(one.images[image.image_id]))
        for split in release.splits
        for one in release.items(split)
        for image in one.item.images
    }
    assert sorted(pixels for _, _, pixels in read["images"]) == sorted(shown.values())
    assert all(pixels.startswith(f"{width}x{height} ") for width, height, pixels in read["images"])
    by_item: dict[str, list[dict[str, Any]]] = {}
    for annotation in read["annotations"]:
        by_item.setdefault(annotation["item_id"], []).append(annotation)
    marked = [one.item for one in release.items() if any(image.prompts for image in one.item.images)]
    assert sorted(by_item) == sorted(item.item_id for item in marked)
    [kinds] = [item for item in marked if item.evidence]
    polygon, mask, arrow, box, reason = by_item[kinds.item_id]
    assert polygon["category"] == ["mark", "a"]
    assert polygon["bbox"] == [10.0, 8.0, 30.0, 36.0]
    assert abs(polygon["pixels"] - 0.5 * abs(30 * 36 - 12 * 4.5)) < 30
    # The grid's cells are 6 x 6 pixels: three by two of them, from (60, 16).
    assert (mask["category"], mask["bbox"], mask["pixels"]) == (["mark", "b"], [60, 16, 18, 12], 18 * 12)
    assert (arrow["category"], arrow["keypoints"]) == (["mark", "arrow"], [12.0, 60.0, 2, 50.0, 52.0, 2])
    assert (box["category"], box["bbox"]) == (["mark", "box"], [60.0, 44.0, 28.0, 22.0])
    assert (reason["category"], reason["bbox"]) == (["answer_region", "why"], [3.0, 4.0, 27.0, 46.0])
    for item in marked:
        if item is not kinds and item.item_id != kinds.item_id:
            ring, box = by_item[item.item_id]
            assert (ring["category"], ring["keypoints"]) == (["mark", "REF"], [30.5, 28.0, 2])
            assert (box["category"], box["bbox"]) == (["mark", "box"], [8.0, 40.25, 52.5, 25.75])
    # What reads keypoints takes their number from the category; that of a box has none.
    documents = [json.loads((export / f"{split}.json").read_text(encoding="utf-8")) for split in release.splits]
    keypoints = {
        each["name"]: len(each.get("keypoints", [])) for document in documents for each in document["categories"]
    }
    assert keypoints == {"a": 0, "b": 0, "arrow": 2, "REF": 1, "box": 0, "why": 0}

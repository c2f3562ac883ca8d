"""SPair-71k: the page's pair, and others like it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dataset_fixtures.pictures import save

QUOTED: dict[str, Any] = {
    "pair_id": 1, "filename": "000001-2008_000585-2008_000627:aeroplane", "src_imname": "2008_000585.jpg",
    "trg_imname": "2008_000627.jpg", "src_imsize": [500, 333, 3], "trg_imsize": [500, 332, 3],
    "src_bndbox": [210, 34, 475, 250], "trg_bndbox": [36, 92, 500, 200], "category": "aeroplane",
    "src_pose": "Unspecified", "trg_pose": "Left", "src_kps": [[212, 153], [300, 90]],
    "trg_kps": [[39, 145], [120, 110]], "kps_ids": ["0", "7"], "mirror": 0, "viewpoint_variation": 0,
    "scale_variation": 0, "truncation": 2, "occlusion": 2,
}  # fmt: skip


def pair(number: int) -> dict[str, Any]:
    """Return a pair of cats of unequal sizes, with four to six key points."""
    points = 4 + number % 3
    source, target = f"2009_{number:06}", f"2010_{number:06}"
    return {
        "pair_id": number, "filename": f"{number:06}-{source}-{target}:cat", "src_imname": f"{source}.jpg",
        "trg_imname": f"{target}.jpg", "src_imsize": [80, 60, 3], "trg_imsize": [64, 90, 3],
        "src_bndbox": [2, 3, 70, 50], "trg_bndbox": [1, 1, 60, 80], "category": "cat", "src_pose": "Frontal",
        "trg_pose": "Rear", "src_kps": [[5 + 10 * k, 7 + 3 * k] for k in range(points)],
        "trg_kps": [[50 - 8 * k, 11 + 12 * k] for k in range(points)], "kps_ids": [str(2 * k) for k in range(points)],
        "mirror": 1, "viewpoint_variation": 1, "scale_variation": 2, "truncation": 3, "occlusion": 0,
    }  # fmt: skip


def write_spair(root: Path, count: int = 40, *, colon: str = ":") -> list[dict[str, Any]]:
    """Write the training split under `root/SPair-71k`, one pair in the test split, masks beside; return the pairs."""
    base = root / "SPair-71k"
    pairs = [QUOTED, *(pair(number) for number in range(2, count + 1))]
    splits = {"trn": pairs[:-1], "test": pairs[-1:]}
    for split, part in splits.items():
        layout = base / "Layout" / "large" / f"{split}.txt"
        layout.parent.mkdir(parents=True, exist_ok=True)
        layout.write_text("".join(f"{document['filename']}\n" for document in part), encoding="utf-8")
        for document in part:
            name = document["filename"].replace(":", colon)
            path = base / "PairAnnotation" / split / f"{name}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(document), encoding="utf-8")
            for end in ("src", "trg"):
                width, height, _ = document[f"{end}_imsize"]
                number = int(document[f"{end}_imname"][:4] + document[f"{end}_imname"][5:11])
                save(base / "JPEGImages" / document["category"] / document[f"{end}_imname"], number, width, height)
    save(base / "Segmentation" / "cat" / "2009_000002.png", 5, 80, 60)
    return pairs

"""Wild6D: videos with frames, masks, sizes and poses; two folder names, old prefixes, and names of other categories."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np

from dataset_fixtures.pictures import save

PREFIX = "data/UCSD_POSE_RGBD/test_set"
VIDEOS = [("bottle", "0001", "1", "images"), ("bottle", "0034", "2021-09-16--18-45-29", "images"),
          ("mug", "0002", "1", "rgbd")]  # fmt: skip
FRAMES = 14
"""Frames of a video: more than ten, so that their numbers sort otherwise as text."""


def rotation(angle: float) -> np.ndarray:
    """Return a turn about the y axis, seen from a little above."""
    turn = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])
    tilt = np.array([[1, 0, 0], [0, np.cos(0.3), -np.sin(0.3)], [0, np.sin(0.3), np.cos(0.3)]])
    return tilt @ turn


def write_wild6d(root: Path) -> dict[str, list[dict[str, Any]]]:
    """Write three videos under `root/Wild6D`; return the annotations by video. Frame 5 of the first has no mask."""
    base = root / "Wild6D" / "test_set"
    made: dict[str, list[dict[str, Any]]] = {}
    for count, (category, thing, sequence, folder) in enumerate(VIDEOS):
        called = "cup" if category == "mug" else category
        annotations = []
        for frame in range(FRAMES):
            annotations.append(
                {"name": f"{called}/{thing}/{sequence}/{frame:04}", "class_id": count + 1,
                 "rotation": rotation(0.1 * frame + count), "translation": np.array([0.1, 0.02 * frame, 0.8]),
                 "size": np.array([0.1, 0.2, 0.1])}
            )  # fmt: skip
            place = base / category / thing / sequence / folder
            save(place / f"{frame}.jpg", 6000 + 100 * count + frame, 32, 40)
            save(place / f"{frame}-depth.png", 1, 32, 40)
            if (count, frame) != (0, 5):
                save(place / f"{frame}-mask.png", 2, 32, 40)
        metadata = {"K": [30, 0, 0, 0, 30, 0, 16, 20, 1], "w": 32, "h": 40}
        (base / category / thing / sequence / "metadata").write_text(json.dumps(metadata), encoding="utf-8")
        path = base / "pkl_annotations" / category / f"{category}-{thing}-{sequence}.pkl"
        path.parent.mkdir(parents=True, exist_ok=True)
        document = {"num_frames": FRAMES, "intrinsics": np.eye(3), "annotations": annotations}
        path.write_bytes(pickle.dumps(document, protocol=4))
        made[f"{category}/{thing}/{sequence}"] = annotations
        with (base / f"test_list_{category}.txt").open("a", encoding="utf-8") as file:
            for frame in range(FRAMES):
                file.write(f"{PREFIX}/{category}/{thing}/{sequence}/rgbd/{frame}.jpg\n")
    for number in range(40):  # training videos have no poses
        save(root / "Wild6D" / "mug" / "0009" / "1" / "images" / f"{number}.jpg", 9000 + number, 16, 16)
    return made

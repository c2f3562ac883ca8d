"""Measurements of photographs: depth maps in blocks, masks of rectangles, cameras on a circle around the origin."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from PIL import Image
from scipy.spatial.transform import Rotation

from dataset_fixtures.pictures import save

SIZE = (320, 240)
ANGLES = tuple(8.0 * number for number in range(8))
"""Degrees at which cameras stand around what they look at, counter-clockwise from above."""


def distances(seed: int) -> np.ndarray:
    """Return distances in millimetres, 16 bits, in large flat blocks, at half the size; one corner was not measured."""
    blocks = np.random.default_rng(seed).permutation(12).reshape(3, 4) * 400 + 600
    depth = np.kron(blocks, np.ones((40, 40))).astype(np.uint16)
    depth[:20, :20] = 0
    return depth


def write_depth(root: Path, count: int = 6) -> dict[str, np.ndarray]:
    """Write photographs, and a depth map in `depth/` or beside each; return the maps by photograph."""
    maps = {}
    for number in range(count):
        save(root / "photos" / f"{number}.jpg", 500 + number, *SIZE)
        maps[f"photos/{number}.jpg"] = distances(number)
        place = root / "depth" / f"{number}.png" if number % 2 else root / "photos" / f"{number}_depth.png"
        place.parent.mkdir(exist_ok=True)
        Image.fromarray(maps[f"photos/{number}.jpg"]).save(place)
    return maps


def write_mask(path: Path, *boxes: tuple[int, tuple[int, int, int, int]], size: tuple[int, int] = SIZE) -> None:
    """Write a PNG of one channel with rectangles, (number, (x0, y0, x1, y1)), of which later ones cover earlier ones."""
    numbers = np.zeros(size[::-1], np.uint16 if any(number > 255 for number, _ in boxes) else np.uint8)
    for number, (x0, y0, x1, y1) in boxes:
        numbers[y0:y1, x0:x1] = number
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(numbers).save(path)


class Orbit:
    """Cameras on a circle, looking at `middle`, whose axes go right, down and forward; z is up in the world."""

    def __init__(self, middle: tuple[float, float, float] = (0.0, 0.0, 0.0), radius: float = 2.0) -> None:
        self.middle = np.array(middle)
        self.centres, self.axes = [], []
        for angle in np.radians(ANGLES):
            centre = self.middle + radius * np.array([np.cos(angle), np.sin(angle), 0.3])
            forward = (self.middle - centre) / np.linalg.norm(self.middle - centre)
            right = np.cross(forward, [0, 0, 1.0])
            right /= np.linalg.norm(right)
            self.centres.append(centre)
            self.axes.append(np.column_stack([right, np.cross(forward, right), forward]))

    def world_to_camera(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        return self.axes[number].T, -self.axes[number].T @ self.centres[number]

    def stands_right(self, first: int, second: int) -> bool:
        return bool((self.centres[second] - self.centres[first]) @ self.axes[first][:, 0] > 0)


def save_frames(folder: Path, number: int = 900) -> None:
    for frame in range(len(ANGLES)):
        save(folder / f"frame_{frame}.png", number + frame, *SIZE)


def quaternion(rotation: np.ndarray) -> list[float]:
    x, y, z, w = Rotation.from_matrix(rotation).as_quat()
    return [float(value) for value in (w, x, y, z)]


def write_colmap(root: Path, orbit: Orbit) -> None:
    """Write images.txt as COLMAP does, out of order, with lines of points that may be empty."""
    lines = [
        "# Image list with two lines of data per image:",
        "#   IMAGE_ID, QW, QX, QY, QZ, TX, TY, TZ, CAMERA_ID, NAME",
    ]
    for frame in (3, 0, 7, 1, 6, 2, 5, 4):
        rotation, translation = orbit.world_to_camera(frame)
        numbers = " ".join(f"{value:.9f}" for value in (*quaternion(rotation), *translation))
        lines += [f"{frame + 1} {numbers} 1 frame_{frame}.png", "10.5 20.5 -1 30.5 40.5 7" if frame % 2 else ""]
    place = root / "sparse" / "0" / "images.txt"
    place.parent.mkdir(parents=True)
    place.write_text("\n".join(lines) + "\n", encoding="ascii")


def write_transforms(root: Path, orbit: Orbit) -> None:
    """Write transforms.json as NeRF's tools do: camera to world, y up and z backward, names without a suffix."""
    frames = []
    for frame in range(len(ANGLES)):
        matrix = np.eye(4)
        matrix[:3, :3] = orbit.axes[frame] * np.array([1, -1, -1])
        matrix[:3, 3] = orbit.centres[frame]
        frames.append({"file_path": f"./images/frame_{frame}", "transform_matrix": matrix.tolist()})
    (root / "transforms.json").write_text(json.dumps({"camera_angle_x": 0.7, "frames": frames}), encoding="utf-8")


def write_table(root: Path, orbit: Orbit, *, inverted: bool, opengl: bool) -> None:
    """Write poses.csv with rotations of nine numbers, in the convention that is asked for."""
    names = [f"r{row}{column}" for row in "123" for column in "123"]
    lines = [",".join(["image", "frame", *names, "tx", "ty", "tz"])]
    for frame in range(len(ANGLES)):
        axes = orbit.axes[frame] * (np.array([1, -1, -1]) if opengl else 1)
        rotation, translation = (axes, orbit.centres[frame]) if inverted else (axes.T, -axes.T @ orbit.centres[frame])
        numbers = (f"{value:.9f}" for value in (*rotation.ravel(), *translation))
        lines.append(",".join([f"frame_{frame}.png", str(frame), *numbers]))
    (root / "poses.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")

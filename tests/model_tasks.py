"""Photographs, tiny models with random weights, and the steps that make items from models' estimates and paintings.

Random weights exercise the path and not the worth of the questions, so wide settings ensure that items result.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from picture_copies import photograph
from tiny_depth_anything import make_depth_anything
from tiny_detectors import make_grounding_dino
from tiny_diffusion import make_pipeline
from tiny_dinov2 import make_dinov2

from benchwright.recipe import Recipe, step

NAMES = (
    "astronaut",
    "camera",
    "cat",
    "coffee",
    "coins",
    "rocket",
    "hubble_deep_field",
    "immunohistochemistry",
    "retina",
)
PHRASES = ["cup", "cat", "coin"]
MODEL_TASKS: dict[str, dict[str, Any]] = {
    "relative_depth": {"dataset": "estimated_depth", "mode": "paper", "min_side_px": 16, "margin": 0.0, "min_distance": 0.02},
    "object_localization": {"dataset": "detected_boxes", "mode": "paper", "min_box_px": 8},
    "counting": {"dataset": "detected_boxes", "mode": "paper", "min_side_px": 16, "uses": None},
    "visual_similarity": {"dataset": "similar_pictures", "min_side_px": 16, "min_votes": 1, "uses": None},
    "forensic_detection": {
        "dataset": "own", "weights": "sdxl", "side_px": 64, "model_side_px": 64, "steps": 1, "min_side_px": 16,
    },
    "iq_test": {"dataset": "pattern_puzzles", "uses": None},
}  # fmt: skip
"""Tasks whose items models make, in part or whole, and generated puzzles."""


def write_models(root: Path) -> None:
    """Write photographs with captions below `own`, and one folder for each model."""
    (root / "own").mkdir()
    rows = ["image,licence,caption"]
    for number, name in enumerate(NAMES):
        photograph(name).resize((150 + 6 * number, 110 + 4 * number)).save(root / "own" / f"{name}.png")
        rows.append(f"{name}.png,CC0,A picture with the name {name}.")
    (root / "own" / "table.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    make_depth_anything(root / "depth")
    make_grounding_dino(root / "dino", queries=1)
    make_dinov2(root / "dinov2")
    make_pipeline("sdxl", root / "sdxl")


def model_tasks(root: Path, *, seed: int = 1) -> Recipe:
    """Return the recipe that makes the tasks of models, lets simulated people decide on the items, and freezes them."""
    steps = [
        step("dataset", as_="own", reader="folder", folder="own"),
        step("pattern_puzzles", puzzles=4),
        step(
            "estimated_depth", weights="depth", mode="paper", margin=0.05, flatness=0.04, flat_radius=0.01, device="cpu"
        ),
        step("detected_boxes", weights="dino", phrases=PHRASES, threshold=0.5, unsure=0.01, device="cpu"),
        step("similar_pictures", weights="dinov2", side_px=56, copies=0.9999, least=-0.9, margin=1e-4, device="cpu"),
    ]
    steps += [step(task, **settings) for task, settings in MODEL_TASKS.items()]
    steps += [
        step("verify", rule="single", simulate={"annotators": 1}),
        step("freeze", name="models", version="1.0", accept_simulated=True, why="few and simple items"),
    ]
    return Recipe("models", steps, seed=seed, folder=root, shards=2)

"""Source datasets on disk, and the steps that make BLINK's tasks from all of them, for whole walks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from dataset_fixtures.coco_files import write_lvis
from dataset_fixtures.diw_files import write_diw
from dataset_fixtures.funkpoint_files import write_funkpoint
from dataset_fixtures.hpatches_files import write_hpatches
from dataset_fixtures.iiw_files import write_iiw
from dataset_fixtures.nights_files import write_nights
from dataset_fixtures.spair_files import write_spair
from dataset_fixtures.tally_files import write_tally
from dataset_fixtures.tara_files import write_tara
from dataset_fixtures.vsr_files import write_vsr
from dataset_fixtures.wikiart_files import write_wikiart
from dataset_fixtures.wild6d_files import write_wild6d
from picture_copies import photograph

from benchwright.recipe import Recipe, step

WRITERS: dict[str, Any] = {
    "diw": write_diw, "funkpoint": write_funkpoint, "iiw": write_iiw, "lvis": write_lvis, "nights": write_nights,
    "spair71k": write_spair, "tallyqa": write_tally, "tara": write_tara, "vsr": write_vsr, "wikiart": write_wikiart,
    "wild6d": write_wild6d,
}  # fmt: skip
TASKS: dict[str, dict[str, Any]] = {
    "art_style": {"dataset": "wikiart", "min_side_px": 16},
    "counting": {"dataset": "tallyqa", "min_side_px": 16},
    "functional_correspondence": {
        "dataset": "funkpoint",
        "min_side_px": 16,
        "margin": 0.0,
        "min_distance": 0.02,
    },
    "jigsaw": {"dataset": "tara", "min_tile_px": 8, "min_difference": 0.02},
    "multi_view_reasoning": {"dataset": "wild6d", "min_side_px": 16, "pictures": "both"},
    "object_localization": {"dataset": "lvis", "min_box_px": 8, "mode": "paper"},
    "relative_depth": {"dataset": "diw", "mode": "paper", "min_side_px": 16, "margin": 0.0, "min_distance": 0.02},
    "relative_reflectance": {"dataset": "iiw", "mode": "paper", "min_side_px": 16},
    "semantic_correspondence": {
        "dataset": "spair71k",
        "min_side_px": 16,
        "margin": 0.0,
        "min_distance": 0.02,
    },
    "spatial_relation": {"dataset": "vsr", "mode": "paper", "min_side_px": 16},
    "visual_correspondence": {
        "dataset": "hpatches",
        "per_image": 3,
        "max_side_px": 300,
        "min_side_px": 64,
        "min_view_px": 38,
    },
    "visual_similarity": {"dataset": "nights", "min_side_px": 16},
}


def write_datasets(root: Path) -> None:
    """Write all source datasets, each below its reader's name."""
    for name, write in WRITERS.items():
        write(root / name)
    sequences = [np.asarray(photograph(name).resize((400, 290))) for name in ("chelsea", "coffee", "astronaut")]
    write_hpatches(root / "hpatches", 3, first_pictures=sequences)


def all_tasks(root: Path, *, seed: int = 1) -> Recipe:
    """Return the recipe that makes the tasks of the datasets below a folder, halves them and freezes them."""
    steps = [step("dataset", as_=name, reader=name, folder=name, records=None) for name in (*WRITERS, "hpatches")]
    steps += [step(task, **settings) for task, settings in TASKS.items()]
    steps += [
        step("unique_images"),
        step("splits", fractions={"val": 0.5, "test": 0.5}),
        step("freeze", name="tasks", version="1.0"),
    ]
    return Recipe("tasks", steps, seed=seed, folder=root, shards=2)

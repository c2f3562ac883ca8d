"""Forensic detection of photographs that people collect: uploads through the store, prompts as captions, a release.

The weights are a tiny SDXL's, with random numbers: the path is tested, not the worth of the questions.
"""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from picture_copies import photograph
from PIL import Image
from tiny_diffusion import make_pipeline
from typed_answers import say

from benchwright.annotation.forms.fields.field_types import PhotographField
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.store.submissions.photo_uploads import Uploads
from benchwright.annotation.workflow.photo_uploads import take_in_photograph
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.records import ImageRecord
from benchwright.release import Release, verify_release
from benchwright.workspace.photographs import collected_photographs
from benchwright.workspace.run_results import FinishedRun

pytestmark = pytest.mark.slow

RECIPE = """
name: real-or-made
seed: 3
shards: 2
steps:
  - step: collect
    prompts: [a cat seen from near, a cup of coffee on a saucer, a rocket in the evening, a walrus on a bicycle]
    min_side_px: 100
    licences: [cc0-1.0, cc-by-4.0]
  - step: forensic_detection
    collected_by: collect
    weights: sdxl
    side_px: 96
    model_side_px: 96
    steps: 1
    min_side_px: 100
  - step: freeze
    name: real-or-made
    version: "1.0"
"""
PHOTOGRAPHS = {
    "a cat seen from near": "cat", "a cup of coffee on a saucer": "coffee", "a rocket in the evening": "rocket",
}  # fmt: skip
"""Photographs that people find; a walrus on a bicycle they do not find."""
FIELD = PhotographField(name="photograph", label="Photograph", max_bytes=400_000, max_pixels=400_000, min_side_px=100)


def upload(name: str) -> bytes:
    """Return a photograph as an annotator's file: a JPEG with a comment."""
    file = io.BytesIO()
    photograph(name).resize((420, 290)).save(file, "JPEG", quality=92, comment=b"from a camera")
    return file.getvalue()


def hand_in(store: ReviewStore, workspace: Path) -> dict[str, str]:
    """Let two people upload and hand in what the prompts ask for; return the image ids by prompt."""
    image_ids: dict[str, str] = {}
    decisions: dict[str, Any] = {}
    for number, task in enumerate(store.tasks("collect")):
        prompt, who = task.payload["question"], ("ann", "ben")[number % 2]
        answer: dict[str, Any] = {"found": "none"}
        if prompt in PHOTOGRAPHS:
            taken = take_in_photograph(workspace, upload(PHOTOGRAPHS[prompt]), FIELD)
            Uploads(store).note(task.id, who, taken.image_id)
            image_ids[prompt] = taken.image_id
            answer = {
                "found": "web", "photograph": taken.image_id, "licence": "cc_by_4_0", "author": "A. B.",
                "source": f"https://example.org/{number}",
            }  # fmt: skip
        decisions[task.item_id] = {who: answer}
    say(store, "collect", decisions, datetime.now(UTC))
    return image_ids


def test_collected_photographs_stand_among_pictures_that_a_model_makes_of_their_prompts(tmp_path: Path) -> None:
    make_pipeline("sdxl", tmp_path / "sdxl")
    (tmp_path / "photographs").mkdir()
    photograph("coins").resize((300, 200)).save(tmp_path / "photographs" / "coins.png")
    recipe = parse_recipe(RECIPE, "recipe.yaml", folder=tmp_path)

    def run() -> FinishedRun:
        return run_recipe(recipe, workspace=tmp_path / "w", images=tmp_path / "photographs", workers=1)

    assert "campaign 'collect' waits for people: 4 of 4 tasks" in run().waits[0]
    with open_store(f"sqlite:///{tmp_path / 'w' / 'review.sqlite'}") as store:
        for name in ("ann", "ben"):
            store.upsert_annotator(name)
        image_ids = hand_in(store, tmp_path / "w")
    done = run()
    release = Release.open(done.workspace / done.artifacts["release"])
    items = {released.item.evidence["caption"]: released for released in release.items()}
    assert items.keys() == PHOTOGRAPHS.keys()
    sources = {row.image_id: row.source for row in release.provenance() if isinstance(row, ImageRecord) and row.source}
    for prompt, released in items.items():
        item = released.item
        assert item.root_image_id == image_ids[prompt]
        source = sources[image_ids[prompt]]
        assert (source.dataset, source.licence, source.author) == ("collect", "cc-by-4.0", "A. B.")
        assert str(source.canonical_id).startswith("https://example.org/")
        assert len(set(item.evidence["seeds"])) == 3
        kept = Image.open(collected_photographs(tmp_path / "w").path(image_ids[prompt])).convert("RGB")
        square = kept.crop((65, 0, 355, 290)).resize((96, 96), Image.Resampling.BOX)
        away = {
            choice.key: np.abs(np.asarray(square, int) - np.asarray(Image.open(io.BytesIO(data)), int)).mean()
            for choice in item.choices
            for data in [released.images[str(choice.image_id)]]
        }
        assert min(away, key=lambda key: away[key]) == item.answer
        assert away[item.answer] < 8
    assert verify_release(release.path).ok

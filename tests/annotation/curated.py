"""A workspace for tests of curators' views of items: photographs, some of them dropped, and items that wait for people."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from walks import make_photographs

from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.review_store import ReviewStore
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.workspace.run_results import FinishedRun

RECIPE = """\
name: curated
seed: 5
shards: 2
steps:
  - exact_duplicates
  - near_duplicates
  - step: quality
    min_side_px: 200
  - step: jigsaw
    min_tile_px: 16
    likeness: keep
  - repeated_options
  - step: verify
    rule: unanimous(2)
    rounds: 2
    form: {reasons: [wrong_answer, unclear]}
  - duplicate_questions
"""
START = datetime(2026, 3, 2, 9, tzinfo=UTC)


def run(place: Path, recipe: str = RECIPE) -> FinishedRun:
    """Run the recipe over the photographs of a place, or go on where it waits."""
    images = place / "photographs"
    return run_recipe(
        parse_recipe(recipe, "curated.yaml", images), images=images, workspace=place / "workspace", workers=1
    )


@cache
def _place() -> TemporaryDirectory[str]:
    folder = TemporaryDirectory()
    photographs = Path(folder.name) / "photographs"
    make_photographs(photographs, count=8)
    with Image.open(photographs / "piece-04.jpg") as image:
        image.resize((image.width - 9, image.height - 9)).save(photographs / "zz-copy.png")
    run(Path(folder.name))
    return folder


def make_place(folder: Path) -> Path:
    """Return a folder with photographs and a workspace whose items wait for people; made once a process, then copied."""
    return Path(shutil.copytree(_place().name, folder / "place"))


def decide(store: ReviewStore, place: int, name: str, decision: str, *, note: str | None = None) -> str:
    """Let an annotator decide the campaign's task at a place, by item id; return the item's id."""
    task = store.tasks("verify", states=("open", "done"))[place]
    at = START + timedelta(minutes=5 * place, seconds=ord(name[0]))
    reasons = ("unclear",) if decision == "reject" else ()
    store.upsert_annotator(name)
    store.decide("verify", task.id, name, Submission(decision, reasons=reasons, note=note), now=at)
    return task.item_id

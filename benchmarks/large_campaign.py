"""A workspace with one large campaign, for benchmarks of the review app: real pictures, any number of items."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from measuring import benchwright
from PIL import Image

from benchwright.annotation.app.base.state import clock
from benchwright.annotation.app.security.passwords import hash_password
from benchwright.annotation.forms.payloads import TaskInput, item_in
from benchwright.annotation.store.accounts.accounts import Accounts
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.records import Item
from benchwright.workspace.workspace import Workspace

PASSWORD = "a password for measuring"
CAMPAIGN = "many"
RECIPE = """\
name: large
seed: 5
steps:
  - {step: jigsaw, max_side_px: 4000}
  - {step: verify, rule: unanimous(SLOTS)}
"""


def make_workspace(folder: Path, *, images: int, size_wh: tuple[int, int], slots: int) -> Path:
    """Make a workspace whose campaign `verify` asks about each of this many photographs."""
    from skimage import data

    (folder / "images").mkdir()
    sources = [data.astronaut(), data.chelsea(), data.coffee(), data.rocket(), data.hubble_deep_field()]
    rng = np.random.default_rng(1)
    width, height = size_wh
    for number in range(images):
        image = Image.fromarray(sources[number % len(sources)]).resize(size_wh, Image.Resampling.BICUBIC)
        noisy = np.asarray(image).astype(np.int16) + rng.integers(-6, 7, (height, width, 1)) + number
        Image.fromarray(noisy.clip(0, 255).astype(np.uint8)).save(folder / "images" / f"{number:03}.jpg", quality=90)
    (folder / "large.yaml").write_text(RECIPE.replace("SLOTS", str(slots)), encoding="utf-8")
    run = benchwright("run", folder / "large.yaml", "--images", folder / "images", "--workspace", folder / "workspace")
    subprocess.run(run, check=True, capture_output=True, env=os.environ)
    return folder / "workspace"


def open_workspace_store(workspace: Path) -> ReviewStore:
    """Open the review store of a workspace."""
    return open_store(Workspace(workspace).store_url)


def add_people(store: ReviewStore, names: Sequence[str]) -> None:
    """Give every annotator an account with the same password, hashed once, because hashing takes time."""
    hashed = hash_password(PASSWORD)
    with store.batch() as held:
        accounts = Accounts(held)
        for name in names:
            accounts.add(name, "annotator", now=clock())
            accounts.set_password(name, hashed)


def fill(store: ReviewStore, *, items: int, slots: int) -> None:
    """Open the campaign `many` with this many items, which take the pictures of `verify` in turn."""
    pattern = store.campaign("verify")
    patterns = [Item.model_validate(item_in(task.payload)) for task in store.tasks("verify")]
    store.upsert_campaign(
        CAMPAIGN, kind="verify", rule=f"unanimous({slots})", slots_per_task=slots, form=pattern.form,
        settings={}, seed=5,
    )  # fmt: skip
    store.upsert_tasks(CAMPAIGN, _work(patterns, items))


def _work(patterns: Sequence[Item], items: int) -> Iterator[TaskInput]:
    for number in range(items):
        item = patterns[number % len(patterns)]
        item_id = hashlib.sha256(f"item {number}".encode()).hexdigest()[:32]
        other = item.model_copy(update={"item_id": item_id, "question": f"{item.question} ({number})"})
        yield TaskInput(item_id, other.content_hash, other.model_dump(mode="json"))

"""Photographs that were never handed in: counted, removed when old, never while a decision or a draft names them."""

from __future__ import annotations

import json
import os
import time
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from brought_photographs import jpeg
from walks import make_photographs, run_json

from benchwright.annotation.campaigns.collect.step import Collect
from benchwright.annotation.exchange.unused_photographs import unused_in, unused_photographs
from benchwright.annotation.forms.fields.field_types import PhotographField
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.backup import restore_backup, write_backup
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.store.submissions.photo_uploads import Uploads
from benchwright.annotation.workflow.photo_uploads import take_in_photograph
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.errors import DataError
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.steps import CampaignContext
from benchwright.workspace.objects import ObjectStore
from benchwright.workspace.photographs import collected_photographs

pytestmark = [pytest.mark.both_databases, pytest.mark.slow]

FIELD = PhotographField(name="photograph", label="Photograph")
FOUND = {"found": "own", "licence": "cc0_1_0", "author": "A. B."}
EVER = datetime(2100, 1, 1, tzinfo=UTC)
"""Later than any file was written."""


@pytest.fixture
def store(context: CampaignContext) -> Iterator[ReviewStore]:
    """A store with four tasks of a collection, all of them ann's."""
    step = Collect(prompts=("a cat", "a dog", "an eel", "a fox"))
    step.advance([], context)
    with open_store(context.store_url) as opened:
        opened.upsert_annotator("ann")
        yield opened


def bring(store: ReviewStore, root: Path, queue: TaskQueue, now: datetime, seed: int) -> tuple[Any, str]:
    """Take the next task and upload a photograph for it; return the task and the photograph's id."""
    task = queue.next(now=now)
    assert task is not None
    image_id = take_in_photograph(root, jpeg(seed=seed), FIELD).image_id
    Uploads(store).note(task.task_id, "ann", image_id)
    return task, image_id


@pytest.fixture
def brought(store: ReviewStore, context: CampaignContext, now: datetime) -> dict[str, str]:
    """Photographs: handed in; handed in and then replaced by that one; in a draft; tried and left."""
    queue, root = TaskQueue(store, store.campaign("verify"), "ann"), context.workspace
    task, replaced = bring(store, root, queue, now, 1)
    queue.submit(task.slot_id, Submission(fields={**FOUND, "photograph": replaced}), now=now)
    handed_in = take_in_photograph(root, jpeg(seed=2), FIELD).image_id
    Uploads(store).note(task.task_id, "ann", handed_in)
    queue.submit(task.slot_id, Submission(fields={**FOUND, "photograph": handed_in}), now=now)
    task, drafted = bring(store, root, queue, now, 3)
    queue.save_draft(task.task_id, {"fields": {"photograph": drafted}}, now=now)
    left = take_in_photograph(root, jpeg(seed=4), FIELD).image_id
    Uploads(store).note(task.task_id, "ann", left)
    return {"handed_in": handed_in, "replaced": replaced, "drafted": drafted, "left": left}


def there(root: Path, brought: dict[str, str]) -> set[str]:
    return {name for name, one in brought.items() if collected_photographs(root).path(one).exists()}


def test_only_what_neither_a_decision_in_any_version_nor_a_draft_names_goes(
    store: ReviewStore, brought: dict[str, str], context: CampaignContext, now: datetime
) -> None:
    root = context.workspace
    said = unused_in(store, context.workspace, remove=False, before=EVER)
    assert (said.photographs, said.old, len(said.files), said.size_bytes > 1000) == (1, 1, 1, True)
    assert there(root, brought) == set(brought)
    assert unused_in(store, context.workspace, remove=True, before=EVER) == said
    assert there(root, brought) == {"handed_in", "replaced", "drafted"}
    assert unused_in(store, context.workspace, remove=True, before=EVER).photographs == 0
    assert store.audited().broken is None


def test_a_photograph_is_as_old_as_its_last_upload(
    store: ReviewStore, brought: dict[str, str], context: CampaignContext
) -> None:
    path = collected_photographs(context.workspace).path(brought["left"])
    long_ago = time.time() - 30 * 86_400
    os.utime(path, (long_ago, long_ago))
    week = datetime.now(UTC) - timedelta(days=7)
    assert unused_in(store, context.workspace, remove=False, before=week).old == 1
    take_in_photograph(context.workspace, jpeg(seed=4), FIELD)
    found = unused_in(store, context.workspace, remove=True, before=week)
    assert (found.photographs, found.old, found.files) == (1, 0, ())
    assert "left" in there(context.workspace, brought)


def test_what_went_cannot_be_handed_in_and_may_be_uploaded_again(
    store: ReviewStore, brought: dict[str, str], context: CampaignContext, now: datetime
) -> None:
    unused_in(store, context.workspace, remove=True, before=EVER)
    queue = TaskQueue(store, store.campaign("verify"), "ann")
    task = queue.next(now=now)
    assert task is not None
    fields = {**FOUND, "photograph": brought["left"]}
    with pytest.raises(RefusedError, match="upload the photograph first"):
        queue.submit(task.slot_id, Submission(fields=fields), now=now)
    assert take_in_photograph(context.workspace, jpeg(seed=4), FIELD).image_id == brought["left"]
    Uploads(store).note(task.task_id, "ann", brought["left"])
    queue.submit(task.slot_id, Submission(fields=fields), now=now)
    assert there(context.workspace, brought) == set(brought)


def test_without_a_store_every_photograph_stays(tmp_path: Path) -> None:
    image_id = take_in_photograph(tmp_path, jpeg(), FIELD).image_id
    assert unused_photographs(tmp_path, before=EVER, remove=True).photographs == 0
    assert collected_photographs(tmp_path).path(image_id).exists()


def test_gc_says_how_many_there_are_and_removes_the_old_ones(tmp_path: Path) -> None:
    make_photographs(tmp_path / "photographs", count=1)
    recipe = parse_recipe(
        "name: collected\nseed: 3\nshards: 1\nsteps:\n  - step: collect\n    prompts: [a cat]\n", "recipe.yaml",
        folder=tmp_path,
    )  # fmt: skip
    run_recipe(recipe, workspace=tmp_path / "w", images=tmp_path / "photographs", workers=1)
    image_id = take_in_photograph(tmp_path / "w", jpeg(), FIELD).image_id
    name = f"collected/{image_id[:2]}/{image_id[2:]}"
    assert run_json("gc", tmp_path / "w")["photographs"] == {"unused": 1, "old": 0}
    assert (tmp_path / "w" / name).exists()
    said = run_json("gc", tmp_path / "w", "--older-than", "0")
    assert (said["photographs"], name in said["removed"]) == ({"unused": 1, "old": 1}, True)
    assert not (tmp_path / "w" / name).exists()


# Backups


def test_a_backup_takes_along_what_is_handed_in_or_in_a_draft_and_nothing_else(
    store: ReviewStore, brought: dict[str, str], context: CampaignContext, tmp_path: Path
) -> None:
    written = write_backup(store, tmp_path / "all.zip", photographs=collected_photographs(context.workspace))
    assert (written.photographs, written.missing) == (3, 0)
    other = tmp_path / "other"
    url = f"sqlite:///{tmp_path / 'other.sqlite'}"
    assert restore_backup(tmp_path / "all.zip", url, photographs=collected_photographs(other)) == written
    assert there(other, brought) == {"handed_in", "replaced", "drafted"}
    first, second = (collected_photographs(root).path(brought["drafted"]) for root in (context.workspace, other))
    assert first.read_bytes() == second.read_bytes()
    with open_store(url) as restored:  # nobody hands in what has no file there
        held = {
            name
            for name, one in brought.items()
            for task in restored.tasks("verify", states=("open", "done"))
            if Uploads(restored).holds(task.id, one, by="ann")
        }
    assert held == {"handed_in", "replaced", "drafted"}


def test_a_photograph_that_is_taken_away_while_it_is_brought_again_is_there_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    image_id = take_in_photograph(tmp_path, jpeg(), FIELD).image_id
    path = collected_photographs(tmp_path).path(image_id)
    before = path.read_bytes()
    put = ObjectStore.put

    def overtaken(store: ObjectStore, data: bytes) -> str:
        found = put(store, data)
        if path.stat().st_mtime < 1000:
            path.unlink()
        return found

    os.utime(path, (0, 0))
    monkeypatch.setattr(ObjectStore, "put", overtaken)
    assert take_in_photograph(tmp_path, jpeg(), FIELD).image_id == image_id
    assert path.read_bytes() == before


def test_a_photograph_whose_file_is_gone_is_counted_and_the_rest_saved(
    store: ReviewStore, brought: dict[str, str], context: CampaignContext, tmp_path: Path
) -> None:
    collected_photographs(context.workspace).path(brought["drafted"]).unlink()
    written = write_backup(store, tmp_path / "all.zip", photographs=collected_photographs(context.workspace))
    assert (written.photographs, written.missing) == (2, 1)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        pytest.param({"{one}": b"another picture"}, "does not match the SHA-256 in its name", id="changed"),
        pytest.param({"{one}": None}, "photographs that differ from its manifest", id="left out"),
        pytest.param({"photographs/" + "a" * 64: b"x"}, "photographs that differ from its manifest", id="inserted"),
        pytest.param({"photographs/../../evil": b"x"}, "is not the name of a photograph", id="outside"),
    ],
)
def test_a_backup_with_changed_photographs_leaves_neither_rows_nor_files_elsewhere(
    store: ReviewStore, brought: dict[str, str], context: CampaignContext, tmp_path: Path,
    change: dict[str, bytes | None], why: str,
) -> None:  # fmt: skip
    write_backup(store, tmp_path / "all.zip", photographs=collected_photographs(context.workspace))
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    for name, data in change.items():
        named = name.format(one=f"photographs/{brought['drafted']}")
        parts.pop(named, None)
        if data is not None:
            parts[named] = data
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    url = f"sqlite:///{tmp_path / 'other.sqlite'}"
    with pytest.raises(DataError, match=why):
        restore_backup(tmp_path / "bad.zip", url, photographs=collected_photographs(tmp_path / "other"))
    with open_store(url) as empty:
        assert empty.campaign_names() == []
    assert not (tmp_path / "evil").exists()


def test_a_backup_of_before_photographs_went_along_is_still_read(
    store: ReviewStore, brought: dict[str, str], tmp_path: Path
) -> None:
    write_backup(store, tmp_path / "all.zip")
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(parts["manifest.json"])
    del manifest["photographs"]
    parts["manifest.json"] = json.dumps(manifest | {"version": 1}).encode()
    with zipfile.ZipFile(tmp_path / "old.zip", "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    assert restore_backup(tmp_path / "old.zip", f"sqlite:///{tmp_path / 'other.sqlite'}").photographs == 0

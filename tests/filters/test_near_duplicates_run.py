"""Near-duplicates in a run: copies are dropped and the best is kept, whatever the files' names and order; a second run
does nothing.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from picture_copies import COPIES, photograph
from PIL import Image

from benchwright.filters.duplicates.exact_duplicates import ExactDuplicates
from benchwright.filters.duplicates.near_duplicates import NearDuplicates
from benchwright.filters.duplicates.report import report_of
from benchwright.pipeline import run_steps
from benchwright.workspace.run_results import FinishedRun

pytestmark = pytest.mark.slow

KEPT = {"astronaut", "chelsea", "coffee"}


def make(folder: Path, names: dict[str, str]) -> None:
    """Write three photographs and copies of two of them, under names of the caller's."""
    folder.mkdir()
    for name in sorted(KEPT):
        photograph(name).save(folder / f"{names.get(name, name)}.png")
    for name, copy in (("coffee", "cropped"), ("coffee", "compressed"), ("chelsea", "small"), ("chelsea", "turned")):
        made = COPIES[copy](photograph(name))
        made.resize((made.width - 2, made.height - 2)).save(folder / f"{names.get(copy, copy)}.jpg", quality=88)


def run(images: Path, workspace: Path, **settings: object) -> FinishedRun:
    steps = [ExactDuplicates(), NearDuplicates.model_validate(settings)]
    return run_steps(steps, images=images, workspace=workspace, workers=1)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    root = tmp_path_factory.mktemp("near")
    make(root / "images", {})
    return run(root / "images", root / "workspace")


def dropped(done: FinishedRun) -> dict[str, str]:
    """Return each dropped image with the one it was dropped for, by content."""
    rows = done.outcomes("near_duplicates.kept")
    return {row["record_id"]: row["evidence"]["of"] for row in rows if row["verdict"] == "drop"}


def test_the_copies_go_and_the_originals_stay(done: FinishedRun) -> None:
    groups = {group.keep: {(one.path, one.kind) for one in group.members} for group in report_of(done).groups}
    assert groups == {
        "chelsea.png": {("small.jpg", "near"), ("turned.jpg", "near")},
        "coffee.png": {("cropped.jpg", "near"), ("compressed.jpg", "near")},
    }


def test_a_dropped_image_says_what_was_measured(done: FinishedRun) -> None:
    looks = [row for row in done.outcomes("near_duplicates.looks") if row["confirmed"]]
    measured = [one for row in looks for one in row["evidence"]["partners"] if one["verdict"] == "confirmed"]
    assert len(measured) >= 4
    assert all(one["alike"] > 0.85 and len(one["affine"]) == 6 for one in measured)


def test_copies_and_originals_share_a_group(done: FinishedRun) -> None:
    groups = [row["group"] for row in done.outcomes("near_duplicates.kept")]
    assert sorted(groups.count(group) for group in set(groups) - {None}) == [3, 3]


def test_names_and_order_of_files_change_nothing(done: FinishedRun, tmp_path: Path) -> None:
    make(tmp_path / "images", {"coffee": "zz", "cropped": "aa", "chelsea": "mm", "turned": "a1", "astronaut": "b"})
    again = run(tmp_path / "images", tmp_path / "workspace")
    assert dropped(again) == dropped(done)


def test_running_again_does_nothing(done: FinishedRun) -> None:
    again = run(done.workspace.parent / "images", done.workspace)
    assert (again.executed, again.decoded) == (0, 0)


def test_what_is_left_has_no_duplicates(done: FinishedRun, tmp_path: Path) -> None:
    (tmp_path / "left").mkdir()
    for name in KEPT:
        shutil.copy(done.workspace.parent / "images" / f"{name}.png", tmp_path / "left")
    assert report_of(run(tmp_path / "left", tmp_path / "workspace")).groups == ()


def test_a_copy_whose_partner_is_damaged_is_kept(tmp_path: Path) -> None:
    make(tmp_path / "images", {})
    damaged = tmp_path / "images" / "coffee.png"
    damaged.write_bytes(damaged.read_bytes()[:-400])
    report = report_of(run(tmp_path / "images", tmp_path / "workspace"))
    assert [file.path for file in report.unreadable] == ["coffee.png"]
    kept = {group.keep: [one.path for one in group.members] for group in report.groups}
    assert kept["compressed.jpg"] == ["cropped.jpg"]


def test_protected_files_stay_and_are_asked_about(tmp_path: Path) -> None:
    (tmp_path / "images" / "mine").mkdir(parents=True)
    photograph("coffee").save(tmp_path / "images" / "large.png")
    Image.Image.save(COPIES["small"](photograph("coffee")), tmp_path / "images" / "mine" / "small.png")
    Image.Image.save(COPIES["cropped"](photograph("coffee")), tmp_path / "images" / "mine" / "cut.png")
    report = report_of(run(tmp_path / "images", tmp_path / "workspace", protected=["mine/*"]))
    found = {group.keep: [(one.path, one.kind) for one in group.members] for group in report.groups}
    assert found == {"mine/cut.png": [("large.png", "near"), ("mine/small.png", "ask")]}

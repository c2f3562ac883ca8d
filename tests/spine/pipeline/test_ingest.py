"""Ingest: every entry of a folder is accounted for, once, and equal bytes are one image."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from odd_steps import Batched
from PIL import Image

from benchwright.diagnostics.copies.collections import open_collection
from benchwright.errors import BenchwrightError
from benchwright.pipeline import run_steps
from benchwright.source_files.no_photographs import tell_of_trash
from benchwright.workspace.run_results import FinishedRun


def _image(path: Path, width: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pixels = np.random.default_rng(width).integers(0, 256, (17, width, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(path)


def _run(folder: Path, workspace: Path) -> FinishedRun:
    return run_steps([Batched()], images=folder, workspace=workspace, workers=1)


def test_files_of_equal_bytes_are_one_image_named_by_the_shortest_path(tmp_path: Path) -> None:
    _image(tmp_path / "in" / "cup (1).png", 23)
    shutil.copyfile(tmp_path / "in" / "cup (1).png", tmp_path / "in" / "cup.png")
    rows = {row["uri"]: row for row in _run(tmp_path / "in", tmp_path / "w").files()}
    assert (rows["cup.png"]["verdict"], rows["cup.png"]["kept_uri"]) == ("keep", "cup.png")
    assert (rows["cup (1).png"]["reason"], rows["cup (1).png"]["kept_uri"]) == ("same_bytes", "cup.png")


def test_files_in_folders_below_are_found_and_named_by_their_path(tmp_path: Path) -> None:
    _image(tmp_path / "in" / "a" / "b c" / "d.png", 29)
    assert [row["uri"] for row in _run(tmp_path / "in", tmp_path / "w").files()] == ["a/b c/d.png"]


def test_thumbnails_checkpoints_and_what_was_thrown_away_are_no_photographs(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for width, name in enumerate(
        ("cup.png", "@eaDir/cup.png/SYNOPHOTO_THUMB_M.png", "a/.ipynb_checkpoints/cup-checkpoint.png", "._cup.png",
         "__MACOSX/cup.png", ".Trash-1000/files/cup.png", "Trash/cup.png", "$RECYCLE.BIN/cup.png", ".hidden/b/cup.png"),
        start=20,
    ):  # fmt: skip
        _image(tmp_path / "in" / name, width)
    tell_of_trash.cache_clear()  # once in a process
    assert [row["uri"] for row in _run(tmp_path / "in", tmp_path / "w").files()] == ["cup.png"]
    assert [record.args for record in caplog.records if "folder of deleted files" in record.getMessage()] == [
        ("Trash",)
    ]
    before = open_collection(tmp_path / "in").content
    _image(tmp_path / "in" / "@eaDir" / "new.png", 40)
    assert open_collection(tmp_path / "in").content == before


def test_a_workspace_inside_the_image_folder_is_not_taken_for_images(tmp_path: Path) -> None:
    _image(tmp_path / "in" / "a.png", 31)
    _run(tmp_path / "in", tmp_path / "in" / "workspace")
    again = _run(tmp_path / "in", tmp_path / "in" / "workspace")
    assert [row["uri"] for row in again.files()] == ["a.png"]
    assert again.executed == 0


def test_a_folder_that_is_not_there_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(BenchwrightError, match=r"image folder .*nowhere is not a folder; give one with --images DIR"):
        _run(tmp_path / "nowhere", tmp_path / "w")


def test_a_file_taken_away_takes_its_rows_away(tmp_path: Path) -> None:
    for width in (23, 29):
        _image(tmp_path / "in" / f"{width}.png", width)
    assert _run(tmp_path / "in", tmp_path / "w").steps[1].records == 2
    (tmp_path / "in" / "23.png").unlink()
    assert [row["uri"] for row in _run(tmp_path / "in", tmp_path / "w").files()] == ["29.png"]

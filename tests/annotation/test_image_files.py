"""A picture is found as long as any of its files exists: a folder and questions share files, and files move."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from benchwright.annotation.exchange.pictures import TaskPictures
from benchwright.annotation.workflow.image_files import ImageFiles
from benchwright.canonical import file_digest
from benchwright.errors import DataError
from benchwright.images import encode_png
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.records import ItemImage

RECIPE = "name: both\nshards: 2\nsteps:\n  - {step: items, file: bench}\n"


@pytest.fixture(scope="module")
def run_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run over a folder that holds the pictures of questions, some twice: `0.png` is also `copies/0 (1).png`."""
    folder = tmp_path_factory.mktemp("shared")
    rng = np.random.default_rng(4)
    for place in ("bench", "photographs/copies"):
        (folder / place).mkdir(parents=True)
    rows = ["id,question,image,A,B,answer"]
    for number in range(3):
        file = folder / "bench" / f"the cup number {number}.png"
        file.write_bytes(encode_png(rng.integers(0, 256, (40 + number, 60, 3), dtype=np.uint8)))
        rows.append(f"q{number},Which is it?,{file.name},one,two,A")
        if number < 2:
            shutil.copyfile(file, folder / "photographs" / f"{number}.png")
    shutil.copyfile(folder / "photographs" / "0.png", folder / "photographs" / "copies" / "0 (1).png")
    (folder / "bench" / "q.csv").write_text("\n".join(rows), encoding="utf-8")
    recipe = parse_recipe(RECIPE, "recipe.yaml", folder=folder)
    run_recipe(recipe, workspace=folder / "workspace", images=folder / "photographs", workers=1)
    return folder


@pytest.fixture
def folder(run_once: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy for changes; the workspace names the image folder at its original place."""
    shutil.copytree(run_once / "photographs", tmp_path / "kept")
    yield run_once
    shutil.rmtree(run_once / "photographs")
    shutil.copytree(tmp_path / "kept", run_once / "photographs")


def picture(folder: Path, number: int) -> str:
    return file_digest(folder / "bench" / f"the cup number {number}.png")


def test_every_picture_of_questions_is_found_though_the_folder_has_it_too(folder: Path) -> None:
    files = ImageFiles(folder / "workspace")
    assert all(files.data(picture(folder, number)) for number in range(3))


def test_a_picture_is_called_by_its_file_that_the_run_kept(folder: Path) -> None:
    files = ImageFiles(folder / "workspace")
    names = [files.name(picture(folder, number)) for number in range(3)]
    assert names == ["0.png", "1.png", "the cup number 2.png"]
    assert files.name("0" * 64) is None


@pytest.mark.parametrize("change", ["gone", "another"])
def test_a_file_that_was_moved_away_or_replaced_leaves_its_copies(folder: Path, change: str) -> None:
    kept = folder / "photographs" / "0.png"
    kept.unlink()
    if change == "another":
        shutil.copyfile(folder / "photographs" / "1.png", kept)
    files = ImageFiles(folder / "workspace")
    assert files.data(picture(folder, 0)) == (folder / "photographs" / "copies" / "0 (1).png").read_bytes()


def test_only_where_no_file_is_left_it_is_an_error_that_names_the_one_kept(folder: Path) -> None:
    (folder / "photographs" / "1.png").unlink()
    with pytest.raises(DataError, match=r"photographs/1\.png"):
        ImageFiles(folder / "workspace").data(picture(folder, 1))


def test_copies_for_people_begin_as_the_curators_file_does(folder: Path, tmp_path: Path) -> None:
    pictures = TaskPictures(folder / "workspace", copy_to=tmp_path / "copies")
    image = ItemImage(image_id=picture(folder, 2), role="view")
    copy = Path(pictures.name(image))
    assert copy.name.startswith("the_cup_number_2-")
    assert copy.suffix == ".png"
    assert file_digest(copy) == image.image_id
    assert pictures.called(image.image_id) == "the cup number 2.png"


def test_a_picture_that_a_later_run_found_elsewhere_is_found_by_an_app_that_runs(folder: Path) -> None:
    files = ImageFiles(folder / "workspace")
    assert files.data(picture(folder, 1))
    (folder / "photographs" / "1.png").rename(folder / "photographs" / "elsewhere.png")
    recipe = parse_recipe(RECIPE, "recipe.yaml", folder=folder)
    run_recipe(recipe, workspace=folder / "workspace", images=folder / "photographs", workers=1)
    assert files.data(picture(folder, 1))
    assert files.name(picture(folder, 1)) == "elsewhere.png"

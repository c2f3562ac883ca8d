"""Leakage and releases: between splits, frozen or not, and from a release's pictures and provenance into a folder."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from picture_copies import COPIES, photograph
from PIL import Image
from small_bench import Bench

from benchwright.diagnostics.copies.collections import open_collection
from benchwright.diagnostics.copies.split_pictures import write_split_pictures
from benchwright.errors import BenchwrightError, DataError
from benchwright.filters.cli.contamination import leakage
from benchwright.filters.contamination.report import find_leaks, leaks_between_splits
from benchwright.pipeline import open_view, run_recipe
from benchwright.recipe import parse_recipe
from benchwright.records import Choice, ImageRecord, ItemImage, Source


def add(bench: Bench, image: Image.Image, split: str, number: int) -> str:
    """Add an item that shows a photograph; return the picture's id."""
    handle = io.BytesIO()
    image.save(handle, "JPEG", quality=90)
    data = handle.getvalue()
    image_id = hashlib.sha256(data).hexdigest()
    bench.files[image_id] = data
    bench.records[image_id] = record = ImageRecord(
        image_id=image_id, width=image.width, height=image.height, media_type="image/jpeg", size_bytes=len(data),
        root_image_id=image_id, source=Source(uri=f"{number}.jpg", canonical_id=f"coco:{number}"),
    )  # fmt: skip
    bench.add(
        record, split, number, task="view", question="Is it blue?", answer="A",
        images=(ItemImage(image_id=image_id, role="view"),),
        choices=(Choice(key="A", text="yes"), Choice(key="B", text="no")),
    )  # fmt: skip
    return image_id


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    bench = Bench()
    ids = {
        "coffee": add(bench, photograph("coffee"), "test", 1),
        "crop": add(bench, COPIES["cropped"](photograph("coffee")), "val", 2),
        "rocket": add(bench, photograph("rocket"), "val", 3),
    }
    folder = tmp_path_factory.mktemp("releases") / "tiny"
    bench.write(folder)
    return folder, ids


def test_a_picture_in_two_splits_is_found_though_it_was_cropped(release: tuple[Path, dict[str, str]]) -> None:
    folder, ids = release
    result = CliRunner().invoke(leakage, [str(folder), "--workers", "1", "--json"], catch_exceptions=False)
    [leak] = json.loads(result.stdout)["leaks"]
    assert (leak["path"], leak["against"], leak["name"]) == (f"val:{ids['crop']}", "test", ids["coffee"])
    assert (leak["kind"], leak["by"], result.exit_code) == ("leak", "look", 1)


@pytest.mark.slow
def test_a_folder_is_checked_against_a_releases_pictures(release: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    folder, ids = release
    (tmp_path / "mine").mkdir()
    COPIES["captioned"](photograph("rocket")).save(tmp_path / "mine" / "r.png")
    photograph("moon").save(tmp_path / "mine" / "m.png")
    [leak] = find_leaks(tmp_path / "mine", [folder], workers=1).leaks
    assert (leak.path, leak.against, leak.name, leak.kind) == ("r.png", str(folder), ids["rocket"], "leak")


@pytest.mark.slow
def test_files_that_cannot_be_compared_are_named(release: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    folder, _ = release
    (tmp_path / "mine").mkdir()
    photograph("moon").save(tmp_path / "mine" / "m.png")
    (tmp_path / "mine" / "torn.png").write_bytes((tmp_path / "mine" / "m.png").read_bytes()[:-900])
    arguments = [str(tmp_path / "mine"), "--against", str(folder), "--workers", "1"]
    document = json.loads(CliRunner().invoke(leakage, [*arguments, "--json"], catch_exceptions=False).stdout)
    assert [document["leaks"], [file["path"] for file in document["unreadable"]]] == [[], ["torn.png"]]
    text = CliRunner().invoke(leakage, arguments, catch_exceptions=False).stdout
    assert "not compared  torn.png: " in text
    assert text.endswith("leaks 0, to look at 0, not compared 1\n")


def test_a_release_tells_canonical_ids(release: tuple[Path, dict[str, str]]) -> None:
    folder, ids = release
    known = {one.image_id: one.canonical_id for one in open_collection(folder).pictures(workers=1)}
    assert known == {ids["coffee"]: "coco:1", ids["crop"]: "coco:2", ids["rocket"]: "coco:3"}


def test_a_folder_that_is_no_release_has_no_splits(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is not a readable release"):
        CliRunner().invoke(leakage, [str(tmp_path)], catch_exceptions=False)


@pytest.mark.slow
def test_splits_of_a_workspace_are_checked_before_anything_is_frozen(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    photograph("coffee").save(tmp_path / "images" / "coffee.png")
    COPIES["cropped"](photograph("coffee")).save(tmp_path / "images" / "crop.png")
    recipe = parse_recipe("name: w\nsteps: [{step: jigsaw, mode: paper}, splits]\n", "w.yaml", tmp_path)
    run_recipe(recipe, workspace=tmp_path / "w", images=tmp_path / "images", workers=1)
    split_of = {item.made_from: values["splits.split"] for item, values in open_view(tmp_path / "w").items()}
    assert sorted(split_of.values()) == ["test", "val"]
    (root := tmp_path / "laid out").mkdir()
    assert write_split_pictures(tmp_path / "w", root).splits == ("test", "val")
    leaks = leaks_between_splits(tmp_path / "w", workers=1).leaks
    assert leaks
    assert all((leak.path[:4], leak.against) == ("val:", "test") for leak in leaks)


def test_a_workspace_without_splits_says_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    photograph("coffee").save(tmp_path / "images" / "coffee.png")
    recipe = parse_recipe("name: w\nsteps: [jigsaw]\n", "w.yaml", tmp_path)
    run_recipe(recipe, workspace=tmp_path / "w", images=tmp_path / "images", workers=1)
    with pytest.raises(BenchwrightError, match="such as `splits`"):
        leaks_between_splits(tmp_path / "w", workers=1)

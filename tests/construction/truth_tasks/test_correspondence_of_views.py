"""Correspondence items from HPatches: the right point follows from the raw matrices, without the reader and the
step.
"""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from dataset_fixtures.hpatches_files import write_hpatches
from picture_copies import photograph
from PIL import Image
from pydantic import ValidationError
from truth_runs import rings

from benchwright.construction.tasks.visual_correspondence import VisualCorrespondence
from benchwright.errors import RecipeError
from benchwright.pipeline import run_recipe
from benchwright.recipe import Recipe, step
from benchwright.records import Item
from benchwright.release import Release

pytestmark = pytest.mark.slow

NAMES = ("chelsea", "coffee", "astronaut", "rocket")
SMALLER: dict[str, Any] = {"max_side_px": 300, "min_side_px": 64, "min_view_px": 64}


class Made(NamedTuple):
    """What the step made of sequences on disk.

    Args:
        items: The items.
        pixels: Pixels of each picture as items show it, by its id.
        root: Folder with the sequences.
    """

    items: list[Item]
    pixels: dict[str, np.ndarray]
    root: Path


def run(folder: Path, root: Path, *, seed: int = 1, **settings: Any) -> Made:
    steps = [
        step("dataset", as_="hpatches", reader="hpatches", folder=str(root)),
        step("visual_correspondence", dataset="hpatches", **settings),
        step("freeze", name="views", version="1.0"),
    ]
    finished = run_recipe(Recipe("views", steps, seed=seed, folder=folder, shards=2), workspace=folder / "w")
    release = Release.open(finished.workspace / finished.artifacts["release"])
    items, pixels = [], {}
    for released in release.items():
        items.append(released.item)
        for image in released.item.images:
            pixels[image.image_id] = np.asarray(Image.open(io.BytesIO(released.images[image.image_id])).convert("RGB"))
    return Made(items, pixels, root)


@pytest.fixture(scope="module")
def sequences(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("hpatches")
    pictures = [np.asarray(photograph(name).convert("RGB").resize((400, 290 + 4 * k))) for k, name in enumerate(NAMES)]
    write_hpatches(root, 4, first_pictures=pictures)
    return root


@pytest.fixture(scope="module", params=["hardened", "paper"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, sequences: Path) -> Made:
    return run(tmp_path_factory.mktemp("run"), sequences, per_image=3, mode=request.param, **SMALLER)


def whole_pictures(made: Made, item: Item) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the upper left corner of what is shown of each picture, and the whole picture's size at that scale."""
    if item.attributes["mode"] == "paper":
        return [(np.zeros(2), np.array(made.pixels[image.image_id].shape[1::-1])) for image in item.images]
    folder = next(made.root.rglob(item.evidence["original"]["sequence"].removeprefix("hpatches:")))
    sizes = [size_of(folder / f"{number}.ppm") for number in item.evidence["original"]["pictures"]]  # not scaled
    return [(np.array(corner), size) for corner, size in zip(item.evidence["corners"], sizes, strict=True)]


def raw_matrix(folder: Path, number: int) -> np.ndarray:
    return np.eye(3) if number == 1 else np.loadtxt(folder / f"H_1_{number}")


def size_of(path: Path) -> np.ndarray:
    with Image.open(path) as picture:
        return np.array(picture.size)


def test_the_right_point_lies_where_the_raw_matrices_say(made: Made) -> None:
    assert len(made.items) > 8
    for item in made.items:
        folder = next(made.root.rglob(item.evidence["original"]["sequence"].removeprefix("hpatches:")))
        first, second = item.evidence["original"]["pictures"]
        sizes = [size_of(folder / f"{number}.ppm") for number in (first, second)]
        (corner, shown), (corner_2, shown_2) = whole_pictures(made, item)
        # Matrices count from the first pixel's centre.
        x, y = (np.array(rings(item)["REF"]) + corner) * sizes[0] / shown - 0.5
        mapped = raw_matrix(folder, second) @ np.linalg.inv(raw_matrix(folder, first)) @ (x, y, 1)
        right = (mapped[:2] / mapped[2] + 0.5) * shown_2 / sizes[1] - corner_2
        distances = {key: np.hypot(*(np.array(point) - right)) for key, point in rings(item, 1).items()}
        assert distances[item.answer or ""] < 0.02
        side = min(made.pixels[item.images[1].image_id].shape[:2])
        assert min(distance for key, distance in distances.items() if key != item.answer) > 0.15 * side - 0.1


def test_pictures_are_those_that_the_evidence_names(made: Made) -> None:
    for item in made.items:
        folder = next(made.root.rglob(item.evidence["original"]["sequence"].removeprefix("hpatches:")))
        pictures = zip(item.evidence["original"]["pictures"], item.images, whole_pictures(made, item), strict=True)
        for number, image, (corner, size) in pictures:
            pixels = made.pixels[image.image_id]
            with Image.open(folder / f"{number}.ppm") as raw:
                smaller = np.asarray(raw.resize(size.tolist(), Image.Resampling.BOX), dtype=float)
            x, y = np.rint(corner).astype(int)
            assert max(pixels.shape) == (300 if item.attributes["mode"] == "paper" else 240)
            assert np.abs(smaller[y : y + pixels.shape[0], x : x + pixels.shape[1]] - pixels).mean() < 12


def test_pictures_in_another_light_keep_the_reference_s_place_only_as_in_the_paper(made: Made) -> None:
    away = []
    for item in made.items:
        if item.evidence["change"] == "illumination":
            away.append(np.hypot(*np.subtract(rings(item)["REF"], rings(item, 1)[item.answer or ""])))
    assert len(away) > 3
    assert bool(max(away) < 0.1) is (made.items[0].attributes["mode"] == "paper")


def test_each_of_the_four_points_could_have_been_at_the_place_of_the_reference(made: Made) -> None:
    for item in made.items:
        if item.attributes["mode"] == "paper":
            continue
        (corner, size), _ = whole_pictures(made, item)
        spare = size - made.pixels[item.images[0].image_id].shape[1::-1]
        for point in rings(item, 1).values():
            x, y, w = np.linalg.inv(np.array(item.evidence["homography"])) @ (*point, 1)
            other = corner + np.array([x / w, y / w]) - rings(item)["REF"]
            assert (other >= -0.1).all()
            assert (other <= spare + 0.1).all()


def test_no_picture_is_shown_twice_and_letters_are_even(made: Made) -> None:
    assert set(Counter(image.image_id for item in made.items for image in item.images).values()) == {1}
    letters = Counter(item.answer for item in made.items)
    assert set(letters) == {*"ABCD"}


def test_items_of_a_sequence_stay_in_one_split(made: Made) -> None:
    for item in made.items:
        assert f"sequence:{item.evidence['original']['sequence']}" in item.group_keys
    assert all(sum(key.startswith("image:") for key in item.group_keys) == 2 for item in made.items)


def test_the_question_says_what_changed(made: Made) -> None:
    for item in made.items:
        is_viewpoint = "/v_" in str(item.evidence["original"]["sequence"]).replace(":", "/")
        assert ("from another viewpoint" in item.question) is is_viewpoint
        assert ("in another light" in item.question) is not is_viewpoint


def test_every_option_is_an_interest_point_with_contrast_in_both_pictures(made: Made) -> None:
    for item in made.items:
        second = made.pixels[item.images[1].image_id].astype(float).mean(axis=2)
        for x, y in rings(item, 1).values():
            around = second[int(y) - 11 : int(y) + 12, int(x) - 11 : int(x) + 12]
            assert around.std() > 8


def test_another_seed_takes_other_pairs_and_items_limits_them(tmp_path: Path, sequences: Path) -> None:
    first = run(tmp_path / "a", sequences, items=2, **SMALLER)
    other = run(tmp_path / "b", sequences, items=2, seed=2, **SMALLER)
    assert len(first.items) == len(other.items) == 2
    assert {item.item_id for item in first.items} != {item.item_id for item in other.items}


def test_settings_for_the_other_mode_are_refused() -> None:
    with pytest.raises(ValidationError, match="leave out max_zoom: they set how a second view is drawn"):
        VisualCorrespondence(dataset="hpatches", max_zoom=2)
    with pytest.raises(ValidationError, match="leave out items: they apply to pairs of a dataset"):
        VisualCorrespondence(items=3)


def test_an_entry_that_gives_no_homographies_is_refused() -> None:
    with pytest.raises(RecipeError, match="'hpatches', which is not an earlier entry"):
        VisualCorrespondence(dataset="hpatches").placed({"ingest": {}})


def test_settings_for_datasets_are_no_parameters_of_photographs() -> None:
    assert VisualCorrespondence().parameters().keys() == {
        "per_image", "mode", "twins", "view_part", "max_side_px", "min_side_px", "min_view_px", "max_enlargement", "max_rotation_deg", "max_perspective", "min_zoom", "max_zoom",
        "max_gamma", "max_contrast", "max_brightness", "max_blur_px", "max_noise", "max_likeness",
        "wordings",
    }  # fmt: skip

"""Items made from the datasets' own files by the paper's rules: each key is derived again from the raw annotation,
without the reader and the step.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from dataset_fixtures.diw_files import write_diw
from dataset_fixtures.funkpoint_files import write_funkpoint
from dataset_fixtures.nights_files import write_nights
from dataset_fixtures.spair_files import write_spair
from dataset_fixtures.tally_files import write_tally
from dataset_fixtures.wikiart_files import DECOMPOSED, write_wikiart
from dataset_fixtures.wild6d_files import write_wild6d
from truth_runs import right_image, right_text, rings

from benchwright.construction.tasks.art_style import CLOSE_STYLES
from benchwright.pipeline import run_recipe
from benchwright.recipe import Recipe, step
from benchwright.records import Item
from benchwright.release import Release

pytestmark = pytest.mark.slow

SMALL: dict[str, Any] = {"min_side_px": 16}
PAPER: dict[str, Any] = {**SMALL, "mode": "paper"}
POINTS: dict[str, Any] = {**PAPER, "margin": 0.0, "min_distance": 0.02}


class Made(NamedTuple):
    """What all tasks made of all datasets, with the files from which keys are derived.

    Args:
        items: Items of each task.
        raw: What was written of each dataset.
        root: Folder with the datasets.
        files: File of each picture of an item, as the datasets name it.
    """

    items: dict[str, list[Item]]
    raw: dict[str, Any]
    root: Path
    files: dict[str, Path]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    root = tmp_path_factory.mktemp("datasets")
    raw = {
        "diw": write_diw(root / "diw"),
        "spair71k": write_spair(root / "spair71k"),
        "tallyqa": write_tally(root / "tallyqa"),
        "funkpoint": write_funkpoint(root / "funkpoint"),
        "nights": write_nights(root / "nights"),
        "wikiart": write_wikiart(root / "wikiart"),
        "wild6d": write_wild6d(root / "wild6d"),
    }
    steps = [
        *(step("dataset", as_=name, reader=name, folder=name, records=None) for name in raw),
        step("relative_depth", dataset="diw", **POINTS),
        step("semantic_correspondence", dataset="spair71k", **POINTS),
        step("counting", dataset="tallyqa", **PAPER),
        step("functional_correspondence", dataset="funkpoint", **POINTS),
        step("visual_similarity", dataset="nights", mode="paper", **SMALL),
        step("art_style", dataset="wikiart", mode="paper", **SMALL),
        step("multi_view_reasoning", dataset="wild6d", pictures="both", mode="paper", **SMALL),
        step("freeze", name="tasks", version="1.0"),
    ]
    finished = run_recipe(Recipe("tasks", steps, seed=1, folder=root, shards=2), workspace=root / "w")
    items: dict[str, list[Item]] = {}
    for released in Release.open(finished.workspace / finished.artifacts["release"]).items():
        items.setdefault(released.item.task, []).append(released.item)
    files = {
        hashlib.sha256(path.read_bytes()).hexdigest(): path
        for name in raw
        for path in (root / name).rglob("*")
        if path.is_file()
    }
    return Made(items, raw, root, files)


def test_every_task_makes_items_and_shows_each_picture_once(made: Made) -> None:
    assert {task: len(items) for task, items in made.items.items()}.keys() == {
        "relative_depth", "semantic_correspondence", "counting", "functional_correspondence", "visual_similarity",
        "art_style", "multi_view_reasoning",
    }  # fmt: skip
    for task, items in made.items.items():
        singles = [item for item in items if item.attributes.get("pictures") != "concatenated"]
        used = Counter(image.image_id for item in singles for image in item.images)
        assert set(used.values()) == {1}, task
        letters = Counter(item.answer for item in singles)
        assert max(letters.values()) - min(letters[choice.key] for choice in singles[0].choices) <= 1, task


def test_the_closer_point_is_as_the_csv_says_y_before_x_and_counted_from_1(made: Made) -> None:
    pairs = {pair.picture.rpartition("/")[2]: pair for pair in made.raw["diw"]}
    assert len(made.items["relative_depth"]) > 10
    for item in made.items["relative_depth"]:
        pair = pairs[made.files[item.images[0].image_id].name]
        # z_A > z_B: A lies farther away
        x, y = (pair.xb, pair.yb) if pair.relation == ">" else (pair.xa, pair.ya)
        letter = (right_text(item) or "")[0]
        assert rings(item)[letter] == (x - 0.5, y - 0.5)


def test_the_corresponding_point_has_the_same_number_in_kps_ids(made: Made) -> None:
    pairs = {(pair["src_imname"], pair["trg_imname"]): pair for pair in made.raw["spair71k"]}
    assert len(made.items["semantic_correspondence"]) > 20
    for item in made.items["semantic_correspondence"]:
        first, second = (made.files[image.image_id].name for image in item.images)
        pair = pairs[first, second]
        [place] = [
            n for n, (x, y) in enumerate(pair["src_kps"]) if np.hypot(*(rings(item)["REF"] - np.array((x, y)))) < 1
        ]
        right = rings(item, 1)[item.answer or ""]
        assert np.hypot(*(np.array(right) - pair["trg_kps"][place])) < 1
        assert {f"a {pair['category']}", f"an {pair['category']}"} & set(re.findall(r"an? \w+", item.question))


def test_the_right_number_is_the_answer_in_the_json(made: Made) -> None:
    answers = {(made.root / "tallyqa" / row["image"]): row for row in made.raw["tallyqa"]}
    assert len(made.items["counting"]) == 41
    for item in made.items["counting"]:
        row = answers[made.files[item.images[0].image_id]]
        assert (item.question, right_text(item)) == (row["question"], str(row["answer"]))


def test_the_functional_point_stands_in_the_same_column(made: Made) -> None:
    rows = {(row["image_path"], row["action"]): row for row in made.raw["funkpoint"]}
    assert len(made.items["functional_correspondence"]) > 5
    for item in made.items["functional_correspondence"]:
        base = made.root / "funkpoint" / "FunKPoint"
        first, second = (
            rows[made.files[image.image_id].relative_to(base).as_posix(), item.attributes["action"]]
            for image in item.images
        )
        reference, right = np.array(rings(item)["REF"]), np.array(rings(item, 1)[item.answer or ""])
        places = [
            k for k in range(1, 6)
            if np.allclose(reference, [float(first[f"p{k}_x"]) * 80, float(first[f"p{k}_y"]) * 50], atol=0.01)
            and np.allclose(right, [float(second[f"p{k}_x"]) * 80, float(second[f"p{k}_y"]) * 50], atol=0.01)
        ]  # fmt: skip
        assert len(places) == 1


def test_the_similar_picture_has_the_vote_and_six_people_behind_it(made: Made) -> None:
    rows = {row["ref_path"]: row for row in made.raw["nights"]}
    items = made.items["visual_similarity"]
    assert len(items) == sum(int(row["votes"]) >= 6 for row in rows.values())
    for item in items:
        base = made.root / "nights" / "nights"
        row = rows[made.files[item.images[0].image_id].relative_to(base).as_posix()]
        side = "left" if row["left_vote"] == "1" else "right"
        assert made.files[right_image(item) or ""].relative_to(base).as_posix() == row[f"{side}_path"]


def test_the_right_painting_lies_in_the_folder_of_the_references_style(made: Made) -> None:
    items = made.items["art_style"]
    assert len(items) >= 10
    for item in items:
        styles = [made.files[image.image_id].parent.name for image in item.images]
        right = made.files[right_image(item) or ""].parent.name
        assert right == styles[0]
        [wrong] = [style for style in styles if style != right]
        assert not any({wrong, right} <= set(group) for group in CLOSE_STYLES)
    assert DECOMPOSED.partition("/")[0] == "Impressionism"


def test_the_camera_moved_to_where_it_stands_for_the_earlier_frame(made: Made) -> None:
    items = made.items["multi_view_reasoning"]
    assert len(items) == 2 * len(made.raw["wild6d"])
    keys = {}
    for item in items:
        video = item.evidence["record"].removeprefix("wild6d:")
        poses = {int(row["name"].rpartition("/")[2]): row for row in made.raw["wild6d"][video]}
        first, second = (poses[frame] for frame in item.evidence["frames"])
        centre = -second["rotation"].T @ second["translation"]
        x = (first["rotation"] @ centre + first["translation"])[0]
        assert right_text(item) == ("To the right" if x > 0 else "To the left")
        keys.setdefault(video, set()).add((item.answer, tuple(choice.text for choice in item.choices)))
    assert {len(answers) for answers in keys.values()} == {1}


def test_frames_of_the_item_are_those_that_its_evidence_names(made: Made) -> None:
    for item in made.items["multi_view_reasoning"]:
        if item.attributes["pictures"] == "single":
            numbers = [int(made.files[image.image_id].stem) for image in item.images]
            assert numbers == item.evidence["frames"]

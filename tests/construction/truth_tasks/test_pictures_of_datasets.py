"""Localization of boxes and jigsaw with pictures from a dataset: keys follow from the raw JSON, without the reader."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dataset_fixtures.coco_files import write_coco, write_lvis
from dataset_fixtures.pictures import save
from dataset_fixtures.tara_files import write_tara
from PIL import Image
from pydantic import ValidationError
from truth_runs import TruthRun

from benchwright.construction.ground_truth.truths import LabelledBox, LabelledBoxes
from benchwright.construction.item_parts.marks.boxes import iou
from benchwright.construction.tasks.jigsaw import Jigsaw
from benchwright.construction.tasks.localization_of_boxes import LocalizationOfBoxes
from benchwright.construction.tasks.object_localization import ObjectLocalization
from benchwright.errors import RecipeError
from benchwright.pipeline import run_recipe
from benchwright.recipe import Recipe, step
from benchwright.records import Item
from benchwright.release import Release
from benchwright.steps import Step

pytestmark = pytest.mark.slow


def made(root: Path, reader: str, *steps: Step, images: Path | None = None, seed: int = 1) -> list[Item]:
    """Return the items that steps make of a dataset below `root`."""
    workspace = root / f"workspace-{seed}-{len(steps)}"
    recipe = [
        step("dataset", as_="source", reader=reader, folder=reader, records=None),
        *steps,
        step("freeze", name="pictures", version="1.0", redistribute="all"),  # COCO's are of all licences
    ]
    run_recipe(Recipe("pictures", recipe, seed=seed, folder=root, shards=2), images=images, workspace=workspace)
    [release] = (workspace / "releases").iterdir()
    return [released.item for released in Release.open(release).items()]


def files_below(root: Path) -> dict[str, Path]:
    """Return the file of each picture by the SHA-256 of its bytes."""
    paths = [path for path in root.rglob("*") if path.suffix in (".jpg", ".png")]
    return {hashlib.sha256(path.read_bytes()).hexdigest(): path for path in paths}


def annotated(document: dict[str, Any], name: str) -> tuple[dict[str, Any], list[tuple[str, list[float], bool]]]:
    """Return the raw entry of a picture's file, and label, x0, y0, x1, y1 and crowd of each of its annotations."""
    [image] = [image for image in document["images"] if image["coco_url"].endswith(f"/{name}")]
    names = {category["id"]: category["name"] for category in document["categories"]}
    boxes = []
    for entry in document["annotations"]:
        if entry["image_id"] == image["id"]:
            x, y, width, height = entry["bbox"]
            boxes.append((names[entry["category_id"]], [x, y, x + width, y + height], bool(entry.get("iscrowd"))))
    return image, boxes


def drawn(item: Item) -> dict[str, list[float]]:
    """Return the boxes that are drawn, by letter."""
    return {str(prompt.label): [*prompt.points[0], *prompt.points[1]] for prompt in item.images[0].prompts}


@pytest.mark.parametrize("reader", ["lvis", "coco"])
def test_the_right_box_is_the_only_one_of_its_label_in_the_raw_json(tmp_path: Path, reader: str) -> None:
    written: Any = write_lvis(tmp_path / reader) if reader == "lvis" else write_coco(tmp_path / reader)
    document = written if reader == "lvis" else written["instances_val2014"]
    task = step("object_localization", dataset="source", min_box_px=8, max_side_px=72, mode="paper", wordings=1)
    items, files = made(tmp_path, reader, task), files_below(tmp_path / reader)
    assert len(items) > 15
    names = {category["id"]: category["name"] for category in document["categories"]}
    smaller = 0
    for item in items:
        source = files[item.root_image_id]
        image, boxes = annotated(document, source.name)
        label = item.evidence["subject"]
        [(_, stated, is_crowd)] = [entry for entry in boxes if entry[0] == label]
        assert not is_crowd
        assert label not in {names[key] for key in image.get("not_exhaustive_category_ids", [])}
        assert f"fits the {label.replace('_', ' ')} more closely?" in item.question
        with Image.open(source) as picture:
            width, height = picture.size
        scale = min(1.0, 72 / max(width, height))
        smaller += scale < 1
        right = drawn(item)[item.answer or ""]
        assert np.abs(np.array(right) - np.array(stated) * scale).max() < 0.7  # sides of pictures are whole
        [wrong] = [box for key, box in drawn(item).items() if key != item.answer]
        assert 0.3 <= iou(tuple(right), tuple(wrong)) <= 0.65  # type: ignore[arg-type]
    assert smaller > 0
    assert set(Counter(item.root_image_id for item in items).values()) == {1}
    letters = Counter(item.answer for item in items)
    assert abs(letters["A"] - letters["B"]) <= 1


def test_labels_with_a_second_or_an_unmarked_instance_are_not_asked_about(tmp_path: Path) -> None:
    run = TruthRun(tmp_path)
    picture = run.picture(1)
    boxes = tuple(
        LabelledBox(label=label, box=(40 + 8 * k, 50, 130 + 8 * k, 160))
        for k, label in enumerate(("dog", "Dog", "hot_dog", "sheep", "person"))
    )
    run.state("one", [picture], LabelledBoxes(boxes=boxes, is_federated=True, incomplete=("sheep", "person")))
    [item] = run.run(LocalizationOfBoxes(dataset="dataset", wordings=1))
    assert "fits the hot dog more closely?" in item.question
    assert item.attributes == {"object": "hot dog", "mode": "hardened", "wording": "1"}


@pytest.mark.parametrize(
    ("boxes", "reason"),
    [
        ([("dog", (40, 50, 90, 100)), ("dog", (140, 50, 190, 100))], "no_single_thing"),
        ([("dog", (40, 50, 55, 100))], "too_small"),
        ([("wall", (0, 0, 320, 240))], "no_room_around"),
        ([("cup", (90, 70, 170, 150))], None),
    ],
)
def test_each_reason_is_given(tmp_path: Path, boxes: list[tuple[str, Any]], reason: str | None) -> None:
    run = TruthRun(tmp_path)
    picture = run.picture(1)
    labelled = tuple(LabelledBox(label=label, box=box) for label, box in boxes)
    run.state("one", [picture], LabelledBoxes(boxes=labelled))
    items = run.run(LocalizationOfBoxes(dataset="dataset"))
    assert run.reason(picture) == reason
    assert bool(items) is (reason is None)


def test_as_in_the_paper_a_box_that_fills_its_picture_leaves_its_label_no_room(tmp_path: Path) -> None:
    run = TruthRun(tmp_path)
    picture = run.picture(1)
    run.state("one", [picture], LabelledBoxes(boxes=(LabelledBox(label="wall", box=(0, 0, 320, 240)),)))
    assert not run.run(LocalizationOfBoxes(dataset="dataset", mode="paper"))
    assert run.reason(picture) == "no_room_for_labels"


def test_hardened_the_stated_box_is_drawn_where_the_part_of_the_picture_shows_it(tmp_path: Path) -> None:
    run = TruthRun(tmp_path)
    stated = (90.0, 70.0, 171.0, 150.0)
    for number in range(6):
        run.state(
            f"record{number}", [run.picture(number)], LabelledBoxes(boxes=(LabelledBox(label="cup", box=stated),))
        )
    items = run.run(LocalizationOfBoxes(dataset="dataset"))
    assert len(items) == 6
    for item in items:
        boxes, view = drawn(item), item.evidence["view"]
        right = np.array(boxes.pop(item.answer or ""))
        [wrong] = boxes.values()
        scales = np.array(view["scaled_wh"]) / (320, 240)
        expected = (np.array(stated).reshape(2, 2) * scales - view["corner"]).ravel()
        assert right == pytest.approx(expected, abs=0.02)
        assert 0.29 <= iou(tuple(right), tuple(wrong)) <= 0.66  # type: ignore[arg-type]
        assert min(wrong) > 0
        assert item.images[0].image_id != item.root_image_id


def test_localization_of_facts_keeps_its_parameters() -> None:
    assert ObjectLocalization().parameters().keys() == {
        "mode", "max_side_px", "min_view_px", "max_enlargement", "min_box_px", "noise", "min_iou", "max_iou",
        "twins", "wordings",
    }  # fmt: skip
    with pytest.raises(ValidationError, match="leave out items, or name the dataset's entry"):
        ObjectLocalization(items=3)
    with pytest.raises(ValidationError, match="boxes come from a dataset or from facts"):
        ObjectLocalization(dataset="lvis", stated_by="other")
    with pytest.raises(RecipeError, match="'lvis', which is not an earlier entry"):
        ObjectLocalization(dataset="lvis").placed({"ingest": {}})


@pytest.fixture(scope="module")
def of_tara(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Item]]:
    root = tmp_path_factory.mktemp("tara")
    write_tara(root / "tara")
    for number in range(3):
        save(root / "photographs" / f"{number}.png", 9000 + number, 90, 70)
    task = step(
        "jigsaw", dataset="source", min_tile_px=8, min_difference=0.02, margin=0.0, strips="keep", likeness="keep"
    )
    return root, made(root, "tara", task, images=root / "photographs")


def test_a_jigsaw_of_a_dataset_shows_its_pictures_only(of_tara: tuple[Path, list[Item]]) -> None:
    root, items = of_tara
    assert len(items) > 30
    roots = {item.root_image_id for item in items}
    assert roots <= files_below(root / "tara").keys()
    assert roots.isdisjoint(files_below(root / "photographs"))


def test_the_right_piece_of_a_jigsaw_is_one_of_two_tiles_of_the_raw_file(of_tara: tuple[Path, list[Item]]) -> None:
    root, items = of_tara
    files = files_below(root / "tara")
    for item in items:
        with Image.open(files[item.root_image_id]) as picture:
            width, height = picture.size
        x, y = width // 3, height // 3
        boxes = [[2 * x, y, 3 * x, 2 * y], [x, 2 * y, 2 * x, 3 * y]]
        assert item.evidence["right"]["box_xyxy"] in boxes
        [right] = [choice.image_id for choice in item.choices if choice.key == item.answer]
        assert right in {image.image_id for image in item.images}


def test_a_jigsaw_without_dataset_takes_all_pictures_and_keeps_its_parameters() -> None:
    assert "dataset" not in Jigsaw().parameters()
    assert Jigsaw().reads == ()
    assert Jigsaw(dataset="tara").reads == ("tara.records",)


def test_a_jigsaw_of_an_entry_that_is_not_there_is_refused(tmp_path: Path) -> None:
    write_tara(tmp_path / "tara")
    with pytest.raises(RecipeError, match=r"reads 'lvis\.records', which no earlier step provides"):
        made(tmp_path, "tara", step("jigsaw", dataset="lvis"))

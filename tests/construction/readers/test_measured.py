"""Depth maps, masks and cameras next to photographs, as the reader `found` reads them.

- Pairs of points follow from the raw distances, are reproducible, and have each orientation equally often.
- Boxes and counts follow from masks whose meaning is known; for other masks, a message says what to state.
- Poses from COLMAP, from NeRF tools and from tables in four conventions agree for the same cameras.
- Wrong sizes, truncated files, maps without a photograph, and mirrored and rolled cameras are reported; nothing else is
  lost.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dataset_fixtures.measured_files import (
    ANGLES,
    SIZE,
    Orbit,
    distances,
    save_frames,
    write_colmap,
    write_depth,
    write_mask,
    write_table,
    write_transforms,
)
from dataset_fixtures.pictures import save
from dataset_reading import checked, read_all
from PIL import Image
from truth_runs import TruthRun, right_text

from benchwright.construction.datasets.survey import survey_folder
from benchwright.construction.readers.found import Found, kinds_found
from benchwright.construction.readers.reader import DatasetRecord
from benchwright.construction.readers.recognition import recognised
from benchwright.construction.tasks.multi_view_reasoning import MultiViewReasoning
from benchwright.pipeline import run_recipe
from benchwright.recipe import Recipe, step
from benchwright.release import Release
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import RefusedRow


def found(root: Path) -> tuple[list[DatasetRecord], list[RefusedRow]]:
    return read_all(Found(), root)


def refused(root: Path) -> dict[str, str]:
    return {row.file: row.reason for row in found(root)[1]}


def boxes(record: DatasetRecord) -> list[tuple[str, tuple[float, ...]]]:
    return [(row.label, row.box) for truth in record.truths if truth.kind == "boxes" for row in truth.boxes]  # type: ignore[attr-defined]


def counts(record: DatasetRecord) -> dict[str, int]:
    return {truth.question: truth.count for truth in record.truths if truth.kind == "counts"}  # type: ignore[attr-defined]


def test_pairs_of_points_follow_from_the_distances(tmp_path: Path) -> None:
    maps = write_depth(tmp_path)
    records, wrong = found(tmp_path)
    assert not wrong
    assert {record.pictures[0].path for record in records} == set(maps)
    ways = []
    for record in records:
        depth = maps[record.pictures[0].path]
        for truth in record.truths:
            pair: Any = truth.in_pixels([SIZE])
            near, far = (int(depth[int(y / 2), int(x / 2)]) for x, y in (pair.first, pair.second))
            assert 0 < 1.15 * near <= far
            assert (pair.original["closer_value"], pair.original["farther_value"]) == (near, far)
            ways.append("lower" if pair.first[1] - pair.second[1] > 20 else "upper")
        assert len(record.truths) in (2, 4)
    assert "lower" in ways
    assert "upper" in ways
    assert [record.truths for record in found(tmp_path)[0]] == [record.truths for record in records]


def test_maps_are_no_pictures_and_no_photograph_is_decoded_for_a_survey(tmp_path: Path) -> None:
    maps = write_depth(tmp_path)
    write_mask(tmp_path / "masks" / "mug" / "1.png", (255, (10, 20, 60, 90)))
    surveyed = survey_folder(tmp_path, expects_items=False)
    assert surveyed.pictures == len(maps)
    fed = {task.task: task.by for task in surveyed.tasks if task.lacks is None}
    assert fed["relative_depth"] == ("depth (the folder itself)",)
    assert fed["object_localization"] == ("masks (the folder itself)",)
    assert "counting" not in fed


def test_what_numbers_of_a_map_mean_is_known_or_stated(tmp_path: Path) -> None:
    for number, name in enumerate(("stretched", "fractions", "pale", "good")):
        save(tmp_path / f"{name}.jpg", number, *SIZE)
    depth = distances(1)
    stretched = ((depth - depth.min()) * (65535 / depth.max())).round().astype(np.uint16)
    stretched[depth == depth.max()] = 65535
    (tmp_path / "depth").mkdir()
    Image.fromarray(stretched).save(tmp_path / "depth" / "stretched.png")
    np.save(tmp_path / "depth" / "fractions.npy", depth / 1000)
    Image.fromarray((depth / 30).astype(np.uint8)).save(tmp_path / "depth" / "pale.png")
    Image.fromarray(depth).save(tmp_path / "depth" / "good.png")
    records, wrong = found(tmp_path)
    assert [record.file for record in records] == ["depth/good.png"]
    assert {row.file: row.reason for row in wrong} == dict.fromkeys(
        ("depth/fractions.npy", "depth/pale.png", "depth/stretched.png"), "not_known"
    )
    assert all("depth.toml" in row.detail for row in wrong)
    assert {row.file for row in survey_folder(tmp_path, expects_items=False).unused} == {
        "depth/fractions.npy"
    }  # and then one can be used
    nearer = dict.fromkeys(("depth/fractions.npy", "depth/pale.png", "depth/stretched.png", "depth/good.png"), "nearer")
    (tmp_path / "depth" / "depth.toml").write_text('larger = "nearer"\nestimated_by = "a model"\n')
    records, wrong = found(tmp_path)
    assert not wrong
    assert {record.file: record.truths[0].original["larger"] for record in records} == nearer
    assert records[0].truths[0].original["estimated_by"] == "a model"
    original = records[0].truths[0].original
    assert original["closer_value"] > original["farther_value"]
    (tmp_path / "depth" / "depth.toml").write_text('larger = "deeper"\n')
    assert set(refused(tmp_path).values()) == {"bad_statement"}


def test_maps_that_cannot_be_used_are_named_and_are_no_pictures(tmp_path: Path) -> None:
    for number, name in enumerate(("cut", "cutarray", "flat", "shape", "colour", "exr", "pickled")):
        save(tmp_path / f"{name}.jpg", number, *SIZE)
    folder = tmp_path / "depth"
    folder.mkdir()
    Image.fromarray(distances(2)).save(folder / "cut.png")
    (folder / "cut.png").write_bytes((folder / "cut.png").read_bytes()[:-60])
    (folder / "depth.toml").write_text('larger = "farther"\n')
    np.save(folder / "cutarray.npy", distances(2))
    (folder / "cutarray.npy").write_bytes((folder / "cutarray.npy").read_bytes()[:-400])
    np.save(folder / "pickled.npy", np.array([[{}]], dtype=object))
    Image.fromarray(np.full((120, 160), 900, np.uint16)).save(folder / "flat.png")
    Image.fromarray(distances(3)[:, :120]).save(folder / "shape.png")
    save(folder / "colour.png", 3, *SIZE)
    (folder / "exr.exr").write_bytes(b"v/1\x01")
    Image.fromarray(distances(4)).save(folder / "nobody.png")
    document = checked(Found(), tmp_path)
    assert document["refused"] == {"bad_map": 5, "no_pair": 1, "no_photograph": 1, "other_size": 1}
    assert survey_folder(tmp_path, expects_items=False).pictures == 7


def test_a_photograph_in_a_folder_called_masks_stays_one(tmp_path: Path) -> None:
    save(tmp_path / "masks" / "venice.png", 1, *SIZE)
    save(tmp_path / "masks" / "bali.jpg", 2, *SIZE)
    assert recognised(DatasetFiles(tmp_path)).sources == ()
    assert survey_folder(tmp_path, expects_items=False).pictures == 2


def test_a_map_goes_with_the_photograph_that_is_nearest(tmp_path: Path) -> None:
    for scene in ("a", "b"):
        save(tmp_path / scene / "images" / "0001.jpg", ord(scene), *SIZE)
        (tmp_path / scene / "depth").mkdir()
        Image.fromarray(distances(ord(scene))).save(tmp_path / scene / "depth" / "0001.png")
    (tmp_path / "depth").mkdir()
    Image.fromarray(distances(1)).save(tmp_path / "depth" / "0001.png")
    records, wrong = found(tmp_path)
    assert {record.file: record.pictures[0].path for record in records} == {
        f"{scene}/depth/0001.png": f"{scene}/images/0001.jpg" for scene in "ab"
    }
    assert [(row.file, row.reason) for row in wrong] == [("depth/0001.png", "no_photograph")]
    assert "may be of" in wrong[0].detail


def test_masks_in_black_and_white_give_boxes_and_no_numbers(tmp_path: Path) -> None:
    for number, name in enumerate(("cup", "two", "unnamed")):
        save(tmp_path / f"{name}.jpg", number, *SIZE)
    write_mask(tmp_path / "masks" / "blue_mug" / "cup.png", (255, (10, 20, 60, 90)), (255, (300, 200, 301, 201)))
    write_mask(tmp_path / "masks" / "dog" / "cup.png", (1, (100, 20, 160, 90)))
    write_mask(tmp_path / "masks" / "dog" / "two.png", (255, (10, 20, 60, 90)), (255, (100, 20, 160, 90)))
    write_mask(tmp_path / "unnamed_mask.png", (255, (10, 20, 60, 90)))
    records, wrong = found(tmp_path)
    [record] = records
    assert record.pictures[0].path == "cup.jpg"
    assert boxes(record) == [("blue mug", (10, 20, 301, 201)), ("dog", (100, 20, 160, 90))]
    assert counts(record) == {}
    assert {row.file: row.reason for row in wrong} == {
        "masks/dog/two.png": "not_known",
        "unnamed_mask.png": "not_known",
    }
    (tmp_path / "masks.toml").write_text('label = "flower"\nvalues = "instances"\n')
    records, wrong = found(tmp_path)
    assert not wrong
    assert {record.pictures[0].path: counts(record) for record in records}["unnamed.jpg"] == {
        "How many flowers are there in the picture?": 1
    }


def test_numbers_of_a_mask_are_things_or_classes_as_stated(tmp_path: Path) -> None:
    save(tmp_path / "cup.jpg", 1, *SIZE)
    areas = ((1001, (10, 20, 60, 90)), (1002, (60, 20, 110, 90)), (2001, (200, 50, 260, 150)), (9, (0, 0, 5, 5)))
    write_mask(tmp_path / "masks" / "cup.png", *areas)
    assert refused(tmp_path) == {"masks/cup.png": "not_known"}
    stated = tmp_path / "masks" / "masks.toml"
    labels = 'labels = {1 = "mug", 2 = "dog"}\ndivisor = 1000\nignore = [9]\n'
    stated.write_text(f'values = "instances"\n{labels}')
    [record] = found(tmp_path)[0]
    assert boxes(record) == [
        ("mug", (10, 20, 60, 90)),
        ("mug", (60, 20, 110, 90)),
        ("dog", (200, 50, 260, 150)),
    ]
    assert counts(record) == {
        "How many dogs are there in the picture?": 1,
        "How many mugs are there in the picture?": 2,
    }
    write_mask(tmp_path / "masks" / "cup.png", (1, (10, 20, 60, 90)), (1, (60, 20, 110, 90)), (2, (200, 50, 260, 150)))
    stated.write_text('values = "classes"\nlabels = {1 = "mug", 2 = "dog"}\n')
    assert refused(tmp_path) == {"masks/cup.png": "not_known"}
    stated.write_text('values = "classes"\napart = true\nlabels = {1 = "mug", 2 = "dog"}\n')
    [record] = found(tmp_path)[0]
    assert boxes(record) == [("mug", (10, 20, 110, 90)), ("dog", (200, 50, 260, 150))]


def test_a_mask_of_another_size_and_one_that_is_cut_leave_out_their_photograph(tmp_path: Path) -> None:
    for number, name in enumerate(("small", "cut", "good")):
        save(tmp_path / f"{name}.jpg", number, *SIZE)
        write_mask(tmp_path / "masks" / "mug" / f"{name}.png", (255, (10, 20, 60, 90)))
    write_mask(tmp_path / "masks" / "mug" / "small.png", (255, (10, 20, 60, 90)), size=(160, 120))
    write_mask(tmp_path / "masks" / "dog" / "cut.png", (255, (10, 20, 60, 90)))
    cut = tmp_path / "masks" / "dog" / "cut.png"
    cut.write_bytes(cut.read_bytes()[:-20])
    document = checked(Found(), tmp_path)
    assert document["records"] == 1
    assert document["refused"] == {"bad_map": 1, "other_mask": 1, "other_size": 1}


def turned(record: DatasetRecord) -> list[Any]:
    [truth] = record.truths
    return truth.poses  # type: ignore[attr-defined, no-any-return]


def write_cameras(root: Path, form: str, orbit: Orbit) -> None:
    save_frames(root / "images")
    if form == "colmap":
        write_colmap(root, orbit)
    elif form == "transforms":
        write_transforms(root, orbit)
    else:
        direction, axes = form.split(" ")
        write_table(root, orbit, inverted=direction == "camera_to_world", opengl=axes == "opengl")
        (root / "poses.toml").write_text(f'direction = "{direction}"\naxes = "{axes}"\nthing = "mug"\nup = [0, 0, 1]\n')


FORMS = [
    "colmap",
    "transforms",
    *(f"{a} {b}" for a in ("world_to_camera", "camera_to_world") for b in ("opencv", "opengl")),
]


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_cameras_of_every_convention_are_the_same_cameras(tmp_path: Path, form: str) -> None:
    orbit = Orbit(middle=(3.0, -1.0, 0.5))
    write_cameras(tmp_path, form, orbit)
    records, wrong = found(tmp_path)
    assert not wrong
    [record] = records
    assert [picture.path for picture in record.pictures] == [
        f"images/frame_{frame}.png" for frame in range(len(ANGLES))
    ]
    truth: Any = record.truths[0]
    assert truth.category == ("mug" if " " in form else "scene")
    assert np.allclose(truth.up, (0, 0, 1), atol=0.02)
    for frame, pose in enumerate(truth.poses):
        assert np.allclose(pose.centre, orbit.centres[frame] - orbit.middle, atol=1e-5)
        assert np.allclose(np.array(pose.rotation), orbit.axes[frame].T, atol=1e-6)
    assert truth.original["convention"].startswith(
        {"colmap": "world_to_camera, opencv", "transforms": "camera_to_world, opengl"}.get(
            form, form.replace(" ", ", ")
        )
    )


@pytest.mark.slow
@pytest.mark.parametrize("form", ["colmap", "transforms"])
def test_items_ask_for_the_side_on_which_the_camera_went(tmp_path: Path, form: str) -> None:
    orbit = Orbit(middle=(3.0, -1.0, 0.5))
    write_cameras(tmp_path / "in", form, orbit)
    [record] = found(tmp_path / "in")[0]
    run = TruthRun(tmp_path)
    images = [run.picture(number, *SIZE) for number in range(len(record.pictures))]
    run.state("scene", images, record.truths[0])
    [item] = run.run(MultiViewReasoning(mode="paper"))
    frames = [images.index(image.image_id) for image in item.images]
    assert right_text(item) == ("To the right" if orbit.stands_right(*frames) else "To the left")
    assert "a scene" in item.question


def test_cameras_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    orbit = Orbit()
    save_frames(tmp_path / "images")
    write_table(tmp_path, orbit, inverted=False, opengl=False)
    assert [(row.file, row.reason) for row in found(tmp_path)[1]] == [("poses.csv", "not_known")]
    (tmp_path / "poses.toml").write_text('direction = "world_to_camera"\naxes = "opencv"\n')
    lines = (tmp_path / "poses.csv").read_text().splitlines()
    cells = lines[2].split(",")
    mirrored = [*cells[:2], *(str(-float(cell)) for cell in cells[2:11]), *cells[11:]]
    lines[2] = ",".join(mirrored)
    lines[3] = lines[3].replace("frame_2.png", "gone.png")
    lines[4] = lines[4].replace("frame_3.png", "frame_0.png")
    lines[5] = lines[5].rpartition(",")[0] + ",nan"
    (tmp_path / "poses.csv").write_text("\n".join(lines))
    records, wrong = found(tmp_path)
    assert [(row.entry, row.reason) for row in wrong] == [
        ("line 3", "bad_row"),
        ("line 6", "bad_row"),
        ("line 4", "missing_picture"),
        ("line 5", "repeated"),
    ]
    [record] = records
    assert len(record.pictures) == len(ANGLES) - 4


def test_cameras_that_look_at_no_one_place_make_no_record(tmp_path: Path) -> None:
    orbit = Orbit()
    save_frames(tmp_path / "images")
    for number in range(len(ANGLES)):  # all turned to look outward
        orbit.axes[number] = orbit.axes[number] * np.array([-1, 1, -1])
    write_transforms(tmp_path, orbit)
    assert [row.reason for row in found(tmp_path)[1]] == ["not_one_thing"]
    (tmp_path / "transforms.json").write_text((tmp_path / "transforms.json").read_text()[:-30])
    assert [row.reason for row in found(tmp_path)[1]] == ["bad_row"]
    (tmp_path / "transforms.json").write_text(json.dumps({"frames": [{"transform_matrix": [[1]]}]}))
    assert {row.reason for row in found(tmp_path)[1]} == {"bad_row"}


def test_a_table_of_pictures_and_other_texts_are_no_cameras(tmp_path: Path) -> None:
    save(tmp_path / "cup.png", 1, *SIZE)
    (tmp_path / "images.csv").write_text("image,caption\ncup.png,A cup.\n")
    (tmp_path / "images.txt").write_text("cup.png\n")
    [source] = recognised(DatasetFiles(tmp_path)).sources
    assert source.form == "table"
    assert list(kinds_found(DatasetFiles(tmp_path), recognised(DatasetFiles(tmp_path)))) == ["captions"]


@pytest.mark.slow
def test_a_run_makes_the_tasks_of_what_was_measured_and_keeps_the_convention(tmp_path: Path) -> None:
    root = tmp_path / "photographs"
    write_depth(root)
    for number in range(6):
        write_mask(root / "masks" / "mug" / f"{number}.png", (255, (60, 50, 160, 150)))
    write_cameras(root, "colmap", Orbit())
    steps = [
        step("dataset", reader="found"),
        "near_duplicates",
        "relative_depth",
        step("object_localization", dataset="dataset"),
        "multi_view_reasoning",
        step("freeze", name="measured", version="1.0"),
    ]
    finished = run_recipe(Recipe("measured", steps, seed=2, shards=2), images=root, workspace=tmp_path / "w", workers=1)
    uris = {row["uri"] for row in finished.files()}
    assert uris == {f"photos/{number}.jpg" for number in range(6)} | {
        f"images/frame_{frame}.png" for frame in range(len(ANGLES))
    }
    release = Release.open(finished.workspace / finished.artifacts["release"])
    items = [row.item for row in release.items()]
    by = {task: [item for item in items if item.task == task] for task in {item.task for item in items}}
    assert set(by) == {"relative_depth", "object_localization", "multi_view_reasoning"}
    [views] = by["multi_view_reasoning"]
    assert views.evidence["original"]["convention"] == "world_to_camera, opencv (COLMAP)"
    assert {item.evidence["original"]["larger"] for item in by["relative_depth"]} == {"farther"}
    assert not any("estimated_by" in item.attributes for item in items)

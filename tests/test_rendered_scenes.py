"""Rendered scenes: rays hit the right things, and the truths of a scene agree with its pictures.

- The distance of a ball's front is that of its middle less its radius.
- A thing in front hides those behind it.
- The projection of a thing by a camera shows that thing.
- No light of the lamp falls behind a thing, and its reflectance is the same there.
- Every truth agrees with the pixels, and half hidden things are in no truth.
- The table can be read, and feeds the tasks; a scene depends on seed, kind and number alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import rendered_scenes
from ray_casting import FLOOR, WALL, Camera, Room, Thing, light, reflectance, trace

from benchwright.construction.ground_truth.truths import (
    CameraPoses,
    CountQuestion,
    DepthComparison,
    FunctionalPoints,
    KeypointPair,
    ReflectanceComparison,
    SpatialClaim,
)
from benchwright.construction.ground_truth.values import truth_in
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.release import Release

WH = (160, 120)
GREY = (0.2, 0.2, 0.2)
BALL = Thing("ball", (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), GREY)
FRONT = Camera((0.0, -5.0, 0.5), (0.0, 0.0, 0.5))


def room_of(*things: Thing, lamp: tuple[float, float, float] = (0.0, -0.5, 1.0)) -> Room:
    return Room(things, GREY, GREY, lamp)


def test_the_front_of_a_ball_is_as_far_as_its_middle_less_its_radius() -> None:
    traced = trace(room_of(BALL), FRONT, WH)
    assert traced.distance[traced.owner == 0].min() == pytest.approx(4.5, abs=1e-3)
    assert (traced.owner == 0).sum() == pytest.approx(np.pi * (0.5 / np.sqrt(24.75) * 0.95 * 160) ** 2, rel=0.02)


@pytest.mark.parametrize(("shape", "front"), [("box", 4.4), ("cylinder", 4.5)])
def test_boxes_and_cylinders_begin_at_their_front(shape: str, front: float) -> None:
    thing = Thing(shape, (0.0, 0.0, 0.0), (1.0, 1.2 if shape == "box" else 1.0, 1.4), GREY)  # type: ignore[arg-type]  # a str
    traced = trace(room_of(thing), FRONT, WH)
    assert traced.distance[traced.owner == 0].min() == pytest.approx(front, abs=1e-3)


def test_a_thing_in_front_hides_what_is_behind() -> None:
    near = Thing("box", (0.0, -0.9, 0.0), (1.4, 0.4, 1.4), GREY)
    traced = trace(room_of(BALL, near), FRONT, WH)
    assert traced.shares == (0.0, 1.0)
    assert set(np.unique(traced.owner)) == {FLOOR, WALL, 1}


def test_a_camera_projects_a_thing_to_where_its_picture_shows_it() -> None:
    thing = Thing("box", (0.8, 0.6, 0.0), (0.4, 0.4, 0.3), GREY)
    camera = Camera((1.5, -4.0, 2.0), (0.0, 0.0, 0.5))
    owner = trace(room_of(BALL, thing), camera, WH).owner
    x, y = camera.project(thing.middle[None], WH)[0]
    rows, columns = np.nonzero(owner == 1)
    assert (x, y) == pytest.approx((columns.mean() + 0.5, rows.mean() + 0.5), abs=1.0)


def test_a_shadow_takes_light_and_leaves_reflectance() -> None:
    room = room_of(BALL, lamp=(1.0, 0.0, 1.0))  # the shadow falls to the left
    camera = Camera((0.0, -5.0, 2.5), (0.0, 0.0, 0.3))
    traced = trace(room, camera, WH)
    places = [camera.project(np.array([[x, 0.0, 0.0]]), WH)[0].astype(int) for x in (-0.9, 1.5)]
    (shadow, lit), (dark, bright) = (
        [values[y, x] for x, y in places] for values in (light(room, traced), reflectance(room, traced)[..., 1])
    )
    assert shadow < 0.5 * lit
    assert dark == pytest.approx(bright, rel=0.07)


def test_the_top_of_a_striped_cylinder_is_of_one_reflectance() -> None:
    thing = Thing("cylinder", (0.0, 0.0, 0.0), (1.0, 1.0, 0.7), GREY, is_striped=True)
    room, camera = room_of(thing), Camera((0.0, -3.0, 3.0), (0.0, 0.0, 0.3))
    traced = trace(room, camera, WH)
    top = reflectance(room, traced)[(traced.owner == 0) & (traced.normal[..., 2] > 0.9)]
    assert len(top) > 100
    assert top.max() < 1.1 * top.min()


@pytest.fixture(scope="module", autouse=True)
def _small_pictures() -> Iterator[None]:
    """Draw pictures of a quarter of the pixels: no test here depends on their number."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rendered_scenes, "SIZE_WH", (320, 240))
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scenes")
    rendered_scenes.write_scenes(path, 3, seed=9)
    return path


def test_truths_are_those_of_the_geometry() -> None:
    rng = np.random.default_rng(3)
    things = [
        Thing("ball", (-1.0, -1.0, 0.0), (0.8,) * 3, rendered_scenes.MATERIALS["white"]),
        Thing("cylinder", (1.0, 0.5, 0.0), (0.8, 0.8, 0.9), rendered_scenes.MATERIALS["black"]),
    ]
    room, camera = room_of(*things), rendered_scenes.held(rng)
    shot = rendered_scenes.shoot(room, camera, rng)
    owner = shot.traced.owner
    stated = {truth["claim"]: truth["is_true"] for truth in rendered_scenes.claims(room, camera)}
    assert stated["The ball is left of the cylinder."]
    assert not stated["The cylinder is left of the ball."]
    assert not stated["The ball is on top of the cylinder."]
    boxes = {box["label"]: box["box"] for box in rendered_scenes.boxes(room, shot)["boxes"]}
    assert list(boxes) == ["white ball", "black cylinder"]
    left, top, right, bottom = (int(side) for side in boxes["black cylinder"])
    assert (owner == 1).sum() == (owner[top:bottom, left:right] == 1).sum()
    compared = [truth_in(truth) for truth in rendered_scenes.reflectances(shot, rng)]
    for truth in compared:
        assert isinstance(truth, ReflectanceComparison)
        owners = [int(owner[int(y), int(x)]) for x, y in (truth.first, truth.second)]
        if 1 in owners and set(owners) != {1}:
            assert truth.darker == ("first" if owners[0] == 1 else "second")
    assert {truth.darker for truth in compared if isinstance(truth, ReflectanceComparison)} >= {"equal"}
    [depth] = [truth_in(truth) for truth in rendered_scenes.depths(shot, rng)]
    assert isinstance(depth, DepthComparison)
    first, second = (owner[int(y), int(x)] for x, y in (depth.first, depth.second))
    # At one height in the picture, a thing is nearer than the floor behind it, and the ball stands before the cylinder.
    order = [0, 1, FLOOR, WALL]
    assert first != second
    assert depth.closer == ("first" if order.index(first) < order.index(second) else "second")


@pytest.mark.slow
def test_a_table_states_valid_truths_of_every_kind_and_each_picture_is_there(folder: Path) -> None:
    kinds = set()
    for line in (folder / "scenes.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        assert all((folder / picture["image"]).is_file() for picture in row["images"])
        for document in row["truths"]:
            truth = truth_in(document)
            assert truth.outside([rendered_scenes.SIZE_WH] * len(row["images"])) is None
            kinds.add(type(truth))
            if isinstance(truth, CameraPoses):
                centres = [np.array(pose.centre[:2]) for pose in truth.poses]
                angles = [np.arctan2(centre[0], -centre[1]) for centre in centres]
                assert all(14 < abs(np.degrees(b - a)) < 41 for a, b in pairwise(angles))
    assert kinds >= {
        CountQuestion, SpatialClaim, KeypointPair, CameraPoses, ReflectanceComparison, FunctionalPoints,
    }  # fmt: skip


def test_a_scene_depends_on_its_seed_kind_and_number_alone(folder: Path, tmp_path: Path) -> None:
    rendered_scenes.write_scenes(tmp_path, 2, seed=9, kinds=["three"])
    for name in ("three-0-0.png", "three-1-0.png"):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()


@pytest.mark.slow
def test_scenes_feed_tasks_through_the_folder_reader(folder: Path, tmp_path: Path) -> None:
    recipe = """
name: scenes
seed: 2
shards: 2
steps:
  - {step: dataset, reader: folder, folder: scenes, options: {dataset: scenes}}
  - {step: counting, mode: paper}
  - {step: spatial_relation, mode: paper}
  - {step: multi_view_reasoning}
  - {step: relative_reflectance}
  - {step: object_localization, dataset: dataset}
  - {step: semantic_correspondence, mode: paper, min_distance: 0.06}
  - {step: functional_correspondence, mode: paper, min_distance: 0.06}
  - {step: freeze, name: scenes, description: Scenes.}
"""
    (tmp_path / "scenes").symlink_to(folder)
    finished = run_recipe(parse_recipe(recipe, "scenes.yaml", tmp_path), workspace=tmp_path / "work", workers=1)
    tasks = {
        released.item.task for released in Release.open(finished.workspace / finished.artifacts["release"]).items()
    }
    assert tasks >= {
        "counting", "spatial_relation", "multi_view_reasoning", "semantic_correspondence", "functional_correspondence",
    }  # fmt: skip

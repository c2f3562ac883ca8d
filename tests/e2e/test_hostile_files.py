"""Hostile files among good ones: the run ends well, each bad file has its own recorded reason, the good come through."""

from __future__ import annotations

from typing import Any

import pytest
from hostile import make_good, make_hostile
from walks import run_json

from benchwright.images.identify import uri_for

HOSTILE, GOOD = 60, 12

Scene = tuple[dict[str, set[str]], set[str], dict[str, Any]]
"""The right reasons by path, the good paths, and what the run said."""


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    folder = tmp_path_factory.mktemp("hostile")
    images = folder / "images"
    images.mkdir()
    expected = {uri_for(path): right for path, right in make_hostile(images, count=HOSTILE, seed=3).items()}
    good = {uri_for(path) for path in make_good(images, count=GOOD, seed=4)}
    (folder / "r.yaml").write_text(
        "name: hostile\nshards: 2\nsteps:\n  - near_duplicates\n  - step: jigsaw\n    min_tile_px: 8\n    likeness: keep\n",
        encoding="utf-8",
    )
    document = run_json("run", folder / "r.yaml", "--images", images, "--workspace", folder / "w")
    return expected, good, document


def test_the_run_ends_well_and_every_file_is_accounted_for(scene: Scene) -> None:
    _, _, document = scene
    assert document["state"] == "done"
    assert document["steps"][0]["in"] == HOSTILE + GOOD
    for step in document["steps"]:
        assert step["in"] == step["kept"] + sum(step["dropped"].values())


def test_each_hostile_file_has_one_reason_and_it_is_right(scene: Scene) -> None:
    expected, _, document = scene
    reasons: dict[str, list[str]] = {}
    for failure in document["failed"]:
        reasons.setdefault(failure["path"], []).append(failure["reason"])
    wrong = {
        path: reasons.get(path) for path, right in expected.items() if reasons.get(path) not in [[r] for r in right]
    }
    assert wrong == {}


def test_no_good_file_is_refused(scene: Scene) -> None:
    _, good, document = scene
    assert {failure["path"] for failure in document["failed"]} & good == set()

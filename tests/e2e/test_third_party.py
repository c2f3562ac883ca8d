"""A step in a separate package runs from a recipe and appears in --help, as ours do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT
from walks import benchwright, make_photographs


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Install the fixture package into a separate folder; return the environment that sees it."""
    folder = tmp_path_factory.mktemp("site")
    subprocess.run(
        [
            sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index",
            "--disable-pip-version-check", "--target", str(folder), str(ROOT / "tests" / "third_party"),
        ],
        check=True, timeout=120, env={**os.environ, "PIP_CONFIG_FILE": os.devnull},
    )  # fmt: skip
    return {"PYTHONPATH": str(folder)}


def test_its_step_is_listed_with_its_room(installed: dict[str, str]) -> None:
    text = " ".join(benchwright("steps", env=installed).stdout.split())
    assert "brightness Drops images that are too dark. [brightness]" in text


def test_its_step_runs_from_a_recipe_in_spawned_workers(installed: dict[str, str], tmp_path: Path) -> None:
    import numpy as np
    from PIL import Image

    make_photographs(tmp_path / "p", count=4)
    Image.fromarray(np.full((120, 130, 3), 3, np.uint8)).save(tmp_path / "p" / "night.png")
    (tmp_path / "r.yaml").write_text(
        "name: bright\nshards: 2\nsteps:\n  - step: brightness\n    at_least: 20\n  - step: jigsaw\n    min_tile_px: 16\n    likeness: keep\n",
        encoding="utf-8",
    )
    run = ("run", tmp_path / "r.yaml", "--images", tmp_path / "p", "--workspace", tmp_path / "w", "--json")
    document = json.loads(benchwright(*run, env=installed).stdout)
    assert document["steps"][1]["dropped"] == {"too_dark": 1}
    assert document["steps"][2]["in"] == document["steps"][1]["kept"] == 4


def test_its_wrong_setting_is_named_as_ours_are(installed: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "r.yaml").write_text("name: bright\nsteps:\n  - step: brightness\n    atleast: 20\n", encoding="utf-8")
    done = benchwright("run", tmp_path / "r.yaml", "--images", tmp_path, env=installed)
    assert done.returncode == 2
    assert "r.yaml: line 4: unknown key 'atleast' (value 20); did you mean 'at_least'?" in done.stderr


def test_a_room_that_cannot_be_loaded_is_named(installed: dict[str, str], tmp_path: Path) -> None:
    info = tmp_path / "broken-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[benchwright.rooms]\nbroken = broken_room:ROOM\n")
    done = benchwright("steps", env={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 2
    assert "room 'broken' (broken_room:ROOM) cannot be loaded: ModuleNotFoundError" in done.stderr


def test_a_name_that_two_rooms_bring_is_refused(installed: dict[str, str], tmp_path: Path) -> None:
    info = tmp_path / "twin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: twin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[benchwright.rooms]\ntwin = twin_room:ROOM\n")
    (tmp_path / "twin_room.py").write_text(
        "from benchwright.rooms import Entry, Room\nROOM = Room(name='twin', steps={'jigsaw': Entry('x:Y', 'ours too')})\n"
    )
    done = benchwright("steps", env={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 2
    assert "step 'jigsaw' is registered by two rooms, 'construction' and 'twin'" in done.stderr

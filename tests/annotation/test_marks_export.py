"""Agreed marks leave a real campaign as COCO, Pascal VOC and YOLO, and return from there."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from typed_answers import say
from walks import make_photographs

from benchwright.annotation.cli.marks import export_marks
from benchwright.annotation.exchange.agreed_marks import agreed_marks
from benchwright.annotation.store.review_store import open_store
from benchwright.drawing.masks import mask_of
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.regions.formats.mark_files import MarkFormat, read_marks
from benchwright.regions.formats.picture_marks import PictureMarks
from benchwright.workspace.workspace import Workspace

pytestmark = pytest.mark.slow

RECIPE = """
name: marked
seed: 7
shards: 2
steps:
  - step: mark
    rule: at_least(2, of=2)
    fields:
      - {name: things, label: Things, shape: box, options: [{code: dog, words: A dog}], min_count: 0, max_count: 5}
      - {name: outline, label: Outline, shape: mask, min_count: 0, max_count: 1}
"""


@pytest.fixture
def workspace(tmp_path: Path, now: datetime) -> Path:
    """Return the workspace of a campaign over four pictures: agreed, nothing, disputed, and waiting."""
    make_photographs(tmp_path / "photographs", count=4)
    root = tmp_path / "w"
    recipe = parse_recipe(RECIPE, "recipe.yaml", folder=tmp_path)
    run_recipe(recipe, workspace=root, images=tmp_path / "photographs", workers=1)
    with open_store(Workspace(root).store_url) as store:
        tasks = sorted(store.tasks("mark"), key=lambda task: task.item_id)
        width, height = tasks[0].payload["sizes_wh"][0]
        grid = np.zeros((height, width), bool)
        grid[5:30, 7:20] = True
        mask = {"shape": "mask", "mask": mask_of(grid).model_dump(mode="json")}
        dog = {"shape": "box", "points": [[10.5, 10], [60, 50.25]], "label": "dog"}
        nearly = {**dog, "points": [[12.5, 10], [60, 50.25]]}
        lone = {**dog, "points": [[80, 60], [90, 70]]}
        said: list[dict[str, dict[str, Any]]] = [
            {
                "ann": {"marked": "marked", "things": [dog], "outline": [mask]},
                "ben": {"marked": "marked", "things": [nearly], "outline": [mask]},
            },
            {"ann": {"marked": "nothing"}, "ben": {"marked": "nothing"}},
            {"ann": {"marked": "marked", "things": [dog, lone]}, "ben": {"marked": "marked", "things": [dog]}},
            {"ann": {"marked": "marked", "things": [dog]}},
        ]
        say(store, "mark", {task.item_id: words for task, words in zip(tasks, said, strict=True)}, now)
    return root


def exported(workspace: Path, out: Path, format: MarkFormat) -> tuple[dict[str, Any], list[PictureMarks]]:
    done = CliRunner().invoke(
        export_marks, ["--workspace", str(workspace), "--out", str(out), "--format", format, "--json"]
    )
    assert done.exit_code == 0, done.output
    with open_store(Workspace(workspace).store_url) as store:
        sizes = {picture.name: picture.size_wh for picture in agreed_marks(store, "mark", root=workspace).pictures}
    pictures = [row for row in read_marks(out, format, sizes_wh=sizes) if isinstance(row, PictureMarks)]
    assert [picture.refused for picture in pictures] == [()] * len(pictures)
    return json.loads(done.stdout), pictures


def test_the_consensus_is_written_as_coco_and_comes_back(workspace: Path, tmp_path: Path) -> None:
    document, pictures = exported(workspace, tmp_path / "marks.json", "coco")
    assert {name: document[name] for name in ("campaign", "pictures", "regions", "disputed", "waiting", "unsure")} == {
        "campaign": "mark", "pictures": 3, "regions": 3, "disputed": 1, "waiting": 1, "unsure": 0
    }  # fmt: skip
    assert all((tmp_path / "photographs" / picture.name).is_file() for picture in pictures)
    by_count = {len(picture.regions): picture for picture in pictures}
    agreed, disputed, nothing = by_count[2], by_count[1], by_count[0]
    regions = dict(zip(agreed.fields, agreed.regions, strict=True))
    assert regions["things"].points == ((11.5, 10), (60, 50.25))
    assert regions["things"].label == "dog"
    assert regions["outline"].bounds == (7, 5, 20, 30)
    assert disputed.regions[0].points == ((10.5, 10), (60, 50.25))
    assert nothing.regions == ()


def test_the_consensus_is_written_as_voc_in_whole_pixels(workspace: Path, tmp_path: Path) -> None:
    document, pictures = exported(workspace, tmp_path / "voc", "voc")
    assert (document["regions"], len(pictures)) == (3, 3)
    assert sorted(region.points for picture in pictures for region in picture.regions) == [
        ((7, 5), (20, 30)),
        ((11, 10), (60, 50)),
        ((12, 10), (60, 50)),
    ]


def test_the_consensus_is_written_as_yolo(workspace: Path, tmp_path: Path) -> None:
    _, pictures = exported(workspace, tmp_path / "yolo", "yolo")
    points = sorted(region.points for picture in pictures for region in picture.regions if region.label == "dog")
    assert np.abs(np.array(points) - [((10.5, 10), (60, 50.25)), ((11.5, 10), (60, 50.25))]).max() < 1e-5


def test_nothing_is_written_over(workspace: Path, tmp_path: Path) -> None:
    out = tmp_path / "marks.json"
    out.write_text("mine", encoding="utf-8")
    done = CliRunner().invoke(export_marks, ["--workspace", str(workspace), "--out", str(out)])
    assert "marks.json already exists with other content; give the name of" in str(done.exception)
    assert out.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("form", ["coco", "voc", "yolo"])
def test_an_export_that_is_there_whole_is_done(workspace: Path, tmp_path: Path, form: str) -> None:
    out = tmp_path / "marks"
    first, _ = exported(workspace, out, form)
    again, _ = exported(workspace, out, form)
    assert again == first
    changed = next(path for path in [out, *sorted(out.rglob("*"))] if path.is_file())
    changed.write_bytes(changed.read_bytes() + b" ")
    arguments = ["--workspace", str(workspace), "--out", str(out), "--format", form]
    assert "already exists with other content" in str(CliRunner().invoke(export_marks, arguments).exception)
    assert changed.read_bytes().endswith(b" ")

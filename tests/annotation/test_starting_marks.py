"""Files of other tools as initial marks in a campaign `mark`: COCO, LVIS, Pascal VOC and YOLO.

- Marks go to pictures by path or file name, and to fields by label and shape; sizes are those of the upright picture.
- Unused marks are counted by reason and listed, and one wrong entry affects no other.
- Tasks, decisions and the result do not depend on the named files, and a second run reads nothing again.
- Simulated annotators may take the marks as true; the result and the export state the outcome of proposals.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from PIL import Image
from pydantic import ValidationError
from starlette.applications import Starlette
from typed_answers import say

from benchwright.annotation.app.auth.middleware import ACCOUNT
from benchwright.annotation.app.base.state import clock, open_app_state
from benchwright.annotation.app.routes.regions import region_routes
from benchwright.annotation.campaigns.mark.step import Mark
from benchwright.annotation.cli.marks import unused_marks
from benchwright.annotation.exchange.export import export_everything
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.kind_forms.marking import MarkField, marking_form
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.store.campaigns.starting_marks import (
    StartingMarks,
    StartingRow,
    count_starting_marks,
    set_starting_marks,
    starting_key,
    starting_marks_of,
    starting_report,
)
from benchwright.annotation.store.campaigns.tasks import find_campaign
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.drawing import mask_of
from benchwright.errors import BenchwrightError
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.regions import grid_of, read_region
from benchwright.regions.formats.mark_files import write_marks
from benchwright.regions.formats.picture_marks import PictureMarks
from benchwright.workspace.workspace import Workspace

pytestmark = pytest.mark.slow

SIZES = {"train/a.jpg": (64, 48), "val/a.jpg": (80, 60), "b.png": (100, 50), "turned.jpg": (60, 90)}
"""Upright sizes of the photographs by path; the last one is stored lying on its side."""
THINGS = "{name: things, label: Things, shape: box, options: [{code: dog, words: A dog}, {code: cat, words: A cat}], min_count: 0}"
OUTLINES = "{name: outlines, label: Outlines, shape: mask, options: [{code: dog, words: A dog}], min_count: 0}"
POINTS = "{name: joints, label: Joints, shape: points, free_label: true, min_count: 0}"
Document = dict[str, Any]


@pytest.fixture(scope="module")
def photographs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictures")
    rng = np.random.default_rng(5)
    for name, (width, height) in SIZES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        pixels = rng.integers(0, 256, (height, width, 3), dtype=np.uint8)
        if name == "turned.jpg":
            exif = Image.Exif()
            exif[0x0112] = 6
            Image.fromarray(np.ascontiguousarray(np.rot90(pixels))).save(folder / name, exif=exif, quality=95)
        else:
            Image.fromarray(pixels).save(folder / name)
    return folder


class Started:
    """A recipe with one step `mark` in a separate folder, which can run repeatedly."""

    def __init__(self, folder: Path, photographs: Path) -> None:
        self.folder, self.photographs = folder, photographs
        self.root = folder / "workspace"

    def run(self, start_from: Any, *fields: str, more: str = "") -> str:
        """Run the recipe and return the line on what waits; empty where nothing does."""
        listed = "".join(f"      - {field}\n" for field in fields or (THINGS,))
        recipe = (
            f"name: marks\nseed: 4\nshards: 2\nsteps:\n  - step: mark\n    helpers: []\n    fields:\n{listed}"
            f"    start_from: {json.dumps(start_from)}\n{more}"
        )
        done = run_recipe(
            parse_recipe(recipe, "recipe.yaml", folder=self.folder),
            workspace=self.root, images=self.photographs, workers=1,
        )  # fmt: skip
        return "; ".join(done.waits)

    def store(self) -> ReviewStore:
        return open_store(Workspace(self.root).store_url)

    def tasks(self) -> dict[str, int]:
        """Return the ids of the tasks by the size of their picture, which tells the photographs apart."""
        names = {size: name for name, size in SIZES.items()}
        with self.store() as store:
            return {names[tuple(task.payload["sizes_wh"][0])]: task.id for task in store.tasks("mark")}

    def report(self) -> list[Document]:
        done = CliRunner().invoke(unused_marks, ["--workspace", str(self.root), "--json"])
        assert done.exit_code == 0, done.output
        files: list[Document] = json.loads(done.stdout)["files"]
        return files

    def placed(self) -> dict[str, list[Document]]:
        """Return the app's response to the holder of each task, by picture."""
        state = open_app_state(self.root, secure=False)
        try:
            if "ann" not in {account.name for account in state.accounts.all()}:
                state.accounts.add("ann", "annotator", now=clock())
            account = state.accounts.find("ann")
            TaskQueue(state.store, state.store.campaign("mark"), "ann").hold(9, now=clock())
            app = Starlette(routes=region_routes(state))

            async def asked() -> dict[str, list[Document]]:
                async def signed_in(scope: Any, receive: Any, send: Any) -> None:
                    await app({**scope, ACCOUNT: account}, receive, send)

                transport = httpx.ASGITransport(app=signed_in)
                headers = {"x-benchwright-draft": "1"}
                async with httpx.AsyncClient(transport=transport, base_url="http://app", headers=headers) as client:
                    replies = {}
                    for name, task in self.tasks().items():
                        assert (await client.get(f"/regions/{task}/helpers")).json()["starts"] is True
                        reply = await client.get(f"/regions/{task}/proposals")
                        assert reply.status_code == 200, reply.text
                        assert str(self.folder) not in reply.text
                        replies[name] = reply.json()["placed"]
                    return replies

            return asyncio.run(asked())
        finally:
            state.helpers.close()
            state.store.close()


@pytest.fixture
def started(tmp_path: Path, photographs: Path) -> Started:
    return Started(tmp_path, photographs)


def coco(*annotations: Mapping[str, Any], **sizes: Any) -> Document:
    """Return a COCO document over the photographs; annotations name their picture by path."""
    named = {**SIZES, **sizes}
    return {
        "images": [
            {"id": number, "file_name": name, "width": width, "height": height}
            for number, (name, (width, height)) in enumerate(named.items())
        ],
        "categories": [{"id": 1, "name": "dog"}, {"id": 2, "name": "A  Cat"}, {"id": 3, "name": "horse"}],
        "annotations": [
            {"id": number, "category_id": 1, **{key: value for key, value in row.items() if key != "on"},
             "image_id": list(named).index(row["on"])}
            for number, row in enumerate(annotations, start=1)
        ],
    }  # fmt: skip


def points_of(placed: list[Document], field: str = "things") -> list[Any]:
    return [region["points"] for each in placed for region in each["fields"].get(field, [])]


def test_marks_of_a_coco_file_are_proposals_of_the_file_on_their_pictures(started: Started) -> None:
    document = coco(
        {"on": "train/a.jpg", "bbox": [1, 2, 30, 40]},
        {"on": "val/a.jpg", "bbox": [5, 6, 7, 8], "category_id": 2},
        {"on": "turned.jpg", "bbox": [10, 20, 30, 60]},
    )
    (started.folder / "instances.json").write_text(json.dumps(document))
    waiting = started.run(["instances.json"])
    assert "annotators start from 3 regions on 3 pictures from instances.json" in waiting
    assert "not used" not in waiting
    placed = started.placed()
    assert points_of(placed["train/a.jpg"]) == [[[1, 2], [31, 42]]]
    assert points_of(placed["val/a.jpg"]) == [[[5, 6], [12, 14]]]
    assert points_of(placed["turned.jpg"]) == [[[10, 20], [40, 80]]]
    assert placed["b.png"] == []
    [[region]] = [each["fields"]["things"] for each in placed["val/a.jpg"]]
    assert region["label"] == "cat"  # by the words of the label, whatever their case and spaces
    assert region["proposal"]["helper"] == "instances.json"
    assert region["proposal"]["version"].startswith("coco sha256:")
    assert region["proposal"]["points"] == region["points"]
    assert read_region(region, [SIZES["val/a.jpg"]]).label == "cat"


def test_a_mark_goes_to_each_shape_that_the_form_asks_for_under_its_label(started: Started) -> None:
    grid = np.zeros((50, 100), bool)
    grid[10:20, 30:60] = True
    runs = mask_of(grid)
    document = coco(
        {"on": "b.png", "segmentation": [[10, 10, 20, 10, 20, 30]], "bbox": [10, 10, 10, 20]},
        {"on": "b.png", "segmentation": {"size": list(runs.size), "counts": runs.counts}},
        {"on": "b.png", "bbox": [1, 1, 5, 5]},
        {"on": "b.png", "keypoints": [3, 4, 2, 5, 6, 2], "category_id": 3},
    )
    (started.folder / "marks.json").write_text(json.dumps(document))
    started.run(["marks.json"], THINGS, OUTLINES, POINTS)
    [entry] = started.placed()["b.png"]
    assert points_of([entry]) == [[[10, 10], [20, 30]], [[30, 10], [60, 20]], [[1, 1], [6, 6]]]
    triangle, drawn = [read_region(region, [(100, 50)]).mask for region in entry["fields"]["outlines"]]
    assert triangle is not None
    assert drawn is not None
    assert np.array_equal(grid_of(drawn), grid)
    assert 90 <= grid_of(triangle).sum() <= 110
    [joints] = entry["fields"]["joints"]
    assert (joints["points"], joints["label"]) == ([[3, 4], [5, 6]], "horse")
    assert started.report()[0]["unused"] == {}


VOC = (
    "<annotation><filename>{name}</filename><size><width>{width}</width><height>{height}</height></size>{things}"
    "</annotation>"
)
VOC_DOG = "<object><name>dog</name><bndbox><xmin>3</xmin><ymin>5</ymin><xmax>12</xmax><ymax>20</ymax></bndbox></object>"


def write_voc(folder: Path) -> None:
    for name in ("train/a.jpg", "val/a.jpg"):
        width, height = SIZES[name]
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        text = VOC.format(name="a.jpg", width=width, height=height, things=VOC_DOG)
        (folder / name).with_suffix(".xml").write_text(text)


def write_yolo(folder: Path) -> None:
    (folder / "labels" / "train").mkdir(parents=True)
    (folder / "labels" / "train" / "a.txt").write_text("0 0.5 0.5 0.25 0.5\n")
    (folder / "labels" / "turned.txt").write_text("1 0.5 0.5 0.5 0.1\n0 none 0.5 0.5 0.1\n")
    (folder / "data.yaml").write_text("names: [dog, cat]\n")


def test_pascal_voc_and_yolo_folders_are_told_by_what_lies_there(started: Started) -> None:
    write_voc(started.folder / "Annotations")
    write_yolo(started.folder / "yolo")
    started.run(["Annotations", "yolo"])
    placed = started.placed()
    assert [each["author"] for each in placed["train/a.jpg"]] == ["Annotations", "yolo"]
    assert points_of(placed["train/a.jpg"]) == [[[2, 4], [12, 20]], [[24, 12], [40, 36]]]
    assert points_of(placed["val/a.jpg"]) == [[[2, 4], [12, 20]]]
    assert points_of(placed["turned.jpg"]) == [
        [[15, 40.5], [45, pytest.approx(49.5)]]
    ]  # fractions of the upright picture
    voc, yolo = started.report()
    assert voc["version"].startswith("voc sha256:")
    assert yolo["unused"] == {"wrong": 1}
    assert "number 1 is not a number: 'none'" in yolo["entries"][0]["reason"]


def test_lvis_files_name_their_pictures_by_address(started: Started) -> None:
    document = coco({"on": "b.png", "bbox": [1, 2, 3, 4]})
    for image in document["images"]:
        image["coco_url"] = f"http://images.cocodataset.org/{image.pop('file_name')}"
    (started.folder / "lvis.json").write_text(json.dumps(document))
    started.run([{"path": "lvis.json", "format": "lvis"}])
    assert points_of(started.placed()["b.png"]) == [[[1, 2], [4, 6]]]


def test_what_benchwright_exports_comes_back_into_the_fields_that_it_left(started: Started) -> None:
    region = read_region({"shape": "box", "points": [[1.25, 2.5], [30.125, 40]], "label": "dog"}, [(64, 48)])
    exported = PictureMarks("train/a.jpg", (64, 48), (region,), fields=("others",))
    write_marks(started.folder / "exported.json", "coco", [exported])
    others = THINGS.replace("things", "others").replace("Things", "Others")
    started.run(["exported.json"], THINGS, others)
    [entry] = started.placed()["train/a.jpg"]
    assert list(entry["fields"]) == ["others"]
    assert points_of([entry], "others") == [[[1.25, 2.5], [30.125, 40]]]


def test_what_is_not_used_is_counted_by_reason_and_listed(started: Started) -> None:
    document = coco(
        {"on": "b.png", "bbox": [1, 2, 3, 4]},
        {"on": "b.png", "bbox": [1, 2, 3, 4]},
        {"on": "b.png", "bbox": [1, 2, 3, 4]},
        {"on": "b.png", "bbox": [1, 2, 3, 4], "category_id": 3},
        {"on": "b.png", "keypoints": [1, 2, 2]},
        {"on": "b.png", "bbox": [1, 2, 3000, 4]},
        {"on": "b.png", "bbox": [1, 2, 3, 4], "iscrowd": 1},
        {"on": "gone.jpg", "bbox": [1, 2, 3, 4]},
        {"on": "turned.jpg", "bbox": [1, 2, 3, 4]},
        **{"gone.jpg": (9, 9), "turned.jpg": (90, 60)},
    )
    (started.folder / "marks.json").write_text(json.dumps(document))
    waiting = started.run(["marks.json"], THINGS.replace("min_count: 0", "min_count: 0, max_count: 2"))
    assert "9 entries of the files are not used; `benchwright review marks unused" in waiting
    [report] = started.report()
    assert (report["marks"], report["regions"], report["pictures"]) == (2, 2, 1)
    assert report["unused"] == {
        "no_label": 1, "no_picture": 2, "no_shape": 1, "other_size": 2, "too_many": 1, "wrong": 2
    }  # fmt: skip
    reasons = {entry["code"]: entry["reason"] for entry in report["entries"]}
    assert reasons["no_label"] == "no field takes the label 'horse'"
    assert "takes 2" in reasons["too_many"]
    [turned] = [entry["reason"] for entry in report["entries"] if "90 x 60" in entry["reason"]]
    assert "has 60 x 90 (upright); perhaps the marks predate the picture's rotation" in turned
    text = CliRunner().invoke(unused_marks, ["--workspace", str(started.root)]).output
    assert "marks.json: 2 marks, as 2 regions to start from on 1 picture" in text
    assert "    b.png: region 4: no field takes the label 'horse'" in text


def test_names_that_repeat_need_their_folders(started: Started) -> None:
    document = coco({"on": "a.jpg", "bbox": [1, 2, 3, 4]}, {"on": "elsewhere/b.png", "bbox": [1, 2, 3, 4]},
                    **{"a.jpg": (64, 48), "elsewhere/b.png": (100, 50)})  # fmt: skip
    document["images"] = [image for image in document["images"] if image["file_name"] not in SIZES]
    (started.folder / "marks.json").write_text(json.dumps(document))
    started.run(["marks.json"])
    placed = started.placed()
    assert placed["train/a.jpg"] == placed["val/a.jpg"] == []
    assert points_of(placed["b.png"]) == [[[1, 2], [4, 6]]]
    assert started.report()[0]["unused"] == {"no_picture": 2}


def test_of_two_names_that_fit_one_picture_the_better_one_counts_and_of_equal_ones_none(started: Started) -> None:
    better = coco({"on": "x/val/a.jpg", "bbox": [1, 1, 2, 2]}, {"on": "y/b.png", "bbox": [3, 3, 2, 2]},
                  {"on": "z/b.png", "bbox": [3, 3, 2, 2]}, **{"x/val/a.jpg": (80, 60), "y/b.png": (100, 50), "z/b.png": (100, 50)})  # fmt: skip
    better["images"] = [image for image in better["images"] if image["file_name"] not in ("b.png", "val/a.jpg")]
    (started.folder / "marks.json").write_text(json.dumps(better))
    started.run(["marks.json"])
    placed = started.placed()
    assert points_of(placed["val/a.jpg"]) == [[[1, 1], [3, 3]]]
    assert placed["b.png"] == []
    assert started.report()[0]["unused"] == {"several_pictures": 2}


def test_labels_are_mapped_or_left_out_and_files_kept_to_fields(started: Started) -> None:
    (started.folder / "marks.json").write_text(
        json.dumps(coco({"on": "b.png", "bbox": [1, 2, 3, 4], "category_id": 3}, {"on": "b.png", "bbox": [1, 2, 5, 5]}))
    )
    free = "{name: others, label: Others, shape: box, free_label: true, min_count: 0}"
    started.run([{"path": "marks.json", "labels": {"horse": "cat", "dog": None}, "fields": ["things"]}], free, THINGS)
    [entry] = started.placed()["b.png"]
    assert [(name, regions[0]["label"]) for name, regions in entry["fields"].items()] == [("things", "cat")]
    assert started.report()[0]["unused"] == {"left_out": 1}


def test_other_files_change_neither_tasks_nor_decisions_and_a_second_run_reads_nothing_again(
    started: Started, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = started.folder / "marks.json"
    path.write_text(json.dumps(coco({"on": "b.png", "bbox": [1, 2, 3, 4]})))
    started.run([])
    before = started.tasks()
    with started.store() as store:
        [task] = [task for task in store.tasks("mark") if task.payload["sizes_wh"] == [[64, 48]]]
        say(store, "mark", {task.item_id: {"ann": {"marked": "nothing"}}}, now)
        decided = store.decisions("mark")
    started.run(["marks.json"])
    del before["train/a.jpg"]
    assert started.tasks() == before
    placed = started.placed()
    assert points_of(placed["b.png"]) == [[[1, 2], [4, 6]]]
    with monkeypatch.context() as patch:
        patch.setattr("benchwright.annotation.campaigns.mark.starting_marks.read_marks", None)
        started.run(["marks.json"])
    assert started.placed() == placed
    path.write_text(json.dumps(coco({"on": "val/a.jpg", "bbox": [1, 2, 5, 5]})))
    started.run(["marks.json"])
    assert (started.placed()["b.png"], points_of(started.placed()["val/a.jpg"])) == ([], [[[1, 2], [6, 7]]])
    started.run([])
    assert started.report() == []
    with started.store() as store:
        assert [each.submitted_at for each in store.decisions("mark")] == [each.submitted_at for each in decided]
        assert [each.fields for each in store.decisions("mark")] == [{"marked": "nothing"}]
        store.audited()


def test_what_people_start_from_decides_nothing(started: Started) -> None:
    (started.folder / "marks.json").write_text(json.dumps(coco()))
    fields = [{"name": "things", "label": "Things", "shape": "box"}]
    plain, helped = (
        Mark.model_validate({"fields": fields, **more}, context={"folder": started.folder})
        for more in ({}, {"start_from": ["marks.json"]})
    )
    assert plain.parameters() == helped.parameters()


def hostile(kind: str) -> bytes:
    box = {"on": "b.png", "bbox": [1, 2, 3, 4]}
    good = coco(box)
    if kind == "cut":
        return json.dumps(good).encode()[:-30]
    if kind == "deep":
        return b"[" * 100_000
    if kind == "no lists":
        return b'{"images": []}'
    return b"\x89PNG"


@pytest.mark.parametrize("kind", ["cut", "deep", "no lists", "picture"])
def test_a_file_that_is_none_is_refused_by_name_and_opens_nothing(started: Started, kind: str) -> None:
    (started.folder / "marks.json").write_bytes(hostile(kind))
    with pytest.raises(BenchwrightError, match=r"marks\.json"):
        started.run(["marks.json"])


def test_entries_that_lie_are_refused_one_by_one(started: Started) -> None:
    crossing = [10, 10, 40, 40, 40, 10, 10, 40]
    spiral = [number for angle in range(3000) for number in (50 + angle % 40, 25 + angle % 20)]
    document = coco(
        {"on": "b.png", "bbox": [1, 2, 3, 4]},
        {"on": "b.png", "bbox": [float("nan"), 2, 3, 4]},
        {"on": "b.png", "bbox": [1, 2, 1e400, 4]},
        {"on": "b.png", "bbox": "1234"},
        {"on": "b.png", "segmentation": [crossing]},
        {"on": "b.png", "segmentation": [spiral]},
        {"on": "b.png", "segmentation": {"size": [50, 100], "counts": [10**12]}},
        {"on": "b.png", "segmentation": {"size": [5000, 10000], "counts": "0"}},
        {"on": "b.png", "segmentation": {"size": [50, 100], "counts": "\ud800"}},
        {"on": "b.png"},
    )
    (started.folder / "marks.json").write_text(json.dumps(document))
    started.run(["marks.json"], THINGS, OUTLINES)
    assert points_of(started.placed()["b.png"]) == [[[1, 2], [4, 6]]]
    assert started.report()[0]["unused"] == {"wrong": 9}


def test_xml_that_declares_entities_is_refused(started: Started) -> None:
    folder = started.folder / "voc"
    write_voc(folder)
    bomb = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><annotation><filename>&x;</filename></annotation>'
    (folder / "bomb.xml").write_text(bomb)
    started.run(["voc"])
    assert len(points_of(started.placed()["val/a.jpg"])) == 1
    [report] = started.report()
    assert report["unused"] == {"wrong": 1}
    assert "document type" in report["entries"][0]["reason"]


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        (["gone.json"], "there is no .*gone.json"),
        (["recipe.txt"], "neither a JSON file"),
        ([{"path": "marks.json", "labels": {"dog": "hound"}}], "no field has the label 'hound'; there are cat, dog"),
        ([{"path": "marks.json", "fields": ["thing"]}], "no field is called 'thing'; the fields are things"),
        (["marks.json", "./marks.json"], "names '(./)?marks.json' twice"),
        ([{"path": "marks.json", "format": "pdf"}], "format"),
    ],
)
def test_settings_that_do_not_fit_are_refused_in_words(started: Started, settings: Any, why: str) -> None:
    for name in ("marks.json", "recipe.txt"):
        (started.folder / name).write_text(json.dumps(coco()))
    with pytest.raises((BenchwrightError, ValidationError), match=why):
        started.run(settings)


def test_files_of_one_name_are_told_apart_by_their_folders(started: Started) -> None:
    for folder, x in (("old", 1), ("new", 5)):
        (started.folder / folder).mkdir()
        document = coco({"on": "b.png", "bbox": [x, 2, 3, 4]})
        (started.folder / folder / "marks.json").write_text(json.dumps(document))
    started.run(["old/marks.json", "new/marks.json"])
    assert [each["author"] for each in started.placed()["b.png"]] == ["old/marks.json", "new/marks.json"]


def decide_four(started: Started, now: datetime) -> None:
    """Accept a proposal, move one, redraw one, leave one, and draw one by hand."""
    boxes = [[10, 10, 20, 20], [40, 10, 20, 20], [70, 10, 20, 20], [1, 1, 5, 5]]
    document = coco(*({"on": "b.png", "bbox": box} for box in boxes))
    (started.folder / "marks.json").write_text(json.dumps(document))
    started.run(["marks.json"])
    accepted, moved, redrawn, _ = started.placed()["b.png"][0]["fields"]["things"]
    moved = {**moved, "points": [[42, 10], [60, 30]]}
    redrawn = {**redrawn, "points": [[86, 26], [99, 40]]}
    drawn = {"shape": "box", "points": [[1, 40], [9, 49]], "label": "cat"}
    with started.store() as store:
        rest = {task.item_id: {"ann": {"marked": "nothing"}} for task in store.tasks("mark")}
        [item] = [task.item_id for task in store.tasks("mark") if task.payload["sizes_wh"] == [[100, 50]]]
        fields = {"marked": "marked", "things": [accepted, moved, redrawn, drawn]}
        say(store, "mark", {**rest, item: {"ann": fields}}, now)


def test_the_result_says_how_many_proposals_were_taken_as_they_were_moved_redrawn_and_left(
    started: Started, now: datetime
) -> None:
    decide_four(started, now)
    assert started.run(["marks.json"]) == ""
    summary = json.loads((started.root / "tables" / "mark" / "summary.json").read_text())
    assert summary["proposals"] == {
        "by_hand": 1,
        "by": {
            "marks.json": {
                "taken": 3, "unchanged": 1, "moved": 1, "redrawn": 1, "iou": summary["proposals"]["by"]["marks.json"]["iou"],
                "offered": 4, "left": 1,
            }
        },
    }  # fmt: skip
    assert summary["start_from"][0]["regions"] == 4
    assert "entries" not in summary["start_from"][0]


def test_the_export_of_everything_says_of_each_region_what_was_changed(
    started: Started, now: datetime, tmp_path: Path
) -> None:
    decide_four(started, now)
    with started.store() as store:
        export_everything(store, tmp_path / "out", formats=("parquet",))
    rows = pq.read_table(tmp_path / "out" / "regions.parquet").to_pylist()
    assert [(row["place"], row["proposed_by"], row["change"], row["iou"], row["moved_px"]) for row in rows] == [
        (0, "marks.json", "unchanged", 1.0, 0.0),
        (1, "marks.json", "moved", 0.9, 2.0),
        (2, "marks.json", "redrawn", pytest.approx(16 / 566, abs=1e-6), pytest.approx(22.627, abs=1e-3)),
        (3, None, None, None, None),
    ]
    assert {(row["campaign"], row["annotator"], row["field"], row["shape"], row["is_newest"]) for row in rows} == {
        ("mark", "ann", "things", "box", True)
    }
    assert [rows[1][edge] for edge in ("x0", "y0", "x1", "y1")] == [42.0, 10.0, 60.0, 30.0]


def test_simulated_annotators_take_the_files_marks_as_true_and_others_never_see_them(started: Started) -> None:
    document = coco(*({"on": name, "bbox": [10, 10, 20, 20]} for name in SIZES))
    (started.folder / "marks.json").write_text(json.dumps(document))
    sure = "    rule: unanimous(2)\n    simulate: {annotators: 2, jitter: 0.0, truth: start_from}\n"
    assert started.run(["marks.json"], more=sure) == ""
    summary = json.loads((started.root / "tables" / "mark" / "summary.json").read_text())
    assert summary["simulated"] is True
    assert summary["marked"] == 4
    assert summary["proposals"]["by"]["marks.json"] == {
        "taken": 8, "unchanged": 8, "moved": 0, "redrawn": 0, "iou": 1.0, "offered": 8, "left": 0,
    }  # fmt: skip
    document["annotations"].pop()
    (started.folder / "marks.json").write_text(json.dumps(document))
    assert started.run(["marks.json"], more=sure) == ""  # another file is another truth
    summary = json.loads((started.root / "tables" / "mark" / "summary.json").read_text())
    assert (summary["marked"], summary["nothing"]) == (3, 1)
    shutil.rmtree(started.root)
    assert started.run(["marks.json"], more=sure.replace(", truth: start_from", "")) == ""
    summary = json.loads((started.root / "tables" / "mark" / "summary.json").read_text())
    assert summary["proposals"]["by"] == {}
    assert "start_from" not in summary


def test_pairs_start_from_marks_on_their_first_picture(started: Started) -> None:
    (started.folder / "pairs.csv").write_text("first,second\nb.png,turned.jpg\n")
    (started.folder / "marks.json").write_text(json.dumps(coco({"on": "b.png", "bbox": [1, 2, 3, 4]})))
    started.run(["marks.json"], more="    over: pairs\n    pairs: pairs.csv\n")
    assert points_of(started.placed()["b.png"]) == [[[1, 2], [4, 6]]]


@pytest.mark.both_databases
def test_the_store_keeps_marks_by_campaign_and_item_until_others_take_their_place(store: ReviewStore) -> None:
    form = CampaignForm(fields=marking_form([MarkField(name="things", label="Things", shape="box")]).fields)
    for name in ("mark", "other"):
        store.upsert_campaign(name, kind="mark", rule="single", slots_per_task=1, form=form, settings={}, seed=1)
        store.upsert_tasks(name, [TaskInput("i", "c", {"sizes_wh": [[9, 9]]})])
    [task], [other] = ([task.id for task in store.tasks(name)] for name in ("mark", "other"))
    box = {"shape": "box", "points": [[1, 2], [3, 4]]}
    rows = [StartingRow("i", 1, {"things": [box, box]}), StartingRow("i", 0, {"things": [box]})]
    marked = StartingMarks("key", [*rows, StartingRow("gone", 0, {"things": [box]})], [{"file": "a.json"}])
    with store.writing() as connection:
        set_starting_marks(connection, store.campaign("mark"), marked)
    with store.reading() as connection:
        campaign = find_campaign(connection, "mark")
        assert starting_marks_of(connection, task) == [rows[1], rows[0]]
        assert starting_marks_of(connection, other) == []
        assert count_starting_marks(connection, campaign) == {("i", 0): 1, ("i", 1): 2, ("gone", 0): 1}
        assert (starting_key(connection, "mark"), starting_key(connection, "other")) == ("key", None)
        assert starting_report(connection, campaign) == [{"file": "a.json"}]
    with store.writing() as connection:
        set_starting_marks(connection, campaign, None)
        assert starting_marks_of(connection, task) == []
        assert starting_report(connection, campaign) == []
    store.audited()

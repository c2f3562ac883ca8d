"""COCO and LVIS: captions, boxes, crowds, federated labels, a license per picture, and file names of both years."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from dataset_fixtures.coco_files import CATEGORIES, LICENCES, LVIS_CATEGORIES, write_coco, write_lvis
from dataset_reading import checked, read_all

from benchwright.construction.ground_truth.truths import Captions, LabelledBoxes
from benchwright.construction.readers.coco import Coco, Lvis
from benchwright.errors import DataError


def test_captions_are_those_of_their_picture(tmp_path: Path) -> None:
    document = write_coco(tmp_path)["captions_val2014"]
    records, refused = read_all(Coco(files=("captions_val2014",)), tmp_path)
    assert (len(records), refused) == (40, [])
    for record, image in zip(records, document["images"], strict=True):
        [truth] = record.truths
        assert isinstance(truth, Captions)
        texts = [row["caption"].strip() for row in document["annotations"] if row["image_id"] == image["id"]]
        assert list(truth.texts) == texts


def test_every_picture_keeps_its_own_licence_id_and_page(tmp_path: Path) -> None:
    document = write_coco(tmp_path)["captions_val2014"]
    licences = {row["id"]: f"{row['name']} ({row['url']})" for row in LICENCES}
    records, _ = read_all(Coco(files=("captions_val2014",)), tmp_path)
    for record, image in zip(records, document["images"], strict=True):
        [picture] = record.pictures
        assert picture.licence == licences.get(image["license"])
        assert picture.canonical_id == f"coco:{image['id']}"
        assert picture.attribution == image["flickr_url"]
        assert (picture.path, picture.size_wh) == (f"val2014/{image['file_name']}", (image["width"], image["height"]))
    assert {record.pictures[0].licence is None for record in records} == {True, False}


def test_boxes_are_corners_and_a_crowd_makes_its_label_incomplete(tmp_path: Path) -> None:
    document = write_coco(tmp_path)["instances_val2014"]
    names = {row["id"]: row["name"] for row in CATEGORIES}
    records, refused = read_all(Coco(files=("instances_val2014",)), tmp_path)
    assert (len(records), refused) == (40, [])
    for record, image in zip(records, document["images"], strict=True):
        [truth] = record.truths
        assert isinstance(truth, LabelledBoxes)
        rows = [row for row in document["annotations"] if row["image_id"] == image["id"]]
        boxes = [
            (names[row["category_id"]], (x, y, x + w, y + h))
            for row in rows
            for x, y, w, h in [row["bbox"]]
            if not row["iscrowd"]
        ]
        assert [(labelled.label, labelled.box) for labelled in truth.boxes] == boxes
        assert truth.incomplete == (("person",) if any(row["iscrowd"] for row in rows) else ())
        assert not truth.is_federated
    assert checked(Coco(), tmp_path)["truths"] == {"boxes": 40, "captions": 40}


def test_pictures_of_2017_stand_in_for_those_of_2014(tmp_path: Path) -> None:
    write_coco(tmp_path)
    (tmp_path / "val2017").mkdir()
    for path in (tmp_path / "val2014").iterdir():
        path.rename(tmp_path / "val2017" / path.name.removeprefix("COCO_val2014_"))
    records, refused = read_all(Coco(), tmp_path)
    assert (len(records), refused) == (80, [])
    assert records[0].pictures[0].path == "val2017/000000000042.jpg"


def test_lvis_says_what_is_absent_and_what_is_incomplete(tmp_path: Path) -> None:
    document = write_lvis(tmp_path)
    names = {row["id"]: row["name"] for row in LVIS_CATEGORIES}
    records, refused = read_all(Lvis(), tmp_path)
    assert (len(records), refused) == (40, [])
    for record, image in zip(records, document["images"], strict=True):
        [truth], [picture] = record.truths, record.pictures
        assert isinstance(truth, LabelledBoxes)
        assert truth.is_federated
        assert truth.absent == tuple(names[key] for key in image["neg_category_ids"])
        assert truth.incomplete == tuple(names[key] for key in image["not_exhaustive_category_ids"])
        rows = [row for row in document["annotations"] if row["image_id"] == image["id"]]
        assert [labelled.label for labelled in truth.boxes] == [names[row["category_id"]] for row in rows]
        assert truth.boxes[0].box == pytest.approx(
            [*rows[0]["bbox"][:2], rows[0]["bbox"][0] + rows[0]["bbox"][2], rows[0]["bbox"][1] + rows[0]["bbox"][3]]
        )
        assert picture.path == "/".join(image["coco_url"].split("/")[-2:])
    assert {record.pictures[0].path.partition("/")[0] for record in records} == {"train2017", "val2017"}


def test_annotations_and_pictures_in_archives_are_read_as_they_are(tmp_path: Path) -> None:
    write_lvis(tmp_path)
    plain = read_all(Lvis(), tmp_path)
    for name in ("annotations", "val2017", "train2017"):
        with zipfile.ZipFile(tmp_path / f"{name}.zip", "w") as archive:
            for path in sorted((tmp_path / name).iterdir()):
                archive.write(path, f"{name}/{path.name}")
                path.unlink()
        (tmp_path / name).rmdir()
    assert read_all(Lvis(), tmp_path) == plain


def changed(path: Path, change: Any) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    change(document)
    path.write_text(json.dumps(document), encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "incomplete", "detail"),
    [({"bbox": [5, 5, 0, 3]}, ("person",), "a width of 0"), ({"category_id": 7}, ("dog",), "category 7")],
    ids=["a label", "any label"],
)
def test_a_wrong_box_is_refused_alone_and_what_it_may_have_marked_is_incomplete(
    tmp_path: Path, change: dict[str, Any], incomplete: tuple[str, ...], detail: str
) -> None:
    write_coco(tmp_path, 2)
    path = tmp_path / "annotations" / "instances_val2014.json"
    changed(path, lambda document: document["annotations"][2].update(change))
    records, [refusal] = read_all(Coco(files=("instances_val2014",)), tmp_path)
    assert (refusal.entry, refusal.reason) == ("annotation 3", "bad_annotation")
    assert detail in refusal.detail
    [truth] = records[1].truths
    assert isinstance(truth, LabelledBoxes)
    assert ([box.label for box in truth.boxes], truth.incomplete) == (["dog"], incomplete)
    assert truth.is_federated == ("category" in detail)


@pytest.mark.parametrize(
    ("change", "entry", "detail"),
    [
        (lambda d: d["annotations"][0].update(caption=""), "annotation 641613", "caption"),
        (lambda d: d["annotations"][0].update(image_id=999), "image 999", "not among the images"),
        (lambda d: d["images"][0].update(width="wide"), "image COCO_val2014_000000000042.jpg", "width"),
    ],
    ids=["empty caption", "unknown picture", "no width"],
)
def test_a_wrong_entry_of_captions_is_refused(tmp_path: Path, change: Any, entry: str, detail: str) -> None:
    write_coco(tmp_path)
    changed(tmp_path / "annotations" / "captions_val2014.json", change)
    _, refused = read_all(Coco(files=("captions_val2014",)), tmp_path)
    assert refused[0].entry == entry
    assert detail in refused[0].detail


def test_a_stated_size_that_contradicts_the_picture_is_refused(tmp_path: Path) -> None:
    write_lvis(tmp_path)
    changed(tmp_path / "annotations" / "lvis_v1_val.json", lambda d: d["images"][5].update(height=400))
    assert checked(Lvis(), tmp_path)["refused"] == {"other_size": 1}


def test_a_cut_annotation_file_is_named_with_the_byte(tmp_path: Path) -> None:
    write_lvis(tmp_path)
    path = tmp_path / "annotations" / "lvis_v1_val.json"
    path.write_bytes(path.read_bytes()[:4000])
    with pytest.raises(DataError, match=r"lvis_v1_val\.json, byte [\d,]+: the file ends before the JSON does"):
        read_all(Lvis(), tmp_path)


def test_files_of_another_kind_are_named(tmp_path: Path) -> None:
    write_coco(tmp_path)
    with pytest.raises(DataError, match=r"contains no file of LVIS.*found captions_val2014, instances_val2014"):
        read_all(Lvis(), tmp_path)
    with pytest.raises(DataError, match="no annotation file 'captions_val2017'; there are captions_val2014"):
        read_all(Coco(files=("captions_val2017",)), tmp_path)

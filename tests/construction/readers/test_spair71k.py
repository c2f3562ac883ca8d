"""SPair-71k: points of pairs, sizes as width and height, and names with a colon, even if archivers change it."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from dataset_fixtures.spair_files import QUOTED, pair, write_spair
from dataset_reading import checked, read_all, reasons
from PIL import Image

from benchwright.construction.ground_truth.truths import KeypointPair
from benchwright.construction.readers.spair71k import Spair71k
from benchwright.errors import DataError


def test_every_pair_is_a_record_with_both_pictures_and_their_points(tmp_path: Path) -> None:
    pairs = write_spair(tmp_path)
    records, refused = read_all(Spair71k(), tmp_path)
    assert refused == []
    assert len(records) == 40
    for record, document in zip(records, pairs, strict=True):
        [truth] = record.truths
        assert isinstance(truth, KeypointPair)
        assert [[x - 0.5, y - 0.5] for x, y in truth.first] == document["src_kps"]
        assert [[x - 0.5, y - 0.5] for x, y in truth.second] == document["trg_kps"]
        assert (list(truth.names), truth.category) == (document["kps_ids"], document["category"])
        assert truth.boxes == (tuple(document["src_bndbox"]), tuple(document["trg_bndbox"]))
        assert [picture.size_wh for picture in record.pictures] == [
            tuple(document[f"{end}_imsize"][:2]) for end in ("src", "trg")
        ]
        assert record.pictures[1].path == f"JPEGImages/{document['category']}/{document['trg_imname']}"
        assert record.pictures[1].canonical_id == f"voc:{document['trg_imname'][:-4]}"
    assert records[0].record_id == "spair71k:trn/000001-2008_000585-2008_000627:aeroplane"
    assert records[-1].record_id.startswith("spair71k:test/")


def test_names_whose_colon_an_archiver_replaced_are_found(tmp_path: Path) -> None:
    write_spair(tmp_path, colon="_")
    records, refused = read_all(Spair71k(splits=("trn",)), tmp_path / "SPair-71k")
    assert (len(records), refused) == (39, [])
    assert records[0].record_id.endswith(":aeroplane")


def test_a_size_that_contradicts_the_picture_refuses_the_pair(tmp_path: Path) -> None:
    write_spair(tmp_path)
    document = {**pair(2), "trg_imsize": [90, 64, 3]}  # height before width
    path = tmp_path / "SPair-71k" / "PairAnnotation" / "trn" / f"{document['filename']}.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    result = checked(Spair71k(), tmp_path)
    assert result["refused"] == {"other_size": 1}
    assert "states 90 x 64 pixels" in result["examples"][0]["detail"]
    assert "has 64 x 90" in result["examples"][0]["detail"]
    assert result["records"] == 39


def test_a_picture_that_is_stored_turned_contradicts_the_size_of_the_one_that_was_marked(tmp_path: Path) -> None:
    write_spair(tmp_path)
    path = tmp_path / "SPair-71k" / "JPEGImages" / "cat" / pair(2)["src_imname"]
    exif = Image.Exif()
    exif[0x0112] = 6  # shown turned by a quarter: 60 x 80
    with Image.open(path) as picture:
        picture.copy().save(path, exif=exif)
    result = checked(Spair71k(), tmp_path)
    assert result["refused"] == {"other_size": 1}
    assert "has 60 x 80 (upright)" in result["examples"][0]["detail"]


def test_a_key_point_that_is_wrong_or_outside_is_left_out_of_its_pair_alone(tmp_path: Path) -> None:
    write_spair(tmp_path)
    document = pair(2)
    document["src_kps"][0] = [7, 79]  # as y, x it would lie inside
    document["trg_kps"][1] = [None, 3]
    path = tmp_path / "SPair-71k" / "PairAnnotation" / "trn" / f"{document['filename']}.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    result = checked(Spair71k(), tmp_path)
    assert (result["records"], result["refused"]) == (40, {"bad_row": 1, "outside_picture": 1})
    assert "(7.5, 79.5) lies outside of picture 0, 80 x 60" in result["examples"][1]["detail"]
    assert f"key point {document['kps_ids'][1]}" in result["examples"][0]["entry"]


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        ({"kps_ids": ["0"]}, "their numbers must be equal"),
        ({"kps_ids": ["0", "0"]}, "appears twice"),
        ({"src_kps": [], "trg_kps": [], "kps_ids": []}, "at least 1"),
        ({"category": "zebra"}, "'zebra'"),
        ({"src_imname": "../../etc/passwd.jpg"}, "src_imname"),
        ({"src_imname": "2008_000001.jpg"}, "2008_000001.jpg"),
        ({"src_bndbox": [475, 34, 210, 250]}, "boxes are x1, y1, x2, y2"),
    ],
)
def test_a_wrong_annotation_is_one_refusal(tmp_path: Path, change: dict[str, Any], detail: str) -> None:
    write_spair(tmp_path)
    path = tmp_path / "SPair-71k" / "PairAnnotation" / "trn" / f"{QUOTED['filename']}.json"
    path.write_text(json.dumps({**QUOTED, **change}), encoding="utf-8")
    records, [refusal] = read_all(Spair71k(), tmp_path)
    assert reasons([refusal]) == [(f"PairAnnotation/trn/{QUOTED['filename']}.json", "", "bad_row")]
    assert detail in refusal.detail
    assert len(records) == 39


def test_bad_names_and_missing_annotations_are_refused_with_their_line(tmp_path: Path) -> None:
    write_spair(tmp_path)
    layout = tmp_path / "SPair-71k" / "Layout" / "large" / "trn.txt"
    lines = layout.read_text(encoding="utf-8").splitlines()
    layout.write_text("\n".join(["../../etc/passwd", lines[0], "000099-a-b:cat", ""]), encoding="utf-8")
    _, refused = read_all(Spair71k(splits=("trn",)), tmp_path)
    assert reasons(refused) == [
        ("Layout/large/trn.txt", "line 1", "bad_row"),
        ("Layout/large/trn.txt", "line 3", "missing_file"),
    ]


def test_an_archive_is_read_as_it_is(tmp_path: Path) -> None:
    write_spair(tmp_path)
    with zipfile.ZipFile(tmp_path / "spair.zip", "w") as archive:
        for path in sorted((tmp_path / "SPair-71k").rglob("*")):
            archive.write(path, path.relative_to(tmp_path))
    plain, packed = (read_all(Spair71k(), tmp_path / name) for name in ("SPair-71k", "spair.zip"))
    assert packed == plain
    assert checked(Spair71k(), tmp_path / "spair.zip")["ok"] is True


def test_a_missing_split_is_named(tmp_path: Path) -> None:
    write_spair(tmp_path)
    with pytest.raises(DataError, match=r"there is no .*'val'; there are trn, test"):
        read_all(Spair71k(splits=("val",)), tmp_path)

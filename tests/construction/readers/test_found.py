"""The reader `found`: source datasets in subfolders, and annotation files next to the user's own photographs.

- Every source dataset is recognized by its layout, keeps its record ids, names and licenses, and is in its own folder.
- COCO boxes, captions, Pascal VOC, YOLO, tables and facts are recognized by their content; several for a picture are
  combined.
- Files that are not annotations, and names of no picture or of two, are reported; a file that fits two readers is not
  used.
- In a run, annotation files are not images, each dataset counts its records separately, and pictures keep their origin.
"""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from dataset_fixtures.coco_files import write_coco
from dataset_fixtures.diw_files import write_diw
from dataset_fixtures.folder_files import write_folder
from dataset_fixtures.hpatches_files import write_hpatches
from dataset_fixtures.iiw_files import write_iiw
from dataset_fixtures.nights_files import write_nights
from dataset_fixtures.pictures import save
from dataset_fixtures.tally_files import write_tally
from dataset_reading import read_all, write_lines

from benchwright.construction.readers.found import Found, kinds_found
from benchwright.construction.readers.reader import DatasetRecord
from benchwright.construction.readers.recognition import recognised
from benchwright.pipeline import run_recipe
from benchwright.recipe import Recipe, step
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import RefusedRow

SIZE = (320, 200)


def photograph(root: Path, name: str, number: int = 1) -> None:
    save(root / name, number, *SIZE)


def coco(root: Path, name: str, pictures: dict[str, list[tuple[str, list[float]]]]) -> None:
    """Write boxes, (label, [x, y, width, height]), as a COCO file."""
    labels = sorted({label for boxes in pictures.values() for label, _ in boxes})
    images = [
        {"id": number, "file_name": file, "width": SIZE[0], "height": SIZE[1]} for number, file in enumerate(pictures)
    ]
    boxes = [(number, *box) for number, file in enumerate(pictures) for box in pictures[file]]
    document = {
        "images": images,
        "categories": [{"id": number, "name": label} for number, label in enumerate(labels)],
        "annotations": [
            {"id": place, "image_id": number, "category_id": labels.index(label), "bbox": box}
            for place, (number, label, box) in enumerate(boxes)
        ],
    }
    (root / name).write_text(json.dumps(document), encoding="utf-8")


def voc(root: Path, name: str, picture: str, label: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    box = "<bndbox><xmin>11</xmin><ymin>21</ymin><xmax>110</xmax><ymax>180</ymax></bndbox>"
    (root / name).write_text(
        f"<annotation><filename>{picture}</filename><size><width>{SIZE[0]}</width><height>{SIZE[1]}</height></size>"
        f"<object><name>{label}</name>{box}</object></annotation>"
    )


def found(root: Path) -> tuple[dict[str, DatasetRecord], list[RefusedRow]]:
    records, refused = read_all(Found(), root)
    return {record.record_id: record for record in records}, refused


def counts(record: DatasetRecord) -> dict[str, int]:
    return {truth.question: truth.count for truth in record.truths if truth.kind == "counts"}  # type: ignore[attr-defined]


def test_source_datasets_in_folders_keep_their_ids_names_and_places(tmp_path: Path) -> None:
    write_iiw(tmp_path / "iiw-dataset")
    write_diw(tmp_path / "deep" / "diw")
    write_nights(tmp_path)
    records, _ = found(tmp_path)
    by = Counter(record_id.partition(":")[0] for record_id in records)
    assert set(by) == {"iiw", "diw", "nights"}
    one = next(record for record_id, record in records.items() if record_id.startswith("iiw:"))
    assert one.pictures[0].path.startswith("iiw-dataset/data/")
    assert one.pictures[0].dataset == "iiw"
    assert one.file.startswith("iiw-dataset/data/")


@pytest.mark.parametrize("write", [write_iiw, write_diw, write_coco, write_tally, write_hpatches, write_nights])
def test_a_dataset_is_read_as_its_own_reader_reads_it(tmp_path: Path, write: Any) -> None:
    write(tmp_path / "one")
    [source] = recognised(DatasetFiles(tmp_path)).sources
    assert source.reader is not None
    own, _ = read_all(source.reader, tmp_path / "one")
    records, _ = found(tmp_path)
    assert list(records) == [record.record_id for record in own]
    assert [record.truths for record in records.values()] == [record.truths for record in own]


def test_boxes_in_cocos_format_give_boxes_and_counts(tmp_path: Path) -> None:
    photograph(tmp_path, "photos/cups.png")
    coco(
        tmp_path,
        "marks.json",
        {"cups.png": [("cup", [10, 20, 30, 40]), ("cup", [60, 20, 30, 40]), ("dog", [5, 90, 60, 50])]},
    )
    records, refused = found(tmp_path)
    assert not refused
    [record] = records.values()
    assert record.record_id == "found:marks.json:photos/cups.png"
    assert record.pictures[0].size_wh == SIZE
    [boxes] = [truth for truth in record.truths if truth.kind == "boxes"]
    assert (boxes.boxes[0].label, boxes.boxes[0].box) == ("cup", (10, 20, 40, 60))  # type: ignore[attr-defined]
    assert counts(record) == {
        "How many cups are there in the picture?": 2,
        "How many dogs are there in the picture?": 1,
    }


def test_a_picture_with_a_wrong_mark_is_not_counted(tmp_path: Path) -> None:
    photograph(tmp_path, "cups.png")
    coco(tmp_path, "marks.json", {"cups.png": [("cup", [10, 20, 30, 40]), ("cup", [60, 20, -30, 40])]})
    records, refused = found(tmp_path)
    [record] = records.values()
    assert counts(record) == {}
    assert [row.reason for row in refused] == ["bad_annotation"]


def test_voc_yolo_captions_tables_and_facts_are_told_by_their_content(tmp_path: Path) -> None:
    photograph(tmp_path, "cup.png")
    photograph(tmp_path, "yolo/images/dog.png", 2)
    voc(tmp_path, "Annotations/any.xml", "cup.png", "cup")
    (tmp_path / "yolo" / "labels").mkdir()
    (tmp_path / "yolo" / "labels" / "dog.txt").write_text("0 0.5 0.5 0.25 0.5\n")
    (tmp_path / "yolo" / "classes.txt").write_text("dog\n")
    captions = {
        "images": [{"id": 7, "file_name": "cup.png"}],
        "annotations": [{"id": 1, "image_id": 7, "caption": "A cup."}],
    }
    (tmp_path / "said.json").write_text(json.dumps(captions))
    depth = {"kind": "depth", "first": [10, 20], "second": [100, 120], "closer": "first"}
    write_lines(tmp_path / "pairs.jsonl", [{"image": "cup.png", "licence": "CC0", "truths": [depth]}])
    subject = "      - {name: cup, phrase: the blue cup, box: [10, 20, 90, 120]}"
    (tmp_path / "facts.yaml").write_text(
        f"format: benchwright-facts\nversion: 1\nimages:\n  cup.png:\n    subjects:\n{subject}\n"
    )
    records, refused = found(tmp_path)
    assert not refused
    assert {record_id: sorted({truth.kind for truth in record.truths}) for record_id, record in records.items()} == {
        "found:Annotations/any.xml:cup.png": ["boxes", "counts"],
        "found:facts.yaml:cup.png": ["boxes"],
        "found:said.json:cup.png": ["captions"],
        "found:yolo:yolo/images/dog.png": ["boxes", "counts"],
        "pairs.jsonl:cup.png": ["depth"],
    }
    [facts] = records["found:facts.yaml:cup.png"].truths
    assert facts.boxes[0].label == "blue cup"  # type: ignore[attr-defined]
    files = DatasetFiles(tmp_path)
    assert list(kinds_found(files, recognised(files))) == ["boxes", "captions", "counts", "depth"]


def test_what_cannot_be_used_is_named(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        photograph(tmp_path, f"{folder}/same.png", ord(folder))
    coco(tmp_path, "marks.json", {"same.png": [("cup", [1, 2, 30, 40])], "gone.png": [("cup", [1, 2, 30, 40])]})
    (tmp_path / "notes.json").write_text("[1, 2]")
    (tmp_path / "cut.json").write_text('{"images": [{"id": 1')
    (tmp_path / "prices.csv").write_text("thing,price\ncup,3\n")
    (tmp_path / "lines.jsonl").write_text('{"thing": 1}\n')
    records, refused = found(tmp_path)
    assert not records
    assert sorted((row.file, row.reason) for row in refused) == [
        ("cut.json", "not_recognised"),
        ("lines.jsonl", "not_recognised"),
        ("marks.json", "ambiguous"),
        ("marks.json", "missing_picture"),
        ("notes.json", "not_recognised"),
        ("prices.csv", "not_recognised"),
    ]


def test_a_file_that_is_laid_out_as_a_dataset_and_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("id,left_vote,right_vote,votes,ref_path,left_path,right_path\nx,1,0,6,a,b,c\n")
    assert [(row.file, row.reason) for row in found(tmp_path)[1]] == [("data.csv", "not_recognised")]
    photograph(tmp_path, "cup.png")
    (tmp_path / "data.csv").write_text("image,caption\ncup.png,A cup.\n")
    records, refused = found(tmp_path)
    assert not refused
    assert [record.file for record in records.values()] == ["data.csv"]


def test_nothing_but_photographs_brings_nothing(tmp_path: Path) -> None:
    photograph(tmp_path, "cup.png")
    (tmp_path / "readme.txt").write_text("cups")
    assert recognised(DatasetFiles(tmp_path)) == ((), ())


@pytest.mark.slow
def test_in_a_run_files_that_are_read_are_no_images_and_datasets_count_apart(tmp_path: Path) -> None:
    root = tmp_path / "photographs"
    write_iiw(root / "iiw-dataset")
    write_diw(root / "diw")
    write_folder(root / "table", count=3)
    photograph(root, "cup.png", 70)
    coco(root, "marks.json", {"cup.png": [("cup", [10, 20, 30, 40])]})
    recipe = Recipe(
        "found", [step("dataset", reader="found", records=5), step("counting", mode="paper")], seed=2, shards=2
    )
    finished = run_recipe(recipe, images=root, workspace=tmp_path / "w", workers=1)
    assert not [row for row in finished.files() if row["verdict"] != "keep"]
    by = Counter(row["uri"].partition("/")[0] for row in finished.files())
    assert by == {"dataset:iiw-dataset": 5, "dataset:diw": 5, "dataset:table": 3, "cup.png": 1}
    assert finished.steps[-1].made == 1


@pytest.mark.slow
def test_pictures_of_an_archive_come_in_and_the_archive_is_no_image(tmp_path: Path) -> None:
    root = tmp_path / "photographs"
    photograph(tmp_path, "cup.png", 70)
    root.mkdir()
    with zipfile.ZipFile(root / "pictures.zip", "w") as archive:
        archive.write(tmp_path / "cup.png", "cup.png")
    write_lines(
        root / "table.jsonl", [{"image": "pictures/cup.png", "truths": [{"kind": "captions", "texts": ["A cup."]}]}]
    )
    recipe = Recipe("found", [step("dataset", reader="found")], seed=2, shards=2)
    finished = run_recipe(recipe, images=root, workspace=tmp_path / "w", workers=1)
    assert [(row["uri"], row["verdict"]) for row in finished.files()] == [("dataset:pictures/cup.png", "keep")]

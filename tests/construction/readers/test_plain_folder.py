"""A user's folder: a table next to the pictures, CSV or JSON Lines, with any ground truth."""

from __future__ import annotations

from pathlib import Path

import pytest
from dataset_fixtures.folder_files import write_folder
from dataset_fixtures.pictures import save
from dataset_reading import checked, read_all, reasons, write_lines

from benchwright.construction.ground_truth.truths import Captions, CountQuestion, SimilarityTriplet
from benchwright.construction.readers.plain_folder import PlainFolder
from benchwright.errors import DataError


def test_a_table_gives_every_picture_its_source(tmp_path: Path) -> None:
    write_folder(tmp_path)
    records, refused = read_all(PlainFolder(dataset="iq_test"), tmp_path)
    assert (len(records), refused) == (40, [])
    [picture] = records[3].pictures
    assert picture._asdict() == {
        "path": "photos/3.jpg", "canonical_id": "https://example.org/3", "licence": "CC0", "attribution": "Person, A.",
        "size_wh": None, "retrieved_at": "2026-11-04", "dataset": None, "shape_wh": None, "aspect_ratio": None,
    }  # fmt: skip
    assert records[3].record_id == "iq_test:photos/3.jpg"
    assert records[3].truths == (Captions(texts=("A cup.",)),)
    assert checked(PlainFolder(), tmp_path)["licences"] == {"CC0": 40}


def test_lines_of_json_may_have_several_pictures_and_any_truth(tmp_path: Path) -> None:
    for name in "abc":
        save(tmp_path / f"{name}.png", ord(name), 30, 20)
    write_lines(
        tmp_path / "mine.jsonl",
        [
            {"id": "cups", "image": "a.png", "licence": "CC0", "width": 30, "height": 20,
             "truths": [{"kind": "counts", "question": "How many cups are there?", "count": 3}]},
            {"id": "like", "images": [{"image": "a.png"}, {"image": "b.png"}, {"image": "c.png", "author": "B."}],
             "truths": [{"kind": "similarity", "closer": "left", "votes": 5}]},
        ],
    )  # fmt: skip
    records, refused = read_all(PlainFolder(), tmp_path)
    assert refused == []
    assert [record.truths for record in records] == [
        (CountQuestion(question="How many cups are there?", count=3),),
        (SimilarityTriplet(closer="left", votes=5),),
    ]
    assert [picture.path for picture in records[1].pictures] == ["a.png", "b.png", "c.png"]
    assert checked(PlainFolder(), tmp_path)["truths"] == {"counts": 1, "similarity": 1}


@pytest.mark.parametrize(
    ("row", "detail"),
    [
        ({"image": "a.png", "truths": [{"kind": "smell"}]}, "no kind of truth 'smell'; kinds are boxes"),
        ({"image": "a.png", "truths": ["counts"]}, "no kind of truth 'counts'"),
        ({"image": "a.png", "truths": [{"kind": "counts", "question": "Q", "count": -1}]}, "count"),
        ({"image": "a.png", "images": [{"image": "a.png"}]}, "either `image` or `images`"),
        ({"licence": "CC0"}, "either `image` or `images`"),
        ({"image": "a.png", "license": "CC0"}, "license"),
        ({"image": "a.png", "width": 30}, "give both width and height"),
    ],
)
def test_a_wrong_row_is_one_refusal(tmp_path: Path, row: object, detail: str) -> None:
    save(tmp_path / "a.png", 1, 30, 20)
    write_lines(tmp_path / "mine.jsonl", [{"image": "a.png"}, row])
    records, [refusal] = read_all(PlainFolder(), tmp_path)
    assert (len(records), reasons([refusal])) == (1, [("mine.jsonl", "line 2", "bad_row")])
    assert detail in refusal.detail


def test_one_wrong_truth_of_a_row_leaves_its_others(tmp_path: Path) -> None:
    save(tmp_path / "a.png", 1, 30, 20)
    count = {"kind": "counts", "question": "How many cups are there?", "count": 3}
    write_lines(tmp_path / "mine.jsonl", [{"image": "a.png", "truths": [{**count, "count": -1}, count]}])
    [record], [refusal] = read_all(PlainFolder(), tmp_path)
    assert ([truth.kind for truth in record.truths], refusal.entry) == (["counts"], "line 1, truth 1")


def test_truths_that_do_not_fit_their_pictures_are_refused(tmp_path: Path) -> None:
    save(tmp_path / "a.png", 1, 30, 20)
    depth = {"kind": "depth", "first": [5, 5], "second": [29, 21.5], "closer": "first"}
    write_lines(
        tmp_path / "mine.jsonl",
        [
            {"id": "1", "image": "a.png", "truths": [depth]},
            {"id": "2", "image": "a.png", "truths": [{"kind": "similarity", "closer": "left", "votes": 5}]},
            {"id": "3", "image": "a.png", "width": 20, "height": 30},
            {"id": "4", "image": "a.png"},
            {"id": "4", "image": "a.png"},
        ],
    )
    document = checked(PlainFolder(), tmp_path)
    assert document["refused"] == {"bad_row": 1, "other_size": 1, "outside_picture": 1, "repeated": 1}
    assert document["records"] == 1


@pytest.mark.parametrize("path", ["../secret.png", "/etc/hostname", "away.png"])
def test_pictures_outside_of_the_folder_are_not_there(tmp_path: Path, path: str) -> None:
    save(tmp_path / "secret.png", 1, 30, 20)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "images.csv").write_text(f"image\n{path}\n", encoding="utf-8")
    records, [refusal] = read_all(PlainFolder(), tmp_path / "own")
    assert (records, refusal.reason) == ([], "missing_picture")


def test_a_table_must_be_there_and_be_the_only_one_or_named(tmp_path: Path) -> None:
    save(tmp_path / "a.png", 1, 30, 20)
    with pytest.raises(DataError, match=r"needs one CSV or JSONL file, or the option `table`; found a\.png"):
        read_all(PlainFolder(), tmp_path)
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("image\na.png\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"found a\.csv, b\.csv"):
        read_all(PlainFolder(), tmp_path)
    assert len(read_all(PlainFolder(table="b.csv"), tmp_path)[0]) == 1
    (tmp_path / "b.csv").write_text("picture\na.png\n", encoding="utf-8")
    with pytest.raises(DataError, match="column 'image' is missing; the first line names picture"):
        read_all(PlainFolder(table="b.csv"), tmp_path)

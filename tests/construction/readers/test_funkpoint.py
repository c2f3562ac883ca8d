"""FunKPoint: fractions, columns by name, actions with slashes, pictures of three kinds."""

from __future__ import annotations

from pathlib import Path

import pytest
from dataset_fixtures.funkpoint_files import QUOTED, write_funkpoint
from dataset_reading import checked, read_all, reasons

from benchwright.construction.ground_truth.truths import FunctionalPoints
from benchwright.construction.readers.funkpoint import FunKPoint
from benchwright.errors import DataError


def test_every_row_is_a_record_with_five_points(tmp_path: Path) -> None:
    rows = write_funkpoint(tmp_path)
    records, refused = read_all(FunKPoint(), tmp_path)
    assert (len(records), refused) == (41, [])
    for record, row in zip(records, rows, strict=True):
        [truth] = record.truths
        assert isinstance(truth, FunctionalPoints)
        points = [(float(row[f"p{k}_x"]) * 80, float(row[f"p{k}_y"]) * 50) for k in range(1, 6)]
        assert truth.in_pixels([(80, 50)]).points == tuple(points)
        assert (truth.action, truth.difficulty) == (row["action"], row["difficulty"])
        assert truth.category == row["object_category"].replace("_", " ")
        assert record.pictures[0].path == row["image_path"]
    document = checked(FunKPoint(), tmp_path)
    assert document["ok"] is True
    assert document["pictures"] == len({row["image_path"] for row in rows}) < 41


@pytest.mark.parametrize(
    ("old", "new", "detail"),
    [
        ("0.2546875", "1.2546875", "p1_x"),
        ("0.2546875", "nan", "p1_x"),
        ("easy", "simple", "difficulty"),
        ("Brush/Dust", "Juggle", "action is 'Juggle'"),
        ("images/n04284002/0006.jpg", "images/../../x.jpg", "image_path"),
        ("0006.jpg,Brush/Dust,n04284002", "0006.jpg,Brush/Dust,n04284003", "wnid is 'n04284003'"),
    ],
)
def test_a_wrong_row_is_one_refusal(tmp_path: Path, old: str, new: str, detail: str) -> None:
    write_funkpoint(tmp_path)
    (tmp_path / "FunKPoint" / "labels.csv").write_text(QUOTED.replace(old, new), encoding="utf-8")
    records, [refusal] = read_all(FunKPoint(), tmp_path)
    assert (records, reasons([refusal])) == ([], [("labels.csv", "line 2", "bad_row")])
    assert detail in refusal.detail


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    write_funkpoint(tmp_path)
    text = QUOTED.replace("difficulty,", "", 1).replace("easy,", "", 1)
    (tmp_path / "FunKPoint" / "labels.csv").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=r"labels\.csv: column 'difficulty' is missing; the first line names p1_x"):
        read_all(FunKPoint(), tmp_path)


def test_missing_and_broken_pictures_are_refused(tmp_path: Path) -> None:
    rows = write_funkpoint(tmp_path)
    (tmp_path / "FunKPoint" / rows[0]["image_path"]).unlink()
    (tmp_path / "FunKPoint" / rows[1]["image_path"]).write_bytes(b"")
    assert checked(FunKPoint(), tmp_path)["refused"]["missing_picture"] == 1
    assert checked(FunKPoint(), tmp_path)["refused"]["picture_empty"] == 1

"""NIGHTS: `right_vote` means the picture on the right; triplets with few votes, and columns in a different order."""

from __future__ import annotations

from pathlib import Path

import pytest
from dataset_fixtures.nights_files import QUOTED, triplets, write_nights
from dataset_reading import checked, read_all, reasons

from benchwright.construction.ground_truth.truths import SimilarityTriplet
from benchwright.construction.readers.nights import Nights
from benchwright.errors import DataError


def test_every_triplet_with_enough_votes_is_a_record(tmp_path: Path) -> None:
    rows = [row for row in write_nights(tmp_path) if int(row["votes"]) >= 6]
    records, refused = read_all(Nights(), tmp_path)
    assert refused == []
    assert len(records) == len(rows) == 31
    for record, row in zip(records, rows, strict=True):
        [truth] = record.truths
        assert isinstance(truth, SimilarityTriplet)
        assert truth.closer == ("right" if row["right_vote"] == "1" else "left")
        assert truth.votes == int(row["votes"])
        assert [picture.path for picture in record.pictures] == [row["ref_path"], row["left_path"], row["right_path"]]
    assert len(read_all(Nights(min_votes=1), tmp_path)[0]) == 40
    assert checked(Nights(min_votes=1), tmp_path)["pictures"] == 120


def test_splits_need_their_column_and_nothing_else_does(tmp_path: Path) -> None:
    write_nights(tmp_path, without="split")
    assert len(read_all(Nights(min_votes=1), tmp_path)[0]) == 40
    with pytest.raises(DataError, match="column 'split' is missing"):
        read_all(Nights(splits=("test",)), tmp_path)
    write_nights(tmp_path / "whole")
    assert [record.record_id for record in read_all(Nights(splits=("test",)), tmp_path / "whole")[0]] == ["nights:0"]


@pytest.mark.parametrize(
    ("old", "new", "detail"),
    [
        ("0,1,0,7", "0,1,1,7", "one must be 1 and the other 0"),
        ("0,1,0,7", "0,0.5,0.5,7", "one must be 1 and the other 0"),
        ("0,1,0,7", "0,1,0,many", "votes"),
        ("ref/000/000.png", "../../etc/passwd", "ref_path"),
        ("000_1.png", "000_0.png", "a picture appears twice"),
        (",test,True", ",test", "9 cells where there are 10 columns"),
    ],
)
def test_a_wrong_row_is_one_refusal(tmp_path: Path, old: str, new: str, detail: str) -> None:
    write_nights(tmp_path)
    path = tmp_path / "nights" / "data.csv"
    path.write_text(QUOTED.replace(old, new), encoding="utf-8")
    records, [refusal] = read_all(Nights(), tmp_path)
    assert (records, reasons([refusal])) == ([], [("data.csv", "line 2", "bad_row")])
    assert detail in refusal.detail


def test_a_missing_picture_of_three_refuses_the_triplet(tmp_path: Path) -> None:
    write_nights(tmp_path)
    (tmp_path / "nights" / triplets()[1]["left_path"]).unlink()
    records, [refusal] = read_all(Nights(min_votes=1), tmp_path)
    assert (len(records), refusal.reason) == (39, "missing_picture")


def test_a_text_without_an_end_costs_no_more_than_its_rows(tmp_path: Path) -> None:
    write_nights(tmp_path)
    path = tmp_path / "nights" / "data.csv"
    path.write_text(path.read_text(encoding="utf-8").replace('"A ""red""', '"A "red', 1), encoding="utf-8")
    records, refused = read_all(Nights(min_votes=1), tmp_path)
    assert [row.reason for row in refused] == ["bad_row"]
    assert len(records) == 39

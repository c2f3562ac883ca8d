"""DIW: pairs of lines, y before x, counted from 1, `>` for farther, JPEG data in `.thumb` files."""

from __future__ import annotations

from pathlib import Path

import pytest
from dataset_fixtures.diw_files import pairs, write_diw
from dataset_reading import checked, read_all, reasons

from benchwright.construction.ground_truth.truths import DepthComparison
from benchwright.construction.readers.diw import Diw
from benchwright.errors import DataError


@pytest.mark.parametrize("folder", ["DIW_Annotations", "DIW_Annotations_splitted"])
def test_every_pair_is_a_record_with_points_in_the_middle_of_their_pixels(tmp_path: Path, folder: str) -> None:
    written = write_diw(tmp_path, folder=folder)
    records, refused = read_all(Diw(), tmp_path)
    assert (len(records), refused) == (41, [])
    for record, pair in zip(records, written, strict=True):
        [truth], [picture] = record.truths, record.pictures
        assert isinstance(truth, DepthComparison)
        assert truth.first == (pair.xa - 1 + 0.5, pair.ya - 1 + 0.5)
        assert truth.second == (pair.xb - 1 + 0.5, pair.yb - 1 + 0.5)
        farther_is_a = pair.relation == ">"
        assert truth.closer == ("second" if farther_is_a else "first")
        assert truth.original["A_yx"] == [pair.ya, pair.xa]
        assert (picture.path, picture.size_wh) == (pair.picture, (pair.width, pair.height))
    assert checked(Diw(), tmp_path)["ok"] is True


def test_sizes_taken_for_height_and_width_contradict_the_picture(tmp_path: Path) -> None:
    write_diw(tmp_path)
    path = tmp_path / "DIW_Annotations" / "DIW_test.csv"
    last = pairs()[-1]
    text = path.read_text(encoding="ascii")
    path.write_text(text.replace(last.lines, last._replace(xa=1, width=60, height=130).lines), encoding="ascii")
    document = checked(Diw(), tmp_path)
    assert document["refused"] == {"other_size": 1}
    assert "states 60 x 130 pixels" in document["examples"][0]["detail"]
    assert "has 130 x 60" in document["examples"][0]["detail"]


@pytest.mark.parametrize(
    ("line", "detail"),
    [
        ("118,70,257,291,=,500,333", "the relation is '='"),
        ("70,118,291,500,>,333,257", "point B is x 500, y 291"),
        ("0,70,257,291,>,500,333", "point A is x 70, y 0, counted from 1"),
        ("118,70,334,291,>,500,333", "point B is x 291, y 334"),
        ("118,70,118,70,>,500,333", "both points are the same"),
        ("118.5,70,257,291,>,500,333", "is not a pair of points"),
        ("118,70,257,291,>,500", "is not a pair of points"),
    ],
)
def test_a_wrong_pair_is_one_refusal_with_its_line(tmp_path: Path, line: str, detail: str) -> None:
    write_diw(tmp_path)
    path = tmp_path / "DIW_Annotations" / "DIW_test.csv"
    path.write_text(path.read_text(encoding="ascii").replace("118,70,257,291,>,500,333", line), encoding="ascii")
    records, [refusal] = read_all(Diw(), tmp_path)
    assert reasons([refusal]) == [("DIW_Annotations/DIW_test.csv", "line 2", "bad_row")]
    assert detail in refusal.detail
    assert len(records) == 40


def test_a_lost_line_costs_one_picture_and_not_the_rest(tmp_path: Path) -> None:
    written = write_diw(tmp_path)
    path = tmp_path / "DIW_Annotations" / "DIW_test.csv"
    lines = path.read_text(encoding="ascii").splitlines()
    path.write_text("\n".join([*lines[:4], *lines[5:], f"./{written[0].picture}"]), encoding="ascii")
    records, refused = read_all(Diw(), tmp_path)
    assert [(row.entry, row.reason) for row in refused] == [("line 4", "bad_row"), ("line 122", "bad_row")]
    assert "no pair of points follows" in refused[0].detail
    assert "the file is truncated" in refused[1].detail
    assert len(records) == 40


def test_a_path_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    write_diw(tmp_path)
    path = tmp_path / "DIW_Annotations" / "DIW_test.csv"
    path.write_text("./../../etc/passwd\n1,2,3,4,>,5,6\n", encoding="ascii")
    records, refused = read_all(Diw(), tmp_path)
    assert (records, [row.reason for row in refused]) == ([], ["bad_row"])  # with its pair of points


def test_a_missing_and_a_broken_picture_are_refused(tmp_path: Path) -> None:
    written = write_diw(tmp_path)
    (tmp_path / written[1].picture).unlink()
    (tmp_path / written[2].picture).write_bytes(b"GIF89a")
    refused = checked(Diw(), tmp_path)["refused"]
    assert refused["missing_picture"] == 1
    assert sum(refused.values()) == 2


def test_a_split_that_is_not_there_is_named(tmp_path: Path) -> None:
    write_diw(tmp_path)
    with pytest.raises(DataError, match="'train_val'; there are test"):
        read_all(Diw(splits=("train_val",)), tmp_path)

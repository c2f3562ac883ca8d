"""IIW: which of two points is darker; fractions of unequal sides, the authors' three rules, and a license per
photograph.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from dataset_fixtures.iiw_files import QUOTED, photo, write_iiw
from dataset_reading import checked, read_all, reasons

from benchwright.construction.ground_truth.truths import ReflectanceComparison
from benchwright.construction.readers.iiw import Iiw
from benchwright.errors import DataError

WORDS = {"1": "first", "2": "second", "E": "equal"}


def test_every_photograph_is_a_record_with_the_comparisons_that_count(tmp_path: Path) -> None:
    photos = write_iiw(tmp_path)
    records, refused = read_all(Iiw(), tmp_path)
    assert refused == []
    assert [record.record_id for record in records] == [f"iiw:{number}" for number in range(1, 41)]
    for record, document in zip(records, photos, strict=True):
        points = {point["id"]: point for point in document["intrinsic_points"]}
        counting = [
            row
            for row in document["intrinsic_comparisons"]
            if row["darker"] in WORDS
            and row["darker_score"] > 0
            and points[row["point1"]]["opaque"]
            and points[row["point2"]]["opaque"]
        ]
        assert len(counting) == len(record.truths)
        for truth, row in zip(record.truths, counting, strict=True):
            assert isinstance(truth, ReflectanceComparison)
            assert (truth.darker, truth.weight) == (WORDS[row["darker"]], row["darker_score"])
            width = 40 + document["photo"]
            pixels = truth.in_pixels([(width, 60)])
            assert pixels.first == (points[row["point1"]]["x"] * width, points[row["point1"]]["y"] * 60)
            assert pixels.second == (points[row["point2"]]["x"] * width, points[row["point2"]]["y"] * 60)
            assert pixels.original["first"] == [points[row["point1"]]["x"], points[row["point1"]]["y"]]


def test_a_photograph_keeps_its_licence_its_author_and_its_id(tmp_path: Path) -> None:
    write_iiw(tmp_path)
    records, _ = read_all(Iiw(), tmp_path)
    first, second = records[0].pictures[0], records[1].pictures[0]
    assert first.licence == "CC BY 2.0 (https://creativecommons.org/licenses/by/2.0/)"
    assert first.attribution == "A. Person (https://example.org/1)"
    assert (first.canonical_id, second.canonical_id) == ("iiw:1", "flickr:9002")


def test_a_floor_of_weights_leaves_surer_comparisons(tmp_path: Path) -> None:
    write_iiw(tmp_path)
    records, _ = read_all(Iiw(min_weight=1.0), tmp_path)
    weights = [
        truth.weight for record in records for truth in record.truths if isinstance(truth, ReflectanceComparison)
    ]
    assert min(weights) >= 1.0
    assert len(weights) == 39 * 2


def test_a_wrong_comparison_is_refused_alone(tmp_path: Path) -> None:
    write_iiw(tmp_path)
    document = photo(2)
    document["intrinsic_comparisons"][0]["point2"] = 77
    document["intrinsic_comparisons"][1]["darker"] = "3"
    (tmp_path / "data" / "2.json").write_text(json.dumps(document), encoding="utf-8")
    records, refused = read_all(Iiw(), tmp_path)
    assert reasons(refused) == [("data/2.json", f"comparison {number}", "bad_row") for number in (0, 1)]
    assert "point 77" in refused[0].detail
    assert "'3'" in refused[1].detail
    assert len(records[1].truths) == 1


def test_a_wrong_cell_leaves_out_the_comparisons_that_need_it_alone(tmp_path: Path) -> None:
    write_iiw(tmp_path)
    document = photo(2)
    document["intrinsic_points"][0]["x"] = 1.5
    document["intrinsic_comparisons"][1]["darker_score"] = "much"
    (tmp_path / "data" / "2.json").write_text(json.dumps(document), encoding="utf-8")
    records, refused = read_all(Iiw(), tmp_path)
    named = [row["id"] for row in document["intrinsic_comparisons"] if 100 in (row["point1"], row["point2"])]
    assert {row.entry for row in refused} == {f"comparison {number}" for number in (*named, 1)}
    assert "point 100 is wrong" in refused[0].detail
    assert "not 1.5" in refused[0].detail
    assert len(records) == 40
    assert records[1].truths


@pytest.mark.parametrize(("stated", "records"), [(1.3333, 1), (0.75, 0), (1.5, 0)], ids=["its own", "turned", "other"])
def test_points_that_were_set_on_a_picture_of_other_proportions_are_refused(
    tmp_path: Path, stated: float, records: int
) -> None:
    write_iiw(tmp_path, 1)
    (tmp_path / "data" / "1.json").write_text(json.dumps({**QUOTED, "aspect_ratio": stated}), encoding="utf-8")
    document = checked(Iiw(), tmp_path)
    assert document["records"] == records
    assert document["refused"] == ({} if records else {"other_size": 1})
    assert all(f"a width of {stated:g} times the height" in row["detail"] for row in document["examples"])


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        ({"image_filename": "3.png"}, "both must be its number"),
        ({"intrinsic_points": None}, "intrinsic_points"),
    ],
    ids=["another picture", "no points"],
)
def test_a_wrong_document_is_one_refusal(tmp_path: Path, change: dict[str, object], detail: str) -> None:
    write_iiw(tmp_path)
    (tmp_path / "data" / "2.json").write_text(json.dumps({**photo(2), **change}), encoding="utf-8")
    records, [refusal] = read_all(Iiw(), tmp_path)
    assert reasons([refusal]) == [("data/2.json", "", "bad_row")]
    assert detail in refusal.detail
    assert len(records) == 39


def test_missing_broken_and_cut_photographs_are_refused_by_reason(tmp_path: Path) -> None:
    write_iiw(tmp_path)
    data = tmp_path / "data"
    (data / "3.png").unlink()
    (data / "4.png").write_bytes(b"no picture")
    (data / "5.png").write_bytes((data / "5.png").read_bytes()[:200])
    (data / "6.json").write_bytes((data / "6.json").read_bytes()[:200])
    document = checked(Iiw(), tmp_path)
    assert document["refused"] == {
        "bad_row": 1,
        "missing_picture": 1,
        "picture_not_an_image": 1,
        "picture_truncated": 1,
    }
    assert (document["records"], document["ok"]) == (36, False)
    assert document["licences"] == {"CC BY 2.0 (https://creativecommons.org/licenses/by/2.0/)": 36}


def test_a_folder_data_of_something_else_is_told_apart(tmp_path: Path) -> None:
    (tmp_path / "data" / "splits").mkdir(parents=True)
    with pytest.raises(DataError, match=r"contains no <number>\.json as IIW"):
        read_all(Iiw(), tmp_path)


def test_files_come_by_number_and_names_that_only_look_like_one_come_last(tmp_path: Path) -> None:
    write_iiw(tmp_path, count=11)
    (tmp_path / "data" / "007.json").write_text("{}")
    (tmp_path / "data" / f"{10**20}.json").write_text("{}")
    (tmp_path / "data" / "x.json").write_text("{}")
    records, refused = read_all(Iiw(), tmp_path)
    assert [record.record_id for record in records] == [f"iiw:{number}" for number in range(1, 12)]
    assert [row.file for row in refused] == ["data/007.json", f"data/{10**20}.json"]

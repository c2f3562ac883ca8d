"""TARA: picture names derived from URLs, dates of all lengths, and URLs that occur twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from dataset_fixtures.tara_files import QUOTED, write_tara
from dataset_reading import checked, read_all, reasons, write_lines

from benchwright.construction.ground_truth.truths import DatedPlace
from benchwright.construction.readers.tara import Tara


def test_every_article_is_a_record_with_its_photograph(tmp_path: Path) -> None:
    rows = write_tara(tmp_path)
    records, refused = read_all(Tara(parts=("train",)), tmp_path)
    assert (len(records), refused) == (30, [])
    assert records[0].pictures[0].path == "images/images-2017-05-23-world-23a-23a-superJumbo.jpg"
    assert records[5].pictures[0].path == "images/images-2018-1-5-a-b5.jpg"
    for record, row in zip(records, rows, strict=False):
        [truth], [picture] = record.truths, record.pictures
        assert isinstance(truth, DatedPlace)
        assert (truth.date, truth.place) == (row["gold_time"] or row["date"], row["gold_location"] or row["location"])
        assert picture.licence == "The New York Times; not to be passed on"
        assert picture.attribution == row["web_url"]


def test_an_address_that_stands_twice_counts_once(tmp_path: Path) -> None:
    write_tara(tmp_path)
    document = checked(Tara(), tmp_path)
    assert (document["records"], document["pictures"], document["refused"]) == (40, 40, {"repeated": 1})


def test_photographs_that_were_not_fetched_are_counted(tmp_path: Path) -> None:
    write_tara(tmp_path)
    for path in sorted((tmp_path / "nyt_preprocessed" / "images").iterdir())[:7]:
        path.unlink()
    _, refused = read_all(Tara(parts=("train", "gold_dev")), tmp_path)
    assert {row.reason for row in refused} == {"missing_picture"}
    assert len(refused) >= 7


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        ({"image_url": "ftp://static01.nyt.com/x.jpg"}, "image_url"),
        ({"image_url": "https://static01.nyt.com/"}, "does not name a picture"),
        ({"image_url": None}, "image_url"),
        ({"gold_time": "23 May 2017"}, "23 May 2017"),
    ],
)
def test_a_wrong_article_is_one_refusal(tmp_path: Path, change: dict[str, object], detail: str) -> None:
    rows = write_tara(tmp_path)
    path = tmp_path / "nyt_preprocessed" / "input" / "gold_dev.jsonl"
    write_lines(path, [rows[30], {**json.loads(QUOTED), **change}])
    records, [refusal] = read_all(Tara(parts=("gold_dev",)), tmp_path)
    assert reasons([refusal]) == [("input/gold_dev.jsonl", "line 2", "bad_row")]
    assert detail in refusal.detail
    assert len(records) == 1


def test_an_address_cannot_lead_out_of_the_folder(tmp_path: Path) -> None:
    write_tara(tmp_path)
    path = tmp_path / "nyt_preprocessed" / "input" / "train.jsonl"
    write_lines(path, [{**json.loads(QUOTED), "image_url": "https://static01.nyt.com/../../../etc/passwd"}])
    _, [refusal] = read_all(Tara(parts=("train",)), tmp_path)
    assert refusal.reason == "missing_picture"
    assert "images/..-..-..-etc-passwd.jpg" in refusal.detail

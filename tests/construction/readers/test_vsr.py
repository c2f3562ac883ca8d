"""VSR: claims, votes in both spellings, pictures wherever people keep COCO's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from dataset_fixtures.pictures import save
from dataset_fixtures.vsr_files import QUOTED, vsr_rows, write_vsr, write_zeroshot
from dataset_reading import read_all, reasons, write_lines

from benchwright.construction.ground_truth.truths import SpatialClaim
from benchwright.construction.readers.vsr import Vsr
from benchwright.errors import DataError
from benchwright.pipeline import plan_requests
from benchwright.recipe import Recipe, step


def test_every_claim_is_one_record_that_says_what_its_row_says(tmp_path: Path) -> None:
    rows = write_vsr(tmp_path)
    records, refused = read_all(Vsr(), tmp_path)
    assert refused == []
    assert len(records) == len(rows) == 41
    for record, row in zip(records, rows, strict=True):
        [truth], [picture] = record.truths, record.pictures
        assert isinstance(truth, SpatialClaim)
        assert (truth.claim, truth.relation, truth.is_true) == (row["caption"], row["relation"], bool(row["label"]))
        assert truth.votes_false == len(json.loads(row["vote_false_validator_id"]))
        assert truth.votes_true == len(json.loads(row["vote_true_validator_id"]))
        assert truth.reference_frame == row["reference_frame"]
        assert picture.path == f"images/{row['image']}"
        assert picture.canonical_id == f"coco:{int(row['image'][:12])}"
        assert picture.attribution == row["image_link"]
    assert (records[0].record_id, records[30].record_id) == ("vsr:random/train:1", "vsr:random/dev:1")


def test_zero_shot_rows_name_subject_and_object_and_one_whose_subject_is_damaged_is_refused(tmp_path: Path) -> None:
    write_vsr(tmp_path)
    write_zeroshot(tmp_path)
    records, [refusal] = read_all(Vsr(split="zeroshot"), tmp_path)
    subjects = [record.truths[0].subject for record in records if isinstance(record.truths[0], SpatialClaim)]
    assert subjects == ["bench", *["cat"] * 39]
    assert (refusal.entry, refusal.reason) == ("line 4", "damaged_text")
    assert "subj is 'at', which is not in the caption 'The cat is" in refusal.detail


def test_pictures_are_found_in_cocos_own_folders_too(tmp_path: Path) -> None:
    rows = write_vsr(tmp_path / "vsr", pictures=False)
    for row in rows:
        save(tmp_path / "coco" / Path(row["image_link"]).parent.name / row["image"], int(row["image"][:12]), 48, 36)
    records, refused = read_all(Vsr(), tmp_path / "vsr", tmp_path / "coco")
    assert (len(records), refused) == (41, [])
    assert records[0].pictures[0].path == "train2017/000000239417.jpg"


@pytest.mark.parametrize(
    ("row", "detail"),
    [
        ("{", "no JSON"),
        ({**json.loads(QUOTED), "label": 2}, "label"),
        ({**json.loads(QUOTED), "label": "true"}, "label"),
        ({**json.loads(QUOTED), "image": "../../etc/passwd"}, "../../etc/passwd"),
        ({**json.loads(QUOTED), "image": "000000000009.jpg"}, "they must name the same picture"),
        ({**json.loads(QUOTED), "vote_true_validator_id": "[1"}, "vote_true_validator_id"),
        ({**json.loads(QUOTED), "reference_frame": 3.0}, "reference_frame is 3"),
        ({key: value for key, value in json.loads(QUOTED).items() if key != "caption"}, "caption: Field required"),
        ('"' + "x" * (1 << 20) + '"', "more than 1 MiB"),
    ],
    ids=["no JSON", "label 2", "label in words", "path", "two pictures", "half a list", "frame 3", "no claim", "long"],
)
def test_a_bad_row_is_one_refusal_with_file_line_and_value(tmp_path: Path, row: object, detail: str) -> None:
    rows = write_vsr(tmp_path)
    write_lines(tmp_path / "data" / "splits" / "random" / "dev.jsonl", [rows[30], row, rows[31]])
    records, [refusal] = read_all(Vsr(), tmp_path)
    assert reasons([refusal]) == [("data/splits/random/dev.jsonl", "line 2", "bad_row")]
    assert detail in refusal.detail
    assert len(records) == 38


@pytest.mark.parametrize(
    "change",
    [{"caption": "The c\ufffdt is on the bed."}, {"caption": "..."}, {"obj": "ed"}, {"subj": ""}],
    ids=["no text", "no letter", "object", "no subject"],
)
def test_a_claim_that_cannot_be_read_makes_no_item(tmp_path: Path, change: dict[str, str]) -> None:
    write_vsr(
        tmp_path, [{**vsr_rows(2)[1], "subj": "cats", "obj": "bed", "caption": "The cats is on the bed.", **change}]
    )
    records, [refusal] = read_all(Vsr(), tmp_path)
    assert (records, refusal.reason) == ([], "damaged_text")


def test_a_missing_picture_is_a_refusal_of_each_claim_about_it(tmp_path: Path) -> None:
    rows = vsr_rows()
    write_vsr(tmp_path)
    (tmp_path / "images" / "000000239417.jpg").unlink()
    (tmp_path / "images" / "000000000001.jpg").unlink()
    records, refused = read_all(Vsr(), tmp_path)
    lost = [row for row in rows if row["image"] in ("000000239417.jpg", "000000000001.jpg")]
    assert [row.reason for row in refused] == ["missing_picture"] * len(lost)
    assert "images/000000239417.jpg" in refused[0].detail
    assert len(records) == 41 - len(lost)


def test_another_folder_says_what_was_expected_and_what_is_there(tmp_path: Path) -> None:
    save(tmp_path / "holiday.jpg", 1, 20, 20)
    with pytest.raises(DataError, match=r"not laid out as VSR.*expected data/splits or data/data_files; found holiday"):
        read_all(Vsr(), tmp_path)


def test_a_number_of_records_keeps_the_claims_that_say_the_same_together(tmp_path: Path) -> None:
    claims = [
        {**row, "image": f"{1000 * side + number:012}.jpg", "label": side, "relation": "on",
         "caption": f"The cat is  {'ON' if side else 'on'} the bed number {number}."}
        for number, row in enumerate(vsr_rows(41)[1:])
        for side in (0, 1)
    ]  # fmt: skip
    for row in claims:
        row["image_link"] = f"http://images.cocodataset.org/train2017/{row['image']}"
        row |= {"vote_true_validator_id": "[]", "vote_false_validator_id": "[]"}
    write_vsr(tmp_path, claims)
    by_chance = {record.record_id: record.chosen_with for record in read_all(Vsr(), tmp_path)[0]}
    assert len(set(by_chance.values())) == len(by_chance) / 2
    steps = [step("dataset", reader="vsr", folder=str(tmp_path), records=20), step("spatial_relation", min_side_px=16)]
    [(_, hardened), (_, paper)] = plan_requests(Recipe("together", steps, seed=3)).expected
    assert (hardened.items, dict(hardened.left_out), paper.items) == (10, {"counterpart_taken": 10}, 20)

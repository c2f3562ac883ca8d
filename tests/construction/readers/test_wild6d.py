"""Wild6D: poses from pickles without running code, frames by number, missing masks, and outdated names."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dataset_fixtures.wild6d_files import FRAMES, write_wild6d
from dataset_reading import checked, read_all

from benchwright.construction.ground_truth.truths import CameraPoses
from benchwright.construction.readers.wild6d import Wild6D
from benchwright.errors import DataError

FIRST = "test_set/pkl_annotations/bottle/bottle-0001-1.pkl"


def test_every_video_is_a_record_whose_cameras_stand_where_the_poses_say(tmp_path: Path) -> None:
    written = write_wild6d(tmp_path)
    records, refused = read_all(Wild6D(max_frames=100), tmp_path)
    assert {record.record_id.removeprefix("wild6d:") for record in records} == set(written)
    assert [(row.entry, row.reason) for row in refused] == [("frame 5", "missing_mask")]
    for record in records:
        [truth] = record.truths
        assert isinstance(truth, CameraPoses)
        video = record.record_id.removeprefix("wild6d:")
        expected = [frame for frame in range(FRAMES) if (video, frame) != ("bottle/0001/1", 5)]
        assert [pose.frame for pose in truth.poses] == expected
        for pose, picture in zip(truth.poses, record.pictures, strict=True):
            annotation = written[video][pose.frame]
            centre = -annotation["rotation"].T @ annotation["translation"]
            assert pose.centre == pytest.approx(tuple(centre))
            assert picture.path.endswith(f"/{pose.frame}.jpg")
            assert picture.size_wh == (32, 40)
            assert picture.licence == "academic research only"
    assert any("/rgbd/" in picture.path for record in records for picture in record.pictures)
    document = checked(Wild6D(max_frames=100), tmp_path)
    assert (document["pictures"], document["truths"]) == (3 * FRAMES - 1, {"poses": 3})


def test_a_list_with_an_old_prefix_says_which_frames_count(tmp_path: Path) -> None:
    write_wild6d(tmp_path)
    path = tmp_path / "Wild6D" / "test_set" / "test_list_mug.txt"
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(lines[:4]), encoding="utf-8")
    [record], _ = read_all(Wild6D(categories=("mug",)), tmp_path)
    assert [Path(picture.path).name for picture in record.pictures] == ["0.jpg", "1.jpg", "2.jpg", "3.jpg"]
    path.unlink()
    [record], _ = read_all(Wild6D(categories=("mug",)), tmp_path)
    assert len(record.pictures) == FRAMES


def test_few_frames_are_taken_at_equal_distances(tmp_path: Path) -> None:
    write_wild6d(tmp_path)
    [record], _ = read_all(Wild6D(categories=("mug",), max_frames=3), tmp_path)
    assert [Path(picture.path).name for picture in record.pictures] == ["0.jpg", "6.jpg", "13.jpg"]


class Runs:
    """Something that would leave a trace when it is loaded."""

    def __reduce__(self) -> Any:
        return os.mkdir, ("trace",)


def test_a_pickle_that_calls_something_is_refused_and_runs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_wild6d(tmp_path)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    (tmp_path / "Wild6D" / FIRST).write_bytes(pickle.dumps({"num_frames": 1, "annotations": [Runs()]}))
    records, refused = read_all(Wild6D(), tmp_path)
    assert len(records) == 2
    [refusal] = [row for row in refused if row.file == FIRST]
    assert refusal.reason == "refused_pickle"
    assert "mkdir, which is not data; nothing was run" in refusal.detail
    assert list((tmp_path / "here").iterdir()) == []


def altered(tmp_path: Path, change: Any) -> tuple[int, list[tuple[str, str]], str]:
    """Return how many records are left, and what is refused of the first video, with the first detail."""
    written = write_wild6d(tmp_path)
    annotations = written["bottle/0001/1"]
    change(annotations)
    document = {"num_frames": FRAMES, "intrinsics": np.eye(3), "annotations": annotations}
    (tmp_path / "Wild6D" / FIRST).write_bytes(pickle.dumps(document))
    records, refused = read_all(Wild6D(), tmp_path)
    rows = [row for row in refused if row.reason != "missing_mask"]
    return len(records), [(row.entry, row.reason) for row in rows], rows[0].detail if rows else ""


@pytest.mark.parametrize(
    ("change", "entry", "reason", "detail"),
    [
        (lambda rows: rows[3].update(rotation=2 * np.eye(3)), "frame 3", "bad_row", "which is not a rotation matrix"),
        (
            lambda rows: rows[3].update(rotation=np.diag([1, 1, -1.0])),
            "frame 3",
            "bad_row",
            "which includes a reflection",
        ),
        (lambda rows: rows[3].update(rotation=np.eye(2)), "frame 3", "bad_row", "rotation"),
        (lambda rows: rows[3].update(name="bottle/0002/1/0003"), "frame 3", "bad_row", "belongs to another video"),
        (lambda rows: rows.pop(), "frame 13", "missing_pose", "13 poses, none for frame 13"),
    ],
    ids=["scaled", "mirrored", "wrong shape", "another video", "too few"],
)
def test_a_wrong_pose_costs_its_frame(tmp_path: Path, change: Any, entry: str, reason: str, detail: str) -> None:
    left, refused, first_detail = altered(tmp_path, change)
    assert (left, refused) == (3, [(entry, reason)])
    assert detail in first_detail


def test_a_size_that_contradicts_the_frames_refuses_the_video(tmp_path: Path) -> None:
    write_wild6d(tmp_path)
    metadata = tmp_path / "Wild6D" / "test_set" / "mug" / "0002" / "1" / "metadata"
    metadata.write_text('{"K": [1, 0, 0, 0, 1, 0, 0, 0, 1], "w": 40, "h": 32}', encoding="utf-8")
    assert checked(Wild6D(), tmp_path)["refused"] == {"missing_mask": 1, "other_size": 1}


def test_training_videos_without_poses_are_told_apart(tmp_path: Path) -> None:
    write_wild6d(tmp_path)
    (tmp_path / "Wild6D" / "test_set").rename(tmp_path / "elsewhere")
    with pytest.raises(DataError, match=r"not laid out as Wild6D, test set.*expected test_set/pkl_annotations"):
        read_all(Wild6D(), tmp_path / "Wild6D")

"""HPatches: six pictures and the homographies that made them; the patch stacks are refused."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import numpy as np
import pytest
from dataset_fixtures.hpatches_files import HEIGHT, WIDTH, write_hpatches
from dataset_reading import checked, read_all, reasons
from PIL import Image

from benchwright.construction.ground_truth.truths import Homographies, at_pixel_centres
from benchwright.construction.readers.hpatches import HPatches
from benchwright.errors import DataError

FOLDER = "hpatches-sequences-release"


def test_a_point_of_the_first_picture_is_found_at_its_place_in_every_other(tmp_path: Path) -> None:
    written = write_hpatches(tmp_path)
    records, refused = read_all(HPatches(), tmp_path)
    assert (len(records), refused) == (40, [])
    for record in records:
        [truth] = record.truths
        assert isinstance(truth, Homographies)
        name = record.record_id.removeprefix("hpatches:")
        assert truth.change == {"i": "illumination", "v": "viewpoint"}[name[0]]
        for matrix, of_file in zip(truth.matrices, written[name], strict=True):
            pixel = of_file @ [20.0, 30.0, 1.0]  # counted from the centre of the first pixel
            ours = np.array(matrix) @ [20.5, 30.5, 1.0]
            assert ours[:2] / ours[2] == pytest.approx(pixel[:2] / pixel[2] + 0.5, abs=1e-9)


@pytest.mark.slow
def test_the_direction_is_that_of_the_pictures(tmp_path: Path) -> None:
    write_hpatches(tmp_path, 7)
    records, _ = read_all(HPatches(change="viewpoint"), tmp_path)
    compared = 0
    for record in records:
        [truth] = record.truths
        assert isinstance(truth, Homographies)
        first, *others = (np.asarray(Image.open(tmp_path / FOLDER / picture.path)) for picture in record.pictures)
        for matrix, other in zip(truth.matrices[1:], others, strict=True):
            for y, x in np.ndindex(other.shape[:2]):
                source = np.linalg.inv(np.array(matrix)) @ [x + 0.5, y + 0.5, 1.0]
                u, v = np.rint(source[:2] / source[2] - 0.5).astype(int)
                if 0 <= u < WIDTH and 0 <= v < HEIGHT:
                    compared += 1
                    assert (other[y, x] == first[v, u]).all()
    assert compared > 30_000


def test_only_the_change_asked_for_and_no_large_sequence_is_read(tmp_path: Path) -> None:
    write_hpatches(tmp_path, 6)
    (tmp_path / FOLDER / "v_tiny0").rename(tmp_path / FOLDER / "v_talent")
    names = [record.record_id for record in read_all(HPatches(change="viewpoint", without_large=True), tmp_path)[0]]
    assert names == ["hpatches:v_tiny2", "hpatches:v_tiny4"]


def test_pixmaps_are_opened_and_cut_ones_refused(tmp_path: Path) -> None:
    write_hpatches(tmp_path, 4)
    assert checked(HPatches(), tmp_path)["pictures"] == 4 * 6 - 2 * 5 + len({2, 3, 4, 5, 6}) * 2
    path = tmp_path / FOLDER / "v_tiny0" / "3.ppm"
    path.write_bytes(path.read_bytes()[:500])
    (tmp_path / FOLDER / "v_tiny2" / "4.ppm").unlink()
    assert checked(HPatches(), tmp_path)["refused"] == {"missing_picture": 1, "picture_truncated": 1}


def test_a_plain_tar_archive_is_read_as_it_is(tmp_path: Path) -> None:
    write_hpatches(tmp_path, 3)
    with tarfile.open(tmp_path / "sequences.tar", "w") as archive:
        archive.add(tmp_path / FOLDER, FOLDER)
    plain, packed = read_all(HPatches(), tmp_path / FOLDER), read_all(HPatches(), tmp_path / "sequences.tar")
    assert packed == plain
    assert checked(HPatches(), tmp_path / "sequences.tar")["ok"] is True
    data = (tmp_path / "sequences.tar").read_bytes()
    (tmp_path / "sequences.tar").write_bytes(data[: len(data) // 2])
    with pytest.raises(DataError, match=r"sequences\.tar is not a complete archive"):
        read_all(HPatches(), tmp_path / "sequences.tar")


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("1 0 0 0 1 0 0 0", "8 numbers"),
        ("1 0 0 0 1 0 0 0 x", "could not convert"),
        ("1 0 0 0 nan 0 0 0 1", "nine finite"),
        ("1 0 0 1 0 0 0 0 1", "cannot be inverted"),
        ("0 0 0 0 0 0 0 0 0", "cannot be inverted"),
    ],
)
def test_a_wrong_matrix_leaves_out_its_picture_alone(tmp_path: Path, text: str, detail: str) -> None:
    written = write_hpatches(tmp_path, 3)["i_tiny1"]
    (tmp_path / FOLDER / "i_tiny1" / "H_1_4").write_text(text, encoding="ascii")
    records, [refusal] = read_all(HPatches(), tmp_path)
    assert reasons([refusal]) == [("i_tiny1", "H_1_4", "bad_row")]
    assert detail in refusal.detail
    [record] = [record for record in records if record.record_id == "hpatches:i_tiny1"]
    assert [picture.path for picture in record.pictures] == [f"i_tiny1/{number}.ppm" for number in (1, 2, 3, 5, 6)]
    [truth] = record.truths
    assert isinstance(truth, Homographies)
    assert np.array(truth.matrices[3]) == pytest.approx(np.array(at_pixel_centres(written[4].tolist())), abs=1e-9)
    assert (truth.original["pictures"], len(records)) == ([1, 2, 3, 5, 6], 3)


def test_a_missing_matrix_and_a_picture_that_cannot_be_used_leave_out_that_picture_alone(tmp_path: Path) -> None:
    written = write_hpatches(tmp_path, 3)["v_tiny2"]
    (tmp_path / FOLDER / "i_tiny1" / "H_1_6").unlink()
    (tmp_path / FOLDER / "i_tiny1" / "2.ppm").unlink()
    (tmp_path / FOLDER / "v_tiny2" / "1.ppm").write_bytes(b"no picture")
    records, refused = read_all(HPatches(), tmp_path)
    assert sorted(row.reason for row in refused) == ["missing_picture", "unreadable_file"]
    assert "H_1_6 does not exist" in refused[0].detail
    assert [len(record.pictures) for record in records] == [4, 6, 6]
    document = checked(HPatches(), tmp_path)
    assert (document["records"], document["refused"]["picture_not_an_image"]) == (3, 1)
    rest = records[2].without_pictures({0})
    assert rest is not None
    [truth] = rest.truths
    assert isinstance(truth, Homographies)
    between = at_pixel_centres((written[3] @ np.linalg.inv(written[1])).tolist())  # from picture 2 to picture 4
    ours, theirs = (np.array(matrix) @ [20.5, 30.5, 1.0] for matrix in (truth.matrices[2], between))
    assert ours[:2] / ours[2] == pytest.approx(theirs[:2] / theirs[2], abs=1e-9)


def test_the_patch_release_is_refused_as_the_wrong_archive(tmp_path: Path) -> None:
    folder = tmp_path / "hpatches-release" / "v_abstract"
    folder.mkdir(parents=True)
    buffer = io.BytesIO()
    Image.new("L", (65, 650)).save(buffer, "PNG")
    for name in ("ref.png", "e1.png", "h1.png"):
        (folder / name).write_bytes(buffer.getvalue())
    (folder / "H_ref_1").write_text("1,0,0\n0,1,0\n0,0,1\n")
    with pytest.raises(DataError, match=r"patch stacks of HPatches.*expected the full image sequences"):
        read_all(HPatches(), tmp_path)

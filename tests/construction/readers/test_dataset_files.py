"""Files of a dataset: folders, archives in them, archives alone; whatever is cut, damaged or leads elsewhere."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path

import pytest

from benchwright.construction.source_files import DatasetFiles
from benchwright.errors import DataError

CONTENT = {"set/a/1.txt": b"one", "set/a/2.txt": b"two", "set/b.txt": b"three", "set/aa/3.txt": b"four" * 5000}


@pytest.fixture(params=["folder", "zip", "tar", "zip in it", "tar in it"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> DatasetFiles:
    """The same files, kept in five ways."""
    for name, data in CONTENT.items():
        (tmp_path / "plain" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "plain" / name).write_bytes(data)
    if request.param == "folder":
        return DatasetFiles(tmp_path / "plain" / "set")
    (tmp_path / "in").mkdir()
    kind = request.param[:3]
    path = tmp_path / "in" / f"set.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in CONTENT.items():
                archive.writestr(name, data)
    else:
        with tarfile.open(path, "w") as archive_of_tar:
            archive_of_tar.add(tmp_path / "plain" / "set", "./set")
    whole = DatasetFiles(path if request.param == kind else tmp_path / "in")
    return whole.at(["b.txt", "a"], "a set")


def test_a_dataset_reads_the_same_however_it_is_kept(files: DatasetFiles) -> None:
    assert [name for name in files.listing() if not name.startswith("set")] == ["a/", "aa/", "b.txt"]
    assert list(files.walk("a")) == ["a/1.txt", "a/2.txt"]
    assert list(files.walk("aa", suffixes=(".txt",))) == ["aa/3.txt"]
    assert files.read("./a/2.txt") == b"two"
    assert files.read("aa/3.txt") == b"four" * 5000
    assert files.first("no.txt", "b.txt") == "b.txt"
    assert (files.has("a"), files.has_folder("a"), files.has("a/3.txt")) == (False, True, False)
    with files.as_path("a/1.txt") as path:
        assert path.read_bytes() == b"one"


@pytest.mark.parametrize("path", ["../plain/set/b.txt", "/etc/passwd", "a/../../x", "", "b.txt\0"])
def test_paths_that_lead_elsewhere_are_not_there(files: DatasetFiles, path: str) -> None:
    assert not files.has(path)
    assert files.local(path) is None
    with pytest.raises(DataError, match="is not there"):
        files.read(path)


def test_a_file_larger_than_allowed_is_refused(files: DatasetFiles) -> None:
    with pytest.raises(DataError, match=r"more than 1,000 bytes"):
        files.read("aa/3.txt", max_bytes=1000)


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "a.txt").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(DataError, match="leads out of the folder"):
        DatasetFiles(tmp_path / "set").read("a.txt")


@pytest.mark.parametrize("share", [0.3, 0.9], ids=["in the middle", "near the end"])
def test_a_cut_zip_archive_is_named(tmp_path: Path, share: float) -> None:
    with zipfile.ZipFile(tmp_path / "images.zip", "w") as archive:
        for name, data in CONTENT.items():
            archive.writestr(name, data)
    data = (tmp_path / "images.zip").read_bytes()
    (tmp_path / "images.zip").write_bytes(data[: int(share * len(data))])
    with pytest.raises(DataError, match=r"images\.zip is no complete archive.*fetch it again"):
        DatasetFiles(tmp_path).has("a.txt")


@pytest.mark.parametrize("cut", [700, 2048, 10_000])
def test_a_cut_tar_archive_is_named(tmp_path: Path, cut: int) -> None:
    (tmp_path / "file").write_bytes(b"x" * 1000)
    with tarfile.open(tmp_path / "images.tar", "w", format=tarfile.USTAR_FORMAT) as archive:
        for number in range(4):
            archive.add(tmp_path / "file", f"{number}.txt")
    data = (tmp_path / "images.tar").read_bytes()
    assert data[4 * 1536 :].strip(b"\0") == b""
    (tmp_path / "images.tar").write_bytes(data[: min(cut, 4 * 1536)])
    with pytest.raises(DataError, match=r"images\.tar is no complete archive"):
        DatasetFiles(tmp_path).has("1.txt")


def test_a_damaged_member_is_named(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "images.zip", "w") as archive:
        archive.writestr("a.txt", b"whole" * 100)
    data = (tmp_path / "images.zip").read_bytes().replace(b"wholewhole", b"whalewhole", 1)
    (tmp_path / "images.zip").write_bytes(data)
    with pytest.raises(DataError, match=r"images\.zip: member 'a\.txt' cannot be read: Bad CRC-32"):
        DatasetFiles(tmp_path).read("a.txt")


def test_a_compressed_tar_archive_asks_to_be_unpacked(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "SPair-71k.tar.gz", "w:gz") as archive:
        archive.add(__file__, "x")
    with pytest.raises(DataError, match=r"unpack SPair-71k\.tar\.gz first"):
        DatasetFiles(tmp_path).at(["PairAnnotation"], "SPair-71k")
    with pytest.raises(DataError, match="neither a folder nor a ZIP or plain TAR archive"):
        DatasetFiles(tmp_path / "SPair-71k.tar.gz").listing()

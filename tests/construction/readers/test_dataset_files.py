"""Files of a dataset: folders, archives in folders, single archives, and files that are truncated, damaged or lead
elsewhere.
"""

from __future__ import annotations

import io
import os
import socket
import tarfile
import warnings
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchwright.errors import DataError
from benchwright.source_files.files import DatasetFiles

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
    with pytest.raises(DataError, match="does not exist"):
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
    files = DatasetFiles(tmp_path)
    with pytest.raises(
        DataError, match=r"a\.txt does not exist; .*images\.zip is not a complete archive.*fetch it again"
    ):
        files.read("a.txt")
    assert [(row.file, row.reason) for row in files.refused()] == [("images.zip", "damaged_archive")]
    with pytest.raises(DataError, match="is not a complete archive"):
        DatasetFiles(tmp_path / "images.zip").listing()


@pytest.mark.parametrize("cut", [700, 2048, 10_000])
def test_a_cut_tar_archive_is_named(tmp_path: Path, cut: int) -> None:
    (tmp_path / "file").write_bytes(b"x" * 1000)
    with tarfile.open(tmp_path / "images.tar", "w", format=tarfile.USTAR_FORMAT) as archive:
        for number in range(4):
            archive.add(tmp_path / "file", f"{number}.txt")
    data = (tmp_path / "images.tar").read_bytes()
    assert data[4 * 1536 :].strip(b"\0") == b""
    (tmp_path / "images.tar").write_bytes(data[: min(cut, 4 * 1536)])
    files = DatasetFiles(tmp_path)
    assert not files.has("1.txt")
    assert [(row.file, row.reason) for row in files.refused()] == [("images.tar", "damaged_archive")]
    with pytest.raises(DataError, match=r"images\.tar is not a complete archive"):
        DatasetFiles(tmp_path / "images.tar").listing()


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


def packed(path: Path, names: Sequence[str]) -> Path:
    """Write an archive whose members have these names, and their number as content."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive, warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # names that stand twice
            for number, name in enumerate(names):
                archive.writestr(name, str(number))
    else:
        with tarfile.open(path, "w") as archive_of_tar:
            for number, name in enumerate(names):
                member = tarfile.TarInfo(name)
                member.size = len(str(number))
                archive_of_tar.addfile(member, io.BytesIO(str(number).encode()))
    return path


@pytest.mark.parametrize("end", [".zip", ".tar"])
@pytest.mark.parametrize(
    ("name", "read_as"),
    [
        ("./q.csv", "q.csv"), ("/q.csv", "q.csv"), ("//q.csv", "q.csv"), ("a//q.csv", "a/q.csv"),
        ("a/./q.csv", "a/q.csv"), ("Q.csv", "Q.csv"), ("other.csv/q.csv", "other.csv/q.csv"), ("\x1b[2J.csv", "\x1b[2J.csv"),
        ("d/" * 1500 + "q.csv", "d/" * 1500 + "q.csv"),
    ],
    ids=["dot", "absolute", "slashes", "empty part", "dot part", "twin", "file as folder", "terminal", "deep"],
)  # fmt: skip
def test_odd_names_of_members_are_read_as_they_would_be_unpacked(
    tmp_path: Path, end: str, name: str, read_as: str
) -> None:
    packed(tmp_path / f"q{end}", [name, "other.csv"])
    files = DatasetFiles(tmp_path)
    assert list(files.walk(suffixes=(".csv",))) == sorted([read_as, "other.csv"])
    assert (files.read(read_as), files.read("other.csv")) == (b"0", b"1")
    assert files.refused() == []


@pytest.mark.parametrize("end", [".zip", ".tar"])
@pytest.mark.parametrize(
    "name", ["../q.csv", "a/../q.csv", "/..", "x" * 5000, "other.csv"], ids=["above", "within", "root", "long", "twice"]
)
def test_members_that_cannot_be_read_are_told_once_and_the_rest_is_read(tmp_path: Path, end: str, name: str) -> None:
    packed(tmp_path / f"q{end}", [name, "other.csv"])
    files = DatasetFiles(tmp_path)
    assert list(files.walk(suffixes=(".csv",))) == ["other.csv"]
    assert files.read("other.csv") == b"1"
    [row] = files.refused()
    assert (row.file, row.reason) == (f"q{end}", "unusable_member")
    assert name[:10] in row.entry


def test_names_of_windows_are_paths_in_zip_archives(tmp_path: Path) -> None:
    packed(tmp_path / "q.zip", ["images\\1.jpg"])
    assert list(DatasetFiles(tmp_path).walk()) == ["images/1.jpg", "q.zip"]


def test_links_and_devices_in_an_archive_are_told(tmp_path: Path) -> None:
    kinds = {"link": tarfile.SYMTYPE, "twin": tarfile.LNKTYPE, "pipe": tarfile.FIFOTYPE, "disk": tarfile.BLKTYPE}
    with tarfile.open(tmp_path / "q.tar", "w") as archive:
        for name, kind in kinds.items():
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "/etc/passwd"
            archive.addfile(member)
    files = DatasetFiles(tmp_path / "q.tar")
    assert list(files.walk()) == []
    assert [row.entry for row in files.refused()] == [f"member {name!r}" for name in kinds]


def test_thousands_of_wrong_members_are_counted(tmp_path: Path) -> None:
    packed(tmp_path / "q.zip", [*(f"../{number}" for number in range(1500)), "q.csv"])
    files = DatasetFiles(tmp_path / "q.zip")
    assert list(files.walk()) == ["q.csv"]
    assert (len(files.refused()), files.refused()[-1].entry) == (1001, "500 more members")


def test_a_header_that_leads_back_is_no_endless_archive(tmp_path: Path) -> None:
    path = packed(tmp_path / "q.tar", ["a", "b"])
    data = bytearray(path.read_bytes())
    data[124:136] = b"\xff" * 8 + (-1024).to_bytes(4, "big", signed=True)  # a size of -1024, as GNU writes large ones
    data[148:156] = b"%06o\0 " % (256 + sum(data[:148]) + sum(data[156:512]))
    path.write_bytes(data)
    with pytest.raises(DataError, match="is not a complete archive"):
        DatasetFiles(path).listing()


def test_entries_of_a_folder_that_are_no_files_are_told_and_the_rest_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "a" / "q.csv").write_bytes(b"q")
    links = {
        "self": "self",
        "up": ".",
        "gone": "nowhere",
        "out": "/usr",
        "a/b": "../b",
        "b/a": "../a",
        "zero": "/dev/zero",
    }
    for name, target in links.items():
        (tmp_path / name).symlink_to(target)
    os.mkfifo(tmp_path / "pipe.csv")
    os.mkfifo(tmp_path / "pipe.tar")
    with socket.socket(socket.AF_UNIX) as unix:
        unix.bind(str(tmp_path / "socket"))
        files = DatasetFiles(tmp_path)
        assert list(files.walk()) == ["a/q.csv"]
    refused = {row.file: row for row in files.refused()}
    assert refused.keys() >= {"self", "up", "gone", "out", "zero", "pipe.csv", "pipe.tar", "socket"}
    assert {row.reason for row in refused.values()} == {"unusable_entry"}


def test_a_folder_that_may_not_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "closed").mkdir()
    (tmp_path / "open").mkdir()
    (tmp_path / "open" / "q.csv").write_bytes(b"q")
    (tmp_path / "closed").chmod(0)
    scandir = os.scandir

    def as_anyone(place: str) -> object:
        # The tests may run as root, who may read everything.
        if not os.stat(place).st_mode & 0o400:
            raise PermissionError(13, "Permission denied")
        return scandir(place)

    monkeypatch.setattr(os, "scandir", as_anyone)
    files = DatasetFiles(tmp_path)
    assert list(files.walk()) == ["open/q.csv"]
    [row] = files.refused()
    assert (row.file, row.detail) == ("closed", "the folder cannot be read: Permission denied")

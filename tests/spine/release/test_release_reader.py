"""Reading a release that may come from anyone.

- A folder that is not a release, is damaged or is newer than this program is refused with a message.
- Nothing outside the folder is ever read.
- A changed byte yields an error or the same item, never a different one.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys

import pytest

from benchwright.errors import BenchwrightError, DataError
from benchwright.release import Release
from benchwright.release.format import rows
from benchwright.release.format.manifest import seal


@pytest.fixture
def folder(bench, tmp_path):
    return bench.write(tmp_path / "r").path


def rewrite(folder, change):
    """Change a release's manifest and seal it again, as the release's author could."""
    document = json.loads((folder / "manifest.json").read_text())
    change(document)
    data = json.dumps(document).encode()
    (folder / "manifest.json").write_bytes(data)
    (folder / "manifest.sha256").write_bytes(seal(data))


def test_a_release_says_what_it_is(folder):
    release = Release.open(str(folder))
    assert (release.name, release.version, len(release), release.splits) == (
        "tiny",
        "1.0",
        8,
        ("test", "val"),
    )
    assert release.manifest.recipe == {"name": "tiny", "seed": 17}
    assert release.path == folder


def test_importing_the_package_loads_neither_arrow_nor_pydantic():
    script = "import sys, benchwright.release; print(sorted({'pyarrow', 'pydantic'} & sys.modules.keys()))"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


def test_reading_an_item_loads_no_pandas_yaml_or_compute_functions(folder):
    """They would take as long as all that is needed."""
    script = (
        "import sys; from benchwright import Release; next(iter(Release.open(sys.argv[1]).items())); "
        "print(sorted({'pandas', 'yaml', 'pyarrow.compute', 'PIL', 'cv2'} & sys.modules.keys()))"
    )
    ran = subprocess.run([sys.executable, "-c", script, str(folder)], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


def test_a_folder_without_a_manifest_and_a_missing_folder_are_refused(tmp_path):
    with pytest.raises(DataError, match=r"not a readable release: manifest\.json: missing"):
        Release.open(tmp_path)
    with pytest.raises(DataError, match="is not a folder"):
        Release.open(tmp_path / "nowhere")


def test_a_newer_format_is_refused_in_words(folder):
    rewrite(folder, lambda document: document.update(version=4, surprise=True))
    with pytest.raises(DataError, match=r"version 4 .* reads up to version 3; upgrade benchwright"):
        Release.open(folder)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[1, 2]", id="a-list"),
        pytest.param("{}", id="no-format"),
        pytest.param('{"format": "benchwright/release"}', id="no-version"),
        pytest.param('{"format": "benchwright/release", "version": true}', id="version-true"),
        pytest.param('{"format": "benchwright/release", "version": 1}', id="nothing-else"),
        pytest.param('{"format": "benchwright/release", "version": NaN}', id="nan"),
        pytest.param("[" * 100_000, id="deep"),
        pytest.param('{"a":' * 100_000 + "1" + "}" * 100_000, id="deep-and-closed"),
        pytest.param("9" * 10_000, id="long-number"),
        pytest.param('{"format": 1, "format": "benchwright/release"}', id="a-key-twice"),
        pytest.param("\udcff", id="no-utf8"),
    ],
)
def test_a_manifest_that_is_none_is_refused(folder, text):
    data = text.encode("utf-8", "surrogateescape")
    (folder / "manifest.json").write_bytes(data)
    (folder / "manifest.sha256").write_bytes(seal(data))
    with pytest.raises(DataError, match=r"manifest\.json"):
        Release.open(folder)


@pytest.mark.parametrize(
    "name",
    [
        "../secret.parquet",
        "/etc/passwd",
        "data/../../secret",
        "data\\x",
        "data//x",
        "a/b/c",
        "",
        ".hidden",
        "x\n",
    ],
)
def test_a_manifest_that_lists_what_lies_elsewhere_is_refused(folder, name):
    entry = {"sha256": "0" * 64, "size_bytes": 1}
    rewrite(folder, lambda document: document["files"].update({name: entry}))
    with pytest.raises(DataError, match="may not list a file named"):
        Release.open(folder)


def test_a_manifest_changed_after_sealing_is_refused(folder):
    text = (folder / "manifest.json").read_text()
    (folder / "manifest.json").write_text(text.replace('"seed": 17', '"seed": 71'))
    with pytest.raises(DataError, match=r"damaged: manifest\.json does not match"):
        Release.open(folder)


def test_a_data_file_behind_a_link_is_not_read(folder, tmp_path):
    data = folder / "data" / "val-00000.parquet"
    data.rename(tmp_path / "elsewhere.parquet")
    data.symlink_to(tmp_path / "elsewhere.parquet")
    with pytest.raises(DataError, match=r"data/val-00000\.parquet: not a regular file"):
        list(Release.open(folder).items("val"))
    shutil.move(folder / "data", tmp_path / "data")
    (folder / "data").symlink_to(tmp_path / "data")
    with pytest.raises(DataError, match=r"data/test-00000\.parquet: not a regular file"):
        list(Release.open(folder).items("test"))


def test_a_picture_that_is_not_the_one_of_its_id_is_refused_when_it_is_looked_at(bench, folder, monkeypatch):
    monkeypatch.setattr(rows, "bytes_digest", lambda data: "0" * 64)
    first, *_ = Release.open(folder).items_without_pictures()
    with pytest.raises(DataError, match=f"{first.item.item_id}: the bytes of image 1 do not match image_id"):
        first.images  # noqa: B018


def test_a_data_file_that_changes_between_item_and_picture_is_refused(folder):
    release = Release.open(folder)
    first, *_ = release.items_without_pictures()
    name, other = (release.manifest.data_files(split)[0] for split in release.splits)
    shutil.copy(folder / other, folder / name)
    with pytest.raises(DataError, match=f"{name} changed during reading"):
        first.images  # noqa: B018


def test_an_unknown_split_is_refused_with_those_there_are(folder):
    with pytest.raises(BenchwrightError, match="no split 'train'; it has test, val"):
        list(Release.open(folder).items("train"))


def test_a_flipped_byte_of_data_never_gives_another_question(bench, folder):
    expected = {item.item_id: item.content_hash for item, _ in bench.items}
    path = folder / "data" / "test-00000.parquet"
    whole = path.read_bytes()
    rng = random.Random(3)
    refused = 0
    for position in rng.sample(range(len(whole)), k=100):
        path.write_bytes(whole[:position] + bytes([whole[position] ^ 1 << rng.randrange(8)]) + whole[position + 1 :])
        try:
            for one in Release.open(folder).items("test"):
                assert expected[one.item.item_id] == one.item.content_hash
        except DataError:
            refused += 1
    assert refused > 30


@pytest.mark.parametrize("length", [0, 4, 1_000])
def test_a_data_file_cut_short_is_refused(folder, length):
    path = folder / "data" / "val-00000.parquet"
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(DataError, match=r"data/val-00000\.parquet: cannot be read as Parquet"):
        list(Release.open(folder).items())

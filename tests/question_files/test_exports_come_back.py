"""Exports of `release export` are read back as the same questions, options and keys, and a release as the same
items.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import ROOT
from exported_releases import Expected, expected_items, pixels_of, same_pixels
from nasty_release import nasty_release
from small_bench import small_bench

from benchwright.errors import DataError
from benchwright.exports import export_release
from benchwright.pipeline import run_recipe
from benchwright.question_files.item_check import read_questions
from benchwright.question_files.question_source import open_source
from benchwright.question_files.tables.rows import rows_of
from benchwright.recipe import load_recipe
from benchwright.records import LETTERS
from benchwright.release import Release
from benchwright.rooms import catalogue
from benchwright.source_files.refusals import RefusedRow
from benchwright.source_files.rows import Row

FORMATS = sorted(set(catalogue("formats")) - {"coco"})


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return nasty_release(tmp_path_factory.mktemp("nasty") / "r")


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_an_export_comes_back_as_the_same_questions_options_and_keys(
    name: str, release: Release, tmp_path: Path
) -> None:
    export_release(release, name, tmp_path / "out")
    expected = {item.item_id: item for item in expected_items(release)}
    stated = {released.item.item_id: released.item for released in release.items()}
    with read_questions(tmp_path / "out", keeps_copies=True) as read:
        keyless = sum(item.answer is None and item.refusal is None for item in stated.values())
        assert read.left_out == {"no_key": keyless}
        pictures = {picture.image_id: picture.file for picture in read.index.pictures()}
        questions = list(read.index.questions())
        assert {entry.question.key for entry in questions} == expected.keys()
        for entry in questions:
            question, wanted = entry.question, expected[entry.question.key]
            assert (question.split, question.ask, question.kind) == (
                wanted.split, _asked(name, wanted, stated[question.key].question), stated[question.key].kind,
            )  # fmt: skip
            options = [f"Image {option + 1}" if isinstance(option, int) else option for option in question.options]
            assert options == wanted.options
            assert [None if key is None else LETTERS[key] for key in (question.answer, question.refusal)] == [
                stated[question.key].answer, stated[question.key].refusal,
            ]  # fmt: skip
            shown = [pixels_of(pictures[str(image_id)]) for image_id in entry.image_ids]
            assert same_pixels(shown, wanted.pixels)


def _asked(name: str, wanted: Expected, stated: str) -> str:
    return stated if catalogue("formats")[name].load().question_as_stated else wanted.question


RECIPE = """\
name: again
steps:
  - step: items
    file: source
  - step: freeze
    name: again
    version: '2.0'
"""


def _frozen_again(source: Path, folder: Path) -> Release:
    shutil.copytree(source, folder / "source")
    (folder / "r.yaml").write_text(RECIPE)
    run_recipe(load_recipe(folder / "r.yaml"), workspace=folder / "ws")
    return Release.open(folder / "ws" / "releases" / "again-2.0")


@pytest.mark.parametrize("version", ["1", "2"])
def test_items_of_a_release_keep_id_content_split_marks_licences_and_clean_pictures(
    version: str, tmp_path: Path
) -> None:
    if version == "1":
        original = Release.open(ROOT / "tests" / "spine" / "golden" / "release-v1")
    else:
        original = small_bench().write(tmp_path / "original")
    again = _frozen_again(original.path, tmp_path)
    before = {entry.item.item_id: entry for entry in original.items()}
    after = {entry.item.item_id: entry for entry in again.items()}
    assert {key: entry.item.content_hash for key, entry in after.items()} == {
        key: entry.item.content_hash for key, entry in before.items()
    }
    assert {key: entry.split for key, entry in after.items()} == {key: entry.split for key, entry in before.items()}
    for key, entry in after.items():
        assert entry.images == before[key].images
        assert [image.prompts for image in entry.item.images] == [image.prompts for image in before[key].item.images]
        assert entry.item.evidence["imported"]["operation_id"] == before[key].item.operation_id
    assert again.content_id == original.content_id
    licences = {record.source.licence for record in again.provenance() if getattr(record, "source", None) is not None}
    assert licences == {"CC BY 4.0", "CC0", None}


def test_a_release_that_was_changed_is_refused(tmp_path: Path) -> None:
    release = small_bench().write(tmp_path / "original")
    [path] = (release.path / "data").glob("val-*.parquet")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(DataError, match="original"), read_questions(release.path):
        pass


@pytest.mark.parametrize("name", ["croissant", "lmms-eval", "webdataset"])
def test_reading_of_keys_reads_no_pictures_and_the_same_options(name: str, release: Release, tmp_path: Path) -> None:
    export_release(release, name, tmp_path / "out")
    source = open_source(tmp_path / "out")
    files = source.picture_files()
    for file in source.files:
        whole, for_keys = list(rows_of(files, file.path)), list(rows_of(files, file.path, only={"options", "answer"}))
        assert any(_holds_pictures(row) for row in whole)
        assert not any(_holds_pictures(row) for row in for_keys)
        assert [_options_and_key(row) for row in for_keys] == [_options_and_key(row) for row in whole]


def _holds_pictures(row: Row | RefusedRow) -> bool:
    assert isinstance(row, Row)
    return any(isinstance(cell.get("bytes"), bytes) for cell in row.document["image"])


def _options_and_key(row: Row | RefusedRow) -> tuple[object, object]:
    assert isinstance(row, Row)
    return row.document["options"], row.document["answer"]

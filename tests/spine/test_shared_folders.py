"""Whether a machine shares our folders: tested with real files, and reported with what is missing."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from benchwright.engines.ray.shared_folders import SharedFolders, token_in
from benchwright.errors import BenchwrightError


@pytest.fixture
def shared(tmp_path: Path) -> SharedFolders:
    (tmp_path / "w" / "tmp").mkdir(parents=True)
    (tmp_path / "images" / "cups").mkdir(parents=True)
    (tmp_path / "images" / "a.png").write_bytes(b"12345")
    (tmp_path / "images" / "cups" / "b.png").write_bytes(b"123")
    return SharedFolders(tmp_path / "w", tmp_path / "images")


def test_a_machine_that_shares_both_folders_passes_and_nothing_is_left(shared: SharedFolders) -> None:
    with token_in(shared) as token:
        assert set(token.samples) == {("a.png", 5), ("cups/b.png", 3)}
        token.check("there", token.look("n1"))
    assert not list((shared.workspace / "tmp").iterdir())


def test_a_machine_without_the_workspace_is_named(shared: SharedFolders, tmp_path: Path) -> None:
    with token_in(shared) as token:
        sight = replace(token, path=tmp_path / "elsewhere" / "tmp" / token.path.name).look("n1")
        with pytest.raises(BenchwrightError, match=r"node there of the cluster.*elsewhere is missing.*mounts"):
            token.check("there", sight)


def test_a_machine_with_another_folder_of_that_name_is_named(shared: SharedFolders) -> None:
    with token_in(shared) as token:
        sight = replace(token, content="0" * 32).look("n1")
        with pytest.raises(BenchwrightError, match=r"node there.*another folder is at"):
            token.check("there", sight)


def test_a_machine_whose_files_do_not_arrive_here_is_named(shared: SharedFolders, tmp_path: Path) -> None:
    with token_in(shared) as token:
        shutil.copytree(shared.workspace, tmp_path / "copy")
        sight = replace(token, path=tmp_path / "copy" / "tmp" / token.path.name).look("n1")
        with pytest.raises(BenchwrightError, match=r"node there.*do not arrive here"):
            token.check("there", sight)


def test_a_machine_without_an_image_or_with_another_one_is_named(shared: SharedFolders) -> None:
    with token_in(shared) as token:
        (shared.images / "a.png").write_bytes(b"1")
        with pytest.raises(BenchwrightError, match=r"node there.*a\.png has 1 bytes there and 5 here"):
            token.check("there", token.look("n1"))
        shutil.rmtree(shared.images)
        with pytest.raises(BenchwrightError, match=r"node there.*\.png of the image folder is missing"):
            token.check("there", token.look("n1"))


def test_a_machine_on_which_the_workspace_cannot_be_written_is_named(shared: SharedFolders) -> None:
    with token_in(shared) as token:
        token.path.with_name(f"{token.path.name}.n1").mkdir()  # a rename onto it fails, for root as well
        with pytest.raises(BenchwrightError, match=r"node there.*cannot be written and renamed"):
            token.check("there", token.look("n1"))
        token.path.with_name(f"{token.path.name}.n1").rmdir()


def test_a_machine_with_another_benchwright_is_named(shared: SharedFolders) -> None:
    with token_in(shared) as token, pytest.raises(BenchwrightError, match=r"node there has Benchwright 0\.0\.1"):
        token.check("there", token.look("n1")._replace(benchwright="0.0.1"))

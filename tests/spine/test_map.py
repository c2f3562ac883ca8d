"""The map of folders in docs/code-map.md: every folder once, in the order in which they import each other."""

from __future__ import annotations

import re

import pytest
from conftest import ROOT
from import_graph import PAGE, folder_of, folders, imports, mapped_folders


def test_every_folder_with_modules_is_on_the_map_once_and_no_other() -> None:
    listed = [folder for _, folder in mapped_folders()]
    assert sorted(folders() - set(listed)) == [], "these are not on the map"
    assert sorted(set(listed) - folders()) == [], "there are no such folders"
    assert sorted({folder for folder in listed if listed.count(folder) > 1}) == [], "these are there twice"


def test_the_map_fits_on_a_screen() -> None:
    assert 60 <= len({line for line, _ in mapped_folders()}) <= 80


@pytest.mark.slow
def test_folders_import_those_that_the_map_has_below_them() -> None:
    """What lies in the folder that a line is indented under, such as `benchwright/records.py`, is there for all in it."""
    line = {folder: line for line, folder in mapped_folders()}
    upward = {
        f"{importer} -> {found.module}"
        for importer, founds in imports().items()
        for found in founds
        if folder_of(importer).split("/")[0] == folder_of(found.module).split("/")[0]
        and not folder_of(importer).startswith(folder_of(found.module) + "/")
        and line[folder_of(found.module)] < line[folder_of(importer)]
    }
    assert sorted(upward) == []


def test_the_ways_through_the_house_pass_modules_that_exist() -> None:
    ways = PAGE.read_text(encoding="utf-8").split("## From action to module\n", 1)[1].split("\n## ", 1)[0]
    passed = re.findall(r"`([\w./]+/[\w./]*)`", ways)
    assert len(passed) > 30
    assert [name for name in passed if not any((ROOT / f"{name}{end}").exists() for end in ("", ".py"))] == []

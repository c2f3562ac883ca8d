"""`benchwright filter text-ratio`: its JSON and its contact sheet, on II-Bench's 35 dev images and on small folders."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from PIL import Image

from benchwright.errors import BenchwrightError
from benchwright.filters.cli.contact_sheet import PER_PAGE, RED, SheetOutline, Tile, write_sheets
from benchwright.filters.cli.text import text_ratio

pytestmark = pytest.mark.slow


def run(*args: str | Path) -> Result:
    return CliRunner().invoke(text_ratio, [str(arg) for arg in args], catch_exceptions=False)


@pytest.fixture(scope="module")
def sheet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sheet") / "found.png"


@pytest.fixture(scope="module")
def found(ii_bench: Path, sheet: Path) -> dict[str, Any]:
    result = run(ii_bench / "images" / "dev", "--workers", "2", "--json", "--contact-sheet", sheet)
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document.keys() == {"images", "unreadable", "scripts"}
    assert document["unreadable"] == []
    return {Path(one["path"]).stem.removeprefix("dev-"): one for one in document["images"]}


# Counted by eye on a contact sheet: what a reader of the picture calls text, save for words drawn as pictures.
NO_TEXT = ("26", "27", "28", "29", "30", "34")
WORDS_DRAWN_AS_PICTURES = ("31", "33", "35")
LINES = {"3": 2, "5": 1, "6": 4, "7": 7, "17": 3, "18": 2, "20": 4, "21": 5, "23": 4, "24": 5}


def test_all_dev_images_are_measured(found: dict[str, Any]) -> None:
    assert len(found) == 35
    assert all(
        one.keys() == {"path", "ratio", "boxes", "unread", "left_out"} and 0 <= one["ratio"] <= 1
        for one in found.values()
    )


@pytest.mark.parametrize("number", NO_TEXT)
def test_drawings_without_text_have_none(found: dict[str, Any], number: str) -> None:
    assert found[number]["ratio"] < 0.005


@pytest.mark.parametrize("number", WORDS_DRAWN_AS_PICTURES)
def test_logos_have_little(found: dict[str, Any], number: str) -> None:
    assert found[number]["ratio"] < 0.05


def test_every_other_image_has_text_but_none_is_all_text(found: dict[str, Any]) -> None:
    others = found.keys() - {*NO_TEXT, *WORDS_DRAWN_AS_PICTURES}
    assert len(others) == 26
    assert {number for number in others if found[number]["boxes"] == 0} == set()
    assert {number for number in others if not 0.001 < found[number]["ratio"] < 0.4} == set()


@pytest.mark.parametrize("number", LINES)
def test_as_many_lines_are_found_as_a_person_counts(found: dict[str, Any], number: str) -> None:
    assert found[number]["boxes"] == LINES[number]


def test_the_contact_sheet_has_two_pages_for_35_images(found: dict[str, Any], sheet: Path) -> None:
    assert found
    assert sorted(path.name for path in sheet.parent.iterdir()) == ["found-2.png", "found.png"]
    with Image.open(sheet) as first, Image.open(sheet.with_name("found-2.png")) as second:
        assert first.height > 4 * second.height


def test_people_read_a_table_sorted_by_ratio_and_a_rate(tmp_path: Path) -> None:
    Image.new("RGB", (31, 17), "white").save(tmp_path / "blank.png")
    (tmp_path / "copy.png").write_bytes((tmp_path / "blank.png").read_bytes())
    (tmp_path / "notes.png").write_text("no image at all")
    lines = run(tmp_path, "--workers", "1").stdout.splitlines()
    assert lines[0].split() == ["ratio", "boxes", "path"]
    assert [line.split()[-1] for line in lines[1:3]] == ["blank.png", "copy.png"]
    assert lines[3] == "unreadable  notes.png  not_an_image"
    assert lines[4].startswith("letters read: Latin, Greek, Chinese, Japanese")
    assert lines[5].startswith("images 2, with text 0, unreadable files 1, ")
    assert lines[5].endswith(" images a second")


def test_an_empty_folder_gives_an_empty_document_and_page(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    result = run(tmp_path / "none", "--json", "--workers", "1", "--contact-sheet", tmp_path / "page.png")
    document = json.loads(result.stdout)
    assert (document["images"], document["unreadable"]) == ([], [])
    assert (tmp_path / "page.png").is_file()


@pytest.mark.parametrize(
    ("name", "words"),
    [("there.png", "exists already"), ("sheet.jpg", "ends in .png"), ("no/sheet.png", "does not exist")],
)
def test_a_contact_sheet_goes_only_where_nothing_is_lost(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / "there.png").write_text("mine")
    (tmp_path / "photos").mkdir()
    with pytest.raises(BenchwrightError, match=words):
        run(tmp_path / "photos", "--contact-sheet", tmp_path / name)
    assert (tmp_path / "there.png").read_text() == "mine"


def test_an_outline_is_drawn_around_its_place_and_not_elsewhere(tmp_path: Path) -> None:
    corners = ((200.0, 100.0), (400.0, 100.0), (400.0, 200.0), (200.0, 200.0))
    tile = Tile(np.full((300, 600, 3), 60, np.uint8), (SheetOutline(corners, RED),), "a caption " * 30)
    [page] = write_sheets(tmp_path / "page.png", iter([tile]), count=1)
    with Image.open(page) as image:
        pixels = np.asarray(image.convert("RGB")).astype(int)
    reds = np.argwhere((pixels[..., 0] > 180) & (pixels[..., 1] < 90))
    grey = np.argwhere((pixels == 60).all(axis=2))
    (top, left), (bottom, right) = grey.min(axis=0), grey.max(axis=0)
    wide, high = right - left + 2, bottom - top + 2
    found = (reds - (top, left)) / (high, wide)
    assert np.allclose(found.min(axis=0), (1 / 3, 1 / 3), atol=0.02)
    assert np.allclose(found.max(axis=0), (2 / 3, 2 / 3), atol=0.02)


@pytest.mark.parametrize(("count", "pages"), [(0, 1), (1, 1), (PER_PAGE, 1), (PER_PAGE + 1, 2), (3 * PER_PAGE, 3)])
def test_pages_hold_thirty_tiles(tmp_path: Path, count: int, pages: int) -> None:
    tiles = (Tile(np.full((5, 9, 3), 90, np.uint8), (), str(number)) for number in range(count))
    made = write_sheets(tmp_path / "page.png", tiles, count=count)
    assert len(made) == pages
    assert all(path.is_file() for path in made)

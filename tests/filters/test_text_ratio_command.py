"""`benchwright filter text-ratio`: its JSON and its contact sheet, on II-Bench's 35 dev images and on small folders."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, NamedTuple

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


# Counted by eye on a contact sheet: what a reader of the picture calls text, save for words drawn as pictures.
NO_TEXT = {"26", "27", "28", "29", "30", "34"}
WORDS_DRAWN_AS_PICTURES = {"31", "33", "35"}
LINES = {"3": 2, "5": 1, "6": 4, "7": 7, "17": 3, "18": 2, "20": 4, "21": 5, "23": 4, "24": 5}
SOME = ("3", "5", "6", "17", "20", "24", "26", "30", "31")
"""Pictures that are enough for every day; before a release all are looked at."""


class Found(NamedTuple):
    """What was found of pictures, by their numbers, and the first page of its contact sheet."""

    by_number: dict[str, dict[str, Any]]
    sheet: Path


@pytest.fixture(scope="module", params=["some", pytest.param("all", marks=pytest.mark.thorough)])
def found(request: pytest.FixtureRequest, ii_bench: Path, tmp_path_factory: pytest.TempPathFactory) -> Found:
    folder = tmp_path_factory.mktemp("measured")
    (folder / "pictures").mkdir()
    for path in (ii_bench / "images" / "dev").iterdir():
        if request.param == "all" or number_of(path) in SOME:
            shutil.copyfile(path, folder / "pictures" / path.name)
    (folder / "sheet").mkdir()
    sheet = folder / "sheet" / "found.png"
    result = run(folder / "pictures", "--workers", "2", "--json", "--contact-sheet", sheet)
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document.keys() == {"images", "unreadable", "scripts"}
    assert document["unreadable"] == []
    assert (
        len(document["images"]) == len(list((folder / "pictures").iterdir())) == {"some": 9, "all": 35}[request.param]
    )
    return Found({number_of(Path(one["path"])): one for one in document["images"]}, sheet)


def number_of(path: Path) -> str:
    return path.stem.removeprefix("dev-")


def test_every_image_is_measured(found: Found) -> None:
    for one in found.by_number.values():
        assert one.keys() == {"path", "ratio", "boxes", "unread", "left_out"}
        assert 0 <= one["ratio"] <= 1


def test_drawings_without_text_have_none_and_logos_have_little(found: Found) -> None:
    ratios = {number: one["ratio"] for number, one in found.by_number.items()}
    assert {number for number in NO_TEXT & ratios.keys() if ratios[number] >= 0.005} == set()
    assert {number for number in WORDS_DRAWN_AS_PICTURES & ratios.keys() if ratios[number] >= 0.05} == set()


def test_every_other_image_has_text_but_none_is_all_text(found: Found) -> None:
    others = found.by_number.keys() - NO_TEXT - WORDS_DRAWN_AS_PICTURES
    assert len(others) >= 6
    assert {number for number in others if found.by_number[number]["boxes"] == 0} == set()
    assert {number for number in others if not 0.001 < found.by_number[number]["ratio"] < 0.4} == set()


def test_as_many_lines_are_found_as_a_person_counts(found: Found) -> None:
    counted = {number: one["boxes"] for number, one in found.by_number.items() if number in LINES}
    assert counted == {number: lines for number, lines in LINES.items() if number in found.by_number}


def test_the_contact_sheet_has_a_page_for_thirty_images(found: Found) -> None:
    names = ["found-2.png", "found.png"] if len(found.by_number) > PER_PAGE else ["found.png"]
    assert sorted(path.name for path in found.sheet.parent.iterdir()) == names
    with Image.open(found.sheet) as first:
        assert first.width > 500
        if names[1:]:
            with Image.open(found.sheet.with_name("found-2.png")) as second:
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
    [("there.png", "already exists"), ("sheet.jpg", "ends in .png"), ("no/sheet.png", "does not exist")],
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

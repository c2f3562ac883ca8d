"""`benchwright filter duplicates`: the contract of its JSON, on a small folder and on II-Bench."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from PIL import Image
from skimage.data import chelsea, coffee, rocket

from benchwright.errors import BenchwrightError
from benchwright.filters.cli.duplicates import duplicates

pytestmark = pytest.mark.slow


def run(*args: str | Path) -> Result:
    return CliRunner().invoke(duplicates, [str(arg) for arg in args], catch_exceptions=False)


def report(*args: str | Path) -> Any:
    result = run(*args, "--workers", "2", "--json")
    assert result.exit_code == 0
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Seven readable files of four pictures, and two files that are none."""
    root = tmp_path_factory.mktemp("photos")
    (root / "deep er").mkdir()
    photo, other = (Image.fromarray(np.ascontiguousarray(pixels)) for pixels in (coffee(), rocket()))
    photo.save(root / "cup.png")
    (root / "deep er" / "cup copy.png").write_bytes((root / "cup.png").read_bytes())
    photo.save(root / "cup.bmp")
    photo.resize((301, 199)).save(root / "cup small.jpg", quality=80)
    other.save(root / "rocket.webp", lossless=True)
    other.transpose(Image.Transpose.FLIP_LEFT_RIGHT).save(root / "mirrored.png")
    Image.new("RGB", (1, 1), "red").save(root / "dot.png")
    (root / "notes.png").write_text("no image at all")
    (root / "cut.png").write_bytes((root / "rocket.webp").read_bytes()[:5000])
    return root


@pytest.fixture(scope="module")
def found(folder: Path) -> Any:
    return report(folder)


def test_readable_files_are_counted(found: Any) -> None:
    assert found["images"] == 7


def test_unreadable_files_are_listed_with_a_reason(found: Any) -> None:
    assert [file["path"] for file in found["unreadable"]] == ["cut.png", "notes.png"]
    assert all(file["reason"] for file in found["unreadable"])


def test_equal_bytes_and_equal_pixels_are_exact_and_smaller_copies_are_near(found: Any) -> None:
    group = found["groups"][0]
    assert group["keep"] == "cup.bmp"
    exact = [member for member in group["members"] if member["kind"] == "exact"]
    near = [member for member in group["members"] if member["kind"] == "near"]
    assert exact == [
        {"path": "cup.png", "kind": "exact", "score": 1.0},
        {"path": "deep er/cup copy.png", "kind": "exact", "score": 1.0},
    ]
    assert [member["path"] for member in near] == ["cup small.jpg"]
    assert 0.95 <= near[0]["score"] <= 1


def test_a_mirrored_copy_is_a_near_duplicate(found: Any) -> None:
    kinds = {group["keep"]: [(one["path"], one["kind"]) for one in group["members"]] for group in found["groups"]}
    assert [("mirrored.png", "near")] in kinds.values() or [("rocket.webp", "near")] in kinds.values()


def test_pairs_to_look_at_are_drawn_side_by_side(tmp_path: Path) -> None:
    whole = Image.fromarray(np.ascontiguousarray(coffee()))
    (tmp_path / "photos").mkdir()
    whole.save(tmp_path / "photos" / "whole.png")
    whole.paste(Image.fromarray(np.ascontiguousarray(chelsea())).resize((220, 180)), (200, 100))
    whole.save(tmp_path / "photos" / "edited.png")
    found = report(tmp_path / "photos", "--pairs", tmp_path / "pairs.png")
    assert [member["kind"] for group in found["groups"] for member in group["members"]] == ["ask"]
    with Image.open(tmp_path / "pairs.png") as page:
        assert page.width > 2 * page.height * 0.8


def test_a_sheet_of_pairs_that_exists_is_not_overwritten(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "pairs.png").write_bytes(b"mine")
    with pytest.raises(BenchwrightError, match="already exists"):
        run(folder, "--pairs", tmp_path / "pairs.png")


def test_people_read_the_same_in_words(folder: Path) -> None:
    lines = run(folder, "--workers", "1").stdout.splitlines()
    assert lines[0] == "keep   cup.bmp"
    assert lines[-1] == (
        "images 7, unreadable files 2, groups 2, exact duplicates 2, near duplicates 2, pairs to look at 0, scenes 0"
    )


def test_an_empty_folder_has_no_groups(tmp_path: Path) -> None:
    assert report(tmp_path) == {"images": 0, "unreadable": [], "groups": [], "scenes": [], "not_compared": []}


def test_many_look_alikes_are_compared_with_their_nearest_and_the_rest_is_counted(tmp_path: Path) -> None:
    (tmp_path / "icons").mkdir()
    for number in range(26):
        pixels = np.full((36, 40), 250, np.uint8)
        pixels[8:28, 10:30] = 60 + 2 * number
        pixels[12 + number % 8, 14:26] = 250
        Image.fromarray(pixels).save(tmp_path / "icons" / f"{number:02}.png")
    found = report(tmp_path / "icons")
    assert len(found["not_compared"]) > 0
    assert all(entry["more"] > 0 for entry in found["not_compared"])
    said = run(tmp_path / "icons", "--workers", "2").stdout
    assert f"{len(found['not_compared'])} pictures look like so many others that only the nearest were compared" in said


def test_the_folder_is_left_as_it_was(folder: Path, found: Any) -> None:
    del found
    assert sorted(path.name for path in folder.iterdir()) == [
        "cup small.jpg",
        "cup.bmp",
        "cup.png",
        "cut.png",
        "deep er",
        "dot.png",
        "mirrored.png",
        "notes.png",
        "rocket.webp",
    ]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("{folder}/absent",), "does not exist"),
        (("{folder}/cup.png",), "is a file"),
        (("{folder}", "--distance", "17"), "17 is not in the range 0<=x<=16"),
        (("{folder}", "--workers", "0"), "0 is not in the range"),
        (("{folder}", "--fuzzy"), "No such option"),
        ((), "Missing argument"),
    ],
)
def test_wrong_use_exits_with_2_and_says_what_was_wrong(folder: Path, args: tuple[str, ...], words: str) -> None:
    result = run(*(arg.format(folder=folder) for arg in args))
    assert result.exit_code == 2
    assert words in result.output


@pytest.fixture(scope="module")
def ii_bench_found(ii_bench: Path) -> Any:
    return report(ii_bench / "images"), json.loads((ii_bench / "expected.json").read_text())


def linked(found: Any, *kinds: str) -> set[frozenset[str]]:
    """Return the pairs (kept file, member) of these kinds, by the names of the questions."""
    return {
        frozenset((Path(group["keep"]).stem, Path(member["path"]).stem))
        for group in found["groups"]
        for member in group["members"]
        if member["kind"] in kinds
    }


def test_all_exact_groups_of_ii_bench_come_out(ii_bench_found: Any) -> None:
    found, expected = ii_bench_found
    groups = [
        {Path(group["keep"]).stem, *(Path(m["path"]).stem for m in group["members"] if m["kind"] == "exact")}
        for group in found["groups"]
    ]
    assert [group for group in expected["duplicate_groups"] if set(group) not in groups] == []
    assert (found["images"], found["unreadable"]) == (285, [])
    assert sum(len(group) > 1 for group in groups) == 30


def test_all_near_duplicates_of_ii_bench_are_found(ii_bench_found: Any) -> None:
    found, expected = ii_bench_found
    pairs = {frozenset((pair["a"], pair["b"])) for pair in expected["near_duplicate_pairs"]}
    assert len(pairs) == 3
    assert pairs <= linked(found, "near", "ask")


def test_no_look_alike_of_ii_bench_is_dropped_and_few_pairs_are_asked_about(ii_bench_found: Any) -> None:
    found, expected = ii_bench_found
    alike = {frozenset(pair[:2]) for pair in expected["look_alikes_that_are_different_images"]}
    assert not alike & linked(found, "near", "exact")
    assert not {name for pair in alike for name in pair} & {name for pair in linked(found, "near") for name in pair}
    assert len(linked(found, "ask")) <= 10

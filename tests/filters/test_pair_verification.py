"""The pixel comparison: copies are confirmed however they were changed, other pictures are not, and replaced parts are
uncertain.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from picture_copies import COPIES, captioned, compressed, photograph
from PIL import Image, ImageDraw

from benchwright.diagnostics.copies.verification import PairComparison, PreparedPicture, compare_pictures

pytestmark = pytest.mark.slow

PHOTOGRAPHS = ("astronaut", "coffee", "chelsea", "rocket")


def looked(one: Image.Image, other: Image.Image, *, mirrored: bool = False) -> PairComparison:
    return compare_pictures(PreparedPicture(one.convert("L")), PreparedPicture(other.convert("L")), mirrored=mirrored)


@pytest.mark.parametrize("copy", COPIES)
@pytest.mark.parametrize("name", PHOTOGRAPHS)
def test_a_copy_is_confirmed(name: str, copy: str) -> None:
    original = photograph(name)
    assert looked(original, COPIES[copy](original)).verdict == "confirmed"


@pytest.mark.parametrize("name", PHOTOGRAPHS)
def test_a_mirrored_copy_is_confirmed_where_mirrors_are_looked_at(name: str) -> None:
    original = photograph(name)
    turned = original.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    assert looked(original, turned).verdict == "different"
    found = looked(original, turned, mirrored=True)
    assert (found.verdict, found.mirrored) == ("confirmed", True)


@pytest.mark.parametrize("mirrored", [False, True])
def test_photographs_of_other_things_are_different(mirrored: bool) -> None:
    for name in PHOTOGRAPHS:
        for other in PHOTOGRAPHS:
            if name < other:
                assert looked(photograph(name), photograph(other), mirrored=mirrored).verdict == "different"


def test_a_caption_on_both_sides_stays_local() -> None:
    original = photograph("coffee")
    assert looked(captioned(original, "ONE WAY"), captioned(original, "AND QUITE ANOTHER")).verdict == "confirmed"


def test_a_replaced_part_is_a_matter_for_people() -> None:
    original = photograph("coffee")
    edited = original.copy()
    edited.paste(photograph("chelsea").resize((220, 180)), (200, 100))
    assert looked(original, edited).verdict == "unsure"


def test_halves_that_share_a_strip_are_different_pictures() -> None:
    original = photograph("astronaut")
    left, right = original.crop((0, 0, 320, 512)), original.crop((192, 0, 512, 512))
    assert looked(left, right).verdict == "different"


@pytest.mark.parametrize("copy", COPIES)
def test_a_copy_of_a_brick_wall_is_confirmed(copy: str) -> None:
    wall = photograph("brick")
    assert looked(wall, COPIES[copy](wall)).verdict == "confirmed"


def test_other_bricks_of_the_same_wall_are_no_copy() -> None:
    """The corners of bricks agree on a shift by whole bricks, but few of those that look alike do."""
    wall = photograph("brick")
    upper, lower = (compressed(wall.crop((256, y, 466, y + 210)), 92) for y in (46, 256))
    found = looked(upper, lower, mirrored=True)
    assert found.verdict != "confirmed"
    assert found.structure is not None
    assert found.structure.alike > 0.7, "the walls have to look alike for this test to say something"


@pytest.mark.parametrize("column", [0, 1])
def test_quarters_of_a_comic_whose_corners_lie_elsewhere_are_not_laid_frame_on_frame(
    ii_bench: Path, column: int
) -> None:
    (path,) = ii_bench.rglob("test-1391.*")
    with Image.open(path) as image:
        page = image.convert("RGB")
    across, down = page.width // 2, page.height // 2
    corners = ((column * across, row * down) for row in (0, 1))
    upper, lower = (compressed(page.crop((x, y, x + across, y + down)), 92) for x, y in corners)
    assert looked(upper, lower).verdict == "different"


def test_a_small_detail_is_asked_about_rather_than_confirmed() -> None:
    original = photograph("astronaut")
    assert looked(original, original.crop((150, 50, 350, 250))).verdict == "unsure"


def plain(level: int, size: tuple[int, int] = (200, 150)) -> Image.Image:
    return Image.new("L", size, level)


@pytest.mark.parametrize(
    ("levels", "verdict"), [((200, 201), "confirmed"), ((200, 207), "unsure"), ((200, 240), "different")]
)
def test_empty_pictures_are_compared_by_shade(levels: tuple[int, int], verdict: str) -> None:
    assert looked(plain(levels[0]), plain(levels[1])).verdict == verdict


def test_an_empty_picture_and_one_with_a_dot_are_not_the_same() -> None:
    dotted = plain(255)
    ImageDraw.Draw(dotted).ellipse((80, 50, 120, 90), fill=0)
    assert looked(plain(255), dotted).verdict != "confirmed"


@pytest.mark.parametrize("size", [(1, 1), (1, 900), (900, 3), (11, 11)])
def test_pictures_too_small_to_compare_are_different(size: tuple[int, int]) -> None:
    noise = Image.fromarray(np.random.default_rng(1).integers(0, 255, (size[1], size[0]), dtype=np.uint8))
    assert looked(noise, noise).verdict == "different"


def test_the_same_pair_gives_the_same_numbers_every_time() -> None:
    one, other = photograph("rocket"), COPIES["leaning"](photograph("rocket"))
    assert looked(one, other).to_json() == looked(one, other).to_json()


def test_what_was_measured_is_told() -> None:
    told = looked(photograph("coffee"), COPIES["cropped"](photograph("coffee"))).to_json()
    assert told["verdict"] == "confirmed"
    assert told["inliers"] >= 12
    assert told["overlap_fixed"] == pytest.approx(0.7, abs=0.03)
    assert told["overlap_moving"] == pytest.approx(1.0, abs=0.03)
    assert told["alike"] > 0.95
    assert len(told["affine"]) == 6

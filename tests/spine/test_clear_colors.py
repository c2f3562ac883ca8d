"""Marks take the color that is farthest from their background, by CIE's own formulas."""

from __future__ import annotations

import numpy as np
import pytest

from benchwright.drawing.clear_colors import MARK_COLORS, clear_colors, in_color, mark_style
from benchwright.records import VisualPrompt

H, W = 200, 240


def ring(x: float, y: float) -> VisualPrompt:
    return VisualPrompt(kind="ring", image_id="0" * 64, points=((x, y),), label="A", style=mark_style(H))


def flat(*rgb: int) -> np.ndarray:
    return np.full((H, W, 3), rgb, np.uint8)


def lab(rgb: tuple[int, ...]) -> np.ndarray:
    """Return CIE L*a*b* of an sRGB color under D65, by the formulas."""
    linear = np.array([c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in np.array(rgb) / 255])
    xyz = np.array([(0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505)]) @ linear
    x, y, z = (np.cbrt(t) if t > 0.008856 else 7.787 * t + 16 / 116 for t in xyz / (0.9505, 1.0, 1.089))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("ground", [(255, 0, 0), (0, 96, 255), (0, 192, 0), (255, 255, 255), (0, 0, 0), (190, 30, 60)])
def test_on_one_colour_the_farthest_is_taken(ground: tuple[int, ...]) -> None:
    [chosen] = clear_colors([(flat(*ground), [ring(60, 60)])])
    away = {color: np.linalg.norm(lab(tuple(bytes.fromhex(color.code[1:]))) - lab(ground)) for color in MARK_COLORS}
    assert away[chosen] == pytest.approx(max(away.values()), abs=0.5)


def test_one_colour_serves_marks_on_unlike_grounds_and_pictures() -> None:
    alone = clear_colors([(flat(255, 0, 0), [ring(60, 60)])])
    both = flat(255, 0, 0)
    both[:, W // 2 :] = tuple(bytes.fromhex(alone[0].code[1:]))
    on_one_picture = clear_colors([(both, [ring(60, 60), ring(180, 60)])])
    on_two = clear_colors([(both[:, : W // 2], [ring(60, 60)]), (both[:, W // 2 :], [ring(60, 60)])])
    assert on_one_picture == on_two
    assert {"red", alone[0].name}.isdisjoint({on_two[0].name})


def test_several_colours_are_far_from_each_other_and_from_the_ground() -> None:
    names = [color.name for color in clear_colors([(flat(255, 0, 0), [ring(60, 60), ring(180, 60)])], count=2)]
    assert len(set(names)) == 2
    assert "red" not in names


def test_what_lies_off_the_marks_does_not_count() -> None:
    pixels = flat(255, 255, 255)
    pixels[120:] = (255, 0, 255)
    assert clear_colors([(pixels, [ring(60, 60)])]) == clear_colors([(flat(255, 255, 255), [ring(60, 60)])])


def test_a_colour_changes_nothing_else_of_a_mark() -> None:
    [changed] = in_color([ring(60, 60)], "#00c000")
    assert changed.style.color == "#00c000"
    assert changed.model_copy(update={"style": ring(60, 60).style}) == ring(60, 60)

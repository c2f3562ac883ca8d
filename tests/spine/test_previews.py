"""Previews: what a browser receives for an image and its marks.

- Upright, reduced to the requested longest side, never enlarged; nothing of the file except pixels.
- Marks laid over the image give the same result as `draw`.
- Marks of a reduced image are at the same positions as those of the full image.
"""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from benchwright.drawing import draw_prompts
from benchwright.drawing.previews import draw_layer, fitted, marks_preview, preview
from benchwright.errors import UnreadableImage
from benchwright.records import MaskRuns, VisualPrompt
from benchwright.regions.rle import encode_runs

pytestmark = pytest.mark.slow

ID = "0" * 64
RNG = np.random.default_rng(3)


def prompt(kind: str, *points: tuple[float, float], label: str | None = None, **more: object) -> VisualPrompt:
    return VisualPrompt.model_validate({"kind": kind, "image_id": ID, "points": points, "label": label, **more})


MARKS = [
    prompt("ring", (60.5, 40.25), label="REF"),
    prompt("dot", (130, 150), label="A", style={"color": "#ffee00"}),
    prompt("box", (20, 90), (80, 170)),
    prompt("arrow", (200, 30), (230, 110), label="7"),
    prompt("polygon", (150, 30), (180, 40), (160, 70)),
    prompt("letter", (240, 170), label="Q"),
]


def jpeg(pixels: np.ndarray, **more: object) -> bytes:
    handle = io.BytesIO()
    Image.fromarray(pixels).save(handle, "JPEG", **more)
    return handle.getvalue()


def test_marks_laid_over_an_image_give_what_draw_gives() -> None:
    pixels = RNG.integers(0, 256, (200, 270, 3), dtype=np.uint8)
    layer = Image.fromarray(draw_layer(MARKS, width=270, height=200))
    laid = Image.alpha_composite(Image.fromarray(pixels).convert("RGBA"), layer).convert("RGB")
    apart = np.abs(np.asarray(laid).astype(int) - draw_prompts(pixels, MARKS))
    assert apart.max() <= 2


def test_a_mask_is_a_tint_that_can_be_laid_over_too() -> None:
    cells = np.zeros((10, 20), bool)
    cells[2:8, 4:15] = True
    columns = cells.T.ravel()
    edges = np.flatnonzero(np.diff(columns)) + 1
    runs = np.diff([0, *edges, len(columns)])
    mask = prompt(
        "mask", (0, 0), (270, 200), mask=MaskRuns(size=(10, 20), counts=encode_runs([int(run) for run in runs]))
    )
    pixels = RNG.integers(0, 256, (200, 270, 3), dtype=np.uint8)
    layer = Image.fromarray(draw_layer([mask], width=270, height=200))
    laid = Image.alpha_composite(Image.fromarray(pixels).convert("RGBA"), layer).convert("RGB")
    assert np.abs(np.asarray(laid).astype(int) - draw_prompts(pixels, [mask])).max() <= 2


def test_no_marks_are_nothing() -> None:
    assert not draw_layer([], width=3, height=2).any()


def test_a_preview_is_upright_reduced_and_free_of_metadata() -> None:
    exif = Image.Exif()
    exif[274] = 6
    exif[315] = "somebody's name"
    shown = preview(jpeg(np.full((300, 800, 3), 90, np.uint8), exif=exif), max_side_px=400)
    assert (shown.width, shown.height, shown.full_wh) == (150, 400, (300, 800))
    with Image.open(io.BytesIO(shown.data)) as image:
        assert image.size == (150, 400)
        assert not image.getexif()
    assert b"somebody" not in shown.data


def test_a_small_image_is_not_enlarged_and_lossless_keeps_every_pixel() -> None:
    pixels = RNG.integers(0, 256, (7, 11, 3), dtype=np.uint8)
    handle = io.BytesIO()
    Image.fromarray(pixels).save(handle, "PNG")
    shown = preview(handle.getvalue(), max_side_px=400, lossless_up_to_px=77)
    assert shown.media_type == "image/png"
    with Image.open(io.BytesIO(shown.data)) as image:
        assert (np.asarray(image) == pixels).all()


def test_what_is_no_image_is_refused() -> None:
    with pytest.raises(UnreadableImage):
        preview(b"<svg onload='alert(1)'/>", max_side_px=100)


@pytest.mark.parametrize(("wh", "expected"), [((1, 9000), (1, 100)), ((50, 20), (50, 20)), ((300, 200), (100, 67))])
def test_fitted_keeps_the_shape_and_at_least_one_pixel(wh: tuple[int, int], expected: tuple[int, int]) -> None:
    assert fitted(*wh, max_side_px=100) == expected


def test_marks_of_a_reduced_image_lie_where_those_of_the_whole_one_lie() -> None:
    dot = prompt("dot", (2000.5, 1000.5), style={"radius_px": 40})
    shown = marks_preview([dot], full_wh=(4000, 3000), max_side_px=400)
    with Image.open(io.BytesIO(shown.data)) as image:
        alpha = np.asarray(image)[..., 3].astype(float)
    rows, columns = np.indices(alpha.shape)
    assert (columns * alpha).sum() / alpha.sum() + 0.5 == pytest.approx(200.05, abs=0.1)
    assert (rows * alpha).sum() / alpha.sum() + 0.5 == pytest.approx(100.05, abs=0.1)


def test_where_a_label_has_no_room_on_the_reduced_image_the_whole_one_is_drawn_and_reduced() -> None:
    crowd = [
        prompt("dot", (100 + 150 * (n % 12), 100 + 150 * (n // 12)), label="long label", style={"radius_px": 2})
        for n in range(120)
    ]
    shown = marks_preview(crowd, full_wh=(1900, 1600), max_side_px=190)
    assert (shown.width, shown.height) == (190, 160)
    with Image.open(io.BytesIO(shown.data)) as image:
        assert np.asarray(image)[..., 3].any()

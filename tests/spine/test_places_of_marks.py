"""Marks are at the requested positions, and labels cover nothing.

Rings, dots, boxes and the tips of arrows are found again in the pixels to half a pixel, at any size of image from 64
to 8,000 pixels, whatever the orientation in its file. Labels, for any set of marks, cover no target and no other label,
and the record equals the drawing.
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from benchwright.drawing import Drawing, PromptError, draw, draw_prompts, lay_out, mask_of
from benchwright.images import decode_rgb
from benchwright.records import MaskRuns, PromptKind, PromptStyle, VisualPrompt

pytestmark = pytest.mark.slow

Pixels = NDArray[np.uint8]
Point = tuple[float, float]
STORED = {
    1: None,
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}
"""For each EXIF orientation the turn that an upright picture takes to how it is stored."""


def prompt(
    kind: PromptKind, *points: Point, label: str | None = None, mask: MaskRuns | None = None, **style: Any
) -> VisualPrompt:
    return VisualPrompt(kind=kind, image_id="0" * 64, points=points, label=label, mask=mask, style=PromptStyle(**style))


def redness(pixels: Pixels) -> NDArray[np.float64]:
    """Return the share of each pixel of a gray picture that red ink covers."""
    return np.maximum(pixels[..., 0].astype(float) - pixels[..., 1], 0) / 255


def centroid(ink: NDArray[np.float64]) -> Point:
    rows, columns = ink.sum(axis=1), ink.sum(axis=0)
    return (
        float((columns * (np.arange(len(columns)) + 0.5)).sum() / ink.sum()),
        float((rows * (np.arange(len(rows)) + 0.5)).sum() / ink.sum()),
    )


@st.composite
def pictures(draw_from: st.DrawFn) -> tuple[int, int, float, float]:
    """Return width, height and a place with room for a mark around it."""
    long, short = draw_from(st.integers(64, 8000)), draw_from(st.integers(64, 97))
    width, height = draw_from(st.sampled_from([(long, short), (short, long)]))
    return width, height, draw_from(st.floats(26, width - 26)), draw_from(st.floats(26, height - 26))


def small(height: int) -> dict[str, float]:
    """Return a style that comes to 12 pixels of radius and 3 of line on an image of any height."""
    return {"reference_height_px": float(height), "radius_px": 12.0, "line_px": 3.0}


@settings(max_examples=60, deadline=None, derandomize=True)
@given(pictures(), st.sampled_from(["ring", "dot", "box"]))
def test_a_mark_is_centred_where_it_was_asked_for_at_any_size(
    picture: tuple[int, int, float, float], kind: PromptKind
) -> None:
    width, height, x, y = picture
    points = ((x - 13.2, y - 9.7), (x + 13.2, y + 9.7)) if kind == "box" else ((x, y),)
    drawn = draw_prompts(np.full((height, width, 3), 90, np.uint8), [prompt(kind, *points, **small(height))])
    assert centroid(redness(drawn)) == pytest.approx((x, y), abs=0.1)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(pictures(), st.floats(0, 2 * np.pi))
def test_the_edges_of_an_arrows_head_meet_where_its_tip_was_asked_for(
    picture: tuple[int, int, float, float], angle: float
) -> None:
    width, height, x, y = picture
    along, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    tail = np.array([x, y]) - 22 * along
    arrow = prompt("arrow", (float(tail[0]), float(tail[1])), (x, y), **{**small(height), "radius_px": 8.0})
    [record] = draw(np.full((height, width, 3), 90, np.uint8), [arrow]).drawn
    ink = redness(draw_prompts(np.full((height, width, 3), 90, np.uint8), [arrow]))
    rows, columns = np.nonzero(ink)
    ahead = (columns + 0.5 - x) * along[0] + (rows + 0.5 - y) * along[1]
    aside = (columns + 0.5 - x) * across[0] + (rows + 0.5 - y) * across[1]
    # The head's front is a triangle whose ink up to a distance t behind the tip is slope * t squared, two thirds of t
    # behind the tip in the mean. Of the last pixel only what fills the area counts, so that it does not matter where
    # pixels lie.
    order = np.argsort(-ahead)
    weights = ink[rows, columns][order]
    slope, area = 0.42, 12.0
    weights = np.clip(area - (np.cumsum(weights) - weights), 0, weights)
    assert (weights * ahead[order]).sum() / area + np.sqrt(area / slope) * 2 / 3 == pytest.approx(0, abs=0.1)
    assert (weights * aside[order]).sum() / area == pytest.approx(0, abs=0.3)
    assert record.points[1] == (x, y)


@settings(max_examples=48, deadline=None, derandomize=True)
@given(pictures(), st.sampled_from([*STORED]), st.sampled_from(["PNG", "TIFF", "WEBP"]))
def test_a_mark_lies_on_what_it_marks_whichever_way_the_file_stores_the_picture(
    picture: tuple[int, int, float, float], orientation: int, form: str
) -> None:
    width, height, x, y = picture
    x, y = int(x) + 0.5, int(y) + 0.5
    upright = np.full((height, width, 3), 90, np.uint8)
    upright[int(y) - 1 : int(y) + 2, int(x) - 1 : int(x) + 2] = 255
    image, turn = Image.fromarray(upright), STORED[orientation]
    exif, file = Image.Exif(), io.BytesIO()
    exif[274] = orientation
    (image if turn is None else image.transpose(turn)).save(
        file, form, exif=exif, **({"lossless": True} if form == "WEBP" else {})
    )
    decoded = decode_rgb(file.getvalue())
    assert decoded.shape == upright.shape
    spot = centroid((decoded[..., 1] > 200).astype(float))
    drawn = draw_prompts(decoded, [prompt("ring", (x, y), **small(height))])
    assert centroid(redness(drawn)) == pytest.approx(spot, abs=0.5)


@pytest.mark.parametrize("height", [64, 700, 1024, 8000])
def test_blinks_default_is_a_red_ring_of_ten_pixels_at_1024(height: int) -> None:
    [drawn] = lay_out([prompt("ring", (32, 32))], width=200, height=height)
    assert drawn.radius_px == max(10 * height / 1024, 4)
    assert drawn.prompt.style.color == "#ff0000"


def test_a_polygon_is_an_outline_through_its_corners() -> None:
    corners = ((20.0, 20.0), (100.0, 30.0), (70.0, 50.0), (90.0, 90.0), (25.0, 80.0))
    drawn = draw_prompts(
        np.full((110, 130, 3), 90, np.uint8), [prompt("polygon", *corners, line_px=4, reference_height_px=110)]
    )
    outline = Image.new("L", (130 * 8, 110 * 8))
    scaled = [(8 * x, 8 * y) for x, y in corners]
    ImageDraw.Draw(outline).line([*scaled, scaled[0], scaled[1]], fill=255, width=32, joint="curve")
    expected = np.asarray(outline).reshape(110, 8, 130, 8).mean(axis=(1, 3)) / 255
    assert np.abs(redness(drawn) - expected).mean() < 0.005
    assert not redness(drawn)[60, 50]


def test_a_mask_is_tinted_on_its_cells_and_outlined_along_their_edge() -> None:
    y, x = np.mgrid[:40, :50]
    grid = ((x - 20) / 14) ** 2 + ((y - 22) / 12) ** 2 < 1
    ground = np.full((160, 230, 3), 90, np.uint8)
    drawn = draw_prompts(
        ground, [prompt("mask", (20, 0), (220, 160), mask=mask_of(grid), line_px=2, reference_height_px=160)]
    )
    fine = np.zeros((160, 230), bool)
    fine[:, 20:220] = np.kron(grid, np.ones((4, 4), bool))
    inner = np.asarray(Image.fromarray(fine).resize((230, 160)))
    for _ in range(5):
        inner = inner & np.roll(inner, 1, 0) & np.roll(inner, -1, 0) & np.roll(inner, 1, 1) & np.roll(inner, -1, 1)
    assert (drawn[inner] == np.rint(0.65 * 90 + 0.35 * np.array([255, 0, 0]))).all()
    outside = ~fine
    for _ in range(5):
        outside = (
            outside
            & np.roll(outside, 1, 0)
            & np.roll(outside, -1, 0)
            & np.roll(outside, 1, 1)
            & np.roll(outside, -1, 1)
        )
    assert (drawn[outside] == 90).all()
    red = (drawn == [255, 0, 0]).all(axis=-1)
    assert red.sum() > 150
    assert not red[inner | outside].any()


def target(mark: VisualPrompt, width: int, height: int, radius: float) -> NDArray[np.bool_]:
    """Return the pixels whose middle a mark marks, found without the code under test."""
    y, x = np.mgrid[:height, :width] + 0.5
    (x0, y0), (x1, y1) = mark.points[0], mark.points[-1]
    if mark.kind == "box":
        return (x > min(x0, x1)) & (x < max(x0, x1)) & (y > min(y0, y1)) & (y < max(y0, y1))
    if mark.kind == "polygon":
        filled = Image.new("1", (4 * width, 4 * height))
        ImageDraw.Draw(filled).polygon([(4 * a, 4 * b) for a, b in mark.points], fill=1)
        return np.asarray(filled)[2::4, 2::4]
    if mark.kind == "mask":
        left, top, right, bottom = min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)
        column, row = np.floor((x - left) / (right - left) * 4), np.floor((y - top) / (bottom - top) * 3)
        return (row == 1) & (column >= 0) & (column <= 2)
    middle = (x1, y1) if mark.kind == "arrow" else (x0, y0)
    return np.hypot(x - middle[0], y - middle[1]) < radius


THREE_CELLS = np.array([[0, 0, 0, 0], [1, 1, 1, 0], [0, 0, 0, 0]], bool)
TEXTS = st.sampled_from(["A", "B", "REF", "left eye"])


@st.composite
def marks(draw_from: st.DrawFn) -> VisualPrompt:
    kind = draw_from(st.sampled_from(["ring", "dot", "box", "polygon", "mask", "arrow", "letter", "number"]))
    place = st.tuples(st.floats(0, 260), st.floats(0, 190))
    (x, y), wide, tall = draw_from(place), draw_from(st.floats(8, 90)), draw_from(st.floats(8, 90))
    x1, y1 = min(x + wide, 260.0), min(y + tall, 190.0)
    x, y = min(x, x1 - 8), min(y, y1 - 8)
    points: dict[str, tuple[Point, ...]] = {
        "box": ((x, y), (x1, y1)),
        "mask": ((x, y1), (x1, y)),
        "arrow": ((x, y), (x1, y1)),
        "polygon": ((x, y), (x1, y), (x, y1)),
    }
    label = "7" if kind == "number" else draw_from(TEXTS)
    grid = mask_of(THREE_CELLS) if kind == "mask" else None
    return prompt(kind, *points.get(kind, ((x, y),)), label=label, mask=grid, reference_height_px=300)


def drawn_where_there_is_room(ground: Pixels, prompts: list[VisualPrompt]) -> Drawing | None:
    try:
        return draw(ground, prompts)
    except PromptError as error:
        if "no room for the label" not in str(error) or error.number not in range(len(prompts)):
            raise
        return None


@settings(max_examples=120, deadline=None, derandomize=True)
@given(st.lists(marks(), min_size=1, max_size=6))
def test_labels_of_any_marks_cover_no_target_and_no_other_label(prompts: list[VisualPrompt]) -> None:
    ground = np.full((190, 260, 3), 90, np.uint8)
    drawing = drawn_where_there_is_room(ground, prompts)
    if drawing is None:
        return
    assert drawing.drawn == lay_out(prompts, width=260, height=190)
    beside = [one.label_box for one in drawing.drawn if one.prompt.kind not in {"letter", "number"}]
    used = np.zeros((190, 260), int)
    for box in beside:
        assert box is not None
        assert box.inside(260, 190)
        used[int(np.ceil(box.top)) : int(box.bottom), int(np.ceil(box.left)) : int(box.right)] += 1
    assert used.max(initial=0) <= 1
    for one in drawing.drawn:
        covered = target(one.prompt, 260, 190, one.radius_px or 0.0)
        assert not (covered & (used > 0)).any()


@settings(max_examples=40, deadline=None, derandomize=True)
@given(marks())
def test_a_label_changes_pixels_in_its_recorded_box_and_nowhere_else(mark: VisualPrompt) -> None:
    ground = np.full((190, 260, 3), 90, np.uint8)
    drawing = draw(ground, [mark])
    [record] = drawing.drawn
    assert record.leader is None
    if mark.kind in {"letter", "number"}:
        return
    bare = draw_prompts(ground, [mark.model_copy(update={"label": None})])
    rows, columns = np.nonzero((bare != drawing.pixels).any(axis=-1))
    box = record.label_box
    assert box is not None
    assert (columns.min(), rows.min()) >= (int(box.left), int(box.top))
    assert columns.max() < np.ceil(box.right)
    assert rows.max() < np.ceil(box.bottom)
    assert columns.max() - columns.min() > 0.8 * (box.right - box.left) - 2
    rows, columns = np.nonzero((bare != ground).any(axis=-1))
    assert columns.min() >= np.floor(record.covers.left)
    assert rows.max() <= np.ceil(record.covers.bottom)


def test_a_label_inside_a_marked_box_stands_outside_of_it_at_the_end_of_a_line() -> None:
    box, ring = prompt("box", (30, 40), (230, 170)), prompt("ring", (120.5, 90.5), label="A")
    drawing = draw(np.full((190, 260, 3), 90, np.uint8), [box, ring])
    record = drawing.drawn[1]
    assert record.label_box is not None
    assert record.leader is not None
    assert record.label_box.bottom < 40
    (x0, y0), (x1, y1) = record.leader
    assert np.hypot(x0 - 120.5, y0 - 90.5) == pytest.approx(4 + 0.75)
    assert y1 == record.label_box.bottom
    middle = drawing.pixels[int((y0 + y1) / 2), int((x0 + x1) / 2) - 1 : int((x0 + x1) / 2) + 2]
    assert (middle[:, 0].astype(int) - middle[:, 1]).max() > 60


def test_the_label_of_an_arrow_stands_at_its_tail() -> None:
    [record] = lay_out([prompt("arrow", (60, 100), (160, 60), label="this")], width=260, height=190)
    assert record.label_box is not None
    assert record.label_box.right < 62
    assert record.label_box.top > 90


def test_a_label_that_finds_no_place_last_is_placed_first() -> None:
    # By itself the first label goes where alone the second, being longer, could stand.
    first, second = prompt("dot", (8, 15), label="W"), prompt("dot", (36, 11), label="REF")
    both = lay_out([first, second], width=39, height=25)
    assert all(one.label_box is not None for one in both)
    [alone] = lay_out([first], width=39, height=25)
    assert alone.label_box != both[0].label_box


def test_equal_marks_can_stand_in_one_list() -> None:
    ring, arrow = prompt("ring", (3, 3), label="A"), prompt("arrow", (2, 10), (38, 64), label="A")
    assert len(lay_out([ring, ring, arrow, arrow], width=260, height=190)) == 4


def test_what_was_asked_for_is_recorded_beside_what_was_drawn() -> None:
    box = prompt("box", (90, 70), (20, 30), label="B", line_px=3, reference_height_px=95)
    document = draw(np.zeros((190, 260, 3), np.uint8), [box]).drawn[0].to_json()
    assert document["requested"]["points"] == [[90, 70], [20, 30]]
    assert document["requested"]["style"]["line_px"] == 3
    assert document["points"] == [[20, 30], [90, 70]]
    assert document["line_px"] == 6
    assert document["radius_px"] is None
    assert document["covers_xyxy"] == pytest.approx([20 - 5.1, 30 - 5.1, 90 + 5.1, 70 + 5.1])

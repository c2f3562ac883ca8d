"""`benchwright.drawing`: visual prompts in pixels.

Marks are at their float coordinates, scale with the image's height down to a visible size, have a contrast halo, and
change nothing else. Labels are inside the image, cover no marked point, and are always in the same place.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from benchwright.drawing import draw, draw_prompts, lay_out, mask_of
from benchwright.drawing.calm_labels import with_calm_labels
from benchwright.errors import StepError
from benchwright.records import PromptKind, PromptStyle, VisualPrompt

Pixels = NDArray[np.uint8]


def prompt(kind: PromptKind, *points: tuple[float, float], label: str | None = None, **style: Any) -> VisualPrompt:
    return VisualPrompt(kind=kind, image_id="0" * 64, points=points, label=label, style=PromptStyle(**style))


def grid(first: tuple[float, float], second: tuple[float, float], *, label: str | None = None) -> VisualPrompt:
    """Return a mask of 3 rows and 4 columns, of which the middle row, and of it the first three cells, are set."""
    runs = mask_of(np.array([[0, 0, 0, 0], [1, 1, 1, 0], [0, 0, 0, 0]], bool))
    return VisualPrompt(kind="mask", image_id="0" * 64, points=(first, second), mask=runs, label=label)


def canvas(height: int, width: int, grey: int = 120) -> Pixels:
    return np.full((height, width, 3), grey, np.uint8)


def changed(before: Pixels, after: Pixels) -> NDArray[np.bool_]:
    return (before != after).any(axis=-1)


def extent(mask: NDArray[np.bool_]) -> tuple[int, int, int, int]:
    """Return first and last column and row that are set, as left, top, right, bottom with the last ones exclusive."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def centroid(weights: NDArray[Any]) -> tuple[float, float]:
    total = weights.sum()
    columns, rows = np.arange(weights.shape[1]) + 0.5, np.arange(weights.shape[0]) + 0.5
    return float((weights.sum(axis=0) * columns).sum() / total), float((weights.sum(axis=1) * rows).sum() / total)


def redness(pixels: Pixels) -> NDArray[np.int64]:
    """Return the amount of red over gray, which is zero where red equals green."""
    return np.maximum(pixels[..., 0].astype(np.int64) - pixels[..., 1], 0)


def test_the_image_given_stays_as_it_is_and_the_result_is_new() -> None:
    image = canvas(100, 130)
    image.flags.writeable = False
    drawn = draw_prompts(image, [prompt("dot", (40, 50))])
    assert (image == 120).all()
    assert drawn.flags.writeable
    assert changed(image, drawn).any()
    np.testing.assert_array_equal(draw_prompts(image, []), image)


def test_a_ring_has_its_radius_and_leaves_its_middle_and_everything_outside_alone() -> None:
    image = canvas(1024, 700)
    drawn = draw_prompts(image, [prompt("ring", (300.5, 400.5))])
    y, x = np.mgrid[:1024, :700]
    distance = np.hypot(x + 0.5 - 300.5, y + 0.5 - 400.5)
    red = (drawn == [255, 0, 0]).all(axis=-1)
    assert red[np.abs(distance - 10) < 0.7].all()
    assert not changed(image, drawn)[(distance < 6.5) | (distance > 13.5)].any()
    assert (drawn[400, 312] > 200).all(), "a white halo lies around"


@pytest.mark.slow
def test_sizes_scale_with_the_height_of_the_image() -> None:
    reach = []
    for height, width in ((1024, 300), (2048, 5000), (4096, 400)):
        image = canvas(height, width)
        left, _, right, _ = extent(changed(image, draw_prompts(image, [prompt("ring", (200, 300))])))
        reach.append((right - left) / height)
    assert max(reach) - min(reach) < 0.002
    assert reach[0] == pytest.approx(2 * (10 + 1.5 + 1.05) / 1024, abs=0.002)


@pytest.mark.parametrize("kind", ["ring", "dot", "letter", "number"])
def test_marks_stay_visible_on_small_images(kind: PromptKind) -> None:
    image = canvas(48, 64)
    drawn = draw_prompts(image, [prompt(kind, (30, 20), label="7" if kind in {"letter", "number"} else None)])
    assert (redness(drawn) > 100).sum() >= 12
    left, top, right, bottom = extent(changed(image, drawn))
    assert 5 <= right - left <= 24
    assert 5 <= bottom - top <= 24


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.floats(20, 60), st.floats(20, 40), st.sampled_from(["ring", "dot"]))
def test_a_mark_is_centred_on_its_point_to_a_tenth_of_a_pixel(x: float, y: float, kind: PromptKind) -> None:
    drawn = draw_prompts(canvas(60, 80), [prompt(kind, (x, y))])
    assert centroid(redness(drawn)) == pytest.approx((x, y), abs=0.1)


def test_pixel_centres_lie_at_one_half() -> None:
    drawn = draw_prompts(canvas(60, 81), [prompt("ring", (40.5, 30.0), radius_px=200, line_px=60)])
    np.testing.assert_array_equal(drawn, drawn[:, ::-1])
    np.testing.assert_array_equal(drawn, drawn[::-1])


def test_edges_are_anti_aliased() -> None:
    image = canvas(64, 64, 0)
    drawn = draw_prompts(image, [prompt("dot", (31.3, 32.6), radius_px=200, color="#ff0000")])
    assert len(np.unique(drawn[..., 0])) > 8


@pytest.mark.parametrize(("color", "contrast"), [("#ff0000", 255), ("#0000ff", 255), ("#ffff00", 0), ("#ffffff", 0)])
def test_the_halo_is_white_around_dark_colours_and_black_around_light_ones(color: str, contrast: int) -> None:
    drawn = draw_prompts(canvas(1024, 90), [prompt("dot", (40, 50), color=color)])
    halo = drawn[50, 50].astype(int)
    assert abs(halo - contrast).max() < 60


def test_a_box_is_its_four_sides_and_no_more() -> None:
    image = canvas(200, 260)
    drawn = draw_prompts(image, [prompt("box", (210, 150), (30, 40), line_px=4, reference_height_px=200)])
    red = (drawn == [255, 0, 0]).all(axis=-1)
    expected = np.zeros((200, 260), bool)
    expected[38:152, 28:212] = True
    expected[42:148, 32:208] = False
    np.testing.assert_array_equal(red, expected)
    touched = np.zeros((200, 260), bool)
    touched[36:154, 26:214] = True
    touched[44:146, 34:206] = False
    np.testing.assert_array_equal(changed(image, drawn), touched)
    assert (drawn[44:146] == drawn[100]).all(), "no row is painted twice"
    assert (drawn[:, 34:206] == drawn[:, 100:101]).all(), "nor any column"


@pytest.mark.parametrize(
    ("first", "second"),
    [((0, 0), (90, 70)), ((50.2, 30.7), (51.1, 60.3)), ((3.3, 20.25), (80.75, 21.5)), ((40, 40), (40, 40))],
    ids=["whole-image", "narrow", "flat", "point"],
)
def test_boxes_of_any_shape_are_covered_by_exact_area(first: tuple[float, float], second: tuple[float, float]) -> None:
    line, halo = 2.0, 0.8

    def covered(low: float, high: float, size: int) -> NDArray[np.float64]:
        edges = np.arange(size)
        return np.clip(np.minimum(edges + 1, high) - np.maximum(edges, low), 0, 1)

    def ring(half: float) -> NDArray[np.float64]:
        (x0, y0), (x1, y1) = first, second
        outer = covered(y0 - half, y1 + half, 70)[:, None] * covered(x0 - half, x1 + half, 90)
        inner = covered(y0 + half, y1 - half, 70)[:, None] * covered(x0 + half, x1 - half, 90)
        return outer - inner

    drawn = draw_prompts(canvas(70, 90), [prompt("box", first, second, line_px=line, reference_height_px=70)])
    expected = np.full((70, 90, 3), 120.0)
    for share, color in ((0.85 * ring(line / 2 + halo), [255, 255, 255]), (ring(line / 2), [255, 0, 0])):
        expected = expected * (1 - share[..., None]) + np.array(color) * share[..., None]
    assert np.abs(drawn - expected).max() < 70
    assert np.abs(drawn - expected).mean() < 2


@pytest.mark.parametrize(
    "corners", [((20.3, 12.1), (71.8, 30.4), (40.6, 58.9)), ((5, 5), (80.5, 5.5), (9.2, 61.7), (61, 66))]
)
def test_polygons_are_covered_as_finely_sampled_ones_are(corners: tuple[tuple[float, float], ...]) -> None:
    """A pixel's 64 samples say how much of it lies within half a line of the outline, and within the halo."""
    line, halo, fine = 3.0, 0.35 * 3.0, 8
    x, y = (np.arange(size * fine) / fine + 0.5 / fine for size in (90, 70))
    places = np.stack(np.broadcast_arrays(x[None, :], y[:, None]), axis=-1)
    away = np.full(places.shape[:2], np.inf)
    for start, end in zip(np.array(corners), np.roll(np.array(corners), -1, axis=0), strict=True):
        share = np.clip((places - start) @ (end - start) / ((end - start) ** 2).sum(), 0, 1)
        away = np.minimum(away, np.linalg.norm(places - start - share[..., None] * (end - start), axis=-1))
    drawn = draw_prompts(canvas(70, 90), [prompt("polygon", *corners, line_px=line, reference_height_px=70)])
    expected = np.full((70, 90, 3), 120.0)
    for opacity, reach, color in ((0.85, line / 2 + halo, [255, 255, 255]), (1.0, line / 2, [255, 0, 0])):
        cover = opacity * (away < reach).reshape(70, fine, 90, fine).mean(axis=(1, 3))[..., None]
        expected = expected * (1 - cover) + np.array(color) * cover
    off = np.abs(drawn - expected).max(axis=-1)
    assert off.max() < 80, "where two lines meet in an acute angle"
    assert (off > 25).sum() <= 12
    assert off[off > 0].mean() < 5


def test_later_marks_lie_on_earlier_ones() -> None:
    red, blue = prompt("dot", (40, 30)), prompt("dot", (42, 30), color="#0000ff")
    assert tuple(draw_prompts(canvas(60, 80), [red, blue])[30, 41]) == (0, 0, 255)
    assert tuple(draw_prompts(canvas(60, 80), [blue, red])[30, 41]) == (255, 0, 0)


@pytest.mark.parametrize("label", ["A", "W", "12", "REF"])
def test_a_letter_is_a_disc_in_the_colour_with_the_label_in_contrast_in_its_middle(label: str) -> None:
    image = canvas(1024, 1300)
    drawn = draw_prompts(image, [prompt("letter", (600.5, 500.5), label=label, color="#204080", radius_px=40)])
    left, top, right, bottom = extent(changed(image, drawn))
    assert (left + right) / 2 == pytest.approx(600.5, abs=1)
    assert (top + bottom) / 2 == pytest.approx(500.5, abs=1)
    assert bottom - top == pytest.approx(80, abs=5)
    assert right - left >= bottom - top
    inner = drawn[top + 6 : bottom - 6, left + 6 : right - 6]
    white = (inner == 255).all(axis=-1)
    assert 0.05 < white.mean() < 0.5
    ink_left, ink_top, ink_right, ink_bottom = extent(white)
    assert (ink_left + ink_right) / 2 == pytest.approx(inner.shape[1] / 2, abs=2)
    assert (ink_top + ink_bottom) / 2 == pytest.approx(inner.shape[0] / 2, abs=2)


def label_mask(image: Pixels, mark: VisualPrompt) -> NDArray[np.bool_]:
    """Return what a label adds to its mark."""
    bare = mark.model_copy(update={"label": None})
    return changed(draw_prompts(image, [bare]), draw_prompts(image, [mark]))


@pytest.mark.parametrize("kind", ["ring", "dot"])
@pytest.mark.parametrize("x", [0, 0.5, 60, 159.5, 160])
@pytest.mark.parametrize("y", [0, 50, 119.5, 120])
def test_a_label_stands_beside_its_mark_and_wholly_inside_the_image(kind: PromptKind, x: float, y: float) -> None:
    label = label_mask(canvas(120, 160), prompt(kind, (x, y), label="REF"))
    left, top, right, bottom = extent(label)
    wide = label_mask(
        canvas(320, 360), prompt(kind, (x + 100, y + 100), label="REF", reference_height_px=1024 * 320 / 120)
    )
    expected = extent(wide)
    assert abs((right - left) - (expected[2] - expected[0])) <= 1
    assert abs((bottom - top) - (expected[3] - expected[1])) <= 1
    assert not label[max(0, int(y) - 2) : int(y) + 2, max(0, int(x) - 2) : int(x) + 2].any()
    across, along = max(left - x, x - right, 0), max(top - y, y - bottom, 0)
    assert np.hypot(across, along) < 30


def test_labels_keep_off_other_marks_and_each_other() -> None:
    places = [(40.0, 40.0), (62.0, 40.0), (40.0, 64.0), (70.0, 66.0)]
    marks = [prompt("ring", place, label=letter) for place, letter in zip(places, "ABCD", strict=True)]
    image = canvas(120, 160)
    rings = changed(image, draw_prompts(image, [mark.model_copy(update={"label": None}) for mark in marks]))
    drawn = draw_prompts(image, marks)
    letters = changed(draw_prompts(image, [mark.model_copy(update={"label": None}) for mark in marks]), drawn)
    assert not (rings & letters).any()
    alone = [label_mask(image, prompt("ring", (80, 60), label=letter)).sum() for letter in "ABCD"]
    assert letters.sum() == pytest.approx(sum(alone), rel=0.1)


def test_drawing_twice_gives_the_same_pixels() -> None:
    marks = [
        prompt("ring", (33.3, 44.4), label="A"),
        prompt("letter", (90, 20), label="B"),
        prompt("box", (5, 6), (70, 90), label="C"),
    ]
    image = np.random.default_rng(3).integers(0, 256, (120, 160, 3), dtype=np.uint8)
    np.testing.assert_array_equal(draw_prompts(image, marks), draw_prompts(image.copy(), marks))


@pytest.mark.parametrize(
    ("mark", "words"),
    [
        pytest.param(prompt("arrow", (1, 2), (3, 4)), r"arrow of 2.82843 px is too short", id="short-arrow"),
        pytest.param(prompt("arrow", (1, 2)), r"'arrow' takes 2 point\(s\), not 1", id="arrow-without-tip"),
        pytest.param(prompt("polygon", (1, 2), (3, 4)), "polygon takes 3 to 10,000 corners, not 2", id="two-corners"),
        pytest.param(prompt("mask", (1, 2), (30, 40)), "'mask' needs its grid", id="mask-without-grid"),
        pytest.param(grid((1, 2), (1, 40)), "must span a rectangle", id="flat-mask"),
        pytest.param(prompt("number", (3, 4), label="B2"), "'number' needs a label of digits, not 'B2'", id="number-of-letters"),
        pytest.param(prompt("number", (3, 4), label="\u0663"), "the font has no", id="foreign-digits"),
        pytest.param(prompt("number", (3, 4)), "'number' needs a label of digits", id="number-without-label"),
        pytest.param(prompt("dot", (30, 40), label="\u732b"), "the font has no '\u732b'", id="no-glyph"),
        pytest.param(prompt("box", (0, 0), (80, 60), label="All"), "no room for the label 'All' of the box", id="box-as-large-as-the-image"),
        pytest.param(prompt("box", (3, 4), (9, 9), line_px=1e9), "wider than the image", id="thick-line"),
        pytest.param(prompt("ring", (1, 2), (3, 4)), r"'ring' takes 1 point\(s\), not 2", id="two-points"),
        pytest.param(prompt("box", (1, 2)), r"'box' takes 2 point\(s\), not 1", id="one-corner"),
        pytest.param(prompt("dot", (80.5, 3)), r"dot at \(80.5, 3\) lies outside the image of 80 x 60 pixels", id="right"),
        pytest.param(prompt("dot", (3, -0.1)), "lies outside", id="above"),
        pytest.param(prompt("box", (3, 4), (7, 61)), "lies outside", id="corner-below"),
        pytest.param(prompt("ring", (float("nan"), 4)), "lies outside", id="nan"),
        pytest.param(prompt("ring", (3, float("inf"))), "lies outside", id="infinite"),
        pytest.param(prompt("letter", (3, 4)), "'letter' needs a label", id="letter-without-label"),
        pytest.param(prompt("letter", (3, 4), label="  "), "'letter' needs a label", id="letter-of-spaces"),
        pytest.param(prompt("dot", (3, 4), label="a\nb"), r"label 'a\\nb' cannot be drawn", id="newline"),
        pytest.param(prompt("dot", (3, 4), label="x" * 25), "up to 24 printable characters", id="long-label"),
        pytest.param(prompt("dot", (3, 4), label="x" * 24), "no room for the label", id="no-room"),
        pytest.param(prompt("ring", (3, 4), radius_px=1e12), "larger than the image of 80 x 60 pixels", id="huge"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_refused_in_words(mark: VisualPrompt, words: str) -> None:
    with pytest.raises(StepError, match=words):
        draw_prompts(canvas(60, 80), [mark])


def test_a_mark_on_the_border_is_clipped() -> None:
    for point in ((0, 0), (80, 60), (0, 60), (80, 0), (40, 0)):
        drawn = draw_prompts(canvas(60, 80), [prompt("ring", point), prompt("letter", point, label="Q")])
        assert drawn.shape == (60, 80, 3)
        assert (redness(drawn) > 100).any()


def lettered(height: int, width: int, place: tuple[slice, slice]) -> Pixels:
    """Return a plain picture with rows of strokes like small print in one place."""
    image = canvas(height, width, 235)
    rows, columns = np.indices((height, width))
    strokes = (columns % 6 < 3) & (rows % 14 < 9)
    image[place] = np.where(strokes[place], 20, 235)[..., None].astype(np.uint8)
    return image


def test_a_label_leaves_lettering_free_and_all_who_draw_it_agree() -> None:
    mark = prompt("ring", (150.5, 150.5), label="A", reference_height_px=512.0)
    [plain] = lay_out([mark], width=300, height=300)
    assert plain.label_box is not None
    assert plain.label_box.left > 150
    text = lettered(300, 300, (slice(100, 200), slice(158, 300)))
    [[calm]] = with_calm_labels([(text, [mark])])
    assert calm.label_place is not None
    assert VisualPrompt.model_validate(calm.model_dump(mode="json")) == calm
    [laid] = lay_out([calm], width=300, height=300)
    assert laid.label_box is not None
    assert laid.label_box.right <= 158
    assert draw(text, [calm]).drawn == (laid,)
    assert with_calm_labels([(canvas(300, 300, 235), [calm])]) == [(mark,)]
    assert "label_place" not in mark.model_dump(mode="json")


def test_all_labels_of_an_item_take_the_same_place_so_that_none_tells_what_lies_beside_its_mark() -> None:
    marks = [prompt("ring", (x, 150.5), label=key, reference_height_px=512.0) for key, x in (("A", 80.5), ("B", 220.5))]
    text, plain = lettered(300, 300, (slice(100, 200), slice(88, 150))), canvas(300, 300, 235)
    named = with_calm_labels([(text, marks), (plain, marks[:1])])
    places = {mark.label_place for prompts in named for mark in prompts}
    assert len(places) == 1
    assert places != {None}
    everywhere = lettered(300, 300, (slice(None), slice(None)))
    assert with_calm_labels([(everywhere, marks)]) == [tuple(marks)]


def test_a_named_place_that_is_taken_is_left_for_the_first_free_one() -> None:
    first = prompt("ring", (150.5, 150.5), label="A")
    [plain] = lay_out([first], width=300, height=300)
    assert plain.label_box is not None
    beside = prompt("box", (165, 130), (220, 170))
    named = first.model_copy(update={"label_place": 0})
    [laid, _] = lay_out([named, beside], width=300, height=300)
    assert laid.label_box is not None
    assert laid.label_box != plain.label_box
    assert laid.label_box == lay_out([first, beside], width=300, height=300)[0].label_box

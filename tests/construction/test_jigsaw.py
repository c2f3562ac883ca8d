"""Jigsaw items: the pieces shown, their origin, and the photographs that are unsuitable."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from pydantic import ValidationError
from step_context import StepContext

from benchwright.construction.item_parts.pictures.inner_pictures import InnerBox
from benchwright.construction.item_parts.pictures.piece_likeness import ReducedPicture, even_ways, likeness_margins
from benchwright.construction.item_parts.pictures.tiled_pictures import edge_difference
from benchwright.construction.tasks.jigsaw import HIDDEN, Jigsaw
from benchwright.diagnostics.shortcuts.item_cues import cues_of_item
from benchwright.diagnostics.shortcuts.picture_facts import facts_of_picture
from benchwright.errors import UnreadableImage
from benchwright.images import encode_png
from benchwright.images.made_pictures import encode_jpeg
from benchwright.records import Item
from benchwright.steps import Outcome

pytestmark = pytest.mark.slow

H, W = 100, 150
"""Tile of the photograph, (300, 451): one column is left over."""


def made(context: StepContext, pixels: np.ndarray, **settings: Any) -> Outcome:
    return context.run(Jigsaw(**settings), context.add(pixels))


def pictures(context: StepContext, item: Item) -> list[np.ndarray]:
    return [context.stored[image.image_id] for image in item.images]


def cropped(pixels: np.ndarray, box: list[int]) -> np.ndarray:
    return pixels[box[1] : box[3], box[0] : box[2]]


@pytest.fixture
def item(context: StepContext, photo: np.ndarray) -> Item:
    [item] = made(context, photo, mode="paper").items
    return item


def test_the_reference_shows_the_upper_left_four_tiles_without_the_fourth(
    context: StepContext, photo: np.ndarray, item: Item
) -> None:
    expected = photo[: 2 * H, : 2 * W].copy()
    expected[H:, W:] = 0
    assert np.array_equal(pictures(context, item)[0], expected)


def test_the_answer_is_the_centre_tile(context: StepContext, photo: np.ndarray, item: Item) -> None:
    [right] = [choice for choice in item.choices if choice.key == item.answer]
    assert np.array_equal(context.stored[right.image_id or ""], photo[H : 2 * H, W : 2 * W])


def test_the_other_choice_is_a_tile_that_is_not_shown(context: StepContext, photo: np.ndarray, item: Item) -> None:
    [wrong] = [choice for choice in item.choices if choice.key != item.answer]
    row, column = item.evidence["wrong"]["tile"]
    assert (row, column) in HIDDEN
    tile = photo[row * H : (row + 1) * H, column * W : (column + 1) * W]
    assert np.array_equal(context.stored[wrong.image_id or ""], tile)


def test_pictures_come_in_the_order_of_the_question(item: Item) -> None:
    assert [image.role for image in item.images] == ["reference", "choice", "choice"]
    assert [image.image_id for image in item.images[1:]] == [choice.image_id for choice in item.choices]


@pytest.mark.parametrize("which", ["right", "wrong"])
def test_evidence_says_where_in_the_photograph_a_piece_lies(
    context: StepContext, photo: np.ndarray, item: Item, which: str
) -> None:
    [choice] = [choice for choice in item.choices if (choice.key == item.answer) == (which == "right")]
    piece = cropped(photo, item.evidence[which]["box_xyxy"])
    assert np.array_equal(context.stored[choice.image_id or ""], piece)


def test_a_large_photograph_is_scaled_down_and_boxes_stay_in_the_source(
    context: StepContext, photo: np.ndarray
) -> None:
    large = cv2.resize(photo, (1357, 902), interpolation=cv2.INTER_CUBIC)
    [item] = made(context, large, max_side_px=400, mode="paper").items
    right = pictures(context, item)[1 if item.answer == "A" else 2]
    assert right.shape == (88, 133, 3)
    source = cropped(large, item.evidence["right"]["box_xyxy"])
    assert source.shape == (300, 452, 3)
    expected = cv2.resize(source, (133, 88), interpolation=cv2.INTER_AREA)
    assert np.abs(expected.astype(int) - right).mean() < 1


def test_each_item_of_an_image_has_another_wrong_piece(context: StepContext, photo: np.ndarray) -> None:
    items = made(context, photo, per_image=5, min_difference=0.04, mode="paper").items
    assert len({tuple(item.evidence["wrong"]["tile"]) for item in items}) == len(items) == 5


def test_the_photograph_is_decoded_once_and_each_picture_stored_once(context: StepContext, photo: np.ndarray) -> None:
    outcome = made(context, photo, per_image=3, mode="paper")
    assert context.images.asked == 1
    assert context.store_calls == len(context.stored) == len(outcome.images) == 2 + len(outcome.items)


@pytest.mark.parametrize("mode", ["hardened", "paper"])
def test_more_items_an_image_leave_the_first_ones_as_they_are(
    context: StepContext, photo: np.ndarray, mode: str
) -> None:
    one = made(context, photo, mode=mode).items
    more = made(context, photo, per_image=4, mode=mode).items
    assert one == more[:1]
    assert len(more) == (4 if mode == "paper" else 2)


def test_equal_seeds_make_equal_items_and_pictures(tmp_path: Path, photo: np.ndarray) -> None:
    first, second = StepContext(tmp_path, seed=8), StepContext(tmp_path, seed=8)
    assert made(first, photo, per_image=3) == made(second, photo, per_image=3)
    assert made(first, photo, mode="paper") == made(second, photo, mode="paper")


def test_another_seed_chooses_other_pieces_or_places(tmp_path: Path, photo: np.ndarray) -> None:
    chosen = {
        (tuple(item.evidence["wrong"]["tile"]), item.answer)
        for seed in range(12)
        for item in made(StepContext(tmp_path, seed=seed), photo, mode="paper").items
    }
    assert len(chosen) > 4
    assert {answer for _, answer in chosen} == {"A", "B"}


def test_items_of_one_photograph_share_a_group_key(context: StepContext, photo: np.ndarray) -> None:
    record = context.add(photo)
    [item] = context.run(Jigsaw(), record).items
    assert item.group_keys == (f"image:{record.image_id}",)


def test_a_wrong_piece_that_is_too_like_the_right_one_is_never_used(context: StepContext, photo: np.ndarray) -> None:
    copied = photo.copy()
    for row, column in [(0, 2), (1, 2), (2, 0), (2, 1)]:
        copied[row * H : (row + 1) * H, column * W : (column + 1) * W] = photo[H : 2 * H, W : 2 * W]
    items = made(context, copied, per_image=5, mode="paper").items
    assert [item.evidence["wrong"]["tile"] for item in items] == [[2, 2]]


def test_wrong_pieces_that_are_alike_are_used_once(context: StepContext, photo: np.ndarray) -> None:
    copied = photo.copy()
    for row, column in HIDDEN:
        copied[row * H : (row + 1) * H, column * W : (column + 1) * W] = 255
    assert len(made(context, copied, per_image=5, mode="paper").items) == 1


def test_hardened_either_of_two_pieces_is_missing_and_neither_reference_shows_the_other(
    tmp_path: Path, photo: np.ndarray
) -> None:
    missing = set()
    for seed in range(12):
        context = StepContext(tmp_path, seed=seed)
        [item] = made(context, photo, margin=0, min_view_px=16, likeness="keep").items
        assert item.attributes["mode"] == "hardened"
        right, wrong = (tuple(item.evidence[which]["tile"]) for which in ("right", "wrong"))
        assert {right, wrong} == {(1, 2), (2, 1)}
        missing.add((right, item.answer))
        row, column = right
        expected = photo[(row - 1) * H : (row + 1) * H, (column - 1) * W : (column + 1) * W].copy()
        expected[H:, W:] = 0
        reference, *options = pictures(context, item)
        assert np.array_equal(reference, expected)
        pieces = {key: photo[r * H : (r + 1) * H, c * W : (c + 1) * W] for key, (r, c) in (("r", right), ("w", wrong))}
        order = "rw" if item.answer == "A" else "wr"
        assert all(np.array_equal(option, pieces[key]) for option, key in zip(options, order, strict=True))
        assert list(wrong) not in [[box[1] // H, box[0] // W] for box in item.evidence["shown_boxes_xyxy"]]
    assert len(missing) == 4


def test_hardened_shows_nothing_of_a_white_margin_or_of_a_frame(context: StepContext, photo: np.ndarray) -> None:
    framed = cv2.copyMakeBorder(photo, 9, 9, 9, 9, cv2.BORDER_CONSTANT, value=(0, 0, 0))
    framed = cv2.copyMakeBorder(framed, 30, 20, 40, 25, cv2.BORDER_CONSTANT, value=(255, 255, 255))
    [item] = made(context, framed, margin=0, likeness="keep").items
    whole = (49, 39, 49 + 3 * W, 39 + 3 * H)
    boxes = [item.evidence["right"]["box_xyxy"], item.evidence["wrong"]["box_xyxy"], *item.evidence["shown_boxes_xyxy"]]
    assert all(whole[0] <= x0 and whole[1] <= y0 and x1 <= whole[2] and y1 <= whole[3] for x0, y0, x1, y1 in boxes)
    assert max(box[2] for box in boxes) > whole[2] - 3
    assert max(box[3] for box in boxes) > whole[3] - 3


def test_hardened_shows_nothing_of_the_border(context: StepContext, photo: np.ndarray) -> None:
    [item] = made(context, photo, margin=0.1).items
    boxes = [item.evidence["right"]["box_xyxy"], item.evidence["wrong"]["box_xyxy"], *item.evidence["shown_boxes_xyxy"]]
    assert all(x0 >= 45 and y0 >= 30 and x1 <= 406 and y1 <= 270 for x0, y0, x1, y1 in boxes)


@pytest.mark.parametrize(
    "place",
    [
        pytest.param((240, 150), id="across the left edge of the piece at the right"),
        pytest.param((30, 207), id="cut in its height by the upper edge of the piece below"),
    ],
)
def test_hardened_a_picture_with_lettering_across_a_join_is_left_out_unless_it_is_to_be_kept(
    context: StepContext, photo: np.ndarray, place: tuple[int, int]
) -> None:
    lettered = cv2.rectangle(
        photo.copy(), (place[0] - 5, place[1] - 25), (place[0] + 210, place[1] + 10), (250,) * 3, -1
    )
    cv2.putText(lettered, "ALL OF THIS IS TEXT", place, cv2.FONT_HERSHEY_SIMPLEX, 0.6, (0, 0, 0), 2, cv2.LINE_AA)
    assert (
        made(context, lettered, margin=0, min_tile_px=95, likeness="keep", strips="keep").reason == "lettering_at_join"
    )
    assert made(context, lettered, margin=0, min_tile_px=95, likeness="keep", strips="keep", lettering="keep").items
    assert made(context, lettered, mode="paper").items


STRIPS = {
    "a gutter between two pictures, one above the other": (slice(144, 154), slice(None)),
    "a gutter between two pictures beside each other": (slice(None), slice(222, 228)),
    "a gutter at the upper edge of the piece at the right": (slice(94, 100), slice(None)),
    "a ruled line": (slice(240, 243), slice(40, 451)),
}


@pytest.mark.parametrize("place", STRIPS.values(), ids=STRIPS)
@pytest.mark.parametrize("level", [0, 255])
def test_hardened_a_picture_with_a_straight_strip_across_a_join_is_left_out_unless_it_is_to_be_kept(
    context: StepContext, photo: np.ndarray, place: tuple[slice, slice], level: int
) -> None:
    composed = photo.copy()
    composed[place] = level
    assert made(context, composed, margin=0, min_tile_px=95, likeness="keep").reason == "strip_at_join"
    assert made(context, composed, margin=0, min_tile_px=95, likeness="keep", strips="keep").items
    assert made(context, composed, mode="paper").items


def test_a_wide_area_of_one_color_is_no_strip(context: StepContext, photo: np.ndarray) -> None:
    wide = photo.copy()
    wide[150:210] = 200
    assert made(context, wide, margin=0, min_tile_px=95, likeness="keep").items


def test_another_part_of_the_picture_is_cut_up_where_a_strip_runs_across_a_join(
    context: StepContext, photo: np.ndarray
) -> None:
    composed = cv2.resize(photo, (902, 600), interpolation=cv2.INTER_CUBIC)
    composed[330:338] = 255
    [item] = made(context, composed, margin=0, likeness="keep").items
    boxes = [item.evidence["right"]["box_xyxy"], item.evidence["wrong"]["box_xyxy"], *item.evidence["shown_boxes_xyxy"]]
    assert max(box[2] for box in boxes) - min(box[0] for box in boxes) <= 0.92 * 902
    for left, top, right, bottom in (item.evidence["right"]["box_xyxy"], item.evidence["wrong"]["box_xyxy"]):
        assert right > left
        assert not top < 334 < bottom


@pytest.mark.parametrize(
    ("size_wh", "settings", "shown_px"),
    [
        pytest.param((2700, 1800), {}, 300, id="not scaled down further"),
        pytest.param((1800, 1800), {}, 341, id="scaled down to max_side_px"),
        pytest.param((400, 300), {"max_enlargement": 4}, 300, id="enlarged"),
        pytest.param((400, 300), {}, 176, id="enlarged as far as it may be"),
        pytest.param((400, 300), {"max_enlargement": 1}, 88, id="shown as it is"),
        pytest.param((400, 300), {"min_view_px": 120}, 120, id="smaller views"),
    ],
)
def test_hardened_pieces_have_the_size_that_people_can_see(
    context: StepContext, photo: np.ndarray, size_wh: tuple[int, int], settings: dict[str, Any], shown_px: int
) -> None:
    resized = cv2.resize(photo, size_wh, interpolation=cv2.INTER_CUBIC)
    outcome = made(context, resized, likeness="keep", **settings)
    [item] = outcome.items
    reference, *pieces = pictures(context, item)
    assert {min(piece.shape[:2]) for piece in pieces} == {shown_px} == {outcome.values["view_px"]}
    assert reference.shape[:2] == (2 * pieces[0].shape[0], 2 * pieces[0].shape[1])


@pytest.mark.parametrize(("level", "name"), [(0, "gray"), (255, "black"), (120, "black")])
def test_the_place_of_the_missing_piece_stands_out_and_the_question_names_its_color(
    context: StepContext, photo: np.ndarray, level: int, name: str
) -> None:
    shaded = np.clip(0.25 * photo + 0.75 * level, 0, 255).astype(np.uint8)
    [item] = made(context, shaded, min_difference=0.01).items
    reference = pictures(context, item)[0]
    height, width = reference.shape[:2]
    missing = reference[height // 2 :, width // 2 :].reshape(-1, 3)
    assert item.evidence["fill"] == name
    assert f" {name}" in item.question
    assert {tuple(pixel) for pixel in missing.tolist()} == {(0, 0, 0) if name == "black" else (128, 128, 128)}


def test_hardened_both_items_of_a_photograph_offer_the_same_two_pieces_where_likeness_is_kept(
    context: StepContext, photo: np.ndarray
) -> None:
    first, second = made(context, photo, per_image=2, likeness="keep").items
    assert {choice.image_id for choice in first.choices} == {choice.image_id for choice in second.choices}
    assert first.evidence["right"] == second.evidence["wrong"]
    assert context.store_calls == 4


def test_of_two_items_of_a_photograph_likeness_tells_the_right_piece_in_one_and_the_wrong_one_in_the_other(
    context: StepContext, photo: np.ndarray
) -> None:
    first, second = made(context, photo, per_image=2).items
    margins = first.evidence["likeness_margin"], second.evidence["likeness_margin"]
    assert first.item_id != second.item_id
    assert abs(sum(margins)) <= 0.4
    assert min(margins) < 0 < max(margins)


def test_chance_says_which_of_the_two_is_the_item(tmp_path: Path, photo: np.ndarray) -> None:
    margins = [
        made(StepContext(tmp_path, seed=seed), photo).items[0].evidence["likeness_margin"] > 0 for seed in range(12)
    ]
    assert 2 <= sum(margins) <= 10


def test_a_picture_in_which_all_that_lies_side_by_side_is_alike_is_told_by_likeness(context: StepContext) -> None:
    rows = np.linspace(20, 220, 400)[:, None, None]
    shaded = np.clip(np.random.default_rng(1).normal(rows, 20, (400, 450, 3)), 0, 255).astype(np.uint8)
    outcome = made(context, shaded)
    assert (outcome.verdict, outcome.reason) == ("drop", "told_by_likeness")
    assert made(context, shaded, likeness="keep").items
    shaded[300:312] = 250
    assert made(context, shaded, margin=0).reason == "told_by_likeness"  # parts without the strip were tried
    assert made(context, shaded, margin=0, min_tile_px=120).reason == "strip_at_join"


def test_even_ways_whose_pieces_differ_too_little_have_a_reason_of_their_own(
    context: StepContext, photo: np.ndarray
) -> None:
    least = {"twins": True, "min_tile_px": 76}
    assert made(context, photo, min_difference=0.12, **least).items
    outcome = made(context, photo, min_difference=0.13, **least)
    assert (outcome.verdict, outcome.reason) == ("drop", "ambiguous_where_even")
    assert outcome.values["largest_difference"] >= 0.13
    assert made(context, photo, twins=True, min_tile_px=84).reason == "told_by_likeness"


def test_likeness_is_measured_off_the_join(photo: np.ndarray) -> None:
    whole = InnerBox(0, 0, 450, 300)
    changed = photo[:300, :450].copy()
    changed[100:104, 300:450] = 0
    changed[200:204, 150:300] = 255
    before, after = (likeness_margins(ReducedPicture.of(px), [whole]) for px in (photo[:300, :450], changed))
    assert before.shape == (1, 2)
    assert np.abs(before - after).max() < 0.3 < np.abs(before).max()


def test_parts_that_are_as_even_come_largest_first_and_uneven_ones_not_at_all() -> None:
    margins = np.array([[0.5, 2.0], [1.0, -1.0], [0.3, -0.1], [1.0, -0.65]], np.float32)
    ways = list(even_ways(margins, [1.0, 0.7, 0.95, 0.8]))
    assert [[(way.part, way.missing) for way in both] for both in ways] == [
        [(part, 0), (part, 1)] for part in (2, 1, 3)
    ]


def test_whichever_piece_is_missing_the_same_two_are_shown(tmp_path: Path, photo: np.ndarray) -> None:
    items = [made(StepContext(tmp_path, seed=seed), photo).items[0] for seed in range(8)]
    boxes = [tuple(item.evidence[piece]["box_xyxy"]) for item in items for piece in ("right", "wrong")]
    assert len(set(boxes)) == 2
    assert len({frozenset(choice.image_id for choice in item.choices) for item in items}) == 1
    assert len({tuple(item.evidence["right"]["tile"]) for item in items}) == 2


@pytest.mark.parametrize("encode", [encode_png, encode_jpeg])
@pytest.mark.parametrize("mode", ["hardened", "paper"])
def test_of_the_files_in_a_workspace_or_release_nothing_says_which_piece_is_closer_to_the_reference(
    context: StepContext, photo: np.ndarray, mode: str, encode: Callable[[np.ndarray], bytes]
) -> None:
    [item] = made(context, photo, mode=mode).items
    cues = cues_of_item(item, lambda image_id, _: facts_of_picture(encode(context.stored[image_id]), with_pixels=True))
    assert cues is not None
    beside = {name: values for name, values in cues.of_options.items() if name.startswith("reference_file.")}
    assert len(beside) >= 4
    assert {name: values for name, values in beside.items() if len(set(values)) > 1} == {}
    assert len(set(cues.of_options["reference_pixels.detail_bytes"])) == 2


@pytest.mark.parametrize("name", ["grass", "gravel", "brick"])
def test_a_texture_without_end_is_ambiguous(context: StepContext, name: str) -> None:
    import skimage.data

    texture = np.repeat(getattr(skimage.data, name)()[:, :390, None], 3, axis=2)
    outcome = made(context, texture)
    assert (outcome.verdict, outcome.reason) == ("drop", "ambiguous")
    assert 0 < outcome.values["largest_difference"] < 0.08
    assert max(outcome.evidence["differences"].values()) == outcome.values["largest_difference"]


def test_one_flat_colour_is_ambiguous(context: StepContext) -> None:
    outcome = made(context, np.full((600, 462, 3), 90, np.uint8))
    assert (outcome.reason, outcome.values["largest_difference"]) == ("ambiguous", 0)


@pytest.mark.parametrize(
    ("shape", "tile_px"),
    [
        pytest.param((1, 1, 3), 0, id="one-pixel"),
        pytest.param((167, 900, 3), 55, id="one-pixel-short"),
        pytest.param((20, 3000, 3), 4, id="extremely-wide"),
        pytest.param((4000, 196, 3), 33, id="extremely-tall-once-scaled"),
    ],
)
def test_a_small_or_extremely_long_photograph_is_too_small_and_not_decoded(
    context: StepContext, shape: tuple[int, int, int], tile_px: int
) -> None:
    outcome = made(context, np.zeros(shape, np.uint8))
    assert (outcome.verdict, outcome.reason) == ("drop", "too_small")
    assert outcome.values["tile_px"] == tile_px
    assert context.images.asked == 0


def test_a_broken_photograph_is_left_to_the_engine_with_its_reason(context: StepContext, photo: np.ndarray) -> None:
    record = context.add(photo)
    file = context.path(record)
    file.write_bytes(file.read_bytes()[:-1000])
    with pytest.raises(UnreadableImage):
        context.run(Jigsaw(), record)


@pytest.mark.parametrize(
    "settings",
    [
        {"per_image": 0},
        {"per_image": 6},
        {"min_tile_px": 7},
        {"min_difference": 0},
        {"min_difference": 1.1},
        {"max_side_px": 47},
        {"max_side_px": "large"},
        {"grid": 4},
        {"mode": "easy"},
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Jigsaw.model_validate(settings)


def test_the_edge_difference_looks_at_the_joining_edges_only() -> None:
    one = np.zeros((50, 70, 3), np.uint8)
    other = one.copy()
    other[8:, 8:] = 255
    assert edge_difference(one, other) == 0


def test_the_edge_difference_of_black_and_white_is_one() -> None:
    assert edge_difference(np.zeros((9, 31, 3), np.uint8), np.full((9, 31, 3), 255, np.uint8)) == 1


def test_the_edge_difference_weighs_both_edges_alike() -> None:
    one = np.zeros((40, 200, 3), np.uint8)
    top, left = one.copy(), one.copy()
    top[:6, 6:] = 240
    left[6:, :6] = 240
    assert edge_difference(one, top) == pytest.approx(edge_difference(one, left), abs=0.1)

"""Marks drawn into pictures, and cues of which each half reveals nothing: what the adversary learns from them."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Sequence
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from planted_shortcuts import result_of

from benchwright.diagnostics.adversary.item_evidence import picture_evidence
from benchwright.diagnostics.adversary.patterns import dictionary, occurrences
from benchwright.diagnostics.adversary.relief import HUES, PATCHES, relief_of
from benchwright.diagnostics.shortcuts.battery import TaskResult
from benchwright.records import LETTERS, Choice, Item, ItemImage
from benchwright.source_files.item_files import SourceItem

SIDE, ITEMS = 72, 48
RED, WHITE = (230, 30, 30), (250, 250, 250)
Pixels = NDArray[np.uint8]


def _scene(rng: np.random.Generator) -> Pixels:
    """Return soft shapes in soft colors, as much of a photograph as is needed."""
    coarse = rng.integers(60, 190, (9, 9, 3)).astype(np.uint8)
    soft = cv2.resize(coarse, (SIDE, SIDE), interpolation=cv2.INTER_CUBIC)
    return np.clip(soft + rng.normal(0, 4, soft.shape), 0, 255).astype(np.uint8)


def _dotted(pixels: Pixels, x: int, y: int, color: tuple[int, int, int] = RED) -> Pixels:
    return np.asarray(cv2.circle(pixels.copy(), (x, y), 3, color, -1, cv2.LINE_AA), np.uint8)


def _file(pixels: Pixels, **options: Any) -> bytes:
    handle = io.BytesIO()
    Image.fromarray(pixels).save(handle, "JPEG", quality=90, **options)
    return handle.getvalue()


def _item(
    number: int, right: int, shown: bytes, options: Sequence[bytes | str], *, question: str = "Which?"
) -> SourceItem:
    files = [shown, *(each for each in options if isinstance(each, bytes))]
    ids = {data: hashlib.sha256(data).hexdigest() for data in files}
    choices = tuple(
        Choice(key=key, text=each) if isinstance(each, str) else Choice(key=key, image_id=ids[each])
        for key, each in zip(LETTERS, options, strict=False)
    )
    item = Item(
        item_id=hashlib.sha256(f"marked {number}".encode()).hexdigest()[:32], task="marked", kind="multiple_choice",
        images=tuple(ItemImage(image_id=ids[data], role="picture") for data in files), question=question,
        choices=choices, answer=LETTERS[right], group_keys=(f"image:{ids[shown]}",), root_image_id=ids[shown],
        operation_id="0" * 32, made_from=ids[shown],
    )  # fmt: skip
    return SourceItem(item, {image_id: data for data, image_id in ids.items()})


def _result(made: Callable[[int, int, np.random.Generator], SourceItem], options: int) -> TaskResult:
    rng = np.random.default_rng(40)
    return result_of([made(number, int(rng.integers(options)), rng) for number in range(ITEMS)], learns=True)


def _marked_option(number: int, right: int, rng: np.random.Generator) -> SourceItem:
    scenes = [_scene(rng), _scene(rng)]
    x, y = rng.integers(6, SIDE - 6, 2).tolist()
    scenes[right] = _dotted(scenes[right], x, y)
    return _item(number, right, _file(_scene(rng)), [_file(scene) for scene in scenes])


def _marked_quarter(number: int, right: int, rng: np.random.Generator) -> SourceItem:
    row, column = divmod(right, 2)
    x, y = (int((0.25 + 0.5 * half + rng.uniform(-0.12, 0.12)) * SIDE) for half in (column, row))
    return _item(number, right, _file(_dotted(_scene(rng), x, y)), [f"word {rng.integers(99)}" for _ in range(4)])


def _marked_color(number: int, right: int, rng: np.random.Generator) -> SourceItem:
    x, y = rng.integers(6, SIDE - 6, 2).tolist()
    color = ((20, 40, 230), (240, 220, 30), (20, 200, 40), RED)[right]
    return _item(number, right, _file(_dotted(_scene(rng), x, y, color)), [f"word {rng.integers(99)}" for _ in "ABCD"])


def _either(number: int, right: int, rng: np.random.Generator) -> SourceItem:
    files = []
    for place in range(2):
        is_light = bool(rng.integers(2))
        scene = _scene(rng)
        scene = np.clip(scene * (1.3 if is_light else 0.8), 0, 255).astype(np.uint8)
        files.append(_file(scene, dpi=(72, 72) if is_light ^ (place == right) else (96, 96)))
    return _item(number, right, _file(_scene(rng)), files)


@pytest.mark.parametrize(
    ("made", "options", "solver"),
    [
        (_marked_option, 2, "learned peaks"),
        (_marked_quarter, 4, "learned marks in pictures"),
        (_marked_color, 4, "learned marks in pictures"),
        (_either, 2, "learned combinations"),
    ],
)
def test_a_mark_or_a_combination_is_learned(
    made: Callable[[int, int, np.random.Generator], SourceItem], options: int, solver: str
) -> None:
    found = {each.solver: each for each in _result(made, options).learned_cues}
    assert solver in found
    assert found[solver].family == ("combination" if solver == "learned combinations" else "pixels")


def test_what_is_asked_of_a_picture_is_its_task_and_no_combination() -> None:
    def made(number: int, right: int, rng: np.random.Generator) -> SourceItem:
        is_light = bool(rng.integers(2))
        scene = np.clip(_scene(rng) * (1.3 if is_light else 0.8), 0, 255).astype(np.uint8)
        question = f"Is it {'light' if is_light ^ (right == 1) else 'dark'} there?"
        return _item(number, right, _file(scene), ["yes", "no"], question=question)

    assert _result(made, 2).learned_cues == ()


def test_marks_that_follow_no_key_and_halves_that_tell_nothing_are_no_cue() -> None:
    def made(number: int, right: int, rng: np.random.Generator) -> SourceItem:
        scenes = [_scene(rng), _scene(rng)]
        place = int(rng.integers(2))
        scenes[place] = _dotted(scenes[place], *rng.integers(6, SIDE - 6, 2).tolist())
        return _item(number, right, _file(_scene(rng)), [_file(scene) for scene in scenes])

    assert _result(made, 2).learned_cues == ()


def test_a_dot_is_the_patch_of_its_color_and_its_place_is_known() -> None:
    rng = np.random.default_rng(41)
    relief = relief_of(_dotted(_scene(rng), 54, 18))
    spot = relief.spots[HUES.index("red")]
    assert np.abs(spot[:2] - np.array([54.5, 18.5]) / SIDE).max() < 2 / SIDE
    assert relief.peaks["isolated strength of red at scale 1"] == spot[2] == relief.spots[: PATCHES // 2, 2].max()


def test_what_comes_back_in_many_pictures_is_a_pattern_and_scenes_are_none() -> None:
    rng = np.random.default_rng(42)
    scenes = [_scene(rng) // 2 for _ in range(24)]
    plain = [picture_evidence(_file(scene), scene) for scene in scenes]
    dotted = [_dotted(scene, *rng.integers(8, SIDE - 8, 2).tolist(), WHITE) for scene in scenes[:12]]
    marked = [picture_evidence(_file(scene), scene) for scene in dotted]
    patterns = dictionary([*marked, *plain[12:]], np.random.default_rng(0))
    is_there = np.array([occurrences(each, patterns)[:, 1] for each in [*marked, *plain[12:]]])
    assert (is_there[:12].mean(axis=0) - is_there[12:].mean(axis=0)).max() > 0.6

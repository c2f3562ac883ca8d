"""Cues that may be the task itself: what the picture of a question shows, by the words of the options."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image

from benchwright.diagnostics.shortcuts.battery import SolverResult, run_battery
from benchwright.diagnostics.shortcuts.measuring import measure_items
from benchwright.diagnostics.shortcuts.picks import Bounds
from benchwright.records import LETTERS, Choice, Item, ItemImage
from benchwright.source_files.item_files import PicturePlace, SourceItem

SIDE, ITEMS = 36, 60
TEXTS = ("red", "blue", "green")
COLORS = {"red": (230, 30, 30), "blue": (30, 30, 230), "green": (30, 200, 30)}


def _items(shown: Callable[[str, int], object], *, saved: Callable[[str], dict[str, object]]) -> list[SourceItem]:
    """Return questions about one picture of noise each, with three words in any order as options.

    Args:
        shown: Function from the right text and letter to the color of a patch anywhere in the picture.
        saved: Function from the right text to how the file is saved.
    """
    rng = np.random.default_rng(3)
    items = []
    for number in range(ITEMS):
        texts = rng.permutation(TEXTS).tolist()
        right = int(rng.integers(len(texts)))
        pixels = rng.integers(100, 140, (SIDE, SIDE, 3)).astype(np.uint8)
        x, y = rng.integers(0, SIDE - 12, 2).tolist()
        pixels[y : y + 12, x : x + 12] = shown(texts[right], right)
        handle = io.BytesIO()
        Image.fromarray(pixels).save(handle, "PNG", **saved(texts[right]))
        data = handle.getvalue()
        image_id = hashlib.sha256(data).hexdigest()
        item = Item(
            item_id=hashlib.sha256(f"shown {number}".encode()).hexdigest()[:32], task="shown", kind="multiple_choice",
            images=(ItemImage(image_id=image_id, role="picture"),), question="Which color does the patch have?",
            choices=tuple(Choice(key=key, text=text) for key, text in zip(LETTERS, texts, strict=False)),
            answer=LETTERS[right], group_keys=(f"image:{image_id}",), root_image_id=image_id, operation_id="0" * 32,
            made_from=image_id,
        )  # fmt: skip
        place = PicturePlace(f"{rng.integers(1 << 30)}.png")
        items.append(SourceItem(item, {image_id: data}, f"q{number * 7919 % 1000}", {image_id: place}))
    return items


def _carried(items: list[SourceItem]) -> tuple[SolverResult, ...]:
    measured = measure_items(iter(items))
    [result] = run_battery(
        measured.cues, measured.group_keys, seed=1, bounds=Bounds(), task_cues={}, evidence=measured.evidence,
        rows=measured.rows,
    ).tasks  # fmt: skip
    assert result.carried
    return result.carried


@pytest.mark.parametrize("levels", [(6, 6, 6), (1, 6, 9)], ids=["files alike", "a level of PNG for each color"])
def test_what_a_picture_shows_may_be_the_task_and_how_its_file_is_packed_is_not(levels: tuple[int, ...]) -> None:
    level_of = dict(zip(TEXTS, levels, strict=True))
    carried = _carried(_items(lambda text, right: COLORS[text], saved=lambda text: {"compress_level": level_of[text]}))
    assert any(result.family == "pixels" and result.may_be_task for result in carried)
    of_files = [result for result in carried if result.family == "file" and result.tells]
    assert bool(of_files) == (len(set(levels)) > 1)
    assert not any(result.may_be_task for result in of_files)


def test_a_mark_that_follows_the_letter_of_the_right_option_is_never_the_task() -> None:
    marks = [(250, 0, 250), (250, 250, 0), (0, 250, 250)]
    carried = _carried(_items(lambda text, right: marks[right], saved=lambda text: {}))
    assert any(result.family == "pixels" for result in carried)
    assert not any(result.may_be_task for result in carried)

"""Whether single pictures of pairs tell that they were edited: found where they do, not where they do not, with power."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image

from benchwright.canonical import bytes_digest
from benchwright.diagnostics.shortcuts.edited_pictures import (
    EditedPictures,
    PairAnswers,
    asked_whether_edited,
    edited_pictures,
    shown_side,
)
from benchwright.diagnostics.shortcuts.picks import Bounds
from benchwright.records import Choice, Item, ItemImage
from benchwright.source_files.item_files import SourceItem

pytestmark = pytest.mark.slow
pytest.importorskip("sklearn", reason="scikit-learn is not installed")

PAIRS = 36


def scene(rng: np.random.Generator) -> np.ndarray:
    """A picture of blots with grain, (96, 128, 3), unlike any other."""
    blots = cv2.resize(rng.integers(30, 226, (6, 8, 3), dtype=np.uint8), (128, 96), interpolation=cv2.INTER_CUBIC)
    return np.clip(blots + rng.normal(0, 6, blots.shape), 0, 255).astype(np.uint8)


def blurred(pixels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Paint over the middle as a model would: without grain."""
    made = pixels.copy()
    made[30:70, 40:90] = cv2.GaussianBlur(made, (0, 0), 2.5)[30:70, 40:90]
    return made


def another(pixels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a picture made as natural ones are: an edit without a trace."""
    return scene(rng)


def png(pixels: np.ndarray) -> bytes:
    handle = io.BytesIO()
    Image.fromarray(pixels).save(handle, "PNG")
    return handle.getvalue()


def pair_items(edit: Any, *, yes_on: tuple[str, ...] = ("natural", "manipulated")) -> Iterator[SourceItem]:
    """Yield a yes/no item for each picture of each pair, true of each of the sides in turn."""
    for number in range(PAIRS):
        rng = np.random.default_rng(number)
        natural = scene(rng)
        for side, pixels in (("natural", natural), ("manipulated", edit(natural, rng))):
            data = png(pixels)
            image_id = bytes_digest(data)
            true_of = yes_on[number % len(yes_on)]
            item = Item(
                item_id=f"{number:030x}{'0a' if side == 'natural' else '0b'}", task="pair_yes_no", kind="yes_no",
                images=(ItemImage(image_id=image_id, role=side),), question="Is the man holding a gun?",
                choices=(Choice(key="A", text="Yes"), Choice(key="B", text="No")),
                answer="A" if side == true_of else "B", group_keys=(f"image:{number}", f"pair:{number}"),
                root_image_id=f"{number:064x}", operation_id="0" * 32, made_from=f"{number:064x}",
            )  # fmt: skip
            yield SourceItem(item, {image_id: data})


def looked_at(edit: Any, **more: Any) -> EditedPictures:
    answers = PairAnswers()
    for row in pair_items(edit, **more):
        answers.note(row.item)
    found = edited_pictures(pair_items(edit, **more), answers, seed=1, bounds=Bounds())
    assert found is not None
    return found


@pytest.fixture(scope="module")
def traced() -> EditedPictures:
    return looked_at(blurred)


def test_an_edit_that_leaves_a_trace_is_told_from_single_pictures_it_did_not_learn(traced: EditedPictures) -> None:
    assert traced.tells
    assert (traced.pairs, len(traced.result.table.items)) == (PAIRS, 2 * PAIRS)
    best = traced.result.learned_cues[0]
    assert best.accuracy.value > 0.8
    assert best.accuracy.chance == 0.5
    assert best.family == "pixels"


def test_pictures_without_a_trace_are_told_by_nothing() -> None:
    found = looked_at(another)
    assert not found.tells
    assert found.result.power is not None
    assert found.result.power.items == 2 * PAIRS
    assert found.result.power.could_find is None or found.result.power.could_find < 1


def test_which_questions_it_answers_is_counted(traced: EditedPictures) -> None:
    assert (traced.yes_no, traced.answered) == (2 * PAIRS, PAIRS)
    one_sided = PairAnswers()
    for row in pair_items(blurred, yes_on=("manipulated",)):
        one_sided.note(row.item)
    assert (one_sided.yes_no, one_sided.answered) == (2 * PAIRS, 2 * PAIRS)
    document = json.loads(json.dumps(traced.to_json()))
    assert document["answers"] == {"items": 72, "right": 36, "share": 0.5}
    assert document["result"]["learned_items"] == 72
    assert "36 of 72 yes/no items (50%)" in traced.in_words()


def test_each_picture_is_asked_about_once_a_pair_and_pictures_of_no_pair_never() -> None:
    rows = list(pair_items(another))[:4]
    loose = rows[0]._replace(item=rows[0].item.model_copy(update={"group_keys": ("image:9",)}))
    half = rows[2]
    answers = PairAnswers()
    given = [rows[0], rows[1], rows[0], loose, half]
    for row in given:
        answers.note(row.item)
    assert answers.pairs == {"pair:0"}
    asked = list(asked_whether_edited(iter(given), answers.pairs))
    assert [row.item.answer for row in asked if isinstance(row, SourceItem)] == ["B", "A"]
    assert shown_side(loose.item) is None
    assert edited_pictures(iter([half]), PairAnswers(), seed=1, bounds=Bounds()) is None

"""Pairs: one subject in front of two backgrounds, questions with opposite keys, and checks that drop bad masks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from step_context import StepContext

from benchwright.canonical import canonical_json
from benchwright.construction.item_parts.cutting_out import Hints, composite, find_mask, opacity
from benchwright.construction.tasks.background_substitution import BackgroundSubstitution
from benchwright.drawing import mask_of
from benchwright.images.covering import cover
from benchwright.records import ImageRecord, Item
from benchwright.steps import Outcome

pytestmark = pytest.mark.slow

BLOOM = [169, 84, 447, 360]


class TwoImages(StepContext):
    """A context that also knows other source images."""

    def __init__(self, folder: Path, **more: Any) -> None:
        super().__init__(folder, **more)
        self.others: dict[str, ImageRecord] = {}

    def image(self, image_id: str) -> ImageRecord:
        return self.others[image_id]


@pytest.fixture(scope="module")
def bloom() -> np.ndarray:
    """A flower before dark leaves, (427, 640, 3)."""
    from sklearn.datasets import load_sample_image

    return np.ascontiguousarray(load_sample_image("flower.jpg"))


def run(
    folder: Path,
    pixels: np.ndarray,
    *,
    box: Any = BLOOM,
    behind: tuple[int, int] = (300, 520),
    drawn: Any = None,
    **settings: Any,
) -> tuple[Outcome, TwoImages, ImageRecord]:
    """Put the subject before a field of stripes."""
    folder.mkdir(exist_ok=True)
    context = TwoImages(folder)
    record = context.add(pixels)
    stripes = np.zeros((*behind, 3), np.uint8)
    stripes[:, ::7] = (20, 200, 90)
    field = context.add(stripes, "field.png")
    context.others = {field.image_id: field, record.image_id: record}
    facts = [
        {
            "name": "bloom", "phrase": "the bloom", "box": box, "inside": [[300, 220]], "outside": [[350, 390]],
            "background": "dark leaves", "onto": [{"name": "f", "image_id": field.image_id, "background": "stripes"}],
            "other_backgrounds": ["a lake", "a table", "stripes", "the sea"],
        }
    ]  # fmt: skip
    if drawn is not None:
        facts[0]["mask"] = mask_of(drawn).model_dump(mode="json")
    context._values = {(record.image_id, "facts.cut_outs"): canonical_json(facts)}
    return context.run(BackgroundSubstitution(**settings), record), context, field


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, bloom: np.ndarray) -> tuple[Outcome, TwoImages, ImageRecord]:
    return run(tmp_path_factory.mktemp("pair"), bloom)


def text(item: Item, key: str | None) -> str | None:
    return next((choice.text for choice in item.choices if choice.key == key), None)


def of(outcome: Outcome, task: str) -> list[Item]:
    return [item for item in outcome.items if item.task == task]


def test_the_manipulated_image_has_the_natural_size_and_the_new_background_outside_the_mask(
    made: tuple[Outcome, TwoImages, ImageRecord], bloom: np.ndarray
) -> None:
    outcome, context, field = made
    [picture] = outcome.images
    pixels = context.stored[picture.image_id]
    assert pixels.shape == bloom.shape
    background = cover(context.images.rgb(field), (640, 427))
    mask = find_mask(bloom, Hints(tuple(BLOOM), [(300, 220)], [(350, 390)]), seed=outcome.items[0].evidence["mask"]["seed"])  # type: ignore[arg-type]  # fmt: skip
    shows = opacity(mask, feather_px=outcome.items[0].evidence["mask"]["feather_px"])
    assert 0.5 < (shows == 0).mean() < 0.9
    assert np.array_equal(pixels[shows == 0], background[shows == 0])
    assert np.array_equal(pixels[shows == 1], bloom[shows == 1])


def test_the_mask_is_the_bloom(made: tuple[Outcome, TwoImages, ImageRecord]) -> None:
    mask = made[0].items[0].evidence["mask"]
    assert mask["box_xyxy"] == pytest.approx(BLOOM, abs=4)
    assert mask["area"] == pytest.approx(np.pi * 139 * 138 / (640 * 427), abs=0.02)


def test_each_yes_no_question_is_asked_of_both_images_with_opposite_keys(
    made: tuple[Outcome, TwoImages, ImageRecord],
) -> None:
    by_question: dict[str, dict[str, str | None]] = {}
    for item in of(made[0], "background_yes_no"):
        by_question.setdefault(item.question, {})[item.images[0].role] = text(item, item.answer)
    assert list(by_question.values()) == [
        {"natural": "Yes", "manipulated": "No"}, {"natural": "No", "manipulated": "Yes"},
    ]  # fmt: skip


def test_the_natural_background_is_a_distractor_of_the_single_image_question(
    made: tuple[Outcome, TwoImages, ImageRecord],
) -> None:
    [item] = of(made[0], "background_single_image")
    assert [image.role for image in item.images] == ["manipulated"]
    assert text(item, item.answer) == "Stripes"
    texts = [choice.text for choice in item.choices]
    assert "Dark leaves" in texts
    assert len(set(texts)) == 4


def test_the_cross_image_answer_says_what_the_second_image_shows(made: tuple[Outcome, TwoImages, ImageRecord]) -> None:
    [item] = of(made[0], "background_cross_image")
    words = {"natural": "dark leaves", "manipulated": "stripes"}
    first, second = (words[image.role] for image in item.images)
    assert text(item, item.answer) == f"The background changes from {first} to {second}."
    assert len({choice.text for choice in item.choices}) == 4


def test_items_of_a_pair_share_its_key_and_belong_to_both_photographs(
    made: tuple[Outcome, TwoImages, ImageRecord],
) -> None:
    outcome, _, field = made
    [keys] = {item.group_keys for item in outcome.items}
    assert f"image:{field.image_id}" in keys
    assert f"image:{outcome.items[0].root_image_id}" in keys
    assert sum(key.startswith("pair:") for key in keys) == 1
    assert len({item.item_id for item in outcome.items}) == 6


def test_the_same_seed_gives_the_same_pixels(
    tmp_path: Path, made: tuple[Outcome, TwoImages, ImageRecord], bloom: np.ndarray
) -> None:
    assert run(tmp_path, bloom)[0] == made[0]


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        pytest.param({"min_area": 0.4}, "mask_empty", id="too-little"),
        pytest.param({"max_area": 0.1}, "mask_everything", id="too-much"),
        pytest.param({"box": [20, 20, 620, 400]}, "mask_off_box", id="elsewhere"),
        pytest.param({"behind": (41, 90)}, "background_small", id="small-background"),
        pytest.param({"max_enlargement": 0.5}, "background_small", id="nothing-enlarged"),
    ],
)
def test_a_pair_that_would_look_bad_is_dropped_with_the_reason(
    tmp_path: Path, bloom: np.ndarray, settings: dict[str, Any], reason: str
) -> None:
    outcome, context, _ = run(tmp_path, bloom, **settings)
    assert (outcome.verdict, outcome.reason, outcome.items) == ("drop", reason, ())
    assert context.store_calls == 0


def test_a_box_around_the_whole_picture_leaves_no_background_and_makes_no_pair(tmp_path: Path) -> None:
    pixels = np.full((90, 121, 3), 77, np.uint8)
    mask = find_mask(pixels, Hints((0, 0, 121, 90)), seed=1)
    assert mask.all()


def test_a_background_that_cannot_be_decoded_does_not_fail_the_subjects_image(
    tmp_path: Path, bloom: np.ndarray
) -> None:
    _, context, field = run(tmp_path, bloom)
    file = context.path(field)
    file.write_bytes(file.read_bytes()[:-60])
    again = TwoImages(tmp_path)
    again._paths, again.others, again._values = context._paths, context.others, context._values
    [subject] = [one for one in context.others.values() if one != field]
    outcome = again.run(BackgroundSubstitution(), subject)
    assert (outcome.verdict, outcome.reason) == ("drop", "background_unreadable")


def test_a_subject_that_leaves_the_picture_is_not_frayed_at_its_edge() -> None:
    mask = np.zeros((40, 70), bool)
    mask[20:, 30:] = True
    shows = opacity(mask, feather_px=1.0)
    assert shows[30:, 45:].min() == 1
    assert shows[:14].max() == 0


def test_composites_mix_by_opacity() -> None:
    subject, background = np.full((2, 3, 3), 200, np.uint8), np.full((2, 3, 3), 100, np.uint8)
    shows = np.array([[0, 0.25, 1], [0.5, 0, 1]], np.float32)
    assert composite(subject, shows, background)[..., 0].tolist() == [[100, 125, 200], [150, 100, 200]]


def test_a_background_covers_the_picture_and_keeps_its_middle() -> None:
    pixels = np.zeros((30, 90, 3), np.uint8)
    pixels[:, 45] = 255
    covered = cover(pixels, (31, 30))
    assert covered.shape == (30, 31, 3)
    assert covered[:, 16].min() == 255


@pytest.fixture(scope="module")
def drawn(bloom: np.ndarray) -> np.ndarray:
    """An ellipse with a hole, as an annotator might draw it: GrabCut would not find it."""
    rows, columns = np.mgrid[: bloom.shape[0], : bloom.shape[1]]
    radius = ((columns - 308) / 138.0) ** 2 + ((rows - 222) / 137.0) ** 2
    return (radius < 1) & (radius > 0.1)


def test_a_mask_that_somebody_drew_takes_the_place_of_grabcut(
    tmp_path: Path, bloom: np.ndarray, drawn: np.ndarray
) -> None:
    outcome, context, _ = run(tmp_path, bloom, drawn=drawn, feather_px=0)
    mask = outcome.evidence["masks"]["bloom"]
    manipulated = context.stored[of(outcome, "background_single_image")[0].images[0].image_id]
    assert (mask["by"], "seed" in mask, mask["area"]) == ("facts", False, round(float(drawn.mean()), 6))
    assert np.array_equal(manipulated[drawn], bloom[drawn])
    assert not (manipulated[~drawn] == bloom[~drawn]).all(axis=1).any()


def test_a_drawn_mask_follows_a_picture_that_is_scaled_down(
    tmp_path: Path, bloom: np.ndarray, drawn: np.ndarray
) -> None:
    whole, _, _ = run(tmp_path / "whole", bloom, drawn=drawn)
    half, _, _ = run(tmp_path / "half", bloom, drawn=drawn, max_side_px=320)
    boxes = [np.array(made.evidence["masks"]["bloom"]["box_xyxy"]) for made in (whole, half)]
    areas = [made.evidence["masks"]["bloom"]["area"] for made in (whole, half)]
    assert np.abs(boxes[0] - 2 * boxes[1]).max() <= 2
    assert areas[0] == pytest.approx(areas[1], rel=0.01)


def test_a_drawn_mask_is_checked_as_one_of_grabcut_is(tmp_path: Path, bloom: np.ndarray, drawn: np.ndarray) -> None:
    dot = drawn & (np.mgrid[: bloom.shape[0], : bloom.shape[1]][0] < 90)
    outcome, _, _ = run(tmp_path, bloom, drawn=dot)
    assert (outcome.verdict, outcome.reason) == ("drop", "mask_empty")

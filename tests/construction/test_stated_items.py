"""Items made from stated facts: localization, beyond the image, implication.

The steps run on one photograph with facts as values, in the form in which the step `facts` supplies them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError
from step_context import StepContext

from benchwright.canonical import canonical_json
from benchwright.construction.item_parts.marks.boxes import iou
from benchwright.construction.tasks.beyond_the_image import BeyondTheImage
from benchwright.construction.tasks.image_implication import ImageImplication
from benchwright.construction.tasks.object_localization import ObjectLocalization
from benchwright.records import Item
from benchwright.steps import MapStep, Outcome

pytestmark = pytest.mark.slow

EYES = [
    {"name": "large_eye", "phrase": "the larger eye", "box": [135, 85, 207, 147]},
    {"name": "small_eye", "phrase": "the smaller eye", "box": [296, 109, 343, 165]},
]
QUESTIONS = [
    {"name": "sound", "why": "other_modality", "ask": "Which sound?", "wrong": ["A purr", "A hiss", "A meow", "None"]},
    {"name": "dog", "why": "nonexistent_object", "ask": "Which dog?", "wrong": ["A beagle", "A poodle", "A pug"]},
]
PLAIN = [{"name": "eyes", "ask": "Which colour?", "right": "Green", "wrong": ["Blue", "Red", "White"]}]
IMPLICATION = {
    "image_type": "photograph", "domain": "life", "emotion": "neutral",
    "questions": [{"ask": "What gaze?", "right": "Calm", "wrong": ["Panic", "Sleep", "Joy", "Hunger", "Pain"],
                   "explanation": "It looks past us."}],
}  # fmt: skip

Run = Callable[..., Outcome]


@pytest.fixture
def run(tmp_path: Path, photo: np.ndarray) -> Run:
    def run(step: MapStep, facts: Any, *, seed: int = 3, pixels: np.ndarray = photo) -> Outcome:
        context = StepContext(tmp_path, seed=seed)
        record = context.add(pixels)
        uses = facts if isinstance(facts, dict) and facts.keys() <= set(step.reads) else {step.reads[0]: facts}
        values = {} if facts is None else {(record.image_id, use): canonical_json(said) for use, said in uses.items()}
        context._values = values
        return context.run(step, record)

    return run


STEPS: list[tuple[MapStep, Any]] = [
    (ObjectLocalization(), EYES), (BeyondTheImage(), QUESTIONS), (ImageImplication(), IMPLICATION),
]  # fmt: skip


@pytest.mark.parametrize(("step", "facts"), STEPS, ids=lambda one: getattr(one, "name", ""))
def test_equal_seeds_make_equal_items_and_another_seed_places_otherwise(run: Run, step: MapStep, facts: Any) -> None:
    assert run(step, facts) == run(step, facts)
    keys = {tuple((item.answer, item.refusal) for item in run(step, facts, seed=seed).items) for seed in range(9)}
    assert len(keys) > 2


@pytest.mark.parametrize(("step", "facts"), STEPS, ids=lambda one: getattr(one, "name", ""))
def test_an_image_that_nobody_spoke_of_is_left_out(run: Run, step: MapStep, facts: Any) -> None:
    outcome = run(step, None)
    assert (outcome.verdict, outcome.reason, outcome.items) == ("drop", "no_facts", ())


@pytest.mark.parametrize(("step", "facts"), STEPS, ids=lambda one: getattr(one, "name", ""))
def test_options_are_distinct_and_items_belong_to_their_photograph(run: Run, step: MapStep, facts: Any) -> None:
    for item in run(step, facts).items:
        texts = [choice.text for choice in item.choices]
        assert len(set(texts)) == len(texts)
        assert item.group_keys == (f"image:{item.root_image_id}",)


def chosen(item: Item) -> str | None:
    return next((choice.text for choice in item.choices if choice.key == item.answer), None)


def boxes(item: Item) -> dict[str | None, tuple[float, ...]]:
    return {mark.label: (*mark.points[0], *mark.points[1]) for mark in item.images[0].prompts}


def test_the_answer_is_the_stated_box_and_the_other_one_differs_enough(run: Run) -> None:
    items = run(ObjectLocalization(max_iou=0.5, mode="paper"), EYES).items
    assert [item.evidence["subject"] for item in items] == ["large_eye", "small_eye"]
    for item, subject in zip(items, EYES, strict=True):
        drawn = boxes(item)
        right = drawn.pop(item.answer)
        [wrong] = drawn.values()
        assert list(right) == subject["box"]
        assert 0.3 <= iou(right, wrong) <= 0.5  # type: ignore[arg-type]
        assert chosen(item) == f"Box {item.answer}"


def test_a_small_source_is_shown_as_it_is_and_a_large_one_scaled_with_its_boxes(run: Run) -> None:
    [item, _] = run(ObjectLocalization(mode="paper"), EYES).items
    assert item.images[0].image_id == item.root_image_id
    outcome = run(ObjectLocalization(max_side_px=400, mode="paper"), EYES)
    [picture] = outcome.images
    assert (picture.width, picture.height) == (400, 266)
    scaled = boxes(outcome.items[0])[outcome.items[0].answer]
    assert scaled == pytest.approx(np.array(EYES[0]["box"]) * 400 / 451, abs=0.01)


def test_subjects_too_small_to_mark_are_left_out_with_the_reason(run: Run) -> None:
    outcome = run(ObjectLocalization(min_box_px=50, min_view_px=16), EYES)
    assert [item.evidence["subject"] for item in outcome.items] == ["large_eye"]
    assert outcome.evidence == {"left_out": {"small_eye": "too_small"}}
    assert run(ObjectLocalization(min_box_px=90, min_view_px=16), EYES).reason == "too_small"


def test_a_subject_that_no_wrong_box_can_be_drawn_for_makes_no_item(run: Run) -> None:
    assert run(ObjectLocalization(noise=0.001), EYES).reason == "no_distinct_box"


def test_a_subject_that_fills_the_picture_makes_no_item_since_its_box_leaves_the_label_no_room(run: Run) -> None:
    whole = {**EYES[0], "box": [0, 0, 451, 300]}
    assert run(ObjectLocalization(mode="paper"), [whole]).reason == "no_room_for_labels"
    assert run(ObjectLocalization(), [whole]).reason == "no_room_around"


@pytest.mark.parametrize("max_side_px", [200, 1024])
def test_hardened_the_part_shown_holds_the_stated_box_where_its_corner_and_scale_say(
    run: Run, photo: np.ndarray, max_side_px: int
) -> None:
    outcome = run(ObjectLocalization(max_side_px=max_side_px, min_view_px=90), EYES)
    assert len(outcome.images) == len(outcome.items) == 2
    for item, picture, subject in zip(outcome.items, outcome.images, EYES, strict=True):
        drawn, view = boxes(item), item.evidence["view"]
        right = np.array(drawn.pop(item.answer))
        [wrong] = drawn.values()
        scales = np.array(view["scaled_wh"]) / (photo.shape[1], photo.shape[0])
        stated = np.array(subject["box"]).reshape(2, 2) * scales - view["corner"]
        assert right == pytest.approx(stated.ravel(), abs=0.02)
        assert (picture.width, picture.height) == tuple(view["size_wh"])
        assert max(picture.width, picture.height) <= max_side_px
        assert np.minimum(right, wrong).min() > 0
        assert (np.maximum(right, wrong)[2:] < view["size_wh"]).all()
        assert 0.29 <= iou(tuple(right), wrong) <= 0.66
        proportions = [(box[2] - box[0]) / (box[3] - box[1]) for box in (right, wrong)]
        assert proportions[0] == pytest.approx(proportions[1], rel=0.01)
        assert item.attributes["mode"] == "hardened"


def test_more_subjects_leave_the_items_of_the_others_as_they_are(run: Run) -> None:
    assert run(ObjectLocalization(), EYES[:1]).items == run(ObjectLocalization(), EYES).items[:1]


def test_a_question_beyond_the_image_has_no_answer_and_its_refusal_declines(run: Run) -> None:
    items = run(BeyondTheImage(refusal="I cannot tell."), QUESTIONS).items
    assert [len(item.choices) for item in items] == [5, 4]
    for item in items:
        assert item.answer is None
        assert [choice.text for choice in item.choices if choice.key == item.refusal] == ["I cannot tell."]


def test_the_refusal_stands_at_every_place_sooner_or_later(run: Run) -> None:
    places = {run(BeyondTheImage(), QUESTIONS, seed=seed).items[0].refusal for seed in range(40)}
    assert places == set("ABCDE")


def test_a_question_whose_answers_hold_the_refusal_is_left_out(run: Run) -> None:
    outcome = run(BeyondTheImage(refusal="a hiss"), QUESTIONS)
    assert [item.evidence["fact"] for item in outcome.items] == ["dog"]
    assert outcome.evidence == {"left_out": ["sound"]}
    assert run(BeyondTheImage(refusal="A hiss"), QUESTIONS[:1]).reason == "refusal_among_answers"


def test_a_question_that_the_picture_answers_has_both_keys_and_the_level_basic(run: Run) -> None:
    both = {"facts.unanswerable": QUESTIONS, "facts.answerable": PLAIN}
    items = {item.evidence["fact"]: item for item in run(BeyondTheImage(), both).items}
    plain = items["eyes"]
    texts = {choice.key: choice.text for choice in plain.choices}
    assert (texts[plain.answer or ""], texts[plain.refusal or ""]) == ("Green", BeyondTheImage().refusal)
    assert len(texts) == 5
    assert (plain.level, plain.category) == ("basic", None)
    assert items["sound"].answer is None
    assert items["sound"].level is None
    assert list(run(BeyondTheImage(), QUESTIONS).items) == [items["sound"], items["dog"]]


def test_a_picture_may_have_questions_of_one_kind_only(run: Run) -> None:
    [item] = run(BeyondTheImage(), {"facts.answerable": PLAIN}).items
    assert item.answer is not None
    refused = run(BeyondTheImage(refusal="green"), {"facts.answerable": PLAIN})
    assert (refused.verdict, refused.reason) == ("drop", "refusal_among_answers")


def test_labels_and_implication_make_one_item_each_with_the_stated_answer(run: Run) -> None:
    items = run(ImageImplication(), IMPLICATION).items
    said = {item.task: (chosen(item), len(item.choices)) for item in items}
    assert said == {
        "image_type": ("photograph", 6), "image_domain": ("life", 6), "image_emotion": ("neutral", 3),
        "image_implication": ("Calm", 6),
    }  # fmt: skip
    assert items[-1].explanation == "It looks past us."
    assert [("difficulty" in item.evidence) for item in items] == [False, False, False, True]
    assert items[-1].written_by == {"question": "person", "choices": "person", "explanation": "person"}


def test_only_the_kinds_asked_for_are_made(run: Run) -> None:
    items = run(ImageImplication(kinds=("image_emotion",)), IMPLICATION).items
    assert [item.task for item in items] == ["image_emotion"]
    assert run(ImageImplication(kinds=("image_implication",)), IMPLICATION | {"questions": []}).reason == "no_facts"


def test_a_described_picture_has_an_item_for_each_question_and_says_where_they_were_written(run: Run) -> None:
    [question] = IMPLICATION["questions"]  # type: ignore[misc]
    written = {"campaign": "describe", "record_id": "a" * 64, "slot": 1}
    described = IMPLICATION | {
        "questions": [question, question | {"ask": "What else?", "explanation": None}], "explanation": "It waits.",
        "difficulty": "easy", "rhetoric": ["contrast", "others"], "written_in": written,
    }  # fmt: skip
    step = ImageImplication(kinds=("image_implication",), stated_by="describe")
    items = run(step, described).items
    assert [(item.question, item.explanation) for item in items] == [
        ("What gaze?", "It looks past us."), ("What else?", "It waits."),
    ]  # fmt: skip
    assert len({item.item_id for item in items}) == 2
    [alone] = run(ImageImplication(kinds=("image_implication",)), IMPLICATION).items
    assert (items[0].item_id, items[0].choices) == (alone.item_id, alone.choices)
    for item in items:
        assert item.evidence["written_in"] == written
        assert item.attributes == {
            "difficulty": "easy", "image_type": "photograph", "domain": "life", "emotion": "neutral",
            "rhetoric": "contrast+others",
        }  # fmt: skip
    assert "written_in" not in alone.evidence
    assert alone.attributes == {}


@pytest.mark.parametrize(
    ("step", "settings"),
    [
        (ObjectLocalization, {"min_iou": 0.7}),
        (ObjectLocalization, {"noise": 0}),
        (ObjectLocalization, {"mode": "easy"}),
        (BeyondTheImage, {"refusal": ""}),
        (ImageImplication, {"kinds": []}),
        (ImageImplication, {"kinds": ["image_type", "image_type"]}),
        (ImageImplication, {"kinds": ["image_mood"]}),
    ],
)
def test_wrong_settings_are_refused(step: type[MapStep], settings: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        step.model_validate(settings)

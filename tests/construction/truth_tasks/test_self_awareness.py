"""MM-SAP's three sets: kinds of visual information, five options including one that declines, and unanswerable
questions.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chat_server import ChatServer
from pydantic import ValidationError
from truth_runs import TruthRun, right_text

from benchwright.construction.ground_truth.truths import (
    Captions,
    LabelledBox,
    LabelledBoxes,
    NamedEntity,
    VisualQuestion,
)
from benchwright.construction.self_awareness.annotations import PictureAnnotations
from benchwright.construction.self_awareness.basic_vis_qa import BasicVisQa
from benchwright.construction.self_awareness.beyond_vis_qa import BeyondVisQa
from benchwright.construction.self_awareness.box_questions import box_questions
from benchwright.construction.self_awareness.know_vis_qa import KnowVisQa
from benchwright.construction.self_awareness.visual_information import kind_of
from benchwright.questions.written import REFUSAL
from benchwright.records import Item


@pytest.mark.parametrize(
    ("question", "answer", "kind"),
    [
        # The questions of the paper's figure 7.
        ("What is the man in the green hat doing?", "wiping his hands", "action"),
        ("What color are the skater's pants?", "white", "color"),
        ("How many types of fruits are in the picture?", "3", "counting"),
        ("What is the object on the red sofa?", "a red pillow", "object"),
        ("Where is the microwave?", "above the stove", "position"),
        ("What word is on the bus?", "crosstown", "ocr"),
        # Questions of VQAv2's kind.
        ("What is he holding?", "racket", "object"),
        ("What sport is this?", "tennis", "action"),
        ("What is the weather like?", "cloudy", "scene"),
        ("What room is this?", "kitchen", "scene"),
        ("What shape is the sign?", "octagon", "shape"),
        ("What does the sign say?", "stop", "ocr"),
        ("What number is on the shirt?", "23", "ocr"),
        ("Which side of the road is the car on?", "left", "position"),
        ("How many dogs are there?", "lots", None),
        ("Why is the man smiling?", "happy", None),
        ("Is the dog asleep?", "yes", None),
        ("What color is the sky?", "unknown", None),
        ("How old is he?", "30", None),
    ],
)
def test_a_question_is_sorted_by_what_it_asks_for(question: str, answer: str, kind: str | None) -> None:
    assert kind_of(question, answer) == kind


def asked(question: str, answer: str, *others: str) -> VisualQuestion:
    return VisualQuestion(question=question, answer=answer, answers=(*[answer] * (10 - len(others)), *others))


COLORS = ("red", "blue", "green", "yellow", "orange", "purple")


def colored(folder: Path, count: int, *, seed: int = 3) -> TruthRun:
    """Return a run with questions for a color, some common and some rare, each about a separate picture."""
    run = TruthRun(folder, seed=seed)
    weights = np.array([30, 25, 20, 12, 8, 5]) / 100
    picks = np.random.default_rng(5).choice(len(COLORS), count, p=weights)
    for number, pick in enumerate(picks.tolist()):
        run.state(f"vqa:{number}", [run.picture(number, 64, 48)], asked(f"What color is kite {number}?", COLORS[pick]))
    return run


def texts(item: Item) -> list[str]:
    return [str(choice.text) for choice in item.choices]


def test_an_item_has_five_options_of_which_one_is_right_and_one_declines_all_letters_even(tmp_path: Path) -> None:
    items = colored(tmp_path, 60).run(BasicVisQa(min_side_px=16))
    assert len(items) >= 40
    for item in items:
        assert len(item.choices) == 5
        assert (item.level, item.category, item.task) == ("basic", "color", "basic_vis_qa")
        declines = next(choice for choice in item.choices if choice.key == item.refusal)
        assert declines.text == REFUSAL
        assert item.answer not in (None, item.refusal)
        assert item.evidence["distractors"].keys() == set(texts(item)) - {REFUSAL, right_text(item)}
    for counts in (Counter(item.answer for item in items), Counter(item.refusal for item in items)):
        assert max(counts.values()) - min(counts[letter] for letter in "ABCDE") <= 1


def test_hardened_options_tell_nothing_whatever_rule_one_follows(tmp_path: Path) -> None:
    items = colored(tmp_path, 60).run(BasicVisQa(min_side_px=16))
    by_options: dict[frozenset[str], list[str | None]] = {}
    for item in items:
        by_options.setdefault(frozenset(texts(item)), []).append(right_text(item))
    for options, rights in by_options.items():
        counts = Counter(rights)
        assert len(set(counts.values())) == 1
        assert set(counts) | {REFUSAL} == options


def test_paper_mode_uses_every_question_and_common_answers_tempt(tmp_path: Path) -> None:
    run = colored(tmp_path, 30)
    items = run.run(BasicVisQa(mode="paper", min_side_px=16))
    assert len(items) == 30
    assert {source for item in items for source in item.evidence["distractors"].values()} == {"same_category"}
    assert all(0 < item.evidence["difficulty"] < 1 for item in items)


def test_no_option_is_offered_that_an_annotation_of_the_picture_calls_true(tmp_path: Path) -> None:
    run = TruthRun(tmp_path)
    for number, color in enumerate(COLORS):
        picture = run.picture(number, 64, 48)
        run.state(f"vqa:{number}", [picture], asked("What color is the kite?", color, "pink"))
        if color == "red":
            run.state("coco:captions:1", [picture], Captions(texts=("A red kite in a blue sky",)))
    [red] = [item for item in run.run(BasicVisQa(mode="paper", min_side_px=16)) if right_text(item) == "Red"]
    assert "Blue" not in texts(red)
    assert "Pink" not in texts(red)


def test_which_kinds_are_asked_for_and_how_long_answers_are_is_the_curators(tmp_path: Path) -> None:
    run = colored(tmp_path, 12)
    bright = run.picture(50, 64, 48)
    run.state("vqa:50", [bright], asked("What color is the roof?", "very bright red"))
    assert run.run(BasicVisQa(mode="paper", min_side_px=16, information=("position",))) == []
    assert run.reason(bright) == "other_question"
    rights = {right_text(item) for item in run.run(BasicVisQa(mode="paper", min_side_px=16))}
    assert "Very bright red" in rights
    short = run.run(BasicVisQa(mode="paper", min_side_px=16, max_words=1))
    assert {right_text(item) for item in short} == rights - {"Very bright red"}
    assert run.reason(bright) == "long_answer"


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        (asked("Why is it here?", "wind"), "other_question"),
        (asked("What color is it", "red"), "no_question"),
        (asked("What color is it?", "red", *["blue", "teal", "pink", "grey", "black"]), "no_agreement"),
        (asked("Where is the cup?", "on the table next to the old lamp"), "long_answer"),
        (asked("What color is it?", "red"), "no_partners"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_question_that_does_not_serve_says_why(tmp_path: Path, question: VisualQuestion, reason: str) -> None:
    run = TruthRun(tmp_path)
    picture = run.picture(1, 64, 48)
    run.state("vqa:1", [picture], question)
    assert run.run(BasicVisQa(min_side_px=16)) == []
    assert run.reason(picture) == reason


def test_a_model_writes_wrong_options_and_is_told_what_else_people_answered(
    tmp_path: Path, chat_server: ChatServer
) -> None:
    chat_server.behave = lambda words, attempt, handler: json.dumps({"distractors": ["green", "blue", "yellow"]})
    run = TruthRun(tmp_path)
    picture = run.picture(1, 64, 48)
    run.state("vqa:1", [picture], asked("What color is the kite?", "red", "orange"))
    chat: Any = {"model": "scribe", "base_url": chat_server.url, "retries": 0}
    [item] = run.run(BasicVisQa(mode="paper", chat=chat, min_side_px=16))
    assert set(texts(item)) == {REFUSAL, "Red", "Green", "Blue", "Yellow"}
    assert item.written_by == {"question": "person", "choices": "model:scribe"}
    [part] = chat_server.bodies[0]["messages"][1]["content"]
    assert json.loads(part["text"]) == {
        "also_true": ["orange"], "question": "What color is the kite?", "right": "Red", "wanted": 3,
    }  # fmt: skip
    chat_server.behave = lambda words, attempt, handler: json.dumps({"distractors": ["green", "orange", "yellow"]})
    assert run.run(BasicVisQa(mode="paper", chat=chat, min_side_px=16)) == []
    assert run.reason(picture) == "writer_other_json"
    assert len(run.outcomes[picture].evidence["records"]["vqa:1"]["replies"]) == 2
    with pytest.raises(ValidationError, match="mode: paper"):
        BasicVisQa(chat=chat)


def boxes(*named: tuple[str, tuple[float, float, float, float]], **more: Any) -> LabelledBoxes:
    return LabelledBoxes(boxes=tuple(LabelledBox(label=label, box=box) for label, box in named), **more)


def test_boxes_answer_how_many_which_and_where() -> None:
    scene = boxes(
        ("dog", (0, 40, 20, 60)), ("cup", (70, 40, 90, 60)), ("box", (30, 30, 50, 50)), ("box", (30, 60, 50, 80)),
        ("ant", (1, 1, 2, 2)), incomplete=("person",),
    )  # fmt: skip
    stated = {question.name: (question.question, question.right) for question in box_questions(scene, (100, 100))}
    assert stated["count of box"] == ("How many boxes are in the picture?", "2")
    assert stated["sight of cup"] == ("Which of these can be seen in the picture?", "a cup")
    assert stated["side of dog from cup"] == ("In the picture, where is the dog in relation to the cup?", "To the left")
    assert stated["side of cup from dog"][1] == "To the right"
    assert not [name for name in stated if "ant" in name or "person" in name or "from box" in name]
    loose = {question.kind for question in box_questions(scene.model_copy(update={"is_federated": True}), (100, 100))}
    assert loose == {"position"}  # what has no box may be there all the same


def test_kinds_take_turns_for_the_pictures(tmp_path: Path) -> None:
    run = TruthRun(tmp_path)
    names = ("dog", "cup", "kite", "boat", "lamp", "fork", "drum", "rose")
    for number, name in enumerate(names):
        picture = run.picture(number, 100, 80)
        things = [(name, (5.0 + k * 12, 5.0, 15.0 + k * 12, 20.0)) for k in range(number % 4 + 1)]
        run.state(f"coco:{number}", [picture], boxes(*things))
    items = run.run(BasicVisQa(min_side_px=16, uses=2))
    assert Counter(item.category for item in items) == {"counting": 8, "object": 8}
    assert max(Counter(item.root_image_id for item in items).values()) == 2
    for item in items:
        if item.category == "object":
            assert len({text for text in texts(item) if text.startswith("A ")}) == 4


def entities(run: TruthRun, kind: str, domain: str, names: tuple[str, ...], **more: Any) -> None:
    for number, name in enumerate(names):
        picture = run.picture(1000 + 10 * sum(map(ord, kind)) + number, 64, 48)
        truth = NamedEntity(entity=name, entity_kind=kind, domain=domain, **more)
        run.state(f"table:{kind}:{name}", [picture], truth)


LAKES = ("Lake Nyos", "Lake Tahoe", "Baikal", "The Thousand Lakes")
DISHES = ("Mapo tofu", "Chili con carne", "Moussaka", "Ratatouille", "Paella")


def test_an_entity_stands_among_others_of_its_kind_and_has_both_keys(tmp_path: Path) -> None:
    run = TruthRun(tmp_path)
    entities(run, "lake", "Landmarks", LAKES)
    entities(run, "dish", "food", DISHES)
    items = run.run(KnowVisQa(min_side_px=16))
    assert Counter(item.category for item in items) == {"landmarks": 4, "food": 4}
    for item in items:
        assert (item.level, len(item.choices)) == (None, 5)
        kind = LAKES if item.category == "landmarks" else DISHES
        assert set(texts(item)) - {REFUSAL} <= set(kind)
        assert item.answer is not None
        assert item.refusal is not None
    [nyos] = [item for item in items if right_text(item) == "Lake Nyos"]
    assert nyos.question == "What is the name of the lake in the picture?"


def test_a_kind_with_few_pictures_serves_in_paper_mode_with_names_from_the_table(tmp_path: Path) -> None:
    run = TruthRun(tmp_path)
    entities(run, "lake", "landmarks", LAKES[:1], others=("Lake Tahoe", "Nyos", "Baikal", "Lake Como"),
             also_named=("Nyos",), ask="Which lake do we see from above?")  # fmt: skip
    assert run.run(KnowVisQa(min_side_px=16)) == []
    [item] = run.run(KnowVisQa(mode="paper", min_side_px=16))
    assert item.question == "Which lake do we see from above?"
    assert set(texts(item)) == {REFUSAL, "Lake Nyos", "Lake Tahoe", "Baikal", "Lake Como"}
    assert item.written_by == {"question": "person", "choices": "template"}


def test_a_domain_that_is_none_of_the_six_is_named(tmp_path: Path) -> None:
    run = TruthRun(tmp_path)
    entities(run, "song", "music", ("Blue Moon",))
    assert run.run(KnowVisQa(min_side_px=16)) == []
    assert {outcome.reason for outcome in run.outcomes.values()} == {"other_domain"}


def test_an_unanswerable_item_has_no_answer_key_and_one_option_that_declines(tmp_path: Path) -> None:
    run = TruthRun(tmp_path)
    for number in range(30):
        run.state(
            f"coco:{number}",
            [run.picture(number, 100, 80)],
            boxes(("dog", (5, 5, 40, 40)), ("cup", (60, 40, 80, 60)), ("car", (50, 5, 90, 30))),
        )
    items = run.run(BeyondVisQa(min_side_px=16))
    assert len(items) == 30
    assert len({item.category for item in items}) == 6
    assert max(Counter(item.category for item in items).values()) == 5
    for item in items:
        assert (item.answer, item.level, len(item.choices)) == (None, None, 5)
        assert next(choice.text for choice in item.choices if choice.key == item.refusal) == REFUSAL
        thing = item.evidence["thing"]
        assert (thing in ("dog", "cup", "car")) is (item.category != "nonexistent_object")
    letters = Counter(item.refusal for item in items)
    assert max(letters.values()) - min(letters[letter] for letter in "ABCDE") <= 1


def test_a_question_that_an_annotation_answers_is_left_out(tmp_path: Path) -> None:
    run = TruthRun(tmp_path)
    picture = run.picture(1, 100, 80)
    run.state("coco:1", [picture], boxes(("cat", (5, 5, 40, 40))))
    name = BeyondVisQa(why=("background_information",), min_side_px=16)
    [item] = run.run(name)
    assert item.question == "What is the name of the cat?"
    run.state("vqa:1", [picture], VisualQuestion(question="What is the cat's name?", answer="Tom"))
    assert run.run(name) == []
    assert run.reason(picture) == "answered_by_annotation"


def test_annotations_answer_by_the_same_question_a_stated_option_or_a_thing_that_is_there() -> None:
    known = PictureAnnotations(
        [
            VisualQuestion(question="What color is the cat's collar?", answer="red"),
            VisualQuestion(question="What is written on the door?", answer="unknown"),
            Captions(texts=("A black cat named Tom sits on a bed",)),
            boxes(("cat", (0, 0, 9, 9)), ("bed", (0, 0, 9, 9))),
        ]
    )
    collar = known.answered_by(
        "What color is the collar of the cat?", ["Black", "Green"], why="missing_visual_information"
    )
    assert collar is not None
    assert collar.reason == "same_question"
    tom = known.answered_by("What is the animal called?", ["Oscar", "Tom"], why="background_information")
    assert tom is not None
    assert (tom.reason, tom.annotation) == ("stated_option", "A black cat named Tom sits on a bed")
    there = known.answered_by("Where is the bed?", ["Left", "Right"], why="nonexistent_object")
    assert there is not None
    assert there.reason == "object_is_there"
    assert known.answered_by("Where is the horse?", ["Left", "Right"], why="nonexistent_object") is None
    assert known.answered_by("What is written on the door?", ["Push"], why="missing_visual_information") is None
    assert known.answered_by("How many hairs does it have?", ["4", "7"], why="intractable_quantity") is None

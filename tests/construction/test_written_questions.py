"""Items made from the questions that people wrote, in the form that a `write` campaign supplies."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from step_context import StepContext

from benchwright.canonical import canonical_json
from benchwright.construction.tasks.written_questions import WrittenQuestionItems
from benchwright.records import Item
from benchwright.steps import Outcome

pytestmark = pytest.mark.slow

REFUSAL = "Nothing here says."
CUPS: dict[str, Any] = {
    "ask": "How many cups stand here?", "right": "Three", "wrong": ["One", "Two", "Four"],
    "explanation": "One is behind the jug.", "labels": {"difficulty": "hard", "needs": "counting+reading"},
}  # fmt: skip
TASTE: dict[str, Any] = {
    "ask": "How does it taste?", "right": None, "wrong": ["Sweet", "Sour", "Salty"], "refusal": REFUSAL,
}  # fmt: skip


def stated(*questions: dict[str, Any], slot: int = 1, simulated: bool = False, **more: Any) -> dict[str, Any]:
    """Return the value of an image, each question written at this place unless it says another."""
    written_in = {"campaign": "write", "record_id": "a" * 64, "slot": slot, "simulated": simulated}
    return {"task": "table_manners", "questions": [{"written_in": written_in, **each} for each in questions], **more}


@pytest.fixture
def run(tmp_path: Path, photo: np.ndarray) -> Any:
    def run(value: dict[str, Any] | None, *, step: WrittenQuestionItems | None = None, seed: int = 3) -> Outcome:
        context, made = StepContext(tmp_path, seed=seed), step or WrittenQuestionItems()
        record = context.add(photo)
        context._values = {} if value is None else {(record.image_id, made.reads[0]): canonical_json(value)}
        return context.run(made, record)

    return run


def text_of(item: Item, key: str | None) -> str | None:
    return next((choice.text for choice in item.choices if choice.key == key), None)


def test_each_question_becomes_an_item_with_its_words_labels_and_place(run: Any) -> None:
    cups, taste = run(stated(CUPS, TASTE)).items
    assert (cups.task, cups.question, cups.explanation) == ("table_manners", CUPS["ask"], CUPS["explanation"])
    assert text_of(cups, cups.answer) == "Three"
    assert {choice.text for choice in cups.choices} == {"One", "Two", "Three", "Four"}
    assert cups.attributes == {"difficulty": "hard", "needs": "counting+reading"}
    assert cups.written_by == {"question": "person", "choices": "person", "explanation": "person"}
    assert cups.evidence["written_in"] == {"campaign": "write", "record_id": "a" * 64, "slot": 1}
    assert 0 < cups.evidence["difficulty"] < 1
    assert "option_faults" not in cups.evidence
    assert "difficulty" not in taste.evidence
    assert (cups.refusal, taste.answer, text_of(taste, taste.refusal)) == (None, None, REFUSAL)
    assert taste.written_by == {"question": "person", "choices": "person"}
    assert cups.item_id != taste.item_id


def test_options_that_words_call_into_doubt_are_named_in_the_evidence(run: Any) -> None:
    sofa = {"ask": "Where does the cat lie?", "right": "couch", "wrong": ["sofa", "chair", "none of these"]}
    [item] = run(stated(sofa)).items
    assert item.evidence["option_faults"] == {"sofa": "second_right", "none of these": "no_answer"}


def test_a_question_with_an_option_that_declines_and_is_wrong_has_both_keys(run: Any) -> None:
    [item] = run(stated(CUPS | {"refusal": REFUSAL})).items
    assert (text_of(item, item.answer), text_of(item, item.refusal)) == ("Three", REFUSAL)
    assert len(item.choices) == 5


def test_options_that_are_drawn_keep_their_order(run: Any) -> None:
    puzzle = {"ask": "Which figure comes next?", "right": "C", "wrong": ["A", "B", "D"]}
    for seed in range(4):
        [item] = run(stated(puzzle, drawn_options=["A", "B", "C", "D"]), seed=seed).items
        assert [choice.text for choice in item.choices] == ["A", "B", "C", "D"]
        assert item.answer == "C"


def test_letters_of_right_options_and_of_those_that_decline_are_spread_evenly(run: Any) -> None:
    """200 items of five options: each letter is right 40 times, give or take 3.5 standard deviations (20)."""
    right: Counter[str | None] = Counter()
    declines: Counter[str | None] = Counter()
    for seed in range(20):
        questions = [CUPS | {"ask": f"How many cups, {number}?", "refusal": REFUSAL} for number in range(10)]
        for item in run(stated(*questions), seed=seed).items:
            right[item.answer] += 1
            declines[item.refusal] += 1
    for counts in (right, declines):
        assert set(counts) == set("ABCDE")
        assert all(20 <= count <= 60 for count in counts.values())


def test_an_item_stays_as_it_is_where_others_join_it(run: Any) -> None:
    [alone] = run(stated(CUPS)).items
    other = stated(TASTE, slot=2)["questions"][0]
    joined = run({**stated(CUPS, TASTE), "questions": [other, *stated(CUPS, TASTE)["questions"]]}).items
    assert alone in joined
    assert len({item.item_id for item in joined}) == 3


def test_what_nobody_wrote_is_marked_and_an_image_without_questions_is_dropped_with_a_reason(run: Any) -> None:
    [item] = run(stated(CUPS, simulated=True)).items
    assert set(item.written_by.values()) == {"simulated"}
    outcome = run(None)
    assert (outcome.verdict, outcome.reason) == ("drop", "nothing_written")

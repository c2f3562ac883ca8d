"""The thirteen prompts: distinct, with the paper's inputs and outputs, and examples that follow the prompts' own
rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from benchwright.construction.manipulation.ideas.policy import FICTIONAL, names_one, real_person, refused
from benchwright.construction.manipulation.ideas.prompts import prompt, prompts_digest, templates
from benchwright.construction.manipulation.ideas.reply import shape_of, unchanged
from benchwright.construction.manipulation.ideas.step import Ideas
from benchwright.facts import CATEGORIES, CODES, IdeaCategory
from benchwright.facts.idea_categories import HIGH
from benchwright.models.endpoints.structured_replies import CLOSE, OPEN, fenced

ALL = list(CATEGORIES.values())


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from texts(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from texts(one)


def test_the_categories_are_the_papers_with_its_edit_types() -> None:
    ways = {way: {one.code for one in ALL if one.way == way} for way in ("partial", "background", "direct")}
    assert ways["background"] == {"B1", "R1", "S1"}
    assert ways["direct"] == {"E2", "S2"}
    assert ways["partial"] == {"B2", "B3", "B4", "R2", "I1", "I2", "E1"} | {"R3"}
    assert {one.code for one in ALL if one.ours is not None} == {"R3"}
    assert {one.high.name[0].upper() for one in ALL} == {code[0] for code in CODES}
    assert {one.high for one in ALL} == set(HIGH)
    assert len({one.low for one in ALL}) == 12  # the background supports behaviour and scenario


def test_appendix_d_names_inputs_and_outputs() -> None:
    assert CATEGORIES["B1"].inputs == ("main_subject", "original_caption", "original_behaviour", "original_background")
    assert CATEGORIES["B1"].outputs == ("new_behaviour", "new_background", "new_caption")
    assert CATEGORIES["B2"].outputs == ("new_behaviour", "new_object", "new_caption")
    assert CATEGORIES["E2"].inputs[2:] == ("original_emotion", "original_expression")


@pytest.mark.parametrize("category", ALL, ids=lambda one: one.code)
def test_examples_hold_to_the_shape_the_policy_and_the_task(category: IdeaCategory) -> None:
    shots = templates()[category.code].shots
    assert len(shots) == 2
    for shot in shots:
        assert set(shot) == {*category.inputs, "reply"}
        reply = shape_of(category).model_validate(shot["reply"])
        naturals = {one.name: str(shot[f"original_{one.name}"]) for one in (category.high, category.low)}
        assert unchanged(category, naturals, reply) is None
        assert refused(texts(dict(shot))) is None


@pytest.mark.parametrize("category", ALL, ids=lambda one: one.code)
def test_another_categorys_examples_do_not_fit(category: IdeaCategory) -> None:
    for other in ALL:
        if other.outputs != category.outputs:
            with pytest.raises(ValidationError):
                shape_of(category).model_validate(templates()[other.code].shots[0]["reply"])


def test_tasks_are_thirteen() -> None:
    assert len({template.task for template in templates().values()}) == 13


def test_whoever_changes_a_prompt_raises_the_steps_version() -> None:
    assert (Ideas.version, prompts_digest()[:16]) == (3, "e8aa5e4264cea965")


def test_what_a_recipe_allows_is_not_forbidden_by_the_prompt() -> None:
    inputs = dict.fromkeys(CATEGORIES["I2"].inputs, "x")
    assert "Never: names of real persons, minors, gore." in prompt(CATEGORIES["I2"], inputs)
    assert "Never: minors." in prompt(CATEGORIES["I2"], inputs, allow=("real_persons", "gore"))
    assert "Never" not in prompt(CATEGORIES["I2"], inputs, allow=("real_persons", "gore", "minors"))


@pytest.mark.parametrize("text", ["a >>> b", "a >>>>> b <<<< c", "``` a\n\n b", "x" * 9000])
def test_data_cannot_close_its_fence(text: str) -> None:
    inside = fenced(text).removeprefix(OPEN).removesuffix(CLOSE)
    assert not {OPEN, CLOSE, "```", "\n"} & {mark for mark in (OPEN, CLOSE, "```", "\n") if mark in inside}
    assert len(inside) <= 2002


@pytest.mark.parametrize(
    "text",
    ["Jordan Ellery waves", "a picture of Jordan van Ellery", "President Ellery", "Dr. Ellery", "J. R. Ellery",
     "Is that Jordan Ellery?", "Replace Jordan Ellery", "the Jordan Ellery poster", "a Jordan Ellery in a red dress",
     'the words "Jordan Ellery wins"', "The Ellery Sisters are on a stage", "Trump on a stage", "Jean-Luc Ellery in New York"],
)  # fmt: skip
def test_names_of_persons_are_seen(text: str) -> None:
    assert real_person(text) is not None


@pytest.mark.parametrize(
    "text",
    ["The woman in New York City", "The Eiffel Tower at night", "A Roman coin", "Is the man in the Grand Palace?",
     "Is the Sagrada Familia below a red sky?", "The Mona Lisa hangs on a wall", 'The sign reads "Fresh Bread".',
     "Corner Shop", "Spider-Man on a wall", "Santa Claus and Robin Hood", "Monday Morning", "a U.S. flag", "the isle of Brannoch",
     *(f"Is {one.name}, {one.known_as}, here?" for one in FICTIONAL)],
)  # fmt: skip
def test_places_days_and_figures_that_nobody_is_pass(text: str) -> None:
    assert refused([text]) is None


def test_made_up_figures_are_known_by_name() -> None:
    assert all(names_one(f"the famous {one.name.upper()}") for one in FICTIONAL)
    assert not names_one("Jordan Ellery")


@pytest.mark.parametrize(
    ("text", "reason"),
    [("two boys", "policy_minor"), ("a 12-year-old", "policy_minor"), ("a 17 years old", "policy_minor"),
     ("a severed hand", "policy_gore"), ("Blood on the floor", "policy_gore")],
)  # fmt: skip
def test_minors_and_gore_are_refused(text: str, reason: str) -> None:
    refusal = refused(["fine", text])
    assert refusal is not None
    assert refusal.reason == reason


@pytest.mark.parametrize("text", ["a 21-year-old", "a kidney", "a gun", "the cowboy", "a bloodhound", "a goring bull"])
def test_words_that_only_look_alike_pass(text: str) -> None:
    assert refused([text]) is None

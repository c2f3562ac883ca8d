"""The paragraph on shortcuts in a card: the number of items it covers, and a warning if they are few."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from worded_items import item

from benchwright.exports.freezing.shortcut_note import blind_note, shortcut_note


def _note(**counts: int) -> str:
    return shortcut_note(_measured(task, number) for task, count in counts.items() for number in range(count))


def _measured(task: str, number: int, solvers: Sequence[str] | None = ()) -> tuple[Any, dict[str, Any]]:
    return item(f"{task} {number}", task=task, answer="ABC"[number % 3]), {"shortcuts.solvers.solvers": solvers}


def test_tasks_without_a_cue_stand_with_their_numbers_of_items() -> None:
    assert "no cue in the items of these tasks: `counting` 250, `jigsaw` 200." in _note(jigsaw=200, counting=250)


@pytest.mark.parametrize(("jigsaws", "is_little"), [(199, True), (200, False)])
def test_that_nothing_was_found_in_few_items_is_said_to_mean_little(jigsaws: int, is_little: bool) -> None:
    assert ("that says little" in _note(jigsaw=jigsaws, counting=250)) == is_little


def test_few_items_that_carry_a_cue_are_not_said_to_say_little() -> None:
    note = shortcut_note([_measured("naming", 0, ["always A"]), _measured("naming", 1, None)])
    assert note.endswith("In `naming` a cue helps with 1 of 1 items (`always A` 1). 1 items were not measured.")
    assert "little" not in note


def test_what_the_adversary_learned_is_named_as_other_cues_are() -> None:
    note = shortcut_note(
        [_measured("naming", 0, ["learned file", "always A"]), _measured("naming", 1, ["learned file"])]
    )
    assert note.endswith("In `naming` a cue helps with 2 of 2 items (`learned file` 2, `always A` 1).")


def test_without_the_step_there_is_no_paragraph() -> None:
    assert shortcut_note([(item("one"), {"quality.blur": 0.5})]) == ""


def test_a_task_that_a_constant_answers_is_none_without_a_cue() -> None:
    uneven = [item(f"q {number}", task="naming", answer="A" if number % 4 else "B") for number in range(200)]
    even = [item(f"r {number}", task="counting", answer="ABC"[number % 3]) for number in range(201)]
    note = shortcut_note((one, {"shortcuts.solvers.solvers": ()}) for one in (*uneven, *even))
    assert "`counting` 201" in note
    assert "naming" not in note
    said = blind_note([*uneven, *even]).constant
    assert "A constant answer beats chance" in said
    assert "`naming`: Always `A` is right in 0.75 of 200 items" in said
    assert "counting" not in said


def test_letters_that_tell_nothing_are_stated_with_chance() -> None:
    said = blind_note([item(f"r {number}", answer="ABC"[number % 3]) for number in range(201)]).constant
    assert "Always `A` is right in 0.33 of 201 items" in said
    assert "beats" not in said
    assert blind_note([]).constant == ""

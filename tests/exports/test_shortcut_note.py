"""The paragraph of a card on shortcuts: of how many items it speaks, and that few items say little."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from worded_items import item

from benchwright.exports.shortcut_note import shortcut_note


def _note(**counts: int) -> str:
    return shortcut_note(_measured(task, number) for task, count in counts.items() for number in range(count))


def _measured(task: str, number: int, solvers: Sequence[str] | None = ()) -> tuple[Any, dict[str, Any]]:
    return item(f"{task} {number}", task=task), {"shortcuts.solvers.solvers": solvers}


def test_tasks_without_a_cue_stand_with_their_numbers_of_items() -> None:
    assert "no cue in the items of these tasks: `counting` 250, `jigsaw` 200." in _note(jigsaw=200, counting=250)


@pytest.mark.parametrize(("jigsaws", "is_little"), [(199, True), (200, False)])
def test_that_nothing_was_found_in_few_items_is_said_to_mean_little(jigsaws: int, is_little: bool) -> None:
    assert ("that says little" in _note(jigsaw=jigsaws, counting=250)) == is_little


def test_few_items_that_carry_a_cue_are_not_said_to_say_little() -> None:
    note = shortcut_note([_measured("naming", 0, ["always A"]), _measured("naming", 1, None)])
    assert note.endswith("In `naming` a cue helps with 1 of 1 items (`always A` 1). 1 items were not measured.")
    assert "little" not in note


def test_without_the_step_there_is_no_paragraph() -> None:
    assert shortcut_note([(item("one"), {"quality.blur": 0.5})]) == ""

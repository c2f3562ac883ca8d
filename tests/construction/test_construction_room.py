"""The construction room: every name leads to what it promises."""

from __future__ import annotations

import pytest

from benchwright.construction.room import ROOM
from benchwright.rooms import RoomEntry


@pytest.mark.parametrize("name", sorted(ROOM.steps))
def test_every_step_is_there_under_its_name(name: str) -> None:
    assert RoomEntry(ROOM.name, name, ROOM.steps[name]).load().name == name


@pytest.mark.parametrize("name", sorted({**ROOM.steps, **ROOM.commands}))
def test_every_name_has_one_line_of_help(name: str) -> None:
    help_line = {**ROOM.steps, **ROOM.commands}[name].help
    assert help_line.endswith((".", "?"))
    assert "\n" not in help_line

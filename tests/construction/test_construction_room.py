"""The construction room: every name leads to a component of the stated kind."""

from __future__ import annotations

from benchwright.construction.room import ROOM
from benchwright.rooms import RoomEntry


def test_every_step_is_there_under_its_name() -> None:
    found = {name: RoomEntry(ROOM.name, name, entry).load().name for name, entry in ROOM.steps.items()}
    assert {name: other for name, other in found.items() if other != name} == {}


def test_every_name_has_one_line_of_help() -> None:
    lines = {name: entry.help for name, entry in {**ROOM.steps, **ROOM.commands}.items()}
    assert {name: line for name, line in lines.items() if not line.endswith((".", "?")) or "\n" in line} == {}

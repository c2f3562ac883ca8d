"""The last change of a record is reported once, or as long as it can be taken back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from benchwright.annotation.app.item_pages.last_acts import LastAct, LastActs
from benchwright.annotation.items.curator_acts import AssignedTasks
from benchwright.overrides import Override

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
MADE = LastAct(
    ["1 withdrawn."],
    (Override("02-quality", "r", "root", "drop", None, None, "cur", "it names a brand"),),
)


def test_a_change_is_reported_once_and_one_that_can_be_undone_for_ten_minutes() -> None:
    last = LastActs()
    last.put("cur", "r", LastAct(["Decided."]), now=NOW)
    last.put("dot", "r", MADE, now=NOW)
    assert last.show("cur", "other", now=NOW) is None
    assert last.show("cur", "r", now=NOW) == LastAct(["Decided."])
    assert last.show("cur", "r", now=NOW) is None
    for minutes in (0, 5, 10):
        assert last.show("dot", "r", now=NOW + timedelta(minutes=minutes)) == MADE
    assert last.show("dot", "r", now=NOW + timedelta(minutes=11)) is None


def test_an_assignment_without_tasks_leaves_nothing_to_take_back() -> None:
    assert not LastAct([], assigned=AssignedTasks("ben", (), [("no open task asks about it", 1)])).can_be_taken_back

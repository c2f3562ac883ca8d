"""The last change of a record is reported once, or as long as it can be taken back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from benchwright.annotation.app.curator_acts.last_acts import LastAct, LastActs
from benchwright.annotation.items.curator_acts import AssignedTasks
from benchwright.overrides import Override

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
MADE = LastAct(
    NOW,
    ["1 withdrawn."],
    (Override("02-quality", "r", "root", "drop", None, None, "cur", "it names a brand"),),
)


def test_a_change_is_reported_once_and_one_that_can_be_undone_for_ten_minutes() -> None:
    last = LastActs()
    last.put("cur", "r", LastAct(NOW, ["Decided."]))
    last.put("dot", "r", MADE)
    assert last.show("cur", "other", now=NOW) is None
    assert last.show("cur", "r", now=NOW) == LastAct(NOW, ["Decided."])
    assert last.show("cur", "r", now=NOW) is None
    for minutes in (0, 5, 10):
        assert last.show("dot", "r", now=NOW + timedelta(minutes=minutes)) == MADE
    assert last.show("dot", "r", now=NOW + timedelta(minutes=11)) is None


def test_a_newer_change_outlives_the_one_that_it_replaced() -> None:
    last, newer = LastActs(), MADE._replace(at=NOW + timedelta(minutes=1))
    last.put("cur", "", MADE)
    last.put("cur", "", newer)
    last.drop("cur", "", MADE)
    assert last.get("cur", "", now=newer.at) == newer
    assert newer.mark != MADE.mark


def test_an_assignment_without_tasks_leaves_nothing_to_take_back() -> None:
    nothing = AssignedTasks("ben", (), [("no open task asks about it", 1)])
    assert not LastAct(NOW, [], assigned=nothing).can_be_taken_back

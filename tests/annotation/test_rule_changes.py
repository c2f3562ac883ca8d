"""A campaign's rule changed in place: every decision stays and counts, and tasks have the new rule's places."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pytest
import sqlalchemy as sa

from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.campaigns.rule_changes import change_rule
from benchwright.annotation.store.check import row_problems
from benchwright.annotation.store.database.schema import audit_log, slots, tasks
from benchwright.annotation.store.review_store import ReviewStore
from benchwright.annotation.workflow.settlement.closing import close_early
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.errors import BenchwrightError
from benchwright.records import Item
from benchwright.steps import CampaignContext

pytestmark = [pytest.mark.both_databases]
PEOPLE = ("ann", "ben", "cas")
SAID = {"a": Submission("accept"), "r": Submission("reject", reasons=("unclear",))}
Opened = Callable[[list[str], str], None]


@pytest.fixture
def items(make_items: Callable[..., list[Item]]) -> Callable[[int], list[Item]]:
    return lambda count: make_items(jigsaw=count)


@pytest.fixture
def opened(store: ReviewStore, context: CampaignContext, items: Callable[[int], list[Item]], now: datetime) -> Opened:
    """Return an opener of a campaign with a task for each text, whose letters are annotators' decisions in turn."""

    def open_campaign(said: list[str], rule: str) -> None:
        Verify(rule=rule, form={"reasons": ["unclear"]}).advance(items(len(said)), context)
        for name in PEOPLE:
            store.upsert_annotator(name)
        for task, letters in zip(sorted(store.tasks("verify"), key=lambda task: task.id), said, strict=True):
            for name, letter in zip(PEOPLE, letters, strict=False):
                store.decide("verify", task.id, name, SAID[letter], now=now)

    return open_campaign


def changed(store: ReviewStore, rule: str, people: int, now: datetime) -> None:
    with store.writing(alone=True) as connection:
        change_rule(connection, "verify", rule=rule, slots_per_task=people, by="cur", now=now)
    close_early(store, "verify")


def states(store: ReviewStore) -> list[tuple[str, list[int]]]:
    """Return state and numbers of slots of each task, in order."""
    with store.reading() as connection:
        return [
            (row.state, list(connection.execute(sa.select(slots.c.slot).where(slots.c.task_id == row.id).order_by(slots.c.slot)).scalars()))
            for row in connection.execute(sa.select(tasks.c.id, tasks.c.state).order_by(tasks.c.id))
        ]  # fmt: skip


def test_more_people_reopen_every_task_and_the_next_run_goes_on_under_the_rule(
    store: ReviewStore, opened: Opened, context: CampaignContext, items: Callable[[int], list[Item]], now: datetime
) -> None:
    opened(["aa", "ar", "a"], "unanimous(2)")
    assert [state for state, _ in states(store)] == ["done", "done", "open"]
    changed(store, "at_least(2, of=3)", 3, now)
    assert states(store) == [("open", [1, 2, 3])] * 3
    assert len(store.decisions("verify")) == 5
    ids = sorted(task.id for task in store.tasks("verify"))
    assert TaskQueue(store, store.campaign("verify"), "cas").next(now=now) is not None
    for name, place in (("cas", 0), ("cas", 1), ("ben", 2), ("cas", 2)):
        store.decide("verify", ids[place], name, SAID["a"], now=now)
    verdicts = Verify(rule="at_least(2, of=3)", form={"reasons": ["unclear"]}).advance(items(3), context)
    assert verdicts.waiting is None
    assert {outcome.verdict for outcome in verdicts.outcomes.values()} == {"keep"}


def test_another_share_settles_the_same_decisions_otherwise(
    store: ReviewStore, opened: Opened, context: CampaignContext, items: Callable[[int], list[Item]], now: datetime
) -> None:
    opened(["aar", "aaa"], "majority(3)")
    changed(store, "unanimous(3)", 3, now)
    assert [state for state, _ in states(store)] == ["done", "done"]
    verdicts = Verify(rule="unanimous(3)", form={"reasons": ["unclear"]}).advance(items(2), context)
    assert sorted(outcome.verdict for outcome in verdicts.outcomes.values()) == ["drop", "keep"]


def test_fewer_people_take_away_only_free_places(store: ReviewStore, opened: Opened, now: datetime) -> None:
    opened(["aa", "a", ""], "unanimous(3)")
    changed(store, "unanimous(2)", 2, now)
    assert states(store) == [("done", [1, 2]), ("open", [1, 2]), ("open", [1, 2])]
    changed(store, "unanimous(3)", 3, now)
    assert states(store) == [("open", [1, 2, 3])] * 3


def test_fewer_people_than_decided_are_refused_with_the_number_and_nothing_changes(
    store: ReviewStore, opened: Opened, now: datetime
) -> None:
    opened(["aaa", "aa", "a"], "majority(3)")
    before = states(store)
    with pytest.raises(BenchwrightError, match="1 task has more than 2 decisions"):
        changed(store, "unanimous(2)", 2, now)
    assert (states(store), store.campaign("verify").rule) == (before, "at_least(2, of=3)")


def test_the_number_stays_once_an_item_was_revised(
    store: ReviewStore, opened: Opened, context: CampaignContext, items: Callable[[int], list[Item]], now: datetime
) -> None:
    opened([""], "unanimous(2)")
    [task] = store.tasks("verify")
    edit = Submission("revise", note="so", edits={"question": "Which one?"})
    for name in ("ann", "ben"):
        store.decide("verify", task.id, name, edit, now=now)
    waits = Verify(rule="unanimous(2)", form={"reasons": ["unclear"]}).advance(items(1), context)
    assert waits.waiting is not None
    with pytest.raises(BenchwrightError, match="were revised or sent back"):
        changed(store, "unanimous(3)", 3, now)
    changed(store, "adjudicated(unanimous(2))", 2, now)
    assert store.campaign("verify").rule == "adjudicated(unanimous(2))"


def test_who_changed_it_is_in_the_log_and_the_store_agrees_with_it(
    store: ReviewStore, opened: Opened, now: datetime
) -> None:
    opened(["aa", "a"], "unanimous(2)")
    changed(store, "at_least(2, of=3)", 3, now)
    with store.reading() as connection:
        act = connection.execute(sa.select(audit_log).order_by(audit_log.c.id.desc()).limit(1)).one()
    assert (act.act, act.actor, '"rule":"at_least(2, of=3)"' in act.about.replace(": ", ":")) == (
        "campaign_changed",
        "cur",
        True,
    )
    assert list(row_problems(store)) == []

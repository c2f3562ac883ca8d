"""Curators' acts on items: planned before execution, recorded, used by the next run, and undone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.items.curator_acts import (
    NO_OPEN_TASK,
    NO_TASK,
    NOTHING_BY_HAND,
    CuratorActs,
    may_be_decided,
)
from benchwright.annotation.items.item_history import RecordHistory, changes, item_history, known_records
from benchwright.annotation.items.item_index import ItemIndex
from benchwright.annotation.items.item_search import ItemQuery, search
from benchwright.annotation.store.accounts.campaign_access import AccessControl
from benchwright.annotation.store.campaigns.overrides import OverrideStore
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.database.schema import audit_log
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.adjudication import IS_OPEN
from benchwright.annotation.workflow.settlement.revisions import open_next_rounds
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.errors import BenchwrightError
from benchwright.workspace.record_lookup import KnownRecord
from benchwright.workspace.workspace import Workspace

from .curated import RECIPE, START, decide, make_place, run

pytestmark = pytest.mark.slow
NOW = START + timedelta(days=2)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return make_place(tmp_path)


@pytest.fixture
def store(place: Path) -> Iterator[ReviewStore]:
    with open_store(f"sqlite:///{place / 'workspace' / 'review.sqlite'}") as opened:
        yield opened


@pytest.fixture
def index(place: Path, store: ReviewStore) -> ItemIndex:
    return ItemIndex(place / "workspace", store)


@pytest.fixture
def acts(place: Path, store: ReviewStore) -> CuratorActs:
    return CuratorActs(place / "workspace", store, "cur")


def records(index: ItemIndex, **query: str) -> list[KnownRecord]:
    """Return the records that a query finds, by id."""
    index.refresh()
    hits = index.reading(lambda file: search(file, ItemQuery(**query), page_size=1000))  # type: ignore[arg-type]
    return index.reading(lambda file: known_records(file, [record.record_id for record in hits.records]))


def history(place: Path, store: ReviewStore, index: ItemIndex, record_id: str) -> RecordHistory:
    index.refresh()
    read = item_history(Workspace(place / "workspace"), store, index, record_id)
    assert read is not None
    return read


def logged(store: ReviewStore) -> list[tuple[str, str]]:
    with store.reading() as connection:
        query = sa.select(audit_log.c.act, audit_log.c.actor).order_by(audit_log.c.id)
        return [(row.act, row.actor) for row in connection.execute(query) if row.act.startswith("overrid")]


def test_withdrawn_items_are_left_out_by_the_next_run_and_undone_they_come_back(
    place: Path, store: ReviewStore, index: ItemIndex, acts: CuratorActs
) -> None:
    chosen = records(index, stream="items")[:2]
    plan = acts.plan("withdraw", chosen, why="names  a brand")
    assert (plan.record_ids, plan.refused) == ([record.record_id for record in chosen], [])
    assert {override.stage for override in plan.overrides} == {"repeated_options.judge"}
    assert logged(store) == []  # a plan does nothing
    assert len(acts.do(plan, now=NOW)) == 2
    assert logged(store) == [("overridden", "cur")] * 2
    assert acts.do(plan, now=NOW) == []  # twice is once
    assert records(index, state="withdrawn") == records(index, state="pending") == chosen
    run(place)
    assert records(index, state="withdrawn") == chosen
    assert records(index, state="pending") == []
    assert records(index, state="withdrawn", reason="by_hand") == chosen
    undo = acts.plan("undo", [*chosen, *records(index, stream="items", state="waiting")[:1]], why="")
    assert undo.refused == [(NOTHING_BY_HAND, 1)]
    assert len(acts.do(undo, now=NOW)) == 2
    assert records(index, state="pending") == chosen
    run(place)
    assert records(index, state="withdrawn") == []
    assert set(records(index, state="waiting")) >= set(chosen)
    assert [row.action for row in history(place, store, index, chosen[0].record_id).overrides] == ["drop", "undo"]


def test_restored_images_come_back_and_only_what_a_step_said_can_be_reversed(
    place: Path, store: ReviewStore, index: ItemIndex, acts: CuratorActs
) -> None:
    small, items = records(index, reason="too_small"), records(index, stream="items")
    plan = acts.plan("restore", [*small, *items], why="large enough")
    assert plan.record_ids == [record.record_id for record in small]
    [(message, count)] = plan.refused
    assert count == len(items)
    assert message.startswith("nothing dropped it or asked about it")
    acts.do(plan, now=NOW)
    run(place)
    assert records(index, state="dropped", reason="too_small") == []
    assert len(records(index, stream="items")) > len(items)  # they are made into items
    verdict = next(v for v in history(place, store, index, small[0].record_id).verdicts if v.step == "quality")
    assert (verdict.verdict, verdict.own_verdict, verdict.own_reason) == ("keep", "drop", "too_small")
    assert verdict.measures["short_px"] < 200


def test_what_is_out_already_and_what_no_step_has_judged_cannot_be_withdrawn(
    index: ItemIndex, acts: CuratorActs
) -> None:
    plan = acts.plan("withdraw", records(index, state="dropped"), why="no")
    assert plan.overrides == []
    assert all(message.startswith("it is already dropped: ") for message, _ in plan.refused)
    strange = KnownRecord("0" * 32, "", "items")
    assert acts.plan("withdraw", [strange], why="no").refused[0][0].startswith("the last run did not make it")


@pytest.mark.parametrize("why", ["", "   ", "x" * 2001, "bell \x07"])
def test_an_act_needs_a_reason_in_a_line(index: ItemIndex, acts: CuratorActs, why: str) -> None:
    with pytest.raises(BenchwrightError, match="give a reason in one line"):
        acts.plan("withdraw", records(index, stream="items"), why=why)


def test_an_items_history_has_its_versions_votes_measures_and_origin(
    place: Path, store: ReviewStore, index: ItemIndex
) -> None:
    edits = {"question": "Which <image 2> fits?"}
    item = store.tasks("verify")[0]
    for name in ("ann", "ben"):
        store.upsert_annotator(name)
        store.decide("verify", item.id, name, Submission("revise", edits=edits, note="vague"), now=START)
    open_next_rounds(store, "verify")
    TaskQueue(store, store.campaign("verify"), "ann").remark(item.id, "Really?", is_flag=False, now=NOW)
    read = history(place, store, index, item.item_id)
    assert [version.edited_by for version in read.versions] == [None, "ann"]
    assert read.versions[0].by == "jigsaw"
    assert read.content["question"] == edits["question"]
    assert list(changes(read.versions[0].content, read.content)) == ["question"]
    assert [(task.facts.round, task.outcome) for task in read.tasks] == [(1, "retired"), (2, "open")]
    assert [(vote.annotator, vote.note) for vote in read.tasks[0].facts.annotations] == [
        ("ann", "vague"),
        ("ben", "vague"),
    ]
    assert [comment.words for comment in read.remarks] == ["Really?"]
    assert "repeated_options" in {verdict.step for verdict in read.verdicts}
    assert read.source["source_uri"].startswith("piece-")
    assert read.source["made_by"] == "jigsaw"


def test_versions_that_a_run_has_taken_in_are_listed_once(place: Path, store: ReviewStore, index: ItemIndex) -> None:
    edits = {"question": "Which <image 2> fits?"}
    item = store.tasks("verify")[0]
    for task in store.tasks("verify"):
        say = Submission("revise", edits=edits) if task.id == item.id else Submission("accept")
        for name in ("ann", "ben"):
            store.upsert_annotator(name)
            store.decide("verify", task.id, name, say, now=START)
    open_next_rounds(store, "verify")
    [again] = store.tasks("verify")
    for name in ("cas", "dan"):
        store.upsert_annotator(name)
        store.decide("verify", again.id, name, Submission("accept"), now=NOW)
    assert run(place).state == "done"
    read = history(place, store, index, item.item_id)
    assert [(version.by, version.edited_by) for version in read.versions] == [("jigsaw", None), ("verify", "ann")]
    assert item.item_id in {record.record_id for record in records(index, state="accepted")}
    assert item.item_id in {record.record_id for record in records(index, state="revised")}


def test_a_curator_may_decide_what_an_adjudicator_may_and_reopen_it(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    (place / "workspace" / "review.sqlite").unlink()
    run(place, RECIPE.replace("unanimous(2)", "adjudicated(unanimous(2))"))
    with open_store(f"sqlite:///{place / 'workspace' / 'review.sqlite'}") as store:
        index, acts = ItemIndex(place / "workspace", store), CuratorActs(place / "workspace", store, "cur")
        store.upsert_annotator("cur")
        decisions = [("accept", "reject"), ("accept", "accept"), ("reject", "accept")]
        for number, (of_ann, of_ben) in enumerate(decisions):
            decide(store, number, "ann", of_ann)
            decide(store, number, "ben", of_ben)
        divided, alike, again = (task.item_id for task in store.tasks("verify", states=("done",)))
        task = history(place, store, index, divided).tasks[0]
        assert may_be_decided(task, "cur")
        assert not may_be_decided(task, "ann")
        assert not may_be_decided(history(place, store, index, alike).tasks[0], "cur")
        acts.decide_task(task, Submission("accept"), now=NOW)
        assert divided in {record.record_id for record in records(index, state="accepted", annotator="cur")}
        assert not may_be_decided(history(place, store, index, divided).tasks[0], "cur")
        acts.decide_task(history(place, store, index, again).tasks[0], Submission("send_back"), now=NOW)
        assert again in {record.record_id for record in records(index, state="waiting")}


def test_who_looked_at_an_item_is_not_asked_about_it_and_who_may_be_asked_sees_that_first(
    place: Path, store: ReviewStore, index: ItemIndex, acts: CuratorActs
) -> None:
    store.upsert_annotator("cur")
    task = store.tasks("verify")[0]
    read = history(place, store, index, task.item_id)
    assert acts.may_be_asked(read)
    acts.note_looked(read, now=NOW)
    acts.note_looked(read, now=NOW)
    assert not acts.may_be_asked(history(place, store, index, task.item_id))
    with pytest.raises(RefusedError):
        store.claim("verify", "cur", now=NOW, task=task.id)
    assert store.claim("verify", "cur", now=NOW) is not None  # others still come
    other = store.tasks("verify")[1].item_id
    AccessControl(store).assign("verify", ["cur"])
    assert acts.may_be_asked(history(place, store, index, other))
    store.upsert_annotator("ann")
    AccessControl(store).assign("verify", ["ann"])
    AccessControl(store).take_off("verify", ["cur"])
    assert not acts.may_be_asked(history(place, store, index, other))
    assert len(OverrideStore(store).in_force()) == 0


def test_an_assigned_task_comes_first_and_stays_with_the_person_over_visits_that_do_not_reach_it(
    store: ReviewStore, acts: CuratorActs
) -> None:
    campaign = store.campaign("verify")
    store.upsert_annotator("eva")
    queue = TaskQueue(store, campaign, "eva")
    tasks = {task.id: task.item_id for task in store.tasks("verify", states=("open",))}
    others = [task for task in tasks if task != queue.hold(1, now=NOW)[0]]
    queue.give_back(list(tasks), since=NOW, now=NOW)
    assigned = acts.assign([tasks[others[0]]], "eva", now=NOW)
    assert [lease.task_id for lease in assigned.leases] == [others[0]]
    later = NOW + timedelta(hours=1)
    held = queue.hold(3, now=later)
    assert held[0] == others[0]
    queue.give_back(held, since=later, now=later)  # a window that looked at nothing goes away
    assert queue.hold(1, now=later + timedelta(days=6))[0] == others[0]
    with store.reading() as connection:
        query = sa.select(audit_log.c.actor).where(audit_log.c.act == "assigned_task")
        assert list(connection.execute(query).scalars()) == ["cur"]


def test_an_assigned_place_goes_to_others_after_a_week_and_when_it_is_taken_back(
    store: ReviewStore, acts: CuratorActs
) -> None:
    campaign = store.campaign("verify")
    task = store.tasks("verify", states=("open",))[0]
    assigned = acts.assign([task.item_id], "eva", now=NOW)
    assert len(assigned.leases) == 1
    again = acts.assign([task.item_id], "eva", now=NOW)
    assert [lease.slot_id for lease in again.leases] == [assigned.leases[0].slot_id]
    assert len(acts.assign([task.item_id], "fay", now=NOW).leases) == 1
    assert acts.assign([task.item_id], "gus", now=NOW).refused == [("all its slots are taken", 1)]
    acts.take_back(assigned, now=NOW)
    assert len(acts.assign([task.item_id], "gus", now=NOW).leases) == 1
    store.upsert_annotator("hal")
    week_later = NOW + timedelta(days=8)
    assert store.claim(campaign, "hal", now=week_later, task=task.id) is not None


def test_who_may_not_be_asked_is_refused_with_the_reason(store: ReviewStore, acts: CuratorActs) -> None:
    decided = decide(store, 0, "ann", "accept")
    refused = acts.assign([decided, "f" * 32], "ann", now=NOW)
    assert refused.leases == ()
    assert sorted(refused.refused) == [(NO_OPEN_TASK, 1), ("this annotator has decided it already", 1)]
    assert len(acts.assign([decided], "eva", now=NOW).leases) == 1
    full = acts.assign([decided], "fay", now=NOW)
    assert (full.leases, full.refused) == ((), [("all its slots are taken", 1)])


def test_what_was_decided_is_asked_again_whatever_the_rule_and_earlier_decisions_count_no_longer(
    place: Path, store: ReviewStore, index: ItemIndex, acts: CuratorActs
) -> None:
    tasks = store.tasks("verify")
    for name in ("ann", "ben"):
        decide(store, 0, name, "accept")
    reopened = acts.reopen([tasks[0].item_id, tasks[1].item_id, "f" * 32], why="seen anew", now=NOW)
    assert reopened.tasks == 1
    assert dict(reopened.refused) == {IS_OPEN: 1, NO_TASK: 1}
    assert tasks[0].id in {task.id for task in store.tasks("verify")}
    assert TaskQueue(store, store.campaign("verify"), "ann").history()[0].is_current  # it stays on record
    with pytest.raises(RefusedError):
        store.decide("verify", tasks[0].id, "cur", Submission("accept"), now=NOW)  # who has looked does not judge
    for name in ("eva", "fay"):
        decide(store, 0, name, "reject")
    index.refresh()
    read = item_history(Workspace(place / "workspace"), store, index, tasks[0].item_id)
    assert read is not None
    [task] = read.tasks
    assert (task.outcome, task.facts.adjudicated.sent_back) == ("reject", 1)
    with store.reading() as connection:
        query = sa.select(audit_log.c.actor).where(audit_log.c.act == "adjudicated")
        assert set(connection.execute(query).scalars()) == {"cur"}


def test_asking_again_needs_a_reason(store: ReviewStore, acts: CuratorActs) -> None:
    task = store.tasks("verify")[0]
    for name in ("ann", "ben"):
        decide(store, 0, name, "accept")
    with pytest.raises(BenchwrightError, match="give a reason in one line"):
        acts.reopen([task.item_id], why=" ", now=NOW)
    assert task.id not in {open_task.id for open_task in store.tasks("verify")}

"""Assignment of tasks: gold at its rate and not recognizable, shares, priorities, and leases after a shown key."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchwright.annotation.app.task_card.card import card_of
from benchwright.annotation.campaigns.answer import Answer
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.forms.assignment_settings import LEASE_S, SETTING, AssignmentSettings
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.kinds import ATTENTION
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.progress.overview import Overview
from benchwright.annotation.store.assignment.gold_schedule import GoldSchedule
from benchwright.annotation.store.campaigns.closings import newest_ratings
from benchwright.annotation.store.check import row_problems
from benchwright.annotation.store.counts.decision_columns import read_seconds
from benchwright.annotation.store.counts.item_facts import task_facts
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.set_asides import set_votes_aside, take_votes_back
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.errors import BenchwrightError, DataError
from benchwright.records import Item
from benchwright.steps import FOLDER, CampaignContext

pytestmark = [pytest.mark.both_databases, pytest.mark.slow]

MakeItems = Callable[..., list[Item]]


def opened(
    store: ReviewStore, *, tasks: int, slots: int, names: list[str], gold: int = 0, seed: int = 1, **handout: Any
) -> ReviewStore:
    store.upsert_campaign(
        "verify", kind="verify", rule=f"unanimous({slots})", slots_per_task=slots, seed=seed,
        form=CampaignForm(decisions=["accept", "reject"]), settings={SETTING: AssignmentSettings(**handout).to_json()},
    )  # fmt: skip
    work = [TaskInput(f"item-{n:03}", "content", {}) for n in range(tasks)]
    store.upsert_tasks(
        "verify", [*work, *(TaskInput(f"gold-{n:03}", "content", {}, gold="accept") for n in range(gold))]
    )
    for name in names:
        store.upsert_annotator(name)
    return store


def decide_all(store: ReviewStore, names: list[str], now: datetime) -> dict[str, list[str]]:
    """Let annotators decide in turn until no task is left, and return the items of each, in order."""
    got: dict[str, list[str]] = {name: [] for name in names}
    left = list(names)
    while left:
        for name in tuple(left):
            lease = store.claim("verify", name, now=now)
            if lease is None:
                left.remove(name)
                continue
            store.submit(lease.slot_id, name, Submission("accept"), now=now)
            got[name].append(lease.item_id)
    return got


# Laws


@given(rate=st.sampled_from([0.5, 0.3, 0.25, 0.1, 0.07, 0.01]), seed=st.integers(0, 2**32))
def test_after_however_many_tasks_gold_is_within_one_of_its_rate(rate: float, seed: int) -> None:
    places = GoldSchedule(rate, lambda window: hash((seed, window)) % 2**31)
    count = 0
    for place in range(300):
        assert places.before(place) == count
        count += places.is_gold(place)
        assert abs(count - rate * (place + 1)) <= 1


@given(
    rate=st.sampled_from([0.5, 0.3, 0.1, 0.04]), start=st.integers(0, 60), others=st.integers(0, 50),
    gold=st.integers(0, 30),
)  # fmt: skip
def test_what_lies_ahead_is_the_others_and_the_gold_that_comes_among_them(
    rate: float, start: int, others: int, gold: int
) -> None:
    places = GoldSchedule(rate, lambda window: window * 7919)
    place, left, golden = start, others, gold
    while left:
        if places.is_gold(place) and golden:
            golden -= 1
        else:
            left -= 1
        place += 1
    assert places.ahead(start, other_tasks=others, gold=gold) == place - start


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    tasks=st.integers(1, 12), slots=st.integers(1, 4), people=st.integers(1, 6), gold=st.integers(0, 6),
    rate=st.sampled_from([0.1, 0.3, 0.5]), share=st.sampled_from([None, 0.3, 0.8]), seed=st.integers(0, 999),
)  # fmt: skip
def test_nothing_is_over_filled_nobody_gets_a_task_twice_and_shares_and_rates_hold(
    tmp_path_factory: pytest.TempPathFactory, empty_store: bytes, now: datetime, tasks: int, slots: int, people: int,
    gold: int, rate: float, share: float | None, seed: int,
) -> None:  # fmt: skip
    path = tmp_path_factory.mktemp("law") / "review.sqlite"
    path.write_bytes(empty_store)
    names = [f"p{n}" for n in range(people)]
    with open_store(f"sqlite:///{path}") as store:
        opened(store, tasks=tasks, slots=slots, names=names, gold=gold, seed=seed, gold_rate=rate, share=share)
        got = decide_all(store, names, now)
        decisions = store.decisions("verify")
    for item in {one.item_id for one in decisions}:
        assert sum(one.item_id == item for one in decisions) <= slots
    most = tasks if share is None else -(-tasks * round(share * 10) // 10)
    others = {name: [one for one in row if one.startswith("item")] for name, row in got.items()}
    assert max(map(len, others.values())) <= most
    if people >= slots and share is None:
        assert len(decisions) == tasks * slots
    for row in got.values():
        assert len(set(row)) == len(row)
        golden = sum(one.startswith("gold") for one in row)
        assert golden <= rate * len(row) + 1
        if golden < gold:
            assert golden >= rate * len(row) - 1


# Gold


def test_gold_goes_to_everybody_and_counts_toward_nothing_but_their_accuracy(store: ReviewStore, now: datetime) -> None:
    names = ["ann", "ben", "cas", "dot"]
    opened(store, tasks=10, slots=2, names=names, gold=2, gold_rate=0.5)
    store.upsert_tasks("verify", [
        *(TaskInput(f"item-{n:03}", "content", {}) for n in range(10)), TaskInput("gold-000", "content", {}, gold="accept"),
        TaskInput("gold-001", "content", {}, gold="reject"),
    ])  # fmt: skip
    got = decide_all(store, names, now)
    assert all({"gold-000", "gold-001"} <= set(row) for row in got.values())
    assert {one.item_id for one in store.decisions("verify")} == {f"item-{n:03}" for n in range(10)}
    status = store.status("verify", now=now)
    assert (status.tasks, status.slots["submitted"]) == ({"open": 0, "done": 10, "retired": 0}, 20)
    assert Overview(store, store.campaign("verify")).gold() == dict.fromkeys(names, (1, 2))


def test_gold_answers_set_aside_are_evidence_and_no_figure_and_count_again_with_the_votes(
    store: ReviewStore, now: datetime
) -> None:
    names = ["ann", "ben"]
    opened(store, tasks=6, slots=2, names=names, gold=2, gold_rate=0.5)
    work = [TaskInput(f"item-{n:03}", "content", {}) for n in range(6)]
    gold = [TaskInput("gold-000", "content", {}, gold="accept")]
    check = [TaskInput("check-000", "content", {"item": {"kind": "multiple_choice", "task": ATTENTION}}, gold="reject")]
    store.upsert_tasks("verify", [*work, *gold, *check])
    decide_all(store, names, now)
    overview, campaign = Overview(store, store.campaign("verify")), store.campaign("verify")

    def figures() -> tuple[object, ...]:
        with store.reading() as connection:
            model = {(row.task_id, row.annotator_id) for row in newest_ratings(connection, campaign, most=99)}
            facts = [fact for fact in task_facts(connection, ["gold-000"]) for _ in fact.annotations]
            pace = {name: len(seconds) for name, seconds in read_seconds(connection, campaign).items()}
        return overview.gold(), overview.attention(), len(model), len(facts), pace

    both = figures()
    assert both == (dict.fromkeys(names, (1, 1)), dict.fromkeys(names, (0, 1)), 14, 2, {"ann": 6, "ben": 6})
    assert set_votes_aside(store, "verify", "ann", by="cur", why="rushes", now=now) == 6
    assert figures() == ({"ben": (1, 1)}, {"ben": (0, 1)}, 7, 1, {"ben": 6})
    assert (overview.gold(is_aside=True), overview.attention(is_aside=True)) == ({"ann": (1, 1)}, {"ann": (0, 1)})
    assert [each.votes for each in overview.set_aside()] == [6]
    assert list(row_problems(store)) == []
    store.upsert_annotator("cas")
    assert [*decide_all(store, ["cas"], now)["cas"]].count("gold-000") == 1  # in the place that ann's answer left
    taken = take_votes_back(store, "verify", "ann", by="cur", now=now)
    assert (taken.votes, taken.replaced) == (0, 6)
    assert overview.gold() == dict.fromkeys([*names, "cas"], (1, 1))
    assert overview.gold(is_aside=True) == {}
    assert list(row_problems(store)) == []


def test_an_item_that_is_gold_no_more_while_an_answer_is_set_aside_asks_for_all_its_votes(
    store: ReviewStore, now: datetime
) -> None:
    opened(store, tasks=2, slots=2, names=["ann", "ben"], gold=1, gold_rate=0.5)
    decide_all(store, ["ann", "ben"], now)
    set_votes_aside(store, "verify", "ann", by="cur", why="rushes", now=now)
    work = [TaskInput(f"item-{n:03}", "content", {}) for n in range(2)]
    store.upsert_tasks("verify", [*work, TaskInput("gold-000", "content", {})])
    given = [annotation.annotator for annotation in store.decisions("verify") if annotation.item_id == "gold-000"]
    assert given == ["ben"]
    store.upsert_annotator("cas")
    assert "gold-000" in decide_all(store, ["cas"], now)["cas"]
    assert list(row_problems(store)) == []


def test_progress_history_and_cards_do_not_tell_gold_from_the_rest(
    context: CampaignContext, make_items: MakeItems, tmp_path: Path, now: datetime
) -> None:
    items = make_items(jigsaw=8)
    (tmp_path / "gold.csv").write_text(
        "item_id,decision\n" + "".join(f"{one.item_id},accept\n" for one in items[:3]), encoding="utf-8"
    )
    verify = Verify(rule="single", handout=AssignmentSettings(gold=str(tmp_path / "gold.csv"), gold_rate=0.3))
    assert verify.advance(items, context).waiting is not None
    known = {one.item_id for one in items[:3]}
    with open_store(context.store_url) as store:
        store.upsert_annotator("ann")
        queue = TaskQueue(store, store.campaign("verify"), "ann")
        seen, before = [], queue.progress(now=now)
        while (task := queue.next(now=now)) is not None:
            ahead = queue.hold(2, now=now)
            sent = json.dumps(card_of(task, queue.campaign).__dict__, default=str)
            assert "gold" not in sent
            seen.append(task.item.item_id)
            queue.submit(task.slot_id, Submission("accept"), now=now)
            after = queue.progress(now=now)
            assert (after.decided, after.left) == (before.decided + 1, before.left - 1)
            assert len(queue.history()) == after.decided
            assert queue.history()[0].is_current
            before = after
            assert [task.task_id, *ahead][-1] == ahead[-1]
            if len(ahead) > 1:
                assert (following := queue.next(now=now)) is not None
                assert following.task_id == ahead[1]
        assert before.left == 0
        assert len(known & set(seen)) == 2
        golden = next(one for one in queue.history() if one.item.item_id in known)
        again = queue.open(golden.task_id, now=now)
        queue.submit(again.slot_id, Submission("reject", reasons=("unclear",)), now=now)
        assert {one.decision for one in store.gold_answers("verify")} == {"accept", "reject"}


def test_gold_items_keep_the_decision_that_is_known_and_the_summary_leaves_them_out(
    context: CampaignContext, make_items: MakeItems, tmp_path: Path, now: datetime
) -> None:
    items = make_items(jigsaw=5)
    rows = [f"{items[0].item_id},reject", f"{items[1].item_id},"]
    (tmp_path / "gold.csv").write_text("\n".join(["item_id,decision", *rows]), encoding="utf-8")
    handout = AssignmentSettings.model_validate({"gold": "gold.csv"}, context={FOLDER: tmp_path})
    verify = Verify(rule="single", handout=handout)
    verify.advance(items, context)
    with open_store(context.store_url) as store:
        store.upsert_annotator("ann")
        decide_all(store, ["ann"], now)
    verdicts = verify.advance(items, context)
    assert verdicts.waiting is None
    outcomes = [verdicts.outcomes[one.item_id] for one in items]
    assert [one.verdict for one in outcomes] == ["drop", "keep", "keep", "keep", "keep"]
    assert (outcomes[0].reason, outcomes[0].evidence) == ("rejected", {"gold": "reject"})
    assert (verdicts.summary["total"], verdicts.summary["gold"]) == (3, {"items": 2, "kept": 1})


def test_an_answer_campaign_takes_the_items_own_keys_for_gold_and_counts_nobody_on_them(
    context: CampaignContext, make_items: MakeItems, tmp_path: Path, now: datetime
) -> None:
    items = make_items(jigsaw=4)
    (tmp_path / "gold.csv").write_text(f"item_id\n{items[2].item_id}\n", encoding="utf-8")
    answer = Answer(annotators_per_item=1, handout=AssignmentSettings(gold=str(tmp_path / "gold.csv"), gold_rate=0.5))
    answer.advance(items, context)
    with open_store(context.store_url) as store:
        store.upsert_annotator("ann")
        while (lease := store.claim("verify", "ann", now=now)) is not None:
            store.submit(lease.slot_id, "ann", Submission("B"), now=now)
        [one] = store.gold_answers("verify")
        assert (one.decision, one.right) == ("B", "B")
    verdicts = answer.advance(items, context)
    assert dict(verdicts.outcomes[items[2].item_id].values) == {}
    assert verdicts.outcomes[items[0].item_id].values["asked"] == 1


@pytest.mark.parametrize(
    ("table", "why"),
    [
        pytest.param(
            "item_id,decision\n{},perhaps\n",
            "'perhaps' is not a decision here; this campaign takes accept",
            id="decision",
        ),
        pytest.param("item_id,decision\n{0},accept\n{0},reject\n", "appears twice", id="twice"),
        pytest.param("item,decision\n{},accept\n", "no column 'item_id'", id="columns"),
    ],
)
def test_a_wrong_gold_file_is_refused_in_words(
    context: CampaignContext, make_items: MakeItems, tmp_path: Path, table: str, why: str
) -> None:
    items = make_items(jigsaw=2)
    (tmp_path / "gold.csv").write_text(table.format(items[0].item_id), encoding="utf-8")
    with pytest.raises((DataError, BenchwrightError), match=why):
        Verify(handout=AssignmentSettings(gold=str(tmp_path / "gold.csv"))).advance(items, context)


def test_gold_that_more_annotators_answered_than_the_rule_takes_stays_gold(store: ReviewStore, now: datetime) -> None:
    names = ["ann", "ben"]
    opened(store, tasks=4, slots=1, names=names, gold=1, gold_rate=0.5)
    plain = [TaskInput(f"item-{n:03}", "content", {}) for n in range(4)]
    one = store.claim("verify", "ann", now=now)
    assert one is not None
    store.release(one.slot_id, "ann", now=now)
    assert store.upsert_tasks("verify", [*plain, TaskInput("gold-000", "content", {})]).reopened == 1
    assert store.status("verify", now=now).slots == {"free": 5, "leased": 0, "submitted": 0}
    store.upsert_tasks("verify", [*plain, TaskInput("gold-000", "content", {}, gold="accept")])
    decide_all(store, names, now)
    with pytest.raises(BenchwrightError, match="was sent out as gold in campaign 'verify', to 1 annotator more"):
        store.upsert_tasks("verify", [*plain, TaskInput("gold-000", "content", {})])


def test_a_gold_item_is_not_to_be_had_by_name(store: ReviewStore, now: datetime) -> None:
    opened(store, tasks=1, slots=1, names=["ann"], gold=1)
    [gold] = store.tasks("verify", states=("retired",))
    with pytest.raises(RefusedError, match="only the app hands these out"):
        store.decide("verify", gold.id, "ann", Submission("accept"), now=now)


# Shares and priorities


def test_named_shares_are_kept_for_those_named_and_the_others_share_the_rest(store: ReviewStore, now: datetime) -> None:
    names = ["ben", "cas", "dot", "ann"]
    opened(store, tasks=20, slots=2, names=names, shares={"ann": 0.75, "ben": 0.1})
    others = decide_all(store, ["ben", "cas", "dot"], now)
    assert [len(others[name]) for name in ("ben", "cas", "dot")] == [2, 12, 11]
    assert len(decide_all(store, ["ann"], now)["ann"]) == 15
    assert store.status("verify", now=now).tasks["open"] == 0


def test_nobody_gets_more_than_the_share_of_everybody(store: ReviewStore, now: datetime) -> None:
    names = ["ann", "ben", "cas"]
    opened(store, tasks=10, slots=1, names=names, share=0.35)
    assert [len(row) for row in decide_all(store, names, now).values()] == [4, 3, 3]
    assert TaskQueue(store, store.campaign("verify"), "ann").progress(now=now) == (4, 0)


def test_urgent_tasks_go_out_first_and_a_change_of_urgency_counts_at_once(store: ReviewStore, now: datetime) -> None:
    opened(store, tasks=0, slots=1, names=["ann"])
    work = [TaskInput(f"item-{n}", "content", {}, priority=n % 3) for n in range(9)]
    store.upsert_tasks("verify", work)
    first = [store.claim("verify", "ann", now=now)]
    for _ in range(2):
        assert first[-1] is not None
        store.submit(first[-1].slot_id, "ann", Submission("accept"), now=now)
        first.append(store.claim("verify", "ann", now=now))
    assert {one.item_id for one in first if one} == {"item-2", "item-5", "item-8"}
    assert first[-1] is not None
    store.submit(first[-1].slot_id, "ann", Submission("accept"), now=now)
    store.upsert_tasks("verify", [one._replace(priority=9 if one.item_id == "item-0" else 0) for one in work])
    last = store.claim("verify", "ann", now=now)
    assert last is not None
    assert last.item_id == "item-0"


def test_priorities_of_a_step_are_those_of_tasks_categories_and_items(
    context: CampaignContext, make_items: MakeItems
) -> None:
    items = make_items(jigsaw=3, counting=2)
    Verify(handout=AssignmentSettings(priorities={"counting": 2, items[0].item_id: 5, "jigsaw": -1})).advance(
        items, context
    )
    with open_store(context.store_url) as store, store.reading() as connection:
        found = dict(connection.exec_driver_sql("SELECT item_id, priority FROM tasks").all())  # type: ignore[arg-type]
    assert [found[one.item_id] for one in items] == [5, -1, -1, 2, 2]


@pytest.mark.parametrize(
    "setting",
    [{"gold_rate": 0.6}, {"gold_rate": 0}, {"share": 1.1}, {"shares": {" ": 0.5}}, {"lease_s": 5}, {"rate": 0.1}],
    ids=str,
)
def test_settings_that_cannot_be_are_refused(setting: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(setting))):
        AssignmentSettings(**setting)


def test_how_tasks_go_out_decides_no_result_and_redoes_nothing() -> None:
    assert Verify(handout=AssignmentSettings(share=0.5)).parameters() == Verify().parameters()
    assert "handout" not in Answer().parameters()


def test_a_lease_lasts_as_long_as_the_step_says(context: CampaignContext, make_items: MakeItems, now: datetime) -> None:
    Verify(rule="single", handout=AssignmentSettings(lease_s=60)).advance(make_items(jigsaw=1), context)
    with open_store(context.store_url) as store:
        store.upsert_annotator("ann")
        store.upsert_annotator("ben")
        assert TaskQueue(store, store.campaign("verify"), "ann").next(now=now) is not None
        ben = TaskQueue(store, store.campaign("verify"), "ben")
        assert ben.next(now=now + timedelta(seconds=59)) is None
        assert ben.next(now=now + timedelta(seconds=60)) is not None


# Who has seen what


@pytest.mark.parametrize("how", ["expired", "given back", "item changed"])
def test_whoever_held_a_task_that_shows_the_key_does_not_answer_its_item(
    context: CampaignContext, make_items: MakeItems, now: datetime, how: str
) -> None:
    items = make_items(jigsaw=1)
    Verify(rule="single").advance(items, context)
    Answer(annotators_per_item=1).advance(items, context._replace(stage="answer"))
    later = now + timedelta(seconds=LEASE_S)
    with open_store(context.store_url) as store:
        for name in ("ann", "ben"):
            store.upsert_annotator(name)
        lease = store.claim("verify", "ann", now=now)
        assert lease is not None
        if how == "expired":
            assert store.claim("verify", "ben", now=later) is not None
        elif how == "given back":
            store.release(lease.slot_id, "ann", now=now)
        else:
            Verify(rule="single").advance([items[0].model_copy(update={"question": "Which one?"})], context)
        assert store.claim("answer", "ann", now=later) is None
        with pytest.raises(RefusedError, match="was shown the right answer in campaign 'verify'"):
            store.claim("answer", "ann", now=later, task=store.tasks("answer")[0].id)
        if how != "expired":
            assert store.claim("answer", "ben", now=later) is not None

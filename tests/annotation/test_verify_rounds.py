"""Rounds of `verify`: an edited item returns as a new version, to other annotators, a limited number of times."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import pytest

from benchwright.annotation.campaigns.answer import Answer
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.simulated.annotators import SimulatedAnnotators
from benchwright.annotation.store.database.records import RefusedError, Task
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.settlement.revisions import open_next_rounds
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.records import Item
from benchwright.steps import CampaignContext

pytestmark = pytest.mark.slow

MakeItems = Callable[..., list[Item]]
X, Y = {"question": "Which piece fits best?"}, {"question": "Which of the two?"}


@pytest.fixture
def store(context: CampaignContext) -> Iterator[ReviewStore]:
    with open_store(context.store_url) as opened:
        for name in ("ann", "ben", "cas", "dee"):
            opened.upsert_annotator(name)
        yield opened


def task_of(store: ReviewStore, campaign: str = "verify") -> Task:
    """Return the one current task of the campaign."""
    [task] = store.tasks(campaign, states=("open", "done"))
    return task


def say(store: ReviewStore, now: datetime, **decisions: str | dict[str, str]) -> None:
    """Let annotators decide the current task of their queues: a word, or edits that revise."""
    for name, said in decisions.items():
        queue = TaskQueue(store, store.campaign("verify"), name)
        task = queue.next(now=now)
        assert task is not None, name
        if isinstance(said, dict):
            queue.submit(task.slot_id, Submission("revise", edits=said), now=now)
        else:
            queue.submit(task.slot_id, Submission(said), now=now)


def test_an_edited_item_comes_again_at_once_as_a_new_version(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    [item] = make_items(jigsaw=1)
    Verify().advance([item], context)
    say(store, now, ann=X, ben="accept")
    task = task_of(store)
    assert (task.state, task.payload["question"], task.payload["revision"]) == ("open", X["question"], 1)
    waiting = Verify().advance([item], context).waiting
    assert waiting is not None
    assert "1 of 1 task and 2 slots" in waiting
    say(store, now, ben="accept", cas="accept")
    verdicts = Verify().advance([item], context)
    outcome = verdicts.outcomes[item.item_id]
    assert outcome.verdict == "keep"
    [version] = outcome.items
    assert (version.item_id, version.revision, version.question) == (item.item_id, 1, X["question"])
    assert version.written_by["question"] == "person"
    assert outcome.evidence["rounds"] == [
        {"accept": 1, "reject": 0, "revise": 1, "reasons": {}, "edits": X},
        {"accept": 2, "reject": 0, "revise": 0, "reasons": {}},
    ]
    assert verdicts.summary["rounds"] == [
        {"round": 1, "items": 1, "kept": 0, "dropped": 0, "revised": 1},
        {"round": 2, "items": 1, "kept": 1, "dropped": 0, "revised": 0},
    ]
    assert verdicts.summary["agreement"]["units"] == 2
    assert Verify().advance([item], context) == verdicts


def test_whoever_edited_a_version_does_not_judge_it(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    Verify().advance(make_items(jigsaw=1), context)
    say(store, now, ann=X, ben="accept")
    ann = TaskQueue(store, store.campaign("verify"), "ann")
    assert ann.next(now=now) is None
    assert ann.progress(now=now) == (0, 0)
    with pytest.raises(RefusedError, match="edited this version"):
        store.claim("verify", "ann", now=now, task=task_of(store).id)
    say(store, now, ben="accept", cas=Y)  # cas edits in turn: her version is ann's to judge, not hers
    assert task_of(store).state == "done"  # two rounds are all there are
    Verify(rounds=3).advance(make_items(jigsaw=1), context)
    assert task_of(store).payload["question"] == Y["question"]
    assert ann.next(now=now) is not None
    assert TaskQueue(store, store.campaign("verify"), "cas").next(now=now) is None


def test_two_people_can_work_alone_where_the_recipe_lets_editors_verify(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    step, items = Verify(editors_verify=True), make_items(jigsaw=1)
    step.advance(items, context)
    say(store, now, ann=X, ben="accept")
    say(store, now, ann="accept", ben="accept")
    assert step.advance(items, context).summary["kept"] == 1


def test_an_item_out_of_rounds_is_dropped_with_its_history(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    items = make_items(jigsaw=1)
    Verify().advance(items, context)
    say(store, now, ann=X, ben="accept")
    say(store, now, ben=Y, cas="accept")
    outcome = Verify().advance(items, context).outcomes[items[0].item_id]
    assert (outcome.verdict, outcome.reason) == ("drop", "out_of_rounds")
    assert [one.get("edits") for one in outcome.evidence["rounds"]] == [X, None]
    assert [one["revise"] for one in outcome.evidence["rounds"]] == [1, 1]
    assert outcome.items[0].question == X["question"]


def test_without_rounds_edits_stay_what_somebody_proposed(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    items = make_items(jigsaw=1)
    Verify(rounds=1).advance(items, context)
    say(store, now, ann=X, ben=X)
    assert Verify(rounds=1).advance(items, context).outcomes[items[0].item_id].reason == "needs_revision"


def test_a_version_that_goes_back_to_what_it_was_ends_without_agreement(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    items, step = make_items(jigsaw=1), Verify(rounds=5)
    step.advance(items, context)
    say(store, now, ann=X, ben="accept")
    say(store, now, ben={"question": items[0].question}, cas="accept")
    outcome = step.advance(items, context).outcomes[items[0].item_id]
    assert (outcome.verdict, outcome.reason) == ("drop", "no_agreement")


def test_a_remade_item_keeps_its_versions_and_a_changed_one_begins_anew(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    items = make_items(jigsaw=1)
    Verify().advance(items, context)
    say(store, now, ann=X, ben="accept")
    say(store, now, ben="accept", cas="accept")
    kept = Verify().advance(items, context)
    changed = make_items("Which other piece?", jigsaw=1)
    assert Verify().advance(changed, context).waiting is not None
    assert task_of(store).payload["revision"] == 0
    remade = [items[0].model_copy(update={"group_keys": ("scene",), "evidence": {"made": "again"}})]
    after = Verify().advance(remade, context)
    assert after.waiting is None
    assert after.summary == kept.summary
    [version] = after.outcomes[items[0].item_id].items
    assert (version.group_keys, version.question) == (("scene",), X["question"])
    assert version.evidence["made"] == "again"


def test_what_was_said_of_an_earlier_version_cannot_be_changed_any_more(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    Verify().advance(make_items(jigsaw=1), context)
    say(store, now, ann=X, ben="accept")
    ben = TaskQueue(store, store.campaign("verify"), "ben")
    [past] = ben.history()
    assert not past.is_current
    own = ben.open(past.task_id, now=now)
    with pytest.raises(RefusedError, match="has changed since"):
        ben.submit(own.slot_id, Submission("reject", reasons=("unclear",)), now=now)


def test_opening_the_next_round_twice_opens_it_once(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    Verify().advance(make_items(jigsaw=2), context)
    for task in store.tasks("verify"):
        store.decide("verify", task.id, "ann", Submission("revise", edits=X), now=now)
        store.decide("verify", task.id, "ben", Submission("accept"), now=now)
    assert [open_next_rounds(store, "verify") for _ in range(3)] == [2, 0, 0]
    assert store.status("verify", now=now).slots == {"free": 4, "leased": 0, "submitted": 0}


@pytest.mark.parametrize(
    ("said", "words"),
    [
        pytest.param({"decision": "accept", "edits": X}, "only `revise` does", id="an accept with edits"),
        pytest.param({"decision": "revise", "edits": {"right": "F"}}, "not among its choices A, B", id="no such key"),
        pytest.param(
            {"decision": "revise", "edits": {"question": "Which piece fits?"}}, "needs a note", id="nothing changed"
        ),
    ],
)
def test_edits_that_cannot_be_are_refused_and_leave_nothing(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime, said: dict, words: str
) -> None:  # type: ignore[type-arg]
    Verify().advance(make_items(jigsaw=1), context)
    with pytest.raises(RefusedError, match=words):
        store.decide("verify", task_of(store).id, "ann", Submission(said["decision"], edits=said["edits"]), now=now)
    assert store.decisions("verify") == []


def test_campaigns_without_edits_take_none(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    Answer(annotators_per_item=1).advance(make_items(jigsaw=1), context)
    with pytest.raises(RefusedError, match="takes no edits"):
        store.decide("verify", task_of(store).id, "ann", Submission("A", edits=X), now=now)


def test_nobody_answers_an_item_that_they_edited_or_verified_in_any_round(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    items = make_items(jigsaw=1)
    Verify().advance(items, context)
    say(store, now, ann=X, ben="accept")
    say(store, now, ben="accept", cas="accept")
    [version] = Verify().advance(items, context).outcomes[items[0].item_id].items
    Answer(annotators_per_item=1).advance([version], context._replace(stage="answer"))
    for name in ("ann", "ben", "cas"):
        assert store.claim("answer", name, now=now) is None
        with pytest.raises(RefusedError, match="was shown the right answer in campaign 'verify'"):
            store.claim("answer", name, now=now, task=task_of(store, "answer").id)
    assert store.claim("answer", "dee", now=now + timedelta(seconds=1)) is not None


def test_simulated_annotators_go_through_the_rounds_and_end_the_same_each_time(
    context: CampaignContext, make_items: MakeItems, tmp_path: object
) -> None:
    items = make_items(jigsaw=30)
    step = Verify(
        rounds=3, simulate=SimulatedAnnotators(annotators=4, error_rate=0.1, revise_rate=0.4, reasons=("unclear",))
    )
    verdicts = step.advance(items, context)
    rounds = verdicts.summary["rounds"]
    assert [one["round"] for one in rounds] == [1, 2, 3]
    assert rounds[0]["items"] == 30
    assert all(one["kept"] + one["dropped"] + one["revised"] == one["items"] for one in rounds)
    assert [one["items"] for one in rounds[1:]] == [one["revised"] for one in rounds[:-1]]
    assert step.advance(items, context) == verdicts
    elsewhere = context._replace(store_url=f"sqlite:///{tmp_path}/other.sqlite")
    assert step.advance(items[::-1], elsewhere).outcomes == verdicts.outcomes

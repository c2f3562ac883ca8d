"""Assignment of tasks in campaigns of all kinds: separate orders, no repeats, skipping, expired leases, flags."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from benchwright.annotation.campaigns.answer import Answer
from benchwright.annotation.campaigns.collect.step import Collect
from benchwright.annotation.campaigns.describe.step import Describe
from benchwright.annotation.campaigns.mark.step import Mark
from benchwright.annotation.campaigns.pair import Pair
from benchwright.annotation.campaigns.review import Review
from benchwright.annotation.campaigns.screen import Screen, ScreenItems
from benchwright.annotation.campaigns.state.step import State
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.campaigns.write.step import Write
from benchwright.annotation.forms.assignment_settings import AssignmentSettings
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.kind_forms.marking import MarkField
from benchwright.annotation.forms.kinds import KINDS
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.canonical import digest
from benchwright.records import ImageRecord, Item, Source
from benchwright.review_files.tasks import FindingCategory
from benchwright.steps import CampaignContext

pytestmark = pytest.mark.slow

MakeItems = Callable[..., list[Item]]
SHORT = AssignmentSettings(lease_s=60)
TASKS = 6
CATEGORIES = (
    FindingCategory(code="blind", words="Does not look"),
    FindingCategory(code="other", words="Something else"),
)


class Asked(NamedTuple):
    """A kind of campaign: the annotators per task, and an annotator's answer, by field or as a decision."""

    each: int
    fields: Mapping[str, Any] | None
    decision: str = ""


KEEP, NOTHING = {"verdict": "keep"}, {"implication": "nothing"}
VOTES = {"accurate": "yes", "reasonable": "yes", "difficult": "yes"}
ASKED = {
    "verify": Asked(2, None, "accept"), "answer": Asked(2, None, "B"), "review": Asked(2, VOTES),
    "screen": Asked(2, KEEP), "screen_items": Asked(2, KEEP), "pair": Asked(2, {"verdict": "same"}),
    "describe": Asked(1, NOTHING), "state": Asked(1, {"statement": "nothing"}), "collect": Asked(1, {"found": "none"}),
    "mark": Asked(2, {"marked": "nothing"}), "write": Asked(1, {"writing": "nothing"}),
    "error_analysis": Asked(2, {"categories": ["blind"], "reason": "r"}), "errata": Asked(2, {"finding": "key_right"}),
    "reading": Asked(2, {"gives": "none"}),
}  # fmt: skip


def test_every_kind_is_asked_about_here() -> None:
    assert ASKED.keys() == KINDS.keys()


@pytest.fixture
def store_url(url: str, tmp_path: Path, empty_store: bytes) -> str:
    """A store in a file: the kind changes no SQL statement, and these run on a server with the kind `verify`."""
    (tmp_path / "review.sqlite").write_bytes(empty_store)
    return url


@pytest.fixture(params=sorted(KINDS))
def opened(
    request: pytest.FixtureRequest, context: CampaignContext, make_items: MakeItems
) -> Iterator[tuple[ReviewStore, Asked]]:
    """A store with six tasks of a campaign of each kind, for ann, ben and cas."""
    _open(request.param, context, make_items(jigsaw=TASKS))
    with open_store(context.store_url) as store:
        for name in ("ann", "ben", "cas"):
            store.upsert_annotator(name)
        yield store, ASKED[request.param]


def _open(kind: str, ctx: CampaignContext, items: list[Item]) -> None:
    images = [
        ImageRecord(
            image_id=one, width=40, height=30, media_type="image/png", size_bytes=9, source=Source(uri=f"{one}.png"),
            root_image_id=one,
        )
        for one in (digest(["picture", n]) for n in range(TASKS + (kind == "pair")))
    ]  # fmt: skip
    first = min(image.image_id for image in images)
    like = {image.image_id: [first] for image in images if image.image_id != first}
    two, h = "unanimous(2)", SHORT
    if kind in {"error_analysis", "errata", "reading"}:
        _open_on_a_file(kind, ctx, items)
    elif kind in {"screen", "pair", "describe", "state", "collect", "mark", "write"}:
        prompts = tuple(f"prompt {n}" for n in range(TASKS))
        steps = {
            "screen": Screen(rule=two, handout=h), "pair": Pair(rule=two, handout=h), "describe": Describe(handout=h),
            "state": State(handout=h), "write": Write(task="cups", handout=h),
            "collect": Collect(prompts=prompts, handout=h),
            "mark": Mark(fields=(MarkField(name="boxes", label="Boxes", shape="box"),), rule=two, handout=h),
        }  # fmt: skip
        steps[kind].advance(images, ctx._replace(values={"near_duplicates.kept.like": like}))
    else:
        of_items = {
            "verify": Verify(rule=two, handout=h), "answer": Answer(annotators_per_item=2, handout=h),
            "review": Review(rule=two, handout=h), "screen_items": ScreenItems(rule=two, handout=h),
        }  # fmt: skip
        of_items[kind].advance(items, ctx)


def _open_on_a_file(kind: str, ctx: CampaignContext, items: list[Item]) -> None:
    form = KINDS[kind].form
    assert form is not None
    with open_store(ctx.store_url) as store:
        store.upsert_campaign(
            "verify", kind=kind, rule="answers(2)", slots_per_task=2, form=CampaignForm(fields=form(CATEGORIES).fields),
            settings={"handout": SHORT.to_json()}, seed=1,
        )  # fmt: skip
        store.upsert_tasks(
            "verify", [TaskInput(one.item_id, one.content_hash, one.model_dump(mode="json")) for one in items]
        )


def say(queue: TaskQueue, slot: int, asked: Asked, now: datetime) -> None:
    if queue.campaign.kind == "review":
        queue.answer(slot, "B", now=now)
    queue.submit(slot, Submission(asked.decision, fields=asked.fields), now=now)


def test_nobody_gets_a_task_twice_and_every_task_goes_to_as_many_as_it_takes(
    opened: tuple[ReviewStore, Asked], now: datetime
) -> None:
    store, asked = opened
    queues = [TaskQueue(store, store.campaign("verify"), name) for name in ("ann", "ben", "cas")]
    got: dict[str, list[int]] = {queue.annotator: [] for queue in queues}
    while queues:
        for queue in tuple(queues):
            task = queue.next(now=now)
            if task is None:
                queues.remove(queue)
                continue
            got[queue.annotator].append(task.task_id)
            say(queue, task.slot_id, asked, now)
    every = [task for row in got.values() for task in row]
    assert all(len(set(row)) == len(row) for row in got.values())
    assert {every.count(task) for task in every} == {asked.each}
    assert len(set(every)) == TASKS
    status = store.status("verify", now=now)
    assert (status.tasks["done"], status.slots["submitted"]) == (TASKS, TASKS * asked.each)


def test_annotators_have_orders_of_their_own_which_stay_the_same(
    opened: tuple[ReviewStore, Asked], now: datetime
) -> None:
    store, _ = opened
    campaign = store.campaign("verify")
    names = [f"p{n}" for n in range(6)]
    for name in names:
        store.upsert_annotator(name)

    def first(name: str) -> str:
        lease = store.claim("verify", name, now=now)
        assert lease is not None
        store.release(lease.slot_id, name, now=now)
        return lease.item_id

    items = [first(name) for name in names]
    assert items == [first(name) for name in names]
    assert len(set(items)) > 1
    assert campaign.settings["handout"] == {"lease_s": 60.0}


def test_a_lease_that_ends_gives_the_task_to_whoever_asks_next_and_takes_no_decision_of_before(
    opened: tuple[ReviewStore, Asked], now: datetime
) -> None:
    store, asked = opened
    campaign = store.campaign("verify")
    ann = TaskQueue(store, campaign, "ann")
    held = ann.next(now=now)
    assert held is not None
    later = now + timedelta(seconds=61)
    if campaign.kind != "review":
        with pytest.raises(RefusedError, match="the lease has ended"):
            say(ann, held.slot_id, asked, later)
    others = [TaskQueue(store, campaign, name) for name in ("ben", "cas")]
    got: set[int] = set()
    for queue in others:
        while (task := queue.next(now=later)) is not None:
            got.add(task.task_id)
            say(queue, task.slot_id, asked, later)
    assert held.task_id in got
    assert store.status("verify", now=later).tasks["open"] == 0


def test_what_is_skipped_comes_last_and_what_is_flagged_stays(opened: tuple[ReviewStore, Asked], now: datetime) -> None:
    store, asked = opened
    queue = TaskQueue(store, store.campaign("verify"), "ann")
    first = queue.next(now=now)
    assert first is not None
    queue.remark(first.task_id, "Which of the two?", is_flag=True, now=now)
    queue.skip(first.task_id, now=now)
    order = []
    while (task := queue.next(now=now)) is not None:
        order.append(task.task_id)
        say(queue, task.slot_id, asked, now)
    assert order[-1] == first.task_id
    assert len(order) == TASKS
    assert [(one.words, one.is_flag) for one in store.remarks("verify")] == [("Which of the two?", True)]

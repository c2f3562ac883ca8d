"""Practice before the real work: right decisions, who may decide, and that practice does not count."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from pydantic import ValidationError
from small_bench import bench_of

from benchwright.annotation.campaigns.answer import Answer
from benchwright.annotation.campaigns.collect.step import Collect
from benchwright.annotation.campaigns.screen import Screen
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.forms.assignment_settings import AssignmentSettings
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.practice.practice_items import practice_items
from benchwright.annotation.practice.scenes import SCENES, draw_scene, scene_of, scene_size
from benchwright.annotation.progress.overview import Overview
from benchwright.annotation.store.campaigns.practice import Practice
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.store.submissions.external_annotations import ExternalAnnotation
from benchwright.annotation.workflow.own_work import own_work
from benchwright.annotation.workflow.practising import PracticeQueue
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.errors import BenchwrightError, DataError
from benchwright.records import Item
from benchwright.steps import CampaignContext

MakeItems = Callable[..., list[Item]]
KINDS = (
    "verify",
    "screen_items",
    "review",
    "errata",
    "answer",
    "screen",
    "describe",
    "pair",
    "collect",
    "mark",
    "state",
    "write",
)
ALL_RIGHT = {item.name: item.right[0] for item in practice_items("verify")}


def settings(**handout: Any) -> AssignmentSettings:
    return AssignmentSettings.model_validate(handout)


def practise(
    store: ReviewStore, name: str, now: datetime, decisions: Mapping[str, str], *, campaign: str = "verify"
) -> PracticeQueue:
    """Let an annotator go through one attempt; they accept items without an entry in the decisions."""
    queue = PracticeQueue(store, store.campaign(campaign), name)
    attempt = queue.begin(now=now)
    for place, item in enumerate(attempt.items):
        queue.submit(place, Submission(decision=decisions.get(item, "accept"), note="so"), now=now)
    return queue


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_five_items_with_pictures_a_right_decision_and_a_sentence(kind: str) -> None:
    items = practice_items(kind)
    assert len({item.name for item in items}) == len(items) == 5
    for item in items:
        assert item.right
        assert item.why.endswith(".")
        assert all(scene_of(image.image_id) in SCENES for image in item.content.images)
    assert len({item.right[0] for item in items}) > 1  # nobody passes who always says the same


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENES)
def test_the_size_of_a_drawing_is_known_before_it_is_drawn(name: str) -> None:
    with Image.open(io.BytesIO(draw_scene(name))) as picture:
        assert picture.size == scene_size(name)


def test_a_picture_is_drawn_the_same_each_time() -> None:
    with Image.open(io.BytesIO(draw_scene("balance"))) as picture:
        assert picture.size == scene_size("balance")
    assert draw_scene.__wrapped__("balance") == draw_scene("balance")


@pytest.mark.both_databases
def test_nobody_decides_who_has_not_passed_and_what_they_practised_counts_nowhere(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    handout = settings(qualification={"pass_mark": 4, "attempts": 2})
    Verify(rule="unanimous(1)", handout=handout).advance(make_items(jigsaw=3), context)
    for name in ("ann", "ben", "cas"):
        store.upsert_annotator(name)
    campaign = store.campaign("verify")
    tasks = TaskQueue(store, campaign, "ann")
    for way in (lambda: tasks.next(now=now), lambda: tasks.hold(2, now=now)):
        with pytest.raises(RefusedError, match="'ann' has not passed the practice of campaign 'verify' yet"):
            way()
    with pytest.raises(RefusedError, match="has not passed the practice"):
        store.decide("verify", store.tasks("verify")[0].id, "ann", Submission(decision="accept"), now=now)

    pulled = ExternalAnnotation(store.tasks("verify")[0].id, "ann", Submission(decision="accept"), now, now)
    with pytest.raises(RefusedError, match="has not passed the practice"):  # as from Label Studio
        store.take_in("verify", pulled, now=now)

    failed = practise(store, "ann", now, {})
    assert (failed.state().attempt.correct, failed.state().is_qualified, failed.state().tries_left) == (2, False, 1)
    passed = practise(store, "ann", now + timedelta(hours=1), ALL_RIGHT)
    assert (passed.state().is_qualified, passed.state().attempt.number) == (True, 2)
    assert tasks.next(now=now) is not None

    practise(store, "ben", now, {})
    practise(store, "ben", now, {})
    again = PracticeQueue(store, campaign, "ben")
    assert again.state().tries_left == 0
    with pytest.raises(RefusedError, match="as often as this campaign allows"):
        again.begin(now=now)
    Practice(store).let_in("verify", "ben", by="cur", now=now)
    assert TaskQueue(store, campaign, "ben").next(now=now) is not None
    results = [(r.name, r.attempts, r.correct, r.waived_by) for r in Practice(store).results(campaign)]
    assert results == [("ann", 2, 5, None), ("ben", 2, 2, "cur")]

    assert store.decisions("verify") == []
    overview = Overview(store, campaign)
    assert (overview.people(), overview.days(), overview.decisions_by_annotator()) == (0, {}, {})
    [work] = own_work(store, [campaign], "ann", since=now - timedelta(days=1), now=now)
    assert (work.decided, work.today) == (0, 0)
    with store.reading() as connection:
        log = connection.exec_driver_sql("SELECT actor, act, about FROM audit_log ORDER BY id").all()
    acts = [(row.actor, row.act) for row in log if row.act in {"practised", "let_in", "decided"}]
    assert acts == [("ann", "practised")] * 2 + [("ben", "practised")] * 2 + [("cur", "let_in")]
    assert store.audited().broken is None


@pytest.mark.both_databases
def test_what_was_decided_in_practice_stays_and_the_rest_goes_on_after_a_pause(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    Verify(rule="unanimous(1)").advance(make_items(jigsaw=1), context)
    store.upsert_annotator("ann")
    queue = PracticeQueue(store, store.campaign("verify"), "ann")
    assert queue.is_new
    queue.begin(now=now)
    queue.submit(0, Submission(decision="reject"), now=now)
    queue.submit(0, Submission(decision="accept"), now=now)
    attempt = queue.begin(now=now)
    assert (attempt.number, attempt.left, attempt.correct, queue.is_new) == (1, [1, 2, 3, 4], 0, False)
    with pytest.raises(RefusedError, match="not one of the decisions"):
        queue.submit(1, Submission(decision="keep"), now=now)
    with pytest.raises(RefusedError, match="no such practice item"):
        queue.submit(7, Submission(decision="accept"), now=now)


def test_items_that_a_curator_names_are_practised_on_and_keep_the_known_decision(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime, tmp_path: Path
) -> None:
    items = make_items(jigsaw=5)
    rows = [f"{items[0].item_id},accept,It is sound.", f"{items[1].item_id},reject,Two fit.", f"{items[2].item_id},,"]
    (tmp_path / "practice.csv").write_text("\n".join(["item_id,decision,why", *rows]))
    handout = settings(practice=str(tmp_path / "practice.csv"), qualification={"pass_mark": 3})
    step = Verify(rule="unanimous(1)", handout=handout)
    step.advance(items, context)
    store.upsert_annotator("ann")
    campaign = store.campaign("verify")
    assert {task.item_id for task in store.tasks("verify")} == {item.item_id for item in items[3:]}
    queue = practise(store, "ann", now, {items[1].item_id: "reject"})
    assert (queue.state().is_qualified, queue.item(items[1].item_id).why) == (True, "Two fit.")
    # Elsewhere the same items are answered without their keys: not by whoever practised on them.
    Answer(annotators_per_item=2).advance(items, context._replace(stage="answer"))
    store.upsert_annotator("ben")
    answers = store.campaign("answer")
    counts = [
        (queue.progress(now=now).left, len(queue.hold(9, now=now)))
        for queue in (TaskQueue(store, answers, name) for name in ("ann", "ben"))
    ]
    assert counts[0][0] == 2
    assert counts[1][0] == 5
    practised_on = next(task for task in store.tasks("answer") if task.item_id == items[1].item_id)
    with pytest.raises(RefusedError, match="this annotator practiced on this item and knows the right answer"):
        store.decide("answer", practised_on.id, "ann", Submission(decision="A"), now=now)
    tasks = TaskQueue(store, campaign, "ann")
    while (task := tasks.next(now=now)) is not None:
        tasks.submit(task.slot_id, Submission(decision="accept"), now=now)
    verdicts = step.advance(items, context)
    assert [verdicts.outcomes[item.item_id].reason for item in items] == [None, "rejected", None, None, None]
    assert (verdicts.summary["total"], verdicts.summary["gold"]) == (2, {"items": 3, "kept": 2})


def test_five_items_of_a_release_are_practised_on_with_their_keys(
    context: CampaignContext, store: ReviewStore, tmp_path: Path, now: datetime
) -> None:
    release = bench_of(7, 60).write(tmp_path / "release")
    items = [released.item for released in release.items()]
    step = Answer(annotators_per_item=1, handout=settings(practice=str(release.path), qualification={"pass_mark": 5}))
    step.advance(items, context)
    step.advance(items, context)
    kept = [item.name for item in Practice(store).items(store.campaign("verify"))]
    assert len(kept) == 5
    assert {task.item_id for task in store.tasks("verify")} == {item.item_id for item in items} - set(kept)
    store.upsert_annotator("ann")
    keys = {item.item_id: item.answer or item.refusal or "" for item in items}
    assert practise(store, "ann", now, keys).state().is_qualified
    with pytest.raises(ValidationError, match="is a release, which holds items, but 'screen' asks about images"):
        Screen(handout=settings(practice=str(release.path)))


def test_what_nobody_could_practise_is_refused_in_words(
    context: CampaignContext, make_items: MakeItems, tmp_path: Path
) -> None:
    items = make_items(jigsaw=5)
    path = tmp_path / "practice.csv"
    path.write_text("item_id\none\ntwo\n")
    with pytest.raises(DataError, match="names 2 items to practice on; give 3 to 20"):
        settings(practice=str(path))
    path.write_text("item_id\none\ntwo\nthree\n")
    with pytest.raises(ValidationError, match="a pass mark of 4 is out of reach: practice has 3 items"):
        Verify(handout=settings(practice=str(path), qualification={"pass_mark": 4}))
    with pytest.raises(ValidationError, match="a pass mark of 6 is out of reach: practice has 5 items"):
        Answer(handout=settings(qualification={"pass_mark": 6}))
    with pytest.raises(ValidationError, match="'collect' takes no practice items"):
        Collect(prompts=("a cup",), handout=settings(practice=str(path)))
    with pytest.raises(DataError, match="0 of its items are among those of campaign 'verify'; practice needs"):
        Verify(handout=settings(practice=str(path))).advance(items, context)
    with open_store(context.store_url) as store:
        assert store.campaign_names() == []  # nothing is half open
        Screen().advance([], context._replace(stage="screen"))
        store.upsert_annotator("ann")
        with pytest.raises(BenchwrightError, match="requires no qualification"):
            Practice(store).let_in("screen", "ann", by="cur", now=datetime.now().astimezone())

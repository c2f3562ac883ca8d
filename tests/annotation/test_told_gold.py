"""Gold items whose result annotators see after their decision, and attention checks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from pydantic import ValidationError

from benchwright.annotation.app.base.own_texts import english_texts
from benchwright.annotation.app.languages.language import AppLanguage, use_language
from benchwright.annotation.app.languages.offered import OfferedLanguages
from benchwright.annotation.app.task_card.card import card_of
from benchwright.annotation.campaigns.answer import Answer
from benchwright.annotation.campaigns.describe.step import Describe
from benchwright.annotation.campaigns.pair import Pair
from benchwright.annotation.campaigns.review import Review
from benchwright.annotation.campaigns.screen import Screen, ScreenItems
from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.cli.agreement import annotators
from benchwright.annotation.exchange.export.work_tables import work_tables
from benchwright.annotation.forms.assignment_settings import AssignmentSettings
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.progress.overview import Overview
from benchwright.annotation.store.counts.item_facts import items_changed_since, task_facts
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.database.schema import tasks as tasks_table
from benchwright.annotation.store.review_store import ReviewStore
from benchwright.annotation.workflow.set_asides import set_votes_aside
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.canonical import digest
from benchwright.records import ImageRecord, Item, Source
from benchwright.steps import CampaignContext, CampaignStep

pytestmark = pytest.mark.slow

MakeItems = Callable[..., list[Item]]


def settings(**handout: Any) -> AssignmentSettings:
    return AssignmentSettings.model_validate(handout)


def images(count: int) -> list[ImageRecord]:
    return [
        ImageRecord(
            image_id=digest(["picture", n]), width=40, height=30, media_type="image/png", size_bytes=9,
            source=Source(uri=f"{n}.png"), root_image_id=digest(["picture", n]),
        )
        for n in range(count)
    ]  # fmt: skip


@pytest.mark.both_databases
@pytest.mark.parametrize("is_told", [True, False], ids=["told", "as by default"])
def test_only_where_the_recipe_says_so_an_annotator_is_told_of_a_gold_item_and_their_first_word_stands(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime, tmp_path: Path, *, is_told: bool
) -> None:
    items = make_items(jigsaw=3)
    (tmp_path / "gold.csv").write_text(f"item_id,decision,why\n{items[0].item_id},reject,Two options fit.")
    handout = settings(gold=str(tmp_path / "gold.csv"), gold_rate=0.5, gold_feedback=is_told)
    step = Verify(rule="unanimous(1)", handout=handout)
    step.advance(items, context)
    store.upsert_annotator("ann")
    queue = TaskQueue(store, store.campaign("verify"), "ann")
    told = {}
    while (task := queue.next(now=now)) is not None:
        card = json.dumps(card_of(task, queue.campaign).__dict__, default=str)
        assert "gold" not in card
        assert "Two options fit" not in card
        assert queue.gold_feedback(task.task_id, now=now) is None  # before it is decided
        queue.submit(task.slot_id, Submission(decision="accept"), now=now)
        told[task.task_id] = (queue.gold_feedback(task.task_id, now=now), task.slot_id)
    assert len(told) == 3
    if not is_told:
        assert {feedback for feedback, _ in told.values()} == {None}
        return
    [(feedback, slot)] = [each for each in told.values() if each[0] is not None]
    assert feedback is not None
    assert (feedback.decision, feedback.right, feedback.why) == ("accept", "reject", "Two options fit.")
    with pytest.raises(RefusedError, match="you have seen the right decision; your first decision stands"):
        queue.submit(slot, Submission(decision="reject"), now=now)
    assert Overview(store, store.campaign("verify")).gold()["ann"] == (0, 1)
    (tmp_path / "gold.csv").write_text(f"item_id,decision,why\n{items[0].item_id},reject,They look alike.")
    again = settings(gold=str(tmp_path / "gold.csv"), gold_rate=0.5, gold_feedback=True)
    Verify(rule="unanimous(1)", handout=again).advance(items, context)
    changed = [queue.gold_feedback(task, now=now) for task in told]
    assert [each.why for each in changed if each is not None] == ["They look alike."]


STEPS = {
    "verify": Verify(rule="unanimous(1)", handout=settings(attention_rate=0.2)),
    "answer": Answer(annotators_per_item=1, handout=settings(attention_rate=0.2)),
    "screen_items": ScreenItems(rule="unanimous(1)", handout=settings(attention_rate=0.2)),
    "screen": Screen(rule="unanimous(1)", handout=settings(attention_rate=0.2)),
    "pair": Pair(rule="unanimous(1)", handout=settings(attention_rate=0.2)),
}
_WANTED = {"verify": "reject", "screen": "discard", "screen_items": "discard"}


@pytest.mark.parametrize("kind", STEPS)
def test_attention_checks_ask_for_an_option_come_at_their_rate_and_count_only_as_such(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime, kind: str
) -> None:
    step: CampaignStep = STEPS[kind]
    records: list[Any] = list(images(11)) if kind in {"screen", "pair"} else make_items(jigsaw=10)
    pictures = sorted(image.image_id for image in images(11))
    like = {image_id: [pictures[0]] for image_id in pictures[1:]}
    ctx = context._replace(values={"near_duplicates.kept.like": like})
    step.advance(records, ctx)
    step.advance(records, ctx)  # again makes no others
    for name in ("ann", "ben"):
        store.upsert_annotator(name)
    campaign = store.campaign("verify")
    queue, asked, others = TaskQueue(store, campaign, "ann"), [], 0
    while (task := queue.next(now=now)) is not None:
        card = card_of(task, campaign)
        is_check = "only checks that questions are read" in task.item.question
        others += not is_check
        option = task.item.question.split("“")[1].split("”")[0] if is_check else ""
        if is_check:
            asked.append(option)
            assert task.item.images
            assert card.right is None or kind in {"verify", "screen_items"}
        decision = decided(kind, task.item, option)
        queue.submit(task.slot_id, decision, now=now)
    expected = 11 if kind == "screen" else 10
    assert (others, len(asked)) == (expected, 2 if expected == 10 else 3)
    overview = Overview(store, campaign)
    assert (overview.attention(), overview.gold()) == ({"ann": (len(asked), len(asked))}, {})
    assert len(store.decisions("verify")) == expected
    verdicts = step.advance(records, ctx)
    assert verdicts.waiting is None
    assert verdicts.summary["total"] == expected
    assert store.gold_answers("verify") == []


def test_attention_checks_stand_in_no_list_of_items_and_in_a_table_of_their_own(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime
) -> None:
    items = make_items(jigsaw=10)
    STEPS["answer"].advance(items, context)
    store.upsert_annotator("ann")
    queue = TaskQueue(store, store.campaign("verify"), "ann")
    while (task := queue.next(now=now)) is not None:
        queue.submit(task.slot_id, Submission(decision="A"), now=now)
    own = {item.item_id for item in items}
    with store.reading() as connection:
        assert items_changed_since(connection, {}) == own
        listed = [*connection.execute(sa.select(tasks_table.c.item_id)).scalars()]
        assert {fact.item_id for fact in task_facts(connection, listed)} == own
        tables = {table.name: [*table.rows] for table in work_tables(connection, [1], {"ann": "ann"})}
    assert {row[1] for name in ("tasks", "annotations") for row in tables[name]} == own
    assert [row[2] for row in tables["attention_checks"]] == ["ann", "ann"]
    assert not any(row[-1] for row in tables["attention_checks"])
    set_votes_aside(store, "verify", "ann", by="cur", why="rushes", now=now)
    with store.reading() as connection:
        tables = {table.name: [*table.rows] for table in work_tables(connection, [1], {"ann": "ann"})}
    assert [row[-1] for row in tables["attention_checks"]] == [True, True]


@pytest.mark.parametrize("kind", ["answer", "verify", "screen"])
def test_attention_checks_speak_the_language_of_whoever_sees_them(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime, kind: str
) -> None:
    records: list[Any] = list(images(11)) if kind == "screen" else make_items(jigsaw=10)
    STEPS[kind].advance(records, context)
    store.upsert_annotator("ann")
    campaign = store.campaign("verify")
    queue = TaskQueue(store, campaign, "ann")
    while (task := queue.next(now=now)) is not None and "only checks" not in task.item.question:
        queue.submit(task.slot_id, decided(kind, task.item, ""), now=now)
    assert task is not None
    with use_language(_arabic()):
        card = card_of(task, campaign)
    shown = card.question + "".join(choice["words"] for choice in card.choices)
    assert not re.search("[A-Za-z]", shown)
    assert "only checks" in card_of(task, campaign).question


def _arabic() -> AppLanguage:
    language = OfferedLanguages(english_texts()).of_tag("ar")
    assert language is not None
    return language


def decided(kind: str, item: Any, option: str) -> Submission:
    """Return the decision that a check requests, or one that keeps or accepts other tasks."""
    if kind == "verify":
        return Submission(decision="reject" if option else "accept")
    if kind == "answer":
        return Submission(decision=next((each.key for each in item.choices if each.text == option), "A"))
    if kind == "pair":
        return Submission(fields={"verdict": "same" if option == "The same picture" else "different"})
    reasons = ["other"] if option else []
    return Submission(fields={"verdict": "discard" if option else "keep", "reasons": reasons})


def test_whoever_misses_attention_checks_is_named_on_the_command_line(
    context: CampaignContext, store: ReviewStore, make_items: MakeItems, now: datetime, tmp_path: Path
) -> None:
    STEPS["verify"].advance(make_items(jigsaw=10), context)
    (tmp_path / "workspace.json").write_text("{}")
    store.upsert_annotator("ann")
    queue = TaskQueue(store, store.campaign("verify"), "ann")
    while (task := queue.next(now=now)) is not None:
        queue.submit(task.slot_id, Submission(decision="accept"), now=now)
    arguments = ["--workspace", str(tmp_path), "--campaign", "verify"]
    done = CliRunner().invoke(annotators, [*arguments, "--json"], catch_exceptions=False)
    assert json.loads(done.output)["attention"] == {"ann": {"answered": 2, "right": 0, "share": 0.0}}
    assert "ann: attention checks 0.000 of 2" in CliRunner().invoke(annotators, arguments).output


def test_what_would_break_blindness_or_cannot_be_checked_is_refused_in_words() -> None:
    with pytest.raises(ValidationError, match="'answer' reveals no answers"):
        Answer(handout=settings(gold_feedback=True))
    for step in (Describe, Review):
        with pytest.raises(ValidationError, match="has no attention checks; these campaigns have: verify, answer"):
            step(handout=settings(attention_rate=0.1))
    assert settings(attention_rate=0.1).to_json() == {"attention_rate": 0.1, "gold_rate": 0.1}

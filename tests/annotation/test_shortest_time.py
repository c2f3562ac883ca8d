"""Decisions below the shortest believable time: a task's minimum, and curators' view of faster ones."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import sqlalchemy as sa

from benchwright.annotation.campaigns.verify import Verify
from benchwright.annotation.exchange.export import export_everything
from benchwright.annotation.forms.shortest_time import is_too_fast, shortest_time_s
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.forms.task_content import TaskContent, content_in
from benchwright.annotation.progress.label_fields import label_fields_of as fields_of
from benchwright.annotation.progress.overview import Overview
from benchwright.annotation.store.database.schema import tasks
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.records import Choice, Item, ItemImage
from benchwright.steps import CampaignContext

MakeItems = Callable[..., list[Item]]


def content(words: int, pictures: int, choices: int = 0) -> TaskContent:
    return TaskContent(
        task="count",
        question=" ".join(["word"] * words),
        images=tuple(ItemImage(image_id=f"{number:064x}", role="view") for number in range(pictures)),
        choices=tuple(Choice(key="ABC"[number], text=f"{number} cups") for number in range(choices)),
    )


def test_every_picture_and_word_takes_its_time_and_known_texts_take_none() -> None:
    assert shortest_time_s(content(1, 0)) == 0.4  # a response, a word
    assert shortest_time_s(content(10, 3)) == pytest.approx(0.3 + 3 * 0.25 + 1.0)
    assert shortest_time_s(content(10, 1, 2)) == pytest.approx(0.3 + 0.25 + 1.0 + 0.4)
    assert shortest_time_s(content(10, 1, 2), known={content(10, 0).question, "1 cups"}) == pytest.approx(0.75)


def test_nobody_is_asked_to_read_more_slowly_than_five_hundred_words_a_minute() -> None:
    assert shortest_time_s(content(500, 0)) < 60
    assert shortest_time_s(content(1, 1)) < 1  # a screener who looks once at each picture is not marked


def test_what_is_not_timed_is_never_too_fast() -> None:
    assert not is_too_fast(None, 1.0)
    assert not is_too_fast(0.1, None)
    assert not is_too_fast(1.0, 1.0)
    assert is_too_fast(0.9, 1.0)


@pytest.mark.slow
@pytest.mark.both_databases
def test_curators_see_how_many_decisions_of_each_were_too_fast(
    store: ReviewStore, context: CampaignContext, make_items: MakeItems, now: datetime, tmp_path: Path
) -> None:
    questions = [f"Which of the two pieces number {number} fits into the gap?" for number in range(6)]
    items = [
        item.model_copy(update={"question": question})
        for item, question in zip(make_items(jigsaw=6), questions, strict=True)
    ]
    Verify(rule="unanimous(2)").advance(items, context)
    campaign = store.campaign("verify")
    for name, seconds in (("ann", 0.2), ("ben", 20.0)):
        store.upsert_annotator(name)
        queue = TaskQueue(store, campaign, name)
        for number in range(6):
            task = queue.next(now=now)
            assert task is not None
            # The choices are those of every item, and are known; the question is this item's own.
            known = {choice.text for choice in task.item.choices if choice.text is not None}
            assert task.shortest_s == shortest_time_s(task.item, known=known) == pytest.approx(0.3 + 0.25 + 1.1)
            timed = seconds if number < 5 else None
            queue.submit(task.slot_id, Submission("accept", active_s=timed), now=now + timedelta(minutes=1))
    last = queue.history()[0]
    again = queue.open(last.task_id, now=now)
    queue.submit(again.slot_id, Submission("reject", reasons=("unclear",), active_s=0.1), now=now + timedelta(hours=1))
    overview = Overview(store, campaign)
    assert overview.too_fast() == {"ann": (5, 5), "ben": (0, 5)}  # a change of a decision may be quick
    labels = overview.label_columns(fields_of(campaign)[0])
    ann, ben = (quality.to_json() for quality in overview.qualities(labels))
    assert (ann["too_fast_share"], ann["too_fast_of"], ben["too_fast_share"]) == (1.0, 5, 0.0)
    export_everything(store, tmp_path / "out", formats=["parquet"])
    rows = pq.read_table(tmp_path / "out" / "annotations.parquet").to_pylist()
    assert [row["too_fast"] for row in rows if row["annotator"] == "ann"].count(True) == 5
    assert [row["too_fast"] for row in rows if row["annotator"] == "ann"].count(None) == 1
    assert {row["too_fast"] for row in rows if row["version"] == 2} == {None}


def test_tasks_of_an_older_program_get_their_time_when_the_recipe_runs(
    context: CampaignContext, make_items: MakeItems
) -> None:
    items = make_items(jigsaw=4)
    Verify().advance(items, context)
    with open_store(context.store_url) as store:
        with store.writing() as connection:
            connection.execute(sa.update(tasks).values(shortest_s=None))
        Verify().advance(items, context)
        with store.reading() as connection:
            rows = connection.execute(sa.select(tasks.c.payload, tasks.c.shortest_s)).all()
        assert {row.shortest_s for row in rows} == {0.55}  # all texts come again in every task
        assert content_in(store.tasks("verify")[0].payload).question == "Which piece fits?"

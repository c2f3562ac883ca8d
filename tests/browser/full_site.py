"""A workspace that fills every screen of the review app, in any language."""

from __future__ import annotations

from pathlib import Path

from browser.review_site import RECIPE, make_workspace
from browser.voted import vote

from benchwright.annotation.app.base.state import clock
from benchwright.annotation.campaigns.answer import Answer
from benchwright.annotation.campaigns.review import Review
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.fields.field_types import OneOf, Option, SeveralOf, TextField
from benchwright.annotation.forms.fields.form import Form
from benchwright.annotation.forms.payloads import TaskInput
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.accounts.accounts import Accounts
from benchwright.annotation.store.campaigns.open_and_closed import close_campaign
from benchwright.annotation.store.conversations.discussions import add_post
from benchwright.annotation.store.review_store import ReviewStore, open_store
from benchwright.annotation.workflow.adjudication import AdjudicationQueue
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.records import Item
from benchwright.steps import CampaignContext

FORM = Form(
    fields=(
        OneOf(
            name="found", label="What is it", options=(Option(code="a", words="Right"), Option(code="b", words="Wrong"))
        ),
        SeveralOf(name="marks", label="Which", options=(Option(code="x", words="One"), Option(code="y", words="Two"))),
        TextField(name="why", label="Why", hint="In your words"),
    )
)

DISCUSSED = "e" * 32
"""Id of an item of the closed campaign `talked`, about which there is a post."""


def make_full_workspace(folder: Path) -> Path:
    """Run a recipe, open campaigns of several kinds over its items, and let people decide, differ, revise and flag."""
    adjudicated = RECIPE.replace("unanimous(2)", "adjudicated(unanimous(2))")
    adjudicated = adjudicated.replace("steps:\n", "steps:\n  - step: quality\n    min_side_px: 20\n")
    workspace = make_workspace(folder, recipe=adjudicated)
    url = f"sqlite:///{workspace / 'review.sqlite'}"
    with open_store(url) as store:
        pattern = Item.model_validate(store.tasks("verify")[0].payload)
        context = CampaignContext(seed=1, stage="baseline", workspace=workspace, store_url=url)
        Answer(annotators_per_item=1).advance([pattern.model_copy(update={"item_id": "a" * 32})], context)
        why = {"item_id": "c" * 32, "explanation": "The edges go on."}
        context = CampaignContext(seed=1, stage="review", workspace=workspace, store_url=url)
        Review(rule="unanimous(2)").advance([pattern.model_copy(update=why)], context)
        fill_form(store, pattern)
        for number, task in enumerate(store.tasks("verify")[:4]):  # the same ones, so that some are divided
            for name in ("ann", "ben"):
                decision = "accept" if number % 2 or name == "ann" else "reject"
                reasons = ("unclear",) if decision == "reject" else ()
                store.decide("verify", task.id, name, Submission(decision, reasons=reasons), now=clock())
        revise(store)
        vote(store, pattern, CampaignContext(seed=1, stage="voted", workspace=workspace, store_url=url))
        flag(store, "ben", "Which of the two?")
        discuss(store, pattern, CampaignContext(seed=1, stage="talked", workspace=workspace, store_url=url))
        Accounts(store).add("new", "annotator", now=clock())
    return workspace


def fill_form(store: ReviewStore, pattern: Item) -> None:
    store.upsert_campaign(
        "form", kind="error_analysis", rule="single", slots_per_task=1, form=CampaignForm(fields=FORM.fields),
        settings={}, seed=1,
    )  # fmt: skip
    item = pattern.model_copy(update={"item_id": "b" * 32}).model_dump(mode="json")
    beside = [{"label": "The model's reply", "text": "It is (A)."}]
    store.upsert_tasks("form", [TaskInput("b" * 32, "content", {"item": item, "beside": beside, "about": {}})])


def revise(store: ReviewStore) -> None:
    """Let the curator edit one of the open cases, so that it gets a second round."""
    queue = AdjudicationQueue(store, store.campaign("verify"), "cur")
    case = queue.open(queue.queue()[0].task_id, now=clock())
    queue.decide(case.task_id, Submission("revise", edits={"question": "Which piece belongs there?"}), now=clock())


def discuss(store: ReviewStore, pattern: Item, context: CampaignContext) -> None:
    """Let ann answer the item `DISCUSSED`, close the campaign, and let the curator post about the item."""
    Answer(annotators_per_item=1).advance([pattern.model_copy(update={"item_id": DISCUSSED})], context)
    queue = TaskQueue(store, store.campaign(context.stage), "ann")
    task = queue.next(now=clock())
    assert task is not None
    queue.submit(task.slot_id, Submission("A"), now=clock())
    with store.writing() as connection:
        close_campaign(connection, context.stage, by="cur", now=clock())
        add_post(connection, store.campaign(context.stage), DISCUSSED, "See the $x^2$.", author="cur", now=clock())


def flag(store: ReviewStore, name: str, words: str) -> None:
    queue = TaskQueue(store, store.campaign("verify"), name)
    task = queue.next(now=clock())
    assert task is not None
    for is_flag in (True, False):
        queue.remark(task.task_id, words, is_flag=is_flag, now=clock())

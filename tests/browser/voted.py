"""A review in which all reviewers have voted."""

from __future__ import annotations

from benchwright.annotation.app.base.state import clock
from benchwright.annotation.campaigns.review import Review
from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.review_store import ReviewStore
from benchwright.annotation.workflow.task_queue import TaskQueue
from benchwright.records import Item
from benchwright.steps import CampaignContext


def vote(store: ReviewStore, pattern: Item, context: CampaignContext) -> None:
    """Open a review of one item with a picture, and let ann and ben find it accurate, reasonable, and one of them difficult."""
    Review(rule="unanimous(2)").advance([pattern.model_copy(update={"item_id": "d" * 32})], context)
    for name, difficult in (("ann", "yes"), ("ben", "no")):
        queue = TaskQueue(store, store.campaign(context.stage), name)
        task = queue.next(now=clock())
        assert task is not None
        queue.answer(task.slot_id, "A", now=clock())
        votes = {"accurate": "yes", "reasonable": "yes", "difficult": difficult}
        queue.submit(task.slot_id, Submission(fields=votes), now=clock())

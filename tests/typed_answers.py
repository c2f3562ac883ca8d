"""Complete answers of people to typed forms."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.store.review_store import ReviewStore


def say(store: ReviewStore, campaign: str, said: Mapping[str, Mapping[str, Mapping[str, Any]]], now: datetime) -> None:
    """Let annotators fill in the form of a campaign: by record, then by name."""
    tasks = {task.item_id: task.id for task in store.tasks(campaign, states=("open", "done"))}
    for record_id, by_name in said.items():
        for name, fields in by_name.items():
            store.upsert_annotator(name)
            store.decide(campaign, tasks[record_id], name, Submission(fields=fields), now=now)

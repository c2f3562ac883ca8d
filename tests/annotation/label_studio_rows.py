"""Tasks with annotations, in the form in which a Label Studio server returns them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchwright.annotation.label_studio.task_data import KEY, key_of
from benchwright.annotation.store.review_store import ReviewStore
from benchwright.records import Item


def label(control: str, *values: Any, kind: str = "choices") -> dict[str, Any]:
    field = "text" if kind == "textarea" else "choices"
    return {"from_name": control, "to_name": "question", "type": kind, "value": {field: list(values)}}


def came_back(item: Item, **changed: str | None) -> list[dict[str, Any]]:
    """Return the text areas of an item as a browser sends them: what was emptied is not there."""
    texts = {"question": item.question, **{f"choice_{one.key}": one.text for one in item.choices}, **changed}
    return [label(f"edit_{name}", text, kind="textarea") for name, text in texts.items() if text]


NAMES = {1: "ann", 2: "ben", 3: "cas"}


def annotated(
    store: ReviewStore, campaign: str, place: int, said: Mapping[str, Any], *, day: int = 1
) -> dict[str, Any]:
    """Return a task with annotations as the server gives them, by who said what."""
    task = store.tasks(campaign, states=("open", "done"))[place]
    ids = {name: user for user, name in NAMES.items()}
    rows = [
        {"id": ids[name], "completed_by": ids[name], "result": result, "created_at": f"2026-02-{day:02}T00:00:00Z",
         "lead_time": 10}
        for name, result in said.items()
    ]  # fmt: skip
    return {"id": 5, "data": {KEY: key_of(task)}, "annotations": rows}

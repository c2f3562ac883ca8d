"""The human baseline of a release, out of what campaigns of answers left in the workspace."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from benchwright.records import Item
from benchwright.steps import WorkspaceView

ANSWERS = "answer"
"""Kind of campaign, as its summary states it, that gives items the values below."""
ASKED, RIGHT, BY, CONTENT = "asked", "right", "right_by", "asked_content"


def human_baseline(view: WorkspaceView, items: Iterable[tuple[Item, Mapping[str, Any]]]) -> dict[str, Any] | None:
    """Return how often people answered the items that are released, by campaign; None where nobody was asked.

    An item that was not asked, or whose content is another one now, is not counted.

    Args:
        view: Says which campaigns there were.
        items: As they are released, with their values.
    """
    campaigns = {name: told for name, told in view.campaigns().items() if told.get("kind") == ANSWERS}
    if not campaigns:
        return None
    answers: dict[str, dict[str, Any]] = {name: {} for name in campaigns}
    for item, values in items:
        for name, counted in answers.items():
            if values.get(f"{name}.{CONTENT}") == item.content_hash:
                counted[item.item_id] = {word: values[f"{name}.{word}"] for word in (ASKED, RIGHT)}
                if (by := values.get(f"{name}.{BY}")) is not None:
                    counted[item.item_id]["by"] = json.loads(by)
    return {name: _answers(told, answers[name]) for name, told in campaigns.items() if answers[name]} or None


def _answers(told: Mapping[str, Any], items: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "simulated": bool(told["simulated"]),
        "annotators": len(told["annotators"]),
        "answers_per_item": told["answers_per_item"],
        "items": items,
    }

"""The human baseline of a release, from the answers of campaigns in the workspace."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from benchwright.records import Item
from benchwright.steps import WorkspaceView

_ANSWERS = "answer"
"""Kind of campaign, as named in its summary, that gives items the values below."""
ASKED, _RIGHT, BY, CONTENT = "asked", "right", "right_by", "asked_content"


def human_baseline(view: WorkspaceView, items: Iterable[tuple[Item, Mapping[str, Any]]]) -> dict[str, Any] | None:
    """Return how often annotators answered the released items correctly, by campaign; None if annotators answered none.

    Leaves out items that were put to no annotator, and items whose content has changed since.

    Args:
        view: Workspace view with the campaigns.
        items: The released items, with their values.
    """
    campaigns = {name: summary for name, summary in view.campaigns().items() if summary.get("kind") == _ANSWERS}
    if not campaigns:
        return None
    answers: dict[str, dict[str, Any]] = {name: {} for name in campaigns}
    for item, values in items:
        for name, answered in answers.items():
            if values.get(f"{name}.{CONTENT}") == item.content_hash:
                answered[item.item_id] = {word: values[f"{name}.{word}"] for word in (ASKED, _RIGHT)}
                if (by := values.get(f"{name}.{BY}")) is not None:
                    answered[item.item_id]["by"] = json.loads(by)
    return {name: _answers(summary, answers[name]) for name, summary in campaigns.items() if answers[name]} or None


def _answers(summary: Mapping[str, Any], items: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "simulated": bool(summary["simulated"]),
        "annotators": len(summary["annotators"]),
        "answers_per_item": summary["answers_per_item"],
        "items": items,
    }

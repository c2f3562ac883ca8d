"""What a Label Studio task holds: an item as annotators may see it, and by what it is known again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchwright.records import ItemImage

from ..forms.payloads import beside_in
from ..forms.task_content import content_in
from ..store import BLIND, Campaign, Task
from .editing import EXPLANATION, edit_data
from .label_config import guidelines_html, is_answered_blind

KEY = "benchwright_task"
"""Field by which a task is known again: item and content."""


REVIEWERS = "reviewers"
"""Field that says whose votes are asked for."""
_GONE = "A newer version of this item is asked about."


def key_of(task: Task) -> str:
    """Return what names a task on the server: it changes when the item's content does."""
    return f"{task.item_id}:{task.content_hash}"


def task_data(
    campaign: Campaign,
    task: Task,
    image_url: Callable[[ItemImage], str],
    *,
    letters: Sequence[str] = (),
    votes: bool = False,
) -> dict[str, Any]:
    """Return a task's data; where it is to be answered blind, the key is not in it.

    Args:
        campaign: The campaign.
        task: Of it.
        image_url: Where a picture is.
        letters: Keys of choices that the campaign's items have, for the fields of edits.
        votes: For the project of what is said once the key is shown.
    """
    item = content_in(task.payload)
    is_blind = is_answered_blind(campaign.form, votes=votes)
    is_typed = campaign.form.typed is not None and not is_blind
    data: dict[str, Any] = {
        KEY: key_of(task),
        "images": [image_url(image) for image in item.images],
        "question": item.question,
    }
    if campaign.form.guidelines:
        data["guidelines"] = guidelines_html(campaign.form.guidelines)
    if is_typed:
        data["beside"] = _beside(task, with_explanation=votes)
    if is_typed or is_blind:
        data["options"] = [{"value": label} for label in option_labels(task.payload)]
    if not is_blind:
        shows_key = campaign.kind != BLIND
        data["choices"] = choices_told(task.payload, right=(item.answer or item.refusal) if shows_key else None)
    if not is_blind and campaign.form.edits:
        data |= edit_data(task.payload, letters, with_explanation=votes)
    return data


def choices_told(payload: Mapping[str, Any], *, right: str | None) -> str:
    """Return a task's choices line by line, the right one marked."""
    keys = [choice.key for choice in content_in(payload).choices]
    labels = zip(keys, option_labels(payload), strict=True)
    return "\n".join(f"{label}    (right)" if key == right else label for key, label in labels)


def blanked(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a task's data without what says which choice is right, and why."""
    withheld = {"choices": _GONE, "beside": _GONE, EXPLANATION: ""}
    return {**data, **{name: value for name, value in withheld.items() if name in data}}


def _beside(task: Task, *, with_explanation: bool) -> str:
    texts = [(one["label"], one["text"]) for one in beside_in(task.payload)]
    explanation = content_in(task.payload).explanation
    if with_explanation and explanation is not None:
        texts.append(("Explanation", explanation))
    return "\n\n".join(f"{label}: {text}" for label, text in texts) or "-"


def option_labels(payload: Mapping[str, Any]) -> list[str]:
    """Return what a task's choices are called, in their order; they begin with the key and differ."""
    item = content_in(payload)
    places = {image.image_id: place for place, image in enumerate(item.images, 1)}
    return [
        f"{choice.key}. {choice.text if choice.image_id is None else f'<image {places[choice.image_id]}>'}"
        for choice in item.choices
    ]

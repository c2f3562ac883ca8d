"""What a Label Studio task holds: an item as annotators may see it, and by what it is known again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from benchwright.records import Choice, ItemImage

from ..exhibit import exhibit_in
from ..form import form_of
from ..store import BLIND, CHOICES, Campaign, Task, beside_in
from .label_config import guidelines_html

KEY = "benchwright_task"
"""Field by which a task is known again: item and content."""


def key_of(task: Task) -> str:
    """Return what names a task on the server: it changes when the item's content does."""
    return f"{task.item_id}:{task.content_hash}"


def task_data(campaign: Campaign, task: Task, image_url: Callable[[ItemImage], str]) -> dict[str, Any]:
    """Return a task's data; the key of a campaign that answers blind is not in it."""
    item = exhibit_in(task.payload)
    places = {image.image_id: place for place, image in enumerate(item.images, 1)}
    data: dict[str, Any] = {
        KEY: key_of(task),
        "images": [image_url(image) for image in item.images],
        "question": item.question,
    }
    if campaign.form.get("guidelines"):
        data["guidelines"] = guidelines_html(campaign.form["guidelines"])
    is_typed = form_of(campaign.form) is not None
    if is_typed:
        data["beside"] = "\n\n".join(f"{one['label']}: {one['text']}" for one in beside_in(task.payload)) or "-"
    if is_typed or campaign.form.get("decisions_from") == CHOICES:
        data["options"] = [{"value": label} for label in option_labels(task.payload)]
    if campaign.form.get("decisions_from") != CHOICES:
        right = (item.answer or item.refusal) if campaign.kind != BLIND else None
        data["choices"] = "\n".join(
            f"{label}    (right)" if choice.key == right else label
            for choice, label in zip(item.choices, _labels(item.choices, places), strict=True)
        )
    return data


def option_labels(payload: Mapping[str, Any]) -> list[str]:
    """Return what a task's choices are called, in their order; they begin with the key and differ."""
    item = exhibit_in(payload)
    return _labels(item.choices, {image.image_id: place for place, image in enumerate(item.images, 1)})


def _labels(choices: tuple[Choice, ...], places: Mapping[str, int]) -> list[str]:
    return [
        f"{choice.key}. {choice.text if choice.image_id is None else f'<image {places[choice.image_id]}>'}"
        for choice in choices
    ]

"""The data of a Label Studio task: what annotators may see of an item, and the key that identifies the task."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchwright.records import ItemImage

from ..forms.drafted_values import drafts_in_words
from ..forms.kinds import shows_key
from ..forms.payloads import beside_in, proposals_in
from ..forms.task_content import content_in
from ..store.database.records import Campaign, Task
from .editing import EXPLANATION, edit_data
from .label_config import guidelines_html, is_answered_blind

KEY = "benchwright_task"
"""Field that identifies a task, by item and content."""
REVIEWERS = "reviewers"
"""Field that names the annotators who must vote."""
_GONE = "A newer version of this item has replaced this one."


def key_of(task: Task) -> str:
    """Return the key of a task on the server, which changes with the item's content."""
    return f"{task.item_id}:{task.content_hash}"


def task_data(
    campaign: Campaign,
    task: Task,
    image_url: Callable[[ItemImage], str],
    *,
    letters: Sequence[str] = (),
    votes: bool = False,
) -> dict[str, Any]:
    """Return a task's data, without the right choice if the annotator must answer before seeing it.

    Args:
        campaign: Campaign of the task.
        task: Task.
        image_url: Function that returns the URL of a picture.
        letters: Keys of the choices of the campaign's items, for the fields of edits; default none.
        votes: Whether the data are for the project of the votes, which shows the key; default False.
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
    is_explained = votes or campaign.form.explained
    if is_typed or campaign.form.explained:
        data["beside"] = _beside(campaign, task, with_explanation=is_explained)
    if is_typed or is_blind:
        data["options"] = [{"value": label} for label in option_labels(task.payload)]
    if not is_blind:
        right = (item.answer or item.refusal) if shows_key(campaign.kind) else None
        data["choices"] = _choice_lines(task.payload, right=right)
        if "beside" not in data and (beside := beside_in(task.payload)):  # the form has no other place for it
            data["choices"] += "".join(f"\n\n{text['label']}:\n{text['text']}" for text in beside)
    if not is_blind and campaign.form.edits:
        data |= edit_data(task.payload, letters, with_explanation=is_explained)
    return data


def _choice_lines(payload: Mapping[str, Any], *, right: str | None) -> str:
    """Return a task's choices, one per line, with the right one marked; `right` is the key of that choice, or None."""
    keys = [choice.key for choice in content_in(payload).choices]
    labels = zip(keys, option_labels(payload), strict=True)
    return "\n".join(f"{label}    (right)" if key == right else label for key, label in labels)


def blanked(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a task's data without the right choice and the explanation."""
    withheld = {"choices": _GONE, "beside": _GONE, EXPLANATION: ""}
    return {**data, **{name: value for name, value in withheld.items() if name in data}}


def _beside(campaign: Campaign, task: Task, *, with_explanation: bool) -> str:
    texts = [(entry["label"], entry["text"]) for entry in beside_in(task.payload)]
    form = campaign.form.typed
    if form is not None and (drafts := drafts_in_words(form, proposals_in(task.payload))):
        texts.append(("Drafts", drafts))
    explanation = content_in(task.payload).explanation
    if with_explanation and explanation is not None:
        texts.append(("Explanation", explanation))
    return "\n\n".join(f"{label}: {text}" for label, text in texts) or "-"


def option_labels(payload: Mapping[str, Any]) -> list[str]:
    """Return distinct labels for a task's choices, in order, each beginning with the key of its choice."""
    item = content_in(payload)
    places = {image.image_id: place for place, image in enumerate(item.images, 1)}
    return [
        f"{choice.key}. {choice.text if choice.image_id is None else f'<image {places[choice.image_id]}>'}"
        for choice in item.choices
    ]

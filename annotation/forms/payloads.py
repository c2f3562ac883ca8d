"""Payloads of tasks: an item and, in some campaigns, the texts next to it.

A payload is either the item's own JSON values, or `{"item", "beside", "about"}`. `beside` is a list of `{"label",
"text"}` that annotators see; `about` distinguishes tables of results and is not shown to annotators. It may also hold
`sizes_wh`, the sizes of the item's pictures, if annotators mark regions on them; in `state` and `write` `proposals`,
the drafts for the form; and `previous`, the earlier text, if it came back.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import Field

from benchwright.questions.drafts import DraftAttack
from benchwright.questions.own_ids import own_id
from benchwright.records import Record
from benchwright.regions import SizeWH
from benchwright.review_files.tasks import ReviewTask, SideText

_ITEM, _SIZES, _PROPOSALS, _PREVIOUS = "item", "sizes_wh", "proposals", "previous"
PICTURE = "picture"
"""Key of a picture's file name among the texts that are not shown with a task."""


class TaskInput(NamedTuple):
    """One version of an item's content, on which annotators decide."""

    item_id: str
    content_hash: str
    payload: Mapping[str, Any]
    """The content as JSON values."""
    priority: int = 0
    """Priority of the task; higher numbers are assigned first."""
    gold: str | None = None
    """The right decision of a gold item; None for other items."""
    gold_why: str | None = None
    """Why that decision is right, for annotators who get feedback; None if no reason is given."""
    gold_regions: str | None = None
    """Right regions on a gold item, and their tolerance, as canonical JSON, or None if there are none."""
    gold_of: str | None = None
    """Item whose accepted content this gold item repeats; None for all others."""


def payload_with(item: Mapping[str, Any], task: ReviewTask) -> dict[str, Any]:
    """Return the payload of an item, together with the texts that a task file shows next to the item."""
    return payload_beside(item, task.beside, task.about)


def payload_beside(
    item: Mapping[str, Any], beside: Sequence[SideText], about: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return the payload of a content, with the texts next to it and the values that distinguish tables of results."""
    return {
        _ITEM: dict(item),
        "beside": [text.model_dump(mode="json") for text in beside],
        "about": dict(about or {}),
    }


def payload_of_version(payload: Mapping[str, Any], item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the payload of an item's next version, with the texts next to the previous version."""
    return {**payload, _ITEM: dict(item)} if _ITEM in payload else dict(item)


def item_in(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the item's JSON values."""
    item: Mapping[str, Any] = payload.get(_ITEM, payload)
    return item


def own_id_in(payload: Mapping[str, Any] | str) -> str | None:
    """Return the id that a task's item has in its source, or None if there is no such id.

    Args:
        payload: The payload, either parsed or as JSON text.
    """
    document = json.loads(payload) if isinstance(payload, str) else payload
    return own_id(item_in(document).get("attributes"))


def with_sizes(payload: Mapping[str, Any], sizes_wh: Sequence[SizeWH]) -> dict[str, Any]:
    """Return a payload that states the sizes of its pictures; unchanged if there are no pictures."""
    if not sizes_wh:
        return dict(payload)
    whole = payload if _ITEM in payload else {_ITEM: dict(payload), "beside": [], "about": {}}
    return {**whole, _SIZES: [list(size_wh) for size_wh in sizes_wh]}


def sizes_in(payload: Mapping[str, Any]) -> tuple[SizeWH, ...]:
    """Return the width and height in pixels of each picture with a task's regions; empty if no sizes are stated."""
    stated = payload.get(_SIZES) or item_in(payload).get(_SIZES) or ()
    return tuple((int(width), int(height)) for width, height in stated)


def beside_in(payload: Mapping[str, Any]) -> Sequence[Mapping[str, str]]:
    """Return the texts next to the item, each with `label` and `text`."""
    return list(payload.get("beside", ())) if _ITEM in payload else []


def about_in(payload: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the values that distinguish tables of results, such as the model."""
    return dict(payload.get("about", {})) if _ITEM in payload else {}


def _is_empty(value: Mapping[str, Any]) -> bool:
    return not value


class DraftNote(Record):
    """Notes on one draft of a form, in addition to its values.

    Attributes:
        by: Its author, as in `Item.written_by`.
        prompt: Name of the prompt, or of the template, that produced it.
        attacks: A second model's attempts to break it.
    """

    by: str
    prompt: str
    attacks: tuple[DraftAttack, ...] = ()

    @property
    def author(self) -> str:
        """Return the author in a form for readers: a model's name, or `template`."""
        return self.by.removeprefix("model:")


class Proposals(Record):
    """A model's drafts for the fields of a task's form, or the reason why there are none.

    Attributes:
        model: Model, by its name at the endpoint.
        fields: Drafted values by field; empty if there are none.
        failed: Reason for missing drafts, as a code and a description; None if the model replied properly.
        notes: Notes on single drafts, by path, such as `questions/2`.
    """

    model: str
    fields: Mapping[str, Any] = Field(default_factory=dict)
    failed: str | None = None
    notes: Mapping[str, DraftNote] = Field(default_factory=dict, exclude_if=_is_empty)


def payload_of_picture(item: Mapping[str, Any], *, name: str, proposals: Proposals | None) -> dict[str, Any]:
    """Return the payload for a picture about which annotators state facts: the picture's name and a model's drafts."""
    payload = {_ITEM: dict(item), "beside": [], "about": {PICTURE: name}}
    return payload if proposals is None else payload | {_PROPOSALS: proposals.model_dump(mode="json")}


def payload_with_drafts(payload: Mapping[str, Any], proposals: Proposals) -> dict[str, Any]:
    """Return the payload of a task with the drafts for its form."""
    whole = payload if _ITEM in payload else {_ITEM: dict(payload), "beside": [], "about": {}}
    return {**whole, _PROPOSALS: proposals.model_dump(mode="json")}


def payload_of_revision(
    payload: Mapping[str, Any], beside: Sequence[SideText], previous: Mapping[int, Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the payload of a task whose writers revise their items.

    Args:
        payload: Payload of the task in which they wrote them.
        beside: Reasons of the return.
        previous: Earlier values of the form's fields, by slot.
    """
    whole = payload if _ITEM in payload else {_ITEM: dict(payload), "about": {}}
    texts = [text.model_dump(mode="json") for text in beside]
    return {**whole, "beside": texts, _PREVIOUS: {str(slot): dict(fields) for slot, fields in previous.items()}}


def previous_in(payload: Mapping[str, Any]) -> Mapping[int, Mapping[str, Any]]:
    """Return the earlier text in each slot that is to be revised, as the form's fields; empty if there is none."""
    return {int(slot): fields for slot, fields in payload.get(_PREVIOUS, {}).items()}


def proposals_in(payload: Mapping[str, Any]) -> Proposals | None:
    """Return a model's drafts for a task, or None if no model was queried."""
    return Proposals.model_validate(payload[_PROPOSALS]) if _PROPOSALS in payload else None


class Facets(NamedTuple):
    """Properties by which tasks are counted: the item's kind of question, task and category; None if absent."""

    kind: str | None
    task: str | None
    category: str | None


def facets_of(payload: Mapping[str, Any]) -> Facets:
    """Return the facets of a task."""
    item = item_in(payload)
    values = [item.get(name) for name in Facets._fields] if isinstance(item, Mapping) else [None, None]
    return Facets(*(value if isinstance(value, str) else None for value in values))

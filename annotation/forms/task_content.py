"""The content of a task: an item; or an image, a pair of images or a prompt that is not an item."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ConfigDict, Field

from benchwright.records import Choice, ItemImage, Record
from benchwright.regions import SizeWH

from .payloads import TaskInput, item_in


def _is_empty(value: Any) -> bool:
    return not value


class TaskContent(Record):
    """The content that an annotator sees; an item can serve as content, with its additional fields ignored.

    Attributes:
        task: Kind of question, such as `jigsaw` or `screen`.
        question: Text of the question; it may place images, as `<image 2>`.
        images: Images in display order; none for a prompt that asks for one.
        choices: Choices; empty if there are none.
        answer: Key of the right choice; None if there are no choices, or if nothing in the picture answers the
            question.
        refusal: Key of the choice that declines to answer, or None if there is none.
        explanation: Why the answer is right, if the item has an explanation.
        item_id: Id of the item; None for contents that are not items.
        sizes_wh: Width and height of each image in pixels, upright, if regions are marked on them; otherwise empty.
    """

    model_config = ConfigDict(extra="ignore")

    task: str
    question: str = Field(min_length=1)
    images: tuple[ItemImage, ...] = ()
    choices: tuple[Choice, ...] = ()
    answer: str | None = None
    refusal: str | None = None
    explanation: str | None = None
    item_id: str | None = None
    sizes_wh: tuple[SizeWH, ...] = Field((), exclude_if=_is_empty)


def content_in(payload: Mapping[str, Any]) -> TaskContent:
    """Return the content in a task's payload."""
    return TaskContent.model_validate(item_in(payload))


def task_input(record_id: str, content_hash: str, content: TaskContent) -> TaskInput:
    """Return the input of a task with this content, whose verdict applies to the record with the id `record_id`."""
    return TaskInput(record_id, content_hash, content.model_dump(mode="json"))

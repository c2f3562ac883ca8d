"""What a task shows: an item; or an image, a pair of images, a prompt, about which there is no item (yet)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ConfigDict, Field

from benchwright.records import Choice, ItemImage, Record

from .payloads import TaskInput, item_in


class TaskContent(Record):
    """What an annotator looks at; an item is one, whatever else it holds.

    Attributes:
        task: What kind of question it is, such as `jigsaw` or `screen`.
        question: What is asked; it may place images, as `<image 2>`.
        images: In the order in which they are shown; none where a prompt asks for one.
        choices: Options, where there are some.
        answer: Key of the right choice; None without choices, or where nothing in the picture answers.
        refusal: Key of the option that declines to answer.
        explanation: Why that answer is right, where the item says so.
        item_id: Id of the item; None for contents that are no items.
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


def content_in(payload: Mapping[str, Any]) -> TaskContent:
    """Return what a task with this payload shows."""
    return TaskContent.model_validate(item_in(payload))


def task_input(record_id: str, content_hash: str, content: TaskContent) -> TaskInput:
    """Return the input of a task with this content; verdicts go by `record_id`."""
    return TaskInput(record_id, content_hash, content.model_dump(mode="json"))

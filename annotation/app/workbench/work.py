"""The data of a workbench: held tasks with pictures and cards, and the results of the user's actions."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NotRequired, Protocol, TypedDict

from benchwright.errors import BenchwrightError
from benchwright.records import ItemImage
from benchwright.texts.formulas import formulas_of

from ...forms.task_content import TaskContent, content_in
from ...store.conversations.messages import Message
from ...store.database.records import RefusedError
from ..base.option_letters import captions, letters_of_pictures
from ..base.shown_pictures import DETAIL_PX, MAX_SIDE_PX, TINY_PX
from ..base.state import AppState, clock
from ..routes.tasks import coarse_url, detail_url, picture_url
from ..task_card.card import Card
from ..task_card.card_event import CardEvent
from ..viewer import ViewerPicture
from ..wording.key_sheet import key_sheet
from ..wording.texts import TEXTS, message_of

AHEAD = 2
"""Number of tasks that a workbench holds in addition to the current one, so that the next one appears at once."""


@dataclass(frozen=True)
class WorkTask:
    """A task as a workbench shows it.

    Attributes:
        task_id: Id of the task.
        card: Its card.
        pictures: Its pictures, in the order of the question.
        about: A line above the question, such as the round; empty if there is none.
    """

    task_id: int
    card: Card
    pictures: Sequence[ViewerPicture]
    about: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the task as JSON values for the browser."""
        return {
            "task": self.task_id,
            "card": {**asdict(self.card), "formulas": formulas_of(self.card.texts)},
            "keys": key_sheet(self.card.sheet, self.card.reserved_letters),
            "pictures": [asdict(picture) for picture in self.pictures],
            "about": self.about,
        }


class ViewedPicture(TypedDict):
    """Path and size of an item's picture, as fields for `ViewerPicture`."""

    src: str
    marks: str | None
    width: int
    height: int
    detail: NotRequired[str | None]
    detail_px: NotRequired[int]
    coarse: NotRequired[str | None]


@dataclass(frozen=True)
class EventResult:
    """The result of an event.

    Attributes:
        task_id: Task to show next or again; None for the next one of the queue.
        words: Message to the user; empty if there is none.
        is_refused: Whether the event had no effect, for the reason in `words`.
        notice: Lines that stay on the screen until the user closes them, such as the right decision on a gold item.
    """

    task_id: int | None = None
    words: str = ""
    is_refused: bool = False
    notice: Sequence[str] = ()


@dataclass(frozen=True)
class WorkProgress:
    """Progress as a workbench shows it: a proportion from 0 to 1, or None if unknown, and a text."""

    share: float | None
    words: str


class Work(Protocol):
    """The work of one person in one campaign, as an annotator or an adjudicator."""

    def held(self, skipped: Sequence[int]) -> list[int]:
        """Return the ids of the next tasks, in order; `skipped` lists the tasks skipped in the window, latest last."""

    def task(self, task_id: int) -> WorkTask:
        """Return a task as the workbench shows it.

        Raises:
            RefusedError: The task does not belong to this person.
        """

    def carry_out(self, event: CardEvent) -> EventResult:
        """Carry out an action on a card.

        Raises:
            BenchwrightError: The action is refused; the message states the reason.
        """

    def progress(self) -> WorkProgress:
        """Return the amount of work done and left."""

    def messages(self) -> Sequence[Message]:
        """Return the messages that the user has not confirmed."""


def work_state(
    work: Work, *, known: Container[int] = (), skipped: Sequence[int] = (), opened: int | None = None
) -> dict[str, Any]:
    """Return the content of a workbench as JSON values.

    Args:
        work: The work of one person.
        known: Ids of tasks with content that the browser already has; it is not sent again.
        skipped: Tasks skipped in this window.
        opened: Id of a task opened by hand, to show first; default None.
    """
    words = ""
    tasks: dict[int, WorkTask] = {}
    if opened is not None:
        try:
            tasks[opened] = work.task(opened)
        except RefusedError:
            opened, words = None, TEXTS["gone"]
    upcoming = []
    for task_id in work.held(skipped):
        try:
            if task_id not in known:
                tasks.setdefault(task_id, work.task(task_id))
        except RefusedError:
            continue  # withdrawn since it was listed
        upcoming.append(task_id)
    return {
        # Pages and responses may reach the browser in a different order from their creation.
        "stamp": clock().timestamp(),
        "upcoming": upcoming,
        "opened": opened,
        "tasks": {str(task_id): task.to_json() for task_id, task in tasks.items()},
        "progress": asdict(work.progress()),
        "messages": [{"id": message.id, "by": message.sent_by, "words": message.words} for message in work.messages()],
        "words": words,
    }


def results_of(work: Work, events: Sequence[CardEvent]) -> list[EventResult]:
    """Carry out events in order and return the result of each; a refused event does not stop later ones."""
    results = []
    for event in events:
        try:
            results.append(work.carry_out(event))
        except BenchwrightError as error:
            results.append(EventResult(event.task, message_of(error), is_refused=True))
    return results


def with_results(work: Work, state: dict[str, Any], results: Sequence[EventResult]) -> dict[str, Any]:
    """Return a state with the results of events, and with the tasks that these show again."""
    tasks, told = dict(state["tasks"]), []
    for result in results:
        if result.task_id is not None:
            try:
                tasks[str(result.task_id)] = work.task(result.task_id).to_json()
            except RefusedError:
                result = replace(result, task_id=None)  # noqa: PLW2901 - the browser's version of the result
        row = {"task": result.task_id, "words": result.words, "refused": result.is_refused}
        told.append({**row, "notice": list(result.notice)})
    return {**state, "tasks": tasks, "results": told}


def require_shown(state: AppState, task_id: int) -> None:
    """Refuse a decision on a task that the user cannot have seen, even if the browser allowed it.

    Raises:
        RefusedError: One of the task's pictures cannot be shown.
    """
    payload = state.store.payload(task_id)
    if payload is not None and not state.pictures.are_shown(content_in(payload).images):
        raise RefusedError(
            "a picture of this task cannot be shown, so you cannot decide the task; skip it, or tell a curator"
        )


def pictures_of(
    state: AppState, task_id: int, item: TaskContent, *, can_be_chosen: bool = False
) -> list[ViewerPicture]:
    """Return the pictures of a task for the viewer.

    Args:
        state: State of the app.
        task_id: Id of the task.
        item: Content of the task.
        can_be_chosen: Whether a click on a picture chooses it, if it is an option; default False.
    """

    def source(place: int, image: ItemImage) -> ViewedPicture:
        width, height = state.pictures.size(image)
        return {
            "src": picture_url(task_id, place),
            "marks": picture_url(task_id, place, marks=True) if image.prompts else None,
            "width": width,
            "height": height,
            "detail": detail_url(task_id, place) if max(width, height) > MAX_SIDE_PX else None,
            "detail_px": DETAIL_PX,
            "coarse": coarse_url(task_id, place) if width * height > TINY_PX else None,
        }

    return pictures_from(item, source, can_be_chosen=can_be_chosen)


def pictures_from(
    item: TaskContent, source: Callable[[int, ItemImage], ViewedPicture], *, can_be_chosen: bool
) -> list[ViewerPicture]:
    """Return an item's pictures for the viewer, with captions and letters.

    Args:
        item: The item.
        source: Function that returns the path and size of a picture, given its index from 0 and its image.
        can_be_chosen: Whether a click on a picture chooses it, if it is an option.
    """
    named = zip(item.images, captions(item), letters_of_pictures(item), strict=True)
    return [
        ViewerPicture(
            **source(place, image),
            caption=caption,
            alt=TEXTS["alt"].format(caption=caption),
            letter=letter,
            can_be_chosen=can_be_chosen and len(letter) == 1,
        )
        for place, (image, caption, letter) in enumerate(named)
    ]

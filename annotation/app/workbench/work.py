"""What a workbench gets: the tasks that somebody holds, with pictures and cards, and what came of what they did."""

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
"""Tasks that a workbench holds beside the one on the screen, so that the next one is there at once."""


@dataclass(frozen=True)
class WorkTask:
    """A task as a workbench shows it.

    Attributes:
        task_id: Id of the task.
        card: Its card.
        pictures: Its pictures, in the order of the question.
        about: A line above the question, such as the round; empty without one.
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
    """Where a picture of an item is, and how large: fields of `ViewerPicture`."""

    src: str
    marks: str | None
    width: int
    height: int
    detail: NotRequired[str | None]
    detail_px: NotRequired[int]
    coarse: NotRequired[str | None]


@dataclass(frozen=True)
class EventResult:
    """What came of an event.

    Attributes:
        task_id: Task to show next or anew; None for the next one of the queue.
        words: Message for whoever did it; empty without one.
        is_refused: Whether the event changed nothing, for the reason in `words`.
        notice: Lines that stay on the screen until somebody closes them, such as what was right on a gold item.
    """

    task_id: int | None = None
    words: str = ""
    is_refused: bool = False
    notice: Sequence[str] = ()


@dataclass(frozen=True)
class WorkProgress:
    """Progress as a workbench shows it: a share of 0 to 1, or None where none is known, and words."""

    share: float | None
    words: str


class Work(Protocol):
    """The work of one person in one campaign, as annotator or as adjudicator."""

    def held(self, skipped: Sequence[int]) -> list[int]:
        """Return the ids of the tasks to do next, in order; `skipped` were put off in this window, the latest last."""

    def task(self, task_id: int) -> WorkTask:
        """Return a task as the workbench shows it.

        Raises:
            RefusedError: The task is not this person's.
        """

    def carry_out(self, event: CardEvent) -> EventResult:
        """Carry out what somebody did on a card.

        Raises:
            BenchwrightError: It cannot be done; the message says why.
        """

    def progress(self) -> WorkProgress:
        """Return how much is done, and how much is left."""

    def messages(self) -> Sequence[Message]:
        """Return the messages that this person has yet to confirm."""


def work_state(
    work: Work, *, known: Container[int] = (), skipped: Sequence[int] = (), opened: int | None = None
) -> dict[str, Any]:
    """Return what a workbench shows, as JSON values.

    Args:
        work: Somebody's work.
        known: Ids of tasks whose content the browser has; it is not sent again.
        skipped: Tasks that were put off in this window.
        opened: Id of a task that was opened by hand, to be shown first; default None.
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
            continue  # taken back since it was listed
        upcoming.append(task_id)
    return {
        # Pages and requests may reach the browser in another order than the one in which they were made.
        "stamp": clock().timestamp(),
        "upcoming": upcoming,
        "opened": opened,
        "tasks": {str(task_id): task.to_json() for task_id, task in tasks.items()},
        "progress": asdict(work.progress()),
        "messages": [{"id": message.id, "by": message.sent_by, "words": message.words} for message in work.messages()],
        "words": words,
    }


def results_of(work: Work, events: Sequence[CardEvent]) -> list[EventResult]:
    """Carry out events in their order and return what came of each; a refused one hinders no later one."""
    results = []
    for event in events:
        try:
            results.append(work.carry_out(event))
        except BenchwrightError as error:
            results.append(EventResult(event.task, message_of(error), is_refused=True))
    return results


def with_results(work: Work, state: dict[str, Any], results: Sequence[EventResult]) -> dict[str, Any]:
    """Return a state with the results of events, and with the tasks that these show anew."""
    tasks, told = dict(state["tasks"]), []
    for result in results:
        if result.task_id is not None:
            try:
                tasks[str(result.task_id)] = work.task(result.task_id).to_json()
            except RefusedError:
                result = replace(result, task_id=None)  # noqa: PLW2901 - what the browser gets of it
        row = {"task": result.task_id, "words": result.words, "refused": result.is_refused}
        told.append({**row, "notice": list(result.notice)})
    return {**state, "tasks": tasks, "results": told}


def require_shown(state: AppState, task_id: int) -> None:
    """Refuse a decision on a task that nobody can have seen, whatever their browser allowed.

    Raises:
        RefusedError: One of the task's pictures cannot be shown.
    """
    payload = state.store.payload(task_id)
    if payload is not None and not state.pictures.are_shown(content_in(payload).images):
        raise RefusedError(
            "a picture of this task cannot be shown, so nothing is decided on it; skip it, or tell a curator"
        )


def pictures_of(
    state: AppState, task_id: int, item: TaskContent, *, can_be_chosen: bool = False
) -> list[ViewerPicture]:
    """Return the pictures of a task for the viewer.

    Args:
        state: State of the app.
        task_id: Id of the task.
        item: Content of the task.
        can_be_chosen: Whether a click on a picture that is an option chooses it; default False.
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
        source: Says of the picture at a place, counted from 0, where it is and how large.
        can_be_chosen: Whether a click on a picture that is an option chooses it.
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

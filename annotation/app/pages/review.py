"""The annotator's page: the pictures and the card of one task after the other."""

from __future__ import annotations

from contextlib import suppress

import streamlit as st

from benchwright.errors import BenchwrightError

from ...forms.kinds import ANSWER, REVIEW
from ...forms.task_content import TaskContent
from ...store import Campaign, RefusedError, StaleError
from ...workflow.adjudication import AdjudicationQueue
from ...workflow.task_queue import AnnotatorProgress, OwnTask, TaskQueue
from ..base.option_letters import captions, keys_line, letters_of_pictures
from ..base.request import PageRequest
from ..base.state import AppState, clock
from ..base.texts import TEXTS
from ..routes.guidelines import show_guidelines
from ..routes.tasks import picture_url
from ..task_card.card import FORM, Card, CardEvent, card_of, is_blind, last_event, show_card
from ..viewer import ViewerPicture, show_pictures
from .campaign_menu import go_to, waiting_elsewhere

TASK = "task"
"""Query parameter that names a task that was opened by hand, so that a reload shows it again."""
_SERIAL = "card_serial"


def show_review(request: PageRequest) -> None:
    """Show the current task of an annotator's queue and take their decision."""
    if request.campaign.is_simulated:
        st.info(TEXTS["simulated_campaign"])
        return
    queue = request.queue
    task = _task_of(queue)
    progress = queue.progress(now=clock())
    _show_progress(request, progress, queue.share_left(progress))
    show_guidelines(request)
    if task is None:
        _show_all_done(request, done=progress.decided)
        return
    card = card_of(task, request.campaign, serial=st.session_state.setdefault(_SERIAL, 0))
    if task.item.images:
        pictures = pictures_of(request.state, task.task_id, task.item, can_be_chosen=card.letters_choose)
        show_pictures(pictures, key=f"{request.campaign.id}-{task.task_id}")
    show_card(card, on_event=lambda: _handle(queue, task))
    if (coming := queue.coming()) is not None:
        request.state.pictures.warm(coming.images)
    st.caption(keys_line(_keys_text(request.campaign, task, card), card.reserved_letters))


def _show_progress(request: PageRequest, progress: AnnotatorProgress, share_left: int) -> None:
    """Show beside the campaign's name how many tasks are decided, and how many of the annotator's share are left."""
    text = "mine_done" if share_left == progress.left else "part_done" if share_left else "part_is_done"
    words = TEXTS[text].format(done=progress.decided, left=progress.left, part=share_left)
    request.head.progress(progress.decided / max(1, progress.decided + share_left), text=words)


def _show_all_done(request: PageRequest, *, done: int) -> None:
    """Show that nothing is left in this campaign, and where work still waits."""
    campaign = inert(request.campaign.name)
    lines = [f"**{TEXTS['all_done'].format(campaign=campaign)}** {TEXTS['all_done_how_many'].format(done=done)}"]
    if not done:
        lines = [f"**{TEXTS['nothing_here'].format(campaign=campaign)}**"]
    elsewhere = waiting_elsewhere(request.state, request.account, request.campaign)
    lines += [
        TEXTS["wait_in"].format(left=waiting.share_left, campaign=inert(waiting.campaign.name)) for waiting in elsewhere
    ]
    cases = _cases_to_adjudicate(request)
    lines += [
        TEXTS["cases_wait_in"].format(waits=waits, campaign=inert(name), adjudicate=TEXTS["adjudicate"])
        for name, waits in cases.items()
    ]
    if elsewhere or cases:
        st.info("  \n".join(lines))
    else:
        st.success("  \n".join([*lines, TEXTS["nothing_anywhere" if done else "nothing_waits"]]))
    if elsewhere:
        name = elsewhere[0].campaign.name
        st.button(
            TEXTS["go_on"].format(campaign=inert(name)), type="primary", shortcut="Enter", on_click=go_to, args=(name,)
        )


def _cases_to_adjudicate(request: PageRequest) -> dict[str, int]:
    """Return how many cases wait for the account's adjudication, by campaign; none for annotators."""
    if request.account.role == "annotator":
        return {}
    waits = {}
    for campaign in request.state.store.campaigns():
        queue = AdjudicationQueue(request.state.store, campaign, request.account.name)
        if queue.is_open and (count := sum(case.waits for case in queue.queue())):
            waits[campaign.name] = count
    return waits


def _keys_text(campaign: Campaign, task: OwnTask, card: Card) -> str:
    """Return the name of the text that lists the keys of a card."""
    if card.mode != FORM:
        return "keys_answer" if card.mode == ANSWER else "keys_verify"
    return "keys_review" if campaign.kind == REVIEW else "keys_form" if task.item.images else "keys_collect"


def _task_of(queue: TaskQueue) -> OwnTask | None:
    """Return the task that the URL names, if it is this annotator's, else the next one."""
    wanted = st.query_params.get(TASK)
    if wanted is not None:
        try:
            return queue.open(int(wanted), now=clock())
        except (RefusedError, ValueError, OverflowError):
            st.toast(TEXTS["gone"], icon=":material/error:")
            del st.query_params[TASK]
    return queue.next(now=clock())


def _handle(queue: TaskQueue, task: OwnTask) -> None:
    """Handle what the annotator did; Streamlit then runs the page again."""
    st.session_state[_SERIAL] += 1
    try:
        _do(queue, task, last_event())
    except BenchwrightError as error:
        st.toast(inert(str(error)), icon=":material/error:")


def _do(queue: TaskQueue, task: OwnTask, event: CardEvent) -> None:
    if event.slot != task.shown_slot:
        return  # pressed twice: the first press has taken this task off the queue
    if event.does == "undo":
        latest = next((entry for entry in queue.history(limit=2) if entry.task_id != task.task_id), None)
        if latest is None:
            st.toast(TEXTS["nothing_to_undo"])
        else:
            st.query_params[TASK] = str(latest.task_id)
        return
    if event.does in {"comment", "flag"}:
        queue.remark(task.task_id, event.submission.note or "", is_flag=event.does == "flag", now=clock())
        st.toast(TEXTS["flag_kept" if event.does == "flag" else "comment_kept"])
        return
    if event.does == "skip":
        queue.skip(task.task_id, now=clock())
    elif is_blind(task, queue.campaign):
        queue.answer(task.slot_id, event.submission.decision, now=clock())
        return  # the same task stays and now shows its key
    else:
        _decide(queue, task, event)
    if TASK in st.query_params:
        del st.query_params[TASK]


def _decide(queue: TaskQueue, task: OwnTask, event: CardEvent) -> None:
    """Take a decision; where another window has written about the task meanwhile, keep this one's as a draft."""
    try:
        if event.seen is not None:
            queue.check_seen(task.task_id, event.draft, event.seen, now=clock())
        seen_version = None if event.seen is None else event.seen.version
        queue.submit(task.slot_id, event.submission, now=clock(), seen_version=seen_version)
    except StaleError:
        assert event.seen is not None  # an event that does not say what its window had seen is never stale
        with suppress(StaleError):
            queue.save_draft(task.task_id, event.draft, now=clock(), seen=event.seen)
        st.query_params[TASK] = str(task.task_id)
        raise


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
    pictures = []
    named_images = zip(item.images, captions(item), letters_of_pictures(item), strict=True)
    for place, (image, caption, letter) in enumerate(named_images):
        width, height = state.pictures.size(image)
        pictures.append(
            ViewerPicture(
                src=picture_url(task_id, place),
                marks=picture_url(task_id, place, marks=True) if image.prompts else None,
                caption=caption,
                alt=TEXTS["alt"].format(caption=caption),
                width=width,
                height=height,
                letter=letter,
                can_be_chosen=can_be_chosen and len(letter) == 1,
            )
        )
    return pictures


def inert(text: str) -> str:
    """Return a text with all characters escaped that Markdown would interpret."""
    return "".join(f"\\{character}" if character in "\\`*_{}[]<>()#+-.!|~:$" else character for character in text)

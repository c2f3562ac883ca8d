"""The annotator's page: pictures, question, decision, next."""

from __future__ import annotations

from contextlib import suppress

import streamlit as st

from benchwright.errors import BenchwrightError

from ...forms.kinds import ANSWER, REVIEW
from ...forms.task_content import TaskContent
from ...store import Campaign, RefusedError, StaleError
from ...workflow.adjudication import AdjudicationQueue
from ...workflow.task_queue import AnnotatorProgress, OwnTask, TaskQueue
from ..base.option_letters import captions, keys_told, letters_of_pictures
from ..base.request import PageRequest
from ..base.state import AppState, clock
from ..base.texts import TEXTS
from ..routes.guidelines import show_guidelines
from ..routes.tasks import picture_url
from ..task_card.card import FORM, Card, CardEvent, act_just_done, card_of, is_blind, show_card
from ..viewer import ViewerPicture, show_pictures
from .campaign_menu import go_to, waiting_elsewhere

TASK = "task"
"""Query parameter that names the task that was opened by hand; a reload finds it again."""
_SERIAL = "card_serial"


def show(visit: PageRequest) -> None:
    """Show the task on an annotator's desk and take what they say of it."""
    if visit.campaign.is_simulated:
        st.info(TEXTS["simulated_campaign"])
        return
    desk = visit.desk
    task = _task_of(desk)
    progress = desk.progress(now=clock())
    _show_progress(visit, progress, desk.share_left(progress))
    show_guidelines(visit)
    if task is None:
        _show_all_done(visit, done=progress.decided)
        return
    card = card_of(task, visit.campaign, serial=st.session_state.setdefault(_SERIAL, 0))
    if task.item.images:
        pictures = pictures_of(visit.site, task.task_id, task.item, can_be_chosen=card.letters_choose)
        show_pictures(pictures, key=f"{visit.campaign.id}-{task.task_id}")
    show_card(card, heard=lambda: _hear(desk, task))
    if (coming := desk.coming()) is not None:
        visit.site.pictures.warm(coming.images)
    st.caption(keys_told(_line_of_keys(visit.campaign, task, card), card.reserved_letters))


def _show_progress(visit: PageRequest, progress: AnnotatorProgress, part: int) -> None:
    """Show beside the campaign's name how much is decided, and how much of their part is left."""
    told = "mine_done" if part == progress.left else "part_done" if part else "part_is_done"
    words = TEXTS[told].format(done=progress.decided, left=progress.left, part=part)
    visit.head.progress(progress.decided / max(1, progress.decided + part), text=words)


def _show_all_done(visit: PageRequest, *, done: int) -> None:
    """Say that nothing is left here, and where work still waits."""
    here = inert(visit.campaign.name)
    lines = [f"**{TEXTS['all_done'].format(campaign=here)}** {TEXTS['all_done_how_many'].format(done=done)}"]
    if not done:
        lines = [f"**{TEXTS['nothing_here'].format(campaign=here)}**"]
    elsewhere = waiting_elsewhere(visit.site, visit.account, visit.campaign)
    lines += [TEXTS["wait_in"].format(left=one.share_left, campaign=inert(one.campaign.name)) for one in elsewhere]
    cases = _cases_to_adjudicate(visit)
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


def _cases_to_adjudicate(visit: PageRequest) -> dict[str, int]:
    """Return how many cases wait for an adjudicator, by campaign; none for whoever adjudicates nothing."""
    if visit.account.role == "annotator":
        return {}
    waits = {}
    for campaign in visit.site.store.campaigns():
        desk = AdjudicationQueue(visit.site.store, campaign, visit.account.name)
        if desk.is_open and (count := sum(case.waits for case in desk.queue())):
            waits[campaign.name] = count
    return waits


def _line_of_keys(campaign: Campaign, task: OwnTask, card: Card) -> str:
    """Return which of the app's texts tells the keys of a card."""
    if card.mode != FORM:
        return "keys_answer" if card.mode == ANSWER else "keys_verify"
    return "keys_review" if campaign.kind == REVIEW else "keys_form" if task.item.images else "keys_collect"


def _task_of(desk: TaskQueue) -> OwnTask | None:
    """Return the task that the address names, if it is this annotator's, else the next one."""
    wanted = st.query_params.get(TASK)
    if wanted is not None:
        try:
            return desk.open(int(wanted), now=clock())
        except (RefusedError, ValueError, OverflowError):
            st.toast(TEXTS["gone"], icon=":material/error:")
            del st.query_params[TASK]
    return desk.next(now=clock())


def _hear(desk: TaskQueue, task: OwnTask) -> None:
    """Take what the annotator did; Streamlit then makes the page anew."""
    st.session_state[_SERIAL] += 1
    try:
        _do(desk, task, act_just_done())
    except BenchwrightError as error:
        st.toast(inert(str(error)), icon=":material/error:")


def _do(desk: TaskQueue, task: OwnTask, act: CardEvent) -> None:
    if act.slot != task.shown_slot:
        return  # pressed twice: the first press has taken this task off the desk
    if act.does == "undo":
        past = next((one for one in desk.history(limit=2) if one.task_id != task.task_id), None)
        if past is None:
            st.toast(TEXTS["nothing_to_undo"])
        else:
            st.query_params[TASK] = str(past.task_id)
        return
    if act.does in {"comment", "flag"}:
        desk.remark(task.task_id, act.submission.note or "", is_flag=act.does == "flag", now=clock())
        st.toast(TEXTS["flag_kept" if act.does == "flag" else "comment_kept"])
        return
    if act.does == "skip":
        desk.skip(task.task_id, now=clock())
    elif is_blind(task, desk.campaign):
        desk.answer(task.slot_id, act.submission.decision, now=clock())
        return  # the same task stays, now with its key
    else:
        _decide(desk, task, act)
    if TASK in st.query_params:
        del st.query_params[TASK]


def _decide(desk: TaskQueue, task: OwnTask, act: CardEvent) -> None:
    """Take a decision; where its window has not seen what was said in another one, keep its words and show both."""
    try:
        if act.seen is not None:
            desk.check_seen(task.task_id, act.draft, act.seen, now=clock())
        seen_version = None if act.seen is None else act.seen.version
        desk.submit(task.slot_id, act.submission, now=clock(), seen_version=seen_version)
    except StaleError:
        assert act.seen is not None  # who does not say what they saw is never behind
        with suppress(StaleError):
            desk.save_draft(task.task_id, act.draft, now=clock(), seen=act.seen)
        st.query_params[TASK] = str(task.task_id)
        raise


def pictures_of(site: AppState, task_id: int, item: TaskContent, *, can_be_chosen: bool = False) -> list[ViewerPicture]:
    """Return the pictures of a task as the viewer shows them.

    Args:
        site: What serves them.
        task_id: The task.
        item: What it shows.
        can_be_chosen: Whether a click on a picture that is an option chooses it.
    """
    shown = []
    names = zip(item.images, captions(item), letters_of_pictures(item), strict=True)
    for place, (image, caption, letter) in enumerate(names):
        width, height = site.pictures.size(image)
        shown.append(
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
    return shown


def inert(text: str) -> str:
    """Keep Markdown of a message from being one."""
    return "".join(f"\\{character}" if character in "\\`*_{}[]<>()#+-.!|~:$" else character for character in text)

"""The annotator's page: pictures, question, decision, next."""

from __future__ import annotations

import streamlit as st

from benchwright.errors import BenchwrightError

from ..desk import Desk, OwnTask
from ..exhibit import Exhibit
from ..form import form_of
from ..kinds import BLIND_KINDS, REVIEW
from ..store import RefusedError
from .guidelines import show_guidelines
from .site import Site, clock
from .task_card.card import Act, act_just_done, captions, card_of, is_blind, show_card
from .task_routes import picture_url
from .texts import TEXTS
from .viewer import ViewerPicture, show_pictures
from .visit import Visit

TASK = "task"
"""Query parameter that names the task that was opened by hand; a reload finds it again."""
_SERIAL = "card_serial"


def show(visit: Visit) -> None:
    """Show the task on an annotator's desk and take what they say of it."""
    if visit.campaign.is_simulated:
        st.info(TEXTS["simulated_campaign"])
        return
    desk = visit.desk
    task = _task_of(desk)
    done, left = desk.progress(now=clock())
    visit.head.progress(done / max(1, done + left), text=TEXTS["mine_done"].format(done=done, left=left))
    show_guidelines(visit)
    if task is None:
        st.success(f"**{TEXTS['all_done']}** {TEXTS['all_done_why']}")
        return
    if task.item.images:
        show_pictures(pictures_of(visit.site, task.task_id, task.item), key=f"{visit.campaign.id}-{task.task_id}")
    card = card_of(task, visit.campaign, serial=st.session_state.setdefault(_SERIAL, 0))
    show_card(card, heard=lambda: _hear(desk, task))
    if (coming := desk.coming()) is not None:
        visit.site.pictures.warm(coming.images)
    if form_of(visit.campaign.form) is not None and not is_blind(task, visit.campaign):
        keys = "keys_review" if visit.campaign.kind == REVIEW else "keys_form" if task.item.images else "keys_collect"
        st.caption(TEXTS[keys])
    else:
        st.caption(TEXTS["keys_answer" if visit.campaign.kind in BLIND_KINDS else "keys_verify"])


def _task_of(desk: Desk) -> OwnTask | None:
    """Return the task that the address names, if it is this annotator's, else the next one."""
    wanted = st.query_params.get(TASK)
    if wanted is not None:
        try:
            return desk.open(int(wanted), now=clock())
        except (RefusedError, ValueError, OverflowError):
            st.toast(TEXTS["gone"], icon=":material/error:")
            del st.query_params[TASK]
    return desk.next(now=clock())


def _hear(desk: Desk, task: OwnTask) -> None:
    """Take what the annotator did; Streamlit then makes the page anew."""
    st.session_state[_SERIAL] += 1
    try:
        _do(desk, task, act_just_done())
    except BenchwrightError as error:
        st.toast(inert(str(error)), icon=":material/error:")


def _do(desk: Desk, task: OwnTask, act: Act) -> None:
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
        desk.remark(task.task_id, act.note or "", is_flag=act.does == "flag", now=clock())
        st.toast(TEXTS["flag_kept" if act.does == "flag" else "comment_kept"])
        return
    if act.does == "skip":
        desk.skip(task.task_id, now=clock())
    elif is_blind(task, desk.campaign):
        desk.answer(task.slot_id, act.decision, now=clock())
        return  # the same task stays, now with its key
    else:
        desk.say(
            task.slot_id, act.decision, now=clock(), reasons=act.reasons, note=act.note, edits=act.edits,
            fields=act.fields, active_s=act.active_s,
        )  # fmt: skip
    if TASK in st.query_params:
        del st.query_params[TASK]


def pictures_of(site: Site, task_id: int, item: Exhibit) -> list[ViewerPicture]:
    """Return the pictures of a task as the viewer shows them."""
    shown = []
    for place, (image, caption) in enumerate(zip(item.images, captions(item), strict=True)):
        width, height = site.pictures.size(image)
        shown.append(
            ViewerPicture(
                src=picture_url(task_id, place),
                marks=picture_url(task_id, place, marks=True) if image.prompts else None,
                caption=caption,
                alt=TEXTS["alt"].format(caption=caption),
                width=width,
                height=height,
            )
        )
    return shown


def inert(text: str) -> str:
    """Keep Markdown of a message from being one."""
    return "".join(f"\\{character}" if character in "\\`*_{}[]<>()#+-.!|~:$" else character for character in text)

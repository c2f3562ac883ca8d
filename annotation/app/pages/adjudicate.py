"""The adjudicator's page: what annotators leave open, their answers side by side, and the last word on it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from benchwright.errors import BenchwrightError

from ...store import Annotation, Campaign
from ...workflow.adjudication import AdjudicationQueue, Case, DecidedCase
from ..base.option_letters import keys_told, question_in_words
from ..base.request import PageRequest
from ..base.state import clock
from ..base.texts import TEXTS
from ..task_card.adjudication_card import adjudication_card, said_in_words
from ..task_card.card import CardEvent, act_just_done, show_card
from ..viewer import show_pictures
from .review import inert, pictures_of

_SERIAL = "adjudication_serial"
_SKIPPED = "adjudication_skipped"


def show(visit: PageRequest) -> None:
    """Show the next case and take what the adjudicator decides of it; below, what they have decided."""
    desk = AdjudicationQueue(visit.site.store, visit.campaign, visit.account.name)
    if not desk.is_open:
        st.info(TEXTS["no_adjudicator"].format(rule=inert(visit.campaign.rule)))
        return
    queue = desk.queue()
    waits = sum(one.waits for one in queue)
    visit.head.text(TEXTS["cases_left"].format(waits=waits, more=len(queue) - waits))
    skipped = st.session_state.setdefault(_SKIPPED, [])
    # What was skipped comes again once nothing else is left.
    order = [one.task_id for one in queue if one.task_id not in skipped] or [one.task_id for one in queue]
    if order:
        _show_case(visit, desk, desk.open(order[0], now=clock()))
    else:
        st.success(TEXTS["no_cases"])
    _show_decided(desk.decided(), visit.campaign)


def _show_case(visit: PageRequest, desk: AdjudicationQueue, case: Case) -> None:
    pictures = pictures_of(visit.site, case.task_id, case.item)
    show_pictures(pictures, key=f"adjudicate-{visit.campaign.id}-{case.task_id}")
    words = [TEXTS["round_n"].format(round=case.round), *([TEXTS["last_round"]] if case.is_last else [])]
    st.caption(" · ".join(words))
    card = adjudication_card(case, visit.campaign, serial=st.session_state.setdefault(_SERIAL, 0))
    show_card(card, heard=lambda: _hear(desk, case))
    st.caption(keys_told("keys_adjudicate", card.reserved_letters))


def _hear(desk: AdjudicationQueue, case: Case) -> None:
    """Take what the adjudicator did; Streamlit then makes the page anew."""
    st.session_state[_SERIAL] += 1
    try:
        _do(desk, case, act_just_done())
    except BenchwrightError as error:
        st.toast(inert(str(error)), icon=":material/error:")


def _do(desk: AdjudicationQueue, case: Case, act: CardEvent) -> None:
    if act.slot != case.task_id or act.does == "undo":
        return  # pressed twice: the first press has taken this case off the desk
    if act.does == "skip":
        skipped = st.session_state[_SKIPPED]
        st.session_state[_SKIPPED] = [one for one in skipped if one != case.task_id] + [case.task_id]
        if all(one.task_id in st.session_state[_SKIPPED] for one in desk.queue()):
            st.session_state[_SKIPPED] = [case.task_id]
        return
    desk.decide(case.task_id, act.decision, now=clock(), reasons=act.reasons, note=act.note, edits=act.edits)


def _show_decided(found: list[DecidedCase], campaign: Campaign) -> None:
    """List what was decided; the annotators' names are told from here on."""
    if not found:
        return
    st.subheader(TEXTS["decided_by_you"])
    st.caption(TEXTS["decided_why"])
    st.dataframe([_line(one, campaign) for one in found], hide_index=True)


def _line(one: DecidedCase, campaign: Campaign) -> dict[str, Any]:
    def words(said: Annotation) -> str:
        return f"{said.annotator}: {'; '.join(said_in_words(said, campaign.form.typed))}"

    return {
        TEXTS["decision"]: TEXTS.get(one.decision, one.decision),
        TEXTS["reasons"]: ", ".join(code.replace("_", " ") for code in one.reasons),
        TEXTS["question"]: question_in_words(one.item),
        TEXTS["answers"]: " | ".join(words(said) for said in one.annotations),
        TEXTS["note"]: one.note or "",
    }

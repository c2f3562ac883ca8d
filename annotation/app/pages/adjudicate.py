"""The adjudicator's page: cases that annotators leave open, with their answers side by side, to be decided."""

from __future__ import annotations

from typing import Any

import streamlit as st

from benchwright.errors import BenchwrightError

from ...store import Annotation, Campaign
from ...workflow.adjudication import AdjudicationQueue, Case, DecidedCase
from ..base.option_letters import keys_line, question_in_words
from ..base.request import PageRequest
from ..base.state import clock
from ..base.texts import TEXTS
from ..task_card.adjudication_card import adjudication_card, submission_in_words
from ..task_card.card import CardEvent, last_event, show_card
from ..viewer import show_pictures
from .review import inert, pictures_of

_SERIAL = "adjudication_serial"
_SKIPPED = "adjudication_skipped"


def show_adjudication(request: PageRequest) -> None:
    """Show the next case and take the adjudicator's decision; list their earlier decisions below."""
    queue = AdjudicationQueue(request.state.store, request.campaign, request.account.name)
    if not queue.is_open:
        st.info(TEXTS["no_adjudicator"].format(rule=inert(request.campaign.rule)))
        return
    cases = queue.queue()
    waits = sum(case.waits for case in cases)
    request.head.text(TEXTS["cases_left"].format(waits=waits, more=len(cases) - waits))
    skipped = st.session_state.setdefault(_SKIPPED, [])
    # Skipped cases come again once nothing else is left.
    order = [case.task_id for case in cases if case.task_id not in skipped] or [case.task_id for case in cases]
    if order:
        _show_case(request, queue, queue.open(order[0], now=clock()))
    else:
        st.success(TEXTS["no_cases"])
    _show_decided(queue.decided(), request.campaign)


def _show_case(request: PageRequest, queue: AdjudicationQueue, case: Case) -> None:
    pictures = pictures_of(request.state, case.task_id, case.item)
    show_pictures(pictures, key=f"adjudicate-{request.campaign.id}-{case.task_id}")
    words = [TEXTS["round_n"].format(round=case.round), *([TEXTS["last_round"]] if case.is_last else [])]
    st.caption(" · ".join(words))
    card = adjudication_card(case, request.campaign, serial=st.session_state.setdefault(_SERIAL, 0))
    show_card(card, on_event=lambda: _handle(queue, case))
    st.caption(keys_line("keys_adjudicate", card.reserved_letters))


def _handle(queue: AdjudicationQueue, case: Case) -> None:
    """Handle what the adjudicator did; Streamlit then runs the page again."""
    st.session_state[_SERIAL] += 1
    try:
        _do(queue, case, last_event())
    except BenchwrightError as error:
        st.toast(inert(str(error)), icon=":material/error:")


def _do(queue: AdjudicationQueue, case: Case, event: CardEvent) -> None:
    if event.slot != case.task_id or event.does == "undo":
        return  # pressed twice: the first press has taken this case off the queue
    if event.does == "skip":
        skipped = st.session_state[_SKIPPED]
        st.session_state[_SKIPPED] = [task_id for task_id in skipped if task_id != case.task_id] + [case.task_id]
        if all(waiting.task_id in st.session_state[_SKIPPED] for waiting in queue.queue()):
            st.session_state[_SKIPPED] = [case.task_id]
        return
    queue.decide(case.task_id, event.submission, now=clock())


def _show_decided(cases: list[DecidedCase], campaign: Campaign) -> None:
    """List decided cases, with the names of their annotators."""
    if not cases:
        return
    st.subheader(TEXTS["decided_by_you"])
    st.caption(TEXTS["decided_why"])
    st.dataframe([_line(case, campaign) for case in cases], hide_index=True)


def _line(case: DecidedCase, campaign: Campaign) -> dict[str, Any]:
    def words(annotation: Annotation) -> str:
        return f"{annotation.annotator}: {'; '.join(submission_in_words(annotation, campaign.form.typed))}"

    decided = case.adjudication
    return {
        TEXTS["decision"]: TEXTS.get(decided.decision, decided.decision),
        TEXTS["reasons"]: ", ".join(code.replace("_", " ") for code in decided.reasons),
        TEXTS["question"]: question_in_words(case.item),
        TEXTS["answers"]: " | ".join(words(annotation) for annotation in case.annotations),
        TEXTS["note"]: decided.note or "",
    }

"""The practice page: the campaign's practice items on the workbench, and the result."""

from __future__ import annotations

import streamlit as st

from benchwright.errors import BenchwrightError

from ...workflow.practising import PracticeQueue, PracticeState
from ..base.own_texts import practice_in_language
from ..base.request import PageRequest
from ..base.state import clock
from ..routes.guidelines import show_guidelines
from ..wording.directed_text import inert
from ..wording.texts import TEXTS, message_of
from ..workbench.practising import PracticeWork
from ..workbench.work import work_state
from ..workbench.work_routes import PRACTICE_URL
from ..workbench.workbench import show_workbench
from .campaign_menu import CAMPAIGN
from .leaving import offer_to_leave


def show_practice(request: PageRequest, *, review: st.Page) -> None:
    """Show the practice items of a campaign one by one, and then the number of right decisions.

    Args:
        request: Request of the page.
        review: Page of the real tasks.
    """
    queue = PracticeQueue(request.state.store, request.campaign, request.account.name)
    if not queue.is_there:
        st.info(TEXTS["practice_none"])
        return
    state = queue.state()
    if state.attempt is None:
        queue.begin(now=clock())
        state = queue.state()
    show_guidelines(request)
    if state.is_open:
        work = PracticeWork(request.state, request.account, request.campaign)
        show_workbench(
            work_state(work),
            url=PRACTICE_URL,
            account=request.account.name,
            campaign=request.campaign.name,
            leases=False,
        )
        return
    _show_result(request, queue, state, review)


def _show_result(request: PageRequest, queue: PracticeQueue, state: PracticeState, review: st.Page) -> None:
    """Show the result of an attempt, the explanation of each right decision, and the next step."""
    attempt = state.attempt
    assert attempt is not None
    st.subheader(TEXTS["practice_title"], anchor=False)
    _say_result(state)
    if not state.is_qualified and state.tries_left == 0:
        offer_to_leave(request)
    with st.container(horizontal=True, gap="small"):
        if state.is_qualified and st.button(TEXTS["practice_begin"], type="primary", shortcut="Enter"):
            st.switch_page(review, query_params={CAMPAIGN: request.campaign.name})
        may_again = state.tries_left is None or state.tries_left > 0
        if may_again and st.button(TEXTS["practice_again"], type="secondary" if state.is_qualified else "primary"):
            _begin_again(queue)
    st.markdown(f"**{TEXTS['practice_what']}**")
    for place, name in enumerate(attempt.items):
        try:
            item = practice_in_language(queue.item(name), request.campaign.kind)
        except BenchwrightError:
            continue  # the recipe has changed its items since
        is_right = attempt.answers[place].is_right
        mark = ":material/check:" if is_right else ":material/close:"
        head = TEXTS["practice_right" if is_right else "practice_wrong"]
        st.markdown(f"{mark} **{inert(item.content.question)}** {head}  \n{inert(item.why)}")


def _say_result(state: PracticeState) -> None:
    attempt, qualification = state.attempt, state.qualification
    assert attempt is not None
    of, correct = len(attempt.items), attempt.correct
    if qualification is None:
        st.success(TEXTS["practice_done"].format(correct=correct, of=of))
    elif correct >= qualification.pass_mark:
        st.success(TEXTS["practice_passed"].format(correct=correct, of=of))
    else:
        lines = [TEXTS["practice_failed"].format(correct=correct, of=of, mark=qualification.pass_mark)]
        if state.is_qualified:
            lines.append(TEXTS["practice_let_in"])
        elif state.tries_left == 0:
            lines.append(TEXTS["practice_no_tries"])
        elif state.tries_left is not None:
            lines.append(TEXTS["practice_tries"].format(left=state.tries_left))
        st.warning("  \n".join(lines))


def _begin_again(queue: PracticeQueue) -> None:
    try:
        queue.begin(now=clock())
    except BenchwrightError as error:
        st.error(inert(message_of(error)))
        return
    st.rerun()

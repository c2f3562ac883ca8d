"""The annotator's page: the workbench, or work left in other campaigns once this campaign has no more."""

from __future__ import annotations

import streamlit as st

from ...workflow.adjudication import AdjudicationQueue
from ...workflow.practising import PracticeQueue
from ...workflow.task_queue import is_id
from ..base.request import PageRequest
from ..base.state import clock
from ..routes.guidelines import show_guidelines
from ..wording.directed_text import inert
from ..wording.texts import TEXTS, title_of
from ..workbench.annotating import AnnotatorWork
from ..workbench.work import work_state
from ..workbench.work_routes import WORK_URL
from ..workbench.workbench import show_workbench
from .campaign_menu import CAMPAIGN, go_to, waiting_elsewhere
from .leaving import offer_to_leave
from .unknown_address import show_unknown_address

TASK = "task"
"""Query parameter for a task that the annotator opened by hand, so that a reload shows it again."""

_LOOKED_S = 20.0
"""Seconds until a page without tasks checks again."""


def show_review(request: PageRequest, *, practice: st.Page) -> None:
    """Show the tasks of an annotator's queue on the workbench; practice comes first if it is required.

    Args:
        request: Request of the page.
        practice: Practice page.
    """
    if request.campaign.is_simulated:
        st.info(TEXTS["simulated_campaign"])
        return
    practising = PracticeQueue(request.state.store, request.campaign, request.account.name)
    query = {CAMPAIGN: request.campaign.name}
    if not practising.is_qualified:
        st.switch_page(practice, query_params=query)
    work = AnnotatorWork(request.state, request.account, request.campaign)
    opened = _opened()
    if opened is not None and not work.has(opened):
        show_unknown_address(TEXTS["gone"])  # without taking another task
        return
    state = work_state(work, opened=opened)
    show_guidelines(request)
    if practising.is_there and practising.is_new:
        is_pressed = request.head.button(
            TEXTS["practise"], key="practise-offer", icon=":material/school:", type="primary"
        )
        if is_pressed:
            st.switch_page(practice, query_params=query)
    if state["tasks"]:
        name = request.account.name
        show_workbench(state, url=WORK_URL, account=name, campaign=request.campaign.name, on_over=_close_opened)
        return
    if state["words"]:
        st.warning(state["words"])
    _show_all_done(request)


def _close_opened() -> None:
    """Forget the task that the URL named, after it was decided or left."""
    if TASK in st.query_params:
        del st.query_params[TASK]


def _opened() -> int | None:
    """Return the id of the task in the URL; for an invalid value return 0, which no task has."""
    wanted = st.query_params.get(TASK)
    if wanted is None:
        return None
    number = int(wanted) if wanted.isdecimal() and wanted.isascii() and len(wanted) < 12 else 0
    return number if is_id(number) else 0


@st.fragment(run_every=_LOOKED_S)
def _show_all_done(request: PageRequest) -> None:
    """State that no tasks are left in this campaign, and where work is still waiting; check again from time to time."""
    if request.queue.hold(1, now=clock()):
        st.rerun()  # an annotator gave a task back, or another round has begun
    if request.queue.is_paused:
        st.warning(TEXTS["paused"].format(campaign=inert(title_of(request.campaign.name))))
        offer_to_leave(request)
        return
    if offer_to_leave(request):
        return
    done = request.queue.progress(now=clock()).decided
    campaign = inert(title_of(request.campaign.name))
    lines = [f"**{TEXTS['all_done'].format(campaign=campaign)}** {TEXTS['all_done_how_many'].format(done=done)}"]
    if not done:
        lines = [f"**{TEXTS['nothing_here'].format(campaign=campaign)}**"]
    elsewhere = waiting_elsewhere(request.state, request.account, request.campaign)
    lines += [
        TEXTS["wait_in"].format(left=waiting.share_left, campaign=inert(title_of(waiting.campaign.name)))
        for waiting in elsewhere
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
        if st.button(TEXTS["go_on"].format(campaign=inert(title_of(name))), type="primary", shortcut="Enter"):
            go_to(name)
            st.rerun()


def _cases_to_adjudicate(request: PageRequest) -> dict[str, int]:
    """Return the number of cases waiting for the account's adjudication, by campaign; empty for annotators."""
    if request.account.role == "annotator":
        return {}
    waits = {}
    for campaign in request.state.store.campaigns():
        queue = AdjudicationQueue(request.state.store, campaign, request.account.name)
        if queue.is_open and (count := sum(case.waits for case in queue.queue())):
            waits[campaign.name] = count
    return waits

"""The results of annotators in a campaign's practice, with scores and times; admission without a pass."""

from __future__ import annotations

import streamlit as st

from benchwright.errors import BenchwrightError

from ...forms.assignment_settings import Qualification, assignment_settings_of
from ...store.accounts.campaign_access import AccessControl
from ...store.campaigns.practice import Practice, PracticeResult
from ..base.request import PageRequest
from ..base.state import clock
from ..base.tables import show_rows
from ..wording.curator_texts import TEXTS
from ..wording.directed_text import inert
from ..wording.texts import message_of

_LET_IN = "qualification-let-in"


def show_qualification(request: PageRequest) -> None:
    """Show the qualified annotators of a campaign that requires practice, and let a curator admit others.

    Shows nothing for a campaign without required practice and without practice results.
    """
    practice = Practice(request.state.store)
    results = {result.name: result for result in practice.results(request.campaign)}
    qualification = assignment_settings_of(request.campaign.settings).qualification
    if qualification is None and not results:
        return
    st.subheader(TEXTS["qualification"])
    if qualification is None:
        st.caption(TEXTS["practice_offered"])
    else:
        st.caption(TEXTS["qualification_why"].format(mark=qualification.pass_mark))
        for name in _people(request):
            results.setdefault(name, PracticeResult(name, 0, None, 0, None, None, None))
    listed = [results[name] for name in sorted(results)]
    if not listed:
        return
    show_rows([_row(result, qualification) for result in listed], label=TEXTS["qualification"])
    if qualification is not None:
        _offer_to_let_in(request, [result.name for result in listed if not result.is_qualified(qualification)])


def _people(request: PageRequest) -> list[str]:
    """Return the names of the accounts that may sign in and decide in the campaign."""
    access = AccessControl(request.state.store).of(request.campaign.name)
    accounts = [account for account in request.state.accounts.all() if not account.is_disabled]
    return [account.name for account in accounts if access.admits(account.name) and account.role == "annotator"]


def _row(result: PracticeResult, qualification: Qualification | None) -> dict[str, object]:
    state = "practised"
    if qualification is not None:
        state = "passed" if result.is_qualified(qualification) else "not_passed"
    if result.waived_by is not None:
        words = TEXTS["waived"].format(name=result.waived_by)
    else:
        words = TEXTS[state] if result.attempts else TEXTS["not_tried"]
    when = result.waived_at if result.waived_by is not None else result.ended_at
    return {
        TEXTS["name"]: result.name,
        TEXTS["practice_state"]: words,
        TEXTS["practice_correct"]: None if result.correct is None else f"{result.correct}/{result.of}",
        TEXTS["practice_attempts"]: result.attempts,
        TEXTS["practice_when"]: when,
    }


def _offer_to_let_in(request: PageRequest, names: list[str]) -> None:
    if (let_in := st.session_state.pop(_LET_IN, None)) is not None:
        st.success(TEXTS["was_let_in"].format(name=inert(let_in)))
    if not names:
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        name = st.selectbox(TEXTS["let_in_whom"], names, width=280)
        if st.button(TEXTS["let_in"]):
            try:
                Practice(request.state.store).let_in(request.campaign.name, name, by=request.account.name, now=clock())
            except BenchwrightError as error:
                st.error(inert(message_of(error)))
                return
            st.session_state[_LET_IN] = name
            st.rerun()
    st.caption(TEXTS["let_in_why"])

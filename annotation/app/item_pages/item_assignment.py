"""The forms in which a curator assigns certain items to an annotator before all others, or reopens them."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from benchwright.errors import BenchwrightError

from ...items.curator_acts import ASSIGNED_FOR, LONGEST_WHY, AssignedTasks, CuratorActs, ReopenedTasks
from ...store.accounts.accounts import Account, Accounts
from ..base.state import AppState, clock
from ..wording.curator_texts import TEXTS
from ..wording.directed_text import inert
from ..wording.texts import message_of

_DONE, _REOPENED = "items-assigned", "items-reopened"


def show_assignment(state: AppState, account: Account, record_ids: Sequence[str]) -> None:
    """Let a curator pick the annotators of records, and withdraw the assignment.

    Args:
        state: State of the app.
        account: Account of the curator.
        record_ids: Ids of the selected records; empty without a selection.
    """
    acts = CuratorActs(state.workspace, state.store, account.name)
    people = [person.name for person in Accounts(state.store).all() if not person.is_disabled]
    if not record_ids or not people:
        return
    with st.form("item-assign"):
        person = st.selectbox(TEXTS["assign_to"], people, index=None, placeholder=TEXTS["assign_whom"])
        st.caption(TEXTS["assign_why"].format(days=ASSIGNED_FOR.days))
        if st.form_submit_button(TEXTS["assign"]) and person is not None:
            st.session_state[_DONE] = acts.assign(list(record_ids), person, now=clock())
            st.rerun()


def show_assigned(acts: CuratorActs) -> None:
    """Show the last assignment and the reasons for refused ones, with a button that withdraws it."""
    done: AssignedTasks | None = st.session_state.get(_DONE)
    if done is None:
        return
    words = [TEXTS["assigned_n"].format(count=len(done.leases), name=inert(done.name))] if done.leases else []
    words += [
        TEXTS["not_assigned_n"].format(count=count, why=inert(message_of(BenchwrightError(why))))
        for why, count in done.refused
    ]
    left, right = st.columns([5, 1], vertical_alignment="center")
    (left.success if done.leases else left.warning)("  \n".join(words))
    if done.leases and right.button(TEXTS["take_back"], width="stretch"):
        acts.take_back(done, now=clock())
        del st.session_state[_DONE]
        st.rerun()


def show_reopening(state: AppState, account: Account, record_ids: Sequence[str]) -> None:
    """Let a curator reopen decided tasks about records, and show the outcome.

    Args:
        state: State of the app.
        account: Account of the curator.
        record_ids: Ids of the selected records; empty without a selection.
    """
    reopened: ReopenedTasks | None = st.session_state.pop(_REOPENED, None)
    if reopened is not None:
        words = [TEXTS["reopened_n"].format(count=reopened.tasks)] if reopened.tasks else []
        words += [
            TEXTS["not_reopened_n"].format(count=count, why=inert(message_of(BenchwrightError(why))))
            for why, count in reopened.refused
        ]
        (st.success if reopened.tasks else st.warning)("  \n".join(words))
    if not record_ids:
        return
    with st.form("item-reopen"):
        why = st.text_input(TEXTS["reopen_again"], placeholder=TEXTS["act_why_hint"], max_chars=LONGEST_WHY)
        st.caption(TEXTS["reopen_why"])
        if st.form_submit_button(TEXTS["reopen"]):
            acts = CuratorActs(state.workspace, state.store, account.name)
            try:
                st.session_state[_REOPENED] = acts.reopen(list(record_ids), why=why, now=clock())
            except BenchwrightError as error:
                st.error(inert(message_of(error)))
                return
            st.rerun()

"""A curator's actions on items: select an action, preview its changes, confirm it with a reason, and undo it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from benchwright.errors import BenchwrightError
from benchwright.workspace.record_lookup import KnownRecord

from ...items.curator_acts import ACTS, LONGEST_WHY, Act, ActPlan, CuratorActs
from ...items.item_history import known_records
from ...items.item_search import MOST_SELECTED, ItemQuery, ids_of
from ...store.accounts.accounts import Account
from ..base.state import AppState, clock
from ..wording.curator_texts import TEXTS
from ..wording.directed_text import inert
from ..wording.texts import message_of
from .item_assignment import show_assigned, show_assignment, show_reopening

_PLAN, _DONE, _WHY = "items-plan", "items-done", "items-why"


class _ActRequest(NamedTuple):
    """A curator's settings for an action, whose plan stays visible until one of them changes."""

    act: Act
    why: str
    record_ids: tuple[str, ...]
    query: ItemQuery | None
    """The query whose hits are all affected; None if `record_ids` names the affected records."""


def show_acts(state: AppState, account: Account, *, selected: Sequence[str], query: ItemQuery, total: int) -> None:
    """Show the possible actions on the selected items and on all hits of a query.

    Args:
        state: State of the app.
        account: Account of the curator.
        selected: Ids of the selected records.
        query: Query whose hits can all be selected.
        total: Number of its hits.
    """
    acts = CuratorActs(state.workspace, state.store, account.name)
    _show_done(acts)
    show_assigned(acts)
    chosen = list(selected)
    is_all = False
    if total > len(chosen):
        words = TEXTS["select_found"] if total <= MOST_SELECTED else TEXTS["select_first"]
        is_all = st.checkbox(words.format(total=total, most=MOST_SELECTED), key=f"all-{query.to_params()}")
    if not chosen and not is_all:
        st.session_state.pop(_PLAN, None)
        return
    with st.container(border=True, key="item-acts"):
        count = min(total, MOST_SELECTED) if is_all else len(chosen)
        st.markdown(f"**{TEXTS['selected_n'].format(count=count)}**")
        act = st.radio(TEXTS["act_on"], ACTS, format_func=lambda name: TEXTS[f"act_{name}"], key="item-act")
        why = st.text_input(
            TEXTS["act_why"], placeholder=TEXTS["act_why_hint"], max_chars=LONGEST_WHY, key="item-act-why"
        )
        request = _ActRequest(act, why, tuple(chosen), query if is_all else None)
        if st.button(TEXTS["act_plan"]):
            with st.spinner(TEXTS["reading"]):
                _plan(state, acts, request)
        if st.session_state.get(_PLAN, (None,))[0] == request:
            _show_plan(acts, st.session_state[_PLAN][1], why)
    found = state.items.reading(lambda index: ids_of(index, query)) if is_all else chosen
    show_assignment(state, account, found)
    show_reopening(state, account, found)


def _plan(state: AppState, acts: CuratorActs, request: _ActRequest) -> None:
    """Plan the changes of an action, and keep the plan until the curator confirms it."""
    query, record_ids = request.query, request.record_ids

    def records_in(index: sqlite3.Connection) -> list[KnownRecord]:
        return known_records(index, record_ids if query is None else ids_of(index, query))

    try:
        plan = acts.plan(request.act, state.items.reading(records_in), why=request.why)
    except BenchwrightError as error:
        st.error(inert(message_of(error)))
        st.session_state.pop(_PLAN, None)
        return
    st.session_state[_PLAN] = (request, plan)


def _show_plan(acts: CuratorActs, plan: ActPlan, why: str) -> None:
    """Describe the planned changes, and make them once the curator confirms."""
    count = len(plan.record_ids) if plan.act != "undo" else len(plan.overrides)
    st.markdown(TEXTS[f"would_{plan.act}"].format(count=count))
    for message, times in plan.refused:
        st.markdown(TEXTS["would_not"].format(count=times, why=inert(message)))
    if not count:
        return
    st.caption(TEXTS["act_after_undo" if plan.act == "undo" else "act_after"])
    yes, no, _ = st.columns([2, 1, 4])
    if yes.button(TEXTS[f"do_{plan.act}"].format(count=count), type="primary", width="stretch"):
        try:
            done = acts.do(plan, why=why, now=clock())
        except BenchwrightError as error:
            st.error(inert(message_of(error)))
            return
        st.session_state[_DONE] = ActPlan(plan.act, done, ())
        st.session_state.pop(_PLAN, None)
        st.rerun()
    if no.button(TEXTS["cancel"], width="stretch"):
        st.session_state.pop(_PLAN, None)
        st.rerun()


def _show_done(acts: CuratorActs) -> None:
    """Show the last action, with a button that undoes it."""
    done: ActPlan | None = st.session_state.get(_DONE)
    if done is None:
        return
    left, right = st.columns([5, 1], vertical_alignment="center")
    left.success(TEXTS[f"did_{done.act}"].format(count=len(done.overrides)))
    if done.act != "undo" and done.overrides and right.button(TEXTS["undo_this"], width="stretch"):
        try:
            undone = acts.do(ActPlan("undo", done.overrides, ()), now=clock())
        except BenchwrightError as error:  # another curator undid it meanwhile
            st.error(inert(message_of(error)))
            return
        st.session_state[_DONE] = ActPlan("undo", undone, ())
        st.rerun()

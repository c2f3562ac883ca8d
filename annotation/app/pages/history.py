"""An annotator's own decisions, each to be opened and changed."""

from __future__ import annotations

import streamlit as st

from ...store import Campaign
from ...workflow.task_queue import GivenDecision, HistoryEntry
from ..base.directed_text import show_text
from ..base.option_letters import question_in_words
from ..base.request import PageRequest
from ..base.texts import TEXTS
from .review import TASK

AT_ONCE = 50
"""Decisions that the page shows, and shows more each time it is asked."""
SEARCHED = 2000
"""The latest so many decisions are searched for words."""


def show(visit: PageRequest, *, review: st.Page) -> None:
    """List what somebody decided in a campaign, the latest first."""
    words = st.text_input(TEXTS["find"], placeholder=TEXTS["find_hint"], max_chars=200).strip().casefold()
    shown = st.session_state.setdefault("history-shown", AT_ONCE)
    past = visit.desk.history(limit=SEARCHED if words else shown + 1)
    if not past:
        st.info(TEXTS["nothing_said"])
        return
    st.caption(TEXTS["history_why"])
    found = [one for one in past if words in " · ".join(_about(one, visit.campaign)).casefold()]
    if not found:
        st.info(TEXTS["nothing_found"])
    for one in found[:shown]:
        _show_line(one, visit.campaign, review)
    if len(found) > shown and st.button(TEXTS["more"]):
        st.session_state["history-shown"] = shown + AT_ONCE
        st.rerun()


def _show_line(one: HistoryEntry, campaign: Campaign, review: st.Page) -> None:
    when, what, about, act = st.columns([1.2, 1.4, 5, 0.9], vertical_alignment="center")
    when.text(f"{one.said.submitted_at:%d %b %H:%M}")
    words = _in_words(one.said, campaign)
    what.text(words if one.said.version == 1 else f"{words} ({TEXTS['changed']})")
    show_text(about, *_about(one, campaign))
    if act.button(TEXTS["open"], key=f"open-{one.task_id}", disabled=not one.is_current):
        st.switch_page(review, query_params={TASK: str(one.task_id), "campaign": campaign.name})


def _about(one: HistoryEntry, campaign: Campaign) -> list[str]:
    """Return what a line says of a decision: the item, what was said of it before and now, how long it took."""
    before = ", ".join(f"{_in_words(said, campaign)} ({said.submitted_at:%d %b %H:%M})" for said in one.earlier)
    parts = [
        one.item.task,
        question_in_words(one.item),
        _told(one.said, campaign),
        ", ".join(TEXTS.get(f"edited_{name}", name) for name in one.said.edits or {}),
        one.said.note,
        TEXTS["first_said"].format(before=before) if before else "",
        *(f"⚑ {remark.words}".strip() if remark.is_flag else remark.words for remark in one.remarks),
        "" if one.said.active_s is None else TEXTS["took"].format(seconds=round(one.said.active_s)),
    ]
    return [part for part in parts if part]


def _in_words(said: GivenDecision, campaign: Campaign) -> str:
    if campaign.form.typed is not None:
        return TEXTS["taken_by_field"]
    return TEXTS.get(said.decision, said.decision)


def _told(said: GivenDecision, campaign: Campaign) -> str:
    form = campaign.form.typed
    if form is not None:
        return form.describe(said.fields or {})
    return ", ".join(code.replace("_", " ") for code in said.reasons)

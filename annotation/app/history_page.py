"""An annotator's own decisions, each to be opened and changed."""

from __future__ import annotations

import streamlit as st

from ..desk import Past
from ..form import form_of
from ..store import Campaign
from .review_page import TASK
from .texts import TEXTS
from .visit import Visit


def show(visit: Visit, *, review: st.Page) -> None:
    """List what somebody decided in a campaign, the latest first."""
    past = visit.desk.history()
    if not past:
        st.info(TEXTS["nothing_said"])
        return
    st.caption(TEXTS["history_why"])
    for one in past:
        _show_line(one, visit.campaign, review)


def _show_line(one: Past, campaign: Campaign, review: st.Page) -> None:
    when, what, about, act = st.columns([1.2, 1.4, 5, 0.9], vertical_alignment="center")
    when.text(f"{one.said.submitted_at:%d %b %H:%M}")
    form = form_of(campaign.form)
    told = "" if form is None else form.told(one.said.fields or {})
    words = TEXTS["taken_by_field"] if told else TEXTS.get(one.said.decision, one.said.decision)
    what.text(words if one.said.version == 1 else f"{words} ({TEXTS['changed']})")
    reasons = ", ".join(code.replace("_", " ") for code in one.said.reasons)
    edited = ", ".join(TEXTS.get(f"edited_{name}", name) for name in one.said.edits or {})
    parts = (one.item.task, one.item.question, reasons, told, edited, one.said.note)
    about.text(" · ".join(part for part in parts if part))
    if act.button(TEXTS["open"], key=f"open-{one.task_id}", disabled=not one.is_current):
        st.switch_page(review, query_params={TASK: str(one.task_id), "campaign": campaign.name})

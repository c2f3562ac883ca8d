"""The curator's page of flags and comments: what annotators say about tasks beside deciding them."""

from __future__ import annotations

import streamlit as st

from benchwright.errors import BenchwrightError

from ...store.submissions.comments import Comment
from ..base.directed_text import show_text
from ..base.request import PageRequest
from ..base.state import clock
from ..base.texts import TEXTS
from .review import inert


def show(visit: PageRequest) -> None:
    """List what is open in a campaign, flags first, each to be settled."""
    st.caption(TEXTS["flags_why"])
    found = visit.site.store.remarks(visit.campaign.name)
    if not found:
        st.info(TEXTS["no_flags"])
    for one in found:
        _show_line(one, visit)


def _show_line(one: Comment, visit: PageRequest) -> None:
    when, who, about, act = st.columns([1.2, 1.2, 5.4, 0.9], vertical_alignment="center")
    when.text(f"{one.made_at:%d %b %H:%M}")
    who.text(f"⚑ {one.annotator}" if one.is_flag else one.annotator)
    lines = about.container(gap=None)
    if one.words:
        show_text(lines, one.words)
    show_text(lines, *(part for part in (one.question, one.item_id) if part))
    if act.button(TEXTS["settle"], key=f"settle-{one.id}"):
        try:
            visit.site.store.settle_remark(visit.campaign.name, one.id, by=visit.account.name, now=clock())
        except BenchwrightError as error:  # somebody else has settled it meanwhile
            st.error(inert(str(error)))
            return
        st.rerun()

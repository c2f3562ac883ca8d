"""Doubts about annotators, and controls for setting their votes aside and restoring them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from benchwright.errors import BenchwrightError

from ...agreement.annotator_quality import RaterQuality, RightOf
from ...forms.kinds import AUTHORED_KINDS
from ...progress.overview import Overview
from ...store.campaigns.set_asides import SetAside
from ...workflow.set_asides import set_votes_aside, take_votes_back
from ..base.request import PageRequest
from ..base.state import clock
from ..base.tables import show_rows
from ..wording.curator_texts import TEXTS
from ..wording.directed_text import inert
from ..wording.texts import message_of

_DONE = "set-asides-done"


def show_doubts(qualities: Sequence[RaterQuality]) -> None:
    """Show the doubts about each annotator's decisions in words; nothing if there are none."""
    for quality in qualities:
        if quality.doubts:
            words = "; ".join(TEXTS[f"doubt_{doubt}"] for doubt in quality.doubts)
            st.warning(inert(TEXTS["doubt_of"].format(name=quality.rater, words=words)))


def show_set_asides(request: PageRequest, overview: Overview, names: Sequence[str]) -> None:
    """Show the annotators whose votes are set aside, restore votes, and set aside the votes of one of `names`."""
    if request.campaign.is_simulated or request.campaign.kind in AUTHORED_KINDS:
        return
    aside = overview.set_aside()
    if (done := st.session_state.pop(_DONE, None)) is not None:
        st.success(inert(done))
    if not aside and not names:
        return
    st.subheader(TEXTS["set_aside"])
    st.caption(TEXTS["set_aside_why"])
    if aside:
        judged = {TEXTS["on_gold"]: overview.gold(is_aside=True), TEXTS["attention"]: overview.attention(is_aside=True)}
        show_rows([_row(each, judged) for each in aside], label=TEXTS["set_aside"])
        _offer_to_take_back(request, [each.annotator for each in aside])
    if names:
        _offer_to_set_aside(request, names)


def _row(each: SetAside, judged: Mapping[str, Mapping[str, RightOf]]) -> dict[str, object]:
    return {
        TEXTS["name"]: each.annotator,
        TEXTS["set_aside_votes"]: each.votes,
        **{what: share_in_words(*of.get(each.annotator, RightOf(0, 0)).shared) for what, of in judged.items() if of},
        TEXTS["set_aside_by"]: each.by,
        TEXTS["set_aside_reason"]: each.why,
        TEXTS["practice_when"]: each.at,
    }


def share_in_words(share: float | None, units: int) -> str:
    """Return words for a share, 0-1, and the number of units it refers to."""
    return TEXTS["undefined"] if share is None else TEXTS["of"].format(share=share, n=units)


def _offer_to_take_back(request: PageRequest, names: Sequence[str]) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        name = st.selectbox(TEXTS["take_back_whom"], names, width=280)
        if st.button(TEXTS["take_back"]):
            try:
                taken = take_votes_back(
                    request.state.store, request.campaign.name, name, by=request.account.name, now=clock()
                )
            except BenchwrightError as error:
                st.error(inert(message_of(error)))
                return
            stay = TEXTS["stay_aside"].format(count=taken.replaced + taken.held)
            words = TEXTS["was_taken_back"].format(name=name, count=taken.votes)
            st.session_state[_DONE] = f"{words} {stay}" if taken.replaced + taken.held else words
            st.rerun()


def _offer_to_set_aside(request: PageRequest, names: Sequence[str]) -> None:
    with st.form("set-aside", clear_on_submit=False):
        name = st.selectbox(TEXTS["set_aside_whom"], names)
        why = st.text_input(TEXTS["set_aside_reason"], help=TEXTS["set_aside_logged"])
        if st.form_submit_button(TEXTS["set_aside_do"]):
            try:
                votes = set_votes_aside(
                    request.state.store, request.campaign.name, name, by=request.account.name, why=why, now=clock()
                )
            except BenchwrightError as error:
                st.error(inert(message_of(error)))
                return
            st.session_state[_DONE] = TEXTS["was_set_aside"].format(name=name, count=votes)
            st.rerun()

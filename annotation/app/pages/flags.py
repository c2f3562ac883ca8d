"""The curator's page of flags and comments, which annotators make on tasks beside their decisions."""

from __future__ import annotations

import streamlit as st

from benchwright.errors import BenchwrightError

from ...store.submissions.comments import Comment
from ..base.page_formulas import show_page_formulas, show_text
from ..base.request import PageRequest
from ..base.state import clock
from ..base.tables import THUMBNAIL_STYLE, thumbnail_html
from ..item_pages.items import ITEM
from ..languages.language import chosen_language
from ..routes.tasks import picture_url
from ..wording.curator_texts import TEXTS as CURATOR_TEXTS
from ..wording.directed_text import inert
from ..wording.texts import TEXTS, message_of


def show_flags(request: PageRequest, *, item: st.Page) -> None:
    """List the open flags and comments of a campaign, flags first, each with its item and a button to settle it."""
    st.caption(TEXTS["flags_why"])
    comments = request.state.store.remarks(request.campaign.name)
    if not comments:
        st.info(TEXTS["no_flags"])
    else:
        show_page_formulas()
        st.html(f"<style>{THUMBNAIL_STYLE}</style>")
    for comment in comments:
        _show_line(comment, request, item)


def _show_line(comment: Comment, request: PageRequest, item: st.Page) -> None:
    widths = [1.1, 1.1, 0.9, 3.7, 1.2, 0.9]
    time, annotator, picture, text, link, button = st.columns(widths, vertical_alignment="center")
    time.text(chosen_language().date_and_time(comment.made_at))
    annotator.text(f"⚑ {comment.annotator}" if comment.is_flag else comment.annotator)
    picture.html(thumbnail_html(picture_url(comment.task_id, 0)))
    lines = text.container(gap=None)
    name = request.state.pictures.called(comment.item_id, digits=64)
    if comment.words:
        show_text(lines, comment.words)
    show_text(lines, *(part for part in (comment.question, name) if part))
    link.page_link(item, label=CURATOR_TEXTS["see_item"], query_params={ITEM: comment.item_id})
    if button.button(TEXTS["settle"], key=f"settle-{comment.id}"):
        try:
            request.state.store.settle_remark(request.campaign.name, comment.id, by=request.account.name, now=clock())
        except BenchwrightError as error:  # another curator has settled it meanwhile
            st.error(inert(message_of(error)))
            return
        st.rerun()

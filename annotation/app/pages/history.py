"""The page of an annotator's own decisions, with buttons to open and change each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from ...forms.submission import Submission
from ...store.conversations.discussions import post_counts
from ...store.database.records import Campaign
from ...workflow.task_queue import HistoryEntry
from ..base.attention_words import attention_in_language
from ..base.option_letters import question_in_words
from ..base.own_texts import form_in_language
from ..base.page_formulas import show_page_formulas, show_text
from ..base.request import PageRequest
from ..languages.language import chosen_language
from ..wording.conversation_texts import TEXTS as TALK
from ..wording.texts import TEXTS, title_of, words_of_code
from .campaign_menu import CAMPAIGN
from .discussion import ITEM
from .review import TASK

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

_PAGE_SIZE = 50
"""Number of decisions that the page shows at first, and adds each time."""
_SEARCHED = 2000
"""Number of latest decisions that a text search covers."""


def show_history(request: PageRequest, *, review: st.Page, discussion: st.Page) -> None:
    """List an annotator's decisions in a campaign, latest first; in a closed campaign, link each to its discussion.

    Args:
        request: Request of the page.
        review: Page for changing a decision.
        discussion: Page for discussing an item.
    """
    words = st.text_input(TEXTS["find"], placeholder=TEXTS["find_hint"], max_chars=200).strip().casefold()
    count = st.session_state.setdefault("history-shown", _PAGE_SIZE)
    entries = request.queue.history(limit=_SEARCHED if words else count + 1)
    if not entries:
        st.info(TEXTS["nothing_said"])
        return
    st.caption(TEXTS["history_why"])
    show_page_formulas()
    matches = [entry for entry in entries if words in " · ".join(_description(entry, request.campaign)).casefold()]
    if not matches:
        st.info(TEXTS["nothing_found"])
    posts = None
    if request.campaign.is_closed:
        with request.state.store.reading() as connection:
            posts = post_counts(connection, request.campaign)
    for entry in matches[:count]:
        button = _show_line(entry, request.campaign, review)
        if posts is not None:
            _offer_discussion(button, entry, posts.get(entry.annotation.item_id, 0), request.campaign, discussion)
    if len(matches) > count and st.button(TEXTS["more"]):
        st.session_state["history-shown"] = count + _PAGE_SIZE
        st.rerun()


def _offer_discussion(
    place: DeltaGenerator, entry: HistoryEntry, posts: int, campaign: Campaign, discussion: st.Page
) -> None:
    label = TALK["discuss_n"].format(count=posts) if posts else TALK["discuss"]
    query = {CAMPAIGN: campaign.name, ITEM: entry.annotation.item_id}
    place.page_link(discussion, label=label, query_params=query)


def _show_line(entry: HistoryEntry, campaign: Campaign, review: st.Page) -> DeltaGenerator:
    """Show one decision, and return the slot for its buttons."""
    time, decision, description, button = st.columns([1.2, 1.4, 5, 0.9], vertical_alignment="center")
    time.text(chosen_language().date_and_time(entry.annotation.submitted_at))
    words = _decision_words(entry.annotation, campaign)
    decision.text(words if entry.annotation.version == 1 else f"{words} ({TEXTS['changed']})")
    show_text(description, *_description(entry, campaign))
    if button.button(TEXTS["open"], key=f"open-{entry.task_id}", disabled=not entry.is_current):
        st.switch_page(review, query_params={TASK: str(entry.task_id), CAMPAIGN: campaign.name})
    return button


def _description(entry: HistoryEntry, campaign: Campaign) -> list[str]:
    """Return the texts of a line: the item, the decision's details, earlier decisions, comments, and time spent."""
    before = ", ".join(
        f"{_decision_words(version, campaign)} ({chosen_language().date_and_time(version.submitted_at)})"
        for version in entry.earlier
    )
    parts = [
        title_of(entry.item.task),
        question_in_words(attention_in_language(entry.item)),
        _detail_words(entry.annotation, campaign),
        ", ".join(TEXTS.get(f"edited_{name}", name) for name in entry.annotation.edits or {}),
        entry.annotation.note,
        TEXTS["first_said"].format(before=before) if before else "",
        *(f"⚑ {comment.words}".strip() if comment.is_flag else comment.words for comment in entry.remarks),
        "" if entry.annotation.active_s is None else TEXTS["took"].format(seconds=round(entry.annotation.active_s)),
    ]
    return [part for part in parts if part]


def _decision_words(submission: Submission, campaign: Campaign) -> str:
    if campaign.form.typed is not None:
        return TEXTS["taken_by_field"]
    return TEXTS.get(submission.decision, submission.decision)


def _detail_words(submission: Submission, campaign: Campaign) -> str:
    """Return words for the fields of a typed form, or else for the reasons."""
    form = form_in_language(campaign.form.typed)
    if form is not None:
        return form.describe(submission.fields or {})
    return ", ".join(words_of_code(code) for code in submission.reasons)

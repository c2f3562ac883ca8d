"""The page on which annotators and curators discuss an item that is no longer open for judgment."""

from __future__ import annotations

import streamlit as st

from benchwright.errors import BenchwrightError

from ...forms.task_content import content_in
from ...store.accounts.accounts import Account
from ...store.campaigns.adjudications import has_opened, note_seen
from ...store.conversations.discussions import (
    LONGEST,
    add_post,
    decisions_on,
    discussed_task,
    may_be_discussed,
    posts_on,
)
from ...store.database.records import Campaign
from ..base.option_letters import captions, question_in_words
from ..base.page_formulas import show_page_formulas, show_text
from ..base.request import PageRequest
from ..base.state import AppState, clock
from ..item_pages.item_sections import ITEM_STYLE, linked_pictures_html, options_html
from ..languages.language import chosen_language
from ..routes.tasks import picture_url
from ..wording.conversation_texts import TEXTS
from ..wording.directed_text import inert
from ..wording.texts import TEXTS as APP_TEXTS
from ..wording.texts import message_of

ITEM = "item"
"""Query parameter with the id of the item."""
_LONGEST_ID = 200


def task_to_discuss(state: AppState, account: Account, campaign: Campaign, item_id: str) -> int | None:
    """Return the task whose item an account may discuss, or None if it may not.

    Annotators may discuss items that they decided, curators and adjudicators every item of the campaign.
    """
    of = account.name if account.role == "annotator" else None
    with state.store.reading() as connection:
        if not may_be_discussed(connection, campaign, item_id):
            return None
        return discussed_task(connection, campaign, item_id, of=of)


def show_discussion(request: PageRequest) -> None:
    """Show an item with its key, all decisions and its posts, and accept another post."""
    item_id = st.query_params.get(ITEM, "")[:_LONGEST_ID]
    task_id = task_to_discuss(request.state, request.account, request.campaign, item_id)
    payload = None if task_id is None else request.state.store.payload(task_id)
    if task_id is None or payload is None:
        st.info(TEXTS["no_discussion"])
        return
    _note_seen(request, task_id)
    content = content_in(payload)
    st.html(ITEM_STYLE)
    show_page_formulas()
    left, right = st.columns([3, 2], gap="large")
    pictures = [
        (picture_url(task_id, place), picture_url(task_id, place, marks=True) if image.prompts else None, name)
        for place, (image, name) in enumerate(zip(content.images, captions(content), strict=False))
    ]
    left.html(linked_pictures_html(pictures))
    with right:
        st.html(options_html(question_in_words(content), content))
        st.caption(TEXTS["discussion_why"])
        with request.state.store.reading() as connection:
            decisions = decisions_on(connection, task_id)
            posts = posts_on(connection, request.campaign, item_id)
        counted = [
            TEXTS["decided_n"].format(decision=APP_TEXTS.get(code, code), count=count)
            for code, count in decisions.items()
        ]
        show_text(st.container(gap=None), *counted)
        st.subheader(TEXTS["discussion"], anchor=False)
        if not posts:
            st.caption(TEXTS["no_posts"])
        for post in posts:
            with st.container(border=True, key=f"post-{post.id}"):
                st.caption(f"{inert(post.author)} · {chosen_language().date_and_time(post.posted_at)}")
                show_text(st.container(gap=None), post.words)
        _take_post(request, item_id)


def _note_seen(request: PageRequest, task_id: int) -> None:
    """Record that the account sees the key and every decision; the page runs often but writes the record once."""
    store, name = request.state.store, request.account.name
    with store.reading() as connection:
        is_noted = has_opened(connection, task_id, name)
    if not is_noted:
        with store.writing() as connection:
            note_seen(connection, task_id, name, now=clock())


def _take_post(request: PageRequest, item_id: str) -> None:
    with st.form("post", clear_on_submit=True):
        words = st.text_area(TEXTS["post_words"], max_chars=LONGEST)
        if not st.form_submit_button(TEXTS["post"], type="primary"):
            return
    try:
        with request.state.store.writing() as connection:
            add_post(connection, request.campaign, item_id, words or "", author=request.account.name, now=clock())
    except BenchwrightError as error:
        st.error(inert(message_of(error)))
        return
    st.rerun()

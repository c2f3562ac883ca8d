"""The curator's page of one image or item: its content, its whole history, and the possible acts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from typing import Any

import streamlit as st
from pydantic import ValidationError

from benchwright.errors import BenchwrightError
from benchwright.workspace.workspace import Workspace

from ...forms.submission import Submission
from ...forms.task_content import TaskContent
from ...items.curator_acts import CuratorActs, may_be_decided
from ...items.item_history import RecordHistory, ReviewedTask, item_history
from ...items.item_search import states_of
from ...store.accounts.accounts import Account
from ...store.conversations.discussions import may_be_discussed, posts_on
from ..auth.known_pages import discussion_address
from ..base.option_letters import captions, question_in_words
from ..base.page_formulas import show_page_formulas
from ..base.state import AppState, clock
from ..item_grid.record_tiles import ITEM
from ..wording.conversation_texts import TEXTS as TALK
from ..wording.curator_texts import ITEM_STATES, TEXTS, words_for
from ..wording.directed_text import inert
from ..wording.texts import TEXTS as APP_TEXTS
from ..wording.texts import message_of
from .example_forms import show_example_forms
from .item_acts import show_acts
from .item_assignment import show_assignment, show_reopening
from .item_sections import ITEM_STYLE, options_html, pictures_html, show_sections
from .items import last_query

_LONGEST_ID = 200
_DONE = "task-done"


def show_item(
    state: AppState,
    account: Account,
    *,
    items_page: Callable[[], st.Page],
    item_page: Callable[[], st.Page],
) -> None:
    """Show the record that the URL names.

    Args:
        state: State of the app.
        account: Account of the curator.
        items_page: Function that returns the page of all items.
        item_page: Function that returns this page.
    """
    st.html(ITEM_STYLE)
    st.page_link(items_page(), label=TEXTS["back_to_items"], icon=":material/arrow_back:", query_params=last_query())
    history = _read(state, st.query_params.get(ITEM, "")[:_LONGEST_ID])
    if history is None:
        st.info(TEXTS["no_such_item"])
        return
    record_id = history.record.record_id
    show_page_formulas()
    left, right = st.columns([3, 2], gap="large")
    content = _content_of(history)
    with left:
        names = captions(content) if content is not None else [history.source.get("source_uri", record_id[:12])]
        st.html(pictures_html(record_id, _marked(history), names))
    acts = CuratorActs(state.workspace, state.store, account.name)
    is_hidden = acts.may_be_asked(history)
    if not is_hidden:
        acts.note_looked(history, now=clock())
    with right:
        _show_head(state, history, content, shows_key=not is_hidden)
        _show_links(history, items_page, item_page)
        if history.tasks:
            _show_discussions(state, history)
        if is_hidden:
            _offer_to_look(acts, history)
        show_acts(state, account, selected=[record_id])
        show_assignment(
            state, account, [record_id] if any(task.facts.state == "open" for task in history.tasks) else []
        )
        if not is_hidden:
            decided = any(task.facts.state == "done" for task in history.tasks)
            show_reopening(state, account, [record_id] if decided else [])
            _show_deciding(state, account, history)
    if not is_hidden:
        show_example_forms(state, account, history.tasks)
        show_sections(history)


def _content_of(history: RecordHistory) -> TaskContent | None:
    """Return the newest content of an item, or None for images and unreadable contents."""
    try:
        return TaskContent.model_validate(history.content) if history.content else None
    except ValidationError:
        return None


def _read(state: AppState, record_id: str) -> RecordHistory | None:
    with st.spinner(TEXTS["reading"]):
        try:
            state.items.refresh()
            return item_history(Workspace(state.workspace), state.store, state.items, record_id)
        except BenchwrightError as error:
            st.error(TEXTS["index_failed"].format(why=inert(message_of(error))))
            st.stop()


def _marked(history: RecordHistory) -> list[bool]:
    """Return for each picture of a record whether it has marks."""
    images: list[Mapping[str, Any]] = list(history.content.get("images", ()))
    return [bool(image.get("prompts")) for image in images] if images else [False] * bool(history.source)


def _show_head(state: AppState, history: RecordHistory, content: TaskContent | None, *, shows_key: bool) -> None:
    states = state.items.reading(lambda connection: states_of(connection, history.record.record_id))
    st.caption(" · ".join(ITEM_STATES.get(name, name) for name in states))
    if content is None:
        st.subheader(inert(history.source.get("source_uri", history.record.record_id)))
        return
    st.caption(f"{words_for(content.task)} · {history.record.record_id}")
    st.html(options_html(question_in_words(content), content, shows_key=shows_key))


def _offer_to_look(acts: CuratorActs, history: RecordHistory) -> None:
    """State that key and votes are hidden because the account may still judge the item, and show them on request."""
    st.info(TEXTS["still_asked"])
    if st.button(TEXTS["look"]):
        acts.note_looked(history, now=clock())
        st.rerun()


def _show_links(history: RecordHistory, items_page: Callable[[], st.Page], item_page: Callable[[], st.Page]) -> None:
    st.page_link(items_page(), label=TEXTS["find_alike"], query_params={"like": history.record.record_id})
    if history.content.get("question"):
        query = {"like": history.record.record_id, "alike": "question"}
        st.page_link(items_page(), label=TALK["find_questions"], query_params=query)
    root = history.record.root_image_id
    if root and root != history.record.record_id:
        st.page_link(item_page(), label=TEXTS["source_picture"], query_params={ITEM: root})


def _show_discussions(state: AppState, history: RecordHistory) -> None:
    """Link to the item's discussion in each campaign in which annotators may discuss it, or state when they may."""
    record_id = history.record.record_id
    campaigns = {task.campaign.name: task.campaign for task in history.tasks}
    with state.store.reading() as connection:
        posts = {
            campaign.name: len(posts_on(connection, campaign, record_id))
            for campaign in campaigns.values()
            if may_be_discussed(connection, campaign, record_id)
        }
    for name, count in posts.items():
        label = TALK["discuss_n"].format(count=count) if count else TALK["discuss"]
        address = escape(discussion_address(name, record_id), quote=True)
        st.html(f'<div class="benchwright-own"><a href="{address}" target="_self">{escape(label)}</a></div>')
    if not posts:
        st.caption(TALK["discussion_later"])


def _show_deciding(state: AppState, account: Account, history: RecordHistory) -> None:
    """Let a curator decide or reopen divided tasks as an adjudicator, or state why that is impossible."""
    if (done := st.session_state.pop(_DONE, None)) is not None:
        st.success(TEXTS[done])
    open_to_them = [task for task in history.tasks if may_be_decided(task, account.name)]
    for task in open_to_them:
        _show_task_form(state, account, task)
    if history.tasks and not open_to_them:
        st.caption(TEXTS["cannot_decide"].format(rule="adjudicated(unanimous(2))"))
    if any(task.facts.state == "open" for task in history.tasks):
        st.caption(TEXTS["looked"])


def _show_task_form(state: AppState, account: Account, task: ReviewedTask) -> None:
    number = task.facts.task_id
    with st.container(border=True, key=f"decide-{number}"):
        st.markdown(f"**{TEXTS['decide_here']}**")
        st.caption(TEXTS["decide_why"].format(campaign=inert(task.campaign.name)))
        decisions = {"accept": "accept_task", "reject": "reject_task", "send_back": "reopen_task"}
        decision = st.radio(
            APP_TEXTS["decision"],
            list(decisions),
            format_func=lambda code: TEXTS[decisions[code]],
            key=f"decision-{number}",
            horizontal=True,
        )
        reasons: list[str] = []
        if decision == "reject" and task.campaign.form.reasons:
            reasons = st.multiselect(
                APP_TEXTS["reasons"], task.campaign.form.reasons, format_func=words_for, key=f"reasons-{number}"
            )
        note = st.text_input(APP_TEXTS["note"], max_chars=2000, key=f"note-{number}")
        st.caption(TEXTS["confirm_reopen" if decision == "send_back" else "confirm_task"])
        if st.button(TEXTS["do_it"], type="primary", key=f"do-{number}"):
            submission = Submission(decision, reasons=tuple(reasons), note=note.strip() or None)
            try:
                CuratorActs(state.workspace, state.store, account.name).decide_task(task, submission, now=clock())
            except BenchwrightError as error:
                st.error(inert(message_of(error)))
                return
            st.session_state[_DONE] = "task_reopened" if decision == "send_back" else "task_decided"
            st.rerun()

"""Guidelines next to the task, and the route for their pictures."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from benchwright.errors import DataError, UnreadableImage

from ...forms.task_content import content_in
from ...store.accounts.accounts import Account
from ...store.campaigns.guidelines import Guidelines
from ...store.submissions.examples import Examples, FieldExample
from ...workflow.task_queue import is_id
from ..auth.middleware import ACCOUNT
from ..base.guidelines_html import guidelines_html
from ..base.option_letters import captions, question_in_words
from ..base.own_texts import guidelines_in_language
from ..base.page_formulas import html_with_formulas, show_page_formulas
from ..base.request import PageRequest
from ..base.state import AppState
from ..wording.directed_text import LEFT_TO_RIGHT, RIGHT_TO_LEFT, runs_right_to_left
from ..wording.texts import TEXTS

_HEADERS = {"Cache-Control": "private, max-age=86400, immutable"}
"""Browsers may cache pictures because a version of the guidelines never changes."""
_IS_OPEN = "guidelines-are-open"


def guideline_routes(state: AppState) -> list[Route]:
    """Return the routes of pictures within guidelines and of examples; the session middleware protects them."""

    async def picture(request: Request) -> Response:
        number, place = request.path_params["version"], request.path_params["place"]
        guidelines = Guidelines(state.store)
        image = await run_in_threadpool(guidelines.picture, number, place) if is_id(number) and place < 1000 else None
        if image is None:
            return PlainTextResponse("there is no such picture\n", 404)
        return Response(image.data, media_type=image.media_type, headers=_HEADERS)

    def send_example(request: Request) -> Response:
        account = request.scope[ACCOUNT]
        assert isinstance(account, Account)  # the session middleware requires an account
        number, place = request.path_params["example"], request.path_params["place"]
        example = Examples(state.store).one_for(number, account.name) if is_id(number) else None
        shown = () if example is None else content_in(example.payload).images
        if not 0 <= place < len(shown):
            return PlainTextResponse("there is no such picture for you\n", 404)
        try:
            preview = state.pictures.picture(shown[place])
        except (DataError, UnreadableImage):
            return PlainTextResponse("cannot be shown\n", 410)
        return Response(preview.data, media_type=preview.media_type, headers={"Cache-Control": "private, no-cache"})

    async def example_picture(request: Request) -> Response:
        return await run_in_threadpool(send_example, request)

    return [
        Route("/guidelines/{version:number}/{place:number}", picture),
        Route("/examples/{example:number}/{place:number}", example_picture),
    ]


def show_guidelines(request: PageRequest) -> None:
    """Show a button in the page's head that opens the newest guidelines next to the task, if there are any."""
    newest = Guidelines(request.state.store).newest(request.campaign)
    examples = Examples(request.state.store).shown_to(request.campaign, request.account.name)
    if newest is None and not examples:
        return
    is_open = st.session_state.get(_IS_OPEN, False)
    request.head.button(
        TEXTS["guidelines_close" if is_open else "guidelines"],
        key="guidelines-open",
        icon=":material/close:" if is_open else ":material/menu_book:",
        on_click=_open_or_close,
    )
    if not is_open:
        st.empty()  # the next elements keep their place on the page, and so their state
        return
    beside = st.container(key="guidelines-beside")
    if newest is not None:
        beside.caption(TEXTS["guidelines_version"].format(version=newest.version))
        text = guidelines_in_language(newest.text)
        key = RIGHT_TO_LEFT if runs_right_to_left(text) else LEFT_TO_RIGHT
        shown = guidelines_html(newest._replace(text=text), html_with_formulas)
        beside.container(key=f"{key}-guidelines").html(f'<div class="bw-guidelines">{shown}</div>')
        with beside:
            show_page_formulas()
    if examples:
        beside.html(_examples_html(examples))


def _open_or_close() -> None:
    st.session_state[_IS_OPEN] = not st.session_state.get(_IS_OPEN, False)


def _examples_html(examples: Sequence[FieldExample]) -> str:
    """Return a list of examples, accepted ones first, each with pictures, question and explanation."""
    entries = []
    for example in sorted(examples, key=lambda example: not example.is_accepted):
        content = content_in(example.payload)
        pictures = "".join(
            f'<img src="/examples/{example.id}/{place}" alt="{escape(TEXTS["alt"].format(caption=caption))}" '
            'loading="lazy" style="max-width: 48%; max-height: 11rem; margin: 0 .4rem .3rem 0; border-radius: 6px;">'
            for place, caption in enumerate(captions(content))
        )
        verdict = TEXTS["example_accepted" if example.is_accepted else "example_rejected"]
        entries.append(
            f'<li style="margin: 0 0 1rem;">{pictures}<br><strong>{escape(verdict)}</strong> '
            f'<bdi dir="auto">{escape(question_in_words(content))}</bdi><br>'
            f'<bdi dir="auto">{escape(example.words)}</bdi></li>'
        )
    items = "".join(entries)
    return f'<h3>{escape(TEXTS["examples"])}</h3><ul style="list-style: none; padding: 0;">{items}</ul>'

"""Guidelines beside the task, with their pictures: which only those get who have a session."""

from __future__ import annotations

import re

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from ...store.campaigns.guidelines import Guidelines, GuidelinesVersion
from ...workflow.task_queue import is_id
from ..base.directed_text import RIGHT_TO_LEFT, runs_right_to_left
from ..base.request import PageRequest
from ..base.state import AppState
from ..base.texts import TEXTS

_PLACED = re.compile(r"\]\(picture:(\d{1,3})\)")
_KEPT = {"Cache-Control": "private, max-age=86400, immutable"}
"""A version never changes."""


def guideline_routes(site: AppState) -> list[Route]:
    """Return the route of pictures within guidelines; the gate in front asks for a session."""

    async def picture(request: Request) -> Response:
        number, place = request.path_params["version"], request.path_params["place"]
        known = Guidelines(site.store)
        found = await run_in_threadpool(known.picture, number, place) if is_id(number) and place < 1000 else None
        if found is None:
            return PlainTextResponse("there is no such picture\n", 404)
        return Response(found.data, media_type=found.media_type, headers=_KEPT)

    return [Route("/guidelines/{version:number}/{place:number}", picture)]


def show_guidelines(visit: PageRequest) -> None:
    """Show the newest version, folded; nothing where there is none."""
    import streamlit as st

    found = Guidelines(visit.site.store).newest(visit.campaign)
    if found is not None:
        folded = st.expander(TEXTS["guidelines"].format(version=found.version))
        key = RIGHT_TO_LEFT if runs_right_to_left(found.text) else "benchwright-guidelines"
        folded.container(key=key).markdown(with_pictures(found))


def with_pictures(found: GuidelinesVersion) -> str:
    """Return the text with the addresses of its pictures."""
    return _PLACED.sub(rf"](/guidelines/{found.id}/\1)", found.text)

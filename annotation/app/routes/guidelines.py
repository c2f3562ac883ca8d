"""Guidelines beside the task, and the route of their pictures."""

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

_PICTURE = re.compile(r"\]\(picture:(\d{1,3})\)")
_HEADERS = {"Cache-Control": "private, max-age=86400, immutable"}
"""Browsers may cache pictures, since a version of the guidelines never changes."""


def guideline_routes(state: AppState) -> list[Route]:
    """Return the route of pictures within guidelines; the session middleware protects it."""

    async def picture(request: Request) -> Response:
        number, place = request.path_params["version"], request.path_params["place"]
        guidelines = Guidelines(state.store)
        image = await run_in_threadpool(guidelines.picture, number, place) if is_id(number) and place < 1000 else None
        if image is None:
            return PlainTextResponse("there is no such picture\n", 404)
        return Response(image.data, media_type=image.media_type, headers=_HEADERS)

    return [Route("/guidelines/{version:number}/{place:number}", picture)]


def show_guidelines(request: PageRequest) -> None:
    """Show a button in the page's head that unfolds the newest guidelines; nothing where there are none."""
    newest = Guidelines(request.state.store).newest(request.campaign)
    if newest is not None:
        folded = request.head.popover(TEXTS["guidelines"])
        folded.caption(TEXTS["guidelines_version"].format(version=newest.version))
        key = RIGHT_TO_LEFT if runs_right_to_left(newest.text) else "benchwright-guidelines"
        folded.container(key=key).markdown(with_pictures(newest))


def with_pictures(version: GuidelinesVersion) -> str:
    """Return the text with the URLs of its pictures in place of their numbers."""
    return _PICTURE.sub(rf"](/guidelines/{version.id}/\1)", version.text)

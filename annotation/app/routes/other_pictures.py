"""Other pictures of a campaign, for annotators who refer to them in a form: search by name, and small versions."""

from __future__ import annotations

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from benchwright.records import ItemImage

from ...store.accounts.accounts import Account
from ...store.campaigns.other_pictures import find_pictures, is_picture_of
from ...workflow.task_queue import is_id, may_see
from ..auth.middleware import ACCOUNT
from ..base.shown_pictures import etag
from ..base.state import AppState, clock
from .picture_response import picture_response

_MOST_FOUND, _MOST_NAMED, _MAX_WORDS = 24, 50, 200


def other_pictures_url(task_id: int) -> str:
    """Return the path under which the other pictures of a task's campaign can be searched."""
    return f"/tasks/{task_id}/pictures"


def other_picture_routes(state: AppState) -> list[Route]:
    """Return the routes for other pictures; the session middleware has already identified the account."""

    async def found(request: Request) -> Response:
        return await run_in_threadpool(_found, request, state)

    async def small(request: Request) -> Response:
        return await run_in_threadpool(_small, request, state)

    path = "/tasks/{task:number}/pictures"
    return [Route(path, found), Route(path + "/{image}", small)]


def _found(request: Request, state: AppState) -> Response:
    """Return pictures with given words in their names, or with given ids, excluding the task's own pictures."""
    task_id = request.path_params["task"]
    if not _is_own(request, state):
        return PlainTextResponse("there is no such task for you\n", 404)
    ids = request.query_params.getlist("id")[:_MOST_NAMED]
    words = request.query_params.get("find", "")[:_MAX_WORDS]
    with state.store.reading() as connection:
        pictures = find_pictures(connection, task_id, words=words, ids=ids, most=_MOST_NAMED if ids else _MOST_FOUND)
    rows: list[dict[str, Any]] = [
        {"id": picture.image_id, "words": picture.name, "src": f"{other_pictures_url(task_id)}/{picture.image_id}"}
        for picture in pictures
    ]
    return JSONResponse({"pictures": rows}, headers={"Cache-Control": "private, no-store"})


def _small(request: Request, state: AppState) -> Response:
    """Return a small version of another picture of a task's campaign."""
    task_id, image_id = request.path_params["task"], request.path_params["image"]
    with state.store.reading() as connection:
        is_there = _is_own(request, state) and is_picture_of(connection, task_id, image_id)
    if not is_there:
        return PlainTextResponse("there is no such picture for you\n", 404)
    image = ItemImage(image_id=image_id, role="reference")
    return picture_response(request, etag(image, "coarse"), lambda: state.pictures.coarse(image))


def _is_own(request: Request, state: AppState) -> bool:
    account = request.scope[ACCOUNT]
    assert isinstance(account, Account)  # the session middleware requires an account
    task_id = request.path_params["task"]
    return is_id(task_id) and may_see(state.store, task_id, account.name, now=clock())

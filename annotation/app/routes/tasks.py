"""Routes of tasks: their pictures and marks, and annotators' drafts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from benchwright.errors import BenchwrightError, DataError, UnreadableImage
from benchwright.records import ItemImage

from ...forms.fields.field_types import Repeated
from ...forms.fields.field_values import MOST_MISTAKES
from ...forms.task_content import content_in
from ...store.accounts.accounts import Account
from ...store.campaigns.adjudications import has_opened
from ...store.database.records import Campaign, RefusedError, StaleError
from ...workflow.drafts import MAX_DRAFT_BYTES, SeenDraft, most_draft_bytes
from ...workflow.task_queue import TaskQueue, is_id, may_see
from ..auth.middleware import ACCOUNT
from ..base.shown_pictures import etag
from ..base.state import AppState, clock
from ..wording.texts import message_of
from .picture_response import picture_response

DRAFT_HEADER = "x-benchwright-draft"
"""Header that the app's own script sends.

A page of another site cannot add it unless this server allows it in response to a preflight request.
"""
SEEN_HEADER = "x-benchwright-seen"
"""Header with the decision and draft that the sending window has seen, as `VERSION.REVISION`."""


def picture_url(task_id: int, place: int, *, marks: bool = False) -> str:
    """Return the path of a task's picture, or of the picture's marks; `place` is the index from 0."""
    return f"/pictures/{task_id}/{place}" + ("/marks" if marks else "")


def coarse_url(task_id: int, place: int) -> str:
    """Return the path of a coarse version of a task's picture, for slow lines."""
    return f"{picture_url(task_id, place)}/coarse"


def detail_url(task_id: int, place: int) -> str:
    """Return the path prefix for the tiles of a task's picture; column and row follow."""
    return f"{picture_url(task_id, place)}/detail"


def draft_url(task_id: int) -> str:
    """Return the path for sending drafts of a task."""
    return f"/drafts/{task_id}"


def task_routes(state: AppState) -> list[Route]:
    """Return the routes for tasks; the session middleware has already identified the account."""
    routes = _TaskRoutes(state)
    return [
        Route("/pictures/{task:number}/{place:number}", routes.picture),
        Route("/pictures/{task:number}/{place:number}/marks", routes.marks),
        Route("/pictures/{task:number}/{place:number}/coarse", routes.coarse),
        Route("/pictures/{task:number}/{place:number}/detail/{column:number}/{row:number}", routes.detail),
        Route("/drafts/{task:number}", routes.draft, methods=["PUT"]),
    ]


class TaskImages:
    """The pictures of tasks, for accounts that may see them.

    Args:
        state: State of the app.
    """

    def __init__(self, state: AppState) -> None:
        self._state = state

    def of(self, request: Request) -> tuple[ItemImage, ...] | None:
        """Return the pictures of the request's task, or None if the account has no such task."""
        task_id, account, store = request.path_params["task"], _account(request), self._state.store
        allowed = (account.role == "curator" and is_id(task_id)) or may_see(store, task_id, account.name, now=clock())
        if not allowed and account.role == "adjudicator" and is_id(task_id):
            with store.reading() as connection:
                allowed = has_opened(connection, task_id, account.name)
        payload = store.payload(task_id) if allowed else None
        return None if payload is None else content_in(payload).images


class _TaskRoutes:
    def __init__(self, state: AppState) -> None:
        self._state, self._images = state, TaskImages(state)

    async def picture(self, request: Request) -> Response:
        """Return one picture of a task to an account that may see it."""
        return await run_in_threadpool(self._picture_response, request, "picture")

    async def coarse(self, request: Request) -> Response:
        """Return a coarse version of one picture of a task to an account that may see it."""
        return await run_in_threadpool(self._picture_response, request, "coarse")

    async def marks(self, request: Request) -> Response:
        """Return the marks of one picture of a task to an account that may see it."""
        return await run_in_threadpool(self._picture_response, request, "marks")

    async def detail(self, request: Request) -> Response:
        """Return one full-resolution tile of a picture to an account that may see the picture."""
        return await run_in_threadpool(self._detail_response, request)

    async def draft(self, request: Request) -> Response:
        """Store an annotator's draft for one of the account's tasks."""
        if DRAFT_HEADER not in request.headers:
            return PlainTextResponse("only the app may send drafts\n", 403)
        body, most = bytearray(), MAX_DRAFT_BYTES
        async for chunk in request.stream():
            body += chunk
            if len(body) > most == MAX_DRAFT_BYTES:  # campaigns with regions accept more
                most = await run_in_threadpool(self._most_bytes, request.path_params["task"])
            if len(body) > most:
                return PlainTextResponse("too long\n", 413)
        return await run_in_threadpool(self._store_draft, request, bytes(body))

    def _picture_response(self, request: Request, version: Literal["picture", "coarse", "marks"]) -> Response:
        image = self._image(request)
        if image is None or (version == "marks" and not image.prompts):
            return PlainTextResponse("there is no such picture for you\n", 404)
        show = getattr(self._state.pictures, version)
        return picture_response(request, etag(image, version), lambda: show(image), tells_why=self._is_curator(request))

    def _detail_response(self, request: Request) -> Response:
        image, (column, row) = self._image(request), (request.path_params[name] for name in ("column", "row"))
        try:
            tile = None if image is None else self._state.pictures.detail(image, column=column, row=row)
        except (DataError, UnreadableImage, IndexError):
            tile = None  # the request for the whole picture reports the fault
        if image is None or tile is None:
            return PlainTextResponse("there is no such picture for you\n", 404)
        headers = {"Cache-Control": "private, no-cache", "ETag": f'"{image.image_id}-{column}-{row}"'}
        return Response(tile.data, media_type=tile.media_type, headers=headers)

    def _image(self, request: Request) -> ItemImage | None:
        images, place = self._images.of(request), request.path_params["place"]
        return images[place] if images is not None and place < len(images) else None

    def _most_bytes(self, task_id: int) -> int:
        campaign = self._state.store.campaign_of(task_id) if is_id(task_id) else None
        return MAX_DRAFT_BYTES if campaign is None else most_draft_bytes(campaign.form)

    def _store_draft(self, request: Request, body: bytes) -> Response:
        task_id = request.path_params["task"]
        try:
            draft = json.loads(body)
            if not isinstance(draft, dict):
                raise RefusedError("a draft must be a JSON object")
            campaign = self._state.store.campaign_of(task_id) if is_id(task_id) else None
            if campaign is None:
                raise RefusedError("there is no such task")
            queue = TaskQueue(self._state.store, campaign, _account(request).name)
            saved = queue.save_draft(task_id, draft, now=clock(), seen=_seen(request))
        except StaleError:
            task = queue.open(task_id, now=clock())
            stored = {
                "saved": False,
                "version": task.seen.version,
                "revision": task.revision,
                "draft": dict(task.draft),
            }
            return JSONResponse(stored, 409)
        except RefusedError as error:
            return PlainTextResponse(f"{message_of(error)}\n", 403)
        except (ValueError, RecursionError, BenchwrightError):
            return PlainTextResponse("this is not a draft\n", 400)
        mistakes = mistakes_in_draft(campaign, draft)
        return JSONResponse({"saved": True, "revision": saved.revision, **({"mistakes": mistakes} if mistakes else {})})

    @staticmethod
    def _is_curator(request: Request) -> bool:
        return _account(request).role == "curator"


def mistakes_in_draft(campaign: Campaign, draft: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return descriptions of the mistakes in a draft's questions, to show next to their fields.

    Forms without questions to write are checked on submission.
    """
    typed, fields = campaign.form.typed, draft.get("fields")
    if typed is None or not isinstance(fields, Mapping):
        return []
    if not any(isinstance(field, Repeated) and field.question is not None for field in typed.fields):
        return []
    return [
        {"place": mistake.place, "words": message_of(BenchwrightError(mistake.beside_field))}
        for mistake in typed.wrong_so_far(fields)[:MOST_MISTAKES]
    ]


def _seen(request: Request) -> SeenDraft | None:
    """Return the decision and draft that the sending window has shown, or None if the header is missing.

    Raises:
        ValueError: The header does not have the form `VERSION.REVISION`.
    """
    if SEEN_HEADER not in request.headers:
        return None
    version, _, revision = request.headers[SEEN_HEADER].partition(".")
    if not (version.isdecimal() and revision.isdecimal() and len(version + revision) < 40):
        raise ValueError("this is not a value that a window sends")
    return SeenDraft(int(version), int(revision))


def _account(request: Request) -> Account:
    account = request.scope[ACCOUNT]
    assert isinstance(account, Account)  # the session middleware requires an account
    return account

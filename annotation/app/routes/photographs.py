"""Photographs that annotators bring to a task: sent here, taken in or refused, and shown as they are kept."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from benchwright.drawing.previews import preview
from benchwright.errors import BenchwrightError
from benchwright.photographs import collected_photographs

from ...forms.form import PhotographField
from ...store import Account, Campaign, RefusedError, Uploads
from ...workflow.photo_uploads import StoredPhotograph, take_in_photograph
from ...workflow.task_queue import TaskQueue, is_id
from ..auth.middleware import ACCOUNT
from ..base.state import AppState, clock
from .tasks import DRAFT_HEADER

SHOWN_PX = 1024


def photographs_url(task_id: int) -> str:
    """Return where photographs for a task are sent; each is then shown below it, by its id."""
    return f"/photographs/{task_id}"


def photograph_routes(site: AppState) -> list[Route]:
    """Return the routes of photographs; the gate in front has said who asks."""
    served = _Photographs(site)
    return [
        Route("/photographs/{task:number}", served.take, methods=["PUT"]),
        Route("/photographs/{task:number}/{photograph:str}", served.show),
    ]


class _Photographs:
    def __init__(self, site: AppState) -> None:
        self._site = site

    async def take(self, request: Request) -> Response:
        """Take a photograph in for a task of whoever asks."""
        # Another site's page could not add the header without being asked by the browser first.
        if DRAFT_HEADER not in request.headers:
            return PlainTextResponse("a photograph comes from the app\n", 403)
        try:
            field = await run_in_threadpool(self._field, request)
        except RefusedError as error:
            return PlainTextResponse(f"{error}\n", 403)
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > field.max_bytes:
                return PlainTextResponse(f"too large: at most {field.max_bytes:,} bytes are taken\n", 413)
        try:
            taken = await run_in_threadpool(self._take, request, bytes(body), field)
        except RefusedError as error:
            return PlainTextResponse(f"{error}\n", 422)
        return JSONResponse({"photograph": taken.image_id, "width": taken.width, "height": taken.height})

    async def show(self, request: Request) -> Response:
        """Return a photograph to whoever uploaded it, and to curators."""
        return await run_in_threadpool(self._shown, request)

    def _field(self, request: Request) -> PhotographField:
        """Return what a task asks for, if it is an annotator's own and asks for a photograph.

        Raises:
            RefusedError: It is not.
        """
        form = self._own(request).form.typed
        for field in () if form is None else form.fields:
            if isinstance(field, PhotographField):
                return field
        raise RefusedError("this task takes no photographs")

    def _own(self, request: Request) -> Campaign:
        """Return the campaign of a task that whoever asks holds or has decided.

        Raises:
            RefusedError: They do not.
        """
        task_id = request.path_params["task"]
        campaign = self._site.store.campaign_of(task_id) if is_id(task_id) else None
        if campaign is None:
            raise RefusedError("there is no such task")
        TaskQueue(self._site.store, campaign, _account(request).name).open(task_id, now=clock())
        return campaign

    def _take(self, request: Request, data: bytes, field: PhotographField) -> StoredPhotograph:
        task_id, name = request.path_params["task"], _account(request).name
        uploads = Uploads(self._site.store)
        self._own(request)  # the lease may have ended while it was sent
        uploads.check_room(task_id, name)
        taken = take_in_photograph(self._site.workspace, data, field)
        uploads.note(task_id, name, taken.image_id)
        if not collected_photographs(self._site.workspace).path(taken.image_id).exists():
            take_in_photograph(self._site.workspace, data, field)  # `gc` took an old copy of it between the two
        return taken

    def _shown(self, request: Request) -> Response:
        task_id, image_id = request.path_params["task"], request.path_params["photograph"]
        account = _account(request)
        by = None if account.role == "curator" else account.name
        if not is_id(task_id) or not Uploads(self._site.store).holds(task_id, image_id, by=by):
            return PlainTextResponse("there is no such photograph for you\n", 404)
        headers = {"Cache-Control": "private, no-cache", "ETag": f'"{image_id}"'}
        if request.headers.get("if-none-match") == headers["ETag"]:
            return Response(status_code=304, headers=headers)
        try:
            data = collected_photographs(self._site.workspace).path(image_id).read_bytes()
            found = preview(data, max_side_px=SHOWN_PX)
        except (OSError, BenchwrightError):
            return PlainTextResponse("cannot be shown\n", 410)
        return Response(found.data, media_type=found.media_type, headers=headers)


def _account(request: Request) -> Account:
    account = request.scope[ACCOUNT]
    assert isinstance(account, Account)  # the gate lets nobody else through
    return account

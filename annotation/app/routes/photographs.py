"""Routes of photographs that annotators upload for a task: store or refuse them, and show the stored version."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from benchwright.drawing.previews import Preview, preview
from benchwright.workspace.photographs import collected_photographs

from ...forms.fields.field_types import PhotographField
from ...store.accounts.accounts import Account
from ...store.database.records import Campaign, RefusedError
from ...store.submissions.photo_uploads import Uploads
from ...workflow.photo_uploads import StoredPhotograph, take_in_photograph
from ...workflow.task_queue import TaskQueue, is_id
from ..auth.middleware import ACCOUNT
from ..base.state import AppState, clock
from ..wording.texts import TEXTS, message_of
from .picture_response import picture_response
from .tasks import DRAFT_HEADER

_SHOWN_PX = 1024
"""Maximum side length of a photograph as shown to its annotator."""


def photographs_url(task_id: int) -> str:
    """Return the path for uploading photographs for a task; each photograph is then served below it, by id."""
    return f"/photographs/{task_id}"


def photograph_routes(state: AppState) -> list[Route]:
    """Return the routes for photographs; the session middleware has already identified the account."""
    routes = _PhotographRoutes(state)
    return [
        Route("/photographs/{task:number}", routes.upload, methods=["PUT"]),
        Route("/photographs/{task:number}/{photograph:str}", routes.show),
    ]


class _PhotographRoutes:
    def __init__(self, state: AppState) -> None:
        self._state = state

    async def upload(self, request: Request) -> Response:
        """Store a photograph for a task of the account."""
        # A page of another site cannot add the header unless this server allows it in response to a preflight request.
        if DRAFT_HEADER not in request.headers:
            return PlainTextResponse("only the app may send photographs\n", 403)
        try:
            field = await run_in_threadpool(self._field, request)
        except RefusedError as error:
            return PlainTextResponse(f"{message_of(error)}\n", 403)
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > field.max_bytes:
                return PlainTextResponse(TEXTS["photograph_too_large"].format(most=field.max_bytes) + "\n", 413)
        try:
            stored = await run_in_threadpool(self._store, request, bytes(body), field)
        except RefusedError as error:
            return PlainTextResponse(f"{message_of(error)}\n", 422)
        return JSONResponse({"photograph": stored.image_id, "width": stored.width, "height": stored.height})

    async def show(self, request: Request) -> Response:
        """Return a photograph to the annotator who uploaded it, and to curators."""
        return await run_in_threadpool(self._response, request)

    def _field(self, request: Request) -> PhotographField:
        """Return the photograph field of a task that the account holds or decided.

        Raises:
            RefusedError: The task does not belong to the account, or takes no photographs.
        """
        form = self._campaign_of(request).form.typed
        for field in () if form is None else form.fields:
            if isinstance(field, PhotographField):
                return field
        raise RefusedError("this task takes no photographs")

    def _campaign_of(self, request: Request) -> Campaign:
        """Return the campaign of a task that the account holds or decided.

        Raises:
            RefusedError: The task does not exist, or the account neither holds it nor decided it.
        """
        task_id = request.path_params["task"]
        campaign = self._state.store.campaign_of(task_id) if is_id(task_id) else None
        if campaign is None:
            raise RefusedError("there is no such task")
        TaskQueue(self._state.store, campaign, _account(request).name).open(task_id, now=clock())
        return campaign

    def _store(self, request: Request, data: bytes, field: PhotographField) -> StoredPhotograph:
        task_id, name = request.path_params["task"], _account(request).name
        uploads = Uploads(self._state.store)
        self._campaign_of(request)  # the lease may have ended during the upload
        uploads.check_room(task_id, name)
        stored = take_in_photograph(self._state.workspace, data, field)
        uploads.note(task_id, name, stored.image_id)
        if not collected_photographs(self._state.workspace).path(stored.image_id).exists():
            take_in_photograph(self._state.workspace, data, field)  # `gc` may have removed an older copy meanwhile
        return stored

    def _response(self, request: Request) -> Response:
        task_id, image_id = request.path_params["task"], request.path_params["photograph"]
        account = _account(request)
        annotator = None if account.role == "curator" else account.name
        if not is_id(task_id) or not Uploads(self._state.store).holds(task_id, image_id, by=annotator):
            return PlainTextResponse("there is no such photograph for you\n", 404)

        def show() -> Preview:
            data = collected_photographs(self._state.workspace).path(image_id).read_bytes()
            return preview(data, max_side_px=_SHOWN_PX)

        return picture_response(request, image_id, show)


def _account(request: Request) -> Account:
    account = request.scope[ACCOUNT]
    assert isinstance(account, Account)  # the session middleware requires an account
    return account

"""Routes of the HTTP API, its OpenAPI document and its reference page."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route, Router
from starlette.types import Receive, Scope, Send

from ..auth.sessions import OPEN_PAGE_HEADERS
from ..base.state import AppState
from .conversation_calls import CONVERSATION_OPERATIONS
from .curator_calls import CURATOR_OPERATIONS
from .openapi import openapi_document
from .operation import ROOT, ApiOperation, OperationRunner
from .people_calls import PEOPLE_OPERATIONS
from .problems import ApiProblem
from .reference_page import reference_page
from .task_calls import TASK_OPERATIONS
from .webhook_calls import WEBHOOK_OPERATIONS

OPERATIONS: tuple[ApiOperation, ...] = (
    *TASK_OPERATIONS, *CURATOR_OPERATIONS, *CONVERSATION_OPERATIONS, *PEOPLE_OPERATIONS, *WEBHOOK_OPERATIONS,
)  # fmt: skip
"""All operations, in the order of the document."""


def api_routes(state: AppState) -> list[BaseRoute]:
    """Return the routes of the API; a token authenticates each request, regardless of browser sessions."""
    runner = OperationRunner(state)
    by_path: dict[str, list[ApiOperation]] = {}
    for operation in OPERATIONS:
        by_path.setdefault(operation.path, []).append(operation)
    routes: list[BaseRoute] = [Route(path, _responder(runner, operations)) for path, operations in by_path.items()]
    for route in routes:
        assert isinstance(route, Route)
        route.methods = None  # `_responder` answers other methods, as a problem
    document = openapi_document(OPERATIONS)

    async def describe(_request: Request) -> Response:
        return Response(json.dumps(document), media_type="application/json", headers={"Cache-Control": "no-cache"})

    async def show(_request: Request) -> Response:
        return HTMLResponse(reference_page(document), headers=OPEN_PAGE_HEADERS)

    async def lead(_request: Request) -> Response:
        return RedirectResponse("/api/", 308)

    return [
        Route("/api", lead),
        Route("/api/", show),
        Route("/api/openapi.json", describe),
        Mount(ROOT, app=Router(routes, redirect_slashes=False, default=_no_operation)),
        Mount("/api", app=_no_operation),
    ]


def _responder(runner: OperationRunner, operations: list[ApiOperation]) -> Callable[[Request], Awaitable[Response]]:
    by_method = {operation.method: operation for operation in operations}

    async def respond(request: Request) -> Response:
        operation = by_method.get(request.method)  # type: ignore[call-overload]
        if operation is None:
            headers = {"Allow": ", ".join(by_method)}
            return ApiProblem("wrong_method", f"this path takes {headers['Allow']}", headers=headers).response()
        return await runner.respond(operation, request)

    return respond


async def _no_operation(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request for a path without an operation; without a token, the answer is the same for every path."""
    if "authorization" in Headers(scope=scope):
        problem = ApiProblem("not_found", "no operation has this path; /api/ lists them")
    else:
        problem = ApiProblem("unauthorized", "the request carries no token")
    await problem.response()(scope, receive, send)

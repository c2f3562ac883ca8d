"""Operations of the HTTP API: their inputs and answers, and the runner of requests.

    token ──▶ rate ──▶ campaign and scope ──▶ query ──▶ body, bounded ──▶ idempotency key ──▶ call ──▶ answer

All operations take the same steps in this order: the runner reads no part of a body before it knows the token. A call
gets checked values and uses the same functions as pages and commands. The models are pydantic models, which validate
requests and generate the schemas of the OpenAPI document. Starlette comes with Streamlit, and other code needs
pydantic too. A framework on top of the two would read bodies before it knows the token, and would be one more
dependency.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal
from urllib.parse import quote

from pydantic import BaseModel, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from benchwright.errors import BenchwrightError
from benchwright.files.bounded_json import bounded_json

from ...store.accounts.accounts import Account
from ...store.database.records import Campaign, StaleError
from ...store.integrations.api_tokens import ApiToken, ApiTokens, Scope, token_id_in
from ...store.integrations.idempotency import keep_answer, release, reserve
from ...store.review_store import ReviewStore
from ..auth.middleware import ACCOUNT
from ..auth.sessions import address_of
from ..base.state import AppState, clock
from ..languages.language import ENGLISH, use_language
from .limits import ApiLimits
from .problems import ApiProblem, RequestMistake, mistakes_in, shown

JSON, TABLE, LINES = "application/json", "text/csv", "application/jsonl"
MOST_BYTES, MOST_TABLE_BYTES = 1 << 20, 16 << 20
"""Maximum size of a JSON body and of a table, in bytes."""
ROOT = "/api/v1"
"""Path prefix of all operations."""
KEY_HEADER = "idempotency-key"
_LONGEST_KEY = 255
_HEADERS = {"Cache-Control": "no-store"}
Method = Literal["GET", "POST", "DELETE"]
ANNOTATORS: tuple[Scope, ...] = ("annotator",)
CURATORS: tuple[Scope, ...] = ("curator",)
BOTH: tuple[Scope, ...] = ("annotator", "curator")


@dataclass(frozen=True)
class ApiCall:
    """A request with a checked token, query and body.

    Attributes:
        state: State of the app; during a write its store is in the transaction of the answer.
        token: Token of the request.
        account: Account for which it acts, with the role that the token's scope gives it.
        campaign: Campaign of the path.
        path: Other values of the path.
        query: Checked query, of the operation's model; None if it takes none.
        body: Checked body, of the operation's model, or the bytes of a table; None if it takes none.
        request: The request.
        now: Time of the request.
    """

    state: AppState
    token: ApiToken
    account: Account
    campaign: Campaign
    path: dict[str, Any]
    query: Any
    body: Any
    request: Request
    now: datetime

    @property
    def store(self) -> ReviewStore:
        """Return the review store."""
        return self.state.store

    @property
    def base_url(self) -> str:
        """Return the base URL at which the program reaches the app."""
        return str(self.request.base_url).rstrip("/")

    @property
    def base_path(self) -> str:
        """Return the path of the campaign, which is the prefix of its operations' paths."""
        return f"{ROOT}/campaigns/{quote(self.campaign.name, safe='')}"


@dataclass(frozen=True)
class ApiOperation:
    """One operation.

    Attributes:
        method: HTTP method.
        path: Path below `/api/v1`, with names in braces; row numbers such as the task's are written `{task:number}`.
        name: Name of the operation, `operationId` in the document.
        summary: One-line description of its effect.
        scopes: Scopes of tokens that may call it.
        call: Function that carries it out, in a thread; it returns a model, JSON values, a response, or None.
        reply: Model of the answer; None if the answer has no model.
        body: Model of the body; `bytes` for a table; None if there is no body.
        query: Model of the query; None if there is no query.
        status: Status of the answer.
        returns: Media type of the answer.
        about: Further description, for the document.
        in_store: Whether it writes only to the review store, so that a single transaction contains write and answer.
        shows_secret: Whether the answer contains a secret that is stored only as a hash; such an answer is never
            stored.
        before: Slow work that needs no transaction, done before one begins; None if there is none.
    """

    method: Method
    path: str
    name: str
    summary: str
    scopes: tuple[Scope, ...]
    call: Callable[[ApiCall], Any]
    reply: type[BaseModel] | None = None
    body: type[BaseModel] | type[bytes] | None = None
    query: type[BaseModel] | None = None
    status: int = 200
    returns: str = JSON
    about: str = ""
    in_store: bool = True
    shows_secret: bool = False
    before: Callable[[ApiCall], None] | None = None

    @property
    def writes(self) -> bool:
        """Return whether the operation changes data and therefore takes an idempotency key."""
        return self.method != "GET"


class OperationRunner:
    """Runner of requests for operations.

    Args:
        state: State of the app.
    """

    def __init__(self, state: AppState) -> None:
        self._state = state
        self._limits = ApiLimits()

    async def respond(self, operation: ApiOperation, request: Request) -> Response:
        """Return the answer to a request; if the request fails, the answer describes the problem."""
        try:
            token, account = await self._opened(request)
            if wait_s := self._limits.take(token.id, now=clock()):
                raise ApiProblem("too_many", "this token makes too many requests", headers={"Retry-After": str(wait_s)})
            if request.path_params.get("campaign", token.campaign) != token.campaign:
                raise ApiProblem("other_campaign", f"this token is for the campaign {token.campaign!r} alone")
            if token.scope not in operation.scopes:
                scopes = " or ".join(operation.scopes)
                raise ApiProblem("wrong_scope", f"{operation.name} needs a token with the scope {scopes}")
            query, body = _query(operation, request), await _body(operation, request)
            key = _idempotency_key(request) if operation.writes else None
            request.scope[ACCOUNT] = account
            call = ApiCall(
                state=self._state,
                token=token,
                account=account,
                campaign=await run_in_threadpool(self._state.store.campaign, token.campaign),
                path={name: value for name, value in request.path_params.items() if name != "campaign"},
                query=query,
                body=_parsed(operation, body),
                request=request,
                now=clock(),
            )
            return await run_in_threadpool(_carried_out, operation, call, key, body)
        except ApiProblem as problem:
            return problem.response()
        except BenchwrightError as error:
            return _refusal(error).response()

    async def _opened(self, request: Request) -> tuple[ApiToken, Account]:
        """Return the token of a request and its account."""
        scheme, _, text = request.headers.get("authorization", "").partition(" ")
        if scheme.casefold() != "bearer" or not text.strip():
            raise ApiProblem("unauthorized", "the request carries no token")
        text, now = text.strip(), clock()
        attempt = self._limits.attempt(token_id_in(text), address_of(request))
        wait_s, opened = self._limits.wait_s(attempt, now=now), None
        if not wait_s or attempt.device is not None:  # guesses never lock out a token that works here
            opened = await run_in_threadpool(ApiTokens(self._state.store).opened_by, text, now=now)
        if opened is None and wait_s:
            detail = "too many wrong tokens came from this address"
            raise ApiProblem("too_many", detail, headers={"Retry-After": str(wait_s)})
        if opened is None:
            self._limits.failed(attempt, now=now)
            raise ApiProblem("unauthorized", "the token is wrong, was revoked or has ended, or its account is locked")
        token, account = opened
        self._limits.worked(token.id, address_of(request))
        await run_in_threadpool(ApiTokens(self._state.store).note_used, token, now=now)
        return token, (replace(account, role="annotator") if token.scope == "annotator" else account)


def _query(operation: ApiOperation, request: Request) -> BaseModel | None:
    names = [name for name, _ in request.query_params.multi_items()]
    values = dict(request.query_params)
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        mistakes = [RequestMistake(f"query.{name}", "", "state it once") for name in repeated]
        raise ApiProblem("invalid", "the query repeats a parameter", mistakes)
    if operation.query is None:
        if values:
            mistakes = [RequestMistake(f"query.{name}", shown(value), "leave it out") for name, value in values.items()]
            raise ApiProblem("invalid", f"{operation.name} takes no query", mistakes)
        return None
    try:
        return operation.query.model_validate(values)
    except ValidationError as error:
        raise ApiProblem(
            "invalid", "the query has mistakes", mistakes_in(error, within="query", known=operation.query.model_fields)
        ) from None


async def _body(operation: ApiOperation, request: Request) -> bytes:
    """Return the body of a request, after checking its size and media type against the operation."""
    most = MOST_TABLE_BYTES if operation.body is bytes else MOST_BYTES
    stated = request.headers.get("content-length", "0")
    if stated.isdecimal() and len(stated) < 20 and int(stated) > most:
        raise ApiProblem("too_large", f"a body is at most {most:,} bytes; this one has {int(stated):,}")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            raise ApiProblem("too_large", f"a body is at most {most:,} bytes")
    if not body:
        return b""
    if operation.body is None:
        raise ApiProblem("invalid", f"{operation.name} takes no body", [RequestMistake("body", "", "leave it out")])
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().casefold()
    wanted = TABLE if operation.body is bytes else JSON
    if media_type != wanted:
        raise ApiProblem("wrong_type", f"the body is {media_type or 'of no type'!r}; send {wanted}")
    return bytes(body)


def _parsed(operation: ApiOperation, body: bytes) -> Any:
    if operation.body is None or operation.body is bytes:
        return body or None
    assert issubclass(operation.body, BaseModel)
    try:
        value = bounded_json(body) if body else {}
        # A database cannot store a lone surrogate, which is half a character.
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        mistake = RequestMistake("body", "", "a text holds an incomplete character; send complete ones")
        raise ApiProblem("invalid", "the body has mistakes", [mistake]) from None
    except ValueError as error:
        raise ApiProblem(
            "invalid", f"the body is not valid JSON: {error}", [RequestMistake("body", "", str(error))]
        ) from None
    try:
        return operation.body.model_validate(value)
    except ValidationError as error:
        raise ApiProblem(
            "invalid", "the body has mistakes", mistakes_in(error, within="body", known=operation.body.model_fields)
        ) from None


def _idempotency_key(request: Request) -> str | None:
    stated = request.headers.get(KEY_HEADER)
    if stated is None:
        return None
    key = stated.strip().removeprefix('"').removesuffix('"')
    if not 0 < len(key) <= _LONGEST_KEY or not key.isascii() or not key.isprintable():
        takes = f"1 to {_LONGEST_KEY} printable ASCII characters, such as a UUID"
        raise ApiProblem(
            "invalid", "the idempotency key is not valid", [RequestMistake(KEY_HEADER, shown(stated), takes)]
        )
    return key


def _carried_out(operation: ApiOperation, call: ApiCall, key: str | None, body: bytes) -> Response:
    """Carry out a call and return its answer; for a known idempotency key, return the answer given earlier."""
    with use_language(ENGLISH):
        if operation.before is not None:
            operation.before(call)
        if key is None:
            return _answer(operation, operation.call(call))
        digest = hashlib.sha256(_spelled(call.request) + body).hexdigest()
        if operation.in_store:
            # All or nothing: the write, its consequences, and its answer.
            with call.store.batch() as held:
                return _once(operation, replace(call, state=replace(call.state, store=held)), key, digest)
        return _once(operation, call, key, digest)


def _once(operation: ApiOperation, call: ApiCall, key: str, digest: str) -> Response:
    with call.store.writing() as connection:
        kept = reserve(connection, call.token.id, key, digest, now=call.now)
    if kept is not None:
        if kept.digest != digest:
            raise ApiProblem("key_reused", "this key was already used for another request")
        if kept.status is None:
            raise ApiProblem("in_progress", "this request is being carried out", headers={"Retry-After": "1"})
        if operation.shows_secret:
            raise ApiProblem(
                "refused",
                "this request was already carried out, and its secret is shown only once; list the entry, "
                "remove it, and make another",
            )
        return Response(
            kept.reply or "", kept.status, media_type=JSON, headers={**_HEADERS, "Idempotent-Replay": "true"}
        )
    try:
        answer = _answer(operation, operation.call(call))
    except BaseException:
        if not operation.in_store:
            with call.store.writing() as connection:
                release(connection, call.token.id, key)
        raise
    with call.store.writing() as connection:
        reply = "" if operation.shows_secret else bytes(answer.body).decode()
        keep_answer(connection, call.token.id, key, status=answer.status_code, reply=reply)
    return answer


def _spelled(request: Request) -> bytes:
    return f"{request.method} {request.url.path}?{request.url.query}\n".encode()


def _answer(operation: ApiOperation, value: Any) -> Response:
    if isinstance(value, Response):
        return value
    if value is None:
        return Response(status_code=204, headers=_HEADERS)
    text = value.model_dump_json() if isinstance(value, BaseModel) else json.dumps(value, ensure_ascii=True)
    return Response(text, operation.status, media_type=JSON, headers=_HEADERS)


def _refusal(error: BenchwrightError) -> ApiProblem:
    if isinstance(error, StaleError):
        return ApiProblem("stale", str(error))
    return ApiProblem("refused", str(error))

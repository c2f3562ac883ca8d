"""Routes of the workbench, which pass a user's actions to the store and return the next tasks."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from benchwright.errors import BenchwrightError

from ...forms.fields.region_values import MAX_REGION_BYTES
from ...store.accounts.accounts import Account
from ...store.accounts.campaign_access import AccessControl
from ...store.database.records import Campaign, RefusedError
from ...store.review_store import ReviewStore
from ...workflow.adjudication import AdjudicationQueue
from ...workflow.task_queue import is_id
from ..auth.middleware import ACCOUNT
from ..base.state import AppState
from ..routes.tasks import DRAFT_HEADER
from ..task_card.card_event import CardEvent, event_of
from ..wording.texts import message_of
from .adjudicating import AdjudicatorWork
from .annotating import AnnotatorWork
from .practising import PracticeWork
from .work import Work, results_of, with_results, work_state

WORK_URL = "/work"
_LEAVE_URL = "/work/leave"
ADJUDICATION_URL = "/work/adjudication"
PRACTICE_URL = "/work/practice"
_MESSAGE_URL = "/work/message"
MOST_BYTES = 1 << 20
_MOST_BYTES_OF_REGIONS = MOST_BYTES + MAX_REGION_BYTES
"""Maximum size in bytes of a request in a campaign with regions."""
_MOST_EVENTS = 50
_MOST_IDS = 1000
_LATEST_STAMP = 1e11


class _WorkRequest(NamedTuple):
    """A request from a workbench."""

    campaign: str
    events: list[CardEvent]
    known: list[int]
    skipped: list[int]
    since: datetime
    message: int


def work_routes(state: AppState) -> list[Route]:
    """Return the routes for the workbench; the session middleware has already identified the account."""

    async def annotate(request: Request) -> Response:
        return await _respond(request, state, _annotator_work)

    async def adjudicate(request: Request) -> Response:
        return await _respond(request, state, _adjudicator_work)

    async def practise(request: Request) -> Response:
        return await _respond(request, state, _practice_work)

    async def leave(request: Request) -> Response:
        def give_back(account: Account, sent: _WorkRequest) -> dict[str, Any]:
            _annotator_work(state, account, sent.campaign).give_back(sent.known, since=sent.since)
            return {}

        return await _checked(request, state, give_back)

    async def confirm(request: Request) -> Response:
        def read(account: Account, sent: _WorkRequest) -> dict[str, Any]:
            _annotator_work(state, account, sent.campaign).confirm(sent.message)
            return {}

        return await _checked(request, state, read)

    return [
        Route(WORK_URL, annotate, methods=["POST"]),
        Route(ADJUDICATION_URL, adjudicate, methods=["POST"]),
        Route(PRACTICE_URL, practise, methods=["POST"]),
        Route(_LEAVE_URL, leave, methods=["POST"]),
        Route(_MESSAGE_URL, confirm, methods=["POST"]),
    ]


async def _respond(request: Request, state: AppState, work_of: Callable[[AppState, Account, str], Work]) -> Response:
    def respond(account: Account, sent: _WorkRequest) -> dict[str, Any]:
        work = work_of(state, account, sent.campaign)
        results = results_of(work, sent.events)
        return with_results(work, work_state(work, known=set(sent.known), skipped=sent.skipped), results)

    return await _checked(request, state, respond)


async def _checked(
    request: Request, state: AppState, respond: Callable[[Account, _WorkRequest], dict[str, Any]]
) -> Response:
    """Read and check a request, and respond in a thread."""
    # A page of another site cannot add the header unless this server allows it in response to a preflight request.
    if DRAFT_HEADER not in request.headers:
        return PlainTextResponse("only the app may send this\n", 403)
    body, most = bytearray(), MOST_BYTES
    async for chunk in request.stream():
        body += chunk
        if len(body) > most == MOST_BYTES and await run_in_threadpool(_takes_regions, state.store):
            most = _MOST_BYTES_OF_REGIONS
        if len(body) > most:
            return PlainTextResponse("too long\n", 413)
    account = request.scope[ACCOUNT]
    assert isinstance(account, Account)  # the session middleware requires an account
    try:
        sent = _work_request(bytes(body))
        if len(body) > MOST_BYTES and not await run_in_threadpool(_takes_regions, state.store, sent.campaign):
            return PlainTextResponse("too long\n", 413)
        reply = await run_in_threadpool(respond, account, sent)
    except (ValueError, RecursionError):
        return PlainTextResponse("this is not a value that the app sends\n", 400)
    except BenchwrightError as error:
        return PlainTextResponse(f"{message_of(error)}\n", 403)
    # In ASCII: a draft may hold a lone surrogate (half a character), which UTF-8 cannot encode.
    return Response(json.dumps(reply), media_type="application/json")


def _takes_regions(store: ReviewStore, name: str | None = None) -> bool:
    """Return whether annotators mark regions in a campaign or, without a name, in any campaign that is not archived."""
    campaigns = store.campaigns() if name is None else [store.campaign(name)]
    return any(campaign.form.region_fields for campaign in campaigns)


def _work_request(body: bytes) -> _WorkRequest:
    """Return a request from a workbench, after checking its form.

    Raises:
        ValueError: The body is not a JSON object of the right form.
        RefusedError: An event does not have a form that cards send.
    """
    sent = json.loads(body)
    if not isinstance(sent, Mapping) or not isinstance(sent.get("campaign"), str):
        raise ValueError("a request must name its campaign")
    events = sent.get("events", [])
    if not isinstance(events, list) or len(events) > _MOST_EVENTS:
        raise ValueError("events must be a list")
    stamp = sent.get("stamp", 0)
    if type(stamp) not in {int, float} or not 0 <= stamp < _LATEST_STAMP:
        raise ValueError("a stamp must be that of a state")
    return _WorkRequest(
        sent["campaign"],
        [event_of(event) for event in events],
        _ids(sent, "known"),
        _ids(sent, "skipped"),
        datetime.fromtimestamp(stamp, UTC),
        _message(sent),
    )


def _ids(sent: Mapping[str, Any], name: str) -> list[int]:
    ids = sent.get(name, [])
    if not isinstance(ids, list) or len(ids) > _MOST_IDS or not all(type(number) is int for number in ids):
        raise ValueError(f"{name} must be a list of numbers")
    return [number for number in ids if is_id(number)]


def _message(sent: Mapping[str, Any]) -> int:
    """Return the id of the message that a request confirms; if it confirms none, return 0, which no message has."""
    number = sent.get("message", 0)
    if type(number) is not int:
        raise ValueError("a message must be identified by its number")
    return number if is_id(number) else 0


def _annotator_work(state: AppState, account: Account, name: str) -> AnnotatorWork:
    campaign = state.store.campaign(name)
    if campaign.is_simulated:
        raise RefusedError(f"simulated annotators decide in campaign {name!r}")
    return AnnotatorWork(state, account, campaign)


def _practice_work(state: AppState, account: Account, name: str) -> PracticeWork:
    if not AccessControl(state.store).admits(state.store.campaign(name), account.name):
        raise RefusedError(f"campaign {name!r} is only for annotators who are assigned to it")
    return PracticeWork(state, account, state.store.campaign(name))


def _adjudicator_work(state: AppState, account: Account, name: str) -> AdjudicatorWork:
    campaign: Campaign = state.store.campaign(name)
    if account.role == "annotator" or not AdjudicationQueue(state.store, campaign, account.name).is_open:
        raise RefusedError(f"there is nothing for {account.name!r} to adjudicate in campaign {name!r}")
    return AdjudicatorWork(state, account, campaign)

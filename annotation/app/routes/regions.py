"""Routes of helpers during marking: the list of helpers, a helper's proposal, and proposals made in advance."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from benchwright.canonical import digest
from benchwright.errors import BenchwrightError
from benchwright.records import ItemImage
from benchwright.regions import NamedHelper, RegionError, RegionHints, read_hints
from benchwright.workspace.atomic import write_json

from ...forms.campaign_helpers import CampaignHelpers
from ...forms.starting_files import authors_in
from ...store.accounts.accounts import Account
from ...store.campaigns.starting_marks import starting_marks_of
from ...store.database.records import Campaign
from ..auth.middleware import ACCOUNT
from ..base.own_texts import form_text
from ..base.state import AppState
from ..helping.helper_lanes import (
    HelperAnswer,
    HelperBusy,
    HelperFailed,
    HelperMissing,
    HelperRefused,
    HelperTimeout,
    HelperWork,
    Superseded,
)
from ..helping.usable_helpers import helpers_in, unusable, warm_helpers, why_unusable
from ..languages.language import chosen_language
from ..wording.texts import message_of
from .tasks import DRAFT_HEADER, TaskImages

logger = logging.getLogger(__name__)

MOST_BYTES = 512 << 10
MOST_REQUESTS, PER_S = 60, 30.0
"""Maximum number of requests by one account to helpers, and the period in seconds."""
_PROPOSALS = "proposals"
"""Folder in a workspace's cache with the helpers' proposals at the opening of tasks."""
_WINDOW = re.compile(r"[A-Za-z0-9_-]{1,64}")
_HINTS = ("shape", "box", "inside", "outside", "stroke_px", "phrase", "label", "refine")
_STATUS = {
    Superseded: 409,
    HelperRefused: 400,
    RegionError: 400,
    HelperFailed: 422,
    HelperMissing: 503,
    HelperBusy: 503,
    HelperTimeout: 504,
}


def helpers_url(task_id: int) -> str:
    """Return the path that lists a task's helpers, which is also the prefix of the path for each helper by name."""
    return f"/regions/{task_id}/helpers"


def proposals_url(task_id: int) -> str:
    """Return the URL path of the helpers' initial proposals for a task, before any proposal is requested."""
    return f"/regions/{task_id}/proposals"


def region_routes(state: AppState) -> list[Route]:
    """Return the routes for helpers; the session middleware has already identified the account."""
    routes = _RegionRoutes(state)
    return [
        Route("/regions/{task:number}/helpers", routes.listed),
        Route("/regions/{task:number}/helpers/{helper:str}", routes.ask, methods=["POST"]),
        Route("/regions/{task:number}/proposals", routes.proposals),
    ]


class _HelpedTask(NamedTuple):
    """A task whose pictures an account may see.

    Args:
        campaign: Campaign of the task.
        helpers: The campaign's helpers.
        images: Pictures of the task.
    """

    campaign: Campaign
    helpers: CampaignHelpers
    images: tuple[ItemImage, ...]


class _RegionRoutes:
    def __init__(self, state: AppState) -> None:
        self._state = state
        self._images = TaskImages(state)
        self._rates = _Rates()
        self._asked_ahead: dict[str, Future[HelperAnswer]] = {}
        self._lock = threading.Lock()

    async def listed(self, request: Request) -> Response:
        """Return the helpers of a task's campaign, and start preparing the task's pictures."""
        return await self._checked(request, self._listed)

    async def proposals(self, request: Request) -> Response:
        """Return the initial marks from files, and the helpers' unprompted proposals computed so far."""
        return await self._checked(request, self._proposals)

    async def ask(self, request: Request) -> Response:
        """Return the proposal of one helper."""
        if DRAFT_HEADER not in request.headers:
            return PlainTextResponse("only the app may send this\n", 403)
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > MOST_BYTES:
                return PlainTextResponse("too long\n", 413)
        task = await run_in_threadpool(self._task, request)
        helper = None if task is None else task.helpers.named(request.path_params["helper"])
        if task is None or helper is None:
            return PlainTextResponse("there is no such picture or helper for you\n", 404)
        if not self._rates.take(_account(request).name):
            return JSONResponse(
                {"why": _in_words("too many requests at once; continue drawing, and ask again in a moment")}, 429
            )
        return await self._answered(bytes(body), task, helper, _account(request))

    async def _answered(self, body: bytes, task: _HelpedTask, helper: NamedHelper, account: Account) -> Response:
        begun = time.monotonic()
        try:
            work, window = await run_in_threadpool(self._work, body, task, helper)
            answer = await asyncio.wrap_future(self._state.helpers.ask(work, window=f"{account.name}\n{window}"))
        except (ValueError, RecursionError):
            return JSONResponse({"why": _in_words("this is not a value that the app sends")}, 400)
        except BenchwrightError as error:
            return _refusal(error, helper, account)
        seconds = round(time.monotonic() - begun, 3)
        return JSONResponse({"regions": answer.regions, "refined": answer.is_refined, "seconds": seconds})

    async def _checked(self, request: Request, respond: Any) -> Response:
        if DRAFT_HEADER not in request.headers:
            return PlainTextResponse("only the app may send this\n", 403)

        def responded() -> Response:
            task = self._task(request)
            if task is None:
                return PlainTextResponse("there is no such picture for you\n", 404)
            response: Response = respond(request, task)
            return response

        return await run_in_threadpool(responded)

    def _task(self, request: Request) -> _HelpedTask | None:
        """Return a task with its helpers, or None if the task does not exist or the account may not see it."""
        images = self._images.of(request)
        campaign = None if images is None else self._state.store.campaign_of(request.path_params["task"])
        if images is None or campaign is None:
            return None
        return _HelpedTask(campaign, helpers_in(campaign), images)

    def _listed(self, request: Request, task: _HelpedTask) -> Response:
        del request
        shapes = {field.shape for field in task.campaign.form.region_fields}
        listed = []
        for helper in task.helpers.helpers:
            settings = helper.settings
            gives = [shape for shape in settings.gives if shape in shapes]
            why = None if not gives else why_unusable(helper)
            if gives:
                listed.append(
                    {
                        "name": helper.name,
                        "title": form_text(settings.title),
                        "takes": list(settings.takes),
                        "gives": gives,
                        "refines": settings.refines,
                        "why": None if why is None else _in_words(why),
                    }
                )
        warm_helpers(self._state.helpers, task.campaign, task.images, self._state.pictures.size)
        starts = bool(authors_in(task.campaign.settings))
        return JSONResponse({"helpers": listed, "propose": list(task.helpers.propose), "starts": starts})

    def _work(self, body: bytes, task: _HelpedTask, helper: NamedHelper) -> tuple[HelperWork, str]:
        """Return the request of a browser, after checking it.

        Raises:
            ValueError: The body is not a JSON object of the right form.
            RegionError: The hints do not fit the picture, or the helper cannot work from them.
            HelperMissing: The helper is unusable on this machine.
        """
        sent = json.loads(body)
        window, place = (sent.get("window"), sent.get("place", 0)) if isinstance(sent, Mapping) else (None, None)
        if not isinstance(window, str) or not _WINDOW.fullmatch(window) or type(place) is not int:
            raise ValueError("a request must name its window and its picture")
        if not 0 <= place < len(task.images):
            raise RegionError(f"this task has {len(task.images)} picture(s); there is no number {place}")
        image = task.images[place]
        size_wh = self._state.pictures.size(image)
        hints = read_hints({name: sent[name] for name in _HINTS if sent.get(name) is not None}, size_wh)
        helper.settings.check_takes(hints)
        if (why := why_unusable(helper)) is not None:
            raise HelperMissing(why)
        return HelperWork(helper, image.image_id, size_wh, hints), window

    def _proposals(self, request: Request, task: _HelpedTask) -> Response:
        place = request.query_params.get("place", "0")
        if not place.isdecimal() or len(place) > 3 or int(place) >= len(task.images):
            return PlainTextResponse("there is no such picture for you\n", 404)
        placed = self._start(request.path_params["task"], task.campaign) if int(place) == 0 else []
        regions: list[Any] = []
        problems: list[dict[str, str]] = []
        is_waiting = False
        for name in task.helpers.propose:
            helper = task.helpers.named(name)
            assert helper is not None, "checked when the campaign was read"
            try:
                document = self._proposed_ahead(helper, task, task.images[int(place)])
            except BenchwrightError as error:
                problems.append({"helper": name, "why": _why(error, helper, _account(request))})
                continue
            if document is None:
                is_waiting = True
            else:
                regions += document
        return JSONResponse({"placed": placed, "regions": regions, "problems": problems, "waiting": is_waiting})

    def _start(self, task_id: int, campaign: Campaign) -> list[dict[str, Any]]:
        """Return the initial marks for a task's annotators, by file and field."""
        authors = authors_in(campaign.settings)
        if not authors:
            return []
        with self._state.store.reading() as connection:
            rows = starting_marks_of(connection, task_id)
        return [
            {
                "author": authors[row.place].name,
                "fields": {name: list(map(authors[row.place].proposed, marks)) for name, marks in row.regions.items()},
            }
            for row in rows
            if row.place < len(authors)
        ]

    def _proposed_ahead(self, helper: NamedHelper, task: _HelpedTask, image: ItemImage) -> list[Any] | None:
        """Return a helper's unprompted proposal, or None while the proposal is being computed.

        Raises:
            BenchwrightError: The helper failed; the failure is reported once and then tried again.
        """
        shapes = [field.shape for field in task.campaign.form.region_fields]
        shape = next((shape for shape in helper.settings.gives if shape in shapes), None)
        if shape is None:
            return []
        if (why := why_unusable(helper)) is not None:
            raise HelperMissing(why)
        key = digest([helper.to_json(), shape, image.image_id])
        path = self._state.workspace / "cache" / _PROPOSALS / f"{key}.json"
        if path.is_file():
            kept: list[Any] = json.loads(path.read_text(encoding="utf-8"))["regions"]
            return kept
        with self._lock:
            future = self._asked_ahead.get(key)
            if future is None:
                size_wh = self._state.pictures.size(image)
                work = HelperWork(helper, image.image_id, size_wh, RegionHints(shape=shape))
                self._asked_ahead[key] = self._state.helpers.later(work)
                return None
            if not future.done():
                return None
            del self._asked_ahead[key]
        regions = future.result().regions
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, {"regions": regions})
        return regions


class _Rates:
    """Counter of requests per account."""

    def __init__(self) -> None:
        self._counts: dict[str, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def take(self, account: str) -> bool:
        """Return whether an account may make another request now (token bucket)."""
        now = time.monotonic()
        with self._lock:
            left, at = self._counts.get(account, (float(MOST_REQUESTS), now))
            left = min(float(MOST_REQUESTS), left + (now - at) * MOST_REQUESTS / PER_S)
            self._counts[account] = (left - 1, now) if left >= 1 else (left, now)
            return left >= 1


def _refusal(error: BenchwrightError, helper: NamedHelper, account: Account) -> Response:
    status = next((number for kind, number in _STATUS.items() if isinstance(error, kind)), 422)
    document: dict[str, Any] = {"why": _why(error, helper, account)}
    if isinstance(error, Superseded):
        document["superseded"] = True
    return JSONResponse(document, status)


def _why(error: BenchwrightError, helper: NamedHelper, account: Account) -> str:
    """Return why a helper gave no proposal; only curators see the helper's output, which may name paths or servers."""
    if isinstance(error, HelperMissing):
        return _in_words(unusable(helper))
    if _STATUS.get(type(error), 422) != 422:
        return message_of(error)
    logger.warning("helper %s: %s", helper.name, error)
    is_told = account.role == "curator"
    return message_of(error) if is_told else _in_words(f"{helper.settings.title} failed on this picture")


def _in_words(english: str) -> str:
    """Return a helper's message in the chosen language, including the title of a built-in helper."""
    return chosen_language().message(english)


def _account(request: Request) -> Account:
    account = request.scope[ACCOUNT]
    assert isinstance(account, Account)  # the session middleware lets nobody else through
    return account

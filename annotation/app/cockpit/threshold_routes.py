"""Routes of the thresholds page: records that another threshold of a filter would keep or drop, with pictures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from benchwright.errors import BenchwrightError

from ...items.threshold_trial import (
    FilterThreshold,
    decided_by_hand,
    filter_thresholds,
    read_measured,
    run_stamp,
    setting_of,
    try_threshold,
)
from ..auth.known_pages import THRESHOLDS
from ..base.cache import cached
from ..base.state import AppState
from ..own_pages.curator_requests import CuratorRequest, curators_only
from ..own_pages.live_form import effect_reply, live_part
from ..own_pages.shell import own_page
from ..wording.curator_texts import TEXTS
from ..wording.texts import message_of
from .threshold_views import (
    CHANGES,
    CHART,
    COUNTS,
    PROBLEM,
    RECIPE_LINE,
    TriedThreshold,
    field_of,
    threshold_form,
    threshold_parts,
)

_LONGEST_NUMBER = 40


def threshold_routes(state: AppState) -> list[Route]:
    """Return the routes for the page; the session middleware has already identified the account."""
    page = _ThresholdsPage(state)
    return [
        Route(THRESHOLDS, curators_only(state, page.show)),
        Route(f"{THRESHOLDS}/effect", curators_only(state, page.effect)),
    ]


class _ThresholdsPage:
    def __init__(self, state: AppState) -> None:
        self._state = state

    def show(self, asked: CuratorRequest) -> Response:
        """Show the thresholds of the last run's filters, and the effect of the value in the address."""
        title, why = TEXTS["thresholds"], f"<p>{escape(TEXTS['thresholds_why'])}</p>"
        try:
            thresholds = self._thresholds()
        except BenchwrightError as error:
            return own_page(title, why, here=THRESHOLDS, problem=message_of(error), status=409)
        if not thresholds:
            return own_page(title, f"{why}<p>{escape(TEXTS['no_thresholds'])}</p>", here=THRESHOLDS)
        wanted = asked.query.get("threshold", "")
        tried = self._tried(thresholds, asked.query)
        parts = threshold_parts(self._state, tried)
        counts = live_part(PROBLEM, parts, is_read_out=True) + live_part(COUNTS, parts, is_read_out=True)
        below = "".join(live_part(name, parts) for name in (RECIPE_LINE, CHANGES))
        body = (
            f'{why}<div class="trials"><div class="trial"><div>{threshold_form(thresholds, tried)}{counts}</div>'
            f"{live_part(CHART, parts)}</div>{below}</div>"
        )
        is_known = wanted in {"", tried.picked.name}
        problem = "" if is_known else TEXTS["no_such_threshold"].format(name=wanted[:100])
        status = 404 if not is_known else 422 if tried.problem else 200
        return own_page(title, body, here=THRESHOLDS, problem=problem, status=status)

    def effect(self, asked: CuratorRequest) -> Response:
        """Return the effect of the value in the form."""
        try:
            thresholds = self._thresholds()
        except BenchwrightError as error:
            return PlainTextResponse(f"{message_of(error)}\n", 409)
        if asked.query.get("threshold") not in {threshold.name for threshold in thresholds}:
            return PlainTextResponse(TEXTS["no_thresholds"] + "\n", 404)
        tried = self._tried(thresholds, asked.query)
        return effect_reply(tried.address, threshold_parts(self._state, tried), invalid=tried.invalid)

    @property
    def _stamp(self) -> tuple[str, ...]:
        return (self._state.store.where, "thresholds", run_stamp(self._state.workspace))

    def _thresholds(self) -> list[FilterThreshold]:
        return cached(self._stamp, lambda: filter_thresholds(self._state.workspace))

    def _tried(self, thresholds: Sequence[FilterThreshold], query: Mapping[str, str]) -> TriedThreshold:
        """Return the effect of the value in an address; an unknown threshold selects the first one."""
        wanted = query.get("threshold", "")
        picked = next((threshold for threshold in thresholds if threshold.name == wanted), thresholds[0])
        typed = query.get(field_of(picked), query.get("at", "")).strip()[:_LONGEST_NUMBER]
        key = (*self._stamp, picked.name)
        measured = cached(key, lambda: read_measured(self._state.workspace, picked))
        try:
            at = _number_in(typed) if typed else picked.threshold.at
            setting_of(picked, at)  # the setting may not accept every number
            decided = decided_by_hand(self._state.store, picked)
            trial = cached((*key, at, tuple(decided)), lambda: try_threshold(measured, at, by_hand=decided))
        except BenchwrightError as error:
            return TriedThreshold(picked, typed, measured, None, message_of(error))
        return TriedThreshold(picked, typed, measured, trial, "")


def _number_in(typed: str) -> float:
    """Return the number in a text; its decimal mark may be a comma.

    Raises:
        BenchwrightError: The text is not a finite number.
    """
    try:
        number = float(typed.replace(",", "."))
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise BenchwrightError(TEXTS["threshold_no_number"].format(text=typed))
    return number

"""Routes of the page for a campaign's annotators: their figures, votes set aside, and admission without a pass."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from html import escape
from typing import Any
from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from benchwright.errors import BenchwrightError

from ...progress.label_fields import label_fields_of
from ...progress.overview import Overview
from ...store.campaigns.practice import Practice
from ...store.database.records import Campaign
from ...workflow.set_asides import set_votes_aside, take_votes_back
from ..auth.known_pages import ANNOTATORS, MESSAGES
from ..base.cache import cached
from ..base.state import AppState, clock
from ..own_pages.curator_requests import CuratorRequest, form_routes
from ..own_pages.once_shown import ChangeReport, ChangeReports
from ..own_pages.shell import own_page
from ..wording.conversation_texts import TEXTS as TALK
from ..wording.curator_texts import TEXTS
from ..wording.texts import TEXTS as APP_TEXTS
from ..wording.texts import message_of
from .annotator_figures import agreement_figures, confusion_figures, marks_tables, quality_table
from .annotator_votes import qualification_section, set_aside_section
from .campaign_choice import campaign_menu, no_such_campaign, wanted_campaign


def annotator_routes(state: AppState) -> list[Route]:
    """Return the routes for the page; the session middleware has already identified the account."""
    page = _AnnotatorsPage(state)
    return [
        *form_routes(state, ANNOTATORS, page.show, {act: partial(page.change, act) for act in _AnnotatorsPage.ACTS}),
    ]


class _AnnotatorsPage:
    ACTS = ("set-aside", "take-back", "let-in")

    def __init__(self, state: AppState) -> None:
        self._state = state
        self._reports = ChangeReports()

    def show(self, asked: CuratorRequest, **more: Any) -> Response:
        """Show the figures of a campaign's annotators, and the forms for changes."""
        names = self._state.store.campaign_names()
        wanted = wanted_campaign(asked, names)
        if wanted not in names:
            return no_such_campaign(ANNOTATORS, TEXTS["annotators"], names, wanted)
        campaign = self._state.store.campaign(wanted)
        if not asked.fields:
            more.setdefault("notice", self._reports.show(asked.account.name, wanted, now=clock()).words)
        simulated = f"<p>{escape(TEXTS['simulated_figures'])}</p>" if campaign.is_simulated else ""
        body = f"{campaign_menu(ANNOTATORS, names, wanted)}{simulated}{self._sections(campaign, asked)}"
        return own_page(TEXTS["annotators"], body, here=ANNOTATORS, campaign=wanted, **more)

    def _sections(self, campaign: Campaign, asked: CuratorRequest) -> str:
        state, overview = self._state, Overview(self._state.store, campaign)
        key = (state.store.where, *overview.stamp(), "qualities")
        field = label_fields_of(campaign)[0]
        qualities = cached(key, lambda: overview.qualities(overview.label_columns(field)))
        qualification = qualification_section(state, campaign, asked)
        acts = [
            set_aside_section(campaign, overview, [quality.rater for quality in qualities], asked),
            "" if campaign.is_simulated else _messages_link(campaign.name),
        ]
        if not qualities:
            return "".join([qualification, f"<p>{escape(TEXTS['nothing_said'])}</p>", *acts])
        return "".join([
            qualification,
            quality_table(campaign, overview, qualities, key),
            marks_tables(state, campaign, overview),
            agreement_figures(qualities),
            confusion_figures(campaign, qualities, asked.query.get("annotator", "")),
            *acts,
        ])  # fmt: skip

    def change(self, act: str, asked: CuratorRequest) -> Response:
        """Make a change, and show the page again; if the change is refused, show the reason above the input."""
        campaign = asked.fields.get("campaign", "")
        try:
            words = self._change(act, campaign, asked.fields, by=asked.account.name)
        except BenchwrightError as error:
            return self.show(asked, problem=message_of(error), status=422)
        self._reports.put(asked.account.name, campaign, ChangeReport(words), now=clock())
        return RedirectResponse(f"{ANNOTATORS}?{urlencode({'campaign': campaign})}", 303)

    def _change(self, act: str, campaign: str, sent: Mapping[str, str], *, by: str) -> str:
        """Make a change, and return a sentence that describes it."""
        store, name = self._state.store, sent.get("name", "")
        if campaign not in store.campaign_names():
            raise BenchwrightError(APP_TEXTS["no_such_campaign"].format(campaign=campaign[:100]))
        if act == "let-in":
            Practice(store).let_in(campaign, name, by=by, now=clock())
            return TEXTS["was_let_in"].format(name=name)
        if act == "set-aside":
            votes = set_votes_aside(store, campaign, name, by=by, why=sent.get("why", ""), now=clock())
            return TEXTS["was_set_aside"].format(name=name, count=votes)
        taken = take_votes_back(store, campaign, name, by=by, now=clock())
        words, stay = TEXTS["was_taken_back"].format(name=name, count=taken.votes), taken.replaced + taken.held
        return f"{words} {TEXTS['stay_aside'].format(count=stay)}" if stay else words


def _messages_link(campaign: str) -> str:
    address = escape(f"{MESSAGES}?{urlencode({'campaign': campaign})}", quote=True)
    return f'<p><a class="button quiet" id="to-messages" href="{address}">{escape(TALK["messages"])}</a></p>'

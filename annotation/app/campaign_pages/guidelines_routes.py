"""Routes of the guidelines page: edit with a preview and differences, and save as a new version."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from html import escape
from typing import Any
from urllib.parse import urlencode

from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from benchwright.errors import BenchwrightError

from ...progress.guideline_proposals import GuidelineProposal, guideline_proposals
from ...progress.overview import Overview
from ...store.campaigns.guidelines import Guidelines, GuidelinesVersion
from ...store.database.records import Campaign, StaleError
from ...workflow.guidelines import revise_guidelines
from ..auth.known_pages import GUIDELINES
from ..base.cache import cached
from ..base.state import AppState, clock
from ..own_pages.curator_requests import CuratorRequest, draft_route, form_routes
from ..own_pages.html_fields import whole_number
from ..own_pages.once_shown import ChangeReport, ChangeReports
from ..own_pages.shell import own_page
from ..own_pages.written_text import text_style
from ..people_pages.campaign_choice import campaign_menu, no_such_campaign, wanted_campaign
from ..wording.conversation_texts import TEXTS as TALK
from ..wording.curator_texts import TEXTS, words_for
from ..wording.directed_text import inert
from ..wording.own_page_texts import TEXTS as OWN_TEXTS
from ..wording.texts import message_of
from .guidelines_draft import DraftPlace, GuidelinesDraft
from .guidelines_views import changes, changes_section, draft_form, elsewhere, preview, versions_table

_LONGEST_MARK = 40
_NONE = GuidelinesVersion(0, 0, "curator", "")
"""The version in force of a campaign without guidelines."""


def guidelines_page_routes(state: AppState) -> list[Route]:
    """Return the routes for the page; the session middleware has already identified the account."""
    page = _GuidelinesPage(state)
    return [
        *form_routes(
            state,
            GUIDELINES,
            page.show,
            {act: partial(page.change, act) for act in ("save", "go-on", "drop", "insert", "take", "discard")},
        ),
        draft_route(f"{GUIDELINES}/draft", page.take_draft),
    ]


class _GuidelinesPage:
    def __init__(self, state: AppState) -> None:
        self._state = state
        self._reports = ChangeReports()

    def show(self, asked: CuratorRequest, **more: Any) -> Response:
        """Show the curator's draft of a campaign's guidelines, or the newest version if there is no draft."""
        names = self._state.store.campaign_names()
        wanted = wanted_campaign(asked, names)
        if wanted not in names:
            return no_such_campaign(GUIDELINES, TEXTS["guidelines_edit"], names, wanted)
        campaign = self._state.store.campaign(wanted)
        versions = Guidelines(self._state.store).versions(campaign)
        newest = versions[-1] if versions else _NONE
        place = self._place(asked.account.name, wanted)
        draft = place.read(versions)
        if not asked.fields:
            more.setdefault("notice", self._reports.show(asked.account.name, wanted, now=clock()).words)
        body = (
            f"{text_style()}<p>{escape(TEXTS['guidelines_why'])}</p>{campaign_menu(GUIDELINES, names, wanted)}"
            f"{draft_form(campaign, draft, newest, place.elsewhere(draft, versions), self._proposals(campaign), asked)}"
            f"{changes_section(draft, newest)}{versions_table(versions)}"
        )
        return own_page(TEXTS["guidelines_edit"], body, here=GUIDELINES, campaign=wanted, **more)

    def change(self, act: str, asked: CuratorRequest) -> Response:
        """Save the text as the next version, or change the draft, and show the page again."""
        name, sent = asked.fields.get("campaign", ""), asked.fields
        if name not in self._state.store.campaign_names():
            return self.show(asked)
        campaign = self._state.store.campaign(name)
        place, draft = self._place(asked.account.name, name), _draft_in(sent)
        try:
            if act == "save":
                self._save(campaign, place, draft)
            elif act == "go-on":
                place.keep(draft._replace(based_on=self._newest(campaign).version))
            elif act == "drop":
                place.forget(draft)
            elif act in {"take", "discard"}:
                place.keep(draft)
                self._choose(campaign, place, sent.get("other", ""), takes=act == "take")
            else:
                place.keep(draft._replace(text=draft.text.rstrip() + self._line(campaign, sent.get("reason", ""))))
        except StaleError:  # the page says so, and shows the difference to the other version
            place.keep(draft)
            return self.show(asked, status=409)
        except BenchwrightError as error:
            place.keep(draft)
            return self.show(asked, problem=message_of(error), status=422)
        return RedirectResponse(f"{GUIDELINES}?{urlencode({'campaign': name})}", 303)

    def _save(self, campaign: Campaign, place: DraftPlace, draft: GuidelinesDraft) -> None:
        if draft.text == self._newest(campaign).text:
            words = TEXTS["guidelines_same"]
        else:
            version = revise_guidelines(
                self._state.store, campaign.name, draft.text, based_on=draft.based_on, by=place.curator
            )
            words = TEXTS["guidelines_saved"].format(version=version)
        place.forget(draft)
        self._reports.put(place.curator, campaign.name, ChangeReport(words), now=clock())

    def _choose(self, campaign: Campaign, place: DraftPlace, window: str, *, takes: bool) -> None:
        """Make another window's text the latest, or remove it; do nothing if the text no longer exists."""
        versions = Guidelines(self._state.store).versions(campaign)
        for other in place.elsewhere(GuidelinesDraft("", 0, ""), versions):
            if other.window == window:
                (place.keep if takes else place.forget)(other)

    def _line(self, campaign: Campaign, reason: str) -> str:
        """Return a proposed line as Markdown; empty if annotators no longer differ on the reason."""
        for proposal in self._proposals(campaign):
            if proposal.reason == reason:
                noted = " ".join(f"“{note}”" for note in proposal.notes)
                words = TALK["proposal_line"].format(reason=inert(words_for(reason)), notes=inert(noted)).strip()
                return f"\n\n- {words}\n"
        return ""

    def take_draft(self, curator: str, fields: dict[str, str]) -> Response:
        """Store a draft during typing, and return its preview, its differences, and the texts of other windows."""
        name = fields.get("campaign", "")
        if name not in self._state.store.campaign_names():
            return PlainTextResponse(OWN_TEXTS["not_own_form"] + "\n", 404)
        draft, place = _draft_in(fields), self._place(curator, name)
        versions = Guidelines(self._state.store).versions(self._state.store.campaign(name))
        newest = versions[-1] if versions else _NONE
        if fields.get("looks") != "yes":
            place.keep(draft)
        return JSONResponse(
            {
                "guidelines-preview": preview(draft, newest),
                "guidelines-difference": changes(draft, newest),
                "guidelines-elsewhere": elsewhere(place.elsewhere(draft, versions)),
            }
        )

    def _place(self, curator: str, campaign: str) -> DraftPlace:
        return DraftPlace(self._state.workspace, curator, campaign)

    def _newest(self, campaign: Campaign) -> GuidelinesVersion:
        return Guidelines(self._state.store).newest(campaign) or _NONE

    def _proposals(self, campaign: Campaign) -> Sequence[GuidelineProposal]:
        if campaign.is_simulated:
            return ()
        store = self._state.store
        key = (store.where, *Overview(store, campaign).stamp(), "guideline-proposals")
        return cached(key, lambda: guideline_proposals(store.decisions(campaign.name)))


def _draft_in(fields: dict[str, str]) -> GuidelinesDraft:
    return GuidelinesDraft(
        fields.get("text", ""),
        whole_number(fields.get("based_on", "")),
        *(fields.get(name, "")[:_LONGEST_MARK] for name in ("window", "source", "shown")),
    )

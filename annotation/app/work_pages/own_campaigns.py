"""The campaign of a request to a page for annotators' work, among the campaigns that the account sees."""

from __future__ import annotations

from typing import NamedTuple

from starlette.responses import Response

from ...store.database.records import Campaign
from ..base.state import AppState
from ..own_pages.curator_requests import AccountRequest
from ..pages.campaign_menu import campaigns_of, first_campaign
from ..people_pages.campaign_choice import no_such_campaign, wanted_campaign


class OwnCampaigns(NamedTuple):
    """The campaigns that an account sees, and the one that a request names.

    Attributes:
        names: Names of all of them.
        wanted: Name in the request, or else the campaign to begin with; empty if there is none.
        campaign: The wanted one, or None if the account does not see it.
    """

    names: list[str]
    wanted: str
    campaign: Campaign | None

    def refuse(self, path: str, title: str, asked: AccountRequest) -> Response:
        """Return the page for an unknown campaign."""
        return no_such_campaign(path, title, self.names, self.wanted, worker=asked.account)


def own_campaigns(state: AppState, asked: AccountRequest) -> OwnCampaigns:
    """Return the campaigns that an account sees, in the order of its menu, and the campaign in a request."""
    by_name = {campaign.name: campaign for campaign in campaigns_of(state, asked.account)}
    wanted = wanted_campaign(asked, ())
    if not wanted and by_name:
        wanted = first_campaign(state, asked.account, list(by_name.values()))
    return OwnCampaigns(list(by_name), wanted, by_name.get(wanted))

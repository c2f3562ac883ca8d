"""Who decides in which campaign, on the page of accounts."""

from __future__ import annotations

import streamlit as st

from ...store.assigning import Assigned, Assigning
from ..review_page import inert
from ..site import Site
from .texts import TEXTS


def show(site: Site) -> None:
    """Show the campaigns that people decide in, and take changes of who may."""
    campaigns = [site.store.campaign(name) for name in site.store.campaign_names()]
    if all(campaign.is_simulated for campaign in campaigns):
        return
    st.subheader(TEXTS["assigned"])
    st.caption(TEXTS["assigned_why"])
    assigning, known = Assigning(site.store), [account.name for account in site.accounts.all()]
    for campaign in campaigns:
        if not campaign.is_simulated:
            _show_campaign(assigning, campaign.name, known)


def _show_campaign(assigning: Assigning, campaign: str, known: list[str]) -> None:
    now = assigning.of(campaign)
    with st.form(f"assign-{campaign}", border=True):
        who, names, send = st.columns([2, 4, 1], vertical_alignment="bottom")
        choices = [TEXTS["everybody"], TEXTS["only"]]
        open_to, assigned_to = (TEXTS[name].format(campaign=inert(campaign)) for name in ("open_to", "assigned_to"))
        picked = who.radio(open_to, choices, index=int(now.is_for_assigned), key=f"who-{campaign}-{now}")
        people = names.multiselect(
            assigned_to, sorted({*known, *now.names}), default=now.names, key=f"names-{campaign}-{now}"
        )
        if send.form_submit_button(TEXTS["save"]):
            _save(assigning, campaign, now, people if picked == TEXTS["only"] else None)
            st.rerun()


def _save(assigning: Assigning, campaign: str, now: Assigned, people: list[str] | None) -> None:
    if people is None:
        assigning.open_to_everybody(campaign)
        return
    assigning.assign(campaign, people)
    if off := sorted(set(now.names) - set(people)):
        assigning.take_off(campaign, off)

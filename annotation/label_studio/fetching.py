"""Pulling what a campaign has on the server: one project, two where answers come before the key, or photographs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from ..forms.kinds import COLLECT
from ..store import Campaign, ReviewStore
from ..store.submissions.pre_key_answers import BLIND_FIRST
from .blind_reviews import answers, shown_in, votes
from .collecting import PhotographPull
from .projects import Projects
from .pulling import Pulled, pull
from .server import Server


def fetch(
    store: ReviewStore,
    campaign: Campaign,
    server: Server,
    *,
    root: Path,
    project: int,
    projects: Projects,
    names: Mapping[int, str],
    now: datetime,
) -> Pulled:
    """Take the annotations of a campaign's projects into the store.

    Args:
        store: The review store.
        campaign: One that was pushed.
        server: Label Studio.
        root: The workspace.
        project: The campaign's.
        projects: Says which others are.
        names: What the server's users are called here, by their id.
        now: This moment.

    Raises:
        BenchwrightError: The server cannot be reached or refuses.
    """
    if campaign.kind == COLLECT:
        found = PhotographPull(store, campaign, server, root=root, project=project, projects=projects)
        rows = found.fetched(server.annotated(project))
        return pull(store, campaign, rows, names=names, now=now, take=found.take)
    if not campaign.form.get(BLIND_FIRST):
        return pull(store, campaign, server.annotated(project), names=names, now=now)
    voted_on = projects.votes_of(campaign.name)
    shown = shown_in(server, voted_on)
    pulled = pull(store, campaign, server.annotated(project), names=names, now=now, take=answers(shown))
    if voted_on is None:
        return pulled
    return pulled + pull(store, campaign, server.annotated(voted_on), names=names, now=now, take=votes)

"""Pulling all of a campaign's projects: one, two where answers come before the key, or one with photographs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from ..forms.kinds import COLLECT
from ..store import Campaign, ReviewStore
from .blind_reviews import answer_taker, shown_in, take_votes
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
        store: Review store.
        campaign: Campaign that was pushed.
        server: Label Studio server.
        root: Folder of the workspace.
        project: Id of the campaign's own project.
        projects: Projects of the workspace, among them the campaign's others.
        names: Annotators' names in the store, by user id on the server.
        now: Current moment.

    Raises:
        BenchwrightError: The server cannot be reached, or refuses.
    """
    if campaign.kind == COLLECT:
        photographs = PhotographPull(store, campaign, server, root=root, project=project, projects=projects)
        rows = photographs.downloaded(server.annotated(project))
        return pull(store, campaign, rows, names=names, now=now, take=photographs.take)
    if not campaign.form.blind_first:
        return pull(store, campaign, server.annotated(project), names=names, now=now)
    voted_on = projects.votes_of(campaign.name)
    shown = shown_in(server, voted_on)
    pulled = pull(store, campaign, server.annotated(project), names=names, now=now, take=answer_taker(shown))
    if voted_on is None:
        return pulled
    return pulled + pull(store, campaign, server.annotated(voted_on), names=names, now=now, take=take_votes)

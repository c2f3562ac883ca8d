"""Pull all projects of a campaign: one; two if answers come before the key; or one with photographs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from ..forms.kinds import COLLECT
from ..store.database.records import Campaign
from ..store.review_store import ReviewStore
from .blind_reviews import answer_taker, may_be_shown, shown_in, take_votes
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
    gone: Collection[int] = (),
) -> Pulled:
    """Import the annotations of a campaign's projects into the store.

    Args:
        store: Review store.
        campaign: A pushed campaign.
        server: Label Studio server.
        root: Folder of the workspace.
        project: Id of the campaign's own project.
        projects: Projects of the workspace, among them the campaign's others.
        names: Annotators' names in the store, by user id on the server.
        now: Current time.
        gone: Ids of the campaign's deleted projects, which are not read.

    Raises:
        BenchwrightError: The server is unreachable or refuses a request.
    """

    def annotated(number: int) -> Iterable[Mapping[str, Any]]:
        return () if number in gone else server.annotated(number)

    if campaign.kind == COLLECT:
        photographs = PhotographPull(store, campaign, server, root=root, project=project, projects=projects)
        rows = photographs.downloaded(annotated(project))
        return pull(store, campaign, rows, names=names, now=now, take=photographs.take)
    if not campaign.form.blind_first:
        return pull(store, campaign, annotated(project), names=names, now=now)
    voted_on = projects.votes_of(campaign.name)
    shown = may_be_shown(store, campaign) if voted_on in gone else shown_in(server, voted_on)
    pulled = pull(store, campaign, annotated(project), names=names, now=now, take=answer_taker(shown))
    if voted_on is None:
        return pulled
    return pulled + pull(store, campaign, annotated(voted_on), names=names, now=now, take=take_votes)

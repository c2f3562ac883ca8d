"""Progress of a campaign as a JSON document, for the command line and the HTTP API."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from ..store.review_store import ReviewStore
from .campaign_progress import progress_by, progress_of
from .overview import Overview


def status_document(store: ReviewStore, name: str, by: Sequence[Any] = (), *, now: datetime) -> dict[str, Any]:
    """Return the progress of a campaign, as `review status --json` prints it and the HTTP API returns it.

    Args:
        store: Review store.
        name: Name of the campaign.
        by: Facets for a further split: `kind`, `task`, `category`.
        now: Time of the call.

    Raises:
        BenchwrightError: No campaign has that name.
    """
    campaign = store.campaign(name)
    overview = Overview(store, campaign)
    patterns = overview.decision_counts()
    document = {
        **store.status(name, now=now).to_json(),
        "outcomes": progress_of(campaign, patterns).outcomes,
        "decisions_by_day": overview.days(),
    }
    if rounds := overview.rounds(patterns):
        document["rounds"] = [progress._asdict() for progress in rounds]
    if criteria := overview.criteria(resamples=0):
        document["criteria"] = [
            {
                "criterion": criterion.name,
                "votes": criterion.votes,
                "share_of_yes": criterion.share_of_yes,
                "compared": criterion.agreement.compared,
                "percent": criterion.agreement.percent,
                "krippendorff_alpha": criterion.agreement.krippendorff_alpha,
            }
            for criterion in criteria
        ]
    if (sure := overview.closed_sure()).tasks:
        document["closed_sure"] = sure._asdict()
    revisions = overview.revisions()
    if revisions.open or revisions.done:
        document["revisions"] = {"open": revisions.open, "done": revisions.done}
    if revisions.with_writers:
        document["with_writers"] = revisions.with_writers
    forecast = overview.forecast(now=now)
    if forecast.wanted and forecast.people and not campaign.is_simulated:
        document["forecast"] = forecast.to_json()
    if (rulings := overview.adjudication_stats()).cases:
        document["adjudicated"] = rulings.to_json()
    if by:
        document["parts"] = [
            {"by": facet, "part": part.name, "tasks": part.tasks, "outcomes": part.outcomes}
            for facet in by
            for part in progress_by(campaign, patterns, facet)
        ]
    return document

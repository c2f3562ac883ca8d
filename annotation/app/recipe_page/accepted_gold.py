"""Gold from unanimously accepted items: a table in the workspace to which a campaign's `handout.gold` refers.

All annotators who judged such an item, at least two, accepted it unchanged. Its key determines the right decision, as
for an item of a release.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path

from benchwright.canonical import bytes_digest
from benchwright.errors import BenchwrightError
from benchwright.workspace.private_files import make_private_folder
from benchwright.workspace.written_once import written_once

from ...store.review_store import ReviewStore
from ...workflow.accepted_gold import RIGHT, accepted_items

MOST_GOLD = 50
_LEAST_VOTES = 2


def sources_of_gold(store: ReviewStore) -> dict[str, int]:
    """Return the number of possible gold items by campaign name, for campaigns that have any."""
    campaigns = [campaign for campaign in store.campaigns() if campaign.kind in RIGHT and not campaign.is_simulated]
    counts = {campaign.name: len(accepted_by_all(store, campaign.name)) for campaign in campaigns}
    return {name: min(count, MOST_GOLD) for name, count in counts.items() if count}


def accepted_by_all(store: ReviewStore, campaign: str) -> list[str]:
    """Return the ids of the items that all their annotators, at least two, accepted, in order."""
    return sorted(accepted_items(store, store.campaign(campaign), votes=_LEAST_VOTES))


def write_gold(workspace: Path, store: ReviewStore, campaign: str) -> str:
    """Write the table of gold items from a campaign, and return its path.

    Raises:
        BenchwrightError: The campaign has no such items.
    """
    items = accepted_by_all(store, campaign)[:MOST_GOLD]
    if not items:
        raise BenchwrightError(
            f"no item of {campaign!r} has been accepted by all its annotators, two or more; wait until one has"
        )
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerows([["item_id"], *([item_id] for item_id in items)])
    data = table.getvalue().encode()
    folder = workspace / "recipes"
    make_private_folder(folder)
    path = folder / f"gold-{campaign}-{bytes_digest(data)[:12]}.csv"
    with written_once(path, otherwise="remove it") as draft:
        draft.write_bytes(data)
    return str(path.absolute())

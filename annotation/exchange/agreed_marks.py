"""The agreed regions of a campaign `mark`, as files for other tools: COCO, Pascal VOC and YOLO."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchwright.errors import BenchwrightError
from benchwright.regions import Region
from benchwright.regions.formats.picture_marks import PictureMarks, WrittenMarks

from ..campaigns.mark.mark_verdicts import MarkedPicture, marked_picture
from ..forms.kind_forms.marking import NOTHING, UNSURE
from ..forms.kinds import MARK
from ..forms.payloads import sizes_in
from ..forms.task_content import content_in
from ..store.campaigns.adjudications import list_adjudicated
from ..store.database.records import Campaign
from ..store.review_store import ReviewStore
from ..workflow.image_files import ImageFiles
from ..workflow.settlement.marked_regions import compare_regions, consensus_in, regions_in
from ..workflow.settlement.revisions import by_version
from ..workflow.settlement.rounds import NOBODY
from ..workflow.settlement.settle import NO_AGREEMENT, WAITS


@dataclass(frozen=True)
class AgreedMarks:
    """Pictures of a campaign with their agreed regions.

    Args:
        pictures: Settled pictures, by name; those with nothing to mark have no regions. Pictures that a step made are
            named by id.
        disputed: Number of these pictures with a dispute; only their agreed regions are included.
        waiting: Number of pictures that wait for annotators, which are excluded.
        unsure: Number of pictures on which annotators could not tell, which are also excluded.
    """

    pictures: tuple[PictureMarks, ...]
    disputed: int
    waiting: int
    unsure: int


def agreed_marks(store: ReviewStore, name: str, *, root: Path) -> AgreedMarks:
    """Return the regions agreed on by a campaign's annotators or set by an adjudicator, without gold pictures.

    The function first compares uncompared regions, such as those of imported decisions.

    Args:
        store: The review store.
        name: Name of the campaign.
        root: Folder of the workspace, which has the pictures' names.

    Raises:
        BenchwrightError: The campaign is not of the kind `mark`.
    """
    campaign = store.campaign(name)
    if campaign.kind != MARK:
        raise BenchwrightError(
            f"campaign {name!r} is of kind {campaign.kind!r}; only campaigns of kind 'mark' contain regions"
        )
    compare_regions(store, campaign)
    files = ImageFiles(root)
    gold = {answer.item_id for answer in store.gold_answers(name)}
    decisions = by_version(store.decisions(name))
    with store.reading() as connection:
        adjudicated = list_adjudicated(connection, campaign)
    pictures, disputed, waiting, unsure = [], 0, 0, 0
    for task in store.tasks(name, states=("open", "done")):
        if task.item_id in gold:
            continue
        if task.state == "open":
            waiting += 1
            continue
        images = content_in(task.payload).images
        version = (task.item_id, task.content_hash)
        marked = marked_picture(
            campaign,
            images[0].image_id,
            sizes_in(task.payload),
            decisions.get(version, ()),
            adjudicated.get(version, NOBODY),
            other=images[1].image_id if len(images) > 1 else None,
        )
        if marked.outcome == WAITS:
            waiting += 1
            continue
        if marked.outcome == UNSURE:
            unsure += 1
            continue
        disputed += marked.outcome == NO_AGREEMENT
        pictures.append(_picture(campaign, marked, _name_of(files, marked.image_id)))
    return AgreedMarks(tuple(sorted(pictures, key=lambda picture: picture.name)), disputed, waiting, unsure)


def written_document(name: str, out: Path, agreed: AgreedMarks, written: WrittenMarks) -> dict[str, Any]:
    """Return the document that `review marks export --json` prints."""
    return {
        "campaign": name,
        "out": str(out),
        "pictures": written.pictures,
        "regions": written.regions,
        "disputed": agreed.disputed,
        "waiting": agreed.waiting,
        "unsure": agreed.unsure,
        "skipped": [{"picture": row.picture, "place": row.place, "reason": row.reason} for row in written.skipped],
    }


def _name_of(files: ImageFiles, image_id: str) -> str:
    return files.name(image_id) or image_id


def _picture(campaign: Campaign, marked: MarkedPicture, name: str) -> PictureMarks:
    rows: list[tuple[str, Region]] = []
    if marked.outcome != NOTHING:
        decision = marked.adjudicated.decision
        if decision is not None:
            by_field = regions_in(campaign.form, decision.fields)
            rows = [(field, region) for field, regions in by_field.items() for region in regions]
        else:
            consensus = consensus_in(campaign, marked.annotations, marked.sizes_wh)
            rows = [(agreed.field, agreed.region) for agreed in consensus.agreed]
    return PictureMarks(
        name, marked.sizes_wh[0], tuple(region for _, region in rows), fields=tuple(field for field, _ in rows)
    )

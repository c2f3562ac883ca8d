"""The table of regions: everything that annotators marked, in every version, and their changes to proposals."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from pydantic import ValidationError

from benchwright.regions import Region, change_of, kind_of_change

from ...store.database.records import Campaign
from ...store.database.schema import annotations_table, annotators, campaigns, slots, tasks
from .table_files import Columns, ExportTable
from .work_tables import Names, stream

_COLUMNS: Columns = {
    "campaign": "text",
    "item_id": "text",
    "round": "int",
    "slot": "int",
    "annotator": "text",
    "version": "int",
    "is_newest": "bool",
    "field": "text",
    "place": "int",
    "shape": "text",
    "label": "text",
    "x0": "float",
    "y0": "float",
    "x1": "float",
    "y1": "float",
    "proposed_by": "text",
    "proposed_version": "text",
    "proposed_model": "text",
    "proposed_weights": "text",
    "change": "text",
    "iou": "float",
    "moved_px": "float",
}


def regions_table(connection: sa.Connection, marked: Sequence[Campaign], display_names: Names) -> ExportTable:
    """Return the table of the regions marked in campaigns; for the arguments see `work_tables`.

    `x0` to `y1` are the box around the region in pixels of the upright picture; the region itself is in the column
    `fields` of `annotations`.
    """
    names = {campaign.name: _field_names(campaign) for campaign in marked}
    wanted = [campaign.id for campaign in marked if names[campaign.name]]
    return ExportTable("regions", _COLUMNS, _rows(connection, wanted, names, display_names))


def _field_names(campaign: Campaign) -> list[str]:
    return [field.name for field in campaign.form.region_fields]


def _rows(
    connection: sa.Connection, campaign_ids: Sequence[int], names: Mapping[str, Sequence[str]], display_names: Names
) -> Iterator[Sequence[Any]]:
    a, newer = annotations_table.c, annotations_table.alias("newer")
    is_newest = ~sa.exists().where(newer.c.slot_id == a.slot_id, newer.c.version > a.version)
    query = (
        sa.select(
            campaigns.c.name,
            tasks.c.item_id,
            tasks.c.round,
            slots.c.slot,
            annotators.c.name,
            a.version,
            is_newest,
            a.fields,
        )
        .select_from(
            annotations_table.join(slots, a.slot_id == slots.c.id)
            .join(tasks, slots.c.task_id == tasks.c.id)
            .join(campaigns, tasks.c.campaign_id == campaigns.c.id)
            .join(annotators, slots.c.annotator_id == annotators.c.id)
        )
        .where(campaigns.c.id.in_(campaign_ids), a.fields.is_not(None))
        .order_by(campaigns.c.name, tasks.c.item_id, tasks.c.round, tasks.c.content_hash, slots.c.slot, a.version)
    )
    for campaign, item_id, round_, slot, annotator, version, newest, body in stream(connection, query):
        fields = json.loads(body)
        for field in names[campaign]:
            for place, document in enumerate(fields.get(field) or ()):
                try:
                    region = Region.model_validate(document)
                except ValidationError:  # from an older program, under other rules; `annotations` holds it
                    continue
                head = (campaign, item_id, round_, slot, display_names[annotator], version, bool(newest), field, place)
                yield [*head, *_described(region)]


def _described(region: Region) -> list[Any]:
    bounds = [round(float(edge), 3) for edge in region.bounds]
    change = change_of(region)
    if change is None:
        return [region.shape, region.label, *bounds, *[None] * 7]
    author = [change.get(name) for name in ("helper", "version", "model", "weights")]
    return [
        region.shape,
        region.label,
        *bounds,
        *author,
        kind_of_change(change),
        change.get("iou"),
        change.get("moved_px"),
    ]

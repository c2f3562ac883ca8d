"""People on average, the best, and each, with the models on the very items that they answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .cards import legible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..human import CampaignFigures, HumanFigures
    from ..same_items import Sample
    from ..score import Figure

MOST_TASKS = 12
"""Columns of tasks beside the one over all items; `evaluate people --json` has those of all tasks."""


class PeopleRow(NamedTuple):
    """A line of the table.

    Args:
        name: Who.
        kind: `people`, `annotator` or `model`.
        cells: Over all items, then by task; None where nothing was answered.
    """

    name: str
    kind: str
    cells: tuple[Figure | None, ...]


class PeopleTable(NamedTuple):
    """One campaign.

    Args:
        campaign: Its name.
        simulated: Whether nobody answered.
        annotators: How many there were.
        items: How many items they answered.
        columns: Names of the columns of figures.
        rows: People first, then models, then each annotator.
    """

    campaign: str
    simulated: bool
    annotators: int
    items: int
    columns: tuple[str, ...]
    rows: tuple[PeopleRow, ...]


def people_tables(human: HumanFigures | None, samples: Mapping[str, Sample]) -> list[PeopleTable]:
    """Return a table for each campaign that asked people; none where nobody was asked.

    Args:
        human: Of the split that was scored.
        samples: What models did on the same items, by campaign.
    """
    if human is None:
        return []
    return [_table(name, one, samples[name]) for name, one in sorted(human.campaigns.items()) if name in samples]


def _table(name: str, campaign: CampaignFigures, sample: Sample) -> PeopleTable:
    tasks = sorted(one for one in campaign.metrics if one.startswith("accuracy/"))[:MOST_TASKS]
    columns = ["accuracy", *tasks]
    rows = [_row("people, mean", "people", campaign.metrics, columns)]
    if campaign.best is not None:
        rows.append(_row(f"best: {campaign.best}", "people", campaign.each[campaign.best], columns))
    rows += [_row(legible(title), "model", metrics, columns) for title, metrics in sample.models.items()]
    rows += [_row(who, "annotator", metrics, columns) for who, metrics in campaign.each.items()]
    heads = ("all", *(task.removeprefix("accuracy/") for task in tasks))
    return PeopleTable(legible(name), campaign.simulated, campaign.annotators, sample.items, heads, tuple(rows))


def _row(name: str, kind: str, metrics: Mapping[str, Figure], columns: Sequence[str]) -> PeopleRow:
    found = (metrics.get(one) for one in columns)
    return PeopleRow(name, kind, tuple(None if one is None or one.value is None else one for one in found))

"""Human figures on the scored items, from the human baseline of the release.

Tables show people on average, the best person and each person, together with the models on the same items.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .legible import legible
from .score_table import People, PeopleShare

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...analysis.same_items import Sample
    from ...results.human_baseline import CampaignFigures, HumanFigures
    from ...results.score import Figure


_MOST_TASKS = 12
"""Largest number of task columns in addition to the one for all items; `evaluate people --json` includes all tasks."""


class PeopleRow(NamedTuple):
    """A row of the table.

    Args:
        name: Name of the row: people, a model or an annotator.
        kind: `people`, `annotator` or `model`.
        cells: Figures over all items, then by task; None if there are no answers.
    """

    name: str
    kind: str
    cells: tuple[Figure | None, ...]


class PeopleTable(NamedTuple):
    """The table for a campaign.

    Args:
        campaign: Name of the campaign.
        simulated: Whether all annotators were simulated, so that no person answered.
        annotators: Number of annotators.
        items: Number of items that they answered.
        columns: Names of the columns of figures.
        rows: Rows: people first, then models, then each annotator.
    """

    campaign: str
    simulated: bool
    annotators: int
    items: int
    columns: tuple[str, ...]
    rows: tuple[PeopleRow, ...]


def people_tables(human: HumanFigures | None, samples: Mapping[str, Sample]) -> list[PeopleTable]:
    """Return a table for each campaign that asked people; empty if there is none.

    Args:
        human: Human figures on the scored split.
        samples: Figures of models on the same items, by campaign.
    """
    if human is None:
        return []
    return [
        _table(name, campaign, samples[name]) for name, campaign in sorted(human.campaigns.items()) if name in samples
    ]


def _table(name: str, campaign: CampaignFigures, sample: Sample) -> PeopleTable:
    tasks = sorted(metric for metric in campaign.metrics if metric.startswith("accuracy/"))[:_MOST_TASKS]
    columns = ["accuracy", *tasks]
    rows = [_row("people, mean", "people", campaign.metrics, columns)]
    if campaign.best is not None:
        rows.append(_row(f"best: {campaign.best}", "people", campaign.each[campaign.best], columns))
    rows += [_row(legible(title), "model", metrics, columns) for title, metrics in sample.models.items()]
    rows += [_row(annotator, "annotator", metrics, columns) for annotator, metrics in campaign.each.items()]
    heads = ("all", *(task.removeprefix("accuracy/") for task in tasks))
    return PeopleTable(legible(name), campaign.simulated, campaign.annotators, sample.items, heads, tuple(rows))


def _row(name: str, kind: str, metrics: Mapping[str, Figure], columns: Sequence[str]) -> PeopleRow:
    figures = (metrics.get(column) for column in columns)
    return PeopleRow(
        name, kind, tuple(None if figure is None or figure.value is None else figure for figure in figures)
    )


def people_of(human: HumanFigures | None, baseline: Mapping[str, Any] | None) -> People | None:
    """Return the human figures, or None if the release has no baseline.

    Plots and cards show one campaign: the alphabetically first one with human annotators, or the first overall if none
        had any.

    Args:
        human: Human figures on the scored split.
        baseline: Human baseline of the release, as `read_human_baseline` returns it.
    """
    if human is None or not baseline:
        return None
    chosen = min(human.campaigns, key=lambda name: (human.campaigns[name].simulated, name))
    campaign = human.campaigns[chosen]
    items = {
        item_id: PeopleShare(answers["asked"], answers["right"])
        for item_id, answers in baseline[chosen]["items"].items()
    }
    note = "; ".join(_note(name, figures) for name, figures in sorted(human.campaigns.items()))
    return People(campaign.metrics, items, campaign.simulated, human.lines(), legible(note))


def _note(name: str, campaign: CampaignFigures) -> str:
    kind = "simulated annotators" if campaign.simulated else "people without the key"
    n = campaign.metrics["accuracy"].n
    return f"{name}: {campaign.annotators:,} {kind}, up to {campaign.answers_per_item} per item, on {n:,} of the items"

"""`benchwright evaluate people`: figures of individual annotators, and of models on the same items."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import counted

from .arguments import results_argument

if TYPE_CHECKING:
    from rich.table import Table

    from ..analysis.same_items import SameItemFigures


@click.command("people")
@results_argument
@click.option(
    "--release",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    required=True,
    metavar="DIR",
    help="The release that was scored, with its human baseline.",
)
@json_option(
    """
    `{"release", "release_id", "split", "campaigns": {name: {"simulated", "annotators", "answers_per_item",
    "metrics", "each", "best", "items", "models"}}}`
    """
)
def people(results: Path, release: Path, as_json: bool) -> None:
    """Show the figures of people (mean, best, each under a pseudonym) and of the models on the same items."""
    from benchwright.release import Release

    from ..analysis.same_items import figures_on_same_items
    from ..results.summary import drawn

    beside = figures_on_same_items(results, Release.open(release))
    emit(beside.document(), as_json=as_json, text=lambda: "\n".join(map(drawn, _tables(beside))))


def _tables(beside: SameItemFigures) -> list[Table]:
    """Return a table for each campaign: people on average and the best of them, then models, then each annotator."""
    from ..results.summary import figure_table, printable

    tables = []
    for name, campaign in sorted(beside.human.campaigns.items()):
        sample = beside.samples[name]
        noun = "simulated annotator" if campaign.simulated else "annotator"
        block = [("people, mean", campaign.metrics)]
        if campaign.best is not None:
            block.append((f"best: {campaign.best}", campaign.each[campaign.best]))
        title = f"{printable(name)}: {counted(campaign.annotators, noun)}, {counted(sample.items, 'item')}"
        blocks = [block, list(sample.models.items()), list(campaign.each.items())]
        tables.append(figure_table(title, blocks))
    return tables

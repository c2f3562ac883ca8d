"""Results of recomputing tables: cells by name, in percent as in the papers, with the counts behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..metrics.papers.shares import Share
from .search import CellReadings, FamilyReading

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True)
class PromptMatches:
    """The result of comparing the published prompts of a mode with our rendering.

    Attributes:
        as_now: Number of prompts that equal our rendering with the data's current labels.
        other_labels: Ids of the questions whose prompt equals our rendering with another label, by (label in the
            prompt, current label).
        unmatched: Ids of the questions whose prompt does not equal our rendering with any label.
    """

    as_now: int
    other_labels: Mapping[tuple[str, str], tuple[str, ...]]
    unmatched: tuple[str, ...]

    def document(self) -> dict[str, Any]:
        """Return the matches as JSON values."""
        return {
            "as_now": self.as_now,
            "other_labels": [
                {"told": sent, "now": now, "questions": list(ids)} for (sent, now), ids in self.other_labels.items()
            ],
            "unmatched": list(self.unmatched),
        }


@dataclass(frozen=True)
class Recount:
    """The recomputed cells of one model.

    Attributes:
        model: Name of the model in its files.
        cells: Proportions, by the names of the cells.
        notes: Remarks about the files, one per line, for people who read the cells.
        readings: Readings of each cell, by the name of the cell.
        families: Readings of families of cells that were computed in one run.
        prompts: Results of comparing the prompts, by mode.
    """

    model: str
    cells: Mapping[str, Share]
    notes: tuple[str, ...] = ()
    readings: Mapping[str, CellReadings] = field(default_factory=dict)
    families: tuple[FamilyReading, ...] = ()
    prompts: Mapping[str, PromptMatches] = field(default_factory=dict)

    @property
    def unmatched_prompts(self) -> int:
        """Return the number of prompts that differ from our rendering."""
        return sum(len(matches.unmatched) for matches in self.prompts.values())

    def document(self) -> dict[str, Any]:
        """Return the cells as JSON values; the value of a cell for which nothing was counted is null."""
        return {
            "model": self.model,
            "cells": {
                name: {"value": percent(share), "numerator": share.part, "denominator": share.of}
                for name, share in self.cells.items()
            },
            "readings": {name: self.readings[name].document() for name in self.cells},
            "families": [family.document() for family in self.families],
            "prompts": {mode: matches.document() for mode, matches in self.prompts.items()},
        }

    def table(self) -> Table:
        """Return the cells as a table, including the values printed in the paper, if known."""
        from rich import box
        from rich.table import Table
        from rich.text import Text

        from benchwright.texts.normalization import printable

        with_printed = any(cell.printed for cell in self.readings.values())
        heads = ["cell", "%", "counted", *(["paper", "given by"] if with_printed else [])]
        table = Table(box=box.SIMPLE_HEAD, title=Text(printable(self.model)), title_justify="left")
        for place, head in enumerate(heads):
            table.add_column(head, justify="right" if place else "left", no_wrap=True)
        for name, share in self.cells.items():
            value = percent(share)
            row = [name, "-" if value is None else f"{value:.2f}", f"{_counted(share.part)} of {share.of}"]
            if with_printed:
                cell = self.readings[name]
                row.append(" / ".join(dict.fromkeys(f"{print_out.value:.2f}" for print_out in cell.printed)))
                row.append(
                    " / ".join(dict.fromkeys(_share_of_readings(cell, print_out.value) for print_out in cell.printed))
                )
            table.add_row(*(Text(printable(column)) for column in row))
        return table


def percent(share: Share) -> float | None:
    """Return a proportion in percent, unrounded, or None if nothing was counted."""
    return None if share.value is None else 100 * share.part / share.of


def _share_of_readings(cell: CellReadings, value: float) -> str:
    """Return, as text, how many of the readings that were tried yield a printed value."""
    return f"{len(cell.giving(value))} of {len(cell.shares)}"


def _counted(part: float) -> str:
    return str(part) if isinstance(part, int) else f"{part:.4f}"

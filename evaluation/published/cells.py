"""What a recount gives: cells by name, in percent as the papers print them, with what they were counted from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..paper_metrics.shares import Share

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True)
class Recount:
    """One model's cells.

    Attributes:
        model: The model, by the name that its files carry.
        cells: Shares by the cells' names.
        notes: What a reader of the cells has to know about the files, a line each.
        printed: What the paper prints for a cell, in percent, as far as the data folder's `expected.json` says it.
    """

    model: str
    cells: Mapping[str, Share]
    notes: tuple[str, ...] = ()
    printed: Mapping[str, float] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """Return the cells as JSON values; the value of a cell that is counted from nothing is null."""
        return {
            "model": self.model,
            "cells": {
                name: {"value": percent(share), "numerator": share.part, "denominator": share.of}
                for name, share in self.cells.items()
            },
        }

    def table(self) -> Table:
        """Return the cells for people, with what the paper prints beside them where that is known."""
        from rich import box
        from rich.table import Table
        from rich.text import Text

        from benchwright.cli.output import printable

        heads = ["cell", "%", "counted", *(["paper"] if self.printed else [])]
        table = Table(box=box.SIMPLE_HEAD, title=Text(printable(self.model)), title_justify="left")
        for place, head in enumerate(heads):
            table.add_column(head, justify="right" if place else "left", no_wrap=True)
        for name, share in self.cells.items():
            value = percent(share)
            row = [name, "-" if value is None else f"{value:.2f}", f"{_counted(share.part)} of {share.of}"]
            if self.printed:
                row.append(f"{self.printed[name]:.2f}" if name in self.printed else "")
            table.add_row(*(Text(printable(cell)) for cell in row))
        return table


def percent(share: Share) -> float | None:
    """Return a share in percent, unrounded; None of nothing."""
    return None if share.value is None else 100 * share.part / share.of


def _counted(part: float) -> str:
    return str(part) if isinstance(part, int) else f"{part:.4f}"

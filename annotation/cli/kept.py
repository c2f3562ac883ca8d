"""``benchwright review kept``: agreement and number of items kept, by question type."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import printable

from .selection import campaign_option, open_for_commands, pick_campaign, workspace_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..campaigns.running.kept_table import TypeRow


@click.command("kept")
@workspace_option
@campaign_option
@json_option(
    """
    `{"campaign", "rule", "types": [{"type", "total", "decided", "kept", "percent", "krippendorff_alpha",
    "compared"}], "overall": {"type", "total", "decided", "kept", "percent", "krippendorff_alpha", "compared"}}`;
    `compared` is how many versions of items two or more annotators judged; null where undefined
    """
)
def kept(workspace: Path | None, campaign: str | None, as_json: bool) -> None:
    """Show per question type how far annotators agree, and how many items were kept of how many (MVP-Bench, Table 1).

    Agreement is over all rounds: each version that annotators judged counts. In text it is in percent with two
    decimals, with a column for each type, as the paper prints it.
    """
    from ..campaigns.running.kept_table import kept_in

    with open_for_commands(workspace) as store:
        name = pick_campaign(store, campaign)
        rule, rows = store.campaign(name).rule, kept_in(store, name)
    *types, overall = [row.to_json() for row in rows]
    document = {"campaign": name, "rule": rule, "types": types, "overall": overall}
    emit(document, as_json=as_json, text=lambda: table_text(rows))


def table_text(rows: Sequence[TypeRow]) -> str:
    """Return the table in the paper's layout: a column for each type, and agreement in percent with two decimals."""
    cells = [["", "agreement %", "alpha", "kept", "decided", "total", "compared"]]
    cells += [
        [
            printable(row.type),
            "undefined" if row.percent is None else f"{100 * row.percent:.2f}",
            "undefined" if row.krippendorff_alpha is None else f"{row.krippendorff_alpha:.3f}",
            *(str(number) for number in (row.kept, row.decided, row.total, row.compared)),
        ]
        for row in rows
    ]
    # The paper has types side by side, so the rows above become columns.
    columns = list(zip(*cells, strict=True))
    widths = [max(map(len, line)) for line in cells]
    lines = []
    for first, *cells_of_row in columns:
        lines.append(
            "  ".join(
                [
                    first.ljust(widths[0]),
                    *(cell.rjust(width) for cell, width in zip(cells_of_row, widths[1:], strict=True)),
                ]
            )
        )
    return "\n".join(line.rstrip() for line in lines)

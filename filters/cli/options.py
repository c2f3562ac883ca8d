"""Options that several `benchwright filter ...` commands share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from benchwright.terminal.output import note
from benchwright.texts.normalization import counted, printable

if TYPE_CHECKING:
    from ..measured_folder import UnreadableFile

distance_option = click.option(
    "--distance",
    type=click.IntRange(0, 16),
    default=8,
    show_default=True,
    help="Compare pairs whose 64-bit perceptual hashes differ in at most this many bits.",
)
workers_option = click.option(
    "--workers", type=click.IntRange(1, 1024), help="Worker processes.  [default: one per processor]"
)


def end_where_lost(unreadable: Sequence[UnreadableFile]) -> None:
    """End a command with exit code 3 if a filter raised an exception on a picture or a picture crashed its worker."""
    from benchwright.workspace.run_results import UNFORESEEN

    lost = [file for file in unreadable if file.reason in UNFORESEEN]
    if lost:
        note(
            f"benchwright: error: {counted(len(lost), 'file')} lost, first {printable(lost[0].path)}: {lost[0].reason}"
        )
        raise click.exceptions.Exit(3)

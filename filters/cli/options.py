"""Options that several `benchwright filter ...` commands share."""

from __future__ import annotations

import click

distance_option = click.option(
    "--distance",
    type=click.IntRange(0, 16),
    default=8,
    show_default=True,
    help="Look at pairs whose 64-bit perceptual hashes differ in at most this many bits.",
)
workers_option = click.option(
    "--workers", type=click.IntRange(1, 1024), help="Worker processes.  [default: one a processor]"
)

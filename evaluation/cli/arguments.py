"""Arguments shared by several `evaluate` commands."""

from __future__ import annotations

from pathlib import Path

import click

results_argument = click.argument(
    "results", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Folder of results."
)
scored_release = click.option(
    "--release",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    required=True,
    metavar="DIR",
    help="The release that was scored.",
)
reader_option = click.option(
    "--reader",
    type=click.Choice(("robust", "blink", "ii-bench", "mvp-bench")),
    default="robust",
    show_default=True,
    help="Reader of the replies: our own, or one exactly as in a paper's repository.",
)

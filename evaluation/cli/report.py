"""`benchwright evaluate report`: a page about the models in a folder of results."""

from __future__ import annotations

from pathlib import Path

import click

from benchwright.terminal.output import emit, json_option

from .arguments import results_argument, scored_release


@click.command("report")
@results_argument
@scored_release
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to write; replaces an older report, but no other file.  [default: RESULTS/report.html]",
)
@click.option(
    "--max-items",
    type=click.IntRange(0),
    help="Number of items on the page; of more, a sample by split and task.  [default: as many as fit into 5 MB, 24 "
    "to 500]",
)
@click.option(
    "--max-side",
    type=click.IntRange(32, 4096),
    default=384,
    show_default=True,
    help="Longest side of the pictures on the page, in pixels.",
)
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder for the same content as JSON and CSV; replaces an older report's data, but no other files.  "
    "[default: report-data next to the page]",
)
@click.option(
    "--errors",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Findings of an error analysis, written by `review results`.",
)
@click.option(
    "--shortcuts",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Output of `filter shortcuts RELEASE --json`: shows its best solvers next to specialists and people.",
)
@json_option(
    """
    `{"report", "release", "release_id", "models": [name], "items", "shown", "pictures", "size_bytes", "data"}`
    """
)
def report(
    results: Path,
    release: Path,
    out: Path | None,
    max_items: int | None,
    max_side: int,
    data: Path | None,
    errors: Path | None,
    shortcuts: Path | None,
    as_json: bool,
) -> None:
    """Write one HTML page with scores, plots and items of all models in a folder of results."""
    from benchwright.engines.record_jobs import map_on_this_machine
    from benchwright.terminal.progress_bars import ProgressBars

    from ..report.writing import write_report

    with ProgressBars() as progress, map_on_this_machine("report") as record_map:
        written = write_report(
            results,
            release,
            out=out,
            max_items=max_items,
            max_side_px=max_side,
            data=data,
            findings=errors,
            shortcuts=shortcuts,
            record_map=record_map,
            progress=progress,
        )
    emit(written.document(), as_json=as_json, text=written.describe)

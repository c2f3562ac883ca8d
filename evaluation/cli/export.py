"""`benchwright evaluate export`: a result in the format of another evaluation program."""

from __future__ import annotations

from pathlib import Path

import click

from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import counted

from .arguments import scored_release


@click.command("export")
@click.argument(
    "result",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of one result, with its score.json, in the folder that `evaluate run --out` wrote.",
)
@click.option(
    "--format",
    "layout",
    type=click.Choice(["inspect", "lmms-eval"]),
    required=True,
    help="A log of inspect_ai, for `inspect view`, or samples of lmms-eval.",
)
@scored_release
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="File to write: .json for inspect, .jsonl for lmms-eval.",
)
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
@json_option('`{"result", "format", "out", "samples"}`')
def export(result: Path, layout: str, release: Path, out: Path, force: bool, as_json: bool) -> None:
    """Write a result with all replies as inspect_ai's log or as lmms-eval's samples; `evaluate score` reads both."""
    from benchwright.release import Release

    from ..results.exported_results import export_result

    samples = export_result(result, Release.open(release), layout, out, force=force)
    document = {"result": str(result), "format": layout, "out": str(out), "samples": samples}
    emit(document, as_json=as_json, text=f"{counted(samples, 'sample')} in {out}")

"""The command `release export`."""

from __future__ import annotations

from pathlib import Path

import click

from benchwright.terminal.output import emit, json_option, note
from benchwright.texts.normalization import counted


@click.command("export")
@click.argument(
    "folder",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of a release.",
)
@click.option(
    "--format",
    "format_name",
    required=True,
    metavar="NAME",
    help="Format of the export: croissant, inspect, vlmevalkit, lmms-eval, webdataset, coco, label-studio or jsonl; "
    "other packages can add more.",
)
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder of the export; must be new or empty.",
)
@click.option("--splits", metavar="NAMES", help="Names of splits to export, separated by commas.  [default: all]")
@json_option(
    """
    `{"format", "out", "items", "files", "not_carried": [{"what", "items", "why"}], "checked": {"items", "questions",
    "options", "answers", "pictures", "marked_pictures"}}`; `files` is their number, and `checked` counts the parts read
    back and equal to the release's
    """
)
def export(folder: Path, *, format_name: str, out: Path, splits: str | None, as_json: bool) -> None:
    """Export a release to the format of another tool, with pictures as models see them.

    Before the folder appears, the command reads the files back and compares them with the release. It lists what the
    format cannot carry, here and in the export's README.
    """
    from benchwright.engines.record_jobs import map_on_this_machine
    from benchwright.release import Release
    from benchwright.terminal.progress_bars import ProgressBars

    from .exporting.export import export_release

    names = None if splits is None else [name.strip() for name in splits.split(",") if name.strip()]
    if names == []:
        raise click.UsageError("--splits names no split; leave it out for all")
    release = Release.open(folder)
    if sealed := [split for split in release.manifest.sealed_splits if names is None or split in names]:
        note(f"the answers of {', '.join(sealed)} are sealed and not exported: scores on them mean nothing")
    if by_address := release.manifest.by_address:
        note(
            f"licenses forbid redistribution of {counted(by_address, 'picture')}, and the export contains those that "
            "its items show"
        )
    with ProgressBars() as progress, map_on_this_machine("export") as record_map:
        done = export_release(release, format_name, out, splits=names, progress=progress, record_map=record_map)

    def text() -> str:
        checked = ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in done.checked.items() if number)
        lines = [
            f"{out}: {counted(done.items, 'item')} in {counted(done.files, 'file')}",
            f"read back and equal: {checked}",
        ]
        for loss, items in done.not_carried:
            lines.append(f"not carried, {counted(items, 'item')}: {loss.what} ({loss.why})")
        return "\n".join(lines)

    emit(done.document(), as_json=as_json, text=text)

"""The command `benchwright filter quality`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import printable

from .options import end_where_lost, workers_option

if TYPE_CHECKING:
    from ..quality.report import QualityReport


@click.command("quality")
@click.argument(
    "folder",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder, searched with its subfolders.",
)
@workers_option
@json_option(
    """
    `{"images": [{"path", "faults": [reason], "short_px", "aspect", "filled", "blur", "lightest", "darkest",
    "clipped", "colorfulness", "jpeg_quality", "blockiness", "frame"}], "unreadable": [{"path", "reason"}],
    "reasons": {reason: n}}`; a value is null if a picture has none
    """
)
def quality(folder: Path, workers: int | None, as_json: bool) -> None:
    """Measure size, content, sharpness, light, color, compression and frame of each picture of a folder.

    Measures like the step `quality` with its defaults, in a temporary workspace; drops nothing. The text lists each
    fault with the value that shows it; the JSON document has all values of all files.
    """
    from benchwright.terminal.progress_bars import ProgressBars

    from ..quality.report import measure_quality

    started = time.perf_counter()
    with ProgressBars() as progress:
        report = measure_quality(folder, workers=workers, progress=progress)
    seconds = time.perf_counter() - started
    emit(report.document(), as_json=as_json, text=lambda: "\n".join(_lines(report, seconds)))
    end_where_lost(report.unreadable)


def _lines(report: QualityReport, seconds: float) -> Iterator[str]:
    from benchwright.diagnostics.pictures.faults import FAULTS

    value_of: dict[str, str] = {fault.reason: fault.value for fault in FAULTS}
    for image in report.images:
        for reason in image.faults:
            name = value_of[reason]
            yield f"{reason:17} {name} {image.values[name]:g}  {printable(image.path)}"
    for file in report.unreadable:
        advice = f"  {printable(file.advice)}" if file.advice else ""
        yield f"unreadable        {file.reason}  {printable(file.path)}{advice}"
    yield "  ".join(f"{reason} {count}" for reason, count in report.reasons.items())
    yield (
        f"images {len(report.images)}, with faults {sum(bool(image.faults) for image in report.images)}, "
        f"unreadable files {len(report.unreadable)}, {seconds:.1f} s, "
        f"{len(report.images) / seconds:.2f} images a second"
    )

"""The command `benchwright filter text-ratio`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.diagnostics.picture_text.scripts import SCRIPTS
from benchwright.terminal.output import emit, json_option, note
from benchwright.texts.normalization import printable

from .options import end_where_lost, workers_option

if TYPE_CHECKING:
    from ..text.report import TextReport, TextShare
    from ..text.text_ratio import Backend
    from .contact_sheet import Tile


_PAGE = "text-ratio.html"


@click.command("text-ratio")
@click.argument(
    "folder",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder, searched with its subfolders.",
)
@click.option(
    "--contact-sheet",
    metavar="OUT.png",
    type=click.Path(dir_okay=False, path_type=Path),
    help="PNG to write: all pictures small, by ratio, 30 a page (OUT.png, OUT-2.png, ...), each with its ratio. "
    "Boxes that count are red, illegible ones gray. Never overwrites a file.",
)
@click.option(
    "--calibrate",
    metavar="PAGE.html",
    is_flag=False,
    flag_value=_PAGE,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Page to write: the distribution of ratios, what each threshold would drop, and pictures on both sides of"
    " it. Never overwrites a file.  [without a name: text-ratio.html]",
)
@click.option(
    "--threshold",
    "thresholds",
    metavar="RATIO",
    multiple=True,
    type=click.FloatRange(0, 1),
    help="A threshold for that page, 0 to 1; may be repeated.  [default: those that suit the distribution]",
)
@click.option(
    "--backend",
    type=click.Choice(["rapidocr", "paddleocr"]),
    default="rapidocr",
    show_default=True,
    help="OCR engine; BENCHWRIGHT_PADDLE_PYTHON names the interpreter of an environment with paddleocr.",
)
@workers_option
@json_option(
    """
    `{"images": [{"path", "ratio", "boxes", "unread", "left_out"}], "unreadable": [{"path", "reason"}], "scripts":
    [name]}`; `ratio` is a fraction, 0 to 1; `unread` counts boxes accepted as lines in letters that the reader does not
    know, `left_out` counts boxes that are illegible and do not count; `scripts` are the scripts that the reader knows
    """
)
def text_ratio(
    folder: Path,
    contact_sheet: Path | None,
    calibrate: Path | None,
    thresholds: tuple[float, ...],
    backend: Backend,
    workers: int | None,
    as_json: bool,
) -> None:
    """Measure the share of each picture of a folder that text covers, in a temporary workspace; drops nothing.

    Measures like the step `text_ratio` with its defaults: the share of the union of all boxes of text, cut to the
    picture. Doubtful boxes count only if they are legible; giant ones also if they are sure and shaped like a line,
    since the reader knows only the scripts that the last line names. The table is sorted by ratio, the JSON document by
    path. Needs the extra `filters`.
    """
    from benchwright.terminal.progress_bars import ProgressBars

    from ..text.report import measure_text

    if contact_sheet is not None:
        from .contact_sheet import page_paths

        page_paths(contact_sheet, count=1)  # before the search, not after it
    if calibrate is not None:
        from ..text.calibration import check_page_path

        check_page_path(calibrate)
    elif thresholds:
        raise click.UsageError("--threshold applies to the page that --calibrate writes; give that option as well")
    started = time.perf_counter()
    with ProgressBars() as progress:
        report = measure_text(folder, backend=backend, workers=workers, progress=progress)
    seconds = time.perf_counter() - started
    if contact_sheet is not None:
        _draw(contact_sheet, folder, report)
    if calibrate is not None:
        from ..text.calibration import write_calibration

        write_calibration(calibrate, folder, report, thresholds=thresholds or None)
        note(f"page: {calibrate}")
    document = {
        "images": [
            {
                "path": image.path,
                "ratio": image.ratio,
                "boxes": image.boxes,
                "unread": image.unread,
                "left_out": len(image.left_out),
            }
            for image in report.images
        ],
        "unreadable": [file.document() for file in report.unreadable],
        "scripts": list(SCRIPTS),
    }
    emit(document, as_json=as_json, text=lambda: _as_text(report, seconds))
    end_where_lost(report.unreadable)


def _most_first(report: TextReport) -> list[TextShare]:
    return sorted(report.images, key=lambda image: (-image.ratio, image.path))


def _as_text(report: TextReport, seconds: float) -> str:
    lines = ["ratio  boxes  path"]
    lines += [f"{image.ratio:.3f}  {image.boxes:5}  {printable(image.path)}" for image in _most_first(report)]
    lines += [f"unreadable  {printable(file.path)}  {file.told}" for file in report.unreadable]
    for image in report.images:
        if image.unread or image.left_out:
            lines.append(
                f"not read  {printable(image.path)}  boxes that count as lines {image.unread}, left out "
                f"{len(image.left_out)}"
            )
    lines.append(f"letters read: {', '.join(SCRIPTS)}; lines in others count by their area")
    lines.append(
        f"images {len(report.images)}, with text {sum(image.boxes > 0 for image in report.images)}, unreadable files "
        f"{len(report.unreadable)}, {seconds:.1f} s, {len(report.images) / seconds:.2f} images a second"
    )
    return "\n".join(lines)


def _draw(out: Path, folder: Path, report: TextReport) -> None:
    from .contact_sheet import write_sheets

    pages = write_sheets(out, _tiles(folder, _most_first(report)), count=len(report.images))
    for page in pages:
        note(f"contact sheet: {page}")


def _tiles(folder: Path, shares: list[TextShare]) -> Iterator[Tile]:
    from benchwright.images.decode import decode_rgb
    from benchwright.images.identify import path_for

    from .contact_sheet import GREY, RED, SheetOutline, Tile

    for share in shares:
        left_out = tuple(SheetOutline(corners, GREY, 1.0) for corners in share.left_out)
        outlines = tuple(SheetOutline(corners, RED) for corners in share.regions)
        caption = f"{share.ratio:.3f}  {printable(share.path)}"
        yield Tile(decode_rgb(folder / path_for(share.path)), (*left_out, *outlines), caption)

"""The command `benchwright filter duplicates`, which draws the pairs to ask about on a contact sheet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright.errors import UnreadableImage
from benchwright.images.decode import decode_rgb
from benchwright.images.identify import path_for
from benchwright.terminal.output import emit, json_option, note
from benchwright.texts.normalization import counted, printable

from ..duplicates.report import DuplicateReport
from .contact_sheet import Tile, write_sheets
from .options import distance_option, end_where_lost, workers_option

if TYPE_CHECKING:
    from ..duplicates.report import DuplicateReport


def _write_pairs(out: Path, folder: Path, report: DuplicateReport) -> list[Path]:
    """Write the pairs to ask about as PNG pages, with the kept file first, and return the pages' paths.

    Args:
        out: File of the first page; further pages are `<name>-2.png` and so on.
        folder: The searched folder.
        report: Report on that folder.

    Raises:
        BenchwrightError: As for `contact_sheet.page_paths`, or a file has changed in the meantime.
    """
    return write_sheets(out, _tiles(folder, report), count=2 * len(report.pairs_to_ask()))


def _tiles(folder: Path, report: DuplicateReport) -> Iterator[Tile]:
    for number, (kept, duplicate, score) in enumerate(report.pairs_to_ask(), start=1):
        for path, label in ((kept, "keep"), (duplicate, f"{score:.2f}")):
            try:
                pixels = decode_rgb(folder / path_for(path))
            except UnreadableImage as error:
                raise UnreadableImage(error.reason, f"{path!r}: {error.detail}") from None
            yield Tile(pixels, (), f"{number} {label}  {path}")


@click.command("duplicates")
@click.argument(
    "folder",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder, searched with its subfolders.",
)
@distance_option
@click.option(
    "--against",
    "places",
    metavar="PLACE",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="Also look for pictures that another folder, a release or a hash list holds; may be repeated. "
    "Exit code 1 if a picture leaked.",
)
@click.option(
    "--pairs",
    metavar="OUT.png",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also draw the pairs to inspect side by side, 15 a page: OUT.png, OUT-2.png and so on.",
)
@workers_option
@json_option(
    """
    `{"images", "unreadable": [{"path", "reason"}], "groups": [{"keep", "members": [{"path", "kind": "exact" or
    "near" or "ask", "score"}]}], "scenes": [[path]], "not_compared": [{"path", "more"}]}`, with `--against`
    `{"images", "unreadable", "groups", "scenes", "not_compared", "leaks"}`, leaks as `filter leakage` prints them;
    `scenes` are views of one scene, all of which stay; `not_compared` are pictures that resemble more others than they
    were compared with, and `more` counts the rest; members exclude the kept file. `score` is 1 for `exact`, otherwise
    the share of the aligned overlap that matches
    """
)
def duplicates(
    folder: Path, distance: int, places: tuple[Path, ...], pairs: Path | None, workers: int | None, as_json: bool
) -> None:
    """Find exact and near duplicates in a folder of images, with the steps of a recipe, in a temporary workspace.

    `exact` means equal bytes or equal pixels; `near` a resized, compressed, cropped, captioned or mirrored copy,
    confirmed by a second look at the pixels; `ask` a pair for a person to inspect. A `near` or `ask` file with its own
    exact copies is also the kept file of a group with these.
    """
    from benchwright.terminal.progress_bars import ProgressBars

    from ..contamination.report import CandidateSettings, find_leaks, report_lines
    from ..duplicates.report import find_duplicates

    if pairs is not None:
        from .contact_sheet import page_paths

        page_paths(pairs, count=1)  # before the search, not after it
    with ProgressBars() as progress:
        report = find_duplicates(folder, distance=distance, workers=workers, progress=progress)
        near = CandidateSettings(distance)
        against = find_leaks(folder, places, proposing=near, workers=workers, progress=progress) if places else None
    if pairs is not None:
        note(f"pairs to look at: {', '.join(map(str, _write_pairs(pairs, folder, report)))}")
    document: dict[str, Any] = {
        "images": report.images,
        "unreadable": [file.document() for file in report.unreadable],
        "groups": [
            {"keep": group.keep, "members": [member._asdict() for member in group.members]} for group in report.groups
        ],
        "scenes": [list(scene) for scene in report.scenes],
        "not_compared": [{"path": path, "more": more} for path, more in report.not_compared],
    }
    if against is not None:
        document["leaks"] = [leak.to_json() for leak in against.leaks]
        reasons = {file.path: file for file in (*against.unreadable, *report.unreadable)}
        document["unreadable"] = [reasons[path].document() for path in sorted(reasons)]
    emit(
        document,
        as_json=as_json,
        text=lambda: "\n".join([_as_text(report), *(report_lines(against) if against else [])]),
    )
    end_where_lost(report.unreadable)
    if any(leak.kind == "leak" for leak in (against.leaks if against else ())):
        raise click.exceptions.Exit(1)


def _as_text(report: DuplicateReport) -> str:
    lines = []
    for group in report.groups:
        lines.append(f"keep   {printable(group.keep)}")
        lines += [f"  {member.kind:<5} {printable(member.path)}  {member.score:.3f}" for member in group.members]
    lines += [f"scene  {', '.join(map(printable, scene))}" for scene in report.scenes]
    lines += [f"unreadable  {printable(file.path)}  {file.told}" for file in report.unreadable]
    if report.not_compared:
        more = sum(more for _, more in report.not_compared)
        lines.append(
            f"{counted(len(report.not_compared), 'picture looks', 'pictures look')} like so many others that only the "
            f"nearest were compared; {more} more were near and not compared"
        )
    kinds = Counter(member.kind for group in report.groups for member in group.members)
    lines.append(
        f"images {report.images}, unreadable files {len(report.unreadable)}, groups {len(report.groups)}, "
        f"exact duplicates {kinds['exact']}, near duplicates {kinds['near']}, pairs to look at {kinds['ask']}, "
        f"scenes {len(report.scenes)}"
    )
    return "\n".join(lines)

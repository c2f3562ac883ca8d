"""The commands `benchwright filter leakage` and `benchwright filter hashes`."""

from __future__ import annotations

from pathlib import Path

import click

from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import counted

from .options import distance_option, end_where_lost, workers_option


@click.command("leakage")
@click.argument(
    "place",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Without --against: a release, or a workspace with splits and a complete run, whose splits are checked "
    "against each other; otherwise a folder of pictures.",
)
@click.option(
    "--against",
    "places",
    metavar="PLACE",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="A folder, a release or a hash list to check against; may be repeated.",
)
@distance_option
@click.option(
    "--embeddings",
    metavar="MODEL",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of a vision model (CLIP, DINOv2 and others in the layout of transformers, safetensors) whose "
    "embeddings propose further pairs to compare.",
)
@click.option(
    "--cosine",
    type=click.FloatRange(0, 1),
    default=0.85,
    show_default=True,
    help="Smallest cosine of two embeddings that proposes a pair.",
)
@workers_option
@json_option(
    """
    `{"leaks": [{"path", "against", "name", "kind": "leak" or "ask", "by", "score"}], "unreadable": [{"path",
    "reason"}]}`; `unreadable` are files that could not be compared. `by` is `canonical_id`, `file`, `pixels`,
    `look` or `hash`; between splits `path` is `split:image id`
    """
)
def leakage(
    place: Path,
    places: tuple[Path, ...],
    distance: int,
    embeddings: Path | None,
    cosine: float,
    workers: int | None,
    as_json: bool,
) -> None:
    """Check that no picture is in two splits of a release or workspace, or that no picture of a folder is in another
    collection.

    Exit code 1 if a picture leaked; pairs to inspect do not count.
    """
    from benchwright.terminal.progress_bars import ProgressBars

    from ..contamination.report import CandidateSettings, find_leaks, leaks_between_splits, report_lines

    proposing = CandidateSettings(distance, embeddings, cosine)
    with ProgressBars() as progress:
        if places:
            report = find_leaks(place, places, proposing=proposing, workers=workers, progress=progress)
        else:
            report = leaks_between_splits(place, proposing=proposing, workers=workers, progress=progress)
    document = {
        "leaks": [leak.to_json() for leak in report.leaks],
        "unreadable": [file.document() for file in report.unreadable],
    }
    emit(document, as_json=as_json, text=lambda: "\n".join(report_lines(report)))
    end_where_lost(report.unreadable)
    if any(leak.kind == "leak" for leak in report.leaks):
        raise click.exceptions.Exit(1)


@click.command("hashes")
@click.argument(
    "folder",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder, searched with its subfolders.",
)
@click.option(
    "--out",
    required=True,
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File for the list; never overwritten.",
)
@workers_option
@json_option('`{"out", "pictures"}`')
def hashes(folder: Path, out: Path, workers: int | None, as_json: bool) -> None:
    """Write a hash list of a folder, so that others can check against it without its pictures.

    The list holds names, hashes of files and pixels, perceptual hashes and descriptions of corners, but no pixels.
    """
    from benchwright.diagnostics.copies.hash_lists import write_hash_list
    from benchwright.diagnostics.copies.picture_hashes import hashes_of_folder
    from benchwright.errors import BenchwrightError
    from benchwright.terminal.progress_bars import ProgressBars

    if out.exists():
        raise BenchwrightError(f"{out} already exists; move it away or give another name")
    with ProgressBars() as progress:
        pictures = hashes_of_folder(folder, workers=workers, progress=progress)
    write_hash_list(out, pictures)
    emit(
        {"out": str(out), "pictures": len(pictures)},
        as_json=as_json,
        text=f"{counted(len(pictures), 'picture')} in {out}",
    )

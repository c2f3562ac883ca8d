"""`benchwright evaluate check-reading`: a sample of replies for people to read, and the reader's error."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright.errors import BenchwrightError
from benchwright.terminal.output import emit, json_option, note
from benchwright.texts.normalization import counted, printable

if TYPE_CHECKING:
    from ..analysis.reading_check import CheckedReading
    from ..analysis.reading_sample import DrawnReplies


@click.command("check-reading")
@click.argument(
    "results",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    nargs=-1,
    metavar="[RESULT]...",
    help="Folders of results; with --labels, only those that have moved.",
)
@click.option(
    "--release",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="The release that was scored; needed to draw a sample.",
)
@click.option(
    "--n",
    type=click.IntRange(4),
    default=200,
    show_default=True,
    help="Total number of replies: equally many of each model, half of them without a read letter, in proportion to "
    "the tasks.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the draw.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Folder to write the sample to: replies.csv, replies.xlsx or files of tasks, and sample.json.",
)
@click.option(
    "--table",
    type=click.Choice(["csv", "xlsx", "tasks"]),
    default="csv",
    show_default=True,
    help="Form of the labels: a table to fill in, or tasks of the review app (one file per model, for review open). "
    "Both hide the reader's readings.",
)
@click.option(
    "--labels",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    multiple=True,
    help="The filled table, or the results of a campaign (review results --out FILE.csv), in the folder of the "
    "sample; repeat for more people or models. Shows the reader's error and writes reading.json into the "
    "folder of each result.",
)
@json_option(
    """
    `{"release", "release_id", "seed", "drawn", "results": [{"model", "replies", "read", "missed", "drawn_read",
    "drawn_missed"}], "out", "files"}`; with `--labels` `{"labelled", "blank", "unused": [{"row", "why"}], "compared",
    "agreement", "errors": {kind:
    {"value", "ci", "n"}}, "results": [{"model", "reading", "file"}]}`, where `reading` is as in `evaluate summary` and
    the kinds of errors are `wrong_letter`, `missed_letter` and `letter_of_none`, as shares of all replies
    """
)  # phrase: allowed
def check_reading(
    results: tuple[Path, ...],
    release: Path | None,
    n: int,
    seed: int,
    out: Path | None,
    table: str,
    labels: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Draw replies for people to read; with --labels, measure from their labels how often the reader is wrong.

    The score with the reader's error in its interval then appears in `evaluate summary`, leaderboard and report.
    """
    if labels:
        if out is not None or release is not None:
            raise click.UsageError("--labels reads a drawn sample; leave out --out and --release")
        _show_labels(labels, results, as_json=as_json)
        return
    if not results or release is None or out is None:
        raise click.UsageError("give RESULT, --release and --out to draw a sample, or --labels for a filled table")
    from benchwright.release import Release

    from ..analysis.reading_sample import draw_replies

    drawn = draw_replies(results, Release.open(release), out, n=n, seed=seed)
    paths = _written(drawn, out, table)
    document = {**_drawn_document(drawn, out), "files": [str(path) for path in paths]}
    lines = [f"{counted(len(drawn.rows), 'reply', 'replies')} in {', '.join(map(str, paths))}:"]
    lines += [
        f"  {printable(result['model'])}: {result['drawn_read']} of {result['read']} read, {result['drawn_missed']} of "
        f"{result['missed']} missed"
        for result in document["results"]
    ]
    lines += _next_lines(paths, release, table)
    emit(document, as_json=as_json, text="\n".join(lines))


def _next_lines(paths: Sequence[Path], release: Path, kind: str) -> list[str]:
    if kind != "tasks":
        return [
            "next: write into `letter` the letter that each reply gives, or `none`, then run `benchwright evaluate "
            f"check-reading --labels {paths[0]}`"
        ]
    labels = " ".join(f"--labels {path.with_suffix('.csv')}" for path in paths)
    return [
        "next, for each file:",
        f"  benchwright review open {paths[0]} --release {release} --workspace WORKSPACE",
        f"  benchwright review results --workspace WORKSPACE --campaign {paths[0].stem} "
        f"--out {paths[0].with_suffix('.csv')}",
        f"then: benchwright evaluate check-reading {labels}",
    ]


def _written(drawn: DrawnReplies, out: Path, kind: str) -> list[Path]:
    """Write a sample and return the paths of the files to be filled in.

    Raises:
        BenchwrightError: The folder already contains a sample, whose table may have been filled in.
        PrerequisiteError: A spreadsheet is requested, but openpyxl is not installed.
    """
    from benchwright.files.csv_cells import harmless
    from benchwright.files.spreadsheets import write_sheet
    from benchwright.review_files.tasks import SUFFIX, write_review_tasks
    from benchwright.workspace.atomic import replacing

    from ..analysis.reading_sample import COLUMNS, NO_LETTER, SAMPLE_FILE

    if out.is_dir() and (taken := sorted(p.name for p in out.iterdir() if not p.name.startswith("."))):
        raise BenchwrightError(
            f"{out} already contains {taken[0]!r}, perhaps filled in; give another folder with --out"
        )
    try:
        out.mkdir(parents=True, exist_ok=True)
        with replacing(out / SAMPLE_FILE, private=True) as draft:
            draft.write_text(drawn.sample.model_dump_json(indent=1) + "\n", encoding="utf-8")
        if kind == "tasks":
            for campaign, tasks in drawn.tasks.items():
                write_review_tasks(out / f"{campaign}{SUFFIX}", drawn.head(campaign), tasks)
            return [out / f"{campaign}{SUFFIX}" for campaign in drawn.tasks]
        path = out / f"replies.{kind}"
        with replacing(path, private=True) as draft:
            if kind == "xlsx":
                words = {"letter": f"the letter that the reply gives, or {NO_LETTER!r}", "note": "remarks, if any"}
                with draft.open("wb") as sheet:
                    write_sheet(sheet, COLUMNS, drawn.rows, words=words, offered={}, title="replies")
            else:
                with draft.open("w", encoding="utf-8-sig", newline="") as handle:
                    writer = csv.DictWriter(handle, COLUMNS, restval="", lineterminator="\n")
                    writer.writeheader()
                    writer.writerows({name: harmless(cell) for name, cell in row.items()} for row in drawn.rows)
    except OSError as error:
        raise BenchwrightError(f"{out} cannot be written: {error.strerror or error}") from error
    return [path]


def _drawn_document(drawn: DrawnReplies, out: Path) -> dict[str, Any]:
    sample = drawn.sample
    results = []
    for result in sample.results:
        drawn_read = sum(reply.read is not None for reply in result.drawn)
        results.append(
            {
                "model": result.title,
                "replies": sum(result.sizes.values()),
                "read": sum(size for (_, is_read), size in result.sizes.items() if is_read),
                "missed": sum(size for (_, is_read), size in result.sizes.items() if not is_read),
                "drawn_read": drawn_read,
                "drawn_missed": len(result.drawn) - drawn_read,
            }
        )
    return {
        "release": sample.release,
        "release_id": sample.release_id,
        "seed": sample.seed,
        "drawn": len(drawn.rows),
        "results": results,
        "out": str(out),
    }


def _show_labels(labels: Sequence[Path], results: Sequence[Path], *, as_json: bool) -> None:
    from benchwright.workspace.atomic import write_json

    from ..analysis.reading_check import check_reading as checked_reading
    from ..results.reading import READING_FILE

    checked = checked_reading(labels, results)
    for folder, _, reading in checked.readings:
        write_json(folder / READING_FILE, reading.model_dump(mode="json"))
    for row in checked.unused:
        note(printable(f"{labels[0]}, {row.entry}: {row.why}; row left out"))
    if checked.blank:
        note(f"{counted(checked.blank, 'row')} left blank")
    emit(_labels_document(checked), as_json=as_json, text=lambda: "\n".join(_label_lines(checked)))


def _labels_document(checked: CheckedReading) -> Mapping[str, Any]:
    from ..results.reading import READING_FILE

    return {
        "labelled": sum(reading.labelled for _, _, reading in checked.readings),
        "blank": checked.blank,
        "unused": [{"row": row.entry, "why": row.why} for row in checked.unused],
        "compared": checked.compared,
        "agreement": checked.agreement,
        "errors": {kind: share.model_dump(mode="json") for kind, share in checked.errors.items()},
        "results": [
            {"model": title, "reading": reading.model_dump(mode="json"), "file": str(folder / READING_FILE)}
            for folder, title, reading in checked.readings
        ],
    }


def _label_lines(checked: CheckedReading) -> list[str]:
    from ..results.reading import ERROR_KINDS

    lines = [printable(f"{title}: {reading.describe()}") for _, title, reading in checked.readings]
    if checked.agreement is not None:
        lines.append(
            f"{counted(checked.compared, 'reply', 'replies')} with two or more readers: {checked.agreement:.1%} of "
            "pairs of readers agree"
        )
    if len(checked.readings) > 1:
        errors = "; ".join(f"{words} {checked.errors[kind].describe()}" for kind, words in ERROR_KINDS.items())
        lines.append(f"all models: {errors}")
    return lines

"""The command `benchwright audit`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.cli.output import emit, json_option, note

if TYPE_CHECKING:
    from .report import AuditReport

_PLACE = click.Path(exists=True, path_type=Path)


@click.command("audit")
@click.argument(
    "source",
    metavar="SOURCE",
    type=_PLACE,
    help="File of questions (CSV, TSV, JSONL, JSON, Parquet), a folder or archive with such files, or a release.",
)
@click.option("--pictures", type=_PLACE, help="Folder of the pictures, if another one.")
@click.option("--column", "columns", multiple=True, metavar="FIELD=COLUMN", help="Column of a field; may be repeated.")
@click.option(
    "--against",
    multiple=True,
    metavar="PLACE",
    type=_PLACE,
    help="Other collection that may hold the same pictures or questions: a folder, a release, a hash list; may be "
    "repeated.",
)
@click.option(
    "--replies",
    multiple=True,
    metavar="[NAME=]FILE",
    help="Replies of a model to these items, for checks of keys, power and scores: a file or folder in one of the "
    "common layouts; may be repeated.",
)
@click.option(
    "--people",
    multiple=True,
    metavar="FILE",
    type=_PLACE,
    help="Answers of people to these items, given without the key, with a column `annotator`; may be repeated.",
)
@click.option(
    "--licence",
    "licences",
    multiple=True,
    metavar="NAME",
    help="Licence that pictures may have, such as CC-BY-4.0; may be repeated.  [default: any that is stated]",
)
@click.option(
    "--out",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="Folder for the page (`audit.html`), the JSON document (`audit.json`) and what was measured (`cache/`), "
    "which makes the next audit quick.  [default: audit-NAME]",
)
@click.option(
    "--baseline",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Findings that are accepted: they are listed apart and fail nothing.",
)
@click.option(
    "--write-baseline",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a baseline that accepts all that was found; entries and notes of a baseline that is there stay.",
)
@click.option(
    "--fail-on",
    type=click.Choice(["high", "medium", "low", "never"]),
    default="never",
    show_default=True,
    help="Exit with code 1 where a finding of this severity or a worse one is not accepted.",
)
@click.option("--text", is_flag=True, help="Print a short text in Markdown, for a comment on a pull request.")
@click.option("--workers", type=click.IntRange(1, 1024), help="Worker processes.  [default: one a processor]")
@json_option(
    """
    `{"source", "items", "images", "unreadable": [{"where", "reason"}], "checks": [{"name", "state": "done" or
    "skipped", "why"}], "findings": [{"kind", "severity": "high" or "medium" or "low", "items": [id], "evidence":
    {"summary", "certainty": "certain" or "likely" or "possible", ...}}], "page"}`; `items` and `images` are numbers,
    ids are the source's own; findings that a baseline accepts are left out; kinds of copies contain `duplicate`. The
    same document is in `audit.json`
    """
)
def audit(
    source: Path,
    pictures: Path | None,
    columns: tuple[str, ...],
    against: tuple[Path, ...],
    replies: tuple[str, ...],
    people: tuple[Path, ...],
    licences: tuple[str, ...],
    out: Path | None,
    baseline: Path | None,
    write_baseline: Path | None,
    fail_on: str,
    *,
    text: bool,
    workers: int | None,
    as_json: bool,
) -> None:
    """Say what is wrong with a benchmark that exists, and write a page that shows it.

    Needs nothing but the questions: columns are guessed, and the guesses shown. Looked for are broken and blank
    pictures, copies within and between splits, questions asked twice, options that repeat, keys that prefer a letter or
    can be guessed, groups torn by splits, faults of language, missing licences and personal metadata. Checks that need
    more, such as a model, are listed with what to give. Nothing of the source is changed.
    """
    from benchwright.cli.progress_bars import ProgressBars
    from benchwright.item_files import stated_columns

    from .keys import named_reply_source
    from .report import AuditSettings
    from .report import audit as audit_source
    from .texts import markdown, terminal_lines

    if text and as_json:
        raise click.UsageError("--text and --json are two forms of the same; give one of them")
    settings = AuditSettings(
        pictures=pictures,
        columns=stated_columns(columns),
        against=against,
        replies=tuple(map(named_reply_source, replies)),
        people=people,
        allowed_licences=licences,
        workers=workers,
        baseline=baseline,
        write_baseline=write_baseline,
    )
    folder = (
        out
        if out is not None
        else Path(f"audit-{source.resolve().stem if source.is_file() else source.resolve().name}")
    )
    with ProgressBars() as progress:
        report = audit_source(source, folder, settings, progress=progress, shown=_show_reading)
    emit(
        report.to_json(),
        as_json=as_json,
        text=lambda: markdown(report) if text else "\n".join(terminal_lines(report)),
    )
    if _fails(report, fail_on):
        raise click.exceptions.Exit(1)


def _show_reading(line: str) -> None:
    note(f"read as {line}")


def _fails(report: AuditReport, fail_on: str) -> bool:
    from .finding import SEVERITIES

    if fail_on == "never":
        return False
    bad = SEVERITIES[: [*SEVERITIES].index(fail_on) + 1]  # type: ignore[arg-type]
    return any(finding.severity in bad for finding in report.findings)

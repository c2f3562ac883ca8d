"""The command `benchwright audit`."""

from __future__ import annotations

import gc
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.cli.model_options import chat_options
from benchwright.terminal.output import emit, json_option, note
from benchwright.texts.normalization import counted, printable

if TYPE_CHECKING:
    from benchwright.diagnostics.models.unsafe_labels import UnsafeLabels
    from benchwright.models.endpoints.chat import ChatSettings

    from ..findings.report import AuditReport
    from ..setting_right.campaigns import OpenedAudit

_PLACE = click.Path(exists=True, path_type=Path)
_COLLECTED = (100_000, 50, 50)
"""Thresholds of garbage collection: an audit holds all items to its end, and repeated searches of them for garbage take
a fifth of its time."""


@click.command("audit")
@click.argument(
    "source",
    metavar="SOURCE",
    type=_PLACE,
    help="File of questions (CSV, TSV, JSONL, JSON, Parquet), a folder or archive with such files, or a release.",
)
@click.option("--pictures", type=_PLACE, help="Folder of the pictures, if they lie elsewhere.")
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="FIELD=COLUMN",
    help="Column of a field; may be repeated. `benchwright construct items --help` lists the fields.",
)
@click.option(
    "--against",
    multiple=True,
    metavar="PLACE",
    type=_PLACE,
    help="Another collection that may hold the same pictures or questions: a folder, a release, a hash list; may be "
    "repeated.",
)
@click.option(
    "--corpus",
    "corpora",
    multiple=True,
    metavar="PLACE",
    type=_PLACE,
    help="Texts that may hold the questions, of any size: a text file, JSON Lines, or a folder with such files; may "
    "be repeated.",
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
@chat_options
@click.option(
    "--ocr",
    is_flag=True,
    help="Read the text in pictures, and find where it gives the answer; needs the extra `filters` and seconds per "
    "picture.",
)
@click.option(
    "--unsafe-weights",
    metavar="FOLDER",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of an image-classification model that finds unsafe pictures; needs the extra `models`.",
)
@click.option(
    "--unsafe-label",
    "unsafe_labels",
    multiple=True,
    metavar="LABEL[=BOUND]",
    help="Unsafe label of that model, and its smallest probability; may be repeated.  [default probability: 0.5]",
)
@click.option(
    "--wordnet",
    metavar="FOLDER",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of a WordNet in Princeton's files (`index.noun`, `data.noun`, ...), such as /usr/share/wordnet of the "
    "Debian package wordnet-base: finds options that mean the same and questions asked in other words.",
)
@click.option(
    "--sentences",
    metavar="FOLDER",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of a sentence model that finds questions asked in other words or languages; needs the extra `models`.",
)
@click.option(
    "--licence",
    "licences",
    multiple=True,
    metavar="NAME",
    help="Allowed license of pictures, such as CC-BY-4.0; may be repeated.  [default: any stated license]",
)
@click.option(
    "--out",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="Folder for the page (`audit.html`), the JSON document (`audit.json`) and measured values (`cache/`), "
    "which speed up the next audit.  [default: audit-NAME]",
)
@click.option(
    "--baseline",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File of accepted findings, which are listed separately and never fail the audit.",
)
@click.option(
    "--write-baseline",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a baseline that accepts all findings; keeps the entries and notes of an existing baseline.",
)
@click.option(
    "--fail-on",
    type=click.Choice(["high", "medium", "low", "never"]),
    default="never",
    show_default=True,
    help="Exit with code 1 if a finding of this severity or worse is not accepted; rows that are not items are "
    "findings of high severity.",
)
@click.option(
    "--sarif",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the findings in SARIF 2.1.0, each at the line of its question, for code hosts and editors; files are "
    "named relative to the working directory.",
)
@click.option("--text", is_flag=True, help="Print a short Markdown text, for a comment on a pull request.")
@click.option(
    "--set-right",
    metavar="WORKSPACE",
    type=click.Path(file_okay=False, path_type=Path),
    help="Open campaigns in this workspace, created if missing, in which annotators decide on the findings.",
)
@click.option(
    "--annotators",
    type=click.IntRange(1, 99),
    help="With --set-right: different annotators per task.  [default: 3 for items, 2 for edits, 1 for pairs of "
    "pictures]",
)
@click.option("--workers", type=click.IntRange(1, 1024), help="Worker processes.  [default: one per processor]")
@json_option(
    """
    `{"source", "items", "images", "unreadable": [{"where", "reason"}], "checks": [{"name", "state": "done" or
    "skipped" or "failed", "why", "failed_on": [id]}], "blind_strategy": {"strategy", "accuracy", "ci", "chance",
    "items", "tried", "beats_chance"}, "learned_cues": {"words", "tasks": [{"task", "chance", "learned_items",
    "could_find", "items_needed", "carries"}]}, "findings": [{"kind", "severity": "high" or "medium" or "low",
    "items": [id], "evidence": {"summary", "certainty": "certain" or "likely" or "possible", ...}, "mend": {"way":
    "people" or "step" or "option" or "source", "words", "step", "page"}}], "page"}`; `items` and `images` are numbers,
    ids are the source's own; `learned_cues` is null where the adversary was not asked, a task of it where it is the
    whole set; findings that a baseline accepts are left out; kinds of copies contain `duplicate`. The same document
    is in `audit.json`. With `--set-right` there is one more field: `{"source", "items", "images", "unreadable":
    [{"where", "reason"}], "checks": [{"name", "state", "why", "failed_on"}], "blind_strategy": {"strategy",
    "accuracy", "ci", "chance", "items", "tried", "beats_chance"}, "learned_cues": {"words", "tasks": [{"task",
    "chance", "learned_items", "could_find", "items_needed", "carries"}]}, "findings": [{"kind", "severity",
    "items": [id], "evidence": {"summary", "certainty", ...}, "mend"}], "page", "set_right": {"release",
    "campaigns": [{"name", "kind", "tasks", "new", "annotators"}], "not_asked": {kind: number}, "not_released":
    [id]}}`; `not_asked` counts findings without a campaign, `not_released` are incomplete items, such as those
    without a picture
    """
)  # phrase: allowed
def audit(
    source: Path,
    pictures: Path | None,
    columns: tuple[str, ...],
    against: tuple[Path, ...],
    corpora: tuple[Path, ...],
    replies: tuple[str, ...],
    people: tuple[Path, ...],
    unsafe_weights: Path | None,
    unsafe_labels: tuple[str, ...],
    wordnet: Path | None,
    sentences: Path | None,
    licences: tuple[str, ...],
    chat: ChatSettings | None,
    out: Path | None,
    baseline: Path | None,
    write_baseline: Path | None,
    fail_on: str,
    *,
    sarif: Path | None,
    ocr: bool,
    text: bool,
    set_right: Path | None,
    annotators: int | None,
    workers: int | None,
    as_json: bool,
) -> None:
    """Find the faults of an existing benchmark, and write a page that shows them.

    Needs only the questions: the command guesses columns and shows its guesses. It looks for broken and blank pictures,
    copies within and between splits, questions asked twice, repeated options, keys that prefer a letter or can be
    guessed, groups divided by splits, faults of language, missing licenses and personal metadata. The output lists
    checks that need more input, with that input. With --model, a model gets questions and pictures: the audit examines
    its answers without the picture and the options that it finds right. With --ocr, the audit searches the text in
    pictures for the right option. A failed check names its items, and the exception with file and line; the others
    continue, and the exit code is 3 (2 for a cause that you can fix, such as an endpoint). The source stays unchanged.
    With --set-right, annotators judge the findings; `benchwright set-right` makes a new release from their decisions.
    """
    from benchwright.replies.model_replies import named_reply_source
    from benchwright.source_files.item_files import stated_columns
    from benchwright.terminal.progress_bars import ProgressBars

    from ..auditing import AuditSettings
    from ..auditing import audit as audit_source
    from ..findings.texts import markdown, terminal_lines

    if text and as_json:
        raise click.UsageError("--text and --json are two forms of the same output; give one of them")
    if annotators is not None and set_right is None:
        raise click.UsageError("--annotators is for the campaigns of --set-right; name a workspace with --set-right")
    settings = AuditSettings(
        pictures=pictures,
        columns=stated_columns(columns),
        against=against,
        corpora=corpora,
        replies=tuple(map(named_reply_source, replies)),
        people=people,
        allowed_licences=licences,
        model=chat,
        unsafe=_unsafe(unsafe_weights, unsafe_labels),
        wordnet=wordnet,
        sentences=sentences,
        ocr=ocr,
        workers=workers,
        baseline=baseline,
        write_baseline=write_baseline,
    )
    folder = (
        out
        if out is not None
        else Path(f"audit-{source.resolve().stem if source.is_file() else source.resolve().name}")
    )
    if set_right is not None:
        from ..setting_right.campaigns import check_workspace

        check_workspace(source, set_right)
    gc.set_threshold(*_COLLECTED)
    with ProgressBars() as progress:
        report = audit_source(source, folder, settings, progress=progress, shown=_show_reading)
        opened = None
        if set_right is not None:
            from ..setting_right.campaigns import open_campaigns

            opened = open_campaigns(report, set_right, settings, annotators=annotators, progress=progress)
    if sarif is not None:
        from ..findings.sarif import write_sarif

        write_sarif(report, sarif)
    document = report.to_json() | ({} if opened is None else {"set_right": opened.to_json()})
    lines = [] if opened is None or set_right is None else _lines_on(opened, set_right)
    emit(
        document,
        as_json=as_json,
        text=lambda: "\n".join([markdown(report)] if text else [*terminal_lines(report), *lines]),
    )
    for check in report.failed:
        note(f"benchwright: error: the check {check.name} failed {check.where}: {printable(check.why)}")
    if code := max([int(_fails(report, fail_on)), *(check.exit_code for check in report.failed)]):
        raise click.exceptions.Exit(code)


def _unsafe(weights: Path | None, labels: Sequence[str]) -> UnsafeLabels | None:
    """Return the settings of the classifier of unsafe pictures, or None if no folder is given.

    Raises:
        UsageError: Labels are given without a folder, or the folder is given without labels, or a threshold is invalid.
    """
    from pydantic import ValidationError

    from benchwright.diagnostics.models.image_classifier import load_classifier
    from benchwright.diagnostics.models.unsafe_labels import UnsafeLabels

    if weights is None:
        if labels:
            raise click.UsageError("--unsafe-label is a label of a model; name its folder with --unsafe-weights")
        return None
    if not labels:
        known = ", ".join(load_classifier(weights, labels=(), device=None).labels[:20])
        raise click.UsageError(f"name the unsafe labels of the model with --unsafe-label; it has: {known}")
    stated = [label.rpartition("=") if "=" in label else (label, "=", "0.5") for label in labels]
    try:
        return UnsafeLabels.model_validate({"model": weights, "refuse": {name: bound for name, _, bound in stated}})
    except ValidationError as error:
        detail = error.errors()[0]
        raise click.UsageError(f"--unsafe-label {detail['loc'][-1]}: {detail['msg']}") from None


def _lines_on(opened: OpenedAudit, workspace: Path) -> list[str]:
    """Return text about the opened campaigns and what to do next."""
    where = shlex.quote(str(workspace))
    lines = [f"release: {opened.release}"]
    for each in opened.campaigns:
        lines.append(
            f"campaign {each['name']} ({each['kind']}): {counted(each['tasks'], 'task')}, {each['new']} new, "
            f"{counted(each['annotators'], 'annotator')} each"
        )
    if not opened.campaigns:
        return [*lines, "no finding needs annotators"]
    if opened.not_asked:
        kinds = ", ".join(f"{kind} ({number})" for kind, number in opened.not_asked.items())
        lines.append(f"to fix in the source, without a campaign: {kinds}")
    if opened.not_released:
        ids = ", ".join(map(printable, opened.not_released[:5]))
        lines.append(f"incomplete items, not in the release: {len(opened.not_released)}, such as {ids}")
    return [
        *lines,
        "next:",
        f"  benchwright review serve --workspace {where}",
        f"  benchwright set-right {where} --version NEW --out FOLDER",
    ]


def _show_reading(line: str) -> None:
    note(f"read as {line}")


def _fails(report: AuditReport, fail_on: str) -> bool:
    from ..findings.finding import SEVERITIES

    if fail_on == "never":
        return False
    bad = SEVERITIES[: [*SEVERITIES].index(fail_on) + 1]  # type: ignore[arg-type]
    return any(finding.severity in bad for finding in report.findings)

"""The command `benchwright set-right`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import counted, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .outcome import SetRight

_SHOWN = 20
_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command("set-right")
@click.argument("workspace", type=_FOLDER, help="Workspace in which `benchwright audit --set-right` opened campaigns.")
@click.option("--version", required=True, help="Version of the new release, such as 1.1.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder of the new release.")
@click.option(
    "--results",
    type=_FOLDER,
    multiple=True,
    metavar="DIR",
    help="Folder of a model's results on the previous release, as `evaluate score` writes it; may be repeated.",
)
@click.option(
    "--page",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.html",
    help="Page that compares both releases; replaced if it exists.  [default: OUT-diff.html]",
)
@click.option("--decided-only", is_flag=True, help="Continue although tasks are open; open tasks change nothing.")
@json_option(
    """
    `{"release", "release_id", "items", "before", "errata": [{"item_id", "source_id", "finding", "became", "key",
    "instead", "edits", "agreed", "asked", "reasons": [text]}], "same", "scores": [{"model", "before", "asked", "after",
    "kept", "to_ask", "turned_right": [id], "turned_wrong": [id]}], "page", "filter", "open", "undecided":
    [source_id]}`; `filter` is the folder with the errata for other harnesses; `edits` has what changed of `question`,
    `choices` by letter, `right` and `explanation`, or is null; `before` is the folder of the release that people
    judged, `same` the number of items that did not change, `open` that of tasks that still lack answers; `undecided`
    are items on which people agreed on nothing; `scores` is as of `release diff`
    """
)
def set_right(
    workspace: Path,
    *,
    version: str,
    out: Path,
    results: tuple[Path, ...],
    page: Path | None,
    decided_only: bool,
    as_json: bool,
) -> None:
    """Write the release that follows from annotators' decisions on the findings of an audit.

    The command corrects wrong keys, applies the edits that annotators agreed on, and leaves out copies and items that
    are ambiguous or have a bad picture. The new release's `errata.json` has each change with the annotators' findings
    and reasons, and a page compares it with the previous release. The folder OUT-errata has the errata as a filter for
    VLMEvalKit and lmms-eval, and as a Markdown page to link from an issue.
    """
    from .correcting import set_right as corrected

    done = corrected(workspace, version=version, out=out, page=page, results=results, decided_only=decided_only)
    emit(done.to_json(), as_json=as_json, text=lambda: "\n".join(_lines(done)))


def _lines(done: SetRight) -> Iterator[str]:
    for erratum in done.errata[:_SHOWN]:
        became = f"key {erratum.key} became {erratum.instead}" if erratum.became == "key_set" else str(erratum.became)
        why = f": {printable(erratum.reasons[0])}" if erratum.reasons else ""
        found = f"{erratum.finding.replace('_', ' ')}, {erratum.agreed} of {erratum.asked}"
        yield f"{printable(done.own_ids[erratum.item_id])}: {became.replace('_', ' ')} ({found}){why}"
    if len(done.errata) > _SHOWN:
        yield f"and {len(done.errata) - _SHOWN} more; --json lists all"
    for score in done.scores:
        then = "none is unchanged" if score.after is None else f"{score.after:.3f} of {score.kept} after"
        yield f"{printable(score.model)}: {score.before:.3f} of {score.asked} before, {then}"
    if done.open:
        yield f"{counted(done.open, 'task is', 'tasks are')} open and changed nothing"
    if done.undecided:
        names = ", ".join(printable(done.own_ids[item_id]) for item_id in done.undecided[:_SHOWN])
        yield (
            f"{counted(len(done.undecided), 'item stays as it is', 'items stay as they are')}, since annotators did "
            f"not agree: {names}"
        )
    yield (
        f"{done.after.path}: {counted(len(done.after), 'item')}, {done.differences.same} unchanged; previous "
        f"release: {done.before.path}"
    )
    yield f"page: {done.page}"
    yield f"errata for other harnesses, and a page to link: {done.filter}"

"""``benchwright check``."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchwright.pipeline.mending.check import CheckedPictures, Problem


@click.command()
@click.argument("workspace", type=click.Path(path_type=Path), help="Workspace to read.")
@click.option("--repair", "is_repairing", is_flag=True, help="Repair parts that can be made again.")
@json_option(
    """
    `{"ok", "problems": [{"path", "what", "repaired"}], "notes": [{"path", "what"}]}`; notes name files that older
    programs wrote without a digest, whose damage is undetectable; `path` is relative to the workspace, for a row
    `review.sqlite, table NAME, row ID`
    """
)
def check(workspace: Path, is_repairing: bool, as_json: bool) -> int:
    """Read everything in a workspace and name damaged and missing parts.

    The command reads shards, markers, settings, pictures, snapshots, releases, results, replies of models, logs,
    memories and rows of the review store, and compares source pictures with those ingested. The exit code is 1 if
    anything is wrong, or, with --repair, remains wrong. Without --repair, it writes only a record of the files found
    intact.

    With --repair, it makes parts again where possible: shards with the recipe that ran last, made pictures by running
    their step on their record again, copied sources from their origin, snapshots of overrides from the review store. It
    removes damaged memories and damaged lines of replies, asks no model about anything else, and neither freezes nor
    scores. For parts it cannot make again, it names the reason: a release (take it from a copy), people's decisions
    (restore a backup), a missing source picture.
    """
    from benchwright.errors import BenchwrightError, StorageError
    from benchwright.pipeline.mending.check import CheckedPictures, problems_of
    from benchwright.workspace.workspace import Workspace

    space, pictures = Workspace(workspace), CheckedPictures()
    if not (workspace / "workspace.json").exists() and not space.tables.is_dir():
        raise BenchwrightError(f"{workspace} is not a workspace (no workspace.json); give the folder that a run made")
    if is_repairing:
        from benchwright.pipeline.mending.repair import repair

        with space.locked():
            problems = repair(space, problems_of(space, pictures=pictures))
    else:
        problems = problems_of(space, pictures=pictures)
    with suppress(OSError, StorageError):  # a read-only copy is still checked
        space.checked.save(tmp=space.tmp)
    notes = [problem for problem in problems if problem.is_note]
    problems = [problem for problem in problems if not problem.is_note]
    is_ok = all(problem.repaired for problem in problems)
    document = {
        "ok": is_ok,
        "problems": [{name: getattr(problem, name) for name in ("path", "what", "repaired")} for problem in problems],
        "notes": [{"path": note.path, "what": note.what} for note in notes],
    }
    emit(document, as_json=as_json, text=lambda: "\n".join([_text(workspace, problems, pictures), *_lines(notes)]))
    return 0 if is_ok else 1


def _text(workspace: Path, problems: Sequence[Problem], pictures: CheckedPictures) -> str:
    if not problems:
        where = f"{len(pictures.inside)} in the workspace, {len(pictures.outside)} in the image folder"
        return f"{workspace} is intact; pictures compared: {where}"
    left = sum(not problem.repaired for problem in problems)
    lines = _lines(problems)
    return "\n".join([*lines, f"{len(problems)} problems, {len(problems) - left} of them repaired, {left} left"])


def _lines(problems: Sequence[Problem]) -> list[str]:
    return [
        printable(f"{problem.path} {problem.what}{': repaired' if problem.repaired else ''}") for problem in problems
    ]

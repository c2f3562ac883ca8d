"""``benchwright review import``, and what all commands of reviews share: the workspace, its store, a campaign of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.cli.output import emit, json_option
from benchwright.errors import BenchwrightError

if TYPE_CHECKING:
    from ..store import ReviewStore

_FILE = click.Path(path_type=Path)
workspace_option = click.option(
    "--workspace", type=_FILE, metavar="DIR", help="Workspace of a run.  [default: the one here]"
)
campaign_option = click.option(
    "--campaign", metavar="NAME", help="As the recipe names the step.  [default: the only one]"
)


@click.command("import")
@click.argument("decisions", type=_FILE)
@workspace_option
@campaign_option
@click.option(
    "--new-annotators", is_flag=True,
    help="Take decisions of people who are not known here, too.  [default: only where nobody has an account]",
)  # fmt: skip
@json_option
def import_(decisions: Path, workspace: Path | None, campaign: str | None, new_annotators: bool, as_json: bool) -> int:
    """Read DECISIONS, a CSV file such as `review export` writes and people fill in.

    Its columns are annotator, item_id, decision and perhaps reason and note, or the fields of the campaign's form. Each
    row is checked by itself: good ones go in, others are reported with line and reason (exit code 1).
    """
    from ..exchange.decision_file import import_decisions
    from ..store.database.audit import COMMAND_LINE

    root = workspace_of(workspace)
    with open_for_commands(root) as store:
        name = pick_campaign(store, campaign)
        now = datetime.now(UTC)
        imported = import_decisions(store, name, decisions, now=now, workspace=root, new_annotators=new_annotators)
        about = {"campaign": name, "new": imported.new, "refused": len(imported.refused)}
        store.record("imported", actor=COMMAND_LINE, now=now, **about)
    lines = [
        f"{imported.new} decisions taken into campaign {name!r}, {imported.unchanged} were there, "
        f"{imported.blank} rows without a decision, {len(imported.refused)} refused",
        *(f"{decisions}, line {row.line}: {row.why}" for row in imported.refused),
    ]
    if imported.new_annotators:
        lines.append(f"annotators who were not known before: {', '.join(imported.new_annotators)}")
    emit({"campaign": name, **imported.to_json()}, as_json=as_json, text="\n".join(lines))
    return 1 if imported.refused else 0


def workspace_of(given: Path | None) -> Path:
    """Return the workspace that was given, or the one here."""
    from benchwright.cli.workspaces import find_workspace

    return find_workspace(given)


def open_for_commands(workspace: Path | None) -> ReviewStore:
    """Open a workspace's review store, or the one here; commands make none.

    Raises:
        BenchwrightError: There is no workspace, or it has no store yet.
    """
    from benchwright.workspace.workspace import Workspace

    from ..store import open_store, store_exists

    root = workspace_of(workspace)
    url = Workspace(root).store_url
    if not store_exists(url):
        raise BenchwrightError(f"{root} has no review store; run a recipe with a step such as `verify` there first")
    return open_store(url)


@contextmanager
def taken_back(out: Path) -> Iterator[None]:
    """Remove a new file or folder where the block fails, so that the same command can be called again."""
    try:
        yield
    except BaseException:
        if out.is_dir():
            shutil.rmtree(out, ignore_errors=True)
        else:
            out.unlink(missing_ok=True)
        raise


def pick_campaign(store: ReviewStore, given: str | None) -> str:
    """Return the campaign that was given, or the only one.

    Raises:
        BenchwrightError: There is none of that name, or several and none was given.
    """
    if given is not None:
        return store.campaign(given).name
    names = store.campaign_names()
    if len(names) != 1:
        raise BenchwrightError(f"say which campaign with --campaign NAME; there are: {', '.join(names) or 'none yet'}")
    return names[0]

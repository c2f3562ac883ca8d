"""``benchwright review backup`` and ``review restore``: the whole review store in one file."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.terminal.output import emit, json_option, note
from benchwright.texts.normalization import counted

from .selection import open_for_commands, removed_on_failure, workspace_of, workspace_option

if TYPE_CHECKING:
    from ..store.backup import Backup

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("backup")
@click.argument("out", type=_FILE, help="File to write; an existing file is never overwritten.")
@workspace_option
@json_option('`{"out", "revision", "rows": {table: n}, "photographs"}`')
def backup(out: Path, workspace: Path | None, as_json: bool) -> None:
    """Write the whole review store to one new file while annotators go on deciding.

    It holds campaigns, tasks, every version of every decision, drafts, accounts, and the photographs in submissions and
    drafts; open sessions are not included. Only the file's owner may read it, since it holds names, notes and hashes of
    passwords: protect it like the store. If the file already holds the store's present state, for instance after a
    killed command, the command succeeds; any other existing file is refused.
    """
    from benchwright.workspace.photographs import collected_photographs

    from ..store.backup import write_backup
    from ..store.database.audit import COMMAND_LINE, clock

    root, was_there = workspace_of(workspace), out.exists()
    with open_for_commands(root) as store:
        written = write_backup(store, out, photographs=collected_photographs(root))
        about = {"revision": written.revision, "rows": dict(written.rows)}
        with nullcontext() if was_there else removed_on_failure(out):
            store.record_read("backed_up", actor=COMMAND_LINE, now=clock(), **about)
    emit(
        {"out": str(out), **_document(written)},
        as_json=as_json,
        text=f"{out} {'exists and ' if was_there else ''}holds {_counted(written)}",
    )
    if written.missing:
        note(
            f"{counted(written.missing, 'photograph')} that annotators handed in have no file in {root}, so the "
            "backup lacks them"
        )


@click.command("restore")
@click.argument("file", type=_FILE, help="Backup to read.")
@workspace_option
@json_option('`{"workspace", "revision", "rows": {table: n}, "photographs"}`')
def restore(file: Path, workspace: Path | None, as_json: bool) -> None:
    """Fill a workspace's empty review store from a backup, and bring one of an older version up to date.

    The store may be a file or a PostgreSQL database, whatever the source of the backup, so this is also a way to move a
    store from one to the other. The command restores everything or nothing, and overwrites nothing. The photographs go
    into the workspace's folder `collected`.
    """
    from benchwright.workspace.photographs import collected_photographs
    from benchwright.workspace.store_place import settle_store

    from ..store.backup import restore_backup
    from ..store.database.audit import COMMAND_LINE, clock
    from ..store.review_store import open_store

    root = workspace_of(workspace)
    url = settle_store(root)
    restored = restore_backup(file, url, photographs=collected_photographs(root))
    with open_store(url) as store:
        store.record("restored", actor=COMMAND_LINE, now=clock(), revision=restored.revision, rows=dict(restored.rows))
    document = {"workspace": str(root), **_document(restored)}
    emit(document, as_json=as_json, text=f"the review store of {root} holds {_counted(restored)}")


def _document(backup: Backup) -> dict[str, object]:
    return {"revision": backup.revision, "rows": dict(backup.rows), "photographs": backup.photographs}


def _counted(backup: Backup) -> str:
    annotations, annotators = backup.rows.get("annotations", 0), backup.rows.get("annotators", 0)
    pictures = f", {counted(backup.photographs, 'photograph')}" if backup.photographs else ""
    return (
        f"{counted(backup.rows.get('campaigns', 0), 'campaign')}, "
        f"{counted(annotations, 'version of a decision', 'versions of decisions')}, "
        f"{counted(annotators, 'annotator')}"
        f"{pictures}"
    )

"""``benchwright review export``: open tasks to fill in, or everything in the store as tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.errors import BenchwrightError
from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import counted

from .selection import (
    campaign_option,
    open_for_commands,
    pick_campaign,
    removed_on_failure,
    workspace_of,
    workspace_option,
)

if TYPE_CHECKING:
    from ..exchange.export import Exported

_FILE = click.Path(path_type=Path)


@click.command("export")
@workspace_option
@campaign_option
@click.option(
    "--out", type=_FILE, metavar="PATH", required=True, help="File to write, .csv or .xlsx; with --all, a new folder."
)
@click.option(
    "--images",
    type=_FILE,
    metavar="DIR",
    help="New folder for copies of the pictures, with their marks drawn; without it, the file names their present "
    "paths.",
)
@click.option(
    "--votes",
    is_flag=True,
    help="In a campaign `review`: write the table of votes, with keys, for items whose annotators have all answered.",
)
@click.option(
    "--gold",
    is_flag=True,
    help="Include the gold items among the rows, to check the annotators who fill in the table.",
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Write everything: tasks, every version of every decision, annotators, agreement, reasons; of all "
    "campaigns, or of --campaign.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["parquet", "csv", "both"]),
    default="both",
    show_default=True,
    help="With --all: format of the tables.",
)
@click.option(
    "--pseudonyms",
    is_flag=True,
    help="With --all: replace names with numbers, which are the same in every export of the store.",
)
@json_option(
    """
    `{"campaign", "tasks", "out", "takes": {column: words}}`; with `--all` `{"out", "pseudonymous", "tables":
    {table: {"rows", "files"}}}`
    """
)
def export(
    workspace: Path | None,
    campaign: str | None,
    out: Path,
    images: Path | None,
    votes: bool,
    gold: bool,
    everything: bool,
    form: str,
    pseudonyms: bool,
    as_json: bool,
) -> None:
    """Write a campaign's open tasks as a table, to fill in and import again.

    In a spreadsheet (.xlsx, with the extra `tables`) the notes at the header list the accepted values of each column,
    and columns with a closed set offer its values. The command never overwrites a file. In a campaign `answer` the
    column `answer` is empty. Editable items have columns for edits (`new_question`, `new_choices`, `new_right`), and
    `version` names a row's version of the item. The column `takes` lists the words that the columns accept.

    A campaign `review` comes as two tables. The first takes the answers, without keys. Once as many annotators as the
    rule needs have answered an item, and their answers are imported, `--votes` writes a row for each of them, with key
    and explanation.

    With --all it writes all tasks and decisions, and their figures, as tables for other programs.
    """
    root = workspace_of(workspace)
    if everything:
        if images is not None or votes or gold:
            raise BenchwrightError("--images, --votes and --gold are for open tasks; leave them out with --all")
        _export_everything(root, campaign, out, form, pseudonyms=pseudonyms, as_json=as_json)
        return
    if pseudonyms:
        raise BenchwrightError("--pseudonyms can only be used with --all; open tasks contain no names")
    from ..exchange.pictures import TaskPictures
    from ..exchange.task_file import export_tasks, words_by_column
    from ..store.database.audit import COMMAND_LINE, clock

    with open_for_commands(root) as store:
        name = pick_campaign(store, campaign)
        pictures = TaskPictures(root, copy_to=images)
        count = export_tasks(store, name, out, image_name=pictures.name, called=pictures.called, votes=votes, gold=gold)
        with removed_on_failure(out):
            store.record_read("exported", actor=COMMAND_LINE, now=clock(), campaign=name, tasks=count)
        takes = words_by_column(store.campaign(name), votes=votes)
    document = {"campaign": name, "tasks": count, "out": str(out), "takes": takes}
    lines = [f"{counted(count, 'open task')} of campaign {name!r} in {out}; to fill in:"]
    lines += [f"  {column}: {words}" for column, words in takes.items()]
    emit(document, as_json=as_json, text="\n".join(lines))


def _export_everything(
    root: Path, campaign: str | None, out: Path, form: str, *, pseudonyms: bool, as_json: bool
) -> None:
    from ..exchange.export import FORMATS, export_everything
    from ..store.database.audit import COMMAND_LINE, clock

    with open_for_commands(root) as store:
        names = None if campaign is None else [store.campaign(campaign).name]
        written = export_everything(store, out, campaigns=names, formats=FORMATS[form], pseudonymous=pseudonyms)
        with removed_on_failure(out):
            store.record_read("exported_all", actor=COMMAND_LINE, now=clock(), pseudonymous=pseudonyms)
    tables = {name: {"rows": table.rows, "files": sorted(table.files)} for name, table in written.tables.items()}
    document = {"out": str(out), "pseudonymous": pseudonyms, "tables": tables}
    emit(document, as_json=as_json, text=lambda: _text(written))


def _text(written: Exported) -> str:
    return "\n".join(
        [f"in {written.out}:", *(f"  {name}: {counted(table.rows, 'row')}" for name, table in written.tables.items())]
    )

"""``benchwright review invite``: invite many people at once from a CSV file."""

from __future__ import annotations

from pathlib import Path

import click

from benchwright.errors import BenchwrightError
from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import counted
from benchwright.workspace.atomic import replacing

from ..app.wording.account_words import invitation_path
from .app import LOCAL_URL
from .selection import open_for_commands, removed_on_failure, workspace_option

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("invite")
@click.argument(
    "file",
    type=_FILE,
    help="CSV file with the columns name and role (annotator, adjudicator or curator), and optionally campaigns, "
    "separated by semicolons.",
)
@workspace_option
@click.option(
    "--out",
    type=_FILE,
    required=True,
    metavar="CSV",
    help="New CSV file with an invitation link for each person, valid once and for a week; only its owner may read it.",
)
@click.option(
    "--url", metavar="URL", default=LOCAL_URL, show_default=True, help="Public address of the app, for the links."
)
@json_option(
    """
    `{"out", "people": [{"name", "role", "campaigns", "state"}]}`; `state` is `invited`, or `known` for a person whose
    account exists and stays unchanged; only the file holds the links
    """
)
def invite(file: Path, workspace: Path | None, out: Path, url: str, as_json: bool) -> None:
    """Give many people accounts at once, and write a file with a link for each.

    A single error lists all mistakes in the file; the command then invites no one. Existing accounts stay unchanged.
    The campaigns of a row are those restricted to assigned annotators: the person is assigned to them. A campaign that
    is open to all stays open. A column with e-mail addresses is not read.
    """
    from ..exchange.invitations import invite_people, links_table, read_invitees
    from ..store.database.audit import COMMAND_LINE, clock

    if out.exists():
        raise BenchwrightError(
            f"{out} exists and may hold links that cannot be shown again: if `benchwright review users` lists "
            "the people in it, they have been invited and the file is complete; otherwise remove it, or give "
            "another --out"
        )
    if not out.parent.is_dir():
        raise BenchwrightError(
            f"{out} cannot be written: the folder {out.parent} does not exist; make it, or give another --out"
        )
    base = url.rstrip("/")
    with open_for_commands(workspace) as store:
        invitees = read_invitees(file, store)
        # The links are on disk before the invitations are: they cannot be shown again.
        with removed_on_failure(out), store.batch() as held:
            invited = invite_people(held, invitees, by=COMMAND_LINE, now=clock())
            table = links_table(invited, lambda token: base + invitation_path(token))
            with replacing(out, private=True) as draft:
                draft.write_text(table, encoding="utf-8")
    people = [
        {
            "name": person.invitee.name,
            "role": person.invitee.role,
            "campaigns": list(person.invitee.campaigns),
            "state": person.state,
        }
        for person in invited
    ]
    new = sum(person.state == "invited" for person in invited)
    known = f", and {len(invited) - new} with an account are unchanged" if len(invited) > new else ""
    text = (
        f"{counted(new, 'person is', 'people are')} invited{known}; their links are in {out}: send each person their "
        "own only"
    )
    emit({"out": str(out), "people": people}, as_json=as_json, text=text)

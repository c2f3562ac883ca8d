"""The commands `release fetch` and `release takedown`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.cli.deciding import checked_why, name_of_decider
from benchwright.errors import CheckFailed
from benchwright.terminal.output import emit, json_option, note
from benchwright.texts.normalization import counted, printable

if TYPE_CHECKING:
    from .takedown import Copies, TakedownResult

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command("fetch")
@click.argument("folder", metavar="DIR", type=_FOLDER, help="Folder of a release.")
@click.option("--private-hosts", is_flag=True, help="Also contact hosts on private networks and this machine.")
@json_option(
    """
    `{"folder", "pictures", "there", "fetched", "missing": [{"image_id", "url", "reason", "detail"}]}`; `pictures` is
    the number of pictures that the release has by address only, and a `reason` is `bad_address`, `private_host`,
    `unreachable`, `status`, `redirects`, `other_size` or `other_bytes`
    """
)
def fetch(folder: Path, *, private_hosts: bool, as_json: bool) -> None:
    """Get the pictures that a release states by address and hash, because their licenses forbid redistribution.

    Keeps only files with the stated SHA-256, in a folder next to the release. Exit code 1 if any is missing.
    """
    from benchwright.release import Release
    from benchwright.release.format.fetched import fetched_folder
    from benchwright.terminal.progress_bars import ProgressBars

    from .fetching import fetch_pictures

    with ProgressBars() as bars:
        pictures = fetch_pictures(Release.open(folder), private_hosts=private_hosts, progress=bars)
    counts = Counter(picture.reason for picture in pictures)
    missing = [picture for picture in pictures if not picture.is_there]
    document = {
        "folder": str(fetched_folder(folder)),
        "pictures": len(pictures),
        "there": counts["there"],
        "fetched": counts["fetched"],
        "missing": [picture._asdict() for picture in missing],
    }
    lines = [printable(f"{picture.url}: {picture.reason}: {picture.detail}") for picture in missing]
    summary = f"{fetched_folder(folder)}: {counted(counts['fetched'], 'picture')} fetched, {counts['there']} were there"
    emit(document, as_json=as_json, text="\n".join([*lines, summary if pictures else f"{folder} holds all its files"]))
    if missing:
        note(
            f"of {counted(len(pictures), 'picture')}, {counted(len(missing), 'is', 'are')} missing; items that show "
            "them cannot be asked"
        )
        click.get_current_context().exit(CheckFailed.exit_code)


@click.command("takedown")
@click.argument(
    "image",
    help="Path below the image folder, id of an image or of a file that a release made from it, or its first digits.",
)
@click.option(
    "--workspace", type=click.Path(path_type=Path), help="Workspace.  [default: this folder, or the only one]"
)
@click.option("--why", metavar="TEXT", required=True, help="Reason, in one line; kept with the withdrawal.")
@click.option(
    "--by", metavar="NAME", help="Name of the person who withdraws it.  [default: the name you are logged in with]"
)
@click.option(
    "--copies",
    type=click.Choice(["all", "certain"]),
    help="Whether to also withdraw pictures that may be copies, because a step grouped them with it or asks about "
    "them.  [default: if there are any, withdraw nothing and name them]",
)
@click.option("--undo", is_flag=True, help="Undo a withdrawal, including that of its copies.")
@json_option(
    """
    `{"image_id", "file", "why", "by", "at", "undone_by", "undone_at", "undone_why", "holds", "is_new", "items",
    "pictures": [{"image_id", "files", "how"}], "made", "possible": [{"image_id", "files", "how"}], "not_compared":
    [file], "looked_for_near", "releases": [{"path", "name", "release_id", "items": [item], "possible": [item]}]}`;
    `items` is the number of items that the next version omits, null if the run is not complete; `pictures` are the
    named one and its copies, `made` is the number of pictures that steps made from them, `possible` may be copies and
    stay, `not_compared` cannot be read, `looked_for_near` is whether a step of the recipe looked for copies of other
    pixels; `is_new` is false if all of it was withdrawn before
    """
)
def takedown(
    image: str,
    *,
    workspace: Path | None,
    why: str,
    by: str | None,
    copies: Copies | None,
    undo: bool,
    as_json: bool,
) -> None:
    """Withdraw an image, its copies and everything made from them from the next version, and list the releases that
    hold any of it.

    Copies are files of equal bytes or pixels, and pictures that steps of the recipe dropped as copies. Nothing is
    deleted: decisions and earlier releases stay. The next run, or `release freeze`, leaves the items out. For a picture
    that the recipe made, the command names its source images; withdraw those. Exit code 1 if there is no such item.
    """
    from datetime import UTC, datetime

    from benchwright.cli.workspaces import find_workspace

    from .takedown import describe, take_down

    root = find_workspace(workspace)
    result = take_down(
        root,
        image,
        why=checked_why(why, needed=True),
        by=name_of_decider(by),
        now=datetime.now(UTC),
        undo=undo,
        copies=copies,
    )
    emit(describe(result), as_json=as_json, text=lambda: "\n".join(map(printable, _takedown_lines(result))))
    if result.items == 0 and not undo:
        note("the withdrawal affects no item of the next version: check that it is the right picture")
        click.get_current_context().exit(CheckFailed.exit_code)


def _takedown_lines(result: TakedownResult) -> Iterator[str]:
    entry = result.takedown
    state = "withdrawn" if entry.holds else "back again"
    before = "" if result.is_new else f" since {entry.at}, by {entry.by}: {entry.why}"
    first, *others = result.pictures
    with_copies = f", with {counted(len(others), 'copy', 'copies')}:" if others else ""
    yield f"{first.name} is {state}{before}{with_copies}"
    yield from (f"  {picture.name}: {picture.how}" for picture in others)
    yield from (f"  {picture.name} stays, though it may be a copy: {picture.how}" for picture in result.possible)
    yield from (f"  {name} was not compared: its file cannot be read" for name in result.not_compared)
    if not result.looked_for_near:
        yield (
            "copies with different pixels (smaller, cropped, recolored) were not searched for: no step of the recipe "
            "does this (`near_duplicates` would)"
        )
    them = "it" if len(result.pictures) == 1 else "them"
    verb = "leaves out" if entry.holds else "has again"
    pictures = f"{counted(len(result.pictures), 'picture')} and {counted(result.made, 'picture')} made from {them}"
    yield (
        f"the next version {verb} {pictures}; how many items that concerns is known once the run is complete"
        if result.items is None
        else f"the next version {verb} {counted(result.items, 'item')}, {pictures}; run the recipe or freeze again, "
        "under a new version"
    )
    for release in result.releases:
        may = f"{counted(len(release.possible), 'item')} of it may show a copy: a step put the pictures into one group"
        if release.items:
            yield f"{release.path} uses {them} in {len(release.items)} of its items, release id {release.release_id}"
        if release.possible:
            yield f"{release.path}, release id {release.release_id}: {may}"
    if entry.holds and result.releases:
        yield "releases never change: delete these releases, including published copies, or tell those who have them"

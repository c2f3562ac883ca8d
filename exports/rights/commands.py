"""The commands `release fetch` and `release takedown`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from benchwright.cli.output import emit, json_option, note
from benchwright.errors import CheckFailed
from benchwright.text_normalization import printable

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command("fetch")
@click.argument("folder", metavar="DIR", type=_FOLDER, help="Folder of a release.")
@click.option("--private-hosts", is_flag=True, help="Ask hosts of private networks and this machine, too.")
@json_option(
    """
    `{"folder", "pictures", "there", "fetched", "missing": [{"image_id", "url", "reason", "detail"}]}`; `pictures` is
    the number of those that the release has by address only, and a `reason` is `bad_address`, `private_host`,
    `unreachable`, `status`, `redirects`, `other_size` or `other_bytes`
    """
)
def fetch(folder: Path, *, private_hosts: bool, as_json: bool) -> None:
    """Get the pictures that a release states by address and hash, because their licences forbid to pass them on.

    Only files with the stated SHA-256 are kept, in a folder beside the release. Exit code 1 if any is missing.
    """
    from benchwright.cli.progress_bars import ProgressBars
    from benchwright.release import Release
    from benchwright.release.format.fetched import fetched_folder

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
    summary = f"{fetched_folder(folder)}: {counts['fetched']} pictures fetched, {counts['there']} were there"
    emit(document, as_json=as_json, text="\n".join([*lines, summary if pictures else f"{folder} holds all its files"]))
    if missing:
        note(f"{len(missing)} of {len(pictures)} pictures are missing; items that show them cannot be asked")
        click.get_current_context().exit(CheckFailed.exit_code)

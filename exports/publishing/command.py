"""The command `release publish`."""

from __future__ import annotations

from pathlib import Path

import click

from benchwright.terminal.output import emit, json_option, note
from benchwright.texts.normalization import counted

from .plan import Publication


@click.command("publish")
@click.argument(
    "folder",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of a release.",
)
@click.option(
    "--to",
    required=True,
    metavar="TARGET",
    help="hub:ORG/NAME, a dataset repository of the Hugging Face Hub, or a folder that does not exist.",
)
@click.option("--dry-run", is_flag=True, help="Show what would be sent, and send nothing.")
@click.option("--private", is_flag=True, help="Make a repository that only members see.")
@json_option(
    """
    `{"to", "dry_run", "published", "url", "name", "version", "release_id", "tag", "commit_message",
    "commit_description", "private", "files": [{"path", "size_bytes", "sha256", "state"}], "removed": [path],
    "send_bytes", "card_errors": [line], "notes": [line]}`; `state` is `new`, `changed`, `there`
    or null if the Hub could not be asked, and `removed` lists files of earlier versions that the newest commit
    deletes
    """
)
def publish(folder: Path, *, to: str, dry_run: bool, private: bool, as_json: bool) -> None:
    """Publish a release to the Hugging Face Hub or to a folder, after checking it as `release verify` does.

    Sends only files that the target lacks, and never overwrites a version: on the Hub, the version is a tag. The token
    comes from HF_TOKEN or from `hf auth login`.
    """
    from benchwright.release import Release

    from .publish import publish as publish_release

    publication = publish_release(Release.open(folder), to=to, private=private, dry_run=dry_run)
    release = publication.release
    document = {
        "to": publication.target,
        "dry_run": dry_run,
        "published": publication.published,
        "url": publication.url,
        "name": release.name,
        "version": release.version,
        "release_id": release.release_id,
        "tag": publication.tag,
        "commit_message": publication.message,
        "commit_description": publication.description,
        "private": private,
        "files": [file._asdict() for file in publication.files],
        "removed": list(publication.removed),
        "send_bytes": _send_bytes(publication),
        "card_errors": list(publication.card_errors),
        "notes": list(publication.notes),
    }
    emit(document, as_json=as_json, text=lambda: _text(publication, dry_run=dry_run))
    if dry_run and publication.card_errors:
        note("the Hub would refuse the card; correct it before you publish")
        click.get_current_context().exit(1)


def _send_bytes(publication: Publication) -> int:
    return sum(file.size_bytes for file in publication.to_send)


def _text(publication: Publication, *, dry_run: bool) -> str:
    from .publish import HUB

    lines = [
        f"  {file.state or 'not asked':9} {file.size_bytes:>12}  {file.sha256}  {file.path}"
        for file in publication.files
    ]
    lines += [f"  removed   {'':>12}  {'':64}  {path}" for path in publication.removed]
    sent, size = len(publication.to_send), _send_bytes(publication) / 1e6
    if publication.published and not sent:
        head = f"{publication.target} already contains {publication.message}; nothing to send"
    elif dry_run:
        target = publication.target if publication.target.startswith(HUB) else f"the folder {publication.target}"
        head = f"would send {sent} of {counted(len(publication.files), 'file')}, {size:.1f} MB, to {target}"
    else:
        head = (
            f"{publication.url or publication.target}: {sent} of {counted(len(publication.files), 'file')} sent, "
            f"{size:.1f} MB"
        )
    words = [f"version (tag): {publication.tag}", f"message: {publication.message}: {publication.description}"]
    card = [f"card: {line}" for line in publication.card_errors]
    return "\n".join([head, *lines, *words, *card, *publication.notes])

"""``benchwright review guidelines``: the versions of a campaign's guidelines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.errors import BenchwrightError
from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import counted, printable

from .selection import campaign_option, open_for_commands, workspace_option

if TYPE_CHECKING:
    from ..store.campaigns.guidelines import GuidelinesVersion
    from ..store.review_store import ReviewStore


@click.command("guidelines")
@workspace_option
@campaign_option
@click.option(
    "--set",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Markdown file with the new version, up to 64 kB; pictures lie in its folder or below, and each needs "
    "alternative text: ![what it shows](pictures/good.png).",
)
@json_option(
    """
    `{"campaign", "versions": [{"version", "origin", "decisions", "text"}]}`; `origin` is `recipe` or `curator`; in
    `text` pictures are `picture:0`, `picture:1`, …
    """
)
def guidelines(workspace: Path | None, campaign: str | None, file: Path | None, as_json: bool) -> None:
    """List the versions of a campaign's guidelines, with the number of decisions under each, or set a new version.

    Annotators see the newest version, collapsed above the task, from their next task on.
    """
    from ..store.campaigns.guidelines import Guidelines
    from ..workflow.guidelines import read_guidelines

    with open_for_commands(workspace) as store:
        name = campaign or _only(store)
        history = Guidelines(store)
        if file is not None:
            history.set(name, *read_guidelines(file))
        versions = history.versions(store.campaign(name))
    document = {"campaign": name, "versions": [_document(version) for version in versions]}
    emit(document, as_json=as_json, text=lambda: _text(name, versions))


def _only(store: ReviewStore) -> str:
    names = store.campaign_names()
    if len(names) != 1:
        raise BenchwrightError(
            f"choose a campaign with --campaign; the campaigns are: {', '.join(names) or 'none yet'}"
        )
    return names[0]


def _document(version: GuidelinesVersion) -> dict[str, object]:
    return {"version": version.version, "origin": version.origin, "decisions": version.decisions, "text": version.text}


def _text(name: str, versions: list[GuidelinesVersion]) -> str:
    if not versions:
        return f"{name} has no guidelines"
    lines = [
        f"version {version.version}, by {version.origin}: {counted(version.decisions, 'decision')}"
        for version in versions
    ]
    return "\n".join([f"{name}:", *lines, "", printable(versions[-1].text)])

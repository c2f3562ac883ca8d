"""Code shared by the `review` commands: finding the workspace, its review store, and one of its campaigns."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.errors import BenchwrightError

if TYPE_CHECKING:
    from ..store.review_store import ReviewStore

_FILE = click.Path(path_type=Path)
workspace_option = click.option(
    "--workspace", type=_FILE, metavar="DIR", help="Workspace of a run.  [default: the workspace in this folder]"
)
campaign_option = click.option(
    "--campaign", metavar="NAME", help="Campaign: the name of its step in the recipe.  [default: the only one]"
)


def workspace_of(workspace: Path | None) -> Path:
    """Return the named workspace, or the one in the current folder if no name is given."""
    from benchwright.cli.workspaces import find_workspace

    return find_workspace(workspace)


def open_for_commands(workspace: Path | None) -> ReviewStore:
    """Open the review store of a workspace, by default the one in the current folder; a missing store is not created.

    Raises:
        BenchwrightError: There is no workspace, or it has no store yet.
    """
    from benchwright.workspace.workspace import Workspace

    from ..store.review_store import open_store, store_exists

    root = workspace_of(workspace)
    url = Workspace(root).store_url
    if not store_exists(url):
        raise BenchwrightError(f"{root} has no review store; run a recipe with a step such as `verify` there first")
    return open_store(url)


@contextmanager
def removed_on_failure(out: Path) -> Iterator[None]:
    """Remove a new file or folder if the block fails, so that the same command can be repeated."""
    try:
        yield
    except BaseException:
        if out.is_dir():
            shutil.rmtree(out, ignore_errors=True)
        else:
            out.unlink(missing_ok=True)
        raise


def pick_campaign(store: ReviewStore, campaign: str | None) -> str:
    """Return the given campaign name after checking it, or the name of the only campaign.

    Raises:
        BenchwrightError: No campaign has that name; or no name is given, and there is not exactly one campaign.
    """
    if campaign is not None:
        return store.campaign(campaign).name
    names = store.campaign_names()
    if len(names) != 1:
        raise BenchwrightError(
            f"choose a campaign with --campaign NAME; the campaigns are: {', '.join(names) or 'none yet'}"
        )
    return names[0]

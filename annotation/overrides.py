"""Curators' decisions against verdicts of steps, as a run and the command line ask for them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from benchwright.overrides import Override
from benchwright.workspace.workspace import Workspace

if TYPE_CHECKING:
    from .store import Decided


def standing_overrides(root: Path) -> list[Override]:
    """Return what a run takes in: the decisions that count now; none where the workspace has no store.

    Raises:
        BenchwrightError: The store cannot be read.
    """
    return [one.override for one in standing_decisions(root)]


def standing_decisions(root: Path) -> list[Decided]:
    """Return the decisions that count now, with when they were made, by stage and record.

    Raises:
        BenchwrightError: The store cannot be read.
    """
    from .store import Overriding, open_store, store_exists

    url = Workspace(root).store_url
    if not store_exists(url):
        return []
    with open_store(url) as store:
        return Overriding(store).standing()

"""The funnel page of a run: written once for the same tables, and found again without drawing anything."""

from __future__ import annotations

import json
from pathlib import Path

from benchwright.atomic import write_json
from benchwright.canonical import digest, file_digest
from benchwright.pipeline.finished import stage_names
from benchwright.pipeline.overrides import current_snapshot
from benchwright.workspace import Workspace

PAGE_FILE = "funnel.html"
_LATEST = "funnel.json"


def write_run_funnel(root: Path, run_folder: Path) -> Path:
    """Write the page of a run into its folder, unless an earlier run's shows the very same; return the page.

    Raises:
        BenchwrightError: Nothing has run there.
    """
    space = Workspace.open(root)
    told = _told(space)
    latest = space.runs / _LATEST
    try:
        known = json.loads(latest.read_text(encoding="utf-8"))
        page = space.runs / Path(str(known["page"])).parent.name / PAGE_FILE
        if known["told"] == told and page.exists():
            return page
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        pass
    from benchwright.funnel.writing import write_funnel

    page = run_folder / PAGE_FILE
    write_funnel(root, page)
    write_json(latest, {"told": told, "page": f"{run_folder.name}/{PAGE_FILE}"}, tmp=space.tmp)
    return page


def _told(space: Workspace) -> str:
    """Return the digest of all that a page shows."""
    settings = space.settings()
    tables = [file_digest(space.tables / name / "current.json") for name in stage_names(space)]
    return digest([settings["recipe"], settings["state"], str(space.root.resolve()), tables, current_snapshot(space)])

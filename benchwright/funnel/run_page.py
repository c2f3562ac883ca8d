"""The funnel page of a run, written once for identical tables and then reused without being drawn again."""

from __future__ import annotations

from pathlib import Path

from benchwright.canonical import digest, file_digest
from benchwright.errors import DamagedError
from benchwright.pipeline.stages.overrides import current_snapshot
from benchwright.pipeline.stages.runlog import is_vouched_for, vouch_for
from benchwright.source_files.refusal_lists import row_counts_in
from benchwright.workspace.run_results import stage_names
from benchwright.workspace.sealed import read_sealed, write_sealed
from benchwright.workspace.workspace import Workspace

PAGE_FILE = "funnel.html"
_LATEST = "funnel.json"


def write_run_funnel(root: Path, run_folder: Path) -> Path:
    """Write the page of a run into its folder, unless an earlier run has an identical page; return the page's path.

    Raises:
        BenchwrightError: Nothing has run in the workspace.
    """
    space = Workspace.open(root)
    content = _told(space)
    latest = space.runs / _LATEST
    try:
        known = read_sealed(latest)
        page = space.runs / Path(str(known["page"])).parent.name / PAGE_FILE
        if known["told"] == content and is_vouched_for(page):
            return page
    except (FileNotFoundError, DamagedError, KeyError):
        pass
    from benchwright.funnel.writing import write_funnel

    page = run_folder / PAGE_FILE
    write_funnel(root, page)
    vouch_for(page)
    write_sealed(latest, {"told": content, "page": f"{run_folder.name}/{PAGE_FILE}"}, tmp=space.tmp)
    return page


def _told(space: Workspace) -> str:
    """Return the digest of everything that the page shows."""
    settings = space.settings()
    tables = [file_digest(space.tables / name / "current.json") for name in stage_names(space)]
    rows = {name: counts.document() for name, counts in row_counts_in(space.root, stage_names(space)).items()}
    return digest(
        [settings["recipe"], settings["state"], str(space.root.resolve()), tables, current_snapshot(space), rows]
    )

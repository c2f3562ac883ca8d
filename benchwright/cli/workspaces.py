"""The workspace that commands use by default."""

from __future__ import annotations

from pathlib import Path

from benchwright.errors import BenchwrightError


def find_workspace(workspace: Path | None) -> Path:
    """Return the given workspace, or the current folder, or the only one under `workspaces/`.

    Raises:
        BenchwrightError: No workspace exists, or several do.
    """
    if workspace is not None:
        return workspace
    if Path("workspace.json").exists():
        return Path()
    workspaces = sorted(path.parent for path in Path("workspaces").glob("*/workspace.json"))
    if len(workspaces) == 1:
        return workspaces[0]
    problem = f"{len(workspaces)} workspaces under workspaces/" if workspaces else "no workspace here"
    raise BenchwrightError(f"{problem}; give one with --workspace DIR")

"""Which workspace a command means when it is not told."""

from __future__ import annotations

from pathlib import Path

from benchwright.errors import BenchwrightError


def find_workspace(given: Path | None) -> Path:
    """Return the workspace given, or the current folder, or the only one under `workspaces/`.

    Raises:
        BenchwrightError: There is none, or more than one.
    """
    if given is not None:
        return given
    if Path("workspace.json").exists():
        return Path()
    found = sorted(path.parent for path in Path("workspaces").glob("*/workspace.json"))
    if len(found) == 1:
        return found[0]
    what = f"{len(found)} workspaces under workspaces/" if found else "no workspace here"
    raise BenchwrightError(f"{what}; say which one with --workspace DIR")

"""The packages that a report needs in addition to the base installation."""

from __future__ import annotations

from importlib.util import find_spec

from benchwright.errors import PrerequisiteError

INSTALL = "pip install 'benchwright[report]' -c constraints.txt"


def missing_packages() -> tuple[str, ...]:
    """Return the packages that are not installed, without importing any."""
    return tuple(package for package in ("jinja2", "matplotlib") if find_spec(package) is None)


def require_packages() -> None:
    """Check that a report can be made.

    Raises:
        PrerequisiteError: A package is not installed.
    """
    if missing := missing_packages():
        raise PrerequisiteError(f"a report needs {' and '.join(missing)}, not installed here: {INSTALL}")

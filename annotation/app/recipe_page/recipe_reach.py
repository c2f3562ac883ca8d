"""Limits on what a recipe can access from the server: endpoints, environment variables, other folders.

A run acts as the user who serves the app. A curator who writes a recipe in the browser has no account on that machine.
So a text from the browser may name only endpoints, variables and paths that the file on the server already names.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Any

import yaml

from benchwright.errors import BenchwrightError

_REACHES = frozenset({"base_url", "api_key_env"})
_VARIABLE = "ENV:"


def check_reach(before: str, after: str, folder: Path) -> None:
    """Refuse a new recipe text that names endpoints, variables or outside paths that the present text does not name.

    Args:
        before: Present text of the recipe on the server.
        after: The new text; both are YAML.
        folder: Folder of the recipe; the text may name files within it.

    Raises:
        BenchwrightError: The new text names an endpoint, an environment variable or a path outside of the folder that
            the present text does not name.
    """
    new = set(_reached(yaml.safe_load(after), folder)) - set(_reached(yaml.safe_load(before), folder))
    if new:
        raise BenchwrightError(
            f"{min(new)[:200]!r} is an endpoint, variable or folder that this recipe did not name before; add it to "
            "the file on the server"
        )


def _reached(value: Any, folder: Path, key: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for name, entry in value.items():
            yield from _reached(entry, folder, str(name))
    elif isinstance(value, list):
        for entry in value:
            yield from _reached(entry, folder, key)
    elif isinstance(value, str) and (key in _REACHES or value.startswith(_VARIABLE) or _leads_out(value, folder)):
        yield value


def _leads_out(value: str, folder: Path) -> bool:
    """Return whether a text is a path that leads out of a folder; a text with several lines is not a path."""
    if "\n" in value or not (value.startswith(("/", "~", "\\")) or ".." in PurePath(value).parts or value[1:2] == ":"):
        return False
    if value.startswith("~"):
        return True
    try:
        return not (folder / value).resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):
        return True

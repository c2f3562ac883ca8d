"""Drafts of forms on the app's own pages, stored in the workspace during typing, so that a reload loses nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from benchwright.errors import DamagedError
from benchwright.workspace.private_files import make_private_folder
from benchwright.workspace.sealed import read_sealed, write_sealed

_FOLDER = "dialogues"


def typed_fields(workspace: Path, curator: str, form: str) -> dict[str, str]:
    """Return a curator's draft of a form, by field; empty if the form was sent or never begun."""
    try:
        document = read_sealed(_path(workspace, curator, form))["fields"]
    except (OSError, DamagedError, KeyError):
        return {}
    fields = document if isinstance(document, dict) else {}
    return {name: value for name, value in fields.items() if isinstance(value, str)}


def keep_typed(workspace: Path, curator: str, form: str, fields: Mapping[str, str]) -> None:
    """Store a curator's draft of a form, completely or not at all."""
    path = _path(workspace, curator, form)
    make_private_folder(path.parent)
    write_sealed(path, {"fields": dict(fields)})


def forget_typed(workspace: Path, curator: str, form: str) -> None:
    """Remove a curator's draft of a form after the form is sent."""
    _path(workspace, curator, form).unlink(missing_ok=True)


def _path(workspace: Path, curator: str, form: str) -> Path:
    owner = hashlib.sha256(curator.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return workspace / _FOLDER / f"{owner}-{form}.json"

"""What people call the records of a workspace: files for images, task and file for items."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from benchwright.pipeline.finished import stage_names
from benchwright.pipeline.live import INGEST
from benchwright.shards import StageTable
from benchwright.workspace import Workspace

LONGEST_TEXT = 100
_ID = re.compile(r"\b(?:[0-9a-f]{32}){1,2}\b")
_DIGITS = 12


class RecordNames:
    """Names of all images and items of a workspace, read once from its tables."""

    def __init__(self, workspace: Workspace) -> None:
        self._files: dict[str, str] = {}
        self._roots: dict[str, str] = {}
        self._tasks: dict[str, str] = {}
        for row in _columns(workspace, "images", ["image_id", "source_uri", "root_image_id"]):
            if row["source_uri"] is not None:
                self._files.setdefault(row["image_id"], row["source_uri"])
            self._roots.setdefault(row["image_id"], row["root_image_id"])
        for row in _columns(workspace, "items", ["item_id", "task", "root_image_id"]):
            self._tasks.setdefault(row["item_id"], row["task"])
            self._roots.setdefault(row["item_id"], row["root_image_id"])

    def file(self, record_id: str) -> str | None:
        """Return the file of the image folder that a record is, or goes back to; None where none is known."""
        return self._files.get(self._roots.get(record_id, record_id))

    def name(self, record_id: str) -> str:
        """Return a file's path; of what was made the kind, the first digits of the id, and the file it goes back to."""
        file = self.file(record_id)
        if record_id in self._files or (file is None and record_id not in self._tasks):
            return file or record_id
        what = f"{self._tasks.get(record_id, 'picture')} {record_id[:_DIGITS]}"
        return f"{what} of {file}" if file is not None else what

    def spelled(self, value: Any) -> str:
        """Return a value for people: ids as names, and long texts, such as packed features, by their length only."""
        if isinstance(value, str):
            if len(value) > LONGEST_TEXT and " " not in value:
                return f"({len(value):,} characters)"
            return _ID.sub(lambda match: self.name(match[0]), value)
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key}: {self.spelled(part)}" for key, part in value.items()) + "}"
        if isinstance(value, list | tuple):
            return "[" + ", ".join(map(self.spelled, value)) + "]"
        return str(value)


def _columns(workspace: Workspace, kind: str, columns: list[str]) -> Iterator[dict[str, Any]]:
    for stage in dict.fromkeys([INGEST, *stage_names(workspace)]):
        table = StageTable(workspace, stage)
        for marker in table.current():
            if (rows := table.read(marker, kind, columns)) is not None:
                yield from rows.to_pylist()

"""The log of one run: everything that varies between runs, and so is in no table.

runs/RUN/run.json       when, where, which versions, how it ended
runs/RUN/events.jsonl   one line per finished job
runs/RUN/worker-N.log   what each worker printed
runs/versions.json      the library versions of the last run
"""

from __future__ import annotations

import json
import os
import platform
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchwright.atomic import write_json
from benchwright.errors import StorageError
from benchwright.storage_faults import naming
from benchwright.versions import library_versions
from benchwright.workspace import Workspace


class RunLog:
    """An open log."""

    def __init__(self, workspace: Workspace, command: Mapping[str, Any]) -> None:
        started = datetime.now(UTC)
        self.folder: Path = workspace.runs / f"{started:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
        self.folder.mkdir(parents=True)
        self._workspace = workspace
        self._document: dict[str, Any] = {
            "started_at": started.isoformat(),
            "host": platform.node(),
            "pid": os.getpid(),
            "versions": library_versions(),
            **command,
        }
        self._events = (self.folder / "events.jsonl").open("a", encoding="utf-8", buffering=1)
        write_json(self.folder / "run.json", self._document)

    def event(self, kind: str, **what: Any) -> None:
        """Add one line."""
        with naming(self._events.name):
            self._events.write(json.dumps({"event": kind, **what}, ensure_ascii=True) + "\n")

    def changed_versions(self) -> list[str]:
        """Return one line per library whose version differs from the last run's, and remember today's."""
        path = self._workspace.runs / "versions.json"
        now: dict[str, str] = self._document["versions"]
        try:
            before = json.loads(path.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            before = {}
        if before != now:
            write_json(path, now, tmp=self._workspace.tmp)
        return [
            f"{name} was {before[name]}, is {now.get(name, 'gone')}"
            for name in sorted(before)
            if before[name] != now.get(name)
        ]

    def close(self, state: str) -> None:
        """Say how the run ended."""
        with naming(self._events.name):
            self._events.close()
        write_json(
            self.folder / "run.json",
            {**self._document, "ended_at": datetime.now(UTC).isoformat(), "state": state},
        )


@contextmanager
def logged(workspace: Workspace, command: Mapping[str, Any]) -> Iterator[RunLog]:
    """Open a log and close it with how the block ended."""
    log = RunLog(workspace, command)
    state = "failed"
    try:
        yield log
        state = "ended"
    except KeyboardInterrupt:
        state = "interrupted"
        raise
    finally:
        if state == "ended":
            log.close(state)
        else:
            with suppress(OSError, StorageError):  # what ended the run is what to say
                log.close(state)

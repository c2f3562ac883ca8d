"""The log of one run: it contains everything that varies between runs and therefore does not belong in a table.

runs/RUN/run.json       time, machine, versions, how the run ended; then the SHA-256 of the files that are complete
runs/RUN/events.jsonl   lines about stages that start and end, and about each finished job (`stage_events`)
runs/RUN/funnel.html    the page of the run
runs/RUN/worker-N.log   the output of each worker
runs/versions.json      the library versions of the last run
"""

from __future__ import annotations

import json
import os
import platform
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchwright.canonical import file_digest
from benchwright.errors import DamagedError, StorageError
from benchwright.machine.storage_faults import naming
from benchwright.machine.versions import library_versions
from benchwright.workspace.sealed import read_sealed, write_sealed
from benchwright.workspace.workspace import Workspace

_RUN_FILE = "run.json"
EVENTS_FILE = "events.jsonl"
WRITTEN_AGAIN = ("runs/versions.json", "runs/funnel.json")
"""Files that the next run rewrites if they are damaged or missing."""


class RunLog:
    """The open log of a run."""

    def __init__(self, workspace: Workspace, command: Mapping[str, Any]) -> None:
        started, self._opened = datetime.now(UTC), time.perf_counter()
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
        self._lock = threading.Lock()  # models are asked in threads
        self._events = (self.folder / EVENTS_FILE).open("a", encoding="utf-8", buffering=1)
        write_sealed(self.folder / _RUN_FILE, self._document)

    def event(self, kind: str, /, **what: Any) -> None:
        """Add one event to the log, with `at`, the seconds since the log was opened."""
        with self._lock, naming(self._events.name):
            at = round(time.perf_counter() - self._opened, 4)
            self._events.write(json.dumps({"event": kind, "at": at, **what}, ensure_ascii=True) + "\n")

    def changed_versions(self) -> list[str]:
        """Return one line per library whose version differs from that of the last run, and store the current ones."""
        path = self._workspace.runs / "versions.json"
        now: dict[str, str] = self._document["versions"]
        try:
            before = read_sealed(path)
        except (FileNotFoundError, DamagedError):
            before = {}
        if before != now:
            write_sealed(path, now, tmp=self._workspace.tmp)
        return [
            f"{name} was {before[name]}, is {now.get(name, 'gone')}"
            for name in sorted(before)
            if before[name] != now.get(name)
        ]

    def close(self, state: str) -> None:
        """Write the run's final state."""
        with naming(self._events.name):
            self._events.close()
        ended = {"ended_at": datetime.now(UTC).isoformat(), "state": state}
        files = {EVENTS_FILE: file_digest(self.folder / EVENTS_FILE)}
        write_sealed(self.folder / _RUN_FILE, {**self._document, **ended, "files": files})


@contextmanager
def logged(workspace: Workspace, command: Mapping[str, Any]) -> Iterator[RunLog]:
    """Open a log and close it with the state in which the block ended."""
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
            with suppress(OSError, StorageError):  # the error that ended the run is the one to report
                log.close(state)


def vouch_for(path: Path) -> None:
    """Record in a run's log the SHA-256 of a file written next to it after the run ended."""
    document = read_sealed(path.parent / _RUN_FILE)
    files = {**document.get("files", {}), path.name: file_digest(path)}
    write_sealed(path.parent / _RUN_FILE, {**document, "files": files})


def is_vouched_for(path: Path) -> bool:
    """Return whether a file of a run has the SHA-256 recorded for it in the run's log."""
    try:
        files: Mapping[str, str] = read_sealed(path.parent / _RUN_FILE)["files"]
        return file_digest(path) == files[path.name]
    except (OSError, DamagedError, KeyError):
        return False


def log_problems(workspace: Workspace) -> Iterator[DamagedError]:
    """Yield the damaged files in the logs of all runs; logs of older versions cannot be checked."""
    for name in WRITTEN_AGAIN:
        try:
            with suppress(FileNotFoundError):
                read_sealed(workspace.root / name)
        except DamagedError as error:
            yield DamagedError(error.path, f"{error.what}; the next run rewrites it")
    for path in sorted(workspace.runs.glob(f"*/{_RUN_FILE}")):
        of_no_use = f"no run reads it; delete {path.parent.relative_to(workspace.root)} to remove it"
        try:
            files = read_sealed(path).get("files", {})
        except DamagedError as error:
            yield DamagedError(error.path, f"{error.what}; {of_no_use}")
            continue
        for file, sha256 in ((path.parent / name, sha256) for name, sha256 in files.items()):
            if file.exists() and (problem := workspace.checked.wrong(file, sha256, afresh=True)) is not None:
                yield DamagedError(file, f"{problem}; {of_no_use}")

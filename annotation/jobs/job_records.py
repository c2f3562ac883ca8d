"""Records of commands that were started from the app, one folder per command in the workspace's `jobs/`.

    jobs/JOB/job.json       the curator, command and time, the process, the outcome
    jobs/JOB/output.txt     the command's output while it runs
    jobs/JOB/result.json    the document that it printed

A record outlives the app: a curator who returns finds the job in its present state.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from benchwright.errors import DamagedError
from benchwright.texts.normalization import printable
from benchwright.workspace.sealed import read_sealed, write_sealed

from .commands import JobKind

JobState = Literal["running", "done", "failed", "cancelled"]
RECORD, OUTPUT, RESULT = "job.json", "output.txt", "result.json"
TAIL_BYTES = 16 * 1024
"""Number of bytes at the end of the output to read for its last lines."""
_JOB_ID = re.compile(r"[0-9]{8}T[0-9]{6}-[0-9a-f]{6}")


@dataclass(frozen=True)
class JobRecord:
    """A started command.

    Attributes:
        id: Id, which names its folder.
        kind: Kind of command.
        by: Curator who started it.
        arguments: Arguments of the command.
        started_at: Time of the start.
        process: Id of its process, and the process's start by the kernel's clock.
        state: Its state.
        ended_at: Time of the end; None until then.
        exit_code: Its exit code; None until the end, or if the app was stopped in the meantime.
        cancelled_by: Curator who canceled it; None otherwise.
    """

    id: str
    kind: JobKind
    by: str
    arguments: Sequence[str]
    started_at: datetime
    process: tuple[int, int] | None = None
    state: JobState = "running"
    ended_at: datetime | None = None
    exit_code: int | None = None
    cancelled_by: str | None = None


class JobFolder:
    """The folder of all jobs of a workspace."""

    def __init__(self, workspace: Path) -> None:
        self.root = workspace / "jobs"

    def of(self, job_id: str) -> Path:
        """Return the folder of a job."""
        return self.root / job_id

    def ids(self) -> list[str]:
        """Return the ids of all jobs, newest first."""
        if not self.root.is_dir():
            return []
        return sorted((path.name for path in self.root.iterdir() if _JOB_ID.fullmatch(path.name)), reverse=True)

    def read(self, job_id: str) -> JobRecord | None:
        """Return the record of a job, or None if there is no readable record."""
        try:
            document = read_sealed(self.of(job_id) / RECORD)
            known = {field.name: document[field.name] for field in fields(JobRecord)}
        except (OSError, DamagedError, KeyError):
            return None
        for name in ("started_at", "ended_at"):
            known[name] = None if known[name] is None else datetime.fromisoformat(known[name])
        known["process"] = None if known["process"] is None else tuple(known["process"])
        return JobRecord(**known)

    def write(self, record: JobRecord) -> None:
        """Write the record of a job, either completely or not at all."""
        document: dict[str, Any] = asdict(record)
        for name in ("started_at", "ended_at"):
            document[name] = None if document[name] is None else document[name].isoformat()
        write_sealed(self.of(record.id) / RECORD, document | {"arguments": list(record.arguments)})

    def last_lines(self, job_id: str, *, most: int) -> list[str]:
        """Return the last lines of a job's output, without control characters."""
        try:
            with (self.of(job_id) / OUTPUT).open("rb") as handle:
                handle.seek(0, 2)
                handle.seek(max(0, handle.tell() - TAIL_BYTES))
                text = handle.read().decode("utf-8", "replace")
        except OSError:
            return []
        return [printable(line) for line in text.splitlines() if line.strip()][-most:]

    def result(self, job_id: str) -> dict[str, Any] | None:
        """Return the document that a command printed; None if it failed or is still running."""
        try:
            document = json.loads((self.of(job_id) / RESULT).read_bytes())
        except (OSError, ValueError):
            return None
        return document if isinstance(document, dict) else None

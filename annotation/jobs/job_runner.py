"""Starts commands, one at a time per workspace, tracks them until they end, and cancels them.

A command runs in a separate session, so that it continues when the browser's tab is closed or the app stops. The audit
log records who starts or cancels a command.
"""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from benchwright.errors import BenchwrightError
from benchwright.machine.file_locks import lock
from benchwright.workspace.private_files import make_private_file, make_private_folder

from ..store.database.audit import record as record_act
from ..store.review_store import ReviewStore
from .commands import Job, command_line
from .job_records import OUTPUT, RESULT, JobFolder, JobRecord, JobState

_NOT_FOR_CHILDREN = ("BENCHWRIGHT_OIDC_SECRET",)
_INTERRUPTED = 130


class JobRunner:
    """The jobs of a workspace; safe for concurrent threads, and for several processes that serve the workspace.

    Args:
        workspace: Folder of the workspace.
        store: Its review store, for the audit log.
        now: Clock.
    """

    def __init__(self, workspace: Path, store: ReviewStore, *, now: Callable[[], datetime]) -> None:
        self.folder = JobFolder(workspace)
        self._workspace = workspace.absolute()
        self._store = store
        self._now = now
        self._followed: dict[str, threading.Thread] = {}
        self._lock = threading.Lock()

    def jobs(self, *, most: int = 20) -> list[JobRecord]:
        """Return the most recent jobs, newest first."""
        return [record for job_id in self.folder.ids()[:most] if (record := self.job(job_id)) is not None]

    def job(self, job_id: str) -> JobRecord | None:
        """Return a job in its present state, or None if the job is unknown.

        If the app was stopped in the meantime, the exit code is unknown: the job is done if it printed its document.
        """
        record = self.folder.read(job_id)
        if record is None or record.state != "running" or job_id in self._followed or _is_alive(record.process):
            return record
        with self._alone():
            record = self.folder.read(job_id)
            if record is not None and record.state == "running" and job_id not in self._followed:
                record = self._end(record, None)
        return record

    def running(self) -> JobRecord | None:
        """Return the job that is running now, or None if no job is running."""
        return next((record for record in self.jobs() if record.state == "running"), None)

    def start(self, job: Job, *, by: str) -> JobRecord:
        """Start a command.

        Args:
            job: The command.
            by: Name of the curator.

        Raises:
            BenchwrightError: Another command runs in this workspace, or the program cannot be started.
        """
        with self._alone():
            if (other := self._running_alone()) is not None:
                raise BenchwrightError(f"`{other.kind}` is already running, started by {other.by}; wait until it ends")
            started_at = self._now()
            job_id = f"{started_at:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
            folder = self.folder.of(job_id)
            make_private_folder(folder)
            line = command_line(job, self._workspace, folder.absolute())
            record = JobRecord(job_id, job.kind, by, line[4:], started_at)
            self.folder.write(record)
            self._record("job_started", by, job_id, job=job.kind)
            for name in (OUTPUT, RESULT):
                make_private_file(folder / name)
            try:
                process = self._spawn(line, folder)
            except OSError as error:
                self.folder.write(replace(record, state="failed", ended_at=self._now()))
                raise BenchwrightError(f"the command cannot be started: {error}") from error
            record = replace(record, process=(process.pid, _began(process.pid) or 0))
            self.folder.write(record)
            thread = threading.Thread(target=self._follow, args=(job_id, process), name=f"job {job_id}", daemon=True)
            self._followed[job_id] = thread
            thread.start()
        return record

    def cancel(self, job_id: str, *, by: str) -> None:
        """Interrupt a command as Ctrl+C does; a second call stops the command at once.

        Completed parts of a run stay: the next run continues from there.
        """
        with self._alone():
            record = self.folder.read(job_id)
            if record is None or record.state != "running" or record.process is None or not _is_alive(record.process):
                return
            is_second = record.cancelled_by is not None
            self.folder.write(replace(record, cancelled_by=by))
            self._record("job_cancelled", by, job_id, job=record.kind)
            with suppress(ProcessLookupError):
                if is_second:
                    os.killpg(record.process[0], signal.SIGKILL)
                else:
                    os.kill(record.process[0], signal.SIGINT)

    def wait(self, job_id: str, *, timeout_s: float) -> JobRecord | None:
        """Wait until a job that was started here has ended, and return it."""
        if (thread := self._followed.get(job_id)) is not None:
            thread.join(timeout_s)
        return self.job(job_id)

    def _spawn(self, line: list[str], folder: Path) -> subprocess.Popen[bytes]:
        environment = {name: value for name, value in os.environ.items() if name not in _NOT_FOR_CHILDREN}
        with (folder / RESULT).open("wb") as result, (folder / OUTPUT).open("wb") as output:
            return subprocess.Popen(  # noqa: S603 - one of our commands, as an argument list
                line,
                stdin=subprocess.DEVNULL,
                stdout=result,
                stderr=output,
                cwd=folder,
                env=environment | {"PYTHONUNBUFFERED": "1"},
                start_new_session=True,
            )

    def _follow(self, job_id: str, process: subprocess.Popen[bytes]) -> None:
        exit_code = process.wait()
        with self._alone():
            record = self.folder.read(job_id)
            if record is not None:
                self._end(record, exit_code)
            self._followed.pop(job_id, None)

    def _end(self, record: JobRecord, exit_code: int | None) -> JobRecord:
        has_result = self.folder.result(record.id) is not None
        is_done = exit_code == 0 or (exit_code is None and has_result)
        state: JobState = "done" if is_done else "cancelled" if record.cancelled_by is not None else "failed"
        ended = replace(record, state=state, exit_code=exit_code, ended_at=self._now())
        self.folder.write(ended)
        self._record("job_ended", record.by, record.id, job=record.kind, exit_code=exit_code, state=state)
        return ended

    def _running_alone(self) -> JobRecord | None:
        for job_id in self.folder.ids():
            record = self.folder.read(job_id)
            if record is None or record.state != "running":
                continue
            if job_id in self._followed or _is_alive(record.process):
                return record
            self._end(record, None)
        return None

    def _record(self, act: str, actor: str, job_id: str, **about: object) -> None:
        with self._store.writing() as connection:
            record_act(connection, act, actor=actor, at=self._now(), job_id=job_id, **about)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Lock the jobs of the workspace against other threads and processes."""
        make_private_folder(self.folder.root)
        path = self.folder.root / "lock"
        with self._lock, path.open("w") as handle:
            lock(handle, path)
            yield


def _is_alive(process: tuple[int, int] | None) -> bool:
    """Return whether the process that was started is still running, and its number is not another process's."""
    return process is not None and _began(process[0]) == process[1]


def _began(pid: int) -> int | None:
    """Return a process's start time in kernel ticks; 0 if the kernel does not state it, None if the process is gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except FileNotFoundError:
        if Path("/proc/self/stat").exists():
            return None
        try:
            os.kill(pid, 0)
        except OSError:
            return None
        return 0
    except OSError:
        return None
    values = stat.rpartition(")")[2].split()
    return None if values[0] in {"Z", "X"} else int(values[19])

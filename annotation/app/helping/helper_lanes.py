"""Requests to helpers: each lane has its own process and short queue, so that no helper delays those in other lanes.

Quick helpers, models and remote servers have separate lanes. A newer request of a window replaces its older ones, which
are not computed if they are still waiting. If a helper takes too long, the lane ends its process and starts another for
the next request. Requests never block drawing: callers get a future.
"""

from __future__ import annotations

import json
import logging
import socket
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.regions import NamedHelper, RegionHints
from benchwright.regions.helper import HelperLane

logger = logging.getLogger(__name__)

_MOST_WAITING = 16
"""Maximum number of requests that wait in a lane."""
_MOST_WARMING = 24
"""Maximum number of pictures that wait for preparation in a lane."""
_TIMEOUTS_S: Mapping[HelperLane, float] = {"light": 30.0, "model": 180.0, "remote": 180.0}
_STOP_S = 5.0


class HelperMissing(BenchwrightError):
    """A helper cannot be used on this machine."""


class HelperFailed(BenchwrightError):
    """A helper failed, or returned an invalid answer."""


class HelperRefused(BenchwrightError):
    """A helper cannot work from these hints."""


class HelperBusy(BenchwrightError):
    """Too many requests are waiting."""


class HelperTimeout(BenchwrightError):
    """A helper took too long."""


class Superseded(BenchwrightError):
    """A newer request from the same window replaced this one."""


class HelperAnswer(NamedTuple):
    """A helper's proposal.

    Args:
        regions: Region documents.
        is_refined: Whether this is the helper's exact answer.
    """

    regions: list[dict[str, Any]]
    is_refined: bool


class HelperWork(NamedTuple):
    """A picture, and the task that a helper performs on it.

    Args:
        helper: The helper.
        image_id: SHA-256 of the picture's file.
        size_wh: Size of the upright picture in pixels.
        hints: Hints; None only to prepare the picture.
    """

    helper: NamedHelper
    image_id: str
    size_wh: tuple[int, int]
    hints: RegionHints | None

    def to_json(self, number: int) -> bytes:
        """Return the message to the helper process."""
        hints = None if self.hints is None else self.hints.model_dump(mode="json")
        message = {
            "id": number,
            "helper": self.helper.to_json(),
            "image_id": self.image_id,
            "size_wh": list(self.size_wh),
            "hints": hints,
        }
        return json.dumps(message).encode()


@dataclass
class _Job:
    work: HelperWork
    window: str | None
    future: Future[HelperAnswer] = field(default_factory=Future)


class HelperLanes:
    """The lanes of one workspace. Thread-safe; each process starts when it is first needed.

    Args:
        workspace: Folder of the workspace.
        timeouts_s: Time limit of a request in seconds, by lane.
    """

    def __init__(self, workspace: Path, timeouts_s: Mapping[HelperLane, float] = _TIMEOUTS_S) -> None:
        self._workspace, self._timeouts_s = workspace, timeouts_s
        self._lanes: dict[HelperLane, _Lane] = {}
        self._lock = threading.Lock()

    def ask(self, work: HelperWork, *, window: str) -> Future[HelperAnswer]:
        """Return a future for a helper's proposal.

        The future raises `Superseded`, `HelperMissing`, `HelperFailed`, `HelperRefused` or `HelperTimeout`.

        Args:
            work: The requested work.
            window: Requesting window, with its account; this request supersedes its older ones.

        Raises:
            HelperBusy: Too many requests wait.
        """
        return self._lane(work).put(_Job(work, window))

    def warm(self, work: HelperWork) -> None:
        """Prepare a picture once no other request is waiting, unless many pictures are already waiting."""
        self._lane(work).put_behind(_Job(work._replace(hints=None), None))

    def later(self, work: HelperWork) -> Future[HelperAnswer]:
        """Return a future for a helper's proposal, which is computed once no other request is waiting.

        Raises:
            HelperBusy: Too many pictures are waiting.
        """
        job = _Job(work, None)
        if not self._lane(work).put_behind(job):
            raise HelperBusy("too many pictures are waiting for helpers; ask again later")
        return job.future

    def close(self) -> None:
        """End all processes."""
        with self._lock:
            lanes, self._lanes = list(self._lanes.values()), {}
        for lane in lanes:
            lane.close()

    def _lane(self, work: HelperWork) -> _Lane:
        name = work.helper.settings.lane
        with self._lock:
            if name not in self._lanes:
                self._lanes[name] = _Lane(self._workspace, name, self._timeouts_s[name])
            return self._lanes[name]


class _Lane:
    """One process, the thread that communicates with it, and the requests that wait for it."""

    def __init__(self, workspace: Path, name: str, timeout_s: float) -> None:
        self._workspace, self._timeout_s = workspace, timeout_s
        self._waiting: OrderedDict[int, _Job] = OrderedDict()
        self._behind: OrderedDict[tuple[Any, ...], _Job] = OrderedDict()
        self._running: _Job | None = None
        self._number = 0
        self._is_closed = False
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._changed = threading.Condition()
        threading.Thread(target=self._work, name=f"helpers-{name}", daemon=True).start()

    def put(self, job: _Job) -> Future[HelperAnswer]:
        superseded = []
        with self._changed:
            for number, other in list(self._waiting.items()):
                if other.window == job.window:
                    superseded.append(self._waiting.pop(number))
            if self._running is not None and self._running.window == job.window is not None:
                superseded.append(self._running)  # its computation runs to the end, and its answer is discarded
            is_full = len(self._waiting) >= _MOST_WAITING
            if not is_full:
                self._number += 1
                self._waiting[self._number] = job
                self._changed.notify()
        for other in superseded:
            _fail(other, Superseded("a newer request took its place"))
        if is_full:
            raise HelperBusy("the helpers are busy; continue drawing, or ask again in a moment")
        return job.future

    def put_behind(self, job: _Job) -> bool:
        key = job.work.helper.name, job.work.image_id, job.work.hints
        with self._changed:
            if key in self._behind or len(self._behind) >= _MOST_WARMING:
                return False
            self._behind[key] = job
            self._changed.notify()
        return True

    def close(self) -> None:
        with self._changed:
            self._is_closed = True
            left = [*self._waiting.values(), *self._behind.values()]
            self._waiting.clear()
            self._behind.clear()
            self._changed.notify()
        for job in left:
            _fail(job, HelperFailed("the app is closing"))
        self._end_process()

    def _next(self) -> _Job | None:
        with self._changed:
            self._running = None
            while not (self._waiting or self._behind or self._is_closed):
                self._changed.wait()
            if self._is_closed:
                return None
            queue: OrderedDict[Any, _Job] = self._waiting or self._behind
            _, self._running = queue.popitem(last=False)
            return self._running

    def _work(self) -> None:
        number = 0
        while (job := self._next()) is not None:
            number += 1
            try:
                answer = self._exchange(job.work.to_json(number), number)
            except BenchwrightError as error:
                _fail(job, error)
                continue
            except Exception as error:  # the thread must survive any failure of a request
                logger.exception("asking a helper")
                _fail(job, HelperFailed(f"{type(error).__name__}: {error}"))
                continue
            _settle(job, answer)

    def _exchange(self, message: bytes, number: int) -> dict[str, Any]:
        """Send a message and return the answer; end a process that is silent for too long or has died."""
        connection = self._connected()
        try:
            connection.send_bytes(message)
            deadline = time.monotonic() + self._timeout_s
            if not connection.poll(max(0.0, deadline - time.monotonic())):
                self._end_process()
                raise HelperTimeout(f"the helper took longer than {self._timeout_s:g} s and was stopped")
            answer: dict[str, Any] = json.loads(connection.recv_bytes())
        except (EOFError, OSError, ValueError):
            self._end_process()
            raise HelperFailed("the helper's process ended; it starts again with the next request") from None
        assert answer["id"] == number, "one request at a time"
        return answer

    def _connected(self) -> Connection:
        if self._connection is None:
            ours, theirs = socket.socketpair()
            with theirs:
                module = f"{__package__}.helper_process"
                self._process = subprocess.Popen(  # noqa: S603 - this package's own module
                    [sys.executable, "-m", module, str(self._workspace), str(theirs.fileno())],
                    pass_fds=(theirs.fileno(),),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                )
            self._connection = Connection(ours.detach())
        return self._connection

    def _end_process(self) -> None:
        process, connection = self._process, self._connection
        self._process = self._connection = None
        if process is not None:
            process.kill()
            with suppress(subprocess.TimeoutExpired):
                process.wait(_STOP_S)
        if connection is not None:
            with suppress(OSError):
                connection.close()


def _settle(job: _Job, answer: Mapping[str, Any]) -> None:
    if "refused" in answer:
        _fail(job, HelperRefused(answer["refused"]))
    elif "missing" in answer:
        _fail(job, HelperMissing(answer["missing"]))
    elif "failed" in answer:
        _fail(job, HelperFailed(answer["failed"]))
    elif not job.future.done():
        with suppress(Exception):  # superseded at this moment
            job.future.set_result(HelperAnswer(answer["regions"], answer["refined"]))


def _fail(job: _Job, error: BenchwrightError) -> None:
    if not job.future.done():
        with suppress(Exception):  # answered at this moment
            job.future.set_exception(error)

"""Jobs for the engine's tests; a separate module because workers import it."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from multiprocessing import parent_process
from pathlib import Path
from typing import Any

from benchwright.engines import Attempt
from benchwright.errors import PrerequisiteError


@dataclass(frozen=True)
class Squares:
    """Squares numbers; some of them end the worker as requested."""

    numbers: tuple[int, ...]
    deadly: int | None = None
    die_by: str = "segfault"
    once_in: Path | None = None
    name: str = "squares"

    @property
    def size(self) -> int:
        return len(self.numbers)

    def run(self, worker: Any, attempt: Attempt) -> list[int | str]:
        return [self._one(number, worker, attempt) for number in self.numbers]

    def _one(self, number: int, worker: Any, attempt: Attempt) -> int | str:
        place = (self.name, str(number))
        if place in attempt.blamed:
            return f"blamed: {attempt.blamed[place]}"
        attempt.at(place)
        if number == self.deadly and self._is_time():
            self._die()
        return number * number + worker["add"]

    def _is_time(self) -> bool:
        if self.once_in is None:
            return True
        if self.once_in.exists():
            return False
        self.once_in.touch()
        return True

    def _die(self) -> None:
        if self.die_by == "segfault":
            os.kill(os.getpid(), signal.SIGSEGV)
        elif self.die_by == "exit":
            os._exit(7)
        elif self.die_by == "actor":
            supervisor = parent_process()  # not the system's parent process: that forked this one on its behalf
            assert supervisor is not None
            assert supervisor.pid is not None
            os.kill(supervisor.pid, signal.SIGKILL)
            time.sleep(3600)
        elif self.die_by == "hang":
            time.sleep(3600)
        elif self.die_by == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif self.die_by == "prerequisite":
            raise PrerequisiteError("no weights here; fetch them")
        else:
            raise KeyError(self.die_by)


@dataclass(frozen=True)
class Environment:
    """Returns the values of some variables in the worker."""

    names: tuple[str, ...]
    name: str = "environment"
    size: int = 1

    def run(self, worker: Any, attempt: Attempt) -> list[str | None]:
        return [os.environ.get(name) for name in self.names]


@dataclass(frozen=True)
class RanBetween:
    """Takes a moment, and returns the process that ran it with its start and end."""

    number: int
    name: str = "ran between"
    size: int = 1

    def run(self, worker: Any, attempt: Attempt) -> tuple[int, float, float]:
        started = time.monotonic()
        time.sleep(0.1)
        return os.getpid(), started, time.monotonic()


@dataclass(frozen=True)
class Whereabouts:
    """Returns the GPUs of its worker, and its node."""

    number: int
    name: str = "whereabouts"
    size: int = 1

    def run(self, worker: Any, attempt: Attempt) -> tuple[str | None, str | None]:
        attempt.at((self.name, str(self.number)))
        return os.environ.get("CUDA_VISIBLE_DEVICES"), os.environ.get("TEST_NODE")


@dataclass(frozen=True)
class AtOnce:
    """Ends when as many jobs as given have begun, so that each needs a worker of its own."""

    shard: str
    folder: Path
    count: int
    name: str = "at once"
    size: int = 1

    def run(self, worker: Any, attempt: Attempt) -> None:
        attempt.at((self.name, self.shard))
        (self.folder / self.shard).touch()
        ends = time.monotonic() + 60
        while len(list(self.folder.iterdir())) < self.count and time.monotonic() < ends:
            time.sleep(0.01)


class DiesWhenOpened:
    """A worker context that ends every worker before it does anything."""

    def __setstate__(self, state: Any) -> None:
        os._exit(9)

    def __getstate__(self) -> dict[str, int]:
        return {"x": 1}


class Rested(dict[str, int]):
    """A worker context that shows whether its worker was asked to drop its caches: 100 is added from then on."""

    def drop_caches(self) -> None:
        self["add"] = 100

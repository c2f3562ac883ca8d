"""What an engine runs: jobs, each a picklable piece of work that says which record it is at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

Place = tuple[str, str]
"""(stage id, record id): where a job is at."""


@dataclass(frozen=True)
class Attempt:
    """How a job is to be run this time.

    Args:
        at: Called before each record; keeps the supervisor informed who is to blame if the worker dies.
        singly: Run record by record and journal each, because an earlier attempt died.
        blamed: Records that killed their worker again and again, and how; recorded as failed, not run.
    """

    at: Callable[[Place], None]
    singly: bool = False
    blamed: Mapping[Place, str] = field(default_factory=dict)


class Job(Protocol):
    """A piece of work; pure but for the files it writes, so that running it twice does no harm."""

    @property
    def name(self) -> str:
        """One line for logs, such as `jigsaw shard 0a`."""

    @property
    def size(self) -> int:
        """Records it will look at, about; for progress."""

    def run(self, worker: Any, attempt: Attempt) -> Any:
        """Do the work inside a worker and return something small and picklable."""


class Done(NamedTuple):
    """A finished job."""

    job: Any
    result: Any
    seconds: float
    attempts: int

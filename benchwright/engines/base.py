"""The interfaces of engines and of jobs: picklable pieces of work that report the record in progress."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

from benchwright.engines.usage import NOTHING, WorkCost

if TYPE_CHECKING:
    from benchwright.steps import Resources

Place = tuple[str, str]
"""(stage id, record id) of the record that a job is processing."""


@dataclass(frozen=True)
class Attempt:
    """One attempt to run a job.

    Args:
        at: Function called before each record; it shows the supervisor which record to blame if the worker dies.
        singly: Whether to run record by record and write each to the journal, because the worker of an earlier attempt
            died.
        blamed: Records that killed their worker repeatedly, with the cause; the job records them as failed without
            running them.
    """

    at: Callable[[Place], None]
    singly: bool = False
    blamed: Mapping[Place, str] = field(default_factory=dict)


class Job(Protocol):
    """A piece of work with no side effects except the files it writes, so that it can run twice."""

    @property
    def name(self) -> str:
        """Name for logs, one line, such as `jigsaw shard 0a`."""

    @property
    def size(self) -> int:
        """Approximate number of records, for progress."""

    def run(self, worker: Any, attempt: Attempt) -> Any:
        """Do the work inside a worker and return a small, picklable result."""


class Done(NamedTuple):
    """A finished job.

    Args:
        job: The job.
        result: Return value of its `run`.
        seconds: Duration of its last attempt in seconds.
        attempts: Number of attempts.
        usage: Cost of its last attempt.
        worker: Name of the worker that ran it, which is also its log's.
    """

    job: Any
    result: Any
    seconds: float
    attempts: int
    usage: WorkCost = NOTHING
    worker: str = ""


class Engine(Protocol):
    """A runner of jobs in workers, which it starts on demand and stops at the end of the `with` block.

    Each job yields one result, even if workers die. A record that repeatedly ends its worker is blamed in the job's
    next attempt, and an exception that a job raises is raised in the calling process.
    """

    def __enter__(self) -> Self:
        """Prepare to run jobs."""

    def __exit__(self, *exc: object) -> None:
        """End all workers, even in the middle of a job."""

    def prepare(self) -> None:
        """Begin starting workers in the background."""

    def drop_caches(self) -> None:
        """Make idle workers of this machine drop their caches, to free memory for other work."""

    def run(self, jobs: Iterable[Job], needs: Resources | None = None) -> Iterator[Done]:
        """Run jobs and yield each as it finishes, in no particular order.

        One call ends before the next begins. A call that is not read to its end leaves no job behind.

        Args:
            jobs: Jobs to run; all jobs of one call share the workers.
            needs: Resources of each worker. An engine on one machine divides its processors and memory at its start,
                and considers only the GPU's memory.

        Raises:
            StepError: Workers die before they reach any record, or none can start.
            BenchwrightError: A job raised one, such as a missing model.
        """

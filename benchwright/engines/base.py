"""What an engine is, and what it runs: jobs, each a picklable piece of work that says which record it is at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

if TYPE_CHECKING:
    from benchwright.steps import Resources

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


class Engine(Protocol):
    """Where jobs run: workers that are started as they are needed and ended with the block.

    Whatever happens to workers, each job ends once; a record that ends its worker again and again is blamed in the
    job's next attempt, and what a job raises is raised here.
    """

    def __enter__(self) -> Self:
        """Get ready to run jobs."""

    def __exit__(self, *exc: object) -> None:
        """End all workers, whatever they are at."""

    def prepare(self) -> None:
        """Begin what starting workers takes, while there is other work to do."""

    def drop_caches(self) -> None:
        """Have idle workers of this machine drop what they can make again: other work here needs the memory."""

    def run(self, jobs: Iterable[Job], needs: Resources | None = None) -> Iterator[Done]:
        """Run jobs and yield each as it finishes, in no promised order.

        Args:
            jobs: The work; jobs of one call share their workers.
            needs: What each worker must have. An engine of one machine leaves that to its number of workers.

        Raises:
            StepError: Workers die before they reach any record, or cannot be had.
            BenchwrightError: A job raised one, such as a missing model.
        """

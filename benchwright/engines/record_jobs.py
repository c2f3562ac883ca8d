"""Functions mapped over records on a run's engine (`benchwright.record_map`), a few records per job."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Protocol

from benchwright.record_map import RECORDS_PER_JOB, Kept, LostRecord, Record, RecordMap, Value, map_here, value_of

if TYPE_CHECKING:
    from benchwright.engines.base import Attempt, Done, Job

_AHEAD = 64
"""Number of records per worker that are read before the first value is yielded."""
_MOST_AHEAD = 1024
"""Largest number of records to read ahead."""
_MOST_BYTES = 64 * 1024**2
"""Total size in bytes of records to read ahead, if the caller states sizes; a single record may be larger."""
_MOST_WORKERS = 8
"""Largest number of workers that a command starts by default."""
_LEAST_FOR_WORKERS = 32
"""Number of records that a command's own process maps before it starts workers, which take longer to start."""


@dataclass(frozen=True)
class RecordsJob:
    """A job that calls a function on a few records.

    Args:
        stage: Id of the step's stage.
        what: Name of the work on the records.
        function: The function.
        records: The records, each with its index among all.
    """

    stage: str
    what: str
    function: Callable[[Any], Any]
    records: Sequence[tuple[int, Any]]

    @property
    def name(self) -> str:
        """Return the job's name for logs, one line."""
        return f"{self.stage}: {self.what} from record {self.records[0][0]}"

    @property
    def size(self) -> int:
        """Return 0: the caller reports progress, since a record may be one of several that an item needs."""
        return 0

    def run(self, worker: Any, attempt: Attempt) -> list[Any]:
        """Return the function's value for each record."""
        if worker is not None:
            worker.close_others([])  # models of map stages, which are over
        values: list[Any] = []
        for number, record in self.records:
            place = (f"{self.stage}: {self.what}", str(number))
            if (how := attempt.blamed.get(place)) is not None:
                values.append(LostRecord("worker_died", f"it ended its worker several times ({how})"))
                continue
            attempt.at(place)
            values.append(value_of(self.function, record))
        return values


class MapEvents(Protocol):
    """A writer of a run's events about maps."""

    def mapped(self, stage: str, what: str, *, records: int, kept: int, lost: int) -> None:
        """Report that a function was mapped over records, and how many values were kept and how many records lost."""


class EngineMap:
    """A `RecordMap` that maps on the engine of a run.

    Args:
        stage: Id of the stage whose step maps.
        run_jobs: Function that runs jobs on the engine.
        workers: Largest number of workers.
        events: Writer of the run's events; None if there is no run.
    """

    def __init__(
        self,
        stage: str,
        run_jobs: Callable[[Sequence[Job]], Iterator[Done]],
        *,
        workers: int,
        events: MapEvents | None = None,
    ) -> None:
        self._stage, self._run_jobs, self._events = stage, run_jobs, events
        self._ahead = min(_MOST_AHEAD, workers * _AHEAD)

    def __call__(
        self,
        function: Callable[[Record], Value],
        records: Iterable[Record],
        *,
        what: str,
        kept: Kept[Record] | None = None,
        together: int = RECORDS_PER_JOB,
        size_of: Callable[[Record], int] | None = None,
    ) -> Iterator[Value | LostRecord]:
        """Yield the function's value for each record, in order (`RecordMap`); records with kept values are not sent."""
        coming, first, found, lost = iter(records), 0, 0, 0
        while window := _window(coming, self._ahead, size_of):
            values: list[Any] = [None if kept is None else kept.get(record) for record in window]
            missing = [(place, window[place]) for place, value in enumerate(values) if value is None]
            found += len(window) - len(missing)
            parts = [missing[start : start + together] for start in range(0, len(missing), together)]
            jobs = [
                RecordsJob(self._stage, what, function, [(first + place, record) for place, record in part])
                for part in parts
            ]
            for done in self._run_jobs(jobs):
                for (number, record), value in zip(done.job.records, done.result, strict=True):
                    values[number - first] = value
                    lost += isinstance(value, LostRecord)
                    if kept is not None:
                        kept.put(record, value)
            first += len(window)
            yield from values
        if self._events is not None and first:
            self._events.mapped(self._stage, what, records=first, kept=found, lost=lost)


def _window(coming: Iterator[Record], most: int, size_of: Callable[[Record], int] | None) -> list[Record]:
    """Return the next records, up to a given number and, if their sizes are known, up to `_MOST_BYTES`."""
    if size_of is None:
        return list(islice(coming, most))
    window: list[Record] = []
    held = 0
    for record in islice(coming, most):
        window.append(record)
        held += size_of(record)
        if held >= _MOST_BYTES:
            break
    return window


class _LateMap:
    """A `RecordMap` that maps the first records in this process, and the others with another map.

    Args:
        start: Function that returns the other map, called once.
    """

    def __init__(self, start: Callable[[], RecordMap]) -> None:
        self._start, self._left = cache(start), _LEAST_FOR_WORKERS

    def __call__(
        self, function: Callable[[Record], Value], records: Iterable[Record], **how: Any
    ) -> Iterator[Value | LostRecord]:
        """Yield the function's value for each record, in order (`RecordMap`)."""
        coming = iter(records)
        for value in map_here(function, islice(coming, self._left), **how):
            self._left -= 1
            yield value
        for record in coming:
            yield from self._start()(function, chain([record], coming), **how)


@contextmanager
def map_on_this_machine(name: str, *, workers: int | None = None) -> Iterator[RecordMap]:
    """Yield a `RecordMap` that uses worker processes of this machine, for commands outside a run.

    Workers start once enough records arrive. With a limit of one worker, this process maps.

    Args:
        name: Name of the command, for messages.
        workers: Number of processes, at least 1; by default, as many as processors, up to 8.
    """
    with ExitStack() as opened:

        def start() -> RecordMap:
            from benchwright.engines.local import LocalEngine, processors

            count = workers or min(processors(), _MOST_WORKERS)
            if count == 1:
                return map_here
            logs = Path(opened.enter_context(TemporaryDirectory(prefix="benchwright-")))
            engine = opened.enter_context(LocalEngine(None, workers=count, log_folder=logs))
            return EngineMap(name, engine.run, workers=count)

        yield _LateMap(start)

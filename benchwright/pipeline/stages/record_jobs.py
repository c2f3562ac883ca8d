"""Functions mapped over records on a run's engine (`benchwright.record_map`), a few records a job."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchwright.engines.base import Attempt, Done, Job
from benchwright.pipeline.stages.stage_events import StageEvents
from benchwright.record_map import RECORDS_PER_JOB, Kept, LostRecord, Record, RecordMap, Value, map_here, value_of

_AHEAD = 64
"""Number of records for each worker that are read before the first value is yielded."""
_MOST_AHEAD = 1024
"""Largest number of records that are read ahead, each perhaps with its pictures."""


@dataclass(frozen=True)
class RecordsJob:
    """A job that calls a function on a few records.

    Args:
        stage: Id of the step's stage.
        what: What is done with the records.
        function: The function.
        records: The records, each with its number among all.
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
        """Return 0: whoever maps reports progress, since a record may be one of several that an item needs."""
        return 0

    def run(self, worker: Any, attempt: Attempt) -> list[Any]:
        """Return the value of each record."""
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


class EngineMap:
    """A `RecordMap` that maps on the engine of a run.

    Args:
        stage: Id of the stage whose step maps.
        run_jobs: Function that runs jobs on the engine.
        workers: Number of workers that there may be.
        events: Writer of the run's events; None where no run is.
    """

    def __init__(
        self,
        stage: str,
        run_jobs: Callable[[Sequence[Job]], Iterator[Done]],
        *,
        workers: int,
        events: StageEvents | None = None,
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
    ) -> Iterator[Value | LostRecord]:
        """Yield the function's value of each record, in order (`RecordMap`); those that are kept are not sent."""
        coming, first, found, lost = iter(records), 0, 0, 0
        while window := list(islice(coming, self._ahead)):
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
        if self._events is not None:
            self._events.mapped(self._stage, what, records=first, kept=found, lost=lost)


@contextmanager
def map_on_this_machine(name: str, *, workers: int) -> Iterator[RecordMap]:
    """Yield what maps functions over records in worker processes of this machine, for commands that are no run.

    The workers start when there is something to map; with one worker, this process maps.

    Args:
        name: Name of the command, for messages.
        workers: Number of processes, at least 1.
    """
    if workers == 1:
        yield map_here
        return
    from benchwright.engines import LocalEngine

    with (
        TemporaryDirectory(prefix="benchwright-") as logs,
        LocalEngine(None, workers=workers, log_folder=Path(logs)) as engine,
    ):
        yield EngineMap(name, engine.run, workers=workers)

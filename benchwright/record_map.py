"""Functions mapped over records, in order: the way in which gather steps and final steps process single records.

A run maps on its engine: in worker processes of this machine or of a cluster (`benchwright.engines.record_jobs`). Code
outside a run maps in its own process. Either way, each record has one result, in the order of the records. A record on
which the function fails is recorded as lost, and the work continues.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from benchwright.errors import BenchwrightError, PrerequisiteError, StepError, StorageError
from benchwright.machine.storage_faults import is_of_the_machine, storage_fault
from benchwright.raised import RaisedError

if TYPE_CHECKING:
    from benchwright.workspace.item_cache import ItemCache

logger = logging.getLogger(__name__)

Record = TypeVar("Record")
Value = TypeVar("Value")


RECORDS_PER_JOB = 4
"""Number of records sent to a worker at a time, so that they share the cost of one message between processes."""


class LostRecord(NamedTuple):
    """A placeholder for the value of a record on which the function failed.

    Args:
        reason: `unfit` if the function refused the record, else `out_of_memory`, `worker_died` or `step_error`.
        message: Description of the fault, the same in every run.
    """

    reason: str
    message: str


class Kept(NamedTuple, Generic[Record]):
    """A store that keeps values, as bytes, from one run to the next; values of lost records are not kept.

    Args:
        cache: The cache, which only the calling process opens.
        key: Function that returns kind and key of a record's entry, as `ItemCache.get` takes them: digests of
            everything that the value depends on.
    """

    cache: ItemCache
    key: Callable[[Record], tuple[str, Any]]

    def get(self, record: Record) -> bytes | None:
        """Return the kept value of a record; None if no value is kept."""
        return self.cache.get(*self.key(record))

    def put(self, record: Record, value: Any) -> None:
        """Keep the value of a record unless it is lost."""
        if not isinstance(value, LostRecord):
            self.cache.put(*self.key(record), value)


class RecordMap(Protocol):
    """A callable that maps a function over records, in any process."""

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
        """Yield the function's value for each record, in order, reading ahead a limited number of records.

        Args:
            function: Function of a single record; it, its values and the records must be picklable, and it may be
                called twice for the same record.
            records: The records.
            what: Name of the work, in one or two words, for the run's log.
            kept: Store that keeps values between runs; None if no values are kept.
            together: Number of records sent to a worker at a time; 1 if each takes seconds.
            size_of: Function that returns the size of a record in bytes, for records that contain files; fewer large
                records are read ahead.

        Raises:
            PrerequisiteError: The function lacks something that every record needs.
            StorageError: A disk is full or fails.
        """


def map_here(
    function: Callable[[Record], Value],
    records: Iterable[Record],
    *,
    what: str,
    kept: Kept[Record] | None = None,
    together: int = RECORDS_PER_JOB,
    size_of: Callable[[Record], int] | None = None,
) -> Iterator[Value | LostRecord]:
    """Map a function in this process, one record after another, as a `RecordMap`."""
    del what, together, size_of
    for record in records:
        value: Any = None if kept is None else kept.get(record)
        if value is None:
            value = value_of(function, record)
            if kept is not None:
                kept.put(record, value)
        yield value


def unless_lost(value: Value | LostRecord, what: str) -> Value:
    """Return the value of an indispensable record, which must not be lost.

    Raises:
        StepError: The record is lost; `what` identifies it.
    """
    if isinstance(value, LostRecord):
        raise StepError(f"{what}: {value.message} ({value.reason})")
    return value


def value_of(function: Callable[[Record], Value], record: Record) -> Value | LostRecord:
    """Return the function's value for one record, or its failure; raise faults that the user must fix."""
    from benchwright.models.batching import ran_out_of_memory

    try:
        return function(record)
    except (PrerequisiteError, StorageError):
        raise
    except Exception as error:
        if ran_out_of_memory(error):
            return LostRecord("out_of_memory", "memory ran out")
        if isinstance(error, BenchwrightError):
            return LostRecord("unfit", str(error))
        if is_of_the_machine(error) and (fault := storage_fault(error)) is not None:
            raise fault from error
        # The message may hold addresses or paths, which differ from run to run, so it goes only to the log.
        logger.warning("the function failed on a record", exc_info=error)
        raised = RaisedError.of(error)
        return LostRecord("step_error", f"{raised.kind} ({raised.at})")

"""A function mapped over records, in order: how gather steps and final steps do work that is one record's at a time.

A run maps on its engine: in worker processes of this machine or of a cluster
(`benchwright.engines.record_jobs`). Code that has no run maps in its own process. Either way each record has
one result, in the order of the records, and a record on which the function fails is recorded as lost and ends nothing.
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
"""Number of records that go to a worker at a time; each then costs a fraction of a message between processes."""


class LostRecord(NamedTuple):
    """What stands in place of the value of a record on which the function failed.

    Args:
        reason: `unfit` where the function refused the record, else `out_of_memory`, `worker_died` or `step_error`.
        message: What was wrong, the same in every run.
    """

    reason: str
    message: str


class Kept(NamedTuple, Generic[Record]):
    """Where values, which are bytes then, are kept from one run to the next; lost records are not kept.

    Args:
        cache: The cache, which only the calling process opens.
        key: Function that returns kind and key of a record's entry, as `ItemCache.get` takes them: digests of all that
            the value depends on.
    """

    cache: ItemCache
    key: Callable[[Record], tuple[str, Any]]

    def get(self, record: Record) -> bytes | None:
        """Return the kept value of a record; None where there is none."""
        return self.cache.get(*self.key(record))

    def put(self, record: Record, value: Any) -> None:
        """Keep the value of a record unless it is lost."""
        if not isinstance(value, LostRecord):
            self.cache.put(*self.key(record), value)


class RecordMap(Protocol):
    """A function mapped over records, wherever that happens."""

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
        """Yield the function's value of each record, in order. A bounded number of records is read ahead.

        Args:
            function: Function of one record alone, which can be pickled as its values and the records can; it may be
                called twice for a record.
            records: The records.
            what: What is done with them, in one or two words, for the run's log.
            kept: Where values are kept; nowhere if None.
            together: Number of records that go to a worker at a time; 1 where each takes seconds.
            size_of: Function that returns the size of a record in bytes, for records that hold files: fewer are read
                ahead where they are large.

        Raises:
            PrerequisiteError: The function lacks something that no record can do without.
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
    """Map in this process, one record after the other; a `RecordMap`."""
    del what, together, size_of
    for record in records:
        value: Any = None if kept is None else kept.get(record)
        if value is None:
            value = value_of(function, record)
            if kept is not None:
                kept.put(record, value)
        yield value


def unless_lost(value: Value | LostRecord, what: str) -> Value:
    """Return the value of a record that nothing can do without.

    Raises:
        StepError: The record is lost; `what` says which it is.
    """
    if isinstance(value, LostRecord):
        raise StepError(f"{what}: {value.message} ({value.reason})")
    return value


def value_of(function: Callable[[Record], Value], record: Record) -> Value | LostRecord:
    """Return the function's value of one record, or how it failed; faults that the user must fix are raised."""
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
        logger.warning("a record could not be worked on", exc_info=error)
        raised = RaisedError.of(error)
        return LostRecord("step_error", f"{raised.kind} ({raised.at})")

"""Parquet files that this process reads: releases, and predictions next to scores, possibly written by other programs.

Arrow is not designed for hostile input. This module validates every batch in full before it accesses a value, so that
no offset points outside a column and every text is UTF-8. It refuses a file whose row groups state more than the limit.
It cannot limit a row group that states less than it holds. Therefore a separate process reads untrusted tables
(`arrow_files`) and, for `benchwright release verify`, releases.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from benchwright.errors import DataError
from benchwright.files.bounds import ROW_GROUP_BYTES
from benchwright.machine.storage_faults import is_of_the_machine

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS_AT_ONCE = 1 << 16


class UnreadableParquet(DataError):
    """A file that cannot be read as Parquet.

    Attributes:
        reason: The reason why it cannot be read, without the name of the file.
    """

    def __init__(self, title: str, reason: str) -> None:
        super().__init__(f"{title}: cannot be read as Parquet: {reason}")
        self.reason = reason

    @classmethod
    def of(cls, title: str, error: BaseException) -> Self:
        """Return the error that corresponds to an error from Arrow."""
        if is_of_the_machine(error):
            raise error
        line = (str(error) or type(error).__name__).partition("\n")[0][:300]
        return cls(title, line if line.isprintable() else ascii(line)[1:-1])

    def __reduce__(self) -> tuple[type[UnreadableParquet], tuple[str, str]]:
        return type(self), (str(self).partition(": cannot be read as Parquet: ")[0], self.reason)


class ParquetTable:
    """An open file; use it as a context manager, or close it.

    Args:
        source: Path, or the file open for reading.
        title: Name for messages.
        most_group_bytes: Largest stated size of a row group in bytes; by default `bounds.ROW_GROUP_BYTES`, which an
            environment variable raises.
        values_once: Columns, or parts of them, to return dictionary-encoded, with each value once per row group.

    Raises:
        FileNotFoundError: The file does not exist.
        UnreadableParquet: The file is not Parquet, or a row group states a larger size.
    """

    def __init__(
        self,
        source: Path | BinaryIO,
        *,
        title: str,
        most_group_bytes: int | None = None,
        values_once: Collection[str] = (),
    ) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self.title = title
        self._faults = (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError)
        try:
            # With `pre_buffer`, memory would hold the whole file.
            self._file = pq.ParquetFile(source, pre_buffer=False, read_dictionary=list(values_once))
            self.schema: pa.Schema = self._file.schema_arrow
        except FileNotFoundError:
            raise
        except self._faults as error:
            raise UnreadableParquet.of(title, error) from error
        try:
            self._most_bytes = self._check_groups(most_group_bytes)
        except UnreadableParquet:
            self.close()
            raise

    def _check_groups(self, most: int | None) -> int:
        """Check that no row group states more than the limit, and return the limit in bytes."""
        limit = ROW_GROUP_BYTES.most() if most is None else most
        for number in range(self.groups):
            # Read no other metadata: PyArrow crashes the process if a hostile file has a column without
            # metadata, or an unknown codec (`RowGroupMetaData.column`, `ColumnChunkMetaData.compression`).
            size = self._file.metadata.row_group(number).total_byte_size
            if not 0 <= size <= limit:
                more = f"write it with smaller row groups, {ROW_GROUP_BYTES.or_raise()}" if most is None else ""
                raise UnreadableParquet(
                    self.title,
                    f"row group {number} states {size:,} bytes; the limit is {limit:,}{more and '; '}{more}",
                )
        return limit

    def _spans(self, numbers: Iterable[int], most: int) -> Iterator[list[int]]:
        """Yield lists of row groups to decode together, whose total stated size is within the limit for one group."""
        span, size = list[int](), 0
        for number in numbers:
            stated = self._file.metadata.row_group(number).total_byte_size
            if span and (len(span) == most or size + stated > self._most_bytes):
                yield span
                span, size = [], 0
            span.append(number)
            size += stated
        if span:
            yield span

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    @property
    def groups(self) -> int:
        """The number of row groups."""
        return int(self._file.num_row_groups)

    def batches(
        self,
        columns: Sequence[str] | None = None,
        *,
        groups: Sequence[int] | None = None,
        at_once: int = _ROWS_AT_ONCE,
        groups_at_once: int = 1,
    ) -> Iterator[pa.RecordBatch]:
        """Yield validated rows, from all or only some columns and row groups.

        Args:
            columns: Names of columns, or of parts of them (`attempts.list.element.state`).
            groups: Indices of row groups.
            at_once: Largest number of rows in a batch.
            groups_at_once: Largest number of row groups in a batch, if together they state no more bytes than one may.
                More than one saves time for columns of a few bytes per row.

        Raises:
            UnreadableParquet: The rows are unreadable or invalid.
        """
        names = None if columns is None else list(columns)
        try:
            numbers = range(self.groups) if groups is None else groups
            for read in self._spans(numbers, groups_at_once):
                for batch in self._file.iter_batches(at_once, row_groups=read, columns=names, use_threads=False):
                    batch.validate(full=True)
                    yield batch
        except self._faults as error:
            raise UnreadableParquet.of(self.title, error) from error

    def table(self, columns: Sequence[str] | None = None, *, groups: Sequence[int] | None = None) -> pa.Table:
        """Return all validated rows at once; the arguments and errors are those of `batches`."""
        names = None if columns is None else list(columns)
        try:
            numbers = range(self.groups) if groups is None else groups
            table = self._file.read_row_groups(list(numbers), columns=names, use_threads=False)
            table.validate(full=True)
        except self._faults as error:
            raise UnreadableParquet.of(self.title, error) from error
        return table

    def having(
        self,
        column: str,
        values: Collection[str],
        columns: Sequence[str] | None = None,
        *,
        groups: Sequence[int] | None = None,
        at_once: int = _ROWS_AT_ONCE,
    ) -> Iterator[pa.RecordBatch]:
        """Yield the rows that have one of the given texts in a column, reading only row groups that contain one.

        Args:
            column: Name of a column of texts.
            values: The texts.
            columns: Names of the columns to yield; all by default.
            groups: Indices of the row groups to search; all by default.
            at_once: Largest number of rows to decode at a time.

        Raises:
            UnreadableParquet: The rows are unreadable or invalid.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        from benchwright.workspace.arrow_arrays import arrow_array

        wanted = arrow_array(sorted(values), pa.string())
        read = None if columns is None else [*dict.fromkeys([*columns, column])]
        for group in range(self.groups) if groups is None else groups:
            held = self.table([column], groups=[group]).column(column)
            if not pc.any(pc.is_in(held, wanted), min_count=0).as_py():
                continue
            for batch in self.batches(read, groups=[group], at_once=at_once):
                rows = batch.filter(pc.is_in(batch.column(column), wanted))
                yield rows if columns is None else rows.select(list(columns))


def rows_of_item(path: Path, item_id: str, columns: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
    """Yield the rows of an item in a file of a release or of predictions.

    Args:
        path: The file.
        item_id: Id of the item.
        columns: Names of columns; columns missing in the file are ignored. Default all.

    Raises:
        UnreadableParquet: The file is unreadable or invalid.
    """
    with ParquetTable(path, title=str(path)) as table:
        read = None if columns is None else [name for name in columns if name in table.schema.names]
        for batch in table.having("item_id", [item_id], read):
            yield from batch.to_pylist()

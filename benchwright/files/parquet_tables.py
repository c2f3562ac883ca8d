"""Parquet files that this process reads: releases, and predictions beside scores, which others may have written.

Arrow is not made for hostile input. Every batch is validated in full before a value of it is looked at, so that no
offset leads out of a column and every text is UTF-8, and a file whose row groups state more than is read is refused.
What this cannot do is bound what a row group unfolds to that states less than it holds: tables of strangers are read
by a process of its own (`arrow_files`), and so are releases by `benchwright release verify`.
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
        reason: Why, without the name of the file.
    """

    def __init__(self, title: str, reason: str) -> None:
        super().__init__(f"{title}: cannot be read as Parquet: {reason}")
        self.reason = reason

    @classmethod
    def of(cls, title: str, error: BaseException) -> Self:
        """Return it for an error of Arrow."""
        if is_of_the_machine(error):
            raise error
        line = (str(error) or type(error).__name__).partition("\n")[0][:300]
        return cls(title, line if line.isprintable() else ascii(line)[1:-1])

    def __reduce__(self) -> tuple[type[UnreadableParquet], tuple[str, str]]:
        return type(self), (str(self).partition(": cannot be read as Parquet: ")[0], self.reason)


class ParquetTable:
    """An open file; use it as a context manager, or close it.

    Args:
        source: Path, or the file opened for reading.
        title: Name for messages.
        most_group_bytes: Most bytes that a row group may state; by default `bounds.ROW_GROUP_BYTES`, which a variable
            raises.
        values_once: Columns, or parts of them, that come as dictionaries: each value once a row group, however many
            rows have it.

    Raises:
        FileNotFoundError: There is no such file.
        UnreadableParquet: It is no Parquet file, or a row group states more.
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
            # With `pre_buffer`, the whole file would be held in memory.
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
        """Return the most bytes that a row group may state, having checked that each states no more."""
        limit = ROW_GROUP_BYTES.most() if most is None else most
        for number in range(self.groups):
            # No other metadata is read: PyArrow crashes the process where a hostile file has a column without
            # metadata, or an unknown codec (`RowGroupMetaData.column`, `ColumnChunkMetaData.compression`).
            size = self._file.metadata.row_group(number).total_byte_size
            if not 0 <= size <= limit:
                more = f"write it with smaller row groups, {ROW_GROUP_BYTES.or_raise()}" if most is None else ""
                raise UnreadableParquet(
                    self.title,
                    f"row group {number} states {size:,} bytes, and at most {limit:,} are read{more and '; '}{more}",
                )
        return limit

    def _spans(self, numbers: Iterable[int], most: int) -> Iterator[list[int]]:
        """Yield row groups to decode together: some, which state no more bytes than one may."""
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
        """Number of row groups."""
        return int(self._file.num_row_groups)

    def batches(
        self,
        columns: Sequence[str] | None = None,
        *,
        groups: Sequence[int] | None = None,
        at_once: int = _ROWS_AT_ONCE,
        groups_at_once: int = 1,
    ) -> Iterator[pa.RecordBatch]:
        """Yield validated rows of all columns or some, of all row groups or some.

        Args:
            columns: Names of columns, or of parts of them (`attempts.list.element.state`).
            groups: Numbers of row groups.
            at_once: Most rows of a batch.
            groups_at_once: Most row groups that a batch spans, where together they state no more bytes than one may:
                more than one for columns of a few bytes a row, which cost less so.

        Raises:
            UnreadableParquet: They cannot be read, or are not valid.
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
        """Return validated rows at once; arguments and errors as of `batches`."""
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
        """Yield the rows that have one of some texts in a column; only row groups that hold one are read.

        Args:
            column: Name of a column of texts.
            values: The texts.
            columns: Names of the columns to yield; all by default.
            groups: Numbers of the only row groups to look at; all by default.
            at_once: Most rows that are decoded at a time.

        Raises:
            UnreadableParquet: They cannot be read, or are not valid.
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
        columns: Names of columns; those that the file does not have are left out. Default all.

    Raises:
        UnreadableParquet: The file cannot be read, or is not valid.
    """
    with ParquetTable(path, title=str(path)) as table:
        read = None if columns is None else [name for name in columns if name in table.schema.names]
        for batch in table.having("item_id", [item_id], read):
            yield from batch.to_pylist()

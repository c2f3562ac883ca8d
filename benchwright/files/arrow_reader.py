"""The program that reads untrusted Parquet and Arrow files in a separate process, started by `arrow_files`.

Arrow is written in C++ and not designed for hostile input: a crafted file can end the process that reads it, state
offsets outside its columns, or expand from 2 kB to gigabytes. This program validates every batch before it accesses a
value, has a memory limit from the system, and sends a row only if its size is known to be small.

Requests come as lines of JSON on standard input: `{"open": path}`, then `{"columns": [...], "extra": [...]}`, then any
number of `{}` for the next rows. The answer to each is a line of JSON on standard output, which the bytes of an Arrow
stream may follow.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchwright.files.bounds import MIB, READER_BYTES, ROW_BYTES, ROW_VALUES

_MEMORY_BYTES, _MAX_ROW_BYTES, _MAX_ROW_VALUES = READER_BYTES.most(), ROW_BYTES.most(), ROW_VALUES.most()
_MAX_EXTRA_BYTES, _MAX_EXTRA_VALUES = 16_000, 4_000
"""Largest numbers of bytes and values of a row in an unused column; longer values are omitted."""
_TOO_MUCH = f"it would take more than {_MEMORY_BYTES / MIB:g} MiB of memory; {READER_BYTES.or_raise()[3:]}"
_FEWEST_AT_ONCE, _MOST_AT_ONCE = 16, 1024
_BYTES_AT_ONCE, _VALUES_AT_ONCE = 8 << 20, 200_000
"""Largest numbers of bytes and values of rows sent together."""


class _Size(NamedTuple):
    """The number of values and of bytes that an array has as Python objects."""

    values: int
    bytes: int

    def is_within(self, values: int, most_bytes: int) -> bool:
        return self.values <= values and self.bytes <= most_bytes


class _Rows(NamedTuple):
    """Rows to send; `first` is the number of the first row, counted from 1."""

    first: int
    batch: pa.RecordBatch


class _Bad(NamedTuple):
    """A row or column that is not sent, and the reason."""

    first: int
    entry: str
    detail: str


class _TooLarge(Exception):
    """Rows that exceed the limit for a single row."""


def _kind_of(kind: pa.DataType) -> str:
    """Return whether a column contains plain values, lists of them, bytes, or others (`nested`)."""
    if isinstance(kind, pa.BaseExtensionType):
        return _kind_of(kind.storage_type)
    if pa.types.is_dictionary(kind):
        return _kind_of(kind.value_type)
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return "bytes"
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return "list" if _kind_of(kind.value_type) == "plain" else "nested"
    return "nested" if pa.types.is_nested(kind) else "plain"


def _size(array: pa.Array) -> _Size:
    """Return the size that a valid array has as Python objects, without creating those objects.

    Raises:
        ArrowInvalid: The array's type is not supported.
    """
    kind = array.type
    if pa.types.is_dictionary(kind):
        return _size_of_references(array)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        inner = _size(array.flatten())
        return _Size(len(array) + inner.values, array.nbytes + inner.bytes)
    if pa.types.is_map(kind):
        return _size(array.cast(pa.list_(pa.struct([("key", kind.key_type), ("value", kind.item_type)]))))
    if pa.types.is_struct(kind):
        parts = [_size(part) for part in array.flatten()]
        return _Size(len(array) + sum(p.values for p in parts), array.nbytes + sum(p.bytes for p in parts))
    if pa.types.is_nested(kind) or pa.types.is_run_end_encoded(kind):
        raise pa.ArrowInvalid(f"the type {str(kind)[:80]} is not supported")
    return _Size(len(array), array.nbytes)


def _size_of_references(array: pa.DictionaryArray) -> _Size:
    """Return the size of a dictionary array, whose values may each occur many times.

    Raises:
        ArrowInvalid: A reference points outside the dictionary.
    """
    places = array.indices.drop_null()
    if len(places) == 0:
        return _Size(len(array), 0)
    ends = pc.min_max(places)
    if ends["min"].as_py() < 0 or ends["max"].as_py() >= len(array.dictionary):
        raise pa.ArrowInvalid(f"it refers to a value beyond its {len(array.dictionary):,}")
    values = Counter(places.to_pylist() if len(places) <= _MAX_ROW_VALUES else [])
    sizes = [(_size(array.dictionary.slice(place, 1)), times) for place, times in values.items()]
    listed = sum(size.values * times for size, times in sizes), sum(size.bytes * times for size, times in sizes)
    return _Size(max(len(array), listed[0]), listed[1])


class _Table:
    """An open Parquet or Arrow file.

    Args:
        path: Path of the file; `.parquet`, or else an Arrow stream or file.
        stack: Owner of the opened resources.
    """

    def __init__(self, path: str, stack: ExitStack) -> None:
        self._parquet: pq.ParquetFile | None = None
        self._batches: Iterator[pa.RecordBatch] = iter(())
        if path.lower().endswith(".parquet"):
            # Read columns in pieces: by default Arrow reads ahead and keeps the data.
            self._parquet = stack.enter_context(pq.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20))
            self._schema: pa.Schema = self._parquet.schema_arrow
            return
        source = stack.enter_context(pa.memory_map(path))
        if source.read(6) == b"ARROW1":
            file = stack.enter_context(pa.ipc.open_file(source))
            self._batches = (file.get_batch(number) for number in range(file.num_record_batches))
            self._schema = file.schema
        else:
            source.seek(0)
            stream = stack.enter_context(pa.ipc.open_stream(source))
            self._batches, self._schema = iter(stream), stream.schema

    def columns(self) -> list[list[str]]:
        """Return the name and kind of each column."""
        return [[field.name, _kind_of(field.type)] for field in self._schema]

    def rows(self, columns: Sequence[str], extra: Sequence[str]) -> Iterator[_Rows | _Bad]:
        """Yield validated rows in batches, and the problems of the other rows.

        Args:
            columns: Columns to read whole.
            extra: Columns to read without long values.
        """
        names = [name for name in self._schema.names if name in {*columns, *extra}]
        number = 1
        for piece in self._of_stream(names) if self._parquet is None else self._of_parquet(names, set(extra)):
            if isinstance(piece, _Bad):
                yield piece
                continue
            yield from _sound_rows(piece, number, frozenset(extra))
            number += piece.num_rows

    def _of_stream(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        for batch in self._batches:
            wanted = batch.select(names)
            for name, column in zip(names, wanted.columns, strict=True):
                if isinstance(column, pa.DictionaryArray):
                    _validate(name, column.dictionary)
            at_once = _rows_at_once(wanted.get_total_buffer_size(), wanted.num_rows)
            for start in range(0, wanted.num_rows, at_once):
                yield wanted.slice(start, at_once)

    def _of_parquet(self, names: list[str], extra: set[str]) -> Iterator[pa.RecordBatch | _Bad]:
        assert self._parquet is not None, "a Parquet file"
        for group in range(self._parquet.num_row_groups):
            stated = self._parquet.metadata.row_group(group)
            done, at_once, is_read = 0, _rows_at_once(stated.total_byte_size, stated.num_rows), False
            while not is_read:
                try:
                    for batch in self._group(group, names, done, at_once):
                        yield batch
                        done += batch.num_rows
                    is_read = True
                except MemoryError:
                    heavy = {name for name in names if self._is_heavy(group, name, done)}
                    if at_once == 1 and not heavy & extra:
                        named = " and ".join(map(repr, sorted(heavy))) or "all columns together"
                        raise pa.ArrowInvalid(
                            f"row {done + 1} of row group {group + 1}: {named} would take more than "
                            f"{_MEMORY_BYTES / MIB:g} MiB of memory; leave it out, write the file with smaller pages, "
                            f"{READER_BYTES.or_raise()}"
                        ) from None
                    for name in sorted(heavy & extra):
                        yield _Bad(0, f"column {name!r}", _TOO_MUCH)
                    names = [name for name in names if name not in heavy & extra]
                    at_once = (
                        1 if at_once <= _FEWEST_AT_ONCE else _FEWEST_AT_ONCE
                    )  # photographs too large together may be readable one by one

    def _group(self, group: int, names: list[str], done: int, at_once: int) -> Iterator[pa.RecordBatch]:
        """Yield the rest of a row group's rows."""
        assert self._parquet is not None, "a Parquet file"
        skipped = 0
        for batch in self._parquet.iter_batches(at_once, row_groups=[group], columns=names, use_threads=False):
            left = max(0, done - skipped)
            skipped += batch.num_rows
            if left < batch.num_rows:
                yield batch.slice(left)

    def _is_heavy(self, group: int, name: str, done: int) -> bool:
        """Return whether a single column takes too much memory in the next row."""
        try:
            next(self._group(group, [name], done, 1), None)
        except MemoryError:
            return True
        return False


def _check(column: pa.Array) -> None:
    """Validate only the given rows, so that a damaged row is distinguished from its neighbors.

    Raises:
        ArrowInvalid: Offsets or texts are invalid.
    """
    kind = column.type
    if len(column) == 1 and (pa.types.is_list(kind) or pa.types.is_large_list(kind)):
        column.validate()
        _check(column.flatten())
    elif len(column) == 1 and pa.types.is_struct(kind):
        column.validate()
        for part in column.flatten():
            _check(part)
    else:
        column.validate(full=True)


def _rows_at_once(stated_bytes: int, rows: int) -> int:
    """Return how many rows to read at a time: few with photographs, many with text; stated sizes may be wrong."""
    return max(_FEWEST_AT_ONCE, min(_MOST_AT_ONCE, _BYTES_AT_ONCE * rows // max(1, stated_bytes)))


def _validate(name: str, array: pa.Array) -> None:
    try:
        array.validate(full=True)
    except pa.ArrowInvalid as error:
        raise pa.ArrowInvalid(f"column {name!r} is damaged: {_first_line(error)}") from None


def _sound_rows(batch: pa.RecordBatch, first: int, extra: frozenset[str]) -> Iterator[_Rows | _Bad]:
    """Yield valid rows within the limit, all at once if possible, and the problems of the other rows."""
    try:
        yield _Rows(first, _sound(batch, extra))
    except (pa.ArrowInvalid, _TooLarge) as error:
        if batch.num_rows == 1:
            yield _Bad(first, f"row {first}", _first_line(error))
            return
        half = batch.num_rows // 2
        yield from _sound_rows(batch.slice(0, half), first, extra)
        yield from _sound_rows(batch.slice(half), first + half, extra)


def _sound(batch: pa.RecordBatch, extra: frozenset[str]) -> pa.RecordBatch:
    """Return rows as plain arrays, after checking that they are valid and within the limit for a single row in total.

    Raises:
        ArrowInvalid: Offsets, texts or references of a column are invalid.
        _TooLarge: The rows exceed the limit.
    """
    columns: list[pa.Array] = []
    most = (_MAX_ROW_VALUES, _MAX_ROW_BYTES) if batch.num_rows == 1 else (_VALUES_AT_ONCE, _BYTES_AT_ONCE)
    values, total = 0, 0
    for name, stated in zip(batch.schema.names, batch.columns, strict=True):
        column: Any = stated.storage if isinstance(stated, pa.ExtensionArray) else stated
        try:
            # The dictionary was validated on reading: it may be long, and rows are few.
            _check(column.indices if isinstance(column, pa.DictionaryArray) else column)
            size = _size(column)
        except pa.ArrowInvalid as error:
            raise pa.ArrowInvalid(f"column {name!r} is damaged: {_first_line(error)}") from None
        if name in extra and not size.is_within(_MAX_EXTRA_VALUES * len(column), _MAX_EXTRA_BYTES * len(column)):
            column = _shortened(column)
            size = _size(column)
        values, total = values + size.values, total + size.bytes
        if not _Size(values, total).is_within(*most):
            bound = ROW_VALUES if values > _MAX_ROW_VALUES else ROW_BYTES
            raise _TooLarge(
                f"up to column {name!r} it has {values:,} values in {total:,} bytes; the limit of a row is "
                f"{_MAX_ROW_VALUES:,} in {_MAX_ROW_BYTES / MIB:g} MiB; leave the column out, split the row, "
                f"{bound.or_raise()}"
            )
        if isinstance(column, pa.DictionaryArray):
            column = column.dictionary_decode()
            column.validate(full=True)
        columns.append(column)
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _shortened(column: pa.Array) -> pa.Array:
    """Return an unused column, with values that are too long for a label removed."""
    most = _MAX_EXTRA_VALUES, _MAX_EXTRA_BYTES
    rows = [column.slice(place, 1) for place in range(len(column))]
    return pa.concat_arrays([row if _size(row).is_within(*most) else pa.nulls(1, column.type) for row in rows])


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0][:300]


def _sent(rows: _Rows) -> tuple[dict[str, Any], bytes]:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.batch.schema) as writer:
        writer.write_batch(rows.batch)
    data = sink.getvalue().to_pybytes()
    return {"first": rows.first, "bytes": len(data)}, data


def _answers(requests: Iterator[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], bytes]]:
    """Yield the answer to each request, one file after another."""
    stack = ExitStack()
    rows: Iterator[_Rows | _Bad] = iter(())
    for request in requests:
        try:
            if "open" in request:
                stack.close()
                table = _Table(request["open"], stack)
                yield {"columns": table.columns()}, b""
            elif "columns" in request:
                rows = table.rows(request["columns"], request["extra"])
                yield {}, b""
            else:
                piece = next(rows, None)
                if piece is None:
                    yield {"end": True}, b""
                elif isinstance(piece, _Bad):
                    yield {"entry": piece.entry, "detail": piece.detail}, b""
                else:
                    yield _sent(piece)
        except MemoryError:
            yield {"error": _TOO_MUCH}, b""
        except (pa.ArrowException, OSError, ValueError, KeyError, IndexError, OverflowError) as error:
            yield {"error": _first_line(error)}, b""


def _limit_memory() -> None:
    """Limit the memory of this process from now on, if the system supports it (Linux)."""
    with open("/proc/self/status") as status:
        [used] = [int(line.split()[1]) << 10 for line in status if line.startswith("VmData:")]
    resource.setrlimit(resource.RLIMIT_DATA, (used + _MEMORY_BYTES, used + _MEMORY_BYTES))


def main() -> None:
    """Answer requests until there are none left."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the requesting process handles the interrupt and then stops asking
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        _limit_memory()
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    for head, data in _answers(json.loads(line) for line in iter(source.readline, b"")):
        sink.write(json.dumps(head).encode() + b"\n" + data)
        sink.flush()


if __name__ == "__main__":
    main()

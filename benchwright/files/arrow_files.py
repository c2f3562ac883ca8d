"""Rows of untrusted Parquet and Arrow files, read by a separate process (`arrow_reader`).

Whatever such a file does to the library that reads it, this process receives only validated rows of bounded size, or
one line with the error.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import benchwright
from benchwright.errors import DataError
from benchwright.files.bounded_json import plain_value
from benchwright.files.bounds import bounds_in_force

if TYPE_CHECKING:
    import pyarrow as pa

_PROGRAM = "benchwright.files.arrow_reader"
Kind = Literal["plain", "list", "bytes", "nested"]


class ArrowColumn(NamedTuple):
    """A column of a file.

    Args:
        name: Name of the column.
        kind: Kind of its cells: plain values, lists of plain values, bytes, or others.
    """

    name: str
    kind: Kind


class ChosenColumns(NamedTuple):
    """Columns to read from a file; the reader skips all others.

    Args:
        columns: Names of columns to read whole.
        extra: Names of columns to read without long values (some thousand characters).
    """

    columns: Sequence[str]
    extra: Sequence[str] = ()


class ArrowRow(NamedTuple):
    """A row: its number, counted from 1, and its values by column."""

    number: int
    values: dict[str, Any]


class UnreadPart(NamedTuple):
    """A part of a file that could not be read: its name, such as `row 3`, and the problem."""

    entry: str
    detail: str


def arrow_rows(
    path: Path, choose: Callable[[Sequence[ArrowColumn]], ChosenColumns], *, title: str | None = None
) -> Iterator[ArrowRow | UnreadPart]:
    """Yield the rows of a Parquet file (`.parquet`) or of an Arrow stream or file (any other), and unread parts.

    A row has at most `bounds.ROW_BYTES` bytes and `bounds.ROW_VALUES` values. Memory does not grow with the
    file.

    Args:
        path: The file.
        choose: Function that returns the columns to read.
        title: Name of the file for messages; its path by default.

    Raises:
        DataError: The file is unreadable from the start. After a later failure, the rest is one `UnreadPart`.
    """
    import pyarrow as pa

    last = 0
    try:
        with _reader() as reader:
            columns = [ArrowColumn(name, kind) for name, kind in reader.ask({"open": str(path)})[0]["columns"]]
            reader.ask({"columns": list((chosen := choose(columns)).columns), "extra": list(chosen.extra)})
            while "end" not in (answer := reader.ask({}))[0]:
                head, data = answer
                if "entry" in head:
                    yield UnreadPart(head["entry"], head["detail"])
                    continue
                with pa.ipc.open_stream(pa.py_buffer(data)) as stream:
                    values = _values(stream.read_all())
                for number, row in enumerate(values, start=head["first"]):
                    yield ArrowRow(number, row)
                    last = number
    except _Unreadable as error:
        if last == 0:
            raise DataError(f"{title or path} cannot be read ({error}); fetch it again") from None
        yield UnreadPart(f"after row {last}", f"the rest cannot be read ({error}); fetch the file again")


def _values(rows: pa.Table) -> list[dict[str, Any]]:
    """Return rows as mappings; numeric columns with missing values contain NaN, and their whole numbers are floats."""
    import pyarrow as pa

    values: list[dict[str, Any]] = rows.to_pylist()
    kinds = {field.name: field.type for field in rows.schema}
    with_floats = [name for name, kind in kinds.items() if pa.types.is_floating(kind) or pa.types.is_nested(kind)]
    for row in values if with_floats else ():
        for name in with_floats:
            row[name] = plain_value(row[name])
    return values


class _Unreadable(Exception):
    """A file that cannot be read, or that ended its reader process."""


class _Reader:
    """A process that reads files one after another."""

    def __init__(self) -> None:
        package = os.path.dirname(os.path.dirname(os.path.abspath(benchwright.__file__)))
        paths = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
        self.owner, self.bounds = os.getpid(), bounds_in_force()
        self._process = subprocess.Popen(  # noqa: S603 - this Python interpreter and a module of this package
            [sys.executable, "-m", _PROGRAM],
            # Arrow's default allocators reserve memory in pieces too large for any system limit.
            env={**os.environ, "PYTHONPATH": paths, "PYTHONSAFEPATH": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def ask(self, request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        """Return the answer to a request, and the bytes that follow it.

        Raises:
            _Unreadable: The file cannot be read, or ended the process.
        """
        assert self._process.stdin is not None, "a pipe"
        assert self._process.stdout is not None, "a pipe"
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
            head = cast(dict[str, Any], json.loads(self._process.stdout.readline()))
            data = self._process.stdout.read(size := head.get("bytes", 0))
            if len(data) < size:
                raise ValueError("cut")
        except (OSError, ValueError):
            code = self._process.wait()
            how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            raise _Unreadable(f"{how} ended the reading process: the file is damaged or hostile") from None
        if "error" in head:
            raise _Unreadable(head["error"])
        return head, data

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None, "a pipe"
            try:
                pipe.close()
            except OSError:  # the last request does not reach it
                continue


_idle: list[_Reader] = []
"""At most one idle process, for the next file: starting one takes as long as reading thousands of rows."""
_lock = threading.Lock()


@contextmanager
def _reader() -> Iterator[_Reader]:
    """Yield a process for one file; it is kept for the next file if the block ends without an error."""
    with _lock:
        is_fit = bool(_idle) and _idle[0].owner == os.getpid() and _idle[0].bounds == bounds_in_force()
        reader = _idle.pop() if is_fit else _Reader()
    is_kept = False
    try:
        yield reader
        is_kept = True
    except GeneratorExit:
        is_kept = True  # the first rows were enough
        raise
    finally:
        with _lock:
            is_kept = is_kept and not _idle
            if is_kept:
                _idle.append(reader)
        if not is_kept:
            reader.close()


@atexit.register
def _close() -> None:
    with _lock:
        while _idle:
            if (reader := _idle.pop()).owner == os.getpid():
                reader.close()

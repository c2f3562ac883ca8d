"""Untrusted Parquet and Arrow files: valid ones are read, each invalid one is one outcome, and memory is bounded.

Hostile files are made by changing a few bytes of valid ones.
"""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchwright.errors import DataError
from benchwright.files import arrow_files, arrow_reader
from benchwright.files.arrow_files import ArrowColumn, ArrowRow, ChosenColumns, UnreadPart, arrow_rows

WORDS = [f"w{number:03d}" for number in range(40)]
SOUND = {"question": WORDS, "answer": ["A"] * 40}


def written(path: Path, columns: dict[str, Any], *, as_file: bool = False) -> Path:
    """Write a table as Parquet, or as a stream or file of Arrow."""
    table = pa.table(columns)
    if path.suffix == ".parquet":
        pq.write_table(table, path, compression="zstd", dictionary_pagesize_limit=1 << 30)
        return path
    new = pa.ipc.new_file if as_file else pa.ipc.new_stream
    with path.open("wb") as handle, new(handle, table.schema) as writer:
        writer.write_table(table)
    return path


def with_offset(path: Path, number: int, offset: int) -> Path:
    """Change where a word of `WORDS` ends."""
    offsets = [4 * place for place in range(len(WORDS) + 1)]
    before = struct.pack(f"<{len(offsets)}i", *offsets)
    assert before in path.read_bytes()
    offsets[number] = offset
    path.write_bytes(path.read_bytes().replace(before, struct.pack(f"<{len(offsets)}i", *offsets)))
    return path


def beyond() -> pa.DictionaryArray:
    """Return references to a list of one word, of which every second one leads out of it."""
    return pa.DictionaryArray.from_arrays(pa.array([0, 7] * 20, pa.int32()), pa.array(["a"]), safe=False)


def read(path: Path, *, extra: Sequence[str] = ()) -> tuple[list[ArrowRow], list[UnreadPart]]:
    """Return the rows of a file, and what is not read; columns named `extra` are taken by no field."""

    def choose(columns: Sequence[ArrowColumn]) -> ChosenColumns:
        return ChosenColumns([column.name for column in columns if column.name not in extra], extra)

    parts = list(arrow_rows(path, choose))
    return [p for p in parts if isinstance(p, ArrowRow)], [p for p in parts if isinstance(p, UnreadPart)]


@pytest.mark.parametrize("name", ["q.parquet", "q.arrow", "file.arrow"])
def test_rows_are_read_as_they_were_written(tmp_path: Path, name: str) -> None:
    columns = {
        "question": WORDS,
        "options": [["a", None], [], None, ["b"]] * 10,
        "image": [{"bytes": b"x", "path": None}] * 40,
        "kind": pa.array(["open", None, "yes", "no"] * 10).dictionary_encode(),
        "pairs": pa.array([[("a", 1)]] * 40, pa.map_(pa.string(), pa.int8())),
    }
    rows, unread = read(written(tmp_path / name, columns, as_file=name.startswith("file")))
    assert [row.values for row in rows] == pa.table(columns).to_pylist()
    assert ([row.number for row in rows], unread) == (list(range(1, 41)), [])


@pytest.mark.parametrize("offset", [200, 1 << 30, -4], ids=["in the next column", "outside of memory", "before it"])
def test_a_row_that_reaches_out_of_its_column_is_one_outcome(tmp_path: Path, offset: int) -> None:
    rows, unread = read(with_offset(written(tmp_path / "q.arrow", SOUND), 40, offset))
    assert [row.values["question"] for row in rows] == WORDS[:39]
    assert [(part.entry, "column 'question'" in part.detail) for part in unread] == [("row 40", True)]


@pytest.mark.parametrize("is_list", [False, True], ids=["column", "list"])
def test_a_reference_beyond_a_dictionary_is_one_outcome(tmp_path: Path, is_list: bool) -> None:
    ends = pa.array(range(41), pa.int32())
    column = pa.ListArray.from_arrays(ends, beyond()) if is_list else beyond()
    rows, unread = read(written(tmp_path / "q.arrow", {"question": column}))
    assert (len(rows), [part.entry for part in unread]) == (20, [f"row {number}" for number in range(2, 41, 2)])


def test_text_that_is_no_utf_8_is_one_outcome(tmp_path: Path) -> None:
    path = written(tmp_path / "q.arrow", {"question": ["good", "bad!", "good"]})
    path.write_bytes(path.read_bytes().replace(b"bad!", b"b\xff\xfe!"))
    rows, unread = read(path)
    assert ([row.number for row in rows], [part.entry for part in unread]) == ([1, 3], ["row 2"])


@pytest.mark.parametrize(
    "made",
    [lambda: pa.nulls(3_000_000), lambda: pa.array([True] * 3_000_000), lambda: pa.array(["x" * (1 << 20)] * 70)],
    ids=["nothing", "bits", "text"],
)
def test_a_row_that_unfolds_is_one_outcome_and_an_empty_cell_where_no_field_takes_it(
    tmp_path: Path, made: Callable[[], pa.Array]
) -> None:
    cell = made()
    lists = pa.ListArray.from_arrays(pa.array([0, 0, len(cell), len(cell)], pa.int32()), cell)
    path = written(tmp_path / "q.parquet", {"question": ["a", "b", "c"], "much": lists})
    assert path.stat().st_size < 20_000
    rows, unread = read(path)
    assert [row.values["question"] for row in rows] == ["a", "c"]
    assert [(part.entry, "column 'much' it has" in part.detail) for part in unread] == [("row 2", True)]
    rows, unread = read(path, extra=["much"])
    assert ([row.values["much"] for row in rows], unread) == ([[], None, []], [])


def test_rows_that_are_too_much_for_memory_are_read_one_by_one_and_a_column_no_field_takes_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows_of_group = arrow_reader._Table._group

    def little_memory(table: Any, group: int, names: list[str], done: int, at_once: int) -> Any:
        # What Arrow raises where the system gives it no more.
        for batch in rows_of_group(table, group, names, done, at_once):
            if batch.num_rows > 4 or ("much" in names and done >= 8):
                raise MemoryError
            done += batch.num_rows
            yield batch

    monkeypatch.setattr(arrow_reader._Table, "_group", little_memory)
    path = str(written(tmp_path / "q.parquet", {"question": WORDS, "much": WORDS}))
    with ExitStack() as stack:
        parts = list(arrow_reader._Table(path, stack).rows(["question"], ["much"]))
        with pytest.raises(pa.ArrowInvalid, match="'much' would take more than 1024 MiB"):
            list(arrow_reader._Table(path, stack).rows(["question", "much"], []))
    rows = [part for part in parts if isinstance(part, arrow_reader._Rows)]
    assert [word for part in rows for word in part.batch.column("question").to_pylist()] == WORDS
    assert [part.entry for part in parts if isinstance(part, arrow_reader._Bad)] == ["column 'much'"]


def test_a_file_that_ends_its_reader_is_an_error_and_the_next_one_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound = written(tmp_path / "q.parquet", SOUND)
    program = tmp_path / "ends.py"
    program.write_text("import os, sys; sys.stdin.readline(); os.kill(os.getpid(), 11)")
    with monkeypatch.context() as patch:
        popen = subprocess.Popen
        patch.setattr(arrow_files, "_idle", [])
        patch.setattr(subprocess, "Popen", lambda command, **more: popen([command[0], str(program)], **more))
        with pytest.raises(DataError, match=r"q\.parquet cannot be read \(SIGSEGV ended the reading process"):
            read(sound)
    assert len(read(sound)[0]) == 40


@pytest.mark.slow
@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1" * 100, b"ARROW1" + bytes(100)])
@pytest.mark.parametrize("name", ["q.parquet", "q.arrow"])
def test_what_is_no_table_is_an_error_that_names_it(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(DataError, match=rf"{name} cannot be read"):
        read(tmp_path / name)


def test_two_files_can_be_read_at_once_and_the_first_rows_may_be_enough(tmp_path: Path) -> None:
    path = written(tmp_path / "q.parquet", SOUND)
    one, other = (arrow_rows(path, lambda columns: ChosenColumns([c.name for c in columns])) for _ in range(2))
    assert next(one) == next(other)
    one.close()  # type: ignore[attr-defined]
    assert len(list(other)) == 39
    assert len(read(path)[0]) == 40

"""Writing and reading of a release's Parquet files in pieces of bounded size."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from benchwright.errors import DataError
from benchwright.files.parquet_tables import ParquetTable
from benchwright.release.format.manifest import FORMAT_VERSION, data_file
from benchwright.release.format.schema import PICTURE_COLUMNS, stamped_schema
from benchwright.workspace.arrow_arrays import arrow_array

MAX_PICTURE_BYTES = 256 * 1024**2
"""Largest total size of one item's pictures, in bytes."""

_MAX_TEXT_BYTES = 16 * 1024**2
"""Largest total size of all other data of one item, in bytes."""

MAX_GROUP_BYTES = MAX_PICTURE_BYTES + 64 * 1024**2
"""Largest decompressed size of a row group that a reader accepts, in bytes.

A row group is one item, or several within `PieceLimits`, and Parquet's own data.
"""

_ROWS_AT_ONCE = 64
"""Number of rows converted to Python values at a time."""

_PICTURES = frozenset(f"{name}.list.element.bytes" for name in PICTURE_COLUMNS)


class SizedRow(NamedTuple):
    """A row of all columns, with the sizes, in bytes, of its text and of its pictures."""

    row: Mapping[str, Any]
    text_bytes: int
    picture_bytes: int


class PictureRange(NamedTuple):
    """The ids of pictures from `first` up to, but not including, `stop`; the id is '' for an item without pictures."""

    first: str
    stop: str


class PieceLimits(NamedTuple):
    """Limits at which row groups and files are split; a single item may exceed the sizes.

    Attributes:
        group_rows: Largest number of rows in a row group.
        group_bytes: Size of a row group, with each picture counted once. A row that shows a picture of the group may
            exceed it, so that the next group does not store the picture again.
        shown_bytes: Size of a row group in memory, with the pictures of each row; only a single item may exceed it.
        file_bytes: Size of a file.
        part_bytes: Largest mean size of a split's parts, each of which begins a file.
        parts: Largest number of parts of a split.
    """

    group_rows: int = 512
    group_bytes: int = 32 * 1024**2
    shown_bytes: int = 128 * 1024**2
    file_bytes: int = 500_000_000
    part_bytes: int = 16 * 1024**2
    parts: int = 64

    def parts_of(self, picture_bytes: int) -> list[PictureRange]:
        """Return the parts of a split: ranges of first pictures whose ids begin with the same bits.

        Ids are digests, so parts are of similar size, and another picture changes only its part.

        Args:
            picture_bytes: Expected size of the split's pictures, in bytes; its power of two decides the number of
                parts.
        """
        number = 1
        while number < self.parts and picture_bytes > number * self.part_bytes:
            number *= 2
        ends = [f"{256 * part // number:02x}" for part in range(1, number)]
        return [PictureRange(*each) for each in pairwise(["", *ends, "g"])]  # "g" follows all digits


def write_split(
    root: Path,
    split: str,
    rows: Iterable[SizedRow],
    *,
    canary: str,
    limits: PieceLimits,
    repeats: bool,
    number: int = 0,
) -> Iterator[str]:
    """Write rows of a split, already sorted, and yield the name of each file once it is closed.

    At most one row group is in memory, with each picture stored once. Pictures are already compressed files and are
    stored unchanged. If `repeats` states that rows may show the same picture, each row group stores it once for all its
    rows. Such a file has a dictionary, for which readers need more memory. `number` is the number of the first file.

    Raises:
        DataError: An item is larger than a reader would accept.
    """
    schema = _pictures_once(stamped_schema(canary=canary))
    written, writer = 0, None
    try:
        for group, size in _groups(rows, limits):
            if writer is not None and written + size > limits.file_bytes:
                writer.close()
                writer = None
                yield data_file(split, number)
                number, written = number + 1, 0
            if writer is None:
                writer = _writer(root / data_file(split, number), schema, repeats=repeats)
            writer.write_table(_table(group, schema), row_group_size=len(group))
            written += size
    finally:
        if writer is not None:
            writer.close()
    if writer is not None:
        yield data_file(split, number)


def _writer(path: Path, schema: pa.Schema, *, repeats: bool) -> pq.ParquetWriter:
    columns = _leaves(schema)
    writer = pq.ParquetWriter(
        path,
        schema,
        store_schema=False,  # hides the dictionary from readers
        version="2.6",
        data_page_version="1.0",
        compression={name: "none" if name in _PICTURES else "zstd" for name in columns},
        compression_level={name: 3 for name in columns if name not in _PICTURES},
        use_dictionary=sorted(_PICTURES) if repeats else False,  # zstd makes text as small
        dictionary_pagesize_limit=MAX_GROUP_BYTES,  # beyond it, each row would get its own copy
        write_batch_size=8,  # rows per page at least; of many photographs, the default would be tens of megabytes
        write_statistics=["item_id", "split", "task"],
    )
    writer.add_key_value_metadata(schema.metadata)
    return writer


_PICTURE = pa.struct([("bytes", pa.dictionary(pa.int32(), pa.binary())), ("path", pa.string())])
_PICTURE_LIST = pa.list_(pa.field("element", _PICTURE))
"""Type of pictures as written and read: each is stored once per row group, and neither copied nor compared row
by row.
"""


def _pictures_once(schema: pa.Schema) -> pa.Schema:
    """Return a schema whose picture columns have the type used for writing and reading; the file itself keeps the
    schema of the format.
    """
    for name in PICTURE_COLUMNS:
        if name not in schema.names:  # version 1
            continue
        schema = schema.set(schema.get_field_index(name), pa.field(name, _PICTURE_LIST))
    return schema


def _table(rows: Sequence[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    """Return rows as an Arrow table."""
    columns = [
        _pictures([row[field.name] for row in rows])
        if field.name in PICTURE_COLUMNS
        else arrow_array([row[field.name] for row in rows], field.type)
        for field in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def _pictures(lists: Sequence[Sequence[Mapping[str, Any] | None]]) -> pa.ListArray:
    """Return lists of pictures as an array that stores each file once, identified by its name."""
    cells = [cell for pictures in lists for cell in pictures]
    files = {cell["path"]: cell["bytes"] for cell in cells if cell is not None and cell["bytes"] is not None}
    places = {path: place for place, path in enumerate(files)}
    indices = arrow_array([None if cell is None else places.get(cell["path"]) for cell in cells], pa.int32())
    data = pa.DictionaryArray.from_arrays(indices, arrow_array(list(files.values()), pa.binary()))
    paths = arrow_array([None if cell is None else cell["path"] for cell in cells], pa.string())
    absent = arrow_array([cell is None for cell in cells], pa.bool_())
    offsets = arrow_array([0, *accumulate(map(len, lists))], pa.int32())
    pictures = pa.StructArray.from_arrays([data, paths], fields=list(_PICTURE), mask=absent)
    return pa.ListArray.from_arrays(offsets, pictures, type=_PICTURE_LIST)


def _leaves(schema: pa.Schema) -> list[str]:
    """Return the paths of the physical Parquet columns, such as `images.list.element.bytes`."""

    def below(path: str, kind: pa.DataType) -> Iterator[str]:
        if pa.types.is_list(kind):
            yield from below(f"{path}.list.element", kind.value_type)
        elif pa.types.is_struct(kind):
            for i in range(kind.num_fields):
                yield from below(f"{path}.{kind.field(i).name}", kind.field(i).type)
        else:
            yield path

    return [path for field in schema for path in below(field.name, field.type)]


class _Group:
    """Rows collected for a row group that is about to be written."""

    def __init__(self) -> None:
        self.rows: list[Mapping[str, Any]] = []
        self.size = 0
        """Size in bytes, each picture counted once."""
        self.shown = 0
        """Size in bytes, with the pictures of each row counted."""
        self._pictures: set[str] = set()

    def add(self, sized: SizedRow) -> None:
        self.size += sized.text_bytes + self.new_bytes(sized.row)
        self.shown += sized.text_bytes + sized.picture_bytes
        self.rows.append(sized.row)
        self._pictures.update(cell["path"] for cell in _cells(sized.row))

    def is_full_for(self, sized: SizedRow, limits: PieceLimits) -> bool:
        """Return whether a row no longer fits, so that it must begin the next group."""
        if not self.rows:
            return False
        if len(self.rows) >= limits.group_rows or self.shown + sized.picture_bytes > limits.shown_bytes:
            return True
        shares = any(cell["path"] in self._pictures for cell in _cells(sized.row))
        return not shares and self.size + sized.text_bytes + self.new_bytes(sized.row) > limits.group_bytes

    def new_bytes(self, row: Mapping[str, Any]) -> int:
        """Return the size, in bytes, of the pictures in a row that no other row in the group shows."""
        new = {cell["path"]: len(cell["bytes"] or b"") for cell in _cells(row) if cell["path"] not in self._pictures}
        return sum(new.values())


def _cells(row: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the pictures of a row, with and without marks."""
    return (cell for name in PICTURE_COLUMNS for cell in row[name] if cell is not None)


def _groups(rows: Iterable[SizedRow], limits: PieceLimits) -> Iterator[tuple[list[Mapping[str, Any]], int]]:
    """Yield rows in row groups, each with its size in bytes."""
    group = _Group()
    for sized in rows:
        row, text, pictures = sized
        if text > _MAX_TEXT_BYTES or pictures > MAX_PICTURE_BYTES:
            raise DataError(
                f"item {row['item_id']} has {text} bytes of text and {pictures} of pictures; "
                f"a release accepts up to {_MAX_TEXT_BYTES} and {MAX_PICTURE_BYTES} per item"
            )
        if group.is_full_for(sized, limits):
            yield group.rows, group.size
            group = _Group()
        group.add(sized)
    if group.rows:
        yield group.rows, group.size


def read_rows(
    handle: BinaryIO,
    *,
    title: str,
    canary: str,
    version: int = FORMAT_VERSION,
    columns: Sequence[str] | None = None,
    tasks: Collection[str] | None = None,
    item_ids: Collection[str] | None = None,
    groups: Sequence[int] | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a data file as Python values, optionally only some columns or tasks.

    Each picture of a row group is held in memory once, however many rows show it, along with the texts of a few rows.

    With `item_ids`, only the row groups that contain one of them are read. `version` is the format version of the
    release, and `groups` selects row groups by index.

    A malicious file can decompress to more than it states, or crash the process inside Arrow: check files from others
    with `verify_release` first, which reads them in a separate process.

    Raises:
        DataError: The file is not a Parquet file, or does not have a release's columns, metadata and sizes.
    """
    is_of_text = columns is not None and not set(columns) & set(PICTURE_COLUMNS)
    with opened_data_file(handle, title=title, canary=canary, version=version, pictures_once=not is_of_text) as table:
        yield from _chosen_rows(table, columns, tasks, item_ids, groups, with_files=not is_of_text)


def numbered_rows(
    handle: BinaryIO,
    *,
    title: str,
    canary: str,
    version: int,
    columns: Sequence[str],
    tasks: Collection[str] | None = None,
    item_ids: Collection[str] | None = None,
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield rows of non-picture columns, each with the index of its row group; otherwise as `read_rows`."""
    with opened_data_file(handle, title=title, canary=canary, version=version) as table:
        for group in range(table.groups):
            for row in _chosen_rows(table, columns, tasks, item_ids, [group], with_files=False):
                yield group, row


def _chosen_rows(
    table: ParquetTable,
    columns: Sequence[str] | None,
    tasks: Collection[str] | None,
    item_ids: Collection[str] | None,
    groups: Sequence[int] | None,
    *,
    with_files: bool,
) -> Iterator[dict[str, Any]]:
    if item_ids is None:
        found = table.batches(columns, groups=groups)
    else:
        found = table.having("item_id", item_ids, columns, groups=groups)
    for batch in found:
        chosen = batch if tasks is None else _having(batch, "task", tasks)
        yield from _rows(chosen, with_files=with_files)


def _rows(batch: pa.RecordBatch, *, with_files: bool) -> Iterator[dict[str, Any]]:
    """Yield rows as Python values; rows of a row group with the same picture share one bytes object."""
    names = batch.schema.names
    pictures = {name: _PictureColumn(batch.column(name)) for name in names if with_files and name in PICTURE_COLUMNS}
    for start in range(0, batch.num_rows, _ROWS_AT_ONCE):
        part = batch.slice(start, _ROWS_AT_ONCE)
        values = [
            pictures[name].lists(column) if name in pictures else column.to_pylist()
            for name, column in zip(names, part.columns, strict=True)
        ]
        for row in zip(*values, strict=True):
            yield dict(zip(names, row, strict=True))


class _PictureColumn:
    """A picture column of a row group, whose files are converted to Python values only once.

    It avoids Arrow's compute functions, whose import takes as long as reading an item.

    Args:
        column: The column, with its bytes dictionary-encoded.
    """

    def __init__(self, column: pa.ListArray) -> None:
        self._files: list[bytes] = column.values.field("bytes").dictionary.to_pylist()

    def lists(self, rows: pa.ListArray) -> list[list[dict[str, Any] | None] | None]:
        """Return the pictures of each of the given rows of the column."""
        first, *_, last = offsets = rows.offsets.to_pylist()
        cells = rows.values.slice(first, last - first)
        places, paths = cells.field("bytes").indices.to_pylist(), cells.field("path").to_pylist()
        pictures = [
            {"bytes": None if place is None else self._files[place], "path": path} if there else None
            for there, place, path in zip(_are_there(cells), places, paths, strict=True)
        ]
        return [
            pictures[start - first : stop - first] if there else None
            for there, (start, stop) in zip(_are_there(rows), pairwise(offsets), strict=True)
        ]


def _are_there(array: pa.Array) -> Sequence[bool]:
    """Return a mask of the values of an array that are not null."""
    if not array.null_count:
        return [True] * len(array)
    there: list[bool] = pa.Array.from_buffers(
        pa.bool_(), len(array), [None, array.buffers()[0]], offset=array.offset
    ).to_pylist()
    return there


def opened_data_file(
    handle: BinaryIO,
    *,
    title: str,
    canary: str,
    version: int = FORMAT_VERSION,
    check_marks: bool = True,
    pictures_once: bool = False,
) -> ParquetTable:
    """Return an open data file after checking that its columns and sizes are those of a release.

    Args:
        handle: The file.
        title: Name of the file for messages.
        canary: Canary of the release.
        version: Format version of the release.
        check_marks: Whether its metadata must also match this release.
        pictures_once: Whether picture bytes are dictionary-encoded, so that each occurs once per row group.

    Raises:
        DataError: The file is not a Parquet file, or does not have a release's columns, metadata and sizes.
    """
    expected = stamped_schema(canary=canary, version=version)
    once = [leaf for leaf in _leaves(expected) if leaf in _PICTURES] if pictures_once else []
    table = ParquetTable(handle, title=title, most_group_bytes=MAX_GROUP_BYTES, values_once=once)
    try:
        _check_shape(table.schema, title, _pictures_once(expected) if once else expected, check_marks=check_marks)
    except DataError:
        table.close()
        raise
    return table


def _having(batch: pa.RecordBatch, column: str, values: Collection[str]) -> pa.RecordBatch:
    import pyarrow.compute as pc

    return batch.filter(pc.is_in(batch.column(column), arrow_array(sorted(values), pa.string())))


def _check_shape(schema: pa.Schema, title: str, expected: pa.Schema, *, check_marks: bool) -> None:
    if not schema.equals(expected):
        raise DataError(f"{title}: its columns are not those of a release")
    if check_marks and schema.metadata != expected.metadata:
        raise DataError(f"{title}: its format, canary or picture columns differ from those of this release")

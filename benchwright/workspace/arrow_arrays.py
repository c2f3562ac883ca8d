"""Arrow arrays of Python values, without the imports of `pyarrow.array`.

Wherever pandas is installed (the app requires it), `pyarrow.array` imports it to check for a series, and no setting of
Arrow prevents that: 0.26 s of processor time and 50 MB in each process. With it, hashing the 285 images of II-Bench by
two workers took 4.4 s of processor time and 349 MB in all, instead of 3.5 s and 249 MB; with pandas imported once,
before the workers are forked, 4.5 s and 305 MB. The columns of Benchwright's tables and releases contain plain values,
and lists and structures of them, whose buffers are simple to build. Any other value goes to `pyarrow.array`, which
converts it or raises an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, chain
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

_NUMBERS = {pa.int64(): (int, np.int64), pa.uint64(): (int, np.uint64), pa.float64(): (float, np.float64)}
_MADE = {**_NUMBERS, pa.int32(): (int, np.int32)}
_BYTES: dict[pa.DataType, tuple[type, Callable[[Any], bytes]]] = {
    pa.string(): (str, str.encode),
    pa.binary(): (bytes, bytes),
}
_MOST_BYTES = (1 << 31) - 1
_NONE = type(None)


def arrow_array(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Return the same array as `pyarrow.array(values, kind)`; None becomes null.

    Raises:
        pyarrow.ArrowException: A value does not match the type of the column.
    """
    types = {type(value) for value in values} - {_NONE}
    if kind in _MADE and types <= {_MADE[kind][0]}:
        return _numbers(values, kind)
    if pa.types.is_boolean(kind) and types <= {bool}:
        bits = np.packbits(np.fromiter(map(bool, values), np.bool_, len(values)), bitorder="little")
        return pa.Array.from_buffers(kind, len(values), [_validity(values), pa.py_buffer(bits)])
    if kind in _BYTES and types <= {_BYTES[kind][0]}:
        return _texts(values, kind)
    if pa.types.is_list(kind) and types <= {list, tuple}:
        inner = arrow_array(list(chain.from_iterable(value for value in values if value)), kind.value_type)
        buffers = [_validity(values), _offsets(values)]
        return pa.ListArray.from_buffers(kind, len(values), buffers, children=[inner])
    if pa.types.is_struct(kind) and types <= {dict}:
        cells = [value or {} for value in values]
        children = [arrow_array([cell.get(part.name) for cell in cells], part.type) for part in kind]
        return pa.StructArray.from_buffers(kind, len(values), [_validity(values)], children=children)
    return pa.array(values, kind)


def arrow_numbers(numbers: NDArray[np.int64]) -> pa.Array:
    """Return a NumPy array as an Arrow array that shares its memory."""
    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(np.ascontiguousarray(numbers))])


def numbers_of(column: pa.ChunkedArray) -> NDArray[Any]:
    """Return a column of numbers without nulls as a NumPy array, like `to_numpy` but without pandas.

    Raises:
        TypeError: The column does not contain 64-bit integers or floats.
        ValueError: The column has a null.
    """
    if column.type not in _NUMBERS:
        raise TypeError(f"a column of {column.type} does not hold 64-bit numbers")
    if column.null_count:
        raise ValueError(f"{column.null_count} of {len(column)} numbers are null")
    dtype = _NUMBERS[column.type][1]
    parts = [
        np.frombuffer(chunk.buffers()[1], dtype)[chunk.offset : chunk.offset + len(chunk)] for chunk in column.chunks
    ]
    return np.concatenate([np.zeros(0, dtype), *(part for part in parts if len(part))])


def integers_of(column: pa.Array | pa.ChunkedArray) -> NDArray[np.int64]:
    """Return indices of any integer type, as Arrow's functions return them, as a NumPy array; -1 for null."""
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    parts = [np.zeros(0, np.int64)]
    for chunk in (chunk.cast(pa.int64()) for chunk in chunks):
        present, numbers = chunk.buffers()
        own = slice(chunk.offset, chunk.offset + len(chunk))
        part = np.frombuffer(numbers, np.int64)[own]
        if chunk.null_count:
            is_there = np.unpackbits(np.frombuffer(present, np.uint8), bitorder="little")[own]
            part = np.where(is_there, part, -1)
        parts.append(part)
    return np.concatenate(parts)


def _numbers(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    try:
        numbers = np.fromiter((0 if value is None else value for value in values), _MADE[kind][1], len(values))
    except OverflowError:
        return pa.array(values, kind)
    return pa.Array.from_buffers(kind, len(values), [_validity(values), pa.py_buffer(numbers)])


def _texts(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    _, encode = _BYTES[kind]
    encoded = [encode(value) if value else b"" for value in values]
    whole = b"".join(encoded)
    if len(whole) > _MOST_BYTES:
        return pa.array(values, kind)
    return pa.Array.from_buffers(kind, len(values), [_validity(values), _offsets(encoded), pa.py_buffer(whole)])


def _offsets(values: Sequence[Any]) -> pa.Buffer:
    lengths = (len(value) if value else 0 for value in values)
    return pa.py_buffer(np.fromiter(accumulate(lengths, initial=0), np.int32, len(values) + 1))


def _validity(values: Sequence[Any]) -> pa.Buffer | None:
    if None not in values:
        return None
    present = np.fromiter((value is not None for value in values), np.bool_, len(values))
    return pa.py_buffer(np.packbits(present, bitorder="little"))

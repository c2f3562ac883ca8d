"""Pickles that hold data only: plain Python values and NumPy arrays of numbers.

A pickle is a program, and loading one from elsewhere runs it. Here only the names below can be called, each is ours,
and none of NumPy's own code sees what the file holds: arrays become `PickledArray`, checked before they are numbers.
"""

from __future__ import annotations

import io
import pickle
import struct
from collections.abc import Sequence
from math import prod
from typing import Any, ClassVar, NoReturn

from benchwright.errors import DataError

MAX_PICKLE_BYTES = 64 << 20
_FORMATS = {
    "f2": "e", "f4": "f", "f8": "d", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H", "u4": "I",
    "u8": "Q", "b1": "?",
}  # fmt: skip
"""Types of NumPy, and of `struct`."""
_ORDERS = {"<": "<", ">": ">", "|": "<", "=": "<"}


class _DType:
    """A type of numbers, as NumPy writes it."""

    def __init__(self, name: Any = None, *more: Any) -> None:
        del more
        self.name = name.decode("ascii", "replace") if isinstance(name, bytes) else str(name)
        self.order = "<"

    def __setstate__(self, state: Any) -> None:
        if isinstance(state, tuple) and len(state) > 1 and state[1] in _ORDERS:
            self.order = _ORDERS[state[1]]

    def unpacked(self, data: bytes, count: int) -> tuple[float, ...]:
        if self.name not in _FORMATS:
            raise DataError(f"it holds an array of {self.name!r}; only numbers are read")
        form = f"{self.order}{count}{_FORMATS[self.name]}"
        if struct.calcsize(form) != len(data):
            raise DataError(f"it holds an array of {count} numbers in {len(data)} bytes")
        return struct.unpack(form, data)


class PickledArray:
    """An array of numbers: shape, and numbers in the order of rows."""

    def __init__(self) -> None:
        self.shape: tuple[int, ...] = (0,)
        self.numbers: tuple[float, ...] = ()

    def __setstate__(self, state: Any) -> None:
        if not isinstance(state, tuple) or len(state) != 5:
            raise DataError("it holds an array that NumPy did not write")
        _, shape, dtype, is_by_columns, data = state
        self.fill(shape, dtype, bool(is_by_columns), data)

    def fill(self, shape: Any, dtype: Any, is_by_columns: bool, data: Any) -> None:
        """Take in an array's content, checked."""
        if not isinstance(shape, tuple) or not all(type(side) is int and 0 <= side <= 1 << 24 for side in shape):
            raise DataError(f"it holds an array of shape {shape!r}")
        if not isinstance(dtype, _DType) or not isinstance(data, bytes | bytearray) or prod(shape) > MAX_PICKLE_BYTES:
            raise DataError("it holds an array of something other than numbers")
        numbers = dtype.unpacked(bytes(data), prod(shape))
        if is_by_columns and len(shape) == 2:
            rows, columns = shape
            numbers = tuple(numbers[column * rows + row] for row in range(rows) for column in range(columns))
        elif is_by_columns and len(shape) > 2:
            raise DataError("it holds an array by columns with more than two axes")
        self.shape, self.numbers = shape, numbers

    def nested(self) -> Any:
        """Return it as lists of lists."""
        return _nested(self.numbers, self.shape)


def _nested(numbers: Sequence[float], shape: Sequence[int]) -> Any:
    if not shape:
        return numbers[0]
    step = prod(shape[1:])
    return [_nested(numbers[row * step : (row + 1) * step], shape[1:]) for row in range(shape[0])]


def _reconstruct(cls: Any, shape: Any, kind: Any) -> PickledArray:
    del shape, kind
    if cls is not PickledArray:
        raise DataError("it builds something that is no array")
    return PickledArray()


def _frombuffer(data: Any, dtype: Any, shape: Any, order: Any = "C") -> PickledArray:
    array = PickledArray()
    array.fill(shape, dtype, order == "F", data)
    return array


def _scalar(dtype: Any, data: Any = b"") -> float:
    if not isinstance(dtype, _DType) or not isinstance(data, bytes):
        raise DataError("it holds a scalar of something other than a number")
    return dtype.unpacked(data, 1)[0]


def _encode(text: Any, encoding: Any = "latin1") -> bytes:
    """Return bytes that an old protocol wrote as text."""
    if not isinstance(text, str) or encoding != "latin1":
        raise DataError(f"it encodes as {encoding!r}")
    return text.encode("latin1")


_ALLOWED: dict[tuple[str, str], Any] = {
    ("numpy", "ndarray"): PickledArray,
    ("numpy", "dtype"): _DType,
    ("_codecs", "encode"): _encode,
    ("collections", "OrderedDict"): dict,
}
for _core in ("numpy.core", "numpy._core"):
    _ALLOWED[f"{_core}.multiarray", "_reconstruct"] = _reconstruct
    _ALLOWED[f"{_core}.multiarray", "scalar"] = _scalar
    _ALLOWED[f"{_core}.numeric", "_frombuffer"] = _frombuffer


# The unpickler that is written in Python: the other one reserves memory for whatever number a file's memo names.
class _DataUnpickler(pickle._Unpickler):
    dispatch: ClassVar[dict[int, Any]] = dict(pickle._Unpickler.dispatch)

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _ALLOWED:
            raise DataError(f"it calls {module}.{name}, which is no data; nothing of it was run")
        return _ALLOWED[module, name]

    def persistent_load(self, pid: Any) -> NoReturn:
        raise DataError(f"it refers to {pid!r} outside of itself")

    def load_build(self) -> None:
        """Set the state of an array or a type, and of nothing else: a function's defaults are state, too."""
        stack: list[Any] = self.stack  # type: ignore[attr-defined]
        if type(stack[-2]) not in (PickledArray, _DType):
            raise DataError("it sets the state of something that is no array")
        super().load_build()  # type: ignore[misc]

    dispatch[pickle.BUILD[0]] = load_build


def load_data(data: bytes) -> Any:
    """Return what a pickle holds: plain values, with arrays as lists of lists.

    Raises:
        DataError: It calls anything that is not on the list, is cut off, or is too large.
    """
    if len(data) > MAX_PICKLE_BYTES:
        raise DataError(f"it has {len(data):,} bytes; at most {MAX_PICKLE_BYTES:,} are read")
    try:
        return _plain(_DataUnpickler(io.BytesIO(data)).load(), _Budget())
    except DataError:
        raise
    except Exception as error:  # a pickle can fail in any way
        raise DataError(f"it cannot be read as a pickle: {type(error).__name__}: {error}") from error


class _Budget:
    """Number of values that may still come; a small pickle can refer to one list again and again."""

    def __init__(self) -> None:
        self.left = 20_000_000

    def spend(self, count: int, depth: int) -> None:
        self.left -= count
        if self.left < 0 or depth > 20:
            raise DataError("it holds too many values, or nests them more than 20 levels deep")


def _plain(value: Any, budget: _Budget, depth: int = 0) -> Any:
    budget.spend(1, depth)
    if isinstance(value, PickledArray):
        budget.spend(len(value.numbers), depth)
        return value.nested()
    if isinstance(value, dict):
        return {key: _plain(entry, budget, depth + 1) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry, budget, depth + 1) for entry in value]
    if value is None or isinstance(value, str | int | float | bool | bytes):
        return value
    raise DataError(f"it holds a {type(value).__name__}")

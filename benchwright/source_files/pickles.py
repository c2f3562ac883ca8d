"""Data-only pickles: plain Python values and NumPy arrays of numbers.

A pickle is a program, and loading an untrusted one runs it. This reader calls only the names below, all of which it
defines itself, and never passes the file's content to NumPy's code: arrays become `_PickledArray`, which is checked
before it is converted to numbers.

A pickle can also refer to one value many times. The result is therefore limited to a small multiple of the file, keys
are plain values (hashing nested tuples takes time that doubles with each level), and messages shorten values.
"""

from __future__ import annotations

import io
import pickle
import struct
from collections.abc import Callable, Mapping, Sequence, Sized
from math import prod
from typing import Any, ClassVar, NoReturn

from benchwright.errors import DataError

_MAX_PICKLE_BYTES = 64 << 20
MAX_OPERATIONS = 5_000_000
"""Largest number of operations in a pickle: each can make an object of 64 bytes, and that many take some seconds."""
_MOST_AXES = 32
_FORMATS = {
    "f2": "e", "f4": "f", "f8": "d", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H", "u4": "I",
    "u8": "Q", "b1": "?",
}  # fmt: skip
"""NumPy types with their `struct` codes."""
_ORDERS = {"<": "<", ">": ">", "|": "<", "=": "<"}


class _DType:
    """A number type, as NumPy writes it."""

    def __init__(self, name: Any = None, *more: Any) -> None:
        del more
        text = name.decode("ascii", "replace") if isinstance(name, bytes) else name if isinstance(name, str) else ""
        self.name = text[:40]
        self.order = "<"

    def __setstate__(self, state: Any) -> None:
        if isinstance(state, tuple) and len(state) > 1 and isinstance(state[1], str):
            self.order = _ORDERS.get(state[1], self.order)

    def unpacked(self, data: bytes, count: int) -> tuple[float, ...]:
        if self.name not in _FORMATS:
            raise DataError(f"it holds an array of {self.name!r}; only numbers are supported")
        form = f"{self.order}{count}{_FORMATS[self.name]}"
        if struct.calcsize(form) != len(data):
            raise DataError(f"it holds an array of {count} numbers in {len(data)} bytes")
        return struct.unpack(form, data)


class _PickledArray:
    """An array of numbers: its shape, and its numbers row by row."""

    def __init__(self) -> None:
        self.shape: tuple[int, ...] = (0,)
        self.numbers: tuple[float, ...] = ()

    def __setstate__(self, state: Any) -> None:
        if not isinstance(state, tuple) or len(state) != 5:
            raise DataError("it holds an array that NumPy did not write")
        _, shape, dtype, is_by_columns, data = state
        self.fill(shape, dtype, bool(is_by_columns), data)

    def fill(self, shape: Any, dtype: Any, is_by_columns: bool, data: Any) -> None:
        """Check and store an array's content."""
        if (
            not isinstance(shape, tuple)
            or len(shape) > _MOST_AXES
            or not all(type(side) is int and 0 <= side <= 1 << 24 for side in shape)
        ):
            raise DataError(f"it holds an array whose shape is not a tuple of at most {_MOST_AXES} sides up to 2 ** 24")
        if not isinstance(dtype, _DType) or not isinstance(data, bytes | bytearray) or prod(shape) > _MAX_PICKLE_BYTES:
            raise DataError("it holds an array of something other than numbers")
        numbers = dtype.unpacked(bytes(data), prod(shape))
        if is_by_columns and len(shape) == 2:
            rows, columns = shape
            numbers = tuple(numbers[column * rows + row] for row in range(rows) for column in range(columns))
        elif is_by_columns and len(shape) > 2:
            raise DataError("it holds an array by columns with more than two axes")
        self.shape, self.numbers = shape, numbers

    def nested(self) -> Any:
        """Return the array as lists of lists."""
        return _nested(self.numbers, self.shape)


def _nested(numbers: Sequence[float], shape: Sequence[int]) -> Any:
    if not shape:
        return numbers[0]
    step = prod(shape[1:])
    return [_nested(numbers[row * step : (row + 1) * step], shape[1:]) for row in range(shape[0])]


def _reconstruct(cls: Any, shape: Any, kind: Any) -> _PickledArray:
    del shape, kind
    if cls is not _PickledArray:
        raise DataError("it builds an object other than an array")
    return _PickledArray()


def _frombuffer(data: Any, dtype: Any, shape: Any, order: Any = "C") -> _PickledArray:
    array = _PickledArray()
    array.fill(shape, dtype, order == "F", data)
    return array


def _scalar(dtype: Any, data: Any = b"") -> float:
    if not isinstance(dtype, _DType) or not isinstance(data, bytes):
        raise DataError("it holds a scalar of something other than a number")
    return dtype.unpacked(data, 1)[0]


def _encode(text: Any, encoding: Any = "latin1") -> bytes:
    """Return bytes that an old pickle protocol wrote as text."""
    if not isinstance(text, str) or encoding != "latin1":
        raise DataError("it encodes a value other than Latin-1 text")
    return text.encode("latin1")


def _no_bytes() -> bytes:
    """Return the data of an empty array in an old pickle protocol."""
    return b""


def _ordered(pairs: Any = ()) -> dict[Any, Any]:
    if not isinstance(pairs, list | tuple) or not all(isinstance(p, list | tuple) and len(p) == 2 for p in pairs):
        raise DataError("it holds a mapping that is not a list of pairs")
    return {_checked_key(key): value for key, value in pairs}


def _checked_key(key: Any) -> Any:
    """Return a key that is fast to hash: a plain value, or a short tuple of plain values."""
    for part in key if type(key) is tuple and len(key) <= _MOST_AXES else (key,):
        if type(part) not in _PLAIN or (type(part) is int and part.bit_length() > 64):
            raise DataError(f"it has a {type(part).__name__} in a key, which must be a text or a number")
    return key


_PLAIN = frozenset({str, int, float, bool, bytes, type(None)})
_ALLOWED: dict[tuple[str, str], Any] = {
    ("numpy", "ndarray"): _PickledArray,
    ("numpy", "dtype"): _DType,
    ("_codecs", "encode"): _encode,
    ("__builtin__", "bytes"): _no_bytes,
    ("collections", "OrderedDict"): _ordered,
}
for _core in ("numpy.core", "numpy._core"):
    _ALLOWED[f"{_core}.multiarray", "_reconstruct"] = _reconstruct
    _ALLOWED[f"{_core}.multiarray", "scalar"] = _scalar
    _ALLOWED[f"{_core}.numeric", "_frombuffer"] = _frombuffer


class _Operations:
    """Handlers of the operations that data requires, by code, with a limited number of lookups."""

    def __init__(self, table: Mapping[int, Callable[[Any], None]]) -> None:
        self._table, self._left = table, MAX_OPERATIONS

    def __getitem__(self, code: int) -> Callable[[Any], None]:
        self._left -= 1
        if self._left < 0:
            raise DataError(f"it has more than {MAX_OPERATIONS:,} operations; save it in parts")
        if code in _NO_DATA:
            raise DataError(f"it has the operation {code:#x}, which data (numbers, texts, lists, mappings) never needs")
        return self._table[code]


_NO_DATA = frozenset(
    code[0]
    for code in (
        pickle.INST, pickle.OBJ, pickle.NEWOBJ_EX, pickle.EXT1, pickle.EXT2, pickle.EXT4, pickle.EMPTY_SET,
        pickle.ADDITEMS, pickle.FROZENSET, pickle.NEXT_BUFFER, pickle.READONLY_BUFFER,
    )
)  # fmt: skip
"""Operations that call the listed names in other ways, or hash arbitrary values."""


# The unpickler in Python: the C version reserves memory for any number that a file's memo names.
class _DataUnpickler(pickle._Unpickler):
    _table: ClassVar[dict[int, Any]] = dict(pickle._Unpickler.dispatch)

    def __init__(self, data: bytes) -> None:
        super().__init__(io.BytesIO(data))
        self.dispatch = _Operations(self._table)  # type: ignore[assignment, misc]
        self._left = _outcome_of(data)

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _ALLOWED:
            raise DataError(f"it calls {module[:80]}.{name[:80]}, which is not data; nothing was run")
        return _ALLOWED[module, name]

    def persistent_load(self, pid: Any) -> NoReturn:
        del pid
        raise DataError("it refers to an object outside the file")

    def load_reduce(self) -> None:
        """Call a permitted function, with no more bytes than those to which the file may expand."""
        self._spend(self._operands[-1])
        super().load_reduce()  # type: ignore[misc]

    def load_build(self) -> None:
        """Set the state of an array or a type only, because the defaults of a function are also state."""
        if type(self._operands[-2]) not in (_PickledArray, _DType):
            raise DataError("it sets the state of an object other than an array")
        self._spend(self._operands[-1])
        super().load_build()  # type: ignore[misc]

    def load_dict(self) -> None:
        """Create a mapping from the values after the last mark."""
        for key in self._operands[::2]:
            _checked_key(key)
        super().load_dict()  # type: ignore[misc]

    def load_setitem(self) -> None:
        """Put one pair into a mapping."""
        _checked_key(self._operands[-2])
        super().load_setitem()  # type: ignore[misc]

    def load_setitems(self) -> None:
        """Put the pairs after the last mark into a mapping."""
        for key in self._operands[::2]:
            _checked_key(key)
        super().load_setitems()  # type: ignore[misc]

    def load_bytearray8(self) -> None:
        """Read bytes; Python's version reserves memory for the stated number before it checks for them."""
        [size] = struct.unpack("<Q", self.read(8))  # type: ignore[attr-defined]
        if size > _MAX_PICKLE_BYTES:
            raise DataError(f"it states {size:,} bytes of data; the limit is {_MAX_PICKLE_BYTES:,}")
        self.append(self.read(size))  # type: ignore[attr-defined]

    @property
    def _operands(self) -> list[Any]:
        stack: list[Any] = self.stack  # type: ignore[attr-defined]
        return stack

    def _spend(self, values: Any) -> None:
        for value in values if isinstance(values, tuple) else ():
            self._left -= len(value) if isinstance(value, Sized) else 1
        if self._left < 0:
            raise DataError("it refers to the same bytes repeatedly and would expand to many times its size")

    _table.update({
        pickle.REDUCE[0]: load_reduce, pickle.BUILD[0]: load_build, pickle.DICT[0]: load_dict,
        pickle.SETITEM[0]: load_setitem, pickle.SETITEMS[0]: load_setitems,
        pickle.BYTEARRAY8[0]: load_bytearray8,
    })  # fmt: skip


def _outcome_of(data: bytes) -> int:
    """Return the limit on values or bytes from a pickle: each value takes at least one byte of the pickle unless it is
    referred to again.
    """
    return 2 * len(data) + 100_000


def load_data(data: bytes) -> Any:
    """Return the contents of a pickle: plain values, with arrays as lists of lists.

    Raises:
        DataError: The pickle calls an unlisted name, is truncated or too large, or expands to much more than its size.
    """
    if len(data) > _MAX_PICKLE_BYTES:
        raise DataError(f"it has {len(data):,} bytes; the limit is {_MAX_PICKLE_BYTES:,}")
    try:
        return _plain(_DataUnpickler(data).load(), _Budget(_outcome_of(data)))
    except DataError:
        raise
    except Exception as error:  # a pickle can fail in any way
        raise DataError(f"it cannot be read as a pickle: {type(error).__name__}: {str(error)[:200]}") from error


class _Budget:
    """Number of values that are still allowed; a small pickle can refer to one list many times."""

    def __init__(self, values: int) -> None:
        self.left = values

    def spend(self, count: int, depth: int) -> None:
        self.left -= count
        if self.left < 0 or depth > 20:
            raise DataError("it holds too many values for its size, or nests them more than 20 levels deep")


def _plain(value: Any, budget: _Budget, depth: int = 0) -> Any:
    budget.spend(1, depth)
    if isinstance(value, _PickledArray):
        # A side of 0 leaves no numbers, and empty lists for the sides before it.
        budget.spend(prod(side or 1 for side in value.shape), depth)
        return value.nested()
    if isinstance(value, dict):
        return {key: _plain(entry, budget, depth + 1) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry, budget, depth + 1) for entry in value]
    if type(value) is int and value.bit_length() > 64:
        raise DataError("it holds a number of more than 64 bits")
    if value is None or isinstance(value, str | int | float | bool | bytes):
        return value
    raise DataError(f"it holds a {type(value).__name__}")

"""Pickles that contain data: numbers and lists are read, and no code that a file names is run."""

from __future__ import annotations

import pickle
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchwright.errors import DataError
from benchwright.source_files import pickles
from benchwright.source_files.pickles import load_data

DATA = {
    "num_frames": 2,
    "annotations": [
        OrderedDict(
            name="bottle/0001/1/0000",
            rotation=np.arange(9, dtype=np.float32).reshape(3, 3).T,
            translation=np.array([0.5, -1.25, 2.0]),
            size=np.array([[1, 2, 3]], ">i4"),
            scale=np.float64(0.5),
            raw=b"\x00\xff",
        )
    ],
}


@pytest.mark.parametrize("protocol", range(6))
def test_what_numpy_writes_comes_out_as_numbers(protocol: int) -> None:
    loaded = load_data(pickle.dumps(DATA, protocol=protocol))
    [annotation] = loaded["annotations"]
    assert annotation["rotation"] == [[0, 3, 6], [1, 4, 7], [2, 5, 8]]
    assert annotation["translation"] == [0.5, -1.25, 2.0]
    assert annotation["size"] == [[1, 2, 3]]
    assert (annotation["scale"], annotation["raw"], loaded["num_frames"]) == (0.5, b"\x00\xff", 2)


def test_names_of_older_and_newer_numpy_are_the_same() -> None:
    data = pickle.dumps(DATA, protocol=2)
    for old, new in ((b"numpy._core", b"numpy.core"), (b"numpy.core", b"numpy._core")):
        assert load_data(data.replace(old, new)) == load_data(data)


class Runs:
    """Something that would run a command when it is loaded."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.call = function, arguments

    def __reduce__(self) -> Any:
        return self.call


def touch(path: str) -> None:
    """Leave a trace."""
    Path(path).touch()


@pytest.mark.parametrize(
    "function", [touch, eval, getattr, print, np.load, pickle.loads], ids=lambda each: each.__name__
)
def test_a_call_of_anything_else_is_refused_and_not_run(tmp_path: Path, function: Any) -> None:
    with pytest.raises(DataError, match="which is not data; nothing was run"):
        load_data(pickle.dumps({"a": Runs(function, str(tmp_path / "trace"))}))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x80\x04N",
        pickle.dumps(DATA)[:-20],
        b"c_codecs\nencode\n}(X\x0c\x00\x00\x00__defaults__X\x04\x00\x00\x00utf8ub.",
        b"cnumpy\nndarray\nN}X\x05\x00\x00\x00shapeI5\ns\x86b.",
        b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\ndtype\n(I0\ntS'b'\ntR.",
        b"Pother file\n.",
        pickle.dumps({"x": np.array([object()])}, protocol=2),
        pickle.dumps(np.array(["a", "b"])),
        b"\x80\x02]q\x00h\x00a.",
        b"\x80\x02r\xff\xff\xff\x7f.",
    ],
    ids=[
        "empty", "no end", "cut", "state of a function", "state of a class", "another type", "outside", "objects",
        "texts", "in itself", "huge memo",
    ],
)  # fmt: skip
def test_what_is_no_data_is_refused(data: bytes) -> None:
    with pytest.raises(DataError):
        load_data(data)


def doubled(levels: int, *, before: bytes = b"", after: bytes = b".") -> bytes:
    """Return a pickle of a tuple that holds one tuple twice, which holds one tuple twice, and so on."""
    memo = b"".join(b"q" + bytes([n]) + b"h" + bytes([n]) + b"\x86" for n in range(levels))
    return b"\x80\x02" + before + b")" + memo + after


def called(function: bytes, argument: bytes, times: int) -> bytes:
    """Return a pickle of a list with what a function makes of one argument, each time anew."""
    return b"\x80\x02" + argument + b"q\x00](" + (b"c" + function + b"\nh\x00\x85R") * times + b"e."


def empty_array(rows: int) -> bytes:
    """Return a pickle of an array of so many rows without numbers, as NumPy writes it."""
    data = pickle.dumps(np.zeros((1, 0)), protocol=2)
    assert data.count(b"K\x01K\x00\x86") == 1
    return data.replace(b"K\x01K\x00\x86", b"J" + rows.to_bytes(4, "little") + b"K\x00\x86")


TEXT = b"X" + (20_000).to_bytes(4, "little") + b"x" * 20_000


# Without its limit each of these takes half a minute or more, or gigabytes; there is nothing to see of that but time.
@pytest.mark.parametrize(
    ("data", "why"),
    [
        (doubled(19), "too many values"),
        (doubled(34, before=b"}", after=b"K\x01s."), "in a key"),
        (doubled(34, before=b"}(", after=b"K\x01u."), "in a key"),
        (doubled(34, before=b"(", after=b"K\x01d."), "in a key"),
        (doubled(34, before=b"ccollections\nOrderedDict\n(", after=b"K\x01\x86l\x85R."), "pairs|in a key"),
        (doubled(34, before=b"\x8f(", after=b"\x90."), "operation 0x8f"),
        (doubled(34, after=b"Q."), "outside the file"),
        (doubled(34, before=b"cnumpy\ndtype\n", after=b"\x85R0cnumpy\nndarray\n."), "holds a type"),
        (doubled(34, before=b"c_codecs\nencode\nX\x01\x00\x00\x00a", after=b"\x86R."), "a value other than Latin-1 text"),
        (empty_array(1 << 24), "too many values"),
        (called(b"_codecs\nencode", TEXT, 1000), "repeatedly"),
        (b"\x96" + (1 << 34).to_bytes(8, "little") + b".", "states 17,179,869,184 bytes"),
        (b"\x80\x02\x8b" + (4096).to_bytes(4, "little") + b"\x7f" * 4096 + b".", "64 bits"),
    ],
    ids=[
        "values", "key", "keys", "mapping", "pairs", "set", "outside", "type", "encoding", "rows without numbers",
        "calls", "reserved bytes", "number",
    ],
)  # fmt: skip
def test_a_small_file_cannot_unfold_without_end(data: bytes, why: str) -> None:
    with pytest.raises(DataError, match=why):
        load_data(data)


def test_operations_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pickles, "MAX_OPERATIONS", 1000)
    with pytest.raises(DataError, match="more than 1,000 operations"):
        load_data(b"]" * 1001 + b".")

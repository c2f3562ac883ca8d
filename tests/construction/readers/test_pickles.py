"""Pickles that hold data: numbers and lists come out, and nothing that a file asks for is run."""

from __future__ import annotations

import pickle
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchwright.construction.source_files import load_data
from benchwright.errors import DataError

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
    with pytest.raises(DataError, match="which is no data; nothing of it was run"):
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


def test_a_small_file_cannot_unfold_without_end() -> None:
    nested: Any = [1] * 10
    for _ in range(12):
        nested = [nested] * 10
    with pytest.raises(DataError, match="too many values"):
        load_data(pickle.dumps(nested))

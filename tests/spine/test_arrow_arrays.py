"""Arrow arrays from plain values are those of pyarrow, written to the same bytes, and pandas stays where it is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.workspace.arrow_arrays import arrow_array, numbers_of

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
KINDS = {
    "string": (pa.string(), TEXT),
    "int64": (pa.int64(), st.integers(-(2**63), 2**63 - 1)),
    "uint64": (pa.uint64(), st.integers(0, 2**64 - 1)),
    "float64": (pa.float64(), st.floats(allow_nan=False)),
    "bool": (pa.bool_(), st.booleans()),
    "int32": (pa.int32(), st.integers(-(2**31), 2**31 - 1)),
    "bytes": (pa.binary(), st.binary(max_size=6)),
    "structures": (
        pa.list_(pa.struct([("key", pa.string()), ("data", pa.binary())])),
        st.lists(st.none() | st.fixed_dictionaries({"key": st.none() | TEXT}, optional={"data": st.binary()})),
    ),
    "texts": (pa.list_(pa.string()), st.lists(st.none() | TEXT, max_size=3) | st.tuples(TEXT, TEXT)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_arrays_are_those_of_pyarrow(name: str, data: st.DataObject) -> None:
    kind, one = KINDS[name]
    values = data.draw(st.lists(st.none() | one, max_size=40))
    made = arrow_array(values, kind)
    made.validate(full=True)
    assert made.equals(pa.array(values, kind))
    assert made.to_pylist() == pa.array(values, kind).to_pylist()


@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_they_are_written_to_the_same_bytes(tmp_path_factory: pytest.TempPathFactory, name: str, data: Any) -> None:
    kind, one = KINDS[name]
    values = data.draw(st.lists(st.none() | one, max_size=40))
    folder = tmp_path_factory.mktemp("arrow")
    for file, array in (("ours", arrow_array(values, kind)), ("theirs", pa.array(values, kind))):
        pq.write_table(pa.table({"column": array}), folder / file, compression="zstd")
    assert (folder / "ours").read_bytes() == (folder / "theirs").read_bytes()


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        pytest.param([2**63], pa.int64(), id="too large"),
        pytest.param([-1], pa.uint64(), id="negative"),
        pytest.param([7], pa.string(), id="number for text"),
        pytest.param(["7"], pa.float64(), id="text for number"),
        pytest.param([[7]], pa.list_(pa.string()), id="number in a list of texts"),
    ],
)
def test_what_does_not_belong_is_refused_as_by_pyarrow(values: list[Any], kind: pa.DataType) -> None:
    with pytest.raises((pa.ArrowException, OverflowError)) as theirs:
        pa.array(values, kind)
    with pytest.raises(type(theirs.value)):
        arrow_array(values, kind)


def test_what_pyarrow_converts_is_converted() -> None:
    assert arrow_array([1, 2.5, None], pa.float64()).to_pylist() == [1.0, 2.5, None]
    assert arrow_array([1.5], pa.int64()).equals(pa.array([1.5], pa.int64()))
    assert arrow_array([None, None], pa.null()).to_pylist() == [None, None]


def test_numbers_of_a_column_are_those_of_to_numpy_whatever_its_pieces() -> None:
    column = pa.chunked_array([pa.array([1, 2, 3]).slice(1), pa.array([], pa.int64()), pa.array([2**62])])
    assert numbers_of(column).tolist() == column.to_numpy().tolist() == [2, 3, 2**62]
    assert numbers_of(pa.chunked_array([[2**64 - 1]], pa.uint64())).tolist() == [2**64 - 1]
    assert numbers_of(pa.chunked_array([], pa.float64())).tolist() == []


def test_a_column_with_nulls_or_of_texts_has_no_numbers() -> None:
    with pytest.raises(ValueError, match="1 of 2 numbers are null"):
        numbers_of(pa.chunked_array([[1, None]], pa.int64()))
    with pytest.raises(TypeError, match="string"):
        numbers_of(pa.chunked_array([["1"]], pa.string()))


TABLE = """
import sys
from pathlib import Path
from benchwright.workspace.tables import FILES, read_table, write_table
path = Path(sys.argv[1]) / "files.parquet"
write_table(path, [{"uri": "a.png", "verdict": "keep"}], FILES)
assert read_table(path, ["uri", "reason"]).to_pylist() == [{"uri": "a.png", "reason": None}]
"""
DATA_FILE = """
import sys
from pathlib import Path
from benchwright.release.format.parquet import PieceLimits, SizedRow, read_rows, write_split
from benchwright.release.format.schema import COLUMNS
picture = {"bytes": b"file", "path": "a.jpg"}
row = dict.fromkeys(COLUMNS) | {"item_id": "1", "revision": 0, "images": [picture], "unmarked": [None], "choices": [{"key": "A"}]}
root = Path(sys.argv[1])
(root / "data").mkdir()
[name] = write_split(root, "test", [SizedRow(row, 1, 4)], canary="c", limits=PieceLimits(), repeats=True)
[read] = read_rows((root / name).open("rb"), title=name, canary="c")
assert read["images"] == [picture]
"""


@pytest.mark.parametrize("program", [TABLE, DATA_FILE], ids=["table", "data file"])
def test_writing_and_reading_leave_pandas_alone(tmp_path: Path, program: str) -> None:
    program += """
print([name for name in ("pandas", "pyarrow.dataset") if name in sys.modules])
"""
    found = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], check=True, capture_output=True, text=True
    ).stdout
    assert found.strip() == "[]"


def test_a_negative_zero_stays_one() -> None:
    assert str(arrow_array([-0.0, None], pa.float64())[0].as_py()) == "-0.0"

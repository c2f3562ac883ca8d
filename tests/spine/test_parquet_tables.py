"""Parquet files that this process reads: an invalid file, or one that states excessive sizes, is an error that names
it.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchwright.errors import DataError
from benchwright.files.parquet_tables import ParquetTable, UnreadableParquet, rows_of_item


def written(path: Path, *, texts: list[str], rows: int = 2) -> Path:
    table = pa.table({"item_id": texts, "split": ["test"] * len(texts)})
    pq.write_table(table, path, compression="none", use_dictionary=False, row_group_size=rows, write_statistics=False)
    return path


def with_bad_text(path: Path) -> Path:
    path.write_bytes(path.read_bytes().replace(b"bad!", b"b\xff\xfe!"))
    return path


@pytest.mark.parametrize("way", ["batches", "table", "having", "rows_of_item"])
def test_text_that_is_no_utf_8_is_an_error_before_a_value_is_read(tmp_path: Path, way: str) -> None:
    path = with_bad_text(written(tmp_path / "p.parquet", texts=["good", "bad!"]))
    with ParquetTable(path, title="p.parquet") as table:
        read = {
            "batches": lambda: list(table.batches(["item_id"])),
            "table": lambda: table.table(["item_id"]),
            "having": lambda: list(table.having("item_id", ["good"])),
            "rows_of_item": lambda: list(rows_of_item(path, "good")),
        }
        with pytest.raises(UnreadableParquet, match=r"p\.parquet: cannot be read as Parquet: .*UTF"):
            read[way]()


def test_only_row_groups_that_hold_the_item_are_read(tmp_path: Path) -> None:
    path = written(tmp_path / "p.parquet", texts=["a", "b", "c", "d"])
    assert list(rows_of_item(path, "c", ["split", "absent"])) == [{"split": "test"}]
    assert list(rows_of_item(path, "c")) == [{"item_id": "c", "split": "test"}]
    assert list(rows_of_item(path, "e")) == []


def test_small_row_groups_are_read_together_as_long_as_they_state_no_more_than_one_may(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    pq.write_table(pa.table({"number": list(range(12))}), path, row_group_size=2)
    stated = pq.ParquetFile(path).metadata.row_group(0).total_byte_size
    with ParquetTable(path, title="table") as table:
        assert [batch.num_rows for batch in table.batches(groups_at_once=4)] == [8, 4]
    with ParquetTable(path, title="table", most_group_bytes=2 * stated) as table:
        batches = list(table.batches(groups_at_once=4))
    assert [batch.num_rows for batch in batches] == [4, 4, 4]
    assert [number for batch in batches for number in batch["number"].to_pylist()] == list(range(12))


def test_a_row_group_that_states_more_than_is_read_is_refused_and_the_variable_it_names_raises_the_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "p.parquet", texts=["x" * 3000, "y"])
    monkeypatch.setenv("BENCHWRIGHT_MAX_ROW_GROUP_MIB", "0.002")
    with pytest.raises(DataError, match=r"row group 0 states .* or set BENCHWRIGHT_MAX_ROW_GROUP_MIB to more than"):
        ParquetTable(path, title="p.parquet")
    monkeypatch.setenv("BENCHWRIGHT_MAX_ROW_GROUP_MIB", "1")
    with ParquetTable(path, title="p.parquet") as table:
        assert table.table().num_rows == 2


@pytest.mark.parametrize("data", [b"", b"PAR1" * 100])
def test_what_is_no_parquet_is_an_error_that_names_it(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "p.parquet").write_bytes(data)
    with pytest.raises(UnreadableParquet, match=r"p\.parquet: cannot be read as Parquet"):
        ParquetTable(tmp_path / "p.parquet", title="p.parquet")

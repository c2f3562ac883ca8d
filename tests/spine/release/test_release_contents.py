"""Statements of a release's rows, if the manifest vouches for every file.

An author of a changed file can also rewrite the manifest, so rows, counts and ids are checked against each other, and
a separate process reads a crafted file with Arrow.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_bench import reseal

from benchwright.release import verify_release
from benchwright.release.format.manifest import read_manifest
from benchwright.release.verification.contents import check_contents
from benchwright.release.verification.subprocess_check import check_contents_apart

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def whole(bench, tmp_path_factory):
    return bench.write(tmp_path_factory.mktemp("whole") / "r")


@pytest.fixture
def folder(whole, tmp_path):
    return Path(shutil.copytree(whole.path, tmp_path / "r"))


def problems(folder: Path) -> list[str]:
    found = check_contents(folder, read_manifest(folder)[0])
    assert all("\n" not in line for line in found.problems)
    return found.problems


def edit_rows(folder: Path, change: Callable[[list[dict[str, Any]]], object]) -> None:
    """Change the rows of `val` and reseal."""
    path = folder / "data" / "val-00000.parquet"
    table = pq.read_table(path)
    rows = table.to_pylist()
    change(rows)
    rewrite_parquet(pa.Table.from_pylist(rows, schema=table.schema), path)
    reseal(folder)


def rewrite_parquet(table: pa.Table, path: Path) -> None:
    """Write a table in the way of a release, so that only what it holds gives it away."""
    pq.write_table(table, path, compression="none", use_dictionary=False)


def _change(column: str, value: Any) -> Callable[[list[dict[str, Any]]], None]:
    return lambda rows: rows[1].update({column: value})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(_change("question", "Another?"), "content_hash", id="question"),
        pytest.param(_change("answer", "B"), "content_hash", id="answer"),
        pytest.param(_change("answer", "Z"), "not among its choices", id="answer-of-no-choice"),
        pytest.param(_change("content_hash", None), "content_hash", id="no-hash"),
        pytest.param(_change("split", "test"), "a split other than its own, test", id="split"),
        pytest.param(_change("item_id", "../../x"), "item_id", id="item-id"),
        pytest.param(_change("item_id", None), "item_id", id="no-item-id"),
        pytest.param(_change("task", "a|b\n"), "task", id="task"),
        pytest.param(_change("images", None), "item", id="no-images"),
        pytest.param(_change("images", []), "item", id="too-few-images"),
        pytest.param(_change("image_ids", [None, None, None]), "image_id", id="null-ids"),
        pytest.param(_change("choices", None), "choices", id="no-choices"),
        pytest.param(_change("visual_prompts", "[" * 90_000), "visual_prompts", id="deep-prompts"),
        pytest.param(_change("visual_prompts", "{}"), "visual_prompts", id="prompts-no-list"),
        pytest.param(_change("visual_prompts", None), "item", id="no-prompts"),
        pytest.param(_change("evidence", "[1]"), "evidence", id="evidence-no-object"),
        pytest.param(_change("evidence", '{"a":NaN}'), "evidence", id="evidence-nan"),
        pytest.param(_change("attributes", '{"a":1e999}'), "item", id="attribute-infinite"),
        pytest.param(_change("operation_id", "unheard-of"), "lacks operation unheard-of", id="operation"),
        pytest.param(_change("root_image_id", "0" * 64), f"lacks image {'0' * 64}", id="root-image"),
        pytest.param(lambda rows: rows.reverse(), "rows are sorted by the first picture", id="order"),
        pytest.param(lambda rows: rows.append(rows[-1]), "rows are sorted by the first picture", id="twice"),
        pytest.param(lambda rows: rows.pop(), "the data has", id="one-fewer"),
        pytest.param(lambda rows: rows.clear(), "the data has 0", id="none"),
    ],
)
def test_rows_written_anew_to_mislead_are_found(folder, change, message):
    edit_rows(folder, change)
    assert any(message in line for line in problems(folder)), problems(folder)


def test_another_picture_under_the_same_name_is_found(folder):
    def swap(rows):
        rows[0]["images"][0]["bytes"] = rows[0]["images"][0]["bytes"][:-1] + b"\0"

    edit_rows(folder, swap)
    assert any("do not match image_id" in line for line in problems(folder))


def test_a_picture_with_a_path_that_leads_away_is_found(folder):
    edit_rows(folder, lambda rows: rows[0]["images"][0].update(path="../../etc/passwd"))
    assert any("has the path '../../etc/passwd'" in line for line in problems(folder))


def test_an_item_in_two_splits_is_found(folder):
    test = folder / "data" / "test-00000.parquet"
    table = pq.read_table(folder / "data" / "val-00000.parquet")
    rows = [{**row, "split": "test"} for row in pq.read_table(test).to_pylist() + table.to_pylist()]
    rows.sort(key=lambda row: row["item_id"])
    rewrite_parquet(pa.Table.from_pylist(rows, schema=table.schema), test)
    reseal(folder)
    assert any("is in the release twice" in line for line in problems(folder))


def test_parquet_with_other_columns_or_marks_is_named(folder):
    path = folder / "data" / "val-00000.parquet"
    table = pq.read_table(path)
    for other, message in (
        (table.drop_columns(["split"]), "columns"),
        (table.append_column("extra", pa.nulls(len(table), pa.string())), "columns"),
        (
            table.replace_schema_metadata({**table.schema.metadata, b"benchwright": b"{}"}),
            "differ from those of this release",
        ),
        (table.replace_schema_metadata(None), "differ from those of this release"),
    ):
        rewrite_parquet(other, path)
        reseal(folder)
        assert any(line.startswith("data/val-00000.parquet") and message in line for line in problems(folder))


def test_a_file_that_is_no_parquet_is_named_though_the_manifest_vouches_for_it(folder):
    for data in (b"", b"PAR1", b"PAR1" + b"\xff" * 100 + b"PAR1", b"PAR1\xff\xff\xff\x7fPAR1"):
        (folder / "data" / "val-00000.parquet").write_bytes(data)
        reseal(folder)
        assert any(line.startswith("data/val-00000.parquet: cannot be read as Parquet") for line in problems(folder))


def test_damaged_parquet_that_the_manifest_vouches_for_gives_problems_or_nothing_new(folder, whole):
    """Flips that Arrow does not notice may change what no hash of the content covers, and then only that."""
    path = folder / "data" / "val-00000.parquet"
    data = path.read_bytes()
    rng = random.Random(7)
    for position in rng.sample(range(len(data)), k=100):
        path.write_bytes(data[:position] + bytes([data[position] ^ 1 << rng.randrange(8)]) + data[position + 1 :])
        reseal(folder)
        found = check_contents(folder, read_manifest(folder)[0])
        assert found.problems or found.content_id == whole.content_id


def test_a_row_group_that_states_more_than_a_release_has_is_not_read(folder, monkeypatch):
    monkeypatch.setattr("benchwright.release.format.parquet.MAX_GROUP_BYTES", 1_000)
    found = problems(folder)
    assert len(found) == 2
    assert all("row group 0 states" in line and "the limit is 1,000" in line for line in found)


def test_verification_includes_what_the_rows_say(folder):
    edit_rows(folder, _change("answer", "B"))
    found = verify_release(folder)
    assert not found.ok
    assert found.content_id is None
    assert len(found.problems) == 1
    assert "content_hash" in found.problems[0]


def test_a_small_file_that_unfolds_to_more_than_the_bound_becomes_a_problem(folder):
    """Twenty million nulls in one row take some kB of Parquet, and hundreds of MB once read."""
    path = folder / "data" / "val-00000.parquet"
    table = pq.read_table(path).slice(0, 1)
    keys = pa.ListArray.from_arrays(pa.array([0, 20_000_000], pa.int32()), pa.nulls(20_000_000, pa.string()))
    place = table.schema.get_field_index("group_keys")
    rewrite_parquet(table.set_column(place, table.schema.field(place), keys.cast(table.schema.field(place).type)), path)
    assert path.stat().st_size < 80_000
    reseal(folder)
    (line,) = check_contents_apart(folder, memory_bytes=700_000_000).problems
    assert line.startswith("data")
    assert "cannot be read" in line


def test_a_file_that_ends_the_process_that_reads_it_becomes_a_problem(folder):
    found = check_contents_apart(folder, program=("-c", "import os; os.abort()"))
    assert found.content_id is None
    assert found.problems == ["data: cannot be read; the process that tried was ended by SIGABRT"]


def test_a_defect_of_ours_is_not_taken_for_a_fault_of_the_release(folder):
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        check_contents_apart(folder, program=("-c", "1 / 0"))


def test_apart_and_within_this_process_the_same_is_found(folder, whole):
    assert check_contents_apart(folder) == check_contents(folder, whole.manifest)

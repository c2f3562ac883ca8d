"""Models that use no words and pictures are asked without these, and are judged in the same way."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchwright.errors import DataError
from benchwright.evaluation.backends.baselines import constant
from benchwright.evaluation.backends.options import BackendOptions
from benchwright.evaluation.prompting.item_index import outlines_of
from benchwright.evaluation.prompting.release_files import columns_of
from benchwright.evaluation.run import evaluate
from benchwright.release import Release


@pytest.fixture
def release(bench: Any, tmp_path: Path) -> Release:
    bench.add("q0", options=("cat", "dog"), answer="A")
    bench.add("q1", options=[0, "none"], answer=None, refusal="B", split="val")
    bench.add("q2", task="counting", answer="C", group_keys=("scene:1",))
    return bench.release(tmp_path / "release")


def test_outlines_are_the_items_in_their_order(release: Release) -> None:
    for split in (None, "val", "test"):
        whole = [
            (
                r.item.item_id,
                r.item.task,
                r.item.answer,
                r.item.refusal,
                [(c.key, c.text) for c in r.item.choices],
                r.split,
            )
            for r in release.items(split)
        ]
        assert whole == [
            (o.item_id, o.task, o.answer, o.refusal, [tuple(c) for c in o.choices], s)
            for o, s in outlines_of(release, split)
        ]


def test_looking_or_not_a_baseline_gets_the_same_predictions(release: Release, tmp_path: Path) -> None:
    blind = constant("B", BackendOptions())
    assert not blind.looks  # type: ignore[attr-defined]
    evaluate(release, blind, out=tmp_path / "blind")
    evaluate(release, replace(blind, looks=True), out=tmp_path / "looking")  # type: ignore[type-var]
    paths = [tmp_path / name / "constant-B" / "predictions.parquet" for name in ("blind", "looking")]
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_a_letter_given_as_such_is_not_read(
    release: Release, bench: Any, predictions_file: Any, tmp_path: Path
) -> None:
    rows = [{"item_id": item.item_id, "answer": "B"} for item, _ in bench.items]
    rows[0]["answer"] = ""
    score = evaluate(release, f"predictions:{predictions_file(rows)}", out=tmp_path / "out")
    assert (score.miss, score.metrics["accuracy"].value) == (1, pytest.approx(1 / 3))
    [path] = (tmp_path / "out").glob("*/predictions.parquet")
    row_by_item = {row["item_id"]: row for row in pq.read_table(path).to_pylist()}
    read = [row_by_item[item.item_id]["read_by"] for item, _ in bench.items]
    assert read == ["empty", "given", "given"]


WORDS = {
    "columns": "not those of a release", "nulls": "an item has no task", "terminal": "an impossible task",
}  # fmt: skip


@pytest.mark.parametrize("damage", WORDS)
def test_columns_of_what_is_no_release_are_refused(release: Release, damage: str) -> None:
    path = release.path / release.manifest.data_files("test")[0]
    table = pq.read_table(path)
    if damage == "columns":
        table = table.drop_columns(["answer"])
    else:
        value = None if damage == "nulls" else "naming\x1b[2J"
        tasks = pa.array([value] * table.num_rows, pa.string())
        table = table.set_column(table.column_names.index("task"), table.schema.field("task"), tasks)
    pq.write_table(table, path)
    with pytest.raises(DataError, match=WORDS[damage]):
        list(columns_of(release, "test", ["item_id", "task", "answer"]))

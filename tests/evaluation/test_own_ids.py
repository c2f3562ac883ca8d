"""The source's ids in place of ours: predictions may name items by them, and written files show them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from benchwright.errors import DataError
from benchwright.evaluation.run import evaluate

Write = Callable[..., Path]


@pytest.mark.parametrize("column", ["item_id", "source_id", "question_id"])
def test_predictions_name_items_as_their_source_does(
    column: str, bench: Any, tmp_path: Path, predictions_file: Write
) -> None:
    items = [
        bench.add(f"q{k}", answer="B", attributes={"source_id": f"d.csv:{k}", "stated_id": str(k)}) for k in (7, 8)
    ]
    rows = [{column: "d.csv:7", "answer": "B"}, {column: "8", "answer": "A"}]
    score = evaluate(bench.release(tmp_path / "release"), f"predictions:{predictions_file(rows)}", out=tmp_path / "out")
    assert score.metrics["accuracy"].value == 0.5
    judged = pq.read_table(next((tmp_path / "out").rglob("*.parquet"))).to_pylist()
    assert {row["item_id"]: (row["source_id"], row["right"]) for row in judged} == {
        items[0].item_id: ("d.csv:7", True), items[1].item_id: ("d.csv:8", False),
    }  # fmt: skip


def test_an_id_that_several_items_have_in_their_source_is_refused(
    bench: Any, tmp_path: Path, predictions_file: Write
) -> None:
    for k in range(2):
        bench.add(f"q{k}", answer="B", attributes={"source_id": f"d{k}.csv:1", "stated_id": "1"})
    path = predictions_file([{"item_id": "1", "answer": "B"}])
    with pytest.raises(DataError, match="line 1: 2 items have the id '1' in their source; give one of"):
        evaluate(bench.release(tmp_path / "release"), f"predictions:{path}")

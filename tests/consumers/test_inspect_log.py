"""inspect_ai reads the log that `evaluate export` writes of a result."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
from consumer_runs import run_consumer

from benchwright.evaluation.results.exported_results import export_result
from benchwright.evaluation.run import evaluate
from benchwright.release import Release


def test_inspect_reads_the_log_of_a_result(consumer_python: Path, release: Release, tmp_path: Path) -> None:
    score = evaluate(release, "constant:B", out=tmp_path / "out")
    [folder] = (tmp_path / "out").iterdir()
    export_result(folder, release, "inspect", tmp_path / "log.json")
    read = run_consumer(consumer_python, "read_inspect_log.py", tmp_path / "log.json", folder=tmp_path)
    rows = pq.read_table(folder / "predictions.parquet").to_pylist()
    accuracy = score.metrics["accuracy"].value
    assert (read["status"], read["model"], read["accuracy"]) == ("success", "constant:B", accuracy)
    assert {item: said[:2] for item, said in read["samples"].items()} == {
        row["item_id"]: [row["reply"], row["letter"]] for row in rows
    }
    right = {row["item_id"] for row in rows if row["right"]}
    assert {item for item, said in read["samples"].items() if said[2] == "C"} == right
    assert not read["errors"]

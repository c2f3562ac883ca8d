"""Wrong keys are found: planted ones rank above right ones, by models and by people, in a reproducible order."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from benchwright.cli.main import invoke
from benchwright.evaluation.run import evaluate
from benchwright.release import Release

pytestmark = pytest.mark.slow

Released = Callable[..., Release]


@pytest.fixture
def scored(bench: Any, predictions_file: Any, tmp_path: Path) -> Callable[..., tuple[Release, Path]]:
    """Return a function that releases forty items, the first four keyed wrong, and scores three able models.

    To the sixth item they give no letter.
    """

    def make(**settings: Any) -> tuple[Release, Path]:
        rng = np.random.default_rng(4)
        truth = ["ABCD"[k] for k in rng.integers(0, 4, 40)]
        for number, letter in enumerate(truth):
            key = "ABCD"[("ABCD".index(letter) + 1) % 4] if number < 4 else letter
            bench.add(f"q{number}", options=("cat", "dog", "parrot", "eel"), answer=key)
        release = bench.release(tmp_path / "release", **settings)
        for model, ability in (("able", 0.95), ("good", 0.9), ("fair", 0.85)):
            rows = [
                {"item_id": item.item_id, "answer": letter if rng.random() < ability else "ABCD"[rng.integers(4)]}
                for (item, _), letter in zip(bench.items, truth, strict=True)
            ]
            rows[5]["answer"] = ""
            evaluate(release, f"predictions:{predictions_file(rows, f'{model}.jsonl')}", out=tmp_path / "out")
        evaluate(release, "constant:A", out=tmp_path / "out")  # no better than chance: it has no vote
        return release, tmp_path / "out"

    return make


def told(capsys: pytest.CaptureFixture[str], results: Path, release: Release, *more: str) -> Any:
    capsys.readouterr()
    assert invoke(["evaluate", "suspects", str(results), "--release", str(release.path), *more, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_command_ranks_planted_wrong_keys_first(
    scored: Any, bench: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    release, results = scored()
    document = told(capsys, results, release)
    planted = {item.item_id for item, _ in bench.items[:4]}
    suspects = document["suspects"]
    assert planted == {suspect["item_id"] for suspect in suspects[:4]}
    assert [suspect["rank"] for suspect in suspects] == list(range(1, len(suspects) + 1))
    assert [suspect["score"] for suspect in suspects] == sorted(
        (suspect["score"] for suspect in suspects), reverse=True
    )
    first = suspects[0]
    assert first["reason"] == "models_prefer_another"
    assert first["probability"] == pytest.approx(1 / (1 + np.exp(-first["score"])), abs=1e-4)
    assert first["letters"] != [first["key"]]
    assert len(first["given"][first["letters"][0]]) >= 2
    assert (first["models"], first["people"], first["discrimination"]) == (4, 0, None)
    assert document["campaigns"] == []


def baseline(bench: Any, *, simulated: bool) -> dict[str, Any]:
    """Return three people's answers: all give the key but to two items, where all miss it."""
    right = {item.item_id: 0 if number in {0, 5} else 3 for number, (item, _) in enumerate(bench.items)}
    items = {item_id: {"asked": 3, "right": n} for item_id, n in right.items()}
    return {"answer": {"simulated": simulated, "annotators": 3, "answers_per_item": 3, "items": items}}


@pytest.mark.parametrize("simulated", [False, True])
def test_people_count_but_simulated_ones_do_not(
    scored: Any, bench: Any, simulated: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = bench.release
    monkeypatch.setattr(
        bench, "release", lambda folder, **settings: real(folder, human_baseline=baseline(bench, simulated=simulated))
    )
    release, results = scored()
    document = told(capsys, results, release)
    reasons = {
        suspect["item_id"]: (suspect["reason"], suspect["people"], suspect["people_right"])
        for suspect in document["suspects"]
    }
    first, sixth = bench.items[0][0].item_id, bench.items[5][0].item_id
    if simulated:
        assert document["campaigns"] == []
        assert reasons[first] == ("models_prefer_another", 0, 0)
    else:
        assert document["campaigns"] == ["answer"]
        assert reasons[first] == ("models_and_people", 3, 0)
        assert document["suspects"][0]["item_id"] == first
        assert reasons[sixth] == ("people_miss_the_key", 3, 0)
        assert [suspect["letters"] for suspect in document["suspects"] if suspect["item_id"] == sixth] == [[]]


def test_a_campaign_gets_a_table_as_csv_or_parquet(
    scored: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release, results = scored()
    for name in ("s.csv", "s.parquet"):
        told(capsys, results, release, "--out", str(tmp_path / name))
    suspects = told(capsys, results, release)["suspects"]
    with (tmp_path / "s.csv").open(newline="") as handle:
        rows = list(csv.DictReader(handle))
    table = pq.read_table(tmp_path / "s.parquet")
    assert [row["item_id"] for row in rows] == table.column("item_id").to_pylist() == [s["item_id"] for s in suspects]
    assert {"item_id", "reason", "letters"} <= set(rows[0]) == set(table.column_names)
    assert rows[0]["discrimination"] == ""
    assert table.column("discrimination")[0].as_py() is None
    assert json.loads(rows[0]["given"]) == suspects[0]["given"]
    assert table.schema.metadata[b"release_id"] == release.release_id.encode()
    assert table.schema.metadata[b"format"] == b"benchwright/suspects"


def test_another_file_is_replaced_only_when_asked_and_by_the_same_bytes(
    scored: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release, results = scored()
    out = tmp_path / "s.csv"
    arguments = ["evaluate", "suspects", str(results), "--release", str(release.path), "--out"]
    assert invoke([*arguments, str(out)]) == 0
    first = out.read_bytes()
    assert invoke([*arguments, str(out)]) == 0  # the same again
    out.write_text("something else")
    assert invoke([*arguments, str(out)]) == 2
    assert "--force" in capsys.readouterr().err
    assert invoke([*arguments, str(out), "--force"]) == 0
    assert out.read_bytes() == first
    assert invoke([*arguments, str(tmp_path / "s.txt")]) == 2
    assert ".csv or .parquet" in capsys.readouterr().err


def test_people_at_the_command_line_see_the_first_twenty(scored: Any, capsys: pytest.CaptureFixture[str]) -> None:
    release, results = scored()
    assert invoke(["evaluate", "suspects", str(results), "--release", str(release.path)]) == 0
    assert "suspects among 40 items" in capsys.readouterr().out

"""Wrong keys come up: planted ones rank above right ones, by models and by people, in an order that never varies."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from benchwright.cli.main import invoke
from benchwright.diagnostics.keys.key_evidence import evidence_against, people_against, weight_of
from benchwright.evaluation.run import evaluate
from benchwright.release import Release

NOBODY = np.zeros(100, dtype=np.int64), np.zeros(100, dtype=np.int64)


def replies(*, seed: int = 0, abilities: tuple[float, ...] = (0.9, 0.85, 0.8), wrong: int = 5) -> tuple[Any, Any]:
    """Return letters and keys of a hundred items of four options; the first keys are wrong."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, 100)
    key = truth.copy()
    key[:wrong] = (truth[:wrong] + 1) % 4
    hits = rng.random((len(abilities), 100)) < np.array(abilities)[:, None]
    letter = np.where(hits, truth, (truth + rng.integers(1, 4, (len(abilities), 100))) % 4)
    return letter.astype(np.int8), key.astype(np.int8)


def against(letter: Any, key: Any, people: Any = NOBODY) -> Any:
    options, task = np.full(len(key), 4), np.zeros(len(key), dtype=np.int64)
    return evidence_against(letter, key, options, task, people)


def test_planted_wrong_keys_have_the_highest_evidence() -> None:
    letter, key = replies(abilities=(0.9, 0.9, 0.85, 0.85, 0.8))
    evidence = against(letter, key)
    assert set(np.argsort(-evidence.models)[:5]) == set(range(5))
    assert (evidence.models[5:] < evidence.models[:5].min()).all()


def test_the_evidence_of_one_item_by_hand() -> None:
    # Ten items of four options, keyed A. The first model has 9 of 10 right, the second 8; both say B to the last.
    letter = np.zeros((2, 10), dtype=np.int8)
    letter[:, 9], letter[1, 0] = 1, 2
    evidence = evidence_against(
        letter, np.zeros(10, dtype=np.int8), np.full(10, 4), np.zeros(10), (np.zeros(10, int), np.zeros(10, int))
    )
    # Abilities on the other nine: (9 + 1) / (9 + 4) and (8 + 1) / (9 + 4); ln(a 3 / (1 - a)).
    expected = log(10 / 13 * 3 / (3 / 13)) + log(9 / 13 * 3 / (4 / 13))
    assert evidence.models[9] == pytest.approx(expected)
    assert (evidence.letter[9], evidence.voices[9]) == (1, 2)
    assert (evidence.letter[1], evidence.models[1]) == (-1, 0.0)  # all gave the key: no other letter is favoured


def test_who_is_no_better_than_chance_has_no_vote() -> None:
    letter, key = replies(abilities=(0.25, 0.25, 0.2), wrong=0)
    assert (against(letter, key).voices == 0).all()
    assert weight_of(np.array([0.25, 0.1, 0.5]), np.array([4, 4, 4])) == pytest.approx([0, 0, log(3)])


def test_an_item_without_a_key_has_nothing_against_it() -> None:
    letter, key = replies()
    key[:3] = -1
    evidence = against(letter, key)
    assert (evidence.models[:3] == 0).all()
    assert (evidence.letter[:3] == -1).all()


def test_people_who_miss_a_key_speak_against_it_by_hand() -> None:
    people_asked, right = np.full(20, 3), np.full(20, 3)
    right[0], right[1] = 0, 1
    evidence = people_against(people_asked, right, np.full(20, 4), np.zeros(20))
    # 55 of 60 right in all. Of the others than item 0: 55 of 57, a = 56 / 61; each miss counts
    # ln((1 - (5/61) / 3) / (5/61)).
    assert evidence[0] == pytest.approx(3 * log((1 - 5 / 61 / 3) / (5 / 61)))
    # Than item 1: 54 of 57, a = 55 / 61: two misses against one who gave the key.
    assert evidence[1] == pytest.approx(2 * log((1 - 6 / 61 / 3) / (6 / 61)) - log(55 / 61 * 3 / (6 / 61)))
    assert (evidence[2:] < 0).all()


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


def test_a_file_is_replaced_only_when_asked_and_by_the_same_bytes(
    scored: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release, results = scored()
    out = tmp_path / "s.csv"
    arguments = ["evaluate", "suspects", str(results), "--release", str(release.path), "--out"]
    assert invoke([*arguments, str(out)]) == 0
    first = out.read_bytes()
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

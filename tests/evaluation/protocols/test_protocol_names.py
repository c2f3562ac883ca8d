"""Protocols have names and typed settings, which are stored with every score and distinguish scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.cli.main import invoke
from benchwright.errors import BenchwrightError
from benchwright.evaluation.backends.result_names import results_name
from benchwright.evaluation.protocols.names import listed, parse_protocol
from benchwright.evaluation.results.score import read_scores
from benchwright.evaluation.results.summary import summary_document
from benchwright.evaluation.run import evaluate


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("vanilla", "vanilla"), ("vanilla:wording=vanilla", "vanilla"), ("shuffle:k=5", "shuffle"),
        ("shuffle:wording=mm-sap,k=3", "shuffle:k=3,wording=mm-sap"), ("blink:joined=TRUE", "blink:joined=true"),
        ("marks:radius_px=15,color=gray", "marks:color=gray,radius_px=15.0"),
        ("caption:by=openai:gpt-4o", "caption:by=openai:gpt-4o"),
    ],
)  # fmt: skip
def test_a_protocol_is_written_in_one_way(given: str, text: str) -> None:
    protocol = parse_protocol(given)
    assert protocol.text == text
    assert parse_protocol(text) == protocol


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("circle", "no protocol named 'circle'; did you mean 'circular'"),
        ("shuffle:n=3", "no setting 'n'"), ("shuffle:wordin=x", "did you mean 'wording'"),
        ("shuffle:k=0", "setting 'k': .*greater than or equal to 1"), ("shuffle:k", "'k' is not a setting"),
        ("shuffle:k=1,k=2", "or is repeated"), ("caption", "setting 'by': Field required"),
        ("ii-bench:mode=cot,shots=2", "shots require mode=none"), ("marks:color=reddish", "setting 'color'"),
        ("blink:wording=vanilla", "setting 'wording'"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_protocol_is_named(given: str, words: str) -> None:
    with pytest.raises(BenchwrightError, match=words):
        parse_protocol(given)


def test_folders_of_different_scores_differ() -> None:
    assert results_name("random") == "random"
    names = {
        results_name("random", protocol, reader)
        for protocol in ("vanilla", "shuffle", "shuffle:k=3", "caption:by=openai:x", "caption:by=openai.x")
        for reader in ("robust", "blink")
    }
    assert len(names) == 10
    assert all("/" not in name and ":" not in name for name in names)


def test_two_protocols_of_one_model_stand_side_by_side_with_their_settings(bench: Any, tmp_path: Path) -> None:
    bench.add("q", answer="B")
    release = bench.release(tmp_path / "release")
    for protocol in ("vanilla", "circular", "shuffle:k=2"):
        evaluate(release, "constant:B", protocol=protocol, out=tmp_path / "out")
    scores = {score.title: score for score in read_scores(tmp_path / "out")}
    assert sorted(scores) == ["constant:B", "constant:B @ circular", "constant:B @ shuffle:k=2"]
    assert scores["constant:B @ shuffle:k=2"].settings["protocol"] == {
        "name": "shuffle",
        "k": 2,
        "wording": "vanilla",
        "joined": False,
        "shots": 0,
        "examples": None,
        "seed": 0,
    }
    assert set(summary_document(list(scores.values()))) == set(scores)


def test_the_command_lists_every_protocol_and_scores_by_one(
    bench: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["evaluate", "protocols", "--json"]) == 0
    names = [listed_protocol["name"] for listed_protocol in json.loads(capsys.readouterr().out)["protocols"]]
    assert names == [protocol.name for protocol in listed()]
    assert {"vanilla", "circular", "shuffle", "forced", "blind", "wrong-image", "caption", "marks"} <= set(names)
    bench.add("q", answer="B")
    bench.release(tmp_path / "release")
    out = ["--out", str(tmp_path / "out"), "--json"]
    command = ["evaluate", "run", str(tmp_path / "release"), "--model", "constant:B", "--protocol", "circular", *out]
    assert invoke(command) == 0
    assert json.loads(capsys.readouterr().out)["protocol"] == "circular"
    assert (tmp_path / "out" / "constant-B@circular" / "score.json").is_file()


def test_a_file_of_predictions_answers_every_variant(
    bench: Any, tmp_path: Path, predictions_file: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    item = bench.add("q", options=("a", "b"), answer="A")
    bench.release(tmp_path / "release")
    path = predictions_file([{"item_id": f"{item.item_id}.r{k}", "answer": "AB"[k]} for k in range(2)])
    command = ["evaluate", "score", str(tmp_path / "release"), str(path), "--protocol", "circular", "--json"]
    assert invoke(command) == 0
    assert json.loads(capsys.readouterr().out)["metrics"]["accuracy"]["value"] == 1

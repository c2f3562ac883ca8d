"""Unread replies: their share, and the score if all of them were right or wrong, the same wherever it is shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.cli.main import invoke
from benchwright.evaluation.protocols.base import JudgedReply
from benchwright.evaluation.results.judged_predictions import JUDGED_SCHEMA, JudgedWriter
from benchwright.evaluation.results.score import read_score
from benchwright.evaluation.results.unread import unread_in
from benchwright.evaluation.run import evaluate

REPLIES = ["(B)"] * 4 + ["(A)"] * 2 + ["Hard to say, it depends."] * 3 + ["  "]
BOUNDS = {"n": 3, "replies": 9, "share": 3 / 9, "if_wrong": 0.4, "if_right": 0.7}
WORDS = (
    "3 of 9 replies unread (33.3 %): accuracy 0.400 if all of them are wrong, as counted, and 0.700 if all are right"
)


@pytest.fixture
def scored(bench: Any, predictions_file: Any, tmp_path: Path) -> Path:
    """Ten items keyed B: four right, two wrong, three that commit to nothing, and one of spaces."""
    for number in range(len(REPLIES)):
        bench.add(f"q{number}")
    release = bench.release(tmp_path / "release")
    rows = [{"item_id": item.item_id, "reply": reply} for (item, _), reply in zip(bench.items, REPLIES, strict=True)]
    evaluate(release, f"predictions:{predictions_file(rows)}", out=tmp_path / "out", name="mine")
    return tmp_path


def test_the_share_and_the_bounds_are_the_same_in_every_place(scored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [folder] = (scored / "out").iterdir()
    assert json.loads((folder / "score.json").read_text())["unread"] == pytest.approx(BOUNDS)
    out, page, board = str(scored / "out"), scored / "out" / "report.html", scored / "board.html"
    assert invoke(["evaluate", "summary", out, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mine"]["outcomes"]["unread"] == pytest.approx(BOUNDS)
    assert invoke(["evaluate", "leaderboard", out, "--json", "--out", str(board)]) == 0
    assert json.loads(capsys.readouterr().out)["systems"][0]["outcomes"]["unread"] == pytest.approx(BOUNDS)
    for command in ("summary", "leaderboard"):
        assert invoke(["evaluate", command, out]) == 0
        assert f"mine: {WORDS}" in capsys.readouterr().out
    assert invoke(["evaluate", "report", out, "--release", str(scored / "release")]) == 0
    assert WORDS in page.read_text()
    assert WORDS in board.read_text()
    report = json.loads((scored / "out" / "report-data" / "report.json").read_text())
    assert report["models"][0]["unread"] == pytest.approx(BOUNDS)


def test_repetitions_count_each_and_later_rounds_do_not(tmp_path: Path) -> None:
    said = [
        (0, "miss", "Hard to say."),
        (0, "miss", "Well."),
        (0, "answered", "B"),
        (0, "answered", "B"),
        (1, "miss", "?"),
    ]
    attempts = [
        JudgedReply(f"s{k}", round_number, state, right=state == "answered", reply=reply)  # type: ignore[arg-type]
        for k, (round_number, state, reply) in enumerate(said)
    ]
    row = dict.fromkeys(JUDGED_SCHEMA.names) | {"attempts": [_stored(attempt) for attempt in attempts]}
    with JudgedWriter(tmp_path / "predictions.parquet", {}) as writer:
        writer.add(row)
    unread = unread_in(tmp_path / "predictions.parquet", repeats=True)
    assert unread.model_dump() == {"n": 2, "replies": 4, "share": 0.5, "if_wrong": 0.5, "if_right": 1.0}


def _stored(attempt: JudgedReply) -> dict[str, Any]:
    names = {field.name for field in JUDGED_SCHEMA.field("attempts").type.value_type}
    return {name: value for name, value in attempt._asdict().items() if name in names}


def test_scores_of_older_programs_say_nothing_of_it(scored: Path) -> None:
    [folder] = (scored / "out").iterdir()
    path = folder / "score.json"
    document = json.loads(path.read_text())
    del document["unread"]
    path.write_text(json.dumps(document))
    assert read_score(folder).described_reading() == []

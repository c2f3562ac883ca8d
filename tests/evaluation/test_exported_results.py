"""Results are exported in the layouts of other programs, and read back with the same letters."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from handmade_bench import Bench

from benchwright.cli.main import invoke
from benchwright.errors import BenchwrightError
from benchwright.evaluation.results.exported_results import LAYOUTS, export_result
from benchwright.evaluation.run import evaluate
from benchwright.release import Release
from benchwright.replies.reply_files import ReplyRow, reply_rows

OPTIONS = ("a red ball", "a blue cube", "nothing")
SAID = ("b", "(A) it is", "It shows a blue cube.", "no idea", "", "I cannot answer that.", "<b>A & B</b>")
"""Two of them are misses, one is empty, one a refusal."""


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    bench = Bench()
    for number, _ in enumerate(SAID):
        none_right: dict[str, Any] = {"answer": None, "refusal": None} if number == 1 else {"answer": "B"}
        bench.add(f"Which one, {number}?", options=OPTIONS, attributes={"source_id": f"q{number}"}, **none_right)
    return bench.release(tmp_path_factory.mktemp("exported") / "release")


def _letters(out: Path) -> dict[str, tuple[str, str | None]]:
    [table] = out.rglob("predictions.parquet")
    return {row["item_id"]: (row["state"], row["letter"]) for row in pq.read_table(table).to_pylist()}


@pytest.mark.parametrize("settings", [{}, {"reader": "ii-bench"}, {"protocol": "circular"}], ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_written_is_read_back_with_the_same_letters(
    layout: str, settings: dict[str, Any], release: Release, tmp_path: Path, predictions_file: Callable[..., Path]
) -> None:
    told = f"predictions:{predictions_file([{'item_id': f'q{n}', 'reply': said} for n, said in enumerate(SAID)])}"
    model = "constant:C" if "protocol" in settings else told
    evaluate(release, model, out=tmp_path / "out", **settings)
    [folder] = (tmp_path / "out").iterdir()
    file = tmp_path / f"copy{LAYOUTS[layout][0]}"
    assert export_result(folder, release, layout, file) == len(SAID)
    evaluate(release, f"predictions:{file}", out=tmp_path / "again")
    before, after = _letters(tmp_path / "out"), _letters(tmp_path / "again")
    assert {item: letter for item, (_, letter) in after.items()} == {i: letter for i, (_, letter) in before.items()}
    if not settings:
        assert after == before


def test_an_error_stays_one_in_an_inspect_log(release: Release, tmp_path: Path) -> None:
    from benchwright.evaluation.backends.base import PerQuestion

    def reply(question: Any, _: str) -> str:
        if question.text.endswith("0?"):
            raise BenchwrightError("Provider returned error")
        return "B"

    evaluate(release, PerQuestion("m", reply), out=tmp_path / "out", max_errors=1)
    [folder] = (tmp_path / "out").iterdir()
    export_result(folder, release, "inspect", tmp_path / "log.json")
    evaluate(release, f"predictions:{tmp_path / 'log.json'}", out=tmp_path / "again", max_errors=1)
    assert _letters(tmp_path / "again") == _letters(tmp_path / "out")
    assert ("error", None) in _letters(tmp_path / "again").values()


def test_the_command_writes_once_and_refuses_another_release(
    release: Release, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evaluate(release, "constant:B", out=tmp_path / "out")
    [folder] = (tmp_path / "out").iterdir()
    command = ["evaluate", "export", str(folder), "--format", "lmms-eval", "--json", "--release"]
    assert invoke([*command, str(release.path), "--out", str(tmp_path / "s.jsonl")]) == 0
    assert json.loads(capsys.readouterr().out)["samples"] == len(SAID)
    rows = list(reply_rows(tmp_path / "s.jsonl"))
    assert {row.text for row in rows if isinstance(row, ReplyRow)} == {"B"}
    assert invoke([*command, str(release.path), "--out", str(tmp_path / "s.json")]) == 2
    other = Bench()
    other.add("Another?", options=OPTIONS, answer="A")
    other_release = other.release(tmp_path / "other")
    assert invoke([*command, str(other_release.path), "--out", str(tmp_path / "t.jsonl")]) == 2
    assert "give the release that was scored" in capsys.readouterr().err
    assert not (tmp_path / "t.jsonl").exists()

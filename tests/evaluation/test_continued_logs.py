"""A run continues from its log of replies: only missing replies are requested, and damaged lines are never used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from endpoint_runs import ask, fill, log_lines, options, trouble

from benchwright.evaluation.run import evaluate

pytestmark = pytest.mark.slow


def test_only_what_is_missing_is_asked_again(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench, 5)

    def behave(words: str, attempt: int, handler: Any) -> str | None:
        return trouble(server, "503", handler) if "question 3" in words else "(B)"

    server.behave = behave
    assert ask(bench, server, tmp_path, retries=0).error == 1
    server.sent.clear()
    server.behave = lambda words, attempt, handler: "(B)"
    assert ask(bench, server, tmp_path, retries=0).error == 0
    assert [words for words in server.sent if "question 3" in words] == list(server.sent)
    server.sent.clear()
    assert ask(bench, server, tmp_path).metrics["accuracy"].value == 1
    assert not server.sent


def test_a_question_with_another_picture_or_setting_is_asked_anew(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench, 2)
    ask(bench, server, tmp_path)
    ask(bench, server, tmp_path, max_tokens=5)
    assert sorted(server.sent.values()) == [2, 2]
    changed = type(bench)()
    changed.add("question 0", pictures=[np.full((9, 4, 3), 200, dtype=np.uint8)])
    release = changed.release(tmp_path / "changed")
    evaluate(release, "openai:tiny/model", out=tmp_path / "out", options=options(server), replace=True)
    assert sum(server.sent.values()) == 5


def test_a_log_cut_in_the_middle_of_a_line_goes_on_and_says_so(
    bench: Any, server: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    fill(bench)
    ask(bench, server, tmp_path)
    (path,) = (tmp_path / "out").glob("*/replies.jsonl")
    assert json.loads(path.read_text().splitlines()[-1])["kind"] == "reply"
    path.write_bytes(path.read_bytes()[:-20])
    server.sent.clear()
    assert ask(bench, server, tmp_path).metrics["accuracy"].value == 1
    assert len(server.sent) == 1
    assert len({entry["request"] for entry in log_lines(tmp_path, "reply")}) == len(log_lines(tmp_path, "reply")) == 3
    assert "the last line was cut off" in caplog.text


@pytest.mark.parametrize("damage", ["{}", "nonsense", '{"kind": "reply"}', '{"kind": "odd"}', "[]"])
def test_a_line_that_says_nothing_is_taken_out_of_the_log(
    bench: Any, server: Any, tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    fill(bench)
    ask(bench, server, tmp_path)
    (path,) = (tmp_path / "out").glob("*/replies.jsonl")
    before = path.read_bytes()
    head, *lines = before.decode().splitlines()
    path.write_text("\n".join([head, damage, *lines]) + "\n")
    server.sent.clear()
    ask(bench, server, tmp_path)
    assert "line 2 is damaged; it is removed" in caplog.text
    assert path.read_bytes() == before
    assert not server.sent


@pytest.mark.parametrize("kind", ["run", "picture", "request", "reply"])
def test_a_changed_line_is_never_used_and_what_it_stood_for_is_asked_again(
    bench: Any, server: Any, tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    fill(bench)
    ask(bench, server, tmp_path)
    (path,) = (tmp_path / "out").glob("*/replies.jsonl")
    lines = path.read_text().splitlines(keepends=True)
    number = next(n for n, line in enumerate(lines) if json.loads(line).get("kind") == kind)
    changed = lines[number].replace("(B)", "(C)") if kind == "reply" else lines[number].replace("a", "b", 1)
    path.write_text("".join([*lines[:number], changed, *lines[number + 1 :]]))
    server.sent.clear()
    assert ask(bench, server, tmp_path).metrics["accuracy"].value == 1
    assert f"line {number + 1} is damaged; it is removed" in caplog.text
    assert len(server.sent) == (kind == "reply")
    assert sorted(map(_stripped, path.read_text().splitlines())) == sorted(map(_stripped, lines))


def _stripped(line: str) -> str:
    entry = json.loads(line)
    return json.dumps({name: entry[name] for name in entry if name not in {"digest", "usage"}}, sort_keys=True)

"""The log of requests and replies: appended only, by one run at a time, for one release, in one version."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import DataError
from benchwright.evaluation.accounting import Tokens
from benchwright.evaluation.backends.base import Options
from benchwright.evaluation.backends.reply_log import Answered, ReplyLog
from benchwright.evaluation.runner import evaluate

REPLY = Answered("(B)", "stop", Tokens(10, 2))


def kinds(path: Path) -> list[str]:
    return [json.loads(line).get("kind", "head") for line in path.read_text().splitlines()]


def test_a_reply_comes_back_as_it_was_kept(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "replies.jsonl"
    odd = Answered("half a pair \ud800, a line\nbreak", None, None)
    with ReplyLog(path) as log:
        log.answered("r1", "i1", REPLY, 3)
        log.answered("r2", "i2", odd, 1)
        log.failed("r3", "i3", "HTTP 500", 6)
    with ReplyLog(path) as log:
        assert (log.reply_to("r1"), log.reply_to("r2"), log.reply_to("r3")) == (REPLY, odd, None)


def test_a_second_reply_to_a_request_is_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    with ReplyLog(path) as log:
        assert log.answered("r1", "i1", REPLY, 1)
        assert not log.answered("r1", "i1", Answered("(C)", "stop", None), 1)
        assert log.reply_to("r1") == REPLY
    assert kinds(path) == ["head", "reply"]


def test_requests_pictures_and_like_runs_are_kept_once_over_all_runs(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    for _ in range(2):
        with ReplyLog(path, release_id="a") as log:
            log.run("a", "c", {"max_tokens": 5})
            for _ in range(2):
                log.picture({"sha256": "0" * 64, "how": "stored"})
                log.request("r1", "i1", {"model": "m"})
    assert kinds(path) == ["head", "run", "picture", "request"]


def test_one_run_writes_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    with ReplyLog(path), pytest.raises(DataError, match="in use by another run"):
        ReplyLog(path)
    with ReplyLog(path):
        pass


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ({"format": "benchwright/replies", "version": 1}, "has version 1.*the questions are asked anew"),
        ({"format": "benchwright/replies", "version": 3}, "version 3, this program reads .* version 2"),
        ({"format": "something/else", "version": 2}, "is 'something/else'"),
    ],
)
def test_a_log_of_another_version_is_refused_in_words_and_left_alone(
    tmp_path: Path, head: dict[str, Any], words: str
) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_text(json.dumps(head) + '\n{"half a line')
    before = path.read_bytes()
    with pytest.raises(DataError, match=words):
        ReplyLog(path)
    assert path.read_bytes() == before


def test_a_log_of_another_release_is_refused_unless_it_may_be_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    with ReplyLog(path, release_id="a") as log:
        log.run("a", "c", {})
    with pytest.raises(DataError, match="holds replies on release a, this one is b"):
        ReplyLog(path, release_id="b", other_releases=False)
    with ReplyLog(path, release_id="b") as log:
        log.run("b", "c", {})
    with ReplyLog(path, release_id="b", other_releases=False):
        pass


def test_scoring_refuses_a_log_of_another_release_before_it_asks_anything(
    bench: Any, server: Any, tmp_path: Path
) -> None:
    bench.add("one")
    options = Options(base_url=server.url)
    evaluate(bench.release(tmp_path / "one"), "openai:m", out=tmp_path / "out", options=options)
    [score] = (tmp_path / "out").glob("*/score.json")
    score.unlink()
    bench.add("two")
    with pytest.raises(DataError, match=r"replies\.jsonl holds replies on release"):
        evaluate(bench.release(tmp_path / "two"), "openai:m", out=tmp_path / "out", options=options)
    assert len(server.bodies) == 1

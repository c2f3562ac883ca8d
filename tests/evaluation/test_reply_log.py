"""The log of requests and replies: appended only, by one run at a time, for one release, in one version."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import DataError
from benchwright.evaluation.backends.options import BackendOptions
from benchwright.evaluation.backends.reply_log import ReplyLog, state_of
from benchwright.evaluation.reply_check import reply_problems
from benchwright.evaluation.run import evaluate
from benchwright.models.endpoints.completions import Completion
from benchwright.models.endpoints.usage import Tokens

REPLY = Completion("(B)", "stop", Tokens(10, 2))


def kinds(path: Path) -> list[str]:
    return [json.loads(line).get("kind", "head") for line in path.read_text().splitlines()]


def test_a_reply_comes_back_as_it_was_kept(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "replies.jsonl"
    odd = Completion("half a pair \ud800, a line\nbreak", None, None)
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
        assert not log.answered("r1", "i1", Completion("(C)", "stop", None), 1)
        assert log.reply_to("r1") == REPLY
    assert kinds(path) == ["head", "reply"]


def _filled(path: Path) -> bytes:
    with ReplyLog(path, release_id="a") as log:
        log.run("a", "c", {"max_tokens": 5})
        log.picture({"sha256": "0" * 64, "how": "stored"})
        for number in range(2):
            log.request(f"r{number}", f"i{number}", {"model": "m"})
            log.answered(f"r{number}", f"i{number}", REPLY, 1)
        log.failed("r2", "i2", "HTTP 500", 6)
    return path.read_bytes()


@pytest.mark.slow
def test_every_flipped_bit_of_a_log_is_found(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    data = _filled(path)
    unnoticed = []
    for place in range(len(data)):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :])
        try:
            if not state_of(path).damaged:
                unnoticed.append(place)
        except DataError:  # its head
            pass
    assert unnoticed == []


def test_damaged_lines_go_and_the_others_stay(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "replies.jsonl"
    lines = _filled(path).splitlines(keepends=True)
    places = [n for n, line in enumerate(lines) if json.loads(line).get("request") == "r0"]
    path.write_bytes(b"".join(line.replace(b"i0", b"i9") if n in places else line for n, line in enumerate(lines)))
    path.write_bytes(path.read_bytes() + b'{"kind":"rep')
    with ReplyLog(path, release_id="a") as log:
        assert (log.reply_to("r0"), log.reply_to("r1")) == (None, REPLY)
        log.answered("r3", "i3", REPLY, 1)
    assert "lines 4, 5 are damaged" in caplog.text
    assert path.read_bytes().startswith(b"".join(line for n, line in enumerate(lines) if n not in places))
    assert state_of(path) == (path.stat().st_size, (), 0)
    assert path.stat().st_mode & 0o077 == 0


def test_a_log_without_digests_is_gone_on_with_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    entries = [json.loads(line) for line in _filled(path).splitlines()]
    path.write_text("".join(json.dumps({k: v for k, v in e.items() if k != "digest"}) + "\n" for e in entries))
    before = path.read_bytes()
    with ReplyLog(path, release_id="a") as log:
        assert (log.reply_to("r0"), log.reply_to("r1")) == (REPLY, REPLY)
        log.answered("r3", "i3", REPLY, 1)
    assert path.read_bytes().startswith(before)
    assert state_of(path) == (path.stat().st_size, (), len(entries))


def test_a_line_that_was_cut_off_is_no_damage_and_one_whose_end_was_changed_is(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    data = _filled(path)
    for cut in (1, 2, 40):
        path.write_bytes(data[:-cut])
        assert state_of(path).damaged == ()
    path.write_bytes(data[:-1] + b"\x0b")
    assert state_of(path).damaged == (data.count(b"\n"),)


def test_a_damaged_head_is_refused_with_what_to_put_there(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    data = _filled(path)
    path.write_bytes(data.replace(b'"version":2', b'"version":3'))
    with pytest.raises(DataError, match="is damaged in line 1") as caught:
        ReplyLog(path)
    assert data.splitlines()[0].decode() in str(caught.value)


def test_check_names_damaged_lines_and_takes_them_out_when_asked_to(tmp_path: Path) -> None:
    path = tmp_path / "replies" / "openai-m" / "replies.jsonl"
    data = _filled(path)
    assert list(reply_problems(tmp_path)) == []
    path.write_bytes(data.replace(b"(B)", b"(C)", 1))
    [problem] = reply_problems(tmp_path)
    assert (problem.path, problem.is_note) == ("replies/openai-m/replies.jsonl", False)
    assert problem.what.startswith("line 5 is damaged")
    assert problem.mend is not None
    problem.mend()
    assert list(reply_problems(tmp_path)) == []


def test_check_notes_lines_without_digest_and_logs_of_older_versions(tmp_path: Path) -> None:
    for name, lines in (
        ("a", '{"format": "benchwright/replies", "version": 2}\n{"kind": "error"}\n'),
        ("b", '{"format": "benchwright/replies", "version": 1}\n'),
    ):
        (tmp_path / "replies" / name).mkdir(parents=True)
        (tmp_path / "replies" / name / "replies.jsonl").write_text(lines)
    two, old_log = reply_problems(tmp_path)
    assert (two.is_note, two.what[:40]) == (True, "has 2 lines of an older version, without")
    assert old_log.is_note
    assert "has version 1" in old_log.what


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
    with ReplyLog(path), pytest.raises(DataError, match="another run is using"):
        ReplyLog(path)
    with ReplyLog(path):
        pass


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ({"format": "benchwright/replies", "version": 1}, "has version 1.*to ask the questions again"),
        ({"format": "benchwright/replies", "version": 3}, "version 3, but this program reads .* version 2"),
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
    with pytest.raises(DataError, match="contains replies to release a, not b"):
        ReplyLog(path, release_id="b", other_releases=False)
    with ReplyLog(path, release_id="b") as log:
        log.run("b", "c", {})
    with ReplyLog(path, release_id="b", other_releases=False):
        pass


def test_scoring_refuses_a_log_of_another_release_before_it_asks_anything(
    bench: Any, server: Any, tmp_path: Path
) -> None:
    bench.add("one")
    options = BackendOptions(base_url=server.url)
    evaluate(bench.release(tmp_path / "one"), "openai:m", out=tmp_path / "out", options=options)
    [score] = (tmp_path / "out").glob("*/score.json")
    score.unlink()
    bench.add("two")
    with pytest.raises(DataError, match=r"replies\.jsonl contains replies to release"):
        evaluate(bench.release(tmp_path / "two"), "openai:m", out=tmp_path / "out", options=options)
    assert len(server.bodies) == 1

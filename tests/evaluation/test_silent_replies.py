"""A server that returns no words gets no score, and content filters are counted in the same way for all vendors.

Facts held here: a run without any words stops, whatever the form of the empty replies; a score with too many silent
items ends with exit code 1, is kept, and its causes appear in terminal, JSON, report and leaderboard; silent items are
asked again; filters and refusals count as refusals, and replies stopped by a filter are also counted separately.
"""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from endpoint_runs import ask, fill, rows
from report_page import ReportPage

from benchwright.cli.main import invoke
from benchwright.errors import CheckFailed
from benchwright.evaluation.leaderboard.board import leaderboard_of
from benchwright.evaluation.leaderboard.page import write_leaderboard
from benchwright.evaluation.report.writing import write_report

pytestmark = pytest.mark.slow


def number_of(words: str) -> int:
    return int(words.partition("question ")[2].split()[0])


TOOL = [{"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}]


def reply(content: Any, finish: str = "stop", **message: Any) -> tuple[int, Any]:
    return 200, {"choices": [{"message": {"content": content, **message}, "finish_reason": finish}]}


def test_eight_silent_replies_of_mixed_kinds_in_a_row_end_the_run(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench, 60)
    kinds = [reply(""), reply(None, "tool_calls", tool_calls=TOOL), (200, {"error": {"message": "Provider error"}})]
    server.behave = lambda words, attempt, handler: server.say(handler, *kinds[number_of(words) % 3])
    with pytest.raises(CheckFailed, match=r"the first 8 questions to openai:tiny/model failed, so there is no score: "):
        ask(bench, server, tmp_path, retries=0)
    assert len(server.bodies) < 60


ENDINGS = {
    "answered": "(B)",
    "miss": "one of them",
    "refused": reply(None, refusal="I can't help with that."),
    "filtered": reply("", "content_filter"),
    "cut_off": reply("Let us see", "length"),
    "empty": reply(""),
    "tool_call": reply(None, "tool_calls", tool_calls=TOOL),
    "error": (400, {"error": {"message": "too large"}}),
}
"""One reply of each way in which an item can end."""


def test_every_place_shows_the_same_columns_of_how_items_ended(
    bench: Any, server: Any, tmp_path: Path, capsys: Any
) -> None:
    wanted = {name: place for place, name in enumerate(ENDINGS, start=1)}  # another number for each way
    ways = [name for name, n in wanted.items() for _ in range(n)]
    fill(bench, len(ways))

    def behave(words: str, attempt: int, handler: Any) -> str | None:
        response = ENDINGS[ways[number_of(words)]]
        return response if isinstance(response, str) else server.say(handler, *response)

    server.behave = behave
    release, out = bench.release(tmp_path / "release"), tmp_path / "out"
    command = ["evaluate", "run", str(release.path), "--model", "openai:m", "--base-url", server.url, "--out", str(out)]
    assert invoke([*command, "--json", "--concurrency", "1"]) == 1  # more than --max-errors
    assert json.loads(capsys.readouterr().out)["ended"] == wanted
    heads = ["answered", "misses", "refused", "filtered", "cut off", "empty", "tool calls", "errors"]
    columns = dict(zip(heads, map(str, wanted.values()), strict=True))

    def shown(*words: str) -> dict[str, str]:
        invoke([*words])
        lines = [re.split(r"\s{2,}", line.strip()) for line in capsys.readouterr().out.splitlines()]
        found: dict[str, str] = {}
        for head, line in pairwise(line for line in lines if len(line) > 2):  # a wide table is drawn as several
            found |= {name: line[head.index(name)] for name in heads if name in head and len(line) == len(head)}
        return found

    assert shown(*command) == columns
    assert shown("evaluate", "summary", str(out)) == columns
    assert shown("evaluate", "leaderboard", str(out)) == columns
    invoke(["evaluate", "summary", str(out), "--json"])
    [summary] = json.loads(capsys.readouterr().out).values()
    assert summary["outcomes"]["ended"] == wanted
    invoke(["evaluate", "leaderboard", str(out), "--json"])
    assert json.loads(capsys.readouterr().out)["systems"][0]["outcomes"]["ended"] == wanted
    write_leaderboard(leaderboard_of(out), tmp_path / "board.html")
    report = write_report(out, release.path).path
    for page in (report, tmp_path / "board.html"):
        assert "|".join(columns.values()) in "|".join(cell.text for cell in ReportPage(page).all("td"))
    ways_in_chart = ("refused", "filtered", "cut off", "empty", "tool call", "error")
    assert all(f">{name}<" in report.read_text(encoding="utf-8") for name in ways_in_chart)


SILENCES = [
    pytest.param(reply(None, "tool_calls", tool_calls=TOOL), "the tool look", id="a tool call"),
    pytest.param(reply("", "length", reasoning_content="A or B?"), "raise max_tokens", id="cut off in thought"),
    pytest.param((200, {"error": {"message": "Provider returned error"}}), "Provider returned error", id="an error"),
]
"""One of each way to the same end: `tests/spine/test_reply_kinds.py` has the other shapes."""


@pytest.mark.parametrize(("response", "words"), SILENCES)
def test_a_server_that_says_nothing_gets_no_score(
    bench: Any, server: Any, tmp_path: Path, response: tuple[int, Any], words: str
) -> None:
    fill(bench, 10)
    server.behave = lambda words, attempt, handler: server.say(handler, *response)
    with pytest.raises(CheckFailed, match=f"so there is no score: .*{words}"):
        ask(bench, server, tmp_path)
    assert not list((tmp_path / "out").rglob("score.json"))


def test_silence_of_several_kinds_is_no_score_either(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench, 6)
    kinds = [reply(""), (400, {"error": {"message": "no"}}), reply("", "content_filter")]
    server.behave = lambda words, attempt, handler: server.say(handler, *kinds[number_of(words) % 3])
    with pytest.raises(CheckFailed, match=r"gave no answer to any of the 6 items \(4 errors, 2 stopped by a filter"):
        ask(bench, server, tmp_path)


def test_an_unfit_score_ends_with_exit_code_1_and_its_causes_are_named_everywhere(
    bench: Any, server: Any, tmp_path: Path, capsys: Any
) -> None:
    fill(bench, 20)
    kinds = {3: reply(""), 4: reply(""), 5: (200, {"error": {"message": "Provider returned error"}})}
    server.behave = lambda words, attempt, handler: (
        server.say(handler, *kinds[number_of(words)]) if number_of(words) in kinds else "(B)"
    )
    release, out = bench.release(tmp_path / "release"), tmp_path / "out"
    command = ["evaluate", "run", str(release.path), "--model", "openai:m", "--base-url", server.url]
    assert invoke([*command, "--retries", "0", "--out", str(out), "--json"]) == 1
    printed = capsys.readouterr()
    score = json.loads(printed.out)
    assert (score["error"], score["empty"], score["unfit"]) == (3, 2, True)
    assert [(cause["state"], cause["n"]) for cause in score["causes"]] == [("error", 2), ("error", 1)]
    assert "openai:m is unfit: 3 of 20 items ended in errors, 2 of them in replies without text" in printed.err
    assert "Provider returned error" in printed.err

    report = write_report(out, release.path).path.read_text(encoding="utf-8")
    write_leaderboard(leaderboard_of(out), tmp_path / "board.html")
    for page in (report, (tmp_path / "board.html").read_text(encoding="utf-8")):
        assert "Provider returned error" in page

    kinds.clear()  # what said nothing is asked again, and nothing else
    before = len(server.bodies)
    assert invoke([*command, "--out", str(out)]) == 0
    assert len(server.bodies) == before + 3


FILTERED = [
    reply("", "content_filter"),
    (400, {"error": {"message": "no", "code": "content_policy_violation"}}),
    (400, {"error": {"code": "x", "innererror": {"code": "ResponsibleAIPolicyViolation"}}}),
    (200, {"choices": [], "promptFeedback": {"blockReason": "SAFETY"}}),
    reply("", "SAFETY"),
]
REFUSED = [reply("", "refusal"), reply(None, refusal="I can't help with that.")]


def test_one_content_filter_is_a_refusal_at_every_vendor(bench: Any, server: Any, tmp_path: Path) -> None:
    fill(bench, 9)
    responses = dict(enumerate([*FILTERED, *REFUSED]))
    server.behave = lambda words, attempt, handler: (
        server.say(handler, *responses[number_of(words)]) if number_of(words) in responses else "(B)"
    )
    score = ask(bench, server, tmp_path)
    assert (score.refusal, score.filtered, score.miss, score.error, score.unfit) == (7, 5, 0, 0, False)
    declined = [row for row in rows(bench, tmp_path).values() if row["state"] == "refusal"]
    assert len(declined) == 7
    assert all(row["cause"] and row["reply_kind"] in {"filtered", "refused"} for row in declined)
    sent = len(server.bodies)
    assert ask(bench, server, tmp_path) == score  # from the log
    assert len(server.bodies) == sent

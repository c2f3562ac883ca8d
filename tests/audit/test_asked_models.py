"""Checks that use a model: answers without the picture, second right options, equal options; skipped without a model.

The model is a scripted server that speaks the OpenAI protocol; the command reaches it over HTTP.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from audited_benches import Row, clean_rows, write_pictures, write_rows
from chat_server import ChatServer

from benchwright.cli.main import invoke

pytestmark = pytest.mark.slow

ITEMS = 24
ASKED = ("blind_models", "second_right_options", "options_that_mean_the_same")
Behaviour = Callable[[str, int, Any], str | None]


@pytest.fixture
def rows(tmp_path: Path) -> list[Row]:
    rows = clean_rows(ITEMS)
    rows[3] |= {"A": "the sofa", "C": "the couch", "answer": "A"}
    write_pictures(tmp_path, rows)
    write_rows(tmp_path / "quiz.csv", rows)
    return rows


def audited(folder: Path, *options: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    command = ["audit", str(folder / "quiz.csv"), "--out", str(folder / "out"), "--workers", "1", "--json", *options]
    assert invoke(command) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def state(document: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {each["name"]: (each["state"], each["why"]) for each in document["checks"] if each["name"] in ASKED}


def of_kind(document: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [each for each in document["findings"] if each["kind"] == kind]


def answering(rows: list[Row], *, picks: Callable[[Row, bool], str], also: str = "", equal: str = "NONE") -> Behaviour:
    """Return a model that picks the option of `picks(row, sees)`, calls `also` right besides keys, and `equal` equal."""
    by_question = {row["question"]: row for row in rows}

    def behave(words: str, attempt: int, handler: Any) -> str:
        row = next(row for question, row in by_question.items() if question in words)
        if "say the same thing" in words:
            return equal if "the sofa" in words else "NONE"
        if "Is the proposed answer right?" in words:
            proposed = words.partition("A proposed answer: ")[2].partition("\n")[0]
            return "yes" if proposed in (row[row["answer"]], also) else "no"
        sees = any(part["type"] == "image_url" for part in handler.body["messages"][-1]["content"])
        wanted = picks(row, sees)
        return next(line[1] for line in words.splitlines() if line[:1] == "(" and line[4:] == wanted)

    return behave


@pytest.mark.usefixtures("rows")
def test_without_a_model_the_checks_say_what_to_give(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = audited(tmp_path, capsys=capsys)
    assert {name: why[0] for name, why in state(document).items()} == dict.fromkeys(ASKED, "skipped")
    assert all("--model" in why for _, why in state(document).values())


def test_a_model_that_knows_the_keys_is_found_without_the_picture_and_with_a_wrong_one(
    tmp_path: Path, rows: list[Row], chat_server: ChatServer, capsys: pytest.CaptureFixture[str]
) -> None:
    chat_server.behave = answering(rows, picks=lambda row, sees: row[row["answer"]], also="the couch", equal="A and C")
    asked = ["--model", "eye", "--base-url", chat_server.url]
    document = audited(tmp_path, *asked, capsys=capsys)
    assert state(document) == dict.fromkeys(ASKED, ("done", ""))
    for kind in ("answered_without_picture", "answered_with_wrong_picture"):
        (finding,) = of_kind(document, kind)
        assert finding["severity"] == "high"
        assert finding["evidence"]["accuracy"] == 1
        assert set(finding["items"]) == {row["id"] for row in rows}
    (second,) = of_kind(document, "second_right_option")
    assert (second["items"], second["evidence"]["also_right"]) == (["q3"], ["C"])
    (equal,) = of_kind(document, "options_mean_the_same")
    assert (equal["items"], equal["severity"]) == (["q3"], "high")
    assert equal["evidence"]["options"] == {"A": "the sofa", "C": "the couch"}
    page = Path(document["page"]).read_text(encoding="utf-8")
    assert "second right option" in page
    sent = len(chat_server.bodies)
    again = audited(tmp_path, *asked, capsys=capsys)
    assert again["findings"] == document["findings"]
    assert len(chat_server.bodies) == sent, "replies are kept, none is asked twice"


def test_wrong_pictures_are_those_of_other_items(
    tmp_path: Path, rows: list[Row], chat_server: ChatServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """A model that answers only where it sees a picture is found with wrong ones, not without one."""
    chat_server.behave = answering(rows, picks=lambda row, sees: row[row["answer"] if sees else "A"])
    document = audited(tmp_path, "--model", "eye", "--base-url", chat_server.url, capsys=capsys)
    assert of_kind(document, "answered_without_picture") == []
    (finding,) = of_kind(document, "answered_with_wrong_picture")
    assert finding["evidence"]["items"] == ITEMS
    urls: dict[str, list[str]] = {}
    for body in chat_server.bodies:
        parts = body["messages"][-1]["content"]
        for url in [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]:
            words = parts[-1]["text"] if parts[-1]["type"] == "text" else parts[0]["text"]
            question = next(row["question"] for row in rows if row["question"] in words)
            kind = "own" if "proposed answer" in words else "wrong"
            urls.setdefault(f"{kind} {question}", []).append(url)
    for row in rows:
        (wrong,) = urls[f"wrong {row['question']}"]
        assert wrong not in urls[f"own {row['question']}"]


def test_a_model_that_calls_everything_right_is_not_believed(
    tmp_path: Path, rows: list[Row], chat_server: ChatServer, capsys: pytest.CaptureFixture[str]
) -> None:
    chat_server.behave = lambda words, attempt, handler: "yes"
    document = audited(tmp_path, "--model", "eye", "--base-url", chat_server.url, capsys=capsys)
    how, why = state(document)["second_right_options"]
    assert how == "skipped"
    assert "it cannot tell them apart" in why
    assert {each["kind"] for each in document["findings"]} & {"second_right_option", "key_denied_by_model"} == set()


def test_an_endpoint_that_breaks_down_skips_these_checks_and_no_others(
    tmp_path: Path, rows: list[Row], chat_server: ChatServer, capsys: pytest.CaptureFixture[str]
) -> None:
    chat_server.behave = lambda words, attempt, handler: chat_server.say(
        handler, 400, {"error": {"message": "too long"}}
    )
    document = audited(tmp_path, "--model", "eye", "--base-url", chat_server.url, capsys=capsys)
    assert {how for how, _ in state(document).values()} == {"skipped"}
    assert all("too long" in why for _, why in state(document).values())
    assert next(each["state"] for each in document["checks"] if each["name"] == "wording") == "done"


def test_a_budget_that_is_spent_skips_what_is_left_and_keeps_what_was_answered(
    tmp_path: Path, rows: list[Row], chat_server: ChatServer, capsys: pytest.CaptureFixture[str]
) -> None:
    chat_server.behave = answering(rows, picks=lambda row, sees: row["A"])
    budget = ["--model", "eye", "--base-url", chat_server.url, "--budget-requests", "30"]
    document = audited(tmp_path, *budget, capsys=capsys)
    assert {how for how, _ in state(document).values()} == {"skipped"}
    assert len(chat_server.bodies) <= 30
    assert "the next audit reuses the replies" in state(document)["blind_models"][1]

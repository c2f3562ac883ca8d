"""The gate `second_answers`: wrong options that a model considers right, and right ones that it does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from chat_server import ChatServer
from rival_items import Rivalry, rivalry

from benchwright.filters.items.second_answers import SecondAnswers
from benchwright.steps import Outcome


@pytest.fixture
def rivals(tmp_path: Path) -> Rivalry:
    return rivalry(tmp_path / "rivals", warm=(200, 90, 40))


def said(rivals: Rivalry, server: ChatServer, right: set[str]) -> list[Outcome]:
    """Let the model find these options right; return what is said of items with options."""

    def judge(words: str, attempt: int, handler: Any) -> str:
        return "Yes." if any(f"proposed answer: {option}\n" in words for option in right) else "No."

    server.behave = judge
    chat = {"model": "eye", "base_url": server.url}
    found = rivals.judged(SecondAnswers.model_validate({"chat": chat, "concurrency": 2}))
    yes_no = [one for item, one in zip(rivals.items, found, strict=True) if item.kind == "yes_no"]
    assert {(one.verdict, tuple(one.values)) for one in yes_no} == {("keep", ())}
    return [one for item, one in zip(rivals.items, found, strict=True) if item.kind != "yes_no"]


def test_an_item_of_which_only_the_key_is_found_right_stays(rivals: Rivalry, chat_server: ChatServer) -> None:
    found = said(rivals, chat_server, {"a photograph"})
    assert [(one.verdict, one.values["also_right"], one.values["key_said"]) for one in found] == [
        ("keep", [], "yes")
    ] * 2


def test_a_distractor_that_is_found_right_too_is_asked_about_by_its_letter(
    rivals: Rivalry, chat_server: ChatServer
) -> None:
    found = said(rivals, chat_server, {"a photograph", "a smell"})
    assert [(one.verdict, one.reason, one.values["also_right"]) for one in found] == [
        ("ask", "second_right_answer", ["C"])
    ] * 2
    assert found[0].evidence["judged"] == {"options": ["C"]}
    assert found[0].evidence["replies"] == {"A": "Yes.", "B": "No.", "C": "Yes."}


def test_a_key_that_is_denied_is_asked_about(rivals: Rivalry, chat_server: ChatServer) -> None:
    assert {one.reason for one in said(rivals, chat_server, set())} == {"key_denied"}


def test_an_endpoint_that_breaks_down_is_recorded(rivals: Rivalry, chat_server: ChatServer) -> None:
    chat_server.behave = lambda words, attempt, handler: chat_server.say(
        handler, 400, {"error": {"message": "too long"}}
    )
    settings = {"chat": {"model": "eye", "base_url": chat_server.url, "retries": 0}}
    found = rivals.judged(SecondAnswers.model_validate(settings))
    assert [one.reason for one in found if one.values] == ["no_answer"] * 2
    assert [one.values["unanswered"] for one in found if one.values] == [["A", "B", "C"]] * 2
